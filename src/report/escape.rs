//! Text from outside (queries, ids, pipeline output) is hostile until it went through here.

/// Makes text safe to print on a terminal, on one line: control characters, escape sequences and the characters that
/// reorder what is read (Unicode bidirectional controls, CVE-2021-42574) become visible.
#[must_use]
pub fn terminal_line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, character| {
        match character {
            '\n' | '\r' | '\t' => line.push(' '),
            hidden if hidden.is_control() || is_invisible_order(hidden) => line.extend(hidden.escape_unicode()),
            visible => line.push(visible),
        }
        line
    })
}

/// As [`terminal_line`], line by line.
#[must_use]
pub fn terminal_lines(text: &str) -> Vec<String> {
    text.lines().map(terminal_line).collect()
}

/// As [`terminal_line`], keeping the line ends; no line of it is a workflow command.
#[must_use]
pub fn terminal_block(text: &str) -> String {
    without_commands(&terminal_lines(text).join("\n"))
}

/// Breaks what the runner of GitHub Actions would obey in a log: `::command::` at the start of a line, also behind white
/// space, and the older `##[command]` anywhere in it.
#[must_use]
pub fn without_commands(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // Behind the styles of a terminal it is still at the start for whoever strips them.
        let bare = anstream::adapter::strip_str(line).to_string();
        let line = if bare.trim_start().starts_with("::") { line.replacen("::", ": :", 1) } else { line.to_owned() };
        safe.push_str(&line.replace("##[", "# #["));
    }
    safe
}

/// The text of a workflow command of GitHub Actions.
#[must_use]
pub fn workflow_data(text: &str) -> String {
    let lines: Vec<String> = terminal_lines(text);
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a workflow command of GitHub Actions.
#[must_use]
pub fn workflow_property(text: &str) -> String {
    workflow_data(&terminal_line(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Text in HTML, between tags or in a quoted attribute; what cannot be seen becomes visible.
#[must_use]
pub fn html(text: &str) -> String {
    visible(text).chars().fold(String::with_capacity(text.len()), |mut escaped, character| {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            plain => escaped.push(plain),
        }
        escaped
    })
}

/// Text in XML 1.0, between tags or in a quoted attribute: what the standard forbids, such as control characters,
/// becomes visible.
#[must_use]
pub fn xml(text: &str) -> String {
    let allowed = |character: char| !matches!(character, '\u{fffe}' | '\u{ffff}');
    html(&text.chars().map(|character| if allowed(character) { character } else { '\u{fffd}' }).collect::<String>())
}

/// Text in GitHub Markdown, in a paragraph, a table cell or HTML inside them: on one line, without markup, links,
/// mentions and references. Character references never start markup (`CommonMark` 2.5), so everything that could is one.
#[must_use]
pub fn markdown(text: &str) -> String {
    let line = terminal_line(text);
    let mut escaped = String::with_capacity(line.len());
    let mut before = ' ';
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let reference = format!("&#{};", u32::from(character));
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' => {
                escaped.push_str(&reference);
            }
            // `https://…` and `:name:`.
            ':' if !next.is_whitespace() => escaped.push_str(&reference),
            // `recall@10` is neither an address nor a name.
            '@' if before.is_alphanumeric() && next.is_ascii_digit() => escaped.push('@'),
            // GitHub looks for names and numbers in what was rendered; a word joiner between is not seen.
            '@' | '#' => escaped.push_str(&format!("{reference}\u{2060}")),
            '-' if ends_in(&escaped, "gh") => escaped.push_str("-\u{2060}"),
            '.' if ends_in(&escaped, "www") => escaped.push_str("&#46;"),
            plain => escaped.push(plain),
        }
        before = character;
    }
    escaped
}

/// Whether `text` ends in `word`, in capitals or not: `GH-12` is a reference to an issue, `WWW.` starts an address.
fn ends_in(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    start.and_then(|start| text.as_bytes().get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()))
}

/// Prose of our own with text from outside in back-quotes, in GitHub Markdown: the quoted parts are shown as code.
#[must_use]
pub fn markdown_prose(text: &str) -> String {
    quoted(text, markdown)
}

/// As [`markdown_prose`], in HTML.
#[must_use]
pub fn html_prose(text: &str) -> String {
    quoted(text, html)
}

