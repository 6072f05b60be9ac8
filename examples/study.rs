//! How often five rules raise a false alarm, and how much they miss: the tables of docs/statistics.md.
//!
//! `cargo run --release --example study` prints them as Markdown, `… --example study -- picture` draws its picture; the
//! same seed gives the same numbers. The rows about
//! TREC systems need the per-topic scores of the TREC 2003 Robust track and are left out where those are not at hand.
#![allow(clippy::print_stdout, reason = "its output is a page")]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers in 0..1 become small places")]

use std::path::PathBuf;

use rayon::prelude::*;
use recall_gate::id::DocumentId;
use recall_gate::judgments::Grade;
use recall_gate::metrics::{GradedRanking, Metric, Place};
use recall_gate::statistics::{Candidate, Deltas, Sample, Side, Stream, outcomes, p_value, resampled_sums};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

const TRIALS: usize = 4_000;
const RESAMPLES: usize = 2_000;
const SEED: u64 = 2026;
const RULES: [&str; 5] = ["percentile", "**ours**", "studentised", "paired t", "sign flip"];

/// A source of simulated deltas: trial number → one delta per query.
type Case = Box<dyn Fn(usize) -> Vec<f64> + Sync>;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("picture") {
        return print!("{}", picture());
    }
    println!("Type I error in percent, {TRIALS} simulations a cell (standard error at 5 %: 0.34, at 1 %: 0.16)\n");
    println!("| nothing changed | at | {} |", RULES.join(" | "));
    println!("| --- | --- | {}", "--- | ".repeat(RULES.len()).trim_end());
    for (name, case) in nulls() {
        let p_values = simulate(&case);
        for level in [0.05, 0.01] {
            println!("| {name} | {:.0} % | {} |", level * 100.0, shares(&p_values, level));
        }
    }
    println!("\nPower in percent at 5 %, {TRIALS} simulations a cell\n");
    println!("| a real drop | {} |", RULES.join(" | "));
    println!("| --- | {}", "--- | ".repeat(RULES.len()).trim_end());
    for (name, case) in drops() {
        println!("| {name} | {} |", shares(&simulate(&case), 0.05));
    }
    println!("\nrecall@10, mrr@10 and ndcg@10 as one family, computed from simulated rankings, in percent at 5 %\n");
    println!("| queries | nothing changed: ours | uncorrected | a drop of 5 points: ours | uncorrected |");
    println!("| --- | --- | --- | --- | --- |");
    for queries in [30, 100, 300] {
        let (null, raw) = family(queries, 0.0);
        let (power, raw_power) = family(queries, 0.05);
        println!("| {queries} | {null:.1} | {raw:.1} | {power:.1} | {raw_power:.1} |");
    }
}

/// Numbers in 0..1 of a trial.
fn fractions(name: &str, trial: usize, count: usize) -> Vec<f64> {
    Stream::named(SEED, &format!("{name} {trial}")).fractions(count).collect()
}

/// Deltas of 0/1 scores: lost with one chance, found with another.
fn flips(queries: usize, lost: f64, found: f64) -> Case {
    Box::new(move |trial| {
        let flip = |draw: f64| f64::from(u8::from(draw < found)) - f64::from(u8::from(draw >= 1.0 - lost));
        fractions("flips", trial, queries).into_iter().map(flip).collect()
    })
}

/// Deltas like those of nDCG: most queries are unchanged, the others move by a product of two uniform numbers; a drop
/// is a share of the queries that lose 0.4 besides.
fn graded(queries: usize, unchanged: f64, dropping: f64) -> Case {
    Box::new(move |trial| {
        let draws = fractions("graded", trial, queries * 5);
        let delta = |draws: &[f64]| {
            let size = if draws[0] < unchanged { 0.0 } else { draws[1] * draws[2] };
            let moved = if draws[3] < 0.5 { size } else { -size };
            (moved - if draws[4] < dropping { 0.4 } else { 0.0 }).clamp(-1.0, 1.0)
        };
        draws.chunks_exact(5).map(delta).collect()
    })
}

