//! MPAB: the score of a memory from the scores of its chunks.

/// `max + bonus · sum(rest) / sqrt(N)`: one good chunk dominates, further ones add a little. No chunks give 0, one gives its own score;
/// non-finite scores count as 0. The maximum is removed by index, so that equal scores stay in the rest.
pub fn aggregate(scores: &[f64], bonus: f64) -> f64 {
    let finite = |score: f64| if score.is_finite() { score } else { 0.0 };
    let Some(best) = (0..scores.len()).max_by(|a, b| finite(scores[*a]).total_cmp(&finite(scores[*b])).then(b.cmp(a))) else { return 0.0 };
    let max = finite(scores[best]);
    if scores.len() == 1 {
        return max;
    }
    let rest: f64 = scores.iter().enumerate().filter(|(at, _)| *at != best).map(|(_, score)| finite(*score)).sum();
    max + finite(bonus) * rest / (scores.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_chunk_is_nothing_one_is_itself_and_more_add_a_little() {
        for (scores, expected) in [
            (vec![], 0.0),
            (vec![0.7], 0.7),
            (vec![0.8, 0.4], 0.8 + 0.3 * 0.4 / 2f64.sqrt()),
            (vec![0.4, 0.8], 0.8 + 0.3 * 0.4 / 2f64.sqrt()),
            (vec![0.5, 0.5, 0.5], 0.5 + 0.3 * 1.0 / 3f64.sqrt()),
            (vec![f64::NAN, 0.5], 0.5),
            (vec![f64::INFINITY], 0.0),
            (vec![f64::NAN], 0.0),
        ] {
            assert!((aggregate(&scores, 0.3) - expected).abs() < 1e-12, "{scores:?}");
        }
    }

    #[test]
    fn without_a_bonus_the_best_chunk_is_the_score() {
        assert_eq!(aggregate(&[0.2, 0.9, 0.4], 0.0), 0.9);
        assert_eq!(aggregate(&[0.2, 0.9], f64::NAN), 0.9);
    }
}
