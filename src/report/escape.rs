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

/// As [`terminal_line`], keeping the line ends.
#[must_use]
pub fn terminal_block(text: &str) -> String {
    terminal_lines(text).join("\n")
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
}
