//! What automatic learning did, as it is shown.

use crate::settings::LearningMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of some days.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningCounts {
    /// Calls of tools that were heard.
    pub operations: u32,
    /// Calls that were not, since too many came at once.
    pub dropped: u32,
    /// What was detected in them.
    pub detections: u32,
    /// The same by kind.
    pub detected: BTreeMap<String, u32>,
    /// Episodes that were told of it.
    pub episodes_created: u32,
    /// Lessons that were known.
    pub known: u32,
    /// What became nothing, by reason.
    pub refused: BTreeMap<String, u32>,
    /// Detections that a model told of, or said that there is nothing to tell.
    pub extracted: u32,
    /// Detections that were left to rules, since no model answered, or none might be asked.
    pub fallback: u32,
    /// Calls of a model.
    pub extractor_calls: u32,
    /// Those of them that gave nothing that could be used.
    pub extractor_failed: u32,
    /// Milliseconds that they took.
    pub extractor_ms: u32,
    /// Dollars that they cost, as far as the agent or the prices tell.
    pub extractor_usd: f64,
}

/// What a mode would have looked at in the last seven days.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ModeEffect {
    /// Detections that it learns from.
    pub detections: u32,
    /// Those of them that rules alone can tell a lesson of.
    pub by_rules: u32,
}

/// One day.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningDay {
    /// `2026-01-31`, UTC.
    pub day: String,
    /// Its counts.
    #[serde(flatten)]
    pub counts: LearningCounts,
}

/// What automatic learning does in a project.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningStatus {
    /// Whether it is on.
    pub enabled: bool,
    /// What it learns from.
    pub mode: LearningMode,
    /// Who tells the lessons: `rules`, `agent` or `endpoint`.
    pub extractor: String,
    /// The last thirty days together.
    #[serde(flatten)]
    pub counts: LearningCounts,
    /// Detections that wait for a decision.
    pub waiting: u32,
    /// Those of them that a model is to be asked about.
    pub queue: u32,
    /// Facts that were read out of files and hold now.
    #[serde(rename = "facts_created")]
    pub facts: u32,
    /// What each mode would have looked at in the last seven days.
    pub modes: BTreeMap<LearningMode, ModeEffect>,
    /// The last thirty days, those with counts.
    pub days: Vec<LearningDay>,
}
