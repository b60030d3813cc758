//! Errand: an agent run that belongs to no task. Its answer is data for whoever ordered it: nothing in it enters the project by
//! itself.

use crate::run::AgentKind;
use crate::signal::Usage;
use crate::time::Timestamp;
use crate::{RunId, TaskId};
use serde::{Deserialize, Serialize};

/// Number of an errand; never reused.
pub type ErrandId = u32;

crate::word_enum! {
    /// Purpose of an errand.
    ErrandKind {
        /// Resolves files that two branches changed.
        ResolveConflict = "resolve_conflict",
        /// Reviews the work on a task without changing anything.
        Review = "review",
        /// Proposes documents with the content of entries.
        Consolidate = "consolidate",
        /// Proposes the documents as they were before a consolidation; needs no agent.
        UndoConsolidation = "undo_consolidation",
        /// Reviews learnings that nobody has reviewed, with a verdict for each.
        ReviewLearnings = "review_learnings",
        /// Judges which memories answer which questions.
        Judge = "judge",
        /// Extracts lessons from detections in tool calls.
        Extract = "extract",
    }
}

crate::word_enum! {
    /// State of an errand.
    ErrandState {
        /// Its agent is running.
        Running = "running",
        /// It ended by itself with an answer.
        Done = "done",
        /// Its agent failed, or its result was invalid.
        Failed = "failed",
        /// A person or a limit stopped it.
        Stopped = "stopped",
    }
}

/// An errand.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Errand {
    /// Its number.
    pub id: ErrandId,
    /// Its purpose.
    pub kind: ErrandKind,
    /// Its state.
    pub state: ErrandState,
    /// The task it concerns; `None` = none.
    pub task: Option<TaskId>,
    /// The run whose work caused it, and whose dollars it spends; `None` = a person asked for it, or nobody.
    #[serde(default)]
    pub run: Option<RunId>,
    /// What it concerns, in words.
    pub title: String,
    /// Which agent; `None` = none was needed.
    pub agent: Option<AgentKind>,
    /// Requested model; empty without an agent.
    pub model: String,
    /// Its working folder.
    pub folder: String,
    /// Dollars after which it is ended; `None` = no limit.
    pub max_usd: Option<f64>,
    /// Minutes after which it is ended.
    pub max_minutes: u32,
    /// Its last answer, truncated.
    pub answer: String,
    /// Why it ended, where that is not obvious.
    pub note: Option<String>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
}

/// The agent for an errand; `None` fields fall back to the project's settings.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ErrandAgent {
    /// Which agent.
    pub agent: Option<AgentKind>,
    /// Its model.
    pub model: Option<String>,
    /// Script of the scripted agent.
    pub script: Option<String>,
}
