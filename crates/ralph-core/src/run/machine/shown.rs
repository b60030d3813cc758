//! What is published about a run: its state, until when it starts nothing, and why.

use super::{Effect, Effects, Machine, push};
use crate::run::RunState;
use crate::run::lane::{Lane, Phase};
use crate::time::Timestamp;

impl Machine {
    /// Parks a lane in a waiting phase; the run's state follows once no other lane is busy, the time until which it waits at once.
    pub(super) fn rest(&mut self, at: usize, phase: Phase, shown: (RunState, Option<Timestamp>, Option<String>), effects: &mut Effects) {
        self.lanes[at].phase = phase;
        let (state, until, note) = shown;
        if !self.lanes.iter().any(Lane::is_busy) {
            self.set_state(at, state, until, note, effects);
        } else if until.is_some() {
            self.set_state(at, self.state, until, note, effects);
        }
    }

    /// Publishes the run's state if that, or the reason for it, has changed.
    pub(super) fn set_state(
        &mut self,
        at: usize,
        state: RunState,
        waiting_until: Option<Timestamp>,
        note: Option<String>,
        effects: &mut Effects,
    ) {
        let note = note.or_else(|| self.told_of_owed());
        if (self.state, self.waiting_until, &self.note) != (state, waiting_until, &note) {
            (self.state, self.waiting_until) = (state, waiting_until);
            self.note.clone_from(&note);
            push(effects, at, Effect::SetState { state, waiting_until, note });
        }
    }
}
