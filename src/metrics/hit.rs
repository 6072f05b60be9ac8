use super::GradedRanking;

/// 1 where a relevant document stands in the first `k` places, else 0.
pub(super) fn hit(ranking: &GradedRanking, k: usize) -> f64 {
    f64::from(u8::from(ranking.first(k).iter().any(super::Place::is_relevant)))
}
