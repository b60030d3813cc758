//! Periodic checks of the driver: the clock, its row with a person's requests, and the agents' usage.

use super::caught::not_now;
use super::{Driver, USAGE_MILLIS};
use crate::app::App;
use crate::error::Result;
use agent_cli::StopCause;
use ralph_core::IterationId;
use ralph_core::limits;
use ralph_core::run::RunControl;
use ralph_core::run::machine::{Event, LaneNumber, Setback};
use ralph_core::signal::{AgentSignal, TranscriptEntry, TranscriptSignal, Usage};
use ralph_core::time::Timestamp;

/// A person's requests to a run and its lanes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    pub run: Option<RunControl>,
    pub lanes: Vec<(LaneNumber, RunControl)>,
}

impl Driver {
    /// Checks the row (a person's requests), the clock and the lease; makes log entries visible to readers.
    pub(super) async fn look(&mut self) -> Result<()> {
        self.flush_logs();
        // SQLite would continue with a file that was moved or deleted, and the agent with an invisible folder.
        self.app.db.still_there()?;
        let now = self.app.clock.steady();
        if self.wake.is_some_and(|time| time <= now) {
            self.wake = None;
            self.put(Event::Tick);
        }
        let id = self.prepared.run.id;
        if now.millis_since(self.beat) >= limits::HEARTBEAT_MILLIS {
            self.beat = now;
            agent_cli::reap_adopted();
            // Only an observer on another machine needs it: it does not wait, and the next one may succeed.
            self.blocking(move |app| app.beat(id).or_else(|error| not_now("no heartbeat", &error))).await?;
            self.put(Event::Tick);
        }
        self.do_what_waits(now).await;
        self.keep_usages(now).await?;
        match self.wishes_in_rows().await {
            Ok(Some(wishes)) => self.take_wishes(wishes),
            Ok(None) => {}
            Err(error) => {
                // Checked again in a moment. The watch has already reported the change, so a new one is created.
                self.watch = None;
                tracing::warn!("the run's row could not be read: {error}");
            }
        }
        Ok(())
    }

    fn take_wishes(&mut self, wishes: Wishes) {
        if let Some(control) = wishes.run
            && self.control != RunControl::StopNow
            && control != self.control
        {
            self.wish(control);
        }
        for (lane, control) in wishes.lanes {
            let known = self.lane_controls.insert(lane, control).unwrap_or(RunControl::None);
            if known == control {
                continue;
            }
            if control == RunControl::StopNow
                && let Some(stopped) = self.lanes.iter().find(|known| known.number == lane)
                && stopped.agent.is_none()
            {
                stopped.stop.stop(StopCause::Person);
            }
            self.queue.push_back((lane, Event::LaneControl(control)));
        }
    }

    /// Handles a request to the whole run.
    pub(super) fn wish(&mut self, control: RunControl) {
        self.control = control;
        if control == RunControl::StopNow {
            // Stops the preparation of checkouts; agents and checks are stopped by the machine's effects.
            self.lanes
                .iter()
                .filter(|lane| lane.agent.is_none() && lane.current.is_none())
                .for_each(|lane| lane.stop.stop(StopCause::Person));
        }
        self.put(Event::Control(control));
    }

    /// A person's requests, if something was committed since the last check.
    async fn wishes_in_rows(&mut self) -> Result<Option<Wishes>> {
        let watch = match &mut self.watch {
            Some(watch) => watch,
            none => none.insert(self.app.db.watch()?),
        };
        if !watch.moved()? {
            return Ok(None);
        }
        let id = self.prepared.run.id;
        let rows = self.blocking(move |app| app.db.read(|r| Ok((r.run(id)?, r.lane_controls(id)?)))).await?;
        Ok(Some(Wishes { run: Some(rows.0.map_or(RunControl::StopNow, |run| run.control)), lanes: rows.1 }))
    }

    /// Writes the agents' usage so far, for observers, and for whoever recovers their iterations without logs.
    async fn keep_usages(&mut self, now: Timestamp) -> Result<()> {
        let mut used: Vec<(IterationId, Usage)> = Vec::new();
        for lane in &mut self.lanes {
            let (Some(current), Some(so_far)) = (&mut lane.current, self.machine.used(lane.number)) else { continue };
            let (written, tried) = &mut current.used;
            if so_far != *written && now.millis_since(*tried) >= USAGE_MILLIS {
                *tried = now;
                used.push((current.claim.iteration, so_far));
            }
        }
        if used.is_empty() {
            return Ok(());
        }
        let to_write = used.clone();
        let kept = self.blocking(move |app| app.keep_usage(&to_write)).await;
        let kept = kept.or_else(|error| not_now("the cost so far is not shown", &error).map(|()| false))?;
        for current in self.lanes.iter_mut().filter_map(|lane| lane.current.as_mut()).filter(|_| kept) {
            // What was not written is due again soon, even if the agent says nothing further.
            if let Some((_, so_far)) = used.iter().find(|(iteration, _)| *iteration == current.claim.iteration) {
                current.used.0 = *so_far;
            }
        }
        Ok(())
    }

    /// Converts a monotonic time to wall-clock time, as far as possible at the moment.
    pub(super) fn as_people_read(&self, steady: Timestamp) -> Timestamp {
        let clock = &self.app.clock;
        Timestamp(steady.0.saturating_add(clock.now().0.saturating_sub(clock.steady().0)))
    }

    /// Logs a signal of an agent, and returns it for the machine.
    pub(super) async fn hear(&mut self, lane: LaneNumber, signal: AgentSignal) -> Event {
        let at = self.app.clock.now();
        let signal = signal.dated(at);
        let entry = TranscriptEntry { at, signal: TranscriptSignal::Agent { signal: signal.clone() } };
        self.log(lane, entry).await;
        Event::Signal(self.by_the_steady_clock(signal))
    }

    /// The signal with its times converted to the monotonic clock, which the machine uses.
    fn by_the_steady_clock(&self, signal: AgentSignal) -> AgentSignal {
        match signal {
            AgentSignal::RateLimit { rejected, resets_at, resets_in_ms, limit } => {
                AgentSignal::RateLimit { rejected, resets_at: resets_at.map(|at| self.steadily(at)), resets_in_ms, limit }
            }
            other => other,
        }
    }

    /// The same for the usage limit that an errand met.
    pub(super) fn setback_by_the_steady_clock(&self, setback: Setback) -> Setback {
        match setback {
            Setback::Limit { resets_at } => Setback::Limit { resets_at: resets_at.map(|at| self.steadily(at)) },
            Setback::Offline => Setback::Offline,
        }
    }

    fn steadily(&self, at: Timestamp) -> Timestamp {
        let clock = &self.app.clock;
        Timestamp(at.0.saturating_sub(clock.now().0.saturating_sub(clock.steady().0)))
    }
}

impl App {
    /// Writes the usage of running agents so far, unless somebody else is writing; returns whether it did. Costs are estimates by the
    /// models that answered.
    fn keep_usage(&self, used: &[(IterationId, Usage)]) -> Result<bool> {
        let Some(mut writer) = self.db.try_writer()? else { return Ok(false) };
        writer.transaction(|tx| used.iter().try_for_each(|(iteration, used)| tx.set_usage(*iteration, used)))?;
        Ok(true)
    }
}
