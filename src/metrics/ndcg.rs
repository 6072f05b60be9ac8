use super::GradedRanking;

/// Normalised discounted cumulative gain with gain 2^grade − 1 and discount log2(place + 1), both sides cut at `k`
/// (Järvelin & Kekäläinen 2002; the exponential gain is that of Burges et al. 2005). A place that holds several passages
/// gains all of them, which can be more than the ideal of a passage a place: then it is 1.
pub(super) fn ndcg(ranking: &GradedRanking, k: usize) -> f64 {
    let ideal = discounted(ranking.ideal.iter().take(k).map(|grade| grade.gain()));
    if ideal > 0.0 { (discounted(ranking.first(k).iter().map(super::Place::gain)) / ideal).min(1.0) } else { 0.0 }
}

fn discounted(gains: impl Iterator<Item = f64>) -> f64 {
    gains.zip(1_u32..).map(|(gain, place)| gain / (f64::from(place) + 1.0).log2()).sum()
}
