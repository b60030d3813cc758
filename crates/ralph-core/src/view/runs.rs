//! Runs and the activity of their workers, for lists and commands.

use crate::run::{AgentKind, Iteration, Run, RunControl, RunResult};
use crate::signal::TranscriptEntry;
use crate::time::Timestamp;
use crate::{IterationId, TaskId};
use serde::{Deserialize, Serialize};

impl Run {
    /// How many iterations it has begun, in words.
    pub fn iterations_in_words(&self) -> String {
        let counted = crate::text::counted(self.iterations, "iteration");
        if self.uncounted == 0 { counted } else { format!("{counted} ({} met a usage limit or had no network)", self.uncounted) }
    }
}

/// A run with the outcomes of its attempts and its result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunRow {
    /// The row.
    #[serde(flatten)]
    pub run: Run,
    /// Attempts that completed their task.
    pub done: u32,
    /// Attempts that failed.
    pub failed: u32,
    /// How it came out; `None` while it goes on.
    pub result: Option<RunResult>,
}

/// Current or last work of one worker of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LaneRow {
    /// Its number, from 1.
    pub lane: u32,
    /// The task.
    pub task: TaskId,
    /// Title of the task when the iteration began.
    pub task_title: String,
    /// The iteration.
    pub iteration: IterationId,
    /// Which agent.
    pub agent: AgentKind,
    /// Model in use.
    pub model: String,
    /// Root of the worktree; `None` = the project's own checkout.
    pub worktree: Option<String>,
    /// When the iteration began.
    pub since: Timestamp,
    /// A person's request to this lane alone.
    pub control: RunControl,
    /// Why this task was chosen, where the order of the list does not explain it.
    pub scheduled: Option<String>,
    /// Dollars of the iteration so far; `None` when unknown.
    pub cost_usd: Option<f64>,
    /// Whether they are estimated from tokens.
    pub cost_estimated: bool,
    /// Whether a part of what it used is not in them, see [`crate::signal::Usage::unpriced`].
    pub unpriced: bool,
}

/// A worker of a run without a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IdleLane {
    /// Its number, from 1.
    pub lane: u32,
    /// A person's request to this lane alone.
    pub control: RunControl,
}

impl LaneRow {
    /// The lane of an iteration.
    pub fn of(run: &Run, iteration: Iteration, control: RunControl) -> LaneRow {
        LaneRow {
            lane: iteration.lane,
            task: iteration.task,
            task_title: iteration.task_title,
            iteration: iteration.id,
            agent: run.agent,
            model: iteration.model,
            worktree: iteration.worktree,
            since: iteration.started,
            control,
            scheduled: iteration.scheduled,
            cost_usd: iteration.usage.cost_usd,
            cost_estimated: iteration.usage.cost_estimated,
            unpriced: iteration.usage.unpriced,
        }
    }
}

/// Latest activity of a lane's agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LaneSignal {
    /// The lane.
    pub lane: u32,
    /// The iteration.
    pub iteration: IterationId,
    /// The last informative entry of its log; `None` before the first.
    pub last: Option<TranscriptEntry>,
}

/// A run that is not over, with what its workers do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunAtWork {
    /// The row.
    pub run: Run,
    /// What is worked on, by lane.
    pub lanes: Vec<LaneRow>,
    /// Lanes that have no task now.
    pub idle_lanes: Vec<IdleLane>,
}

/// A run as a command answers it: its row, and what its workers do now.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunWithLanes {
    /// The row.
    #[serde(flatten)]
    pub run: Run,
    /// Work in progress, by lane.
    pub lanes: Vec<LaneRow>,
    /// Lanes that have no task now; none of a run that is over.
    pub idle_lanes: Vec<IdleLane>,
}
