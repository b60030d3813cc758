//! Consequences of a committed iteration for the run: counters, waits, and what a person must fix.

use super::{Effects, Machine};
use crate::limits;
use crate::run::hooks::CutShort;
use crate::run::lane::Settlement;
use crate::run::{Outcome, RunControl, StopReason};
use crate::time::Timestamp;

/// Why a run waits when its provider named a time.
const WAITS_FOR_THE_END: &str = "waits for a usage limit to end";
/// Why it waits where there is no connection.
pub(super) const WAITS_FOR_THE_NETWORK: &str = "waits for the network";

impl Machine {
    /// Counts a committed iteration, then continues or ends.
    pub(super) fn settle(&mut self, at: usize, settled: Settlement, cost_usd: f64, now: Timestamp, effects: &mut Effects) {
        self.heard_usd += settled.heard_usd;
        self.commits += 1;
        // What a lane read before its merge is outdated: others have committed since.
        self.cost_usd = self.cost_usd.max(cost_usd).max(self.heard_usd);
        // An iteration that began before the last setback hit the same one.
        let fresh = self.lanes[at].setbacks == self.setbacks;
        match settled.outcome {
            Outcome::RateLimited => match settled.limited {
                Some(model) if self.goes_on_without(&model, settled.resets_at, fresh, now) => {}
                _ => self.wait_for_limit(settled.resets_at, fresh, now),
            },
            Outcome::Network => {}
            _ => self.iterations = self.iterations.saturating_add(1),
        }
        if settled.outcome.is_attempt() {
            if fresh {
                (self.rate_limits, self.network_failures) = (0, 0);
            }
            // An iteration that is not an attempt neither stalls nor shows progress.
            self.count_idle(settled.idle, settled.blocked);
        }
        let not_begun = matches!(settled.cut_short, Some(CutShort::NotStarted | CutShort::NoCheckout));
        if !not_begun {
            (self.has_worked, self.not_begun) = (true, 0);
        }
        if self.control == RunControl::StopNow || self.lanes[at].control == RunControl::StopNow {
            return self.proceed(at, now, effects);
        }
        if let Some(exposed) = settled.exposed {
            return self.finish(at, StopReason::PrivateFiles, Some(exposed), effects);
        }
        if not_begun && self.has_worked && (!fresh || self.wait_to_begin(now)) {
            return self.proceed(at, now, effects);
        }
        match (settled.cut_short, settled.outcome) {
            (Some(CutShort::NotStarted), _) => self.finish(at, StopReason::AgentUnavailable, Some(settled.detail), effects),
            (Some(CutShort::NoCheckout), _) => self.finish(at, StopReason::NoCheckout, Some(settled.detail), effects),
            (Some(CutShort::MinutesOver), _) => self.finish(at, StopReason::MaxMinutes, None, effects),
            (_, Outcome::Authentication) => {
                self.finish(at, StopReason::Authentication, Some(how_to_log_in(&settled.detail)), effects);
            }
            (None, Outcome::Error) if settled.without_model => {
                self.finish(at, StopReason::AgentUnavailable, Some(how_to_choose(&settled.detail)), effects);
            }
            // A person who kills the agent from outside does not want it restarted at once.
            (None, Outcome::Stopped) => {
                self.finish(at, StopReason::StoppedNow, Some("the agent was interrupted from outside Ralph".to_owned()), effects);
            }
            (None, Outcome::Network) if fresh => match self.wait_for_network(now) {
                true => self.proceed(at, now, effects),
                false => self.finish(at, StopReason::Network, Some(network_note(&settled.detail)), effects),
            },
            _ => self.proceed(at, now, effects),
        }
    }

    /// One task without progress is blocked after as many attempts as make a stall, and the run continues with the others: a second one
    /// in a row is a stall.
    fn count_idle(&mut self, idle: bool, blocked: bool) {
        self.idle_iterations = if idle { self.idle_iterations.saturating_add(1) } else { 0 };
        if !idle {
            self.idle_of_blocked = 0;
        } else if blocked && self.idle_of_blocked == 0 {
            self.idle_of_blocked = self.idle_iterations;
        }
    }

