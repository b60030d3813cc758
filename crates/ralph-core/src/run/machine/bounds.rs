//! The limits of a run over all its lanes: budget reserved for an iteration before its agent starts, and when nothing more is claimed.

use super::{Effect, Effects, LEAST_USD, LaneNumber, Machine, UNKNOWN_USD, number, place};
use crate::run::hooks::{AgentExit, Claim, CutShort, judge};
use crate::run::lane::{Lane, Phase};
use crate::run::{RunControl, RunLimits, StopReason};
use crate::signal::Ending;
use crate::text::dollars;
use crate::time::Timestamp;

impl Machine {
    /// Stops the running agents once all agents together have spent the run's dollars. A turn that has ended is left to end and is judged
    /// by its result.
    pub(super) fn cut_those_that_overspend(&mut self, effects: &mut Effects) {
        let spent = self.cost_usd + self.lanes.iter().map(Lane::used_usd).sum::<f64>();
        if self.config.limits.max_usd.is_none_or(|max| spent < max) {
            return;
        }
        for at in 0..self.lanes.len() {
            if matches!(&self.lanes[at].phase, Phase::Working(work) if !work.turn_completed()) {
                self.cut_short(at, CutShort::DollarsOver, effects);
            }
        }
    }

    /// Stops what is done without an agent once the run's minutes are over: the preparation of a checkout, and follow-ups. Repeated with
    /// every tick, since a follow-up may begin after the first one.
    pub(super) fn cancel_what_takes_too_long(&self, now: Timestamp, effects: &mut Effects) {
        if self.minutes_are_over(now) {
            let is_without_agent = |lane: &Lane| matches!(lane.phase, Phase::FollowingUp(_) | Phase::Claiming | Phase::Committing(_));
            let under_way = self.lanes.iter().enumerate().filter(|(_, lane)| is_without_agent(lane));
            effects.extend(under_way.map(|(at, _)| (number(at), Effect::Cancel)));
        }
    }

    /// The dollars that a lane may take, 0 if there is no limit; `None` if busy lanes may use up everything that is left. An agent that
    /// gets less than an iteration costs would overspend, or end in the middle: it waits instead while others are busy.
    pub(super) fn room(&self, at: usize) -> Option<f64> {
        let others = || self.lanes.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, lane)| lane);
        let busy = others().filter(|lane| lane.is_busy()).count();
        let under_way = u32::try_from(busy).unwrap_or(u32::MAX);
        if self.config.limits.max_iterations.is_some_and(|max| self.iterations.saturating_add(under_way) >= max) {
            return None;
        }
        let Some(max) = self.config.limits.max_usd else { return Some(0.0) };
        let left = max - self.cost_usd - others().map(Lane::taken_usd).sum::<f64>();
        let free = others().filter(|lane| !lane.is_busy() && !lane.is_over()).count() + 1;
        let wanted = (left / free as f64).max(self.dearest_usd.unwrap_or(UNKNOWN_USD)).max(LEAST_USD);
        if busy > 0 && left < wanted { None } else { Some(wanted.min(left).max(LEAST_USD)) }
    }

    /// Dollars reserved for a lane's iteration that are left for what follows from its work, once it has used `used`; `None` = no limit.
    pub fn left_usd(&self, lane: LaneNumber, used: f64) -> Option<f64> {
        let reserved = self.lanes.get(place(lane)).map_or(0.0, |lane| lane.reserved_usd);
        self.config.limits.max_usd.map(|_| reserved - used)
    }

    /// Iterations that may begin after those in progress, as far as is known; 0 once the run is to pause or to end.
    pub fn iterations_left(&self) -> u32 {
        if self.over.is_some() || self.control != RunControl::None || self.config.only_task.is_some() {
            return 0;
        }
        let busy = u32::try_from(self.lanes.iter().filter(|lane| lane.is_busy()).count()).unwrap_or(u32::MAX);
        self.config.limits.max_iterations.map_or(u32::MAX, |max| max.saturating_sub(self.iterations).saturating_sub(busy))
    }

    /// Why nothing more is claimed in any lane: a person's stop, then what ended the run, the limits, a stall.
    pub(super) fn reason_to_end(&self, now: Timestamp) -> Option<(StopReason, Option<String>)> {
        let RunLimits { max_iterations, max_minutes, max_usd } = self.config.limits;
        match self.control {
            RunControl::StopNow => return Some((StopReason::StoppedNow, None)),
            RunControl::StopAfter => return Some((StopReason::StoppedAfterIteration, None)),
            RunControl::Pause | RunControl::None => {}
        }
        if let Some(over) = &self.over {
            return Some(over.clone());
        }
        if let Some(max) = max_usd.filter(|max| self.cost_usd >= *max) {
            return Some((StopReason::MaxUsd, Some(format!("{} of {} were spent", dollars(self.cost_usd, 0, 2), dollars(max, 0, 2)))));
        }
        if let Some(max) = max_minutes.filter(|_| self.minutes_are_over(now)) {
            return Some((StopReason::MaxMinutes, Some(format!("the run's limit is {max} min"))));
        }
        if let Some(max) = max_iterations.filter(|max| self.iterations >= *max) {
            return Some((StopReason::MaxIterations, Some(format!("the run's limit of iterations is {max}"))));
        }
        self.stalled(self.idle_iterations.saturating_sub(self.idle_of_blocked))
    }

    /// The end of a run after so many attempts in a row without effect, if these are a stall.
    pub(super) fn stalled(&self, idle: u32) -> Option<(StopReason, Option<String>)> {
        self.config.stall_stop.filter(|max| idle >= (*max).max(1))?;
        Some((StopReason::Stalled, Some(super::settle::stall_note(self.idle_iterations))))
    }

    /// Whether an agent ended because it used up its share of the run's dollars: that is not a limit of its own, so the attempt did not
    /// fail. If a helper used them up, the agent ends as if it had completed. What it said about its task by then is judged, if possible.
    pub(super) fn met_its_dollars(&self, at: usize, claim: &Claim, exit: &AgentExit) -> bool {
        let reserved_usd = self.lanes[at].reserved_usd;
        let is_met = match exit.ending {
            Ending::MaxBudget => true,
            Ending::Completed => exit.usage.cost_usd.is_some_and(|cost| cost >= reserved_usd),
            _ => false,
        };
        let is_judged = match judge::last_claim(claim, exit) {
            Some(true) => self.config.has_check || exit.ending == Ending::Completed,
            Some(false) => true,
            None => false,
        };
        self.config.limits.max_usd.is_some() && is_met && !is_judged
    }
}
