//! `runs`: from one start of the loop to its stop. Pause and stop go through the row, so that any process can request them.

use super::errands::UNPRICED as ERRAND_UNPRICED;
use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::RunId;
use ralph_core::run::owner::Owner;
use ralph_core::run::{AgentKind, Run, RunControl, RunLimits, RunResult, RunState, StopReason};
use ralph_core::strategy::Strategy;
use ralph_core::time::Timestamp;
use rusqlite::{Params, Row, params};
use std::collections::BTreeMap;

/// Whether an iteration `i` of a run `r` used something of unknown cost, besides what is known. Some agents report their usage at the end
/// of a turn or a step, and not when they are killed before that; one that ended by itself, such as one that could not start, has reported
/// everything.
pub(super) const UNPRICED: &str = "(i.unpriced OR (i.cost_usd IS NULL AND i.input_tokens + i.output_tokens > 0)
    OR (r.agent IN ('codex', 'opencode') AND (i.outcome = 'stopped' OR i.outcome = 'interrupted' AND i.exit_code IS NULL)))";

/// Outcomes that the limit of iterations does not count.
pub(super) const UNCOUNTED: &str = "('rate_limited', 'network')";

/// A run with what its iterations cost, and the errands that its work caused.
const COLUMNS: &str = "SELECT r.id, r.agent, r.model, r.only_task, r.max_iterations, r.max_minutes, r.max_usd, r.check_command, r.strategy, r.hold_out, r.state,
    r.control, r.waiting_until, r.stop_reason, r.note, r.owner_pid, r.started, r.ended, r.workers,
    (SELECT count(*) FROM iterations i WHERE i.run_id = r.id) AS iterations,
    (SELECT total(i.cost_usd) FROM iterations i WHERE i.run_id = r.id)
      + (SELECT total(e.cost_usd) FROM errands e WHERE e.run_id = r.id) AS cost_usd,
    (SELECT total(i.cost_usd) FROM iterations i WHERE i.run_id = r.id AND i.cost_estimated = 1)
      + (SELECT total(e.cost_usd) FROM errands e WHERE e.run_id = r.id AND e.usage ->> 'cost_estimated') AS estimated_usd,
    (SELECT total(e.cost_usd) FROM errands e WHERE e.run_id = r.id) AS errands_usd";

/// Rows of runs.
fn columns() -> String {
    format!(
        "{COLUMNS}, (SELECT count(*) FROM iterations i WHERE i.run_id = r.id AND {UNPRICED})
           + (SELECT count(*) FROM errands e WHERE e.run_id = r.id AND {ERRAND_UNPRICED}) AS unpriced,
         (SELECT count(*) FROM iterations i WHERE i.run_id = r.id AND i.outcome IN {UNCOUNTED}) AS uncounted FROM runs r"
    )
}

/// Input to start a run.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The folder of the checkout that it was started in.
    pub checkout: String,
    /// Whether agents may work in that folder itself.
    pub in_place: bool,
    /// Which of the runs' locks its process holds, from 0.
    pub slot: u32,
    /// Which agent.
    pub agent: AgentKind,
    /// Model.
    pub model: String,
    /// Work on this task only.
    pub only_task: Option<u32>,
    /// Its limits.
    pub limits: RunLimits,
    /// Command that must pass.
    pub check: Option<String>,
    /// How the model of each attempt is chosen.
    pub strategy: Strategy,
    /// Percent of attempts held out.
    pub hold_out: u32,
    /// Number of concurrent agents.
    pub workers: u32,
    /// Owning process.
    pub owner: Owner,
}

impl NewRun {
    /// A run of the scripted agent in place, without limits and without an owner: what tests and measurements begin with.
    pub fn scripted(checkout: &str) -> NewRun {
        NewRun {
            checkout: checkout.to_owned(),
            in_place: true,
            slot: 0,
            agent: AgentKind::Scripted,
            model: String::new(),
            only_task: None,
            limits: RunLimits { max_iterations: None, max_minutes: None, max_usd: None },
            check: None,
            strategy: Strategy::Escalate,
            hold_out: 0,
            workers: 1,
            owner: Owner::default(),
        }
    }
}

/// A run that is not over or still holds a task, with what is needed to tell whether its owner is alive.
#[derive(Debug, Clone)]
pub struct RunOwner {
    /// The run.
    pub run: RunId,
    /// Whether it is over: then it has no owner.
    pub over: bool,
    /// Which of the runs' locks its process holds.
    pub slot: u32,
    /// Number of the process that drives it.
    pub pid: u32,
    /// That process; `None` in runs of earlier versions.
    pub owner: Option<Owner>,
    /// Its last heartbeat.
    pub heartbeat: Timestamp,
}

