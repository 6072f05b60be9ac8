use super::GradedRanking;
use super::graded::ratio;

/// Relevant documents and passages in the first `k` places over all relevant ones; 0 where none is relevant.
pub(super) fn recall(ranking: &GradedRanking, k: usize) -> f64 {
    ratio(ranking.found_in(k), ranking.ideal.len())
}
