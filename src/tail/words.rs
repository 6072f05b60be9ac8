//! Words of a text, and whether a vocabulary has one.

use std::collections::BTreeSet;

/// Endings that make forms of one word: two words that differ only in these are taken for the same. A rough stemmer for
/// the languages of [`super::language`]; it has to be right about most words, not about all.
const ENDINGS: [&str; 40] = [
    "", "s", "es", "ed", "d", "ing", "er", "ers", "y", "ies", "ied", "e", "en", "n", "r", "a", "as", "o", "os", "i",
    "is", "x", "aux", "ar", "ir", "ado", "ada", "ent", "ez", "te", "t", "em", "ern", "st", "ly", "al", "ally", "ment",
    "ion", "ions",
];

/// Letters that two forms of one word share at the least.
const SHORTEST_STEM: usize = 4;

/// The words of a text in lower case, in order; a word is letters and digits, with marks inside it.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '\'' | '’' | '-' | '_');
    text.split(|character: char| !is_part(character))
        .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Every word of some texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary(BTreeSet<String>);

impl Vocabulary {
    /// The words of `texts`, those with marks inside also in their parts.
    #[must_use]
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = BTreeSet::new();
        for word in texts.into_iter().flat_map(words) {
            let parts = word.split(|character: char| !character.is_alphanumeric()).filter(|part| !part.is_empty());
            all.extend(parts.map(str::to_owned));
            all.insert(word);
        }
        Self(all)
    }

    /// Whether it has the word or another form of it.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.0.contains(word) || self.forms(word)
    }

    fn forms(&self, word: &str) -> bool {
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let shortest = ends.get(SHORTEST_STEM).copied().unwrap_or(usize::MAX);
        ends.iter().rev().filter(|end| **end >= shortest && ENDINGS.contains(&&word[**end..])).any(|end| {
            let stem = &word[..*end];
            let same = self.0.range(stem.to_owned()..).take_while(|known| known.starts_with(stem));
            same.take(1_000).any(|known| ENDINGS.contains(&&known[*end..]))
        })
    }

    /// A word that `word` may have been meant to be: one letter or two neighbours away.
    #[must_use]
    pub fn near(&self, word: &str) -> Option<&str> {
        let first = word.chars().next()?;
        let length = word.chars().count();
        if length < SHORTEST_STEM {
            return None;
        }
        let same_start = self.0.range(first.to_string()..).take_while(|known| known.starts_with(first));
        let alike = |known: &&String| {
            known.chars().count().abs_diff(length) <= 1 && strsim::damerau_levenshtein(known, word) == 1
        };
        same_start.map(|known| known as &String).find(alike).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_marks_and_lose_the_others() {
        assert_eq!(words("¿Can't log-in, (RMA-42)?  --"), ["can't", "log-in", "rma-42"]);
    }

    #[test]
    fn another_form_is_the_same_word_and_a_misspelling_is_not() {
        let known = Vocabulary::new(["Delivery of curtains; pick-up, devoluciones"]);
        for word in ["delivery", "deliveries", "delivered", "curtain", "pick", "pick-up", "devolucion"] {
            assert!(known.has(word), "{word}");
        }
        for word in ["delivry", "curtins", "sofa", "del"] {
            assert!(!known.has(word), "{word}");
        }
        assert_eq!(known.near("delivry"), Some("delivery"));
        assert_eq!(known.near("curtians"), Some("curtains"), "neighbours swapped");
        assert_eq!(known.near("sofa"), None);
    }
}
