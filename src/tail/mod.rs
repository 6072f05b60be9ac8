//! What failing queries have in common: every trait of a query, tested against the queries without it.
//!
//! A new trait is a function and a line in [`traits::TRAITS`].
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use crate::comparison::{ComparedQuery, Comparison};
use crate::id::QueryId;
use crate::metrics::Metric;
use crate::statistics::{Table, holm};
use crate::verdict::SAME;

pub mod corpus;
pub mod language;
pub mod traits;
pub mod words;

pub use corpus::Texts;
use traits::{Subject, TRAITS};

/// Smaller groups are not tested: nothing could be shown, and every test costs the others power.
const SMALLEST_GROUP: usize = 3;
/// The chance of one false finding among all, per outcome.
const ALPHA: f64 = 0.05;
/// The chance at which a single trait is worth a look although the correction does not let it pass.
const SUSPICION: f64 = 0.05;
/// Suspicions kept.
const SUSPICIONS: usize = 3;

/// What happened to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing relevant within reach now.
    FindsNothing,
    /// A gated metric fell since the baseline.
    GotWorse,
}

impl Outcome {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FindsNothing => "finds_nothing",
            Self::GotWorse => "got_worse",
        }
    }

    /// The verb for so many queries.
    fn verb(self, queries: usize) -> &'static str {
        match self {
            Self::FindsNothing if queries == 1 => "finds nothing",
            Self::FindsNothing => "find nothing",
            Self::GotWorse => "got worse",
        }
    }
}

/// A group of queries that has an outcome more often than the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which outcome.
    pub outcome: Outcome,
    /// What the group has in common, such as `with an acronym`.
    pub group: String,
    /// How often the outcome is in the group and in the rest.
    pub table: Table,
    /// Fisher's exact test, one-sided.
    pub p_value: f64,
    /// The same, corrected for all traits tested with this outcome (Holm).
    pub p_adjusted: f64,
    /// The queries of the group that have the outcome, by id.
    pub queries: Vec<QueryId>,
}

impl Finding {
    /// Whether it holds with the correction for all traits that were looked at.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.p_adjusted <= ALPHA
    }

    /// One sentence for people, not yet escaped.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Table { with, group, .. } = self.table;
        let share = if with == group { format!("all {group}") } else { format!("{with} of the {group}") };
        let share = if self.is_shown() { capitalised(&share) } else { format!("Unproven: {share}") };
        format!(
            "{share} queries {} {}; of the rest {:.0} %.",
            self.group,
            self.outcome.verb(with),
            self.table.rest_share() * 100.0
        )
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// What was found, and how much was looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Findings and then suspicions of each outcome, the strongest first.
    pub findings: Vec<Finding>,
    /// How many traits were tested with each outcome.
    pub tested: BTreeMap<Outcome, usize>,
}

/// Tests every trait of the answerable queries; `reach` is how many results count for [`Outcome::FindsNothing`], `gated`
/// the metrics for [`Outcome::GotWorse`].
#[must_use]
pub fn analyse(comparison: &Comparison<'_>, reach: usize, gated: &[Metric], texts: &Texts) -> Analysis {
    let answered: Vec<&ComparedQuery<'_>> =
        comparison.queries.iter().filter(|query| !query.query.unanswerable && query.current.is_some()).collect();
    let groups: Vec<Groups> = answered.iter().map(|query| groups_of(&Subject::new(query.query, texts))).collect();
    let mut analysis = Analysis::default();
    let finds_nothing = |query: &&ComparedQuery<'_>| query.current.as_ref().map(|side| is_empty(side, reach));
    let got_worse = |query: &&ComparedQuery<'_>| {
        query.is_paired().then(|| gated.iter().any(|metric| query.delta(*metric).is_some_and(|delta| delta < -SAME)))
    };
    let outcomes: [(Outcome, Vec<Option<bool>>); 2] = [
        (Outcome::FindsNothing, answered.iter().map(finds_nothing).collect()),
        (Outcome::GotWorse, answered.iter().map(got_worse).collect()),
    ];
    for (outcome, has) in outcomes {
        let rows: Vec<Row<'_>> = answered
            .iter()
            .zip(&groups)
            .zip(has)
            .filter_map(|((query, groups), has)| Some(Row { id: &query.query.id, groups, has: has? }))
            .collect();
        let (findings, tested) = test(outcome, &rows);
        analysis.findings.extend(findings);
        analysis.tested.insert(outcome, tested);
    }
    analysis
}

fn is_empty(side: &crate::comparison::Side<'_>, reach: usize) -> bool {
    match side.scores.get(&Metric::Recall(reach)) {
        // A query that finds something in one of several repeats is not in the tail.
        Some(score) => *score <= 0.0,
        None => side.graded().found_in(reach) == 0,
    }
}

/// For each trait the groups that a query belongs to, `None` where that cannot be told.
type Groups = Vec<Option<Vec<String>>>;

fn groups_of(subject: &Subject<'_>) -> Groups {
    TRAITS.iter().map(|of| of(subject)).collect()
}

/// A query with what is known of it.
struct Row<'a> {
    id: &'a QueryId,
    groups: &'a Groups,
    has: bool,
}

fn test(outcome: Outcome, rows: &[Row<'_>]) -> (Vec<Finding>, usize) {
    let mut findings: Vec<Finding> = Vec::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for index in 0..TRAITS.len() {
        let known: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].groups[index].is_some()).collect();
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for row in &known {
            for group in rows[*row].groups[index].iter().flatten() {
                groups.entry(group).or_default().push(*row);
            }
        }
        for (group, own) in groups {
            // Two names for the same queries would be one finding told twice.
            if own.len() < SMALLEST_GROUP || own.len() == known.len() || members.contains(&own) {
                continue;
            }
            let with = own.iter().filter(|row| rows[**row].has).count();
            let all_with = known.iter().filter(|row| rows[**row].has).count();
            let (group_size, rest) = (own.len(), known.len() - own.len());
            let table = Table { with, group: group_size, rest_with: all_with - with, rest };
            findings.push(Finding {
                outcome,
                group: group.to_owned(),
                table,
                p_value: table.p_more_often(),
                p_adjusted: 1.0,
                queries: own.iter().filter(|row| rows[**row].has).map(|row| rows[*row].id.clone()).collect(),
            });
            members.push(own);
        }
    }
    let tested = findings.len();
    let adjusted = holm(&findings.iter().map(|finding| finding.p_value).collect::<Vec<_>>());
    for (finding, p_adjusted) in findings.iter_mut().zip(adjusted) {
        finding.p_adjusted = p_adjusted;
    }
    findings.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
    let shown = findings.iter().filter(|finding| finding.is_shown()).count();
    findings.retain(|finding| finding.p_value <= SUSPICION);
    findings.truncate(shown + SUSPICIONS);
    (findings, tested)
}

#[cfg(test)]
mod tests;
