use crate::run::RankedResult;

/// Whether the pipeline found nothing: no result at all, or none with a score above `min_score`.
///
/// A result without a score counts as found: nothing says that the pipeline doubted it.
#[must_use]
pub fn abstained(ranking: &[RankedResult], min_score: Option<f64>) -> bool {
    ranking.iter().all(|result| match (result.score, min_score) {
        (Some(score), Some(threshold)) => score <= threshold,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ResultId;

    fn results(scores: &[Option<f64>]) -> Vec<RankedResult> {
        scores.iter().map(|&score| RankedResult { id: ResultId::new("a"), score, text: None }).collect()
    }

    #[test]
    fn nothing_or_nothing_above_the_threshold() {
        assert!(abstained(&[], None));
        assert!(!abstained(&results(&[Some(0.1)]), None));
        assert!(abstained(&results(&[Some(0.5), Some(0.1)]), Some(0.5)));
        assert!(!abstained(&results(&[Some(0.1), Some(0.6)]), Some(0.5)));
        assert!(!abstained(&results(&[None]), Some(0.5)));
    }
}
