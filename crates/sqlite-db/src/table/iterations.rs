//! `iterations`, their hook notes and signals. A running iteration is the claim on its task as long as its run's owner is alive, which the
//! lock shows, or the heartbeat where the lock can't be queried.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::recall::ToldMemory;
use ralph_core::run::{Evidence, HookNote, Iteration, Outcome, name_snapshots};
use ralph_core::sigil::Difficulty;
use ralph_core::signal::Usage;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, RunId, TaskId};
use rusqlite::{OptionalExtension as _, Row, params};
use std::collections::BTreeMap;

/// Newest tasks among which an iteration's are looked for: more than a run makes.
const NEWEST_TASKS: u32 = 500;

const COLUMNS: &str = "SELECT id, run_id, number, task_id, task_title, attempt, model, outcome, note, input_tokens, output_tokens,
    cache_read_tokens, cache_write_tokens, cost_usd, cost_estimated, unpriced, rationale, withheld, held_out, difficulty, denials, evidence, told, exit_code, started, ended,
    saturation_before, saturation_after, split_task, lane, worktree, scheduled FROM iterations";

/// Input to start an iteration.
#[derive(Debug, Clone)]
pub struct NewIteration {
    /// The run.
    pub run: RunId,
    /// The task.
    pub task: TaskId,
    /// Its title now.
    pub task_title: String,
    /// Number of the attempt, if it becomes one.
    pub attempt: u32,
    /// Requested model.
    pub model: String,
    /// Why that model.
    pub rationale: String,
    /// Whether it is held out from learnings, so that their effect can be measured.
    pub held_out: bool,
    /// Lane of the run, from 1.
    pub lane: u32,
    /// Why this task was chosen, where the order of the list does not explain it.
    pub scheduled: Option<String>,
}

/// Result of an ended iteration.
#[derive(Debug, Clone)]
pub struct SettledIteration {
    /// Which.
    pub id: IterationId,
    /// Its outcome.
    pub outcome: Outcome,
    /// Why, in a sentence.
    pub note: Option<String>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// Tools that the agent was denied.
    pub denials: Vec<String>,
    /// Its changes in the repository.
    pub evidence: Evidence,
    /// Exit code of the agent.
    pub exit_code: Option<i32>,
    /// How hard its agent found the task.
    pub difficulty: Option<Difficulty>,
    /// Model that its agent requests for the next attempt.
    pub next_model: Option<String>,
}

/// Files that an iteration changed, and its time span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentChanges {
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// Relative to the repository.
    pub files: Vec<String>,
}

fn read_evidence(r: &Row<'_>) -> Result<Evidence> {
    // A running iteration has none yet.
    let stored: String = r.get("evidence")?;
    if stored == "{}" { Ok(Evidence::default()) } else { row::from_json("evidence", &name_snapshots(r.get("id")?, stored)) }
}

/// An iteration from a row with all columns.
pub(super) fn read_row(r: &Row<'_>) -> Result<Iteration> {
    let evidence = read_evidence(r)?;
    Ok(Iteration {
        id: r.get("id")?,
        run: r.get("run_id")?,
        number: r.get("number")?,
        task: r.get("task_id")?,
        task_title: r.get("task_title")?,
        attempt: r.get("attempt")?,
        model: r.get("model")?,
        rationale: r.get("rationale")?,
        outcome: row::word(r, "outcome")?,
        note: r.get("note")?,
        usage: Usage {
            input_tokens: r.get("input_tokens")?,
            output_tokens: r.get("output_tokens")?,
            cache_read_tokens: r.get("cache_read_tokens")?,
            cache_write_tokens: r.get("cache_write_tokens")?,
            cost_usd: r.get("cost_usd")?,
            cost_estimated: r.get("cost_estimated")?,
            unpriced: r.get("unpriced")?,
        },
        denials: row::json(r, "denials")?,
        evidence,
        told: row::json(r, "told")?,
        withheld: row::json(r, "withheld")?,
        held_out: r.get("held_out")?,
        difficulty: row::word_opt(r, "difficulty")?,
        saturation_before: r.get("saturation_before")?,
        saturation_after: r.get("saturation_after")?,
        split_task: r.get("split_task")?,
        exit_code: r.get("exit_code")?,
        started: row::time(r, "started")?,
        ended: row::time_opt(r, "ended")?,
        lane: r.get("lane")?,
        worktree: r.get("worktree")?,
        scheduled: r.get("scheduled")?,
    })
}

