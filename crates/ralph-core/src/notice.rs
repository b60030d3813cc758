//! Notices: something that happened or is proposed, shown to a person until they settle it.

use crate::authority::Wish;
use crate::time::Timestamp;
use crate::{IterationId, RunId, TaskId};

pub use crate::NoticeId;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// What a notice is about.
    NoticeKind {
        /// An agent asks for a change that only a person may make. Accepting it makes the change.
        Proposal = "proposal",
        /// Git reports that an iteration changed the repository in a way that may have lost work. Settling acknowledges it.
        GitHarm = "git_harm",
        /// The agent of an errand changed what git runs by itself. Nothing is merged until it is settled, which acknowledges it.
        MachineryChanged = "machinery_changed",
        /// An agent changed the person's files below `.ralph/`. Settling acknowledges it.
        RalphFiles = "ralph_files",
        /// Too many learnings, but too young to move into documents. Settling acknowledges it.
        Consolidation = "consolidation",
        /// Attempts with a learning measurably succeed less often than without. Settling acknowledges it.
        Harm = "harm",
        /// A lesson could not be stored, since a newer Ralph writes its journal; its words are in the notice. Settling acknowledges it.
        Unlearnt = "unlearnt",
    }
}

/// Something shown to a person to settle.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Notice {
    /// Its number.
    pub id: NoticeId,
    /// Its kind.
    pub kind: NoticeKind,
    /// The run during which it arose.
    pub run: Option<RunId>,
    /// The iteration during which it arose.
    pub iteration: Option<IterationId>,
    /// The task that it concerns.
    pub task: Option<TaskId>,
    /// One line.
    pub title: String,
    /// What a person needs to decide; any number of lines, may be empty.
    pub detail: String,
    /// The change that accepting it makes.
    pub wish: Option<Wish>,
    /// When it arose.
    pub created: Timestamp,
    /// When a person settled it.
    pub settled: Option<Timestamp>,
    /// The person's answer; `None` while it is open.
    pub accepted: Option<bool>,
}

/// A notice to be written.
#[derive(Clone, PartialEq, Debug)]
pub struct NewNotice {
    /// Its kind.
    pub kind: NoticeKind,
    /// The run during which it arose.
    pub run: Option<RunId>,
    /// The iteration during which it arose.
    pub iteration: Option<IterationId>,
    /// The task that it concerns.
    pub task: Option<TaskId>,
    /// One line.
    pub title: String,
    /// What a person needs to decide.
    pub detail: String,
    /// The change that accepting it makes.
    pub wish: Option<Wish>,
}

impl NewNotice {
    /// A notice that concerns no run, iteration or task and proposes nothing.
    pub fn new(kind: NoticeKind, title: impl Into<String>, detail: impl Into<String>) -> NewNotice {
        NewNotice { kind, run: None, iteration: None, task: None, title: title.into(), detail: detail.into(), wish: None }
    }
}
