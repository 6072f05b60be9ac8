use super::GradedRanking;
use super::graded::ratio;

/// Mean of the precision at each relevant document within `k`, over min(R, k) so that a perfect top `k` scores 1.
pub(super) fn average_precision(ranking: &GradedRanking, k: usize) -> f64 {
    let best = ranking.ideal.len().min(k);
    if best == 0 {
        return 0.0;
    }
    let relevant = ranking.first(k).iter().enumerate().filter(|(_, place)| place.is_relevant());
    let sum: f64 = relevant.enumerate().map(|(found, (index, _))| ratio(found + 1, index + 1)).sum();
    sum / ratio(best, 1)
}
