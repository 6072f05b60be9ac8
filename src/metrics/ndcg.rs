use super::GradedRanking;
use crate::judgments::Grade;

/// Normalised discounted cumulative gain with gain 2^grade − 1 and discount log2(place + 1), both sides cut at `k`
/// (Järvelin & Kekäläinen 2002; the exponential gain is that of Burges et al. 2005).
pub(super) fn ndcg(ranking: &GradedRanking, k: usize) -> f64 {
    let ideal = gain(ranking.ideal.iter().copied().take(k));
    if ideal > 0.0 { gain(ranking.first(k).iter().map(super::Place::earned)) / ideal } else { 0.0 }
}

fn gain(grades: impl Iterator<Item = Grade>) -> f64 {
    grades.zip(1_u32..).map(|(grade, place)| grade.gain() / (f64::from(place) + 1.0).log2()).sum()
}