fn read_row(r: &Row<'_>) -> Result<Run> {
    Ok(Run {
        id: r.get("id")?,
        agent: row::word(r, "agent")?,
        model: r.get("model")?,
        strategy: row::word(r, "strategy")?,
        hold_out: r.get("hold_out")?,
        task: r.get("only_task")?,
        limits: RunLimits { max_iterations: r.get("max_iterations")?, max_minutes: r.get("max_minutes")?, max_usd: r.get("max_usd")? },
        check: r.get("check_command")?,
        state: row::word(r, "state")?,
        control: row::word(r, "control")?,
        waiting_until: row::time_opt(r, "waiting_until")?,
        stop_reason: row::word_opt(r, "stop_reason")?,
        note: r.get("note")?,
        iterations: r.get("iterations")?,
        uncounted: r.get("uncounted")?,
        cost: row::cost(r)?,
        started: row::time(r, "started")?,
        ended: row::time_opt(r, "ended")?,
        owner_pid: r.get("owner_pid")?,
        workers: r.get("workers")?,
    })
}

impl Read<'_> {
    /// Runs, newest first.
    pub fn runs(&self, limit: u32) -> Result<Vec<Run>> {
        let mut statement = self.connection.prepare_cached(&format!("{} ORDER BY r.id DESC LIMIT ?1", columns()))?;
        statement.query_and_then([limit], read_row)?.collect()
    }

    /// One run.
    pub fn run(&self, id: RunId) -> Result<Option<Run>> {
        let mut statement = self.connection.prepare_cached(&format!("{} WHERE r.id = ?1", columns()))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// How these runs came out, as recorded at their end.
    pub fn run_results(&self, runs: &[Run]) -> Result<BTreeMap<RunId, RunResult>> {
        let oldest = runs.iter().map(|run| run.id).min().unwrap_or(RunId::MAX);
        let mut statement = self.connection.prepare_cached("SELECT id, result FROM runs WHERE id >= ?1 AND result IS NOT NULL")?;
        statement.query_and_then([oldest], |r| Ok((r.get("id")?, row::word(r, "result")?)))?.collect()
    }

    /// The runs that are not over, the newest first.
    pub fn active_runs(&self) -> Result<Vec<Run>> {
        // The plus keeps SQLite from walking all runs in the order of their numbers: the index of those that are not over is short.
        self.runs_found("SELECT id FROM runs WHERE ended IS NULL ORDER BY +id DESC", [])
    }

    /// The run that ended last, whenever it was started. A clock may have been ahead, so times order only those runs that ended between the
    /// same starts.
    pub fn last_ended_run(&self) -> Result<Option<Run>> {
        let last = "SELECT id FROM runs WHERE ended IS NOT NULL ORDER BY newest_at_end DESC, ended DESC, id DESC LIMIT 1";
        Ok(self.runs_found(last, [])?.pop())
    }

    /// The runs that ended after the last start of any run: nobody has gone on since. Newest first.
    pub fn runs_not_followed(&self) -> Result<Vec<Run>> {
        self.runs_found(
            "SELECT id FROM runs r WHERE ended IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs n WHERE n.id > r.newest_at_end) ORDER BY id DESC",
            [],
        )
    }

    /// Whether any run or errand is not over.
    pub fn is_at_work(&self) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM runs WHERE ended IS NULL) OR EXISTS (SELECT 1 FROM errands WHERE state = 'running')",
        )?;
        Ok(statement.query_row([], |r| r.get(0))?)
    }

    /// The run that is not over and whose agents may work in `checkout` itself.
    pub fn active_run_in(&self, checkout: &str) -> Result<Option<Run>> {
        Ok(self.runs_found("SELECT id FROM runs WHERE ended IS NULL AND in_place = 1 AND checkout = ?1", [checkout])?.pop())
    }

    /// The runs whose numbers this statement finds, in its order. If there are none, the statement for whole rows with their sums, which
    /// takes SQLite longer to compile, is not needed.
    fn runs_found(&self, which: &str, values: impl Params) -> Result<Vec<Run>> {
        let ids: Vec<RunId> = self.connection.prepare_cached(which)?.query_map(values, |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(&format!("{} WHERE r.id IN (SELECT value FROM json_each(?1))", columns()))?;
        let rows = statement.query_and_then([row::to_json(&ids)], read_row)?.map(|run| run.map(|run| (run.id, run)));
        let mut found: BTreeMap<RunId, Run> = rows.collect::<Result<_>>()?;
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// The folder of the checkout that a run was started in.
    pub fn checkout_of_run(&self, id: RunId) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached("SELECT checkout FROM runs WHERE id = ?1")?;
        Ok(statement.query_map([id], |r| r.get(0))?.next().transpose()?)
    }

    /// The folders of checkouts that agents work in right now, other than worktrees of Ralph's.
    pub fn places_at_work(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT r.checkout FROM iterations i JOIN runs r ON r.id = i.run_id
             WHERE i.outcome = 'running' AND i.worktree IS NULL AND r.in_place = 1",
        )?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// A person's requests to single lanes of a run.
    pub fn lane_controls(&self, id: RunId) -> Result<Vec<(u32, RunControl)>> {
        let mut statement = self.connection.prepare_cached("SELECT lane, control FROM lanes WHERE run_id = ?1 ORDER BY lane")?;
        statement.query_and_then([id], |r| Ok((r.get("lane")?, row::word(r, "control")?)))?.collect()
    }

    /// Dollars of the finished iterations of a run, and of the errands that its work caused.
    pub fn settled_usd(&self, id: RunId) -> Result<f64> {
        let mut statement = self.connection.prepare_cached(
            "SELECT (SELECT total(cost_usd) FROM iterations WHERE run_id = ?1 AND outcome <> 'running')
                 + (SELECT total(cost_usd) FROM errands WHERE run_id = ?1)",
        )?;
        Ok(statement.query_row([id], |r| r.get(0))?)
    }

    /// Runs that are not over or hold a task, with their owners.
    pub fn run_owners(&self) -> Result<Vec<RunOwner>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, ended IS NOT NULL, owner_pid, owner, heartbeat, slot FROM runs WHERE ended IS NULL
             UNION ALL SELECT id, 1, owner_pid, owner, heartbeat, slot FROM runs
                 WHERE ended IS NOT NULL AND id IN (SELECT run_id FROM iterations WHERE outcome = 'running')",
        )?;
        let rows = statement.query_map([], |r| {
            let owner: Option<String> = r.get(3)?;
            // An owner in a newer version's format can't be looked up.
            let owner = owner.and_then(|text| serde_json::from_str(&text).ok());
            Ok(RunOwner { run: r.get(0)?, over: r.get(1)?, pid: r.get(2)?, owner, heartbeat: Timestamp(r.get(4)?), slot: r.get(5)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Starts a run and returns its number. A second one at work in the same checkout is a unique violation.
    pub fn insert_run(&self, new: &NewRun, at: Timestamp) -> Result<RunId> {
        self.connection
            .prepare_cached(
                "INSERT INTO runs (checkout, agent, model, only_task, max_iterations, max_minutes, max_usd, check_command, state,
                     owner_pid, heartbeat, started, strategy, hold_out, owner, workers, slot, in_place)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'running', ?9, ?10, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            )?
            .execute(params![
                new.checkout,
                new.agent.as_str(),
                new.model,
                new.only_task,
                new.limits.max_iterations,
                new.limits.max_minutes,
                new.limits.max_usd,
                new.check,
                new.owner.pid,
                at.0,
                new.strategy.as_str(),
                new.hold_out,
                row::to_json(&new.owner),
                new.workers,
                new.slot,
                new.in_place
            ])?;
        Ok(RunId::try_from(self.connection.last_insert_rowid()).unwrap_or(RunId::MAX))
    }

    /// Changes the state of a run.
    pub fn set_run_state(&self, id: RunId, state: RunState, waiting_until: Option<Timestamp>, note: Option<&str>) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE runs SET state = ?2, waiting_until = ?3, note = ?4 WHERE id = ?1 AND ended IS NULL")?
            .execute(params![id, state.as_str(), waiting_until.map(|t| t.0), note])?;
        Ok(())
    }

    /// Stores a request to a run; returns whether it was not over yet.
    pub fn set_run_control(&self, id: RunId, control: RunControl) -> Result<bool> {
        let count = self
            .connection
            .prepare_cached("UPDATE runs SET control = ?2 WHERE id = ?1 AND ended IS NULL")?
            .execute(params![id, control.as_str()])?;
        Ok(count > 0)
    }

    /// Stores a request to one lane of a run; returns whether the run was not over yet.
    pub fn set_lane_control(&self, id: RunId, lane: u32, control: RunControl) -> Result<bool> {
        let count = self
            .connection
            .prepare_cached(
                "INSERT INTO lanes (run_id, lane, control) SELECT id, ?2, ?3 FROM runs WHERE id = ?1 AND ended IS NULL
                 ON CONFLICT (run_id, lane) DO UPDATE SET control = ?3",
            )?
            .execute(params![id, lane, control.as_str()])?;
        Ok(count > 0)
    }

    /// The owner's heartbeat. Marks no topic: nothing visible on screen has changed.
    pub fn beat(&self, id: RunId, at: Timestamp) -> Result<()> {
        self.connection.prepare_cached("UPDATE runs SET heartbeat = ?2 WHERE id = ?1")?.execute(params![id, at.0])?;
        Ok(())
    }

    /// Ends a run.
    pub fn end_run(&self, id: RunId, reason: StopReason, note: Option<&str>, at: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE runs SET state = 'ended', waiting_until = NULL, stop_reason = ?2, note = ?3, ended = ?4,
                     newest_at_end = (SELECT max(id) FROM runs)
                 WHERE id = ?1 AND ended IS NULL",
            )?
            .execute(params![id, reason.as_str(), note, at.0])?;
        Ok(())
    }

    /// Records how an ended run came out.
    pub fn set_run_result(&self, id: RunId, result: RunResult) -> Result<()> {
        self.connection.prepare_cached("UPDATE runs SET result = ?2 WHERE id = ?1")?.execute(params![id, result.as_str()])?;
        Ok(())
    }
}
