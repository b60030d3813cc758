//! What agents cost together.

use crate::text::dollars;
use serde::{Deserialize, Serialize};

/// The cost of some iterations and errands: of a run, a day, a feature, or all.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Cost {
    /// Dollars, including estimates.
    pub cost_usd: f64,
    /// The part of `cost_usd` that is estimated from tokens, because the agent reported no cost.
    pub estimated_usd: f64,
    /// The part of `cost_usd` that errands cost: no list of iterations has it.
    #[serde(default)]
    pub errands_usd: f64,
    /// Iterations and errands that used something whose cost nobody knows: `cost_usd` leaves that out.
    #[serde(default)]
    pub unpriced: u32,
}

impl Cost {
    /// In words, with `digits` decimals.
    pub fn in_words(&self, digits: usize) -> String {
        dollars(self.cost_usd, self.unpriced, digits)
    }
}
