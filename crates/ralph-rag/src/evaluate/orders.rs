//! Comparison of two rankings of the same answers.

use std::collections::BTreeMap;

/// Ranks that are compared.
pub const FIRST: usize = 10;
/// Ranks considered by MRR.
const RECIPROCAL: usize = 5;

/// Jaccard overlap of the two top tens, in 0..=1; 1 if both are empty.
pub fn overlap<T: Ord>(first: &[T], second: &[T]) -> f64 {
    let (a, b): (Vec<&T>, Vec<&T>) = (first.iter().take(FIRST).collect(), second.iter().take(FIRST).collect());
    let common = a.iter().filter(|item| b.contains(item)).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { ratio(common, all) }
}

/// Kendall's tau over shared results: 1 = the same order, −1 = reversed; `None` for fewer than two.
pub fn kendall_tau<T: Ord>(first: &[T], second: &[T]) -> Option<f64> {
    let places: BTreeMap<&T, usize> = second.iter().enumerate().map(|(place, item)| (item, place)).collect();
    let shared: Vec<usize> = first.iter().filter_map(|item| places.get(item).copied()).collect();
    let pairs = shared.len() * shared.len().saturating_sub(1) / 2;
    if pairs == 0 {
        return None;
    }
    let agreeing: usize = (0..shared.len()).map(|at| shared[at + 1..].iter().filter(|later| **later > shared[at]).count()).sum();
    Some(2.0 * ratio(agreeing, pairs) - 1.0)
}

/// Mean rank difference of shared results.
pub fn moved<T: Ord>(first: &[T], second: &[T]) -> f64 {
    let places: BTreeMap<&T, usize> = second.iter().enumerate().map(|(place, item)| (item, place)).collect();
    let moves: Vec<usize> =
        first.iter().enumerate().filter_map(|(place, item)| places.get(item).map(|other| place.abs_diff(*other))).collect();
    if moves.is_empty() { 0.0 } else { ratio(moves.iter().sum(), moves.len()) }
}

/// Reciprocal rank of the first relevant result in the top five; 0 if there is none.
pub fn mrr<T>(order: &[T], relevant: impl Fn(&T) -> bool) -> f64 {
    order.iter().take(RECIPROCAL).position(relevant).map_or(0.0, |place| 1.0 / ratio(place + 1, 1))
}

#[allow(clippy::cast_precision_loss, reason = "places and pairs of a few hundred")]
fn ratio(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_worked_out_by_hand() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        let (abcd, dcba, ab) = (["a", "b", "c", "d"], ["d", "c", "b", "a"], ["a", "b"]);
        close(overlap(&abcd, &dcba), 1.0);
        close(overlap(&abcd, &ab), 0.5);
        close(overlap::<&str>(&[], &[]), 1.0);
        assert_eq!(kendall_tau(&abcd, &abcd), Some(1.0));
        assert_eq!(kendall_tau(&abcd, &dcba), Some(-1.0));
        close(kendall_tau(&abcd, &["b", "a", "c", "d"]).expect("shared"), 2.0 / 3.0);
        assert_eq!(kendall_tau(&abcd, &["x", "a"]), None);
        close(moved(&abcd, &dcba), 2.0);
        close(moved(&abcd, &abcd), 0.0);
        close(mrr(&abcd, |item| *item == "c"), 1.0 / 3.0);
        close(mrr(&["a", "b", "c", "d", "e", "f"], |item| *item == "f"), 0.0);
    }
}