/// Recall with one to three relevant documents, each lost with a chance and, by noise, lost or found with another.
fn recall(queries: usize, lost: f64, noise: f64) -> Case {
    Box::new(move |trial| {
        let draws = fractions("recall", trial, queries * 7);
        let delta = |draws: &[f64]| {
            let relevant = 1 + usize::from(draws[0] > 1.0 / 3.0) + usize::from(draws[0] > 2.0 / 3.0);
            let moved = (0..relevant).map(|document| {
                let (hit, chance) = (draws[1 + 2 * document], draws[2 + 2 * document]);
                let by_noise = f64::from(u8::from(chance < noise)) - f64::from(u8::from(chance > 1.0 - noise));
                if hit < lost { -1.0 } else { by_noise }
            });
            moved.sum::<f64>() / relevant as f64
        };
        draws.chunks_exact(7).map(delta).collect()
    })
}

fn nulls() -> Vec<(String, Case)> {
    let mut cases: Vec<(String, Case)> = Vec::new();
    for queries in [30, 100, 300] {
        for rate in [0.04, 0.1, 0.3] {
            let name = format!("{:.0} % of {queries} queries flip", rate * 100.0);
            cases.push((name, flips(queries, rate / 2.0, rate / 2.0)));
        }
    }
    for queries in [50, 100] {
        for unchanged in [0.75, 0.9] {
            let name = format!("nDCG-like, {:.0} % of {queries} unchanged", unchanged * 100.0);
            cases.push((name, graded(queries, unchanged, 0.0)));
        }
    }
    cases.extend(trec());
    cases
}

fn drops() -> Vec<(String, Case)> {
    vec![
        ("100 queries, 5 % lost, no noise".into(), flips(100, 0.05, 0.0)),
        ("100 queries, 8 points, 2 % noise".into(), flips(100, 0.09, 0.01)),
        ("200 queries, 5 points, 2 % noise".into(), flips(200, 0.06, 0.01)),
        ("300 queries, 1–3 relevant, 5 points".into(), recall(300, 0.05, 0.01)),
        ("100 queries, nDCG-like, 75 % unchanged, 4 points".into(), graded(100, 0.75, 0.1)),
    ]
}

