use super::GradedRanking;
use super::graded::ratio;

/// Places with a relevant document among the first `k`, over `k`, also where fewer were returned (as `P_k` of `trec_eval`).
pub(super) fn precision(ranking: &GradedRanking, k: usize) -> f64 {
    ratio(ranking.first(k).iter().filter(|place| place.is_relevant()).count(), k)
}
