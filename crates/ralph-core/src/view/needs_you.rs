//! What waits for a person, as one list for the window and the command line.

use crate::run::StopReason;
use crate::task::numbered;
use crate::text::cut;
use crate::{RunId, TaskId};
use serde::{Deserialize, Serialize};

/// One thing that waits for a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NeedsYou {
    /// A task is blocked.
    BlockedTask {
        /// The task.
        task: TaskId,
        /// Its title.
        title: String,
        /// Why.
        reason: String,
    },
    /// A task depends on others that were given up: it can't become ready by itself.
    StrandedTask {
        /// The task.
        task: TaskId,
        /// Its title.
        title: String,
        /// What it waits for.
        waiting_on: Vec<TaskId>,
    },
    /// Two learnings contradict each other.
    Conflicts {
        /// The feature.
        feature: String,
        /// How many pairs.
        count: u32,
    },
    /// Learnings wait for room.
    Parked {
        /// The feature.
        feature: String,
        /// How many.
        count: u32,
        /// The task that will make room.
        split_task: Option<TaskId>,
    },
    /// The folder brings along what nobody has agreed to on this machine.
    Untrusted {
        /// Each thing in a few words.
        items: Vec<String>,
    },
    /// The last run ended in a way that a person should know.
    RunStopped {
        /// The run.
        run: RunId,
        /// Why it ended.
        reason: StopReason,
        /// What happened.
        note: String,
    },
    /// A notice that nobody has settled.
    Notice {
        /// The notice.
        notice: crate::notice::Notice,
    },
}

impl NeedsYou {
    /// What it is about, in one line; the title of a task is cut after so many characters.
    pub fn in_words(&self, title_chars: usize) -> String {
        let words = match self {
            NeedsYou::BlockedTask { task, title, reason } => format!("#{task} {} is blocked: {reason}", cut(title, title_chars)),
            NeedsYou::StrandedTask { task, title, waiting_on } => {
                format!("#{task} {} can't become ready: it waits for {}, given up", cut(title, title_chars), numbered(waiting_on))
            }
            NeedsYou::Conflicts { feature, count } => format!("{count} of {feature}'s learnings contradict others"),
            NeedsYou::Parked { feature, count, .. } => format!("{count} of {feature}'s learnings wait for room"),
            NeedsYou::Untrusted { items } => format!("not agreed to on this machine: {}", items.join(", ")),
            NeedsYou::RunStopped { run, reason: StopReason::Stalled, note } => format!("run {run} stalled: {note}"),
            NeedsYou::RunStopped { run, note, .. } => format!("run {run} ended: {note}"),
            NeedsYou::Notice { notice } => notice.title.clone(),
        };
        words.replace(['\n', '\r'], " ")
    }
}
