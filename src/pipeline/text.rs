//! Markdown and HTML to plain text, as blocks separated by blank lines.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

/// A document without its markup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The first heading of a Markdown document, the `<title>` of an HTML page.
    pub title: Option<String>,
    /// The rest, blocks separated by blank lines, a table row a line.
    pub body: String,
}

/// Reads Markdown with tables, footnotes and front matter; markup and front matter are dropped.
#[must_use]
pub fn markdown(text: &str) -> Page {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut page = Page::default();
    let mut front_matter = false;
    let mut heading = String::new();
    let mut in_heading = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::MetadataBlock(_)) => front_matter = true,
            Event::End(TagEnd::MetadataBlock(_)) => front_matter = false,
            Event::Text(_) if front_matter => {}
            Event::Start(Tag::Heading { .. }) => in_heading = true,
            Event::End(TagEnd::Heading(_)) => {
                in_heading = false;
                // The first heading is the title; any other stays with the block below it.
                if page.title.is_none() {
                    page.title = Some(std::mem::take(&mut heading));
                } else {
                    page.body.push_str(&std::mem::take(&mut heading));
                    page.body.push('\n');
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if in_heading { &mut heading } else { &mut page.body }.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak if in_heading => heading.push(' '),
            Event::End(TagEnd::TableCell) => page.body.push_str(" | "),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableHead | TagEnd::TableRow | TagEnd::Item) => {
                page.body.push('\n');
            }
            Event::End(TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::Table | TagEnd::List(_)) => {
                page.body.push_str("\n\n");
            }
            _ => {}
        }
    }
    page
}

/// Reads an HTML page, tolerant as browsers are; scripts and styles are dropped.
#[must_use]
pub fn html(text: &str) -> Page {
    let title = Regex::new("(?is)<title[^>]*>(.*?)</title>")
        .ok()
        .and_then(|title| Some(plain(title.captures(text)?.get(1)?.as_str())))
        .map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|title| !title.is_empty());
    Page { title, body: plain(text) }
}

/// Wide enough that no line is wrapped and no table column squeezed.
const WIDTH: usize = 100_000;

fn plain(html: &str) -> String {
    let renderer = html2text::config::plain_no_decorate().raw_mode(true).no_table_borders().allow_width_overflow();
    renderer.string_from_read(html.as_bytes(), WIDTH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_keeps_words_and_drops_markup() {
        let page = markdown(
            "---\nsecret: yes\n---\n# The *title*\n\nA [link](http://x) and `code`\nwrapped.\n\n## Fees\n\n| to | fee |\n|---|---|\n| UK | 3 |\n\n- one\n- two\n",
        );
        assert_eq!(page.title.as_deref(), Some("The title"));
        assert!(!page.body.contains("secret") && !page.body.contains("http"), "{}", page.body);
        assert!(page.body.contains("A link and code\nwrapped.\n\nFees\n"), "{}", page.body);
        assert!(page.body.contains("UK | 3 | \n"), "{}", page.body);
        assert!(page.body.contains("one\ntwo\n"), "{}", page.body);
    }

    #[test]
    fn html_keeps_cells_apart_and_drops_scripts() {
        let page = html(
            "<html><head><title>Fees &amp;\n more</title><style>p{}</style></head><body><script>alert(1)</script><h1>Fees</h1><p>Caf&eacute;<p>Two<table><tr><th>to</th><th>fee</th></tr><tr><td>UK</td><td>3</td></tr></table>",
        );
        assert_eq!(page.title.as_deref(), Some("Fees & more"));
        assert!(!page.body.contains("alert") && !page.body.contains("p{}"), "{}", page.body);
        assert!(page.body.contains("Café\n\nTwo"), "{:?}", page.body);
        let words: Vec<&str> = page.body.split_whitespace().collect();
        assert!(words.windows(2).any(|pair| pair == ["UK", "3"]) || words.contains(&"UK"), "{:?}", page.body);
        assert!(!page.body.contains("UK3") && !page.body.contains("tofee"), "{:?}", page.body);
    }
}
