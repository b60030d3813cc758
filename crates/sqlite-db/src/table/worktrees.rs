//! `worktrees`: separate folders for the work on tasks, and the state of that work.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::errand::ErrandId;
use ralph_core::run::Iteration;
use ralph_core::task::TaskProvenance;
use ralph_core::time::Timestamp;
use ralph_core::view::ReviewComment;
use ralph_core::worktree::{Work, Worktree, WorktreeId};
use ralph_core::{RunId, TaskId};
use rusqlite::{Row, params};
use std::collections::BTreeSet;

const COLUMNS: &str =
    "SELECT id, task_id, errand_id, path, branch, base, base_commit, state, port_base, ports, tip, landing, setup_output, refusal,
    merge_check, removed, pruned, made, ended FROM worktrees";

/// Of the worktrees of some work, the one that it is in, or was in last.
const LAST_IN_USE: &str = "ORDER BY ended IS NOT NULL, ended DESC, id DESC LIMIT 1";

/// Which worktrees have a follow-up to be done: their work is in review, and run ?2, or one that has ended, owes it. Work that an errand is
/// busy with is left alone.
const IS_OWED: &str = "state = 'ready' AND EXISTS (SELECT 1 FROM runs r WHERE r.id = owed_by AND (r.id = ?2 OR r.ended IS NOT NULL))
    AND EXISTS (SELECT 1 FROM tasks t WHERE t.id = worktrees.task_id AND t.status = 'in_review')
    AND NOT EXISTS (SELECT 1 FROM errands e WHERE e.task_id = worktrees.task_id AND e.state = 'running')";

fn read_row(r: &Row<'_>) -> Result<Worktree> {
    let is_given = |column: &str| -> Result<bool> { Ok(r.get::<_, Option<String>>(column)?.is_some()) };
    Ok(Worktree {
        id: r.get("id")?,
        work: match r.get("errand_id")? {
            Some(errand) => Work::Errand(errand),
            None => Work::Task(r.get("task_id")?),
        },
        path: r.get("path")?,
        branch: r.get("branch")?,
        base: r.get("base")?,
        base_commit: r.get("base_commit")?,
        state: row::word(r, "state")?,
        port_base: r.get("port_base")?,
        ports: r.get("ports")?,
        tip: r.get("tip")?,
        landing: if is_given("landing")? { Some(row::json(r, "landing")?) } else { None },
        setup_output: r.get("setup_output")?,
        refusal: if is_given("refusal")? { Some(row::json(r, "refusal")?) } else { None },
        check: if is_given("merge_check")? { Some(row::json(r, "merge_check")?) } else { None },
        removed: r.get("removed")?,
        pruned: r.get("pruned")?,
        made: row::time(r, "made")?,
        ended: row::time_opt(r, "ended")?,
    })
}

impl Read<'_> {
    /// All worktrees that still have a folder or a branch, oldest first.
    pub fn worktrees(&self) -> Result<Vec<Worktree>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE NOT (removed AND pruned) ORDER BY id"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// The branches that consolidations and other proposals of errands were merged into, also of worktrees that are long gone.
    pub fn bases_of_merged_errands(&self) -> Result<BTreeSet<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT DISTINCT base FROM worktrees WHERE errand_id IS NOT NULL AND state = 'merged'")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// The branches of all worktrees that there ever were, but the one at `path`.
    pub fn branches_elsewhere(&self, path: Option<&str>) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT branch FROM worktrees WHERE path IS NOT ?1")?;
        Ok(statement.query_map([path], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// The worktree of a task that is in use, otherwise the one that ended last: discarded work may have come back since a later one ended.
    pub fn worktree_of(&self, task: TaskId) -> Result<Option<Worktree>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE task_id = ?1 {LAST_IN_USE}"))?;
        statement.query_and_then([task], read_row)?.next().transpose()
    }

    /// The worktree that an iteration worked in, in any state: a task whose work was discarded gets another one. One that was moved since
    /// is the newest of its task.
    pub fn worktree_of_iteration(&self, iteration: &Iteration) -> Result<Option<Worktree>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{COLUMNS} WHERE task_id = ?1 AND ?2 IS NOT NULL ORDER BY path = ?2 DESC, id DESC LIMIT 1"))?;
        statement.query_and_then(params![iteration.task, iteration.worktree], read_row)?.next().transpose()
    }

    /// The same for an errand.
    pub fn worktree_of_errand(&self, errand: ErrandId) -> Result<Option<Worktree>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE errand_id = ?1 {LAST_IN_USE}"))?;
        statement.query_and_then([errand], read_row)?.next().transpose()
    }

    /// The worktrees of a task or an errand that were discarded and still have their branch, the last first.
    pub fn discarded_worktrees_of(&self, work: Work) -> Result<Vec<Worktree>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE (task_id = ?1 OR errand_id = ?2) AND state = 'discarded' AND NOT pruned ORDER BY ended DESC, id DESC"
        ))?;
        statement.query_and_then(params![work.task(), work.errand()], read_row)?.collect()
    }

    /// One worktree.
    pub fn worktree(&self, id: WorktreeId) -> Result<Option<Worktree>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Number of worktrees that a task or an errand ever had.
    pub fn worktree_count(&self, work: Work) -> Result<u32> {
        let mut statement = self.connection.prepare_cached("SELECT count(*) FROM worktrees WHERE task_id = ?1 OR errand_id = ?2")?;
        Ok(statement.query_row(params![work.task(), work.errand()], |r| r.get(0))?)
    }

    /// Work that awaits review, each with the commits by which it was last checked for being merged.
    pub fn worktrees_in_review(&self) -> Result<Vec<(Worktree, Option<String>)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT w.* FROM worktrees w LEFT JOIN tasks t ON t.id = w.task_id LEFT JOIN errands e ON e.id = w.errand_id
             WHERE w.state = 'ready' AND (t.status = 'in_review' OR e.state = 'done') ORDER BY w.id",
        )?;
        statement.query_and_then([], |r| Ok((read_row(r)?, r.get("looked")?)))?.collect()
    }

    /// Tasks whose work is in review and was not followed up (see [`Tx::set_owed`]) by a run that has ended, or `only` that one, in the
    /// order of their worktrees. [`Tx::take_over`] decides which of several runs does it.
    pub fn owed_follow_ups(&self, only: Option<TaskId>) -> Result<Vec<TaskId>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("SELECT task_id FROM worktrees WHERE task_id = coalesce(?1, task_id) AND {IS_OWED} ORDER BY id"))?;
        Ok(statement.query_map(params![only, None::<RunId>], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Tasks whose work a run, at work or over, owes a review and a merge.
    pub fn owed_by_any(&self) -> Result<BTreeSet<TaskId>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT task_id FROM worktrees WHERE state = 'ready' AND owed_by IS NOT NULL AND task_id IS NOT NULL")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Remarks on files that were sent with reviews of a task, oldest first.
    pub fn review_comments(&self, task: TaskId) -> Result<Vec<ReviewComment>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, file, coalesce(line, 0) AS line, text, author FROM task_comments WHERE task_id = ?1 AND file IS NOT NULL ORDER BY id")?;
        let read = |r: &Row<'_>| -> Result<ReviewComment> {
            Ok(ReviewComment {
                id: r.get("id")?,
                file: r.get("file")?,
                line: r.get("line")?,
                text: r.get("text")?,
                author: row::word(r, "author")?,
                sent: true,
            })
        };
        statement.query_and_then([task], read)?.collect()
    }
}

