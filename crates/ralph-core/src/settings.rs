//! Settings: what a person chose for a project.

use crate::strategy::Strategy;
use serde::{Deserialize, Serialize};

/// The project's settings, as `config.toml` holds them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Settings {
    /// Agent of a new run.
    pub agent: crate::run::AgentKind,
    /// Model of a new run.
    pub model: String,
    /// Path of the Claude Code binary; looked for when empty.
    pub claude_path: String,
    /// Permission mode given to Claude Code.
    pub permission_mode: String,
    /// Tools that Claude Code may use without asking.
    pub allowed_tools: Vec<String>,
    /// Script of the scripted agent, relative to the project.
    pub script: String,
    /// Command that must pass before a task counts as done; none when empty.
    pub check: String,
    /// Iterations of a run.
    pub max_iterations: u32,
    /// Minutes of a run; 0 = no limit.
    pub max_minutes: u32,
    /// Dollars of a run; 0 = no limit.
    pub max_usd: f64,
    /// Consecutive failures after which a task needs a person.
    pub max_attempts: u32,
    /// Consecutive failures from which a task counts as stuck: its prompt warns, and lists mark it.
    #[serde(default = "stuck_after_by_default")]
    pub stuck_after: u32,
    /// Learnings a feature holds.
    pub max_learnings: u32,
    /// How the model of each attempt is chosen.
    pub strategy: Strategy,
    /// Models from weak to strong, as the agent knows them.
    pub models: Vec<String>,
    /// Iterations in a row that left nothing behind after which a run ends; 0 = never.
    pub stall_stop: u32,
    /// Percent of the attempts that are told no learnings, so that their effect can be measured; 0 = none.
    pub hold_out: u32,
    /// What makes the vectors that search compares.
    pub embedding: crate::recall::EmbeddingSource,
    /// The endpoint's model; unused for `bundled`.
    pub embedding_model: String,
    /// The endpoint's address, on this machine or https; unused for `bundled`.
    pub embedding_url: String,
    /// What the quality gate does with a candidate that does not pass.
    #[serde(default)]
    pub gate: crate::quality::GateMode,
    /// Whether learnings are compared by their vectors, and what is the same is made one.
    #[serde(default = "crate::quality::reconciles_by_default")]
    pub reconcile: bool,
    /// What channels and factors of recall weigh: the table `[recall]` of the file, read only.
    #[serde(default)]
    pub recall: crate::recall::Tuning,
    /// Names of the variables that agents and checks get beside the usual ones.
    #[serde(default)]
    pub pass_env: Vec<String>,
}

fn stuck_after_by_default() -> u32 {
    crate::limits::STUCK_AFTER
}
