//! When a lane, and with the last one the run, is over.

use super::{Effect, Effects, Machine, push};
use crate::run::lane::{Lane, Phase};
use crate::run::{RunControl, RunState, StopReason};
use crate::time::Timestamp;

impl Machine {
    /// Waits for busy lanes, which may make something ready; without any, the run ends.
    pub(super) fn find_nothing_ready(&mut self, at: usize, now: Timestamp, effects: &mut Effects) {
        if self.lanes[at].commits != self.commits {
            // It looked before another lane committed, whose task may be free again, or have made others ready.
            return self.proceed(at, now, effects);
        }
        if self.lanes.iter().any(Lane::is_busy) {
            self.lanes[at].phase = Phase::Starved;
            return;
        }
        if !self.owed.is_empty() {
            // Nothing else is left to do until then.
            self.not_before = self.owed_from.filter(|(from, _)| now < *from).or(self.not_before);
            return self.proceed(at, now, effects);
        }
        let reason = match self.control {
            RunControl::StopNow => StopReason::StoppedNow,
            RunControl::StopAfter => StopReason::StoppedAfterIteration,
            RunControl::None | RunControl::Pause => StopReason::NothingReady,
        };
        // A task whose attempts would be a stall was the last one.
        let stalled = self.stalled(self.idle_iterations).filter(|_| reason == StopReason::NothingReady);
        let (reason, note) = stalled.unwrap_or((reason, None));
        self.finish(at, reason, note, effects);
    }

    /// Ends one lane on a person's request; the last one ends the run.
    pub(super) fn leave(&mut self, at: usize, reason: StopReason, effects: &mut Effects) {
        self.lanes[at].phase = Phase::Ended;
        if self.lanes.iter().all(Lane::is_over) {
            self.end(at, reason, None, effects);
        }
    }

    /// Ends the run once busy lanes have finished their iterations.
    pub(super) fn finish(&mut self, at: usize, reason: StopReason, note: Option<String>, effects: &mut Effects) {
        self.lanes[at].phase = Phase::Ended;
        self.lanes.iter_mut().filter(|lane| !lane.is_busy()).for_each(|lane| lane.phase = Phase::Ended);
        let (first, told) = self.over.get_or_insert((reason, note)).clone();
        if self.lanes.iter().all(Lane::is_over) {
            // Whatever ended it first, a person's stop becomes the reason, unless something failed.
            let stopped = reason == StopReason::StoppedNow && !first.is_trouble();
            let (reason, note) = if stopped && first != reason { (reason, None) } else { (first, told) };
            self.end(at, reason, note, effects);
        }
    }

    fn end(&mut self, at: usize, reason: StopReason, note: Option<String>, effects: &mut Effects) {
        self.state = RunState::Ended;
        push(effects, at, Effect::End { reason, note });
    }
}
