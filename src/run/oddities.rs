//! What is odd in answers although each of them is well formed.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeSet;

use super::{Ranking, Run};
use crate::id::QueryId;
use crate::pipeline::names;
use crate::verdict::counted;

/// A share of queries, from which on padding is a habit and no accident.
const HABIT: f64 = 0.1;

/// A sentence on each habit that makes scores mean less than they seem to; `min_score` is that of the configuration.
#[must_use]
pub fn oddities(run: &Run, min_score: Option<f64>) -> Vec<String> {
    let with = |is_odd: fn(&Ranking) -> bool| -> Vec<&QueryId> {
        run.iter().filter(|(_, repeats)| repeats.iter().any(is_odd)).map(|(query, _)| query).collect()
    };
    let mut sentences = Vec::new();
    let doubled = with(is_doubled);
    if !doubled.is_empty() {
        sentences.push(format!(
            "Answered with the same result twice: {} ({}). The second one keeps its place and earns nothing; does the index \
             hold it twice?",
            counted(doubled.len(), "query", "queries"),
            names(doubled)
        ));
    }
    let padded = with(is_padded);
    if min_score.is_none() && padded.len() as f64 > HABIT * run.len() as f64 {
        sentences.push(format!(
            "Filled up with results scored 0 behind better ones: {} ({}). They look like finds; `min_score: 0` lets \
             `abstention` see through them.",
            counted(padded.len(), "query", "queries"),
            names(padded)
        ));
    }
    sentences
}

fn is_doubled(ranking: &Ranking) -> bool {
    let ids: BTreeSet<_> = ranking.iter().map(|result| &result.id).collect();
    ids.len() < ranking.len()
}

fn is_padded(ranking: &Ranking) -> bool {
    let score = |index: usize| ranking.get(index).and_then(|result| result.score);
    score(0).is_some_and(|best| best > 0.0) && ranking.len() > 1 && score(ranking.len() - 1) == Some(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::jsonl::parse_run;

    #[test]
    fn padding_and_doubles_are_named() {
        let text = "{\"id\":\"a\",\"results\":[{\"id\":\"x\",\"score\":2},{\"id\":\"y\",\"score\":0}]}\n{\"id\":\"b\",\"results\":[\"x\",\"x\"]}\n{\"id\":\"c\",\"results\":[{\"id\":\"x\",\"score\":0}]}\n";
        let run = parse_run(text).unwrap();
        let said = oddities(&run, None);
        assert!(said[0].contains("1 query (`b`)") && said[1].contains("1 query (`a`)"), "{said:?}");
        assert_eq!(oddities(&run, Some(0.0)).len(), 1);
    }
}