/// Pairs of real systems with their labels swapped at random, topic by topic, so that neither is better.
fn trec() -> Vec<(String, Case)> {
    let root = std::env::var_os("RECALL_GATE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let mut cases: Vec<(String, Case)> = Vec::new();
    for (file, metric) in [("ndcg10_exp", "nDCG@10"), ("recall20", "recall@20"), ("rr10", "RR@10")] {
        let path = root.join("data/per_topic").join(format!("robust03.{file}.tsv"));
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let topics: Vec<Vec<f64>> = text
            .lines()
            .skip(1)
            .map(|line| line.split('\t').skip(1).filter_map(|score| score.parse().ok()).collect())
            .collect();
        for queries in [50, 100] {
            let topics = topics.clone();
            let case = move |trial: usize| {
                let draws = fractions("trec", trial, 2 + 2 * queries);
                let systems = topics[0].len();
                let pick = |draw: f64, of: usize| ((draw * of as f64) as usize).min(of - 1);
                let (one, other) = (pick(draws[0], systems), pick(draws[1], systems - 1));
                let other = if other >= one { other + 1 } else { other };
                // Topics without replacement where the set is smaller than all of them: a random rotation and stride.
                let start = pick(draws[2], topics.len());
                (0..queries)
                    .map(|at| {
                        let topic = &topics[(start + at * 37) % topics.len()];
                        let delta = topic[one] - topic[other];
                        if draws[2 + queries + at] < 0.5 { delta } else { -delta }
                    })
                    .collect()
            };
            cases.push((format!("TREC systems, labels swapped, {metric}, {queries} topics"), Box::new(case)));
        }
    }
    cases
}

/// The p-value of every rule in every trial.
fn simulate(case: &Case) -> Vec<[f64; 5]> {
    (0..TRIALS).into_par_iter().map(|trial| p_values(&case(trial), trial)).collect()
}

fn shares(p_values: &[[f64; 5]], level: f64) -> String {
    let share = |rule: usize| p_values.iter().filter(|p| p[rule] <= level).count() as f64 / p_values.len() as f64;
    (0..RULES.len()).map(|rule| format!("{:.1}", share(rule) * 100.0)).collect::<Vec<_>>().join(" | ")
}

/// One-sided p-values of a drop, in the order of [`RULES`].
fn p_values(deltas: &[f64], trial: usize) -> [f64; 5] {
    let n = deltas.len() as f64;
    let sum: f64 = deltas.iter().sum();
    if sum >= 0.0 {
        return [1.0; 5];
    }
    let stream = Stream::named(SEED, &format!("resamples {trial}"));
    let units = Deltas::new(deltas.iter().copied());
    let resampled = resampled_sums(&[&units], stream, 0, RESAMPLES).pop().unwrap_or_default();
    let share = |count: usize| (1 + count) as f64 / (RESAMPLES + 1) as f64;
    let percentile = share(resampled.iter().filter(|sum| **sum >= -units.tolerance()).count());

    let t = |sum: f64, squares: f64| {
        let variance = (squares - sum * sum / n).max(0.0) / (n - 1.0);
        sum / n / (variance / n).sqrt()
    };
    let observed = t(sum, deltas.iter().map(|delta| delta * delta).sum());
    let studentised = (0..RESAMPLES).filter(|resample| {
        let mut sums = (0.0, 0.0);
        for index in stream.indices(*resample, deltas.len()) {
            let centred = deltas[index] - sum / n;
            sums = (sums.0 + centred, sums.1 + centred * centred);
        }
        t(sums.0, sums.1) <= observed + 1e-9
    });
    let paired = StudentsT::new(0.0, 1.0, n - 1.0).map_or(1.0, |t| t.cdf(observed));

    let moved: Vec<f64> = deltas.iter().copied().filter(|delta| *delta != 0.0).collect();
    let signs = Stream::named(SEED, &format!("signs {trial}"));
    let draws: Vec<f64> = signs.fractions(RESAMPLES * moved.len()).collect();
    let flipped = draws.chunks_exact(moved.len().max(1)).filter(|signs| {
        let flipped: f64 =
            moved.iter().zip(*signs).map(|(delta, sign)| if *sign < 0.5 { *delta } else { -delta }).sum();
        flipped <= sum + 1e-9
    });
    [percentile, p_value(&units, &resampled, Side::Drop), share(studentised.count()), paired, share(flipped.count())]
}

/// Share of trials, in percent, in which some metric of the family drops significantly, corrected and not.
fn family(queries: usize, drop: f64) -> (f64, f64) {
    let metrics = [Metric::Recall(10), Metric::ReciprocalRank(Some(10)), Metric::Ndcg(10)];
    let found: Vec<(bool, bool)> = (0..TRIALS)
        .into_par_iter()
        .map(|trial| {
            let draws = fractions(&format!("family {drop}"), trial, queries * 9);
            let sides: Vec<[GradedRanking; 2]> = draws.chunks_exact(9).map(|draws| pair(draws, drop)).collect();
            let candidates = metrics.map(|metric| {
                let score = |ranking: &GradedRanking| metric.score(ranking).unwrap_or_default();
                let deltas = Deltas::new(sides.iter().map(|[before, after]| score(after) - score(before)));
                Candidate { deltas, gated: true }
            });
            let stream = Stream::named(SEED, &format!("resamples {trial}"));
            let outcomes = outcomes(&[Sample { stream, metrics: candidates.to_vec() }], RESAMPLES).concat();
            let drops = |p: f64, candidate: &Candidate| p <= 0.05 && candidate.deltas.sum() < 0;
            let any = |of: fn(&recall_gate::statistics::Outcome) -> f64| {
                outcomes.iter().zip(&candidates).any(|(outcome, candidate)| drops(of(outcome), candidate))
            };
            (any(|outcome| outcome.p_adjusted), any(|outcome| outcome.p_value))
        })
        .collect();
    let percent =
        |of: fn(&(bool, bool)) -> bool| found.iter().filter(|pair| of(pair)).count() as f64 / TRIALS as f64 * 100.0;
    (percent(|pair| pair.0), percent(|pair| pair.1))
}

/// The same query on two sides: its document at a place, which moves by a few on a third of the queries, up or down
/// alike, and is lost on the second side with the chance `drop`.
fn pair(draws: &[f64], drop: f64) -> [GradedRanking; 2] {
    let place = 1 + (draws[0] * draws[0] * 14.0) as usize;
    let step = |draw: f64, by: f64| if draw < 0.33 { (by * 8.0) as usize } else { 0 };
    let first = place + step(draws[1], draws[2]);
    let second = place + step(draws[3], draws[4]);
    [ranking(Some(first)), ranking((draws[5] >= drop * 1.25).then_some(second))]
}

fn ranking(found: Option<usize>) -> GradedRanking {
    let grade = Grade::new(2).unwrap_or_default();
    let place = |at: usize| Place {
        document: DocumentId::new(at.to_string()),
        grade: (Some(at) == found).then_some(grade),
        ..Place::default()
    };
    GradedRanking { places: (1..=20).map(place).collect(), ideal: vec![grade] }
}

/// What chance alone gives, beside what was seen: two and twelve lost queries of a hundred.
fn picture() -> String {
    let panels: String = [(2, 0.0), (12, 340.0)].map(|(lost, left)| panel(lost, left)).concat();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 260\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"680\" height=\"260\" fill=\"#fff\"/>\n{panels}</svg>\n"
    )
}

