//! What a text channel finds, on its way from the lists to the order.

/// Passages that match, in no order: places in the index that was asked, and how well (BM25: higher is better).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches(Vec<(u32, f32)>);

impl Matches {
    /// A score that is no number counts as none.
    pub(super) fn new(found: impl Iterator<Item = (u32, f64)>) -> Matches {
        Matches(found.map(|(at, score)| (at, if score.is_finite() { score as f32 } else { 0.0 })).collect())
    }

    pub(super) fn hits(&self) -> &[(u32, f32)] {
        &self.0
    }
}
