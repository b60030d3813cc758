//! Errand: an agent run that belongs to no task. What it answers is data for whoever ordered it: nothing it says is taken into the project by
//! itself.

use crate::TaskId;
use crate::run::AgentKind;
use crate::signal::Usage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Number of an errand; never reused.
pub type ErrandId = u32;

crate::word_enum! {
    /// What an errand is for.
    ErrandKind {
        /// Settles files that two branches changed.
        ResolveConflict = "resolve_conflict",
        /// Looks at the work on a task, and changes nothing.
        Review = "review",
        /// Proposes documents that say what entries say.
        Consolidate = "consolidate",
        /// Proposes the documents as they were before a consolidation; no agent is needed.
        UndoConsolidation = "undo_consolidation",
        /// Looks at learnings that nobody has reviewed, and says of each whether it holds.
        ReviewLearnings = "review_learnings",
        /// Says which memories answer which questions.
        Judge = "judge",
        /// Distils lessons of what was detected in calls of tools.
        Extract = "extract",
    }
}

crate::word_enum! {
    /// How an errand stands.
    ErrandState {
        /// Its agent is at work.
        Running = "running",
        /// It ended by itself, with an answer.
        Done = "done",
        /// Its agent failed, or what it left did not hold.
        Failed = "failed",
        /// A person stopped it, or its limit did.
        Stopped = "stopped",
    }
}

/// An errand.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Errand {
    /// Its number.
    pub id: ErrandId,
    /// What it is for.
    pub kind: ErrandKind,
    /// How it stands.
    pub state: ErrandState,
    /// The task that it is about; `None` = about none.
    pub task: Option<TaskId>,
    /// What it is about, in words.
    pub title: String,
    /// Which agent; `None` = none was needed.
    pub agent: Option<AgentKind>,
    /// Model that was asked for; empty without an agent.
    pub model: String,
    /// The folder that it works in.
    pub folder: String,
    /// Dollars after which it is ended; `None` = no limit.
    pub max_usd: Option<f64>,
    /// Minutes after which it is ended.
    pub max_minutes: u32,
    /// What it answered last, cut.
    pub answer: String,
    /// Why it ended as it did, where that does not go without saying.
    pub note: Option<String>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
}

/// Who is sent on an errand; what is `None` is the project's setting.
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
