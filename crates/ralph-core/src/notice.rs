//! Notices: what happened or is proposed, put before a person until they settle it.

use crate::authority::Wish;
use crate::time::Timestamp;
use crate::{IterationId, RunId, TaskId};
use serde::{Deserialize, Serialize};

/// Number of a notice.
pub type NoticeId = u32;

crate::word_enum! {
    /// What a notice is about.
    NoticeKind {
        /// An agent asks for a change that only a person may make. Accepting it makes the change.
        Proposal = "proposal",
        /// Git tells that an iteration did something to the repository that may have cost work. Settling it says that it was seen.
        GitHarm = "git_harm",
        /// An agent changed what is the person's below `.ralph/`. Settling it says that it was seen.
        RalphFiles = "ralph_files",
        /// Learnings are too many, and too young to become documents. Settling it says that it was seen.
        Consolidation = "consolidation",
    }
}

/// Something that is put before a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Notice {
    /// Its number.
    pub id: NoticeId,
    /// What it is about.
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
    /// What the person said; `None` while it waits.
    pub accepted: Option<bool>,
}

/// A notice that is to be written.
#[derive(Clone, PartialEq, Debug)]
pub struct NewNotice {
    /// What it is about.
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
