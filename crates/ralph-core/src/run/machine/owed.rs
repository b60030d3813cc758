//! What is owed: the review or merge of work that earlier runs ended before doing, or that met a usage limit or had no connection. It comes
//! before tasks, which may depend on such a merge.

use super::settle::{WAITS_FOR_THE_NETWORK, end_of_limit, told_end};
use super::{Effects, Machine, Setback};
use crate::TaskId;
use crate::limits;
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

    /// The work that a lane follows up instead of claiming a task. One at a time: stacked work is merged after what it is based on.
    pub(super) fn next_owed(&mut self, now: Timestamp) -> Option<TaskId> {
        if self.followed_up().is_some() || self.owed_from.is_some_and(|(from, _)| now < from) { None } else { self.owed.pop_front() }
    }

    /// Counts what a follow-up cost, then continues or ends.
    pub(super) fn end_follow_up(&mut self, at: usize, (task, cost_usd): (TaskId, f64), now: Timestamp, effects: &mut Effects) {
        if !self.owed.contains(&task) {
            (self.put_offs, self.owed_from) = (0, None);
        }
        self.cost_usd = self.cost_usd.max(cost_usd);
        self.commits += 1;
        self.proceed(at, now, effects);
        // A merge may have made something ready.
        self.go_on(now, effects, |lane| matches!(lane.phase, Phase::Starved));
        if self.state != RunState::Ended && self.waiting_until.is_none() {
            self.set_state(at, self.state, None, None, effects);
        }
    }

    /// Has it done again once its setback is over. Tasks continue meanwhile, since the agents of both may have different providers.
    /// Whatever is not done when the run ends is left to the next run.
    pub(super) fn put_off(&mut self, task: TaskId, setback: Setback, now: Timestamp) {
        let before = self.put_offs;
        self.put_offs = before.saturating_add(1);
        let (from, why) = match setback {
            Setback::Limit { resets_at } => end_of_limit(told_end(resets_at, now), before, now),
            Setback::Offline => match limits::RATE_LIMIT_WAITS_MILLIS.get(before) {
                Some(wait) => (now.plus_millis(*wait), WAITS_FOR_THE_NETWORK),
                None => return,
            },
        };
        self.put_off.insert(task);
        self.owed.push_back(task);
        self.owed_from = Some((self.owed_from.map_or(from, |(known, _)| known.max(from)), why));
    }

    /// What a person is told in the meantime, since no iteration may be running for many minutes.
    pub(super) fn told_of_owed(&self) -> Option<String> {
        self.followed_up().map(|task| match self.put_off.contains(&task) {
            true => format!("does what had to wait: the review and the merge of #{task}"),
            false => format!("finishes what an earlier run left: the review and the merge of #{task}"),
        })
    }

    fn followed_up(&self) -> Option<TaskId> {
        self.lanes.iter().find_map(|lane: &Lane| match lane.phase {
            Phase::FollowingUp(task) => Some(task),
            _ => None,
        })
    }
}
