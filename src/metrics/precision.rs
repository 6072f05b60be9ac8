use super::GradedRanking;
use super::graded::ratio;

/// Relevant documents in the first `k` places over `k`, also where fewer were returned (as `P_k` of `trec_eval`).
pub(super) fn precision(ranking: &GradedRanking, k: usize) -> f64 {
    ratio(ranking.relevant_in(k), k)
}
