//! Events of a run for whoever started it.

use super::{Driver, LaneNumber};
use crate::agents::transcript::remark;
use ralph_core::run::{Iteration, Run, RunResult};
use ralph_core::signal::TranscriptEntry;
use serde::Serialize;
use std::time::Duration;
use tokio::sync::mpsc;

/// Time for which a follower that stops reading delays the loop, once.
const FOLLOWER_PATIENCE: Duration = Duration::from_millis(200);

/// Events to follow, in order. The window reads rows and log files instead.
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
    /// A log entry.
    Entry {
        /// Its iteration.
        iteration: u32,
        /// The entry.
        entry: TranscriptEntry,
    },
    /// An iteration was committed.
    IterationSettled {
        /// Its row.
        iteration: Iteration,
        /// Dollars that the run has spent so far: those of its finished iterations, and of the errands that its work caused.
        run_cost_usd: f64,
    },
    /// The run waits, is paused, continues, or is being stopped.
    RunChanged {
        /// Its row.
        run: Run,
    },
    /// The run is over.
    RunEnded {
        /// Its row.
        run: Run,
        /// Its result.
        result: RunResult,
    },
}

impl Driver {
    pub(super) async fn log(&mut self, lane: LaneNumber, entry: TranscriptEntry) {
        let Some(current) = &mut self.lane(lane).current else { return };
        current.log.add(&entry);
        let iteration = current.claim.iteration;
        let Some(events) = &self.events else { return };
        if self.untold > 0 {
            let words = format!("{} entries were not shown: nobody took them; they are in the log", self.untold);
            let gap = RunEvent::Entry { iteration, entry: remark(entry.at, "note", words) };
            if events.try_send(gap).is_ok() {
                self.untold = 0;
            }
        }
        let told = match events.try_send(RunEvent::Entry { iteration, entry }) {
            Err(mpsc::error::TrySendError::Full(event)) if self.untold == 0 => events.send_timeout(event, FOLLOWER_PATIENCE).await.is_ok(),
            told => told.is_ok(),
        };
        // A suspended terminal must not stop the loop.
        self.untold += u32::from(!told);
    }

    pub(super) fn flush_logs(&mut self) {
        self.lanes.iter_mut().filter_map(|lane| lane.current.as_mut()).for_each(|current| current.log.flush());
    }

    pub(super) async fn tell(&mut self, event: RunEvent) {
        let Some(events) = &self.events else { return };
        if let Err(mpsc::error::SendTimeoutError::Closed(_)) = events.send_timeout(event, FOLLOWER_PATIENCE * 5).await {
            self.events = None;
        }
    }
}
