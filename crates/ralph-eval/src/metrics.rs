//! Quality of retrieval against judged queries: MRR, nDCG, recall, hit rate.

use serde::Serialize;
use std::collections::BTreeMap;

/// Means over queries, each in 0..=1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Mean reciprocal rank of the first relevant document among the first 5.
    #[serde(rename = "MRR@5")]
    pub mrr_5: f64,
    /// Normalized discounted cumulative gain (Järvelin & Kekäläinen 2002), gain 2^grade − 1.
    #[serde(rename = "nDCG@10")]
    pub ndcg_10: f64,
    /// Share of the relevant documents among the first 10.
    #[serde(rename = "Recall@10")]
    pub recall_10: f64,
    /// Among the first 20.
    #[serde(rename = "Recall@20")]
    pub recall_20: f64,
    /// Share of queries whose first document is relevant.
    #[serde(rename = "HitRate@1")]
    pub hit_rate_1: f64,
    /// Share of queries with a relevant document among the first 10.
    #[serde(rename = "HitRate@10")]
    pub hit_rate_10: f64,
}

/// Sums metrics over queries.
#[derive(Debug, Clone, Copy, Default)]
pub struct MetricSum {
    sum: Metrics,
    queries: u32,
}

/// nDCG@10 of one question.
pub fn ndcg_10<D: Ord>(order: &[D], grades: &BTreeMap<D, u32>) -> f64 {
    let mut sum = MetricSum::default();
    sum.add(order, grades);
    sum.means().ndcg_10
}

impl MetricSum {
    /// Adds one query: its documents best first, and the grades of those that are relevant (above 0).
    pub fn add<D: Ord>(&mut self, order: &[D], grades: &BTreeMap<D, u32>) {
        let gain = |grade: u32| f64::from(grade.min(30)).exp2() - 1.0;
        let discount = |place: usize| ((place + 2) as f64).log2();
        let grade_at = |place: usize| order.get(place).and_then(|d| grades.get(d)).copied().unwrap_or(0);
        let hits = |depth: usize| (0..depth).filter(|place| grade_at(*place) > 0).count() as f64;
        let mut ideal: Vec<u32> = grades.values().copied().filter(|g| *g > 0).collect();
        if ideal.is_empty() {
            return;
        }
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let relevant = ideal.len() as f64;
        let dcg: f64 = (0..10).map(|place| gain(grade_at(place)) / discount(place)).sum();
        let best: f64 = ideal.iter().take(10).enumerate().map(|(place, grade)| gain(*grade) / discount(place)).sum();
        self.queries += 1;
        self.sum.mrr_5 += (0..5).find(|place| grade_at(*place) > 0).map_or(0.0, |place| 1.0 / (place + 1) as f64);
        self.sum.ndcg_10 += dcg / best;
        self.sum.recall_10 += hits(10) / relevant;
        self.sum.recall_20 += hits(20) / relevant;
        self.sum.hit_rate_1 += hits(1);
        self.sum.hit_rate_10 += if hits(10) > 0.0 { 1.0 } else { 0.0 };
    }

    /// Queries that were added.
    pub fn queries(&self) -> u32 {
        self.queries
    }

    /// The means; zeros without a query.
    pub fn means(&self) -> Metrics {
        let n = f64::from(self.queries.max(1));
        let s = &self.sum;
        Metrics {
            mrr_5: s.mrr_5 / n,
            ndcg_10: s.ndcg_10 / n,
            recall_10: s.recall_10 / n,
            recall_20: s.recall_20 / n,
            hit_rate_1: s.hit_rate_1 / n,
            hit_rate_10: s.hit_rate_10 / n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_a_query_worked_out_by_hand() {
        let mut sum = MetricSum::default();
        sum.add(&["x", "a", "y", "b"], &BTreeMap::from([("a", 2), ("b", 1), ("c", 1), ("d", 0)]));
        let m = sum.means();
        assert_eq!((m.mrr_5, m.hit_rate_1, m.hit_rate_10), (0.5, 0.0, 1.0));
        assert!((m.recall_10 - 2.0 / 3.0).abs() < 1e-12);
        let dcg = 3.0 / 3f64.log2() + 1.0 / 5f64.log2();
        let ideal = 3.0 + 1.0 / 3f64.log2() + 1.0 / 4f64.log2();
        assert!((m.ndcg_10 - dcg / ideal).abs() < 1e-12);
    }

    #[test]
    fn a_query_without_a_relevant_document_is_no_query() {
        let mut sum = MetricSum::default();
        sum.add(&["a"], &BTreeMap::from([("a", 0)]));
        sum.add(&["a"], &BTreeMap::new());
        assert_eq!((sum.queries(), sum.means()), (0, Metrics::default()));
    }
}
