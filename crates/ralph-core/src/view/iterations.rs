//! The iterations behind a figure.

use super::{EffectFigure, MemorySide};
use crate::cost::Cost;
use crate::run::Iteration;
use crate::run::attempt::{ErrorCategory, FailureRecord};
use crate::sigil::Difficulty;
use crate::strategy::Strategy;
use crate::time::Timestamp;
use crate::{IterationId, LearningId};
use serde::{Deserialize, Serialize};

/// Which iterations to list: those behind one figure. All given conditions must hold; empty fields do not filter.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct IterationFilter {
    /// Model that worked.
    pub model: Option<String>,
    /// The last estimate of how hard its task is.
    pub difficulty: Option<Difficulty>,
    /// Only those whose task has no such estimate.
    pub difficulty_unknown: bool,
    /// Category of the failure.
    pub category: Option<ErrorCategory>,
    /// Signature of the failure.
    pub signature: Option<String>,
    /// Only those with the same failure signature as an earlier one at the same task.
    pub repeated: bool,
    /// Strategy of the run.
    pub strategy: Option<Strategy>,
    /// Side of the memory comparison.
    pub memory: Option<MemorySide>,
    /// A learning that was included, or withheld.
    pub learning: Option<LearningId>,
    /// Only those that this figure in the effect of `learning` counts.
    pub effect: Option<EffectFigure>,
    /// Name of their task's feature.
    pub feature: Option<String>,
    /// The day they ended, by the person's clock, such as `2026-11-01`; today those at work match, too.
    pub day: Option<String>,
    /// Only those that ended after this time.
    pub since: Option<Timestamp>,
    /// Only those at tasks that have not been done since then.
    pub undone: bool,
    /// Only ended attempts.
    pub attempts: bool,
    /// Whether the task was done at the end.
    pub done: Option<bool>,
    /// Only those at tasks that are done now: work in a worktree is done once its base contains it.
    pub task_done: bool,
    /// Only those whose cost is estimated.
    pub estimated: bool,
    /// Only the newest ones, which are used to measure models.
    pub recent: bool,
}

/// An iteration as a row of a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationRow {
    /// The iteration.
    pub iteration: Iteration,
    /// Strategy of its run.
    pub strategy: Strategy,
    /// Why it failed; `None` when it did not, or when the details were thinned out.
    pub failure: Option<FailureRecord>,
}

/// Totals over all iterations that match a filter, listed or not.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationSums {
    /// Number of iterations.
    pub iterations: u32,
    /// Iterations that completed their task.
    pub done: u32,
    /// Tasks that they worked on.
    pub tasks: u32,
    /// What they cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// A page of the iterations that match a filter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationPage {
    /// Newest first.
    pub rows: Vec<IterationRow>,
    /// Request those before this one for the next page; `None` on the last.
    pub next: Option<IterationId>,
    /// Totals over all of them.
    pub sums: IterationSums,
}
