//! The traits of a query that are tested.
#![expect(clippy::unnecessary_wraps, reason = "every trait has the same signature")]

use super::corpus::{self, Texts};
use super::language::{self, Language};
use super::words::{Vocabulary, words};
use crate::golden::{PINNED, Query};

/// At most so many words are a short query.
const SHORT: usize = 3;
/// At least so many are a long one.
const LONG: usize = 12;
/// Letters of a word that can be missed in the corpus; shorter ones say little.
const SHORTEST_WORD: usize = 4;

/// A query with what the traits look at.
#[derive(Debug)]
pub struct Subject<'a> {
    query: &'a Query,
    words: Vec<String>,
    language: Option<&'static Language>,
    /// The texts of the best documents of the query, those that are at hand.
    right: Vec<&'a str>,
    vocabulary: Option<&'a Vocabulary>,
}

impl<'a> Subject<'a> {
    /// Looks up what is known of the query's documents.
    #[must_use]
    pub fn new(query: &'a Query, texts: &'a Texts) -> Self {
        let best = query.judgments.relevant().map(|(_, grade)| grade).max();
        let documents = query.judgments.relevant().filter(|(_, grade)| Some(*grade) == best);
        Self {
            words: words(&query.text),
            language: language::detect(&query.text),
            right: documents.filter_map(|(document, _)| texts.text(document)).collect(),
            vocabulary: texts.vocabulary(),
            query,
        }
    }

    /// The words that carry the question.
    fn content(&self) -> impl Iterator<Item = &str> {
        let common = |word: &str| language::LANGUAGES.iter().any(|language| language.is_common(word));
        self.words.iter().map(String::as_str).filter(move |word| !common(word))
    }

    /// Words of the question, without digits, that no document has.
    fn absent(&self) -> Option<Vec<&str>> {
        let vocabulary = self.vocabulary?;
        let is_word = |word: &&str| {
            word.chars().count() >= SHORTEST_WORD && word.chars().all(char::is_alphabetic) && !vocabulary.has(word)
        };
        Some(self.content().filter(is_word).collect())
    }

    /// The share of the words that carry the question which one of the right documents has; the best of them counts.
    fn shared(&self) -> Option<f64> {
        let content: Vec<&str> = self.content().collect();
        let share = |text: &&str| {
            let known = Vocabulary::new([*text]);
            content.iter().filter(|word| known.has(word)).count() as f64 / content.len() as f64
        };
        let best = self.right.iter().map(share).fold(0.0, f64::max);
        (!content.is_empty() && !self.right.is_empty()).then_some(best)
    }
}

/// The groups a query belongs to by one trait, each as the end of "queries …"; `None` where that cannot be told, so that
/// the query is in no group and not among the rest either.
pub type Trait = fn(&Subject<'_>) -> Option<Vec<String>>;

/// Every trait.
pub const TRAITS: &[Trait] = &[
    tags,
    source,
    spoken,
    length,
    acronym,
    code,
    negation,
    question,
    misspelling,
    absent_word,
    shared_words,
    kind_of_document,
    language_of_document,
];

fn group(is_in: bool, name: &str) -> Vec<String> {
    if is_in { vec![name.to_owned()] } else { Vec::new() }
}

fn tags(subject: &Subject<'_>) -> Option<Vec<String>> {
    let own = subject.query.tags.iter().filter(|tag| *tag != PINNED);
    Some(own.map(|tag| format!("tagged `{tag}`")).collect())
}

fn source(subject: &Subject<'_>) -> Option<Vec<String>> {
    Some(vec![format!("from `{}`", subject.query.source.as_ref()?)])
}

fn spoken(subject: &Subject<'_>) -> Option<Vec<String>> {
    Some(vec![format!("in {}", subject.language?.name)])
}

fn length(subject: &Subject<'_>) -> Option<Vec<String>> {
    let short = group(subject.words.len() <= SHORT, "of at most three words");
    Some([short, group(subject.words.len() >= LONG, "of twelve words or more")].concat())
}

/// Two capitals or more in a row, where not all of the text is in capitals.
fn acronym(subject: &Subject<'_>) -> Option<Vec<String>> {
    let shouted = !subject.query.text.chars().any(char::is_lowercase);
    let is_acronym = |word: &str| {
        let letters = word.chars().filter(|character| character.is_alphabetic());
        let (count, all) = letters.fold((0, true), |(count, all), letter| (count + 1, all && letter.is_uppercase()));
        all && (2..=6).contains(&count)
    };
    let parts = subject.query.text.split(|character: char| !character.is_alphanumeric());
    let has = parts.into_iter().any(is_acronym);
    let only = subject.words.len() == 1;
    (!shouted || only).then(|| group(has, "with an acronym"))
}

fn code(subject: &Subject<'_>) -> Option<Vec<String>> {
    let has_digit = subject.query.text.chars().any(|character| character.is_ascii_digit());
    Some(group(has_digit, "with a number or a code"))
}

fn negation(subject: &Subject<'_>) -> Option<Vec<String>> {
    // A short text may hold no other word of its language.
    let negates = match subject.language {
        Some(language) => language.negates(&subject.words),
        None => language::LANGUAGES.iter().any(|language| language.negates(&subject.words)),
    };
    Some(group(negates, "with a negation"))
}

fn question(subject: &Subject<'_>) -> Option<Vec<String>> {
    let asks = subject.query.text.contains(['?', '？', '¿'])
        || language::LANGUAGES.iter().any(|language| language.asks(&subject.words));
    Some(vec![if asks { "that are questions" } else { "that are no questions" }.to_owned()])
}

fn misspelling(subject: &Subject<'_>) -> Option<Vec<String>> {
    let vocabulary = subject.vocabulary?;
    let is_near = subject.absent()?.iter().any(|word| vocabulary.near(word).is_some());
    Some(group(is_near, "with a word that is probably misspelt"))
}

fn absent_word(subject: &Subject<'_>) -> Option<Vec<String>> {
    Some(group(!subject.absent()?.is_empty(), "with a word that no document has"))
}

fn shared_words(subject: &Subject<'_>) -> Option<Vec<String>> {
    let shared = subject.shared()?;
    let none = group(shared <= 0.0, "that share no word with their document");
    Some([none, group(shared < 0.5, "that share less than half of their words with their document")].concat())
}

fn kind_of_document(subject: &Subject<'_>) -> Option<Vec<String>> {
    let (first, rest) = subject.right.split_first()?;
    // What is said must hold for each of the documents that answer.
    let mut kinds = corpus::kinds(first);
    kinds.retain(|kind| rest.iter().all(|text| corpus::kinds(text).contains(kind)));
    Some(kinds.iter().map(|kind| format!("whose document is or has {kind}")).collect())
}

fn language_of_document(subject: &Subject<'_>) -> Option<Vec<String>> {
    let language = corpus::language(subject.right.first()?)?;
    let other = subject.language.is_some_and(|own| own.name != language.name);
    let same = vec![format!("whose document is in {}", language.name)];
    Some([same, group(other, "in another language than their document")].concat())
}
