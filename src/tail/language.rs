//! The language of a short text by its most common words, and the small words that change what is asked.

use super::words::words;

/// A language with its words.
#[derive(Debug)]
pub struct Language {
    /// Its English name.
    pub name: &'static str,
    /// Frequent words that say little and that its neighbours do not share.
    common: &'static [&'static str],
    /// Words that negate.
    negations: &'static [&'static str],
    /// Words that start a question.
    questions: &'static [&'static str],
}

/// The languages that can be told apart.
pub const LANGUAGES: [Language; 7] = [
    Language {
        name: "English",
        common: &[
            "the", "is", "are", "my", "to", "of", "and", "for", "can", "do", "does", "i", "it", "with", "from", "you",
            "your", "at", "be", "have", "has", "an", "will", "was", "this", "that", "by",
        ],
        negations: &[
            "not", "no", "never", "without", "nor", "none", "cannot", "can't", "don't", "doesn't", "isn't", "won't",
            "except", "didn't", "aren't", "wasn't",
        ],
        questions: &["how", "what", "when", "where", "who", "which", "why", "whose", "can", "do", "does", "is", "are"],
    },
    Language {
        name: "Spanish",
        common: &[
            "el", "los", "las", "del", "y", "mi", "es", "para", "con", "por", "una", "se", "lo", "al", "está", "tengo",
            "puedo", "su", "hay", "si", "más",
        ],
        negations: &["sin", "nunca", "ni", "ningún", "ninguna", "nada", "jamás", "excepto"],
        questions: &[
            "cómo", "qué", "cuándo", "dónde", "quién", "cuál", "cuánto", "cuánta", "cuántos", "cuántas", "puedo", "hay",
        ],
    },
    Language {
        name: "French",
        common: &[
            "le", "les", "des", "du", "et", "mon", "ma", "est", "pour", "avec", "par", "une", "je", "il", "au", "dans",
            "sur", "ce", "mes", "vous",
        ],
        negations: &["pas", "sans", "jamais", "ne", "aucun", "aucune", "rien", "sauf", "non"],
        questions: &[
            "comment", "quoi", "quand", "où", "qui", "quel", "quelle", "quels", "quelles", "combien", "pourquoi",
        ],
    },
    Language {
        name: "German",
        common: &[
            "der", "die", "das", "und", "ist", "ich", "mein", "meine", "für", "mit", "von", "ein", "eine", "den",
            "dem", "zu", "auf", "im", "kann", "wird",
        ],
        negations: &["nicht", "kein", "keine", "keinen", "ohne", "nie", "niemals", "außer"],
        questions: &["wie", "was", "wann", "wo", "wer", "welche", "welcher", "welches", "warum", "wieviel", "kann"],
    },
    Language {
        name: "Italian",
        common: &[
            "il", "gli", "della", "e", "mio", "per", "con", "di", "che", "è", "nel", "una", "sono", "ho", "posso",
        ],
        negations: &["non", "senza", "mai", "nessun", "nessuna", "niente", "né", "tranne"],
        questions: &["come", "cosa", "quando", "dove", "chi", "quale", "quali", "quanto", "quanti", "perché", "posso"],
    },
    Language {
        name: "Portuguese",
        common: &[
            "o", "os", "da", "do", "dos", "meu", "minha", "para", "com", "por", "uma", "em", "não", "são", "posso",
        ],
        negations: &["não", "sem", "nunca", "nem", "nenhum", "nenhuma", "nada", "exceto"],
        questions: &["como", "que", "quando", "onde", "quem", "qual", "quais", "quanto", "quantos", "porquê", "posso"],
    },
    Language {
        name: "Dutch",
        common: &[
            "het", "een", "en", "mijn", "voor", "met", "van", "ik", "dat", "op", "te", "zijn", "kan", "er", "naar",
        ],
        negations: &["niet", "geen", "zonder", "nooit", "behalve"],
        questions: &["hoe", "wat", "wanneer", "waar", "wie", "welke", "waarom", "hoeveel", "kan"],
    },
];

impl Language {
    /// Whether one of `text`'s words negates in this language.
    #[must_use]
    pub fn negates(&self, text: &[String]) -> bool {
        text.iter().any(|word| self.negations.contains(&word.as_str()))
    }

    /// Whether the text starts as a question does.
    #[must_use]
    pub fn asks(&self, text: &[String]) -> bool {
        text.iter().take(2).any(|word| self.questions.contains(&word.as_str()))
    }

    /// Whether the word says little by itself.
    #[must_use]
    pub fn is_common(&self, word: &str) -> bool {
        [self.common, self.negations, self.questions].iter().any(|list| list.contains(&word))
    }
}

/// The language with most of its small words in `text`; `None` where there is none of them, or two have as many.
#[must_use]
pub fn detect(text: &str) -> Option<&'static Language> {
    let words = words(text);
    let count = |language: &Language| words.iter().filter(|word| language.is_common(word)).count();
    let counts: Vec<usize> = LANGUAGES.iter().map(count).collect();
    let most = *counts.iter().max()?;
    let mut best = counts.iter().enumerate().filter(|(_, count)| **count == most);
    let (index, _) = best.next()?;
    (most > 0 && best.next().is_none()).then(|| &LANGUAGES[index])
}

/// The language of most of `texts`, as a lower-case English name; `english` where none can be told.
#[must_use]
pub fn most_common<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let found: Vec<&str> = texts.filter_map(detect).map(|language| language.name).collect();
    let count = |language: &&Language| found.iter().filter(|name| **name == language.name).count();
    // Of equals the first in the table.
    let best = LANGUAGES.iter().rev().max_by_key(count);
    best.map_or("english", |language| language.name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_a_language() {
        for (text, wanted) in [
            ("How many days do I have to return an order?", Some("English")),
            ("¿Cuántos días tengo para devolver un pedido con la tarjeta?", Some("Spanish")),
            ("Combien de jours pour retourner une commande avec mon compte ?", Some("French")),
            ("Wie lange kann ich das Sofa nicht zurückgeben", Some("German")),
            ("Quanto tempo ho per restituire il mio ordine?", Some("Italian")),
            ("RMA 4711", None),
        ] {
            assert_eq!(detect(text).map(|language| language.name), wanted, "{text}");
        }
        let text = words("Kann ich ohne Rechnung zurückgeben");
        assert!(LANGUAGES[3].negates(&text) && LANGUAGES[3].asks(&text) && !LANGUAGES[0].negates(&text));
    }
}