fn panel(lost: usize, left: f64) -> String {
    const RESAMPLES: usize = 10_000;
    let deltas = Deltas::new((0..100).map(|query| if query < lost { -1.0 } else { 0.0 }));
    let resampled = resampled_sums(&[&deltas], Stream::new(42), 0, RESAMPLES).pop().unwrap_or_default();
    let p = p_value(&deltas, &resampled, Side::Drop);
    // Centred on no change; a lost query is a point.
    let points = |sum: i64| (sum - deltas.sum()) / 1_000_000_000;
    let x = |point: i64| left + 170.0 + 11.0 * point as f64;
    let bars: String = (-13..=13)
        .map(|point| {
            let count = resampled.iter().filter(|sum| points(**sum) == point).count();
            let height = 480.0 * count as f64 / RESAMPLES as f64;
            let colour = if point <= points(2 * deltas.sum()) { "#b3541e" } else { "#9db7d5" };
            let (x, y) = (x(point) - 4.5, 210.0 - height);
            format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"9\" height=\"{height:.1}\" fill=\"{colour}\"/>\n")
        })
        .collect();
    let ticks: String = [-12, -8, -4, 0, 4, 8, 12]
        .map(|point| format!("<text x=\"{:.1}\" y=\"226\" text-anchor=\"middle\">{point}</text>", x(point)))
        .concat();
    let seen = x(-i64::try_from(lost).unwrap_or_default());
    format!(
        "<text x=\"{:.1}\" y=\"22\" text-anchor=\"middle\" font-weight=\"bold\">{lost} of 100 queries lost: p = {p:.4}</text>\n\
         {bars}<line x1=\"{seen:.1}\" x2=\"{seen:.1}\" y1=\"50\" y2=\"210\" stroke=\"#1b1f24\" stroke-dasharray=\"4 3\"/>\n\
         <text x=\"{seen:.1}\" y=\"44\" text-anchor=\"middle\">seen</text>\n<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"210\" \
         y2=\"210\" stroke=\"#1b1f24\"/>{ticks}\n<text x=\"{:.1}\" y=\"248\" text-anchor=\"middle\">change of the mean, in \
         points, if nothing had changed</text>\n",
        left + 170.0,
        left + 15.0,
        left + 325.0,
        left + 170.0
    )
}