impl Read<'_> {
    /// One iteration.
    pub fn iteration(&self, id: IterationId) -> Result<Option<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Iterations by their ids, unordered; unknown ids are skipped.
    pub fn iterations_by_id(&self, ids: &[IterationId]) -> Result<Vec<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE id IN (SELECT value FROM json_each(?1))"))?;
        statement.query_and_then([row::to_json(&ids)], read_row)?.collect()
    }

    /// Iterations of a run, newest first.
    pub fn iterations_of_run(&self, run: RunId, limit: u32) -> Result<Vec<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE run_id = ?1 ORDER BY number DESC LIMIT ?2"))?;
        statement.query_and_then([run, limit], read_row)?.collect()
    }

    /// Iterations on a task, newest first.
    pub fn iterations_of_task(&self, task: TaskId, limit: u32) -> Result<Vec<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE task_id = ?1 ORDER BY id DESC LIMIT ?2"))?;
        statement.query_and_then([task, limit], read_row)?.collect()
    }

    /// When each memory was last included in a prompt, by id.
    pub fn last_told(&self) -> Result<BTreeMap<String, Timestamp>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT json_extract(told.value, '$.id') AS id, max(i.started) AS at FROM iterations i, json_each(i.told) told GROUP BY 1",
        )?;
        statement.query_and_then([], |r| Ok((r.get("id")?, row::time(r, "at")?)))?.collect()
    }

    /// Every iteration, oldest first.
    pub fn all_iterations(&self) -> Result<Vec<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} ORDER BY id"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// The last iteration that completed each of the given tasks.
    pub fn finishing_iterations(&self, tasks: &[TaskId]) -> Result<Vec<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE id IN (SELECT max(id) FROM iterations WHERE outcome = 'done' AND task_id IN (SELECT value FROM json_each(?1)) GROUP BY task_id)"
        ))?;
        statement.query_and_then([row::to_json(&tasks)], read_row)?.collect()
    }

    /// The running iteration of a task.
    pub fn running_iteration_of(&self, task: TaskId) -> Result<Option<IterationId>> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM iterations WHERE task_id = ?1 AND outcome = 'running'")?;
        Ok(statement.query_row([task], |r| r.get(0)).optional()?)
    }

    /// Iterations of a run that were never settled.
    pub fn running_iterations(&self, run: RunId) -> Result<Vec<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE run_id = ?1 AND outcome = 'running'"))?;
        statement.query_and_then([run], read_row)?.collect()
    }

    /// The running iterations of all runs.
    pub fn all_running_iterations(&self) -> Result<Vec<Iteration>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE outcome = 'running' ORDER BY +id"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// Attempts at a task that ended.
    pub fn attempts_at(&self, task: TaskId) -> Result<u32> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT count(*) FROM iterations WHERE task_id = ?1 AND outcome IN ('done', 'failed', 'no_sigil', 'error')")?;
        Ok(statement.query_row([task], |r| r.get(0))?)
    }

    /// Iterations on a task during which an agent remarked on it, or made a task. An agent in another lane may have made that task: no row
    /// says whose it is.
    pub fn remarking_iterations(&self, task: TaskId) -> Result<Vec<IterationId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT i.id FROM iterations i WHERE i.task_id = ?1 AND (
                 EXISTS (SELECT 1 FROM task_comments c WHERE c.task_id = i.task_id AND c.author = 'agent'
                     AND c.created >= i.started AND (i.ended IS NULL OR c.created <= i.ended))
                 OR EXISTS (SELECT 1 FROM tasks t WHERE t.id > (SELECT coalesce(max(id), 0) FROM tasks) - ?2 AND t.provenance = 'agent'
                     AND t.created >= i.started AND (i.ended IS NULL OR t.created <= i.ended)))",
        )?;
        Ok(statement.query_map([task, NEWEST_TASKS], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Iterations on a task that added a learning.
    pub fn teaching_iterations(&self, task: TaskId) -> Result<Vec<IterationId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT iteration FROM memories WHERE task_id = ?1 AND kind = 'learning' AND iteration IS NOT NULL
                 AND (replica = (SELECT value FROM meta WHERE key = 'replica')
                     OR replica IS NULL AND EXISTS (SELECT 1 FROM meta WHERE key = 'adopts_unknown'))
             UNION SELECT json_extract(line, '$.learning.iteration') FROM staged
             WHERE worktree_id IN (SELECT id FROM worktrees WHERE task_id = ?1) AND json_extract(line, '$.learning.iteration') IS NOT NULL",
        )?;
        Ok(statement.query_map([task], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// What the iterations from one on left on which git remarked.
    pub fn remarked_on_since(&self, first: IterationId) -> Result<Vec<Evidence>> {
        let sql = "SELECT id, evidence FROM iterations WHERE id >= ?1 AND json_array_length(evidence, '$.remarks') > 0";
        self.connection.prepare_cached(sql)?.query_and_then([first], read_evidence)?.collect()
    }

    /// The files changed by finished iterations in a worktree, or in place, that ended after a time: at most `limit`, the newest.
    pub fn changes_since(&self, since: Timestamp, worktree: Option<&str>, limit: u32) -> Result<Vec<RecentChanges>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT started, ended, json_extract(evidence, '$.changed_files') AS files FROM iterations WHERE ended >= ?1 AND worktree IS ?2
             ORDER BY id DESC LIMIT ?3",
        )?;
        let read = |r: &Row<'_>| -> Result<RecentChanges> {
            let files: Option<String> = r.get("files")?;
            let files = if files.is_some() { row::json(r, "files")? } else { Vec::new() };
            Ok(RecentChanges { started: row::time(r, "started")?, ended: row::time(r, "ended")?, files })
        };
        statement.query_and_then(params![since.0, worktree, limit], read)?.collect()
    }

    /// The files changed by earlier iterations on these tasks.
    pub fn files_changed_for(&self, tasks: &[TaskId]) -> Result<BTreeMap<TaskId, Vec<String>>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT i.task_id, f.value FROM json_each(?1) t JOIN iterations i ON i.task_id = t.value,
                 json_each(json_extract(i.evidence, '$.changed_files')) f WHERE i.ended IS NOT NULL",
        )?;
        let mut files: BTreeMap<TaskId, Vec<String>> = BTreeMap::new();
        for row in statement.query_map([row::to_json(&tasks)], |r| Ok((r.get(0)?, r.get(1)?)))? {
            let (task, file) = row?;
            files.entry(task).or_default().push(file);
        }
        Ok(files)
    }

    /// The decision of each hook.
    pub fn hook_notes(&self, iteration: IterationId) -> Result<Vec<HookNote>> {
        let mut statement =
            self.connection.prepare_cached("SELECT hook, applied, note FROM hook_notes WHERE iteration_id = ?1 ORDER BY place")?;
        let rows = statement.query_map([iteration], |r| Ok(HookNote { hook: r.get(0)?, applied: r.get(1)?, note: r.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Starts an iteration and returns its number, unique across runs. A second one on the same task is a unique violation.
    pub fn insert_iteration(&self, new: &NewIteration, at: Timestamp) -> Result<IterationId> {
        self.connection
            .prepare_cached(
                "INSERT INTO iterations (run_id, number, task_id, task_title, attempt, model, outcome, started, rationale, held_out, lane, scheduled)
                 VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM iterations WHERE run_id = ?1), ?2, ?3, ?4, ?5, 'running', ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                new.run,
                new.task,
                new.task_title,
                new.attempt,
                new.model,
                at.0,
                new.rationale,
                new.held_out,
                new.lane,
                new.scheduled
            ])?;
        Ok(IterationId::try_from(self.connection.last_insert_rowid()).unwrap_or(IterationId::MAX))
    }

    /// Stores which memories the prompt includes, and which it would include without the hold-out.
    pub fn set_told(&self, id: IterationId, told: &[ToldMemory], withheld: &[ToldMemory]) -> Result<()> {
        self.connection.prepare_cached("UPDATE iterations SET told = ?2, withheld = ?3 WHERE id = ?1")?.execute(params![
            id,
            row::to_json(&told),
            row::to_json(&withheld)
        ])?;
        Ok(())
    }

    /// Stores the state of the repository before the agent starts.
    pub fn set_evidence(&self, id: IterationId, evidence: &Evidence) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE iterations SET evidence = ?2 WHERE id = ?1 AND outcome = 'running'")?
            .execute(params![id, row::to_json(evidence)])?;
        Ok(())
    }

    /// Stores its worktree before its agent starts.
    pub fn set_worktree(&self, id: IterationId, worktree: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE iterations SET worktree = ?2 WHERE id = ?1")?.execute(params![id, worktree])?;
        Ok(())
    }

    /// Stores the saturation of the feature's knowledge when an iteration begins, in percent.
    pub fn set_saturation_before(&self, id: IterationId, percent: u32) -> Result<()> {
        self.connection.prepare_cached("UPDATE iterations SET saturation_before = ?2 WHERE id = ?1")?.execute([id, percent])?;
        Ok(())
    }

    /// Stores the saturation when the iteration is settled, and the split task that it caused.
    pub fn set_saturation_after(&self, id: IterationId, percent: u32, split_task: Option<TaskId>) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE iterations SET saturation_after = ?2, split_task = ?3 WHERE id = ?1")?
            .execute(params![id, percent, split_task])?;
        Ok(())
    }

    /// Stores the usage of a running iteration so far.
    pub fn set_usage(&self, id: IterationId, usage: &Usage) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE iterations SET input_tokens = ?2, output_tokens = ?3, cache_read_tokens = ?4, cache_write_tokens = ?5,
                     cost_usd = ?6, cost_estimated = ?7, unpriced = ?8
                 WHERE id = ?1 AND outcome = 'running'",
            )?
            .execute(params![
                id,
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_write_tokens,
                usage.cost_usd,
                usage.cost_estimated,
                usage.unpriced
            ])?;
        Ok(())
    }

    /// Settles a running iteration; returns whether it was running (a second settlement changes nothing).
    pub fn settle_iteration(&self, settled: &SettledIteration, at: Timestamp) -> Result<bool> {
        let usage = &settled.usage;
        let count = self
            .connection
            .prepare_cached(
                "UPDATE iterations SET outcome = ?2, note = ?3, input_tokens = ?4, output_tokens = ?5, cache_read_tokens = ?6,
                     cache_write_tokens = ?7, cost_usd = ?8, denials = ?9, evidence = ?10, exit_code = ?11, ended = ?12,
                     attempt = CASE WHEN ?13 THEN attempt END, cost_estimated = ?14, difficulty = ?15, next_model = ?16,
                     unpriced = ?17
                 WHERE id = ?1 AND outcome = 'running'",
            )?
            .execute(params![
                settled.id,
                settled.outcome.as_str(),
                settled.note,
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_write_tokens,
                usage.cost_usd,
                row::to_json(&settled.denials),
                row::to_json(&settled.evidence),
                settled.exit_code,
                at.0,
                settled.outcome.is_attempt(),
                usage.cost_estimated,
                settled.difficulty.map(|d| d.as_str()),
                settled.next_model,
                usage.unpriced
            ])?;
        if count > 0 && !settled.outcome.is_attempt() {
            // Whether it was used is not known: the next iteration gets it again.
            self.connection.prepare_cached("UPDATE guidance SET iteration_id = NULL WHERE iteration_id = ?1")?.execute([settled.id])?;
        }
        Ok(count > 0)
    }

    /// Stores the decision of each hook.
    pub fn insert_hook_notes(&self, iteration: IterationId, notes: &[HookNote]) -> Result<()> {
        let mut statement = self
            .connection
            .prepare_cached("INSERT INTO hook_notes (iteration_id, place, hook, applied, note) VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (place, note) in notes.iter().enumerate() {
            statement.execute(params![iteration, place as i64, note.hook, note.applied, note.note])?;
        }
        Ok(())
    }
}
