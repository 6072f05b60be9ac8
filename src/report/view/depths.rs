//! Recall as a function of how many results are looked at.

use crate::comparison::{Comparison, Side};

/// More depths than this are thinned out: a curve needs no more points.
const MOST: usize = 100;

/// Mean recall at one depth, fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// How many results are looked at, from 1.
    pub depth: usize,
    /// In the baseline.
    pub baseline: f64,
    /// Now.
    pub current: f64,
}

/// The curve up to `depth` results, by the first repeat; empty where no answerable query is on both sides.
pub(super) fn depths(comparison: &Comparison<'_>, depth: usize) -> Vec<Depth> {
    let paired = comparison.queries.iter().filter(|query| !query.query.unanswerable);
    let sides: Vec<(&Side<'_>, &Side<'_>)> =
        paired.filter_map(|query| Some((query.baseline.as_ref()?, query.current.as_ref()?))).collect();
    if sides.is_empty() {
        return Vec::new();
    }
    let (mut baseline, mut current) = (vec![0.0; depth], vec![0.0; depth]);
    for (before, now) in &sides {
        add(&mut baseline, before);
        add(&mut current, now);
    }
    let (mut found_before, mut found_now) = (0.0, 0.0);
    let mut depths = Vec::new();
    for (index, (before, now)) in baseline.iter().zip(&current).enumerate() {
        found_before += before;
        found_now += now;
        let (baseline, current) = (found_before / sides.len() as f64, found_now / sides.len() as f64);
        depths.push(Depth { depth: index + 1, baseline, current });
    }
    let step = depth.div_ceil(MOST);
    depths.retain(|point| point.depth == 1 || point.depth == depth || point.depth % step == 0);
    depths
}

/// Adds what each place of a ranking contributes to recall.
fn add(found: &mut [f64], side: &Side<'_>) {
    let graded = side.graded();
    let all = graded.ideal.len();
    for (found, place) in found.iter_mut().zip(&graded.places) {
        if place.is_relevant() {
            *found += 1.0 / all as f64;
        }
    }
}
