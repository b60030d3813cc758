//! Activity of automatic learning, for display.

use crate::settings::LearningMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts over some days.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningCounts {
    /// Recorded tool calls.
    pub operations: u32,
    /// Tool calls that were dropped because too many came at once.
    pub dropped: u32,
    /// Detections.
    pub detections: u32,
    /// Detections by kind.
    pub detected: BTreeMap<String, u32>,
    /// Episodes made from them.
    pub episodes_created: u32,
    /// Lessons that were already known.
    pub known: u32,
    /// Rejected detections, by reason.
    pub refused: BTreeMap<String, u32>,
    /// Detections for which a model gave a lesson, or answered that there is none.
    pub extracted: u32,
    /// Detections left to rules because no model answered, or none was allowed.
    pub fallback: u32,
    /// Calls of a model.
    pub extractor_calls: u32,
    /// Those without a usable answer.
    pub extractor_failed: u32,
    /// Their total duration in milliseconds.
    pub extractor_ms: u32,
    /// Their cost in dollars, as far as the agent reports or the prices estimate it.
    pub extractor_usd: f64,
}

/// Effect that a mode would have had in the last seven days.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ModeEffect {
    /// Detections in its scope.
    pub detections: u32,
    /// Those for which rules alone can state a lesson.
    pub by_rules: u32,
}

/// One day.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningDay {
    /// `2026-01-31`, by the clock of the person at the time.
    pub day: String,
    /// Its counts.
    #[serde(flatten)]
    pub counts: LearningCounts,
}

/// State of automatic learning in a project.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningStatus {
    /// Whether it is enabled.
    pub enabled: bool,
    /// Its scope.
    pub mode: LearningMode,
    /// The extractor: `rules`, `agent` or `endpoint`.
    pub extractor: String,
    /// Totals of the last thirty days.
    #[serde(flatten)]
    pub counts: LearningCounts,
    /// Undecided detections.
    pub waiting: u32,
    /// Those queued for a model.
    pub queue: u32,
    /// Active facts from files.
    #[serde(rename = "facts_created")]
    pub facts: u32,
    /// Effect that each mode would have had in the last seven days.
    pub modes: BTreeMap<LearningMode, ModeEffect>,
    /// The last thirty days, those with counts only.
    pub days: Vec<LearningDay>,
}