/// Every part is escaped whatever the quotes say: a stray one costs looks, not safety.
fn quoted(text: &str, escape: fn(&str) -> String) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(index, part): (usize, &&str)| {
        if index % 2 == 0 { escape(part) } else { format!("<code>{}</code>", escape(part)) }
    };
    parts.iter().enumerate().map(part).collect()
}

/// The first `most` characters, with `…` where something was left out.
#[must_use]
pub fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Control characters but for line ends and tabs, and characters that reorder what is read, spelled out.
fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut visible, character| {
        match character {
            '\n' | '\t' => visible.push(character),
            hidden if hidden.is_control() || is_invisible_order(hidden) => visible.extend(hidden.escape_unicode()),
            plain => visible.push(plain),
        }
        visible
    })
}

fn is_invisible_order(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(terminal_line("a\x1b[31mb\x07\u{9b}c"), r"a\u{1b}[31mb\u{7}\u{9b}c");
        assert_eq!(terminal_line("two\nlines\ttab"), "two lines tab");
        assert_eq!(terminal_line("\u{202e}evil"), r"\u{202e}evil");
        assert_eq!(terminal_line("¿Cuántos días? 日本"), "¿Cuántos días? 日本");
    }

    #[test]
    fn no_line_of_a_log_is_a_command() {
        assert_eq!(without_commands("a\n  ::error::x\n::b"), "a\n  : :error::x\n: :b");
        assert_eq!(without_commands("\x1b[1m::error::x\n"), "\x1b[1m: :error::x\n");
        assert_eq!(without_commands("a ::b ##[error]c"), "a ::b # #[error]c");
        assert_eq!(terminal_block("a\n::stop-commands::x"), "a\n: :stop-commands::x");
        assert_eq!(workflow_data("50 %\r\nb\rc"), "50 %25%0Ab c");
        assert_eq!(workflow_property("a:b,c\n::d"), "a%3Ab%2Cc %3A%3Ad");
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(html("<a b='\"'>&\u{202e}\0"), r"&lt;a b=&#39;&quot;&#39;&gt;&amp;\u{202e}\u{0}");
        assert_eq!(xml("a\u{b}\u{fffe}\u{ffff}b"), "a\\u{b}\u{fffd}\u{fffd}b");
        for hostile in ["|", "`", "[x](y)", "<script>", "**b**", "![i](u)", "http://x", "\\|", "~~s~~", "$x$"] {
            let escaped = markdown(hostile);
            let markup = ['|', '`', '[', ']', '<', '>', '*', '\\', '~', '$', ':'];
            assert!(!escaped.contains(markup), "{escaped}");
        }
        assert_eq!(markdown("@all #1 a\nb"), "&#64;\u{2060}all &#35;\u{2060}1 a b");
        assert_eq!(markdown("recall@10: x@y.z"), "recall@10: x&#64;\u{2060}y.z");
        assert_eq!(markdown("GH-1 www.x.y a-b"), "GH-\u{2060}1 www&#46;x.y a-b");
        assert_eq!(markdown_prose("a `b|c` d"), "a <code>b&#124;c</code> d");
        assert_eq!(markdown_prose("a `b d"), "a &#96;b d");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_one_text_in_one_cell(text in "(\\PC|[\\x00-\\x7f]|https?://|www\\.|<[a-z]|&[a-z]+;|\\]\\(){0,40}") {
            use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
            let table = format!("| a |\n| --- |\n| x{}x |\n", markdown(&text));
            let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM | Options::ENABLE_MATH;
            let mut cells = 0;
            for event in Parser::new_ext(&table, options) {
                match event {
                    Event::Start(Tag::TableCell) => cells += 1,
                    Event::Text(_)
                    | Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow)
                    | Event::End(TagEnd::Table | TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell) => {}
                    other => panic!("{other:?} in {table}"),
                }
            }
            assert_eq!(cells, 2, "{table}");

            let page = html(&text);
            assert!(!page.contains(['<', '>', '"', '\'']) && !page.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
            let forbidden = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}') || (c.is_control() && c != '\n' && c != '\t');
            assert!(!xml(&text).contains(forbidden));
            let command = format!("::error title={}::{}", workflow_property(&text), workflow_data(&text));
            assert!(!command.contains(['\n', '\r']) && !workflow_property(&text).contains([':', ',']));
            let log = without_commands(&text);
            assert!(log.lines().all(|line| !line.trim_start().starts_with("::") && !line.contains("##[")), "{log:?}");
        }
    }
}
