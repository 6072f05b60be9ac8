//! Metrics: each is one value that knows its name, its definition and how to score a ranking.
//!
//! A new metric is a file here with one function, a variant of [`Metric`] and a line in each of the tables below.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::fmt;
use std::str::FromStr;

use crate::diagnostic::nearest;

mod abstention;
mod average_precision;
mod graded;
mod hit;
mod judged;
mod ndcg;
mod precision;
mod recall;
mod reciprocal_rank;

pub use abstention::abstained;
pub use graded::{GradedRanking, Held, Place};

/// A measure of one ranking; its text form (`recall@10`) is its identity in configuration, reports and JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Judged-relevant documents in the first k results / all judged-relevant.
    Recall(usize),
    /// 1/place of the first relevant result within k, else 0; without k over the whole depth.
    ReciprocalRank(Option<usize>),
    /// Discounted cumulative gain over that of the ideal ranking, gain 2^grade − 1, both cut at k.
    Ndcg(usize),
    /// Relevant documents in the first k results / k.
    Precision(usize),
    /// 1 where at least one of the first k results is relevant, else 0.
    Hit(usize),
    /// Mean precision at the places of the relevant documents, over min(R, k).
    AveragePrecision(usize),
    /// Share of the first k places whose document has a judgment.
    Judged(usize),
    /// 1 where the pipeline rightly found nothing; the only metric of unanswerable queries.
    Abstention,
}

/// The names a user may write before `@`, and what each needs.
const NAMES: [&str; 8] = ["recall", "mrr", "ndcg", "precision", "hit", "ap", "judged", "abstention"];

impl Metric {
    /// The cut-off, in results; `None` for metrics without one.
    #[must_use]
    pub fn cutoff(self) -> Option<usize> {
        match self {
            Self::Recall(k)
            | Self::Ndcg(k)
            | Self::Precision(k)
            | Self::Hit(k)
            | Self::AveragePrecision(k)
            | Self::Judged(k) => Some(k),
            Self::ReciprocalRank(k) => k,
            Self::Abstention => None,
        }
    }

    /// The score of an answerable query, in `0..=1`.
    ///
    /// [`Metric::Abstention`] is not about answerable queries and has no score here; see [`abstained`].
    #[must_use]
    pub fn score(self, ranking: &GradedRanking) -> Option<f64> {
        Some(match self {
            Self::Recall(k) => recall::recall(ranking, k),
            Self::ReciprocalRank(k) => reciprocal_rank::reciprocal_rank(ranking, k),
            Self::Ndcg(k) => ndcg::ndcg(ranking, k),
            Self::Precision(k) => precision::precision(ranking, k),
            Self::Hit(k) => hit::hit(ranking, k),
            Self::AveragePrecision(k) => average_precision::average_precision(ranking, k),
            Self::Judged(k) => judged::judged(ranking, k),
            Self::Abstention => return None,
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Recall(_) => "recall",
            Self::ReciprocalRank(_) => "mrr",
            Self::Ndcg(_) => "ndcg",
            Self::Precision(_) => "precision",
            Self::Hit(_) => "hit",
            Self::AveragePrecision(_) => "ap",
            Self::Judged(_) => "judged",
            Self::Abstention => "abstention",
        };
        match self.cutoff() {
            Some(k) => write!(f, "{name}@{k}"),
            None => f.write_str(name),
        }
    }
}

impl FromStr for Metric {
    type Err = String;

    /// Reads `recall@10`, `mrr`, `abstention`, …; the error says what is wrong and what was probably meant.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, cutoff) = match text.split_once('@') {
            Some((name, cutoff)) => (name, Some(cutoff)),
            None => (text, None),
        };
        if !NAMES.contains(&name) {
            return Err(unknown_name(text, name, cutoff));
        }
        let k = match cutoff {
            None => None,
            Some(digits) => Some(parse_cutoff(text, name, digits)?),
        };
        match (name, k) {
            ("abstention", None) => Ok(Self::Abstention),
            ("abstention", Some(_)) => Err(format!("metric `{text}` takes no cut-off; write `abstention`")),
            ("mrr", k) => Ok(Self::ReciprocalRank(k)),
            (name, None) => Err(format!("metric `{text}` needs a cut-off; write for example `{name}@10`")),
            ("recall", Some(k)) => Ok(Self::Recall(k)),
            ("ndcg", Some(k)) => Ok(Self::Ndcg(k)),
            ("precision", Some(k)) => Ok(Self::Precision(k)),
            ("hit", Some(k)) => Ok(Self::Hit(k)),
            ("ap", Some(k)) => Ok(Self::AveragePrecision(k)),
            (_, Some(k)) => Ok(Self::Judged(k)),
        }
    }
}

fn parse_cutoff(text: &str, name: &str, digits: &str) -> Result<usize, String> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse() {
        Ok(k) if plain && k > 0 => Ok(k),
        _ => Err(format!(
            "metric `{text}`: the cut-off after `@` must be a whole number from 1; write for example `{name}@10`"
        )),
    }
}

fn unknown_name(text: &str, name: &str, cutoff: Option<&str>) -> String {
    let suffix = cutoff.filter(|digits| !digits.is_empty()).map(|digits| format!("@{digits}")).unwrap_or_default();
    let hint = match nearest(name, &NAMES) {
        Some(known) => format!("did you mean `{known}{suffix}`?"),
        None => format!(
            "known metrics: {} (with `@k` but for `mrr`, where it is optional, and `abstention`)",
            NAMES.join(", ")
        ),
    };
    format!("unknown metric `{text}`; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for text in
            ["recall@10", "mrr", "mrr@10", "ndcg@5", "precision@1", "hit@3", "ap@100", "judged@10", "abstention"]
        {
            assert_eq!(text.parse::<Metric>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_say_what_was_probably_meant() {
        for (text, wanted) in [
            ("recall@", "write for example `recall@10`"),
            ("recall", "needs a cut-off"),
            ("recall@0", "whole number from 1"),
            ("recall@+5", "whole number from 1"),
            ("recall@1.5", "whole number from 1"),
            ("recall@99999999999999999999999", "whole number from 1"),
            ("recal@10", "did you mean `recall@10`?"),
            ("nDCG@10", "did you mean `ndcg@10`?"),
            ("abstention@5", "takes no cut-off"),
            ("bleu", "known metrics: recall"),
            ("", "known metrics: recall"),
        ] {
            let error = text.parse::<Metric>().unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}
