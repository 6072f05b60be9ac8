//! Judgments of passages: a quote that answers, wherever the next chunking puts it.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use unicode_normalization::UnicodeNormalization as _;

use crate::id::DocumentId;
use crate::judgments::Grade;

/// The share of a quote that a chunk must hold to count for it, unless the configuration says otherwise.
pub const OVERLAP: f64 = 0.6;

/// A quote with its grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// What reports call it: the document, and the quote as it was written, with single spaces.
    pub name: DocumentId,
    /// The document that it must be found in, where one was named.
    pub document: Option<DocumentId>,
    /// How well it answers.
    pub grade: Grade,
    /// As it was written.
    pub quote: String,
    words: Words,
}

impl Passage {
    /// A quote; `None` where it has no letter and no digit.
    #[must_use]
    pub fn new(quote: &str, document: Option<DocumentId>, grade: Grade) -> Option<Self> {
        let words = Words::of(quote);
        let line = quote.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = match &document {
            Some(document) => format!("{document} “{line}”"),
            None => format!("“{line}”"),
        };
        (!words.is_empty()).then(|| Self {
            name: DocumentId::new(name),
            document,
            grade,
            quote: quote.to_owned(),
            words,
        })
    }

    /// Whether a result of `document` with the text `words` holds at least the share `overlap` (0..=1) of the quote.
    #[must_use]
    pub fn is_held_by(&self, document: &DocumentId, words: &Words, overlap: f64) -> bool {
        self.document.as_ref().is_none_or(|wanted| wanted == document) && self.words.share_in(words) >= overlap
    }
}

/// A text with everything taken out that a parser or a chunker may change: markup, punctuation, case, white space,
/// hyphens at line ends, ligatures and other compatibility forms (Unicode NFKC).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The characters of all words, one after the other.
    letters: Vec<char>,
    /// Where each word begins in them.
    starts: Vec<usize>,
}

impl Words {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut words = Self::default();
        let mut inside = false;
        for character in without_markup(text).nfkc().flat_map(char::to_lowercase) {
            // An apostrophe in a word is not its end: `don’t` is one word however it is written.
            if matches!(character, '\'' | '’' | '\u{ad}') && inside {
                continue;
            }
            if !character.is_alphanumeric() {
                // A mark of an accent that has no composed form belongs to its letter.
                inside &= unicode_normalization::char::is_combining_mark(character);
                continue;
            }
            if !inside || is_written_without_spaces(character) {
                words.starts.push(words.letters.len());
            }
            inside = true;
            words.letters.push(character);
        }
        words
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// The share of this quote, in letters, that `chunk` holds: all of it anywhere, a part of it only at the end or the
    /// start of the chunk, where a border cut it, or as the whole chunk.
    fn share_in(&self, chunk: &Self) -> f64 {
        if chunk.is_empty() || self.is_empty() {
            return 0.0;
        }
        let (quote, text) = (&self.letters, &chunk.letters);
        let ends = || chunk.starts.iter().skip(1).copied().chain([text.len()]);
        let ends_a_word = |at: usize| at == text.len() || chunk.starts.binary_search(&at).is_ok();
        let is_whole = |start: &usize| text[*start..].starts_with(quote) && ends_a_word(start + quote.len());
        if chunk.starts.iter().any(is_whole) {
            return 1.0;
        }
        let begins_it = |start: usize| quote.starts_with(&text[start..]).then_some(text.len() - start);
        let at_the_end = chunk.starts.iter().filter(|start| text.len() - **start < quote.len());
        let at_the_end = at_the_end.filter_map(|start| begins_it(*start)).max();
        let at_the_start = ends().filter(|end| *end < quote.len() && quote.ends_with(&text[..*end])).max();
        let inside =
            (text.len() < quote.len() && quote.windows(text.len()).any(|part| part == text)).then_some(text.len());
        let longest = at_the_end.max(at_the_start).max(inside).unwrap_or(0);
        longest as f64 / quote.len() as f64
    }
}

/// Scripts in which nothing stands between two words: each character counts as one.
fn is_written_without_spaces(character: char) -> bool {
    matches!(u32::from(character),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff
        | 0x20000..=0x3ffff)
}

