use super::GradedRanking;
use super::graded::ratio;

/// Mean of the precision at each relevant document within `k`, over min(R, k) so that a perfect top `k` scores 1. Passages
/// that share a place count there one after the other, each with a precision of at most 1.
pub(super) fn average_precision(ranking: &GradedRanking, k: usize) -> f64 {
    let best = ranking.ideal.len().min(k);
    if best == 0 {
        return 0.0;
    }
    let places = ranking.first(k).iter().enumerate();
    let found = places.flat_map(|(index, place)| std::iter::repeat_n(index + 1, place.found()));
    let sum: f64 = found.enumerate().map(|(found, place)| ratio(found + 1, place).min(1.0)).sum();
    (sum / ratio(best, 1)).min(1.0)
}
