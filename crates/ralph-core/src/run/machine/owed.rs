//! What earlier runs owe: the follow-up of work, its review and its merge, that they did not live to do. It comes before tasks, which may
//! depend on such a merge.

use super::{Effects, Machine};
use crate::TaskId;
use crate::run::RunState;
use crate::run::lane::{Lane, Phase};
use crate::time::Timestamp;

impl Machine {
    /// Begins, once: a later report changes nothing.
    pub(super) fn start(&mut self, owed: Vec<TaskId>, now: Timestamp, effects: &mut Effects) {
        let is_idle = |lane: &Lane| matches!(lane.phase, Phase::Idle);
        if self.lanes.iter().all(is_idle) {
            self.owed.extend(owed);
        }
        self.go_on(now, effects, is_idle);
    }

    /// The work that a lane is to follow up instead of claiming a task. One at a time: stacked work is merged after what it stands on.
    pub(super) fn next_owed(&mut self) -> Option<TaskId> {
        if self.followed_up().is_some() { None } else { self.owed.pop_front() }
    }

    /// Counts what a follow-up cost, then continues or ends.
    pub(super) fn end_follow_up(&mut self, at: usize, cost_usd: f64, now: Timestamp, effects: &mut Effects) {
        self.cost_usd = self.cost_usd.max(cost_usd);
        self.commits += 1;
        self.proceed(at, now, effects);
        // A merge may have made something ready.
        self.go_on(now, effects, |lane| matches!(lane.phase, Phase::Starved));
        if self.state != RunState::Ended && self.waiting_until.is_none() {
            self.set_state(at, self.state, None, None, effects);
        }
    }

    /// What a person is told while it is under way: no iteration may be running for many minutes.
    pub(super) fn told_of_owed(&self) -> Option<String> {
        self.followed_up().map(|task| format!("finishes what an earlier run left: the review and the merge of #{task}"))
    }

    fn followed_up(&self) -> Option<TaskId> {
        self.lanes.iter().find_map(|lane: &Lane| match lane.phase {
            Phase::FollowingUp(task) => Some(task),
            _ => None,
        })
    }
}