    /// Waits for the next backoff step; `false` after the last.
    fn wait_for_network(&mut self, now: Timestamp) -> bool {
        let Some(wait) = limits::RATE_LIMIT_WAITS_MILLIS.get(self.network_failures) else { return false };
        self.network_failures += 1;
        self.wait_until(now.plus_millis(*wait), WAITS_FOR_THE_NETWORK);
        true
    }

    /// The same where an agent could not be started, or had nowhere to work, though others did before it: nobody may be there to see that
    /// its program was being upgraded, or that git took too long.
    fn wait_to_begin(&mut self, now: Timestamp) -> bool {
        let Some(wait) = limits::BEGIN_WAITS_MILLIS.get(self.not_begun) else { return false };
        self.not_begun += 1;
        self.wait_until(now.plus_millis(*wait), "tries again then to start an agent, which could not be done");
        true
    }

    /// Waits until a plausible reset time, or for the next backoff step.
    fn wait_for_limit(&mut self, resets_at: Option<Timestamp>, fresh: bool, now: Timestamp) {
        let told = told_end(resets_at, now);
        if told.is_none() && !fresh {
            return;
        }
        let (until, why) = end_of_limit(told, if fresh { self.rate_limits } else { 0 }, now);
        if fresh {
            self.rate_limits = self.rate_limits.saturating_add(1);
        }
        // An answer, even a refusal, shows that the network works.
        self.network_failures = 0;
        let known = self.not_before.filter(|_| !fresh).map_or(until, |(known, _)| known.max(until));
        self.wait_until(known, why);
    }

    /// Whether the run continues without a model that is at its own limit, instead of waiting: not if it was used in spite of the limit.
    fn goes_on_without(&mut self, model: &str, resets_at: Option<Timestamp>, fresh: bool, now: Timestamp) -> bool {
        if self.limited.iter().any(|(known, _)| known == model) {
            return !fresh;
        }
        let (until, _) = end_of_limit(told_end(resets_at, now), usize::MAX, now);
        self.limited.push((model.to_owned(), until));
        self.setbacks += 1;
        true
    }

    fn wait_until(&mut self, until: Timestamp, why: &'static str) {
        self.not_before = Some((until, why));
        self.setbacks += 1;
    }
}

/// The reported end of a limit, with a margin, if it is plausible.
pub(super) fn told_end(resets_at: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    let told = resets_at.filter(|at| (1..=limits::RATE_LIMIT_MAX_WAIT_MILLIS).contains(&at.millis_since(now)))?;
    Some(told.plus_millis(limits::RATE_LIMIT_MARGIN_MILLIS))
}

/// Until when to wait after `before` limits in a row, and why.
pub(super) fn end_of_limit(told: Option<Timestamp>, before: usize, now: Timestamp) -> (Timestamp, &'static str) {
    let ladder = limits::RATE_LIMIT_WAITS_MILLIS;
    let step = |number: usize| now.plus_millis(ladder[number.min(ladder.len() - 1)]);
    match (told, before) {
        // The limit outlasted the last time that was named. A provider that keeps naming a few seconds is not asked that often.
        (Some(at), 1..) => (at.max(step(before - 1)), WAITS_FOR_THE_END),
        (Some(at), 0) => (at, WAITS_FOR_THE_END),
        (None, before) => (step(before), "tries again then, whether or not the provider takes requests again"),
    }
}

pub(super) fn stall_note(iterations: u32) -> String {
    format!("{iterations} iterations in a row left no commit, no changed file and nothing new: look at the last one, then start again")
}

fn how_to_log_in(detail: &str) -> String {
    let said = if detail.is_empty() { String::new() } else { format!(" It said: {detail}") };
    format!(
        "the agent's key, login or credit is missing: log in with the agent's own command line, or set its API key, then start again.{said}"
    )
}

fn how_to_choose(detail: &str) -> String {
    format!("the model is not available: name another one with `--model` or in `.ralph/config.toml`, then start again. It said: {detail}")
}

fn network_note(detail: &str) -> String {
    let said = if detail.is_empty() { String::new() } else { format!(" Last error: {detail}") };
    let tries = limits::RATE_LIMIT_WAITS_MILLIS.len() + 1;
    format!("the connection failed {tries} times in a row: check the network, then start again.{said}")
}
