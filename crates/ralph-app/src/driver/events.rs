//! What a run tells whoever started it.

use ralph_core::run::{Iteration, Run, RunResult};
use ralph_core::signal::TranscriptEntry;
use serde::Serialize;

/// What someone who started a run may follow, in order. The window reads rows and log files instead.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run began.
    RunStarted {
        /// Its row.
        run: Run,
    },
    /// An iteration began.
    IterationStarted {
        /// Its row.
        iteration: Iteration,
    },
    /// Something was said or done.
    Entry {
        /// In which iteration.
        iteration: u32,
        /// What.
        entry: TranscriptEntry,
    },
    /// An iteration was committed.
    IterationSettled {
        /// Its row.
        iteration: Iteration,
    },
    /// The run waits, is paused, goes on, or is being stopped.
    RunChanged {
        /// Its row.
        run: Run,
    },
    /// The run is over.
    RunEnded {
        /// Its row.
        run: Run,
        /// How it came out.
        result: RunResult,
    },
}