impl Tx<'_> {
    /// Stores a new worktree and returns its number; a second live one of the same work, or a taken path or port, is a unique violation.
    pub fn insert_worktree(&self, new: &Worktree) -> Result<WorktreeId> {
        self.connection
            .prepare_cached(
                "INSERT INTO worktrees (task_id, errand_id, path, branch, base, base_commit, state, port_base, ports, made)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                new.work.task(),
                new.work.errand(),
                new.path,
                new.branch,
                new.base,
                new.base_commit,
                new.state.as_str(),
                new.port_base,
                new.ports,
                new.made.0
            ])?;
        Ok(WorktreeId::try_from(self.connection.last_insert_rowid()).unwrap_or(WorktreeId::MAX))
    }

    /// Stores the commits by which work in review was found unmerged.
    pub fn set_looked(&self, worktree: WorktreeId, looked: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE worktrees SET looked = ?2 WHERE id = ?1")?.execute(params![worktree, looked])?;
        Ok(())
    }

    /// Stores the run that is to do what follows a successful attempt on a task, the review and the merge of its work; `None` once it is
    /// done.
    pub fn set_owed(&self, task: TaskId, by: Option<RunId>) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE worktrees SET owed_by = ?2 WHERE task_id = ?1 AND state = 'ready'")?
            .execute(params![task, by])?;
        Ok(())
    }

    /// Gives a run what an ended one, or it itself, owes (see [`Read::owed_follow_ups`]); `false` if another was faster, or nothing is owed any more.
    pub fn take_over(&self, task: TaskId, run: RunId) -> Result<bool> {
        let taken = self
            .connection
            .prepare_cached(&format!("UPDATE worktrees SET owed_by = ?2 WHERE task_id = ?1 AND {IS_OWED}"))?
            .execute(params![task, run])?;
        Ok(taken > 0)
    }

    /// Stores the mutable fields of a worktree.
    pub fn update_worktree(&self, worktree: &Worktree) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE worktrees SET path = ?2, branch = ?3, base = ?4, base_commit = ?5, state = ?6, tip = ?7, landing = ?8,
                     setup_output = ?9, refusal = ?10, merge_check = ?11, removed = ?12, pruned = ?13, ended = ?14 WHERE id = ?1",
            )?
            .execute(params![
                worktree.id,
                worktree.path,
                worktree.branch,
                worktree.base,
                worktree.base_commit,
                worktree.state.as_str(),
                worktree.tip,
                worktree.landing.as_ref().map(row::to_json),
                worktree.setup_output,
                worktree.refusal.as_ref().map(row::to_json),
                worktree.check.as_ref().map(row::to_json),
                worktree.removed,
                worktree.pruned,
                worktree.ended.map(|at| at.0)
            ])?;
        Ok(())
    }

    /// Adds a comment sent with a review; `place` is its file and line.
    pub fn insert_review_comment(
        &self,
        task: TaskId,
        author: TaskProvenance,
        place: Option<(&str, Option<u32>)>,
        text: &str,
        at: Timestamp,
    ) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO task_comments (task_id, author, text, created, file, line) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![task, author.as_str(), text, at.0, place.map(|(file, _)| file), place.and_then(|(_, line)| line)])?;
        Ok(())
    }
}
