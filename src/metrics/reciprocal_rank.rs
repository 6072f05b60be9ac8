use super::GradedRanking;
use super::graded::ratio;

/// 1/place of the first relevant document within `k` (the whole depth without `k`), else 0 (Voorhees 1999).
pub(super) fn reciprocal_rank(ranking: &GradedRanking, k: Option<usize>) -> f64 {
    let places = ranking.first(k.unwrap_or(usize::MAX));
    places.iter().position(super::Place::is_relevant).map_or(0.0, |index| ratio(1, index + 1))
}