/// The text without HTML tags and the targets of Markdown links, with words joined that a line end cut.
fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let skipped = match character {
            '<' => tag(rest),
            ']' if rest.starts_with("](") => {
                rest.find(')').filter(|end| !rest[..*end].contains('\n')).map(|end| end + 1)
            }
            '-' | '\u{2010}' | '\u{ad}' => cut_word(&plain, rest),
            '&' => entity(rest).map(|(length, meaning)| {
                plain.push(meaning);
                length
            }),
            _ => None,
        };
        let length = skipped.unwrap_or_else(|| {
            plain.push(character);
            character.len_utf8()
        });
        rest = &rest[length..];
    }
    plain
}

/// The length of the tag that a text begins with; a tag that stands between two words parts them, one inside does not.
fn tag(rest: &str) -> Option<usize> {
    let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
    let end = rest.find('>').filter(|end| *end < 1000)?;
    is_tag.then_some(end + 1)
}

/// The length of a hyphen and the line end behind it, where a word goes on in the next line.
fn cut_word(before: &str, rest: &str) -> Option<usize> {
    let after_hyphen = &rest[rest.chars().next()?.len_utf8()..];
    let next = after_hyphen.trim_start_matches([' ', '\t', '\r']);
    let line = next.strip_prefix('\n')?.trim_start();
    let goes_on = before.ends_with(char::is_alphabetic) && line.starts_with(char::is_lowercase);
    goes_on.then_some(rest.len() - line.len())
}

fn entity(rest: &str) -> Option<(usize, char)> {
    const ENTITIES: [(&str, char); 7] = [
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&#39;", '\''),
        ("&apos;", '\''),
        ("&nbsp;", ' '),
    ];
    ENTITIES.iter().find(|(name, _)| rest.starts_with(name)).map(|(name, meaning)| (name.len(), *meaning))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(quote: &str, chunk: &str) -> f64 {
        Words::of(quote).share_in(&Words::of(chunk))
    }

    fn is_whole(quote: &str, chunk: &str) -> bool {
        share(quote, chunk) > 0.999
    }

    #[test]
    fn what_a_parser_changes_does_not_matter() {
        let quote = "You’ll have 30 days – after “delivery” – to return it.";
        for chunk in [
            "x you'll HAVE 30\n  days after delivery to return it y",
            "<p>You&#39;ll have <b>30&nbsp;days</b> after <i>\"delivery\"</i> to return it</p>",
            "**You’ll have [30 days](https://example.org/30-nights) after** _delivery_ to return it",
            "you’ll have 30 days after deliv-\n  ery to re\u{ad}turn it",
            "| You'll have | 30 days | after delivery | to return it |",
        ] {
            assert!(is_whole(quote, chunk), "{chunk}: {}", share(quote, chunk));
        }
        assert!(is_whole("ﬁnal café 日本語の", "FINAL cafe\u{301} 日本語の文"));
    }

    #[test]
    fn words_are_whole_words() {
        assert!(share("ten days", "often days pass") < 0.001);
        assert!(share("30 day", "30 days") < 0.999);
    }

    #[test]
    fn a_border_may_cut_a_quote_and_the_middle_may_not() {
        let quote = "within thirty days of delivery";
        let letters = 26.0;
        let near = |chunk: &str, part: f64| {
            let share = share(quote, chunk);
            assert!((share - part / letters).abs() < 1e-9, "{chunk}: {share}");
        };
        near("You can return it within thirty days", 16.0);
        near("You can return it within thirty da", 14.0);
        near("days of delivery. Then we refund.", 14.0);
        near("irty days of delivery. Then we refund.", 18.0);
        near("thirty days of", 12.0);
        near("within thirty days of the order", 0.0);
        near("within fourteen days of delivery is common", 0.0);
    }

    #[test]
    fn a_passage_may_name_its_document() {
        let grade = Grade::new(2).unwrap();
        let passage = Passage::new("thirty  days", Some(DocumentId::new("returns")), grade).unwrap();
        let words = Words::of("In thirty days.");
        assert!(passage.is_held_by(&DocumentId::new("returns"), &words, OVERLAP));
        assert!(!passage.is_held_by(&DocumentId::new("faq"), &words, OVERLAP));
        assert_eq!(passage.name.as_str(), "returns “thirty days”");
        assert!(Passage::new("…!", None, grade).is_none());
    }
}
