use super::GradedRanking;
use super::graded::ratio;

/// Places of the first `k` whose document has a judgment, over `k`: how much of what the user sees is known at all.
pub(super) fn judged(ranking: &GradedRanking, k: usize) -> f64 {
    ratio(ranking.first(k).iter().filter(|place| place.grade.is_some()).count(), k)
}
