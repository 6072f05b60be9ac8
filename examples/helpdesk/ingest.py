#!/usr/bin/env python3
"""Cuts the help centre into chunks: one JSON line {"id": "DOCUMENT#N", "title", "text"} each.

This is the ingestion under test. As it stands it does, in other words, what recall-gate's own reader does: a harmless
refactor. The two flags are bugs that really happen: a new HTML reader that loses tables, and a limit on document
length that nobody noticed.

    python3 examples/helpdesk/ingest.py examples/helpdesk/docs target/helpdesk/chunks.jsonl
"""

import argparse
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

BLOCKS = {"p", "div", "section", "article", "h1", "h2", "h3", "h4", "li", "ul", "ol", "table", "nav", "footer", "br"}


class Page(HTMLParser):
    """The words of an HTML page, blocks apart, a table row a line."""

    def __init__(self, drop_tables):
        super().__init__(convert_charrefs=True)
        self.title, self.parts, self.skip, self.in_title, self.tables = "", [], 0, False, 0
        self.drop_tables = drop_tables

    def handle_starttag(self, tag, attributes):
        self.skip += tag in ("script", "style")
        self.tables += tag == "table"
        self.in_title |= tag == "title"
        if tag in BLOCKS:
            self.parts.append("\n\n")
        elif tag == "tr":
            self.parts.append("\n")
        elif tag in ("td", "th"):
            self.parts.append(" ")

    def handle_endtag(self, tag):
        self.skip -= tag in ("script", "style") and self.skip > 0
        self.tables -= tag == "table" and self.tables > 0
        self.in_title &= tag != "title"
        if tag in BLOCKS:
            self.parts.append("\n\n")

    def handle_data(self, data):
        if self.in_title:
            self.title += data
        elif not self.skip and not (self.drop_tables and self.tables):
            self.parts.append(re.sub(r"\s+", " ", data))


def read_html(text, drop_tables):
    page = Page(drop_tables)
    page.feed(text)
    return " ".join(page.title.split()), "".join(page.parts)


def read_markdown(text, drop_tables):
    title, lines = "", []
    for line in text.splitlines():
        if line.startswith("|"):
            if drop_tables or set(line) <= set("|-: "):
                continue
            line = line.strip("| ").replace("|", " ")
        if not title and line.startswith("# "):
            title = line[2:].strip()
            continue
        line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
        lines.append(re.sub(r"[*_`]|^#+ |^> ?", "", line))
    return title, "\n".join(lines)


def chunks(body, size):
    """Paragraphs packed into chunks of at most `size` characters; a longer one stays whole."""
    chunk = ""
    for block in re.split(r"\n\s*\n", body):
        block = block.strip()
        if chunk and len(chunk) + len(block) > size:
            yield chunk
            chunk = ""
        chunk = f"{chunk}\n\n{block}".strip()
    if chunk:
        yield chunk


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--chunk-size", type=int, default=1000)
    parser.add_argument("--drop-tables", action="store_true", help="a bug: table cells are lost")
    parser.add_argument("--cut-at", type=int, help="a bug: documents end after so many characters")
    arguments = parser.parse_args()

    lines = []
    for path in sorted(arguments.documents.rglob("*")):
        if path.suffix not in (".md", ".html"):
            continue
        read = read_html if path.suffix == ".html" else read_markdown
        title, body = read(path.read_text(encoding="utf-8"), arguments.drop_tables)
        document = path.relative_to(arguments.documents).with_suffix("").as_posix()
        for number, text in enumerate(chunks(body[: arguments.cut_at], arguments.chunk_size), start=1):
            lines.append(json.dumps({"id": f"{document}#{number}", "title": title, "text": text}, ensure_ascii=False))

    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    unfinished = arguments.output.with_suffix(".tmp")
    unfinished.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    os.replace(unfinished, arguments.output)


if __name__ == "__main__":
    main()
