//! `tasks`, `task_dependencies`, `task_comments`. Readiness is computed on reading, never stored.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::task::{Priority, Readiness, Task, TaskComment, TaskFilter, TaskProvenance, TaskStatus, readiness};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, TaskId};
use rusqlite::{OptionalExtension as _, Params, Row, params};
use std::collections::BTreeMap;

/// `dependencies` is a JSON list of `[id, status]`, so that one query suffices for any number of tasks. The rule of consecutive failures
/// is in the view.
const COLUMNS: &str =
    "SELECT t.id, f.name AS feature, f.state = 'archived' AS archived, t.title, t.description, t.acceptance_criteria, t.status, t.priority, t.provenance, t.author, t.by_person, t.kind,
    t.tags, t.parent_id, t.discipline, t.position, t.blocked_reason, t.created, t.updated,
    (SELECT json_group_array(json_array(d.depends_on, o.status)) FROM task_dependencies d JOIN tasks o ON o.id = d.depends_on
     WHERE d.task_id = t.id) AS dependencies,
    (SELECT m.consecutive_failures FROM strategy_metrics m WHERE m.task_id = t.id) AS consecutive_failures
    FROM tasks t JOIN features f ON f.id = t.feature_id";

/// Pending, not archived with its feature, and without an unfinished dependency: the condition of the ready queue.
const READY: &str =
    "t.status = 'pending' AND f.state <> 'archived' AND NOT EXISTS (SELECT 1 FROM task_dependencies d JOIN tasks o ON o.id = d.depends_on
    WHERE d.task_id = t.id AND o.status NOT IN ('done', 'skipped'))";

/// The same, except that one dependency may be in review with a worktree that the task can be stacked on.
const READY_STACKED: &str =
    "t.status = 'pending' AND f.state <> 'archived' AND NOT EXISTS (SELECT 1 FROM task_dependencies d JOIN tasks o ON o.id = d.depends_on
    WHERE d.task_id = t.id AND o.status NOT IN ('done', 'skipped') AND NOT (o.status = 'in_review'
      AND EXISTS (SELECT 1 FROM worktrees w WHERE w.task_id = o.id AND w.state = 'ready'))) AND 1 >= {IN_REVIEW}";
/// Number of a task's dependencies in review.
const IN_REVIEW: &str = "(SELECT count(*) FROM task_dependencies d JOIN tasks o ON o.id = d.depends_on
    WHERE d.task_id = t.id AND o.status = 'in_review')";

/// A comment prefixed with the place it concerns.
const PLACED_TEXT: &str = "CASE WHEN file IS NULL THEN '' ELSE file || coalesce(':' || line, '') || ': ' END || text";

/// The statuses of open tasks, as an SQL list.
pub(super) fn open_statuses() -> String {
    let open = TaskStatus::ALL.iter().filter(|status| status.is_open());
    open.map(|status| format!("'{status}'")).collect::<Vec<_>>().join(", ")
}

fn read_row(r: &Row<'_>) -> Result<Task> {
    let dependencies: Vec<(TaskId, TaskStatus)> = row::json(r, "dependencies")?;
    let status: TaskStatus = row::word(r, "status")?;
    let readiness = readiness(status, r.get("archived")?, dependencies.iter().map(|(_, s)| *s));
    let waits = matches!(readiness, Readiness::Waiting | Readiness::Stranded);
    let waiting_on = dependencies.iter().filter(|(_, s)| waits && !s.satisfies_dependents()).map(|(id, _)| *id).collect();
    let priority: u8 = r.get("priority")?;
    Ok(Task {
        id: r.get("id")?,
        feature: r.get("feature")?,
        title: r.get("title")?,
        description: r.get("description")?,
        acceptance_criteria: row::json(r, "acceptance_criteria")?,
        status,
        priority: Priority::ALL.get(usize::from(priority)).copied().unwrap_or(Priority::Medium),
        provenance: row::word(r, "provenance")?,
        author: row::word(r, "author")?,
        by_person: r.get("by_person")?,
        kind: row::word(r, "kind")?,
        tags: row::json(r, "tags")?,
        depends_on: dependencies.into_iter().map(|(id, _)| id).collect(),
        parent: r.get("parent_id")?,
        discipline: r.get("discipline")?,
        position: r.get("position")?,
        blocked_reason: r.get("blocked_reason")?,
        readiness,
        waiting_on,
        consecutive_failures: r.get("consecutive_failures")?,
        stuck: false,
        created: row::time(r, "created")?,
        updated: row::time(r, "updated")?,
    })
}

impl Read<'_> {
    /// Tasks that match the filter: by priority, then position, then number.
    pub fn tasks(&self, filter: &TaskFilter) -> Result<Vec<Task>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE (?1 IS NULL OR t.feature_id = (SELECT id FROM features WHERE name = ?1))
             AND (?2 = '[]' OR t.status IN (SELECT value FROM json_each(?2)))
             AND (?3 = '[]' OR t.priority IN (SELECT value FROM json_each(?3)))
             AND (?4 = '[]' OR t.provenance IN (SELECT value FROM json_each(?4)))
             AND (?5 IS NULL OR instr(lowercase(t.title || ' ' || t.description), lowercase(?5)) > 0
                 OR EXISTS (SELECT 1 FROM json_each(t.tags) WHERE instr(lowercase(value), lowercase(?5)) > 0))
             ORDER BY t.priority DESC, t.position, t.id"
        ))?;
        let priorities: Vec<u8> = filter.priorities.iter().map(|p| *p as u8).collect();
        let text = filter.text.as_deref().map(str::trim).filter(|t| !t.is_empty());
        let values =
            params![filter.feature, row::to_json(&filter.statuses), row::to_json(&priorities), row::to_json(&filter.provenances), text];
        statement.query_and_then(values, read_row)?.collect()
    }

    /// One task.
    pub fn task(&self, id: TaskId) -> Result<Option<Task>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE t.id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Several tasks, by number.
    pub fn tasks_by_id(&self, ids: &[TaskId]) -> Result<Vec<Task>> {
        let mut statement =
            self.connection.prepare_cached(&format!("{COLUMNS} WHERE t.id IN (SELECT value FROM json_each(?1)) ORDER BY t.id"))?;
        statement.query_and_then([row::to_json(&ids)], read_row)?.collect()
    }

    /// Tasks of this status: by priority, then position, then number.
    pub fn tasks_of_status(&self, status: TaskStatus) -> Result<Vec<Task>> {
        self.tasks_found("SELECT id FROM tasks WHERE status = ?1 ORDER BY priority DESC, position, id", [status.as_str()])
    }

    /// Pending tasks that depend on an abandoned one, as [`Readiness::Stranded`]: by priority, then position, then number.
    pub fn stranded_tasks(&self) -> Result<Vec<Task>> {
        self.tasks_found(
            "SELECT t.id FROM tasks t JOIN features f ON f.id = t.feature_id
             WHERE t.id IN (SELECT d.task_id FROM task_dependencies d JOIN tasks o ON o.id = d.depends_on WHERE o.status = 'failed')
             AND t.status = 'pending' AND f.state <> 'archived' ORDER BY t.priority DESC, t.position, t.id",
            [],
        )
    }

    /// The tasks whose numbers this statement finds, in its order. If there are none, the statement for whole rows, which takes SQLite
    /// longer to compile, is not needed.
    fn tasks_found(&self, which: &str, values: impl Params) -> Result<Vec<Task>> {
        let ids: Vec<TaskId> = self.connection.prepare_cached(which)?.query_map(values, |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut found: BTreeMap<TaskId, Task> = self.tasks_by_id(&ids)?.into_iter().map(|task| (task.id, task)).collect();
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// The tasks that the loop may take next: ready ones by highest priority, then position, then number.
    /// Tasks of archived features are excluded; those left in a decomposed one are still open work.
    pub fn ready_tasks(&self, only: Option<TaskId>, limit: u32) -> Result<Vec<Task>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE {READY} AND (?1 IS NULL OR t.id = ?1) ORDER BY t.priority DESC, t.position, t.id LIMIT ?2"
        ))?;
        statement.query_and_then(params![only, limit], read_row)?.collect()
    }

    /// The same including tasks that can begin on the branch of their one dependency in review; those come last.
    pub fn ready_or_stacked_tasks(&self, only: Option<TaskId>, limit: u32) -> Result<Vec<Task>> {
        let ready = READY_STACKED.replace("{IN_REVIEW}", IN_REVIEW);
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE {ready} AND (?1 IS NULL OR t.id = ?1) ORDER BY {IN_REVIEW}, t.priority DESC, t.position, t.id LIMIT ?2"
        ))?;
        statement.query_and_then(params![only, limit], read_row)?.collect()
    }

    /// All dependencies: task → the tasks that it depends on.
    pub fn dependency_edges(&self) -> Result<BTreeMap<TaskId, Vec<TaskId>>> {
        let mut statement = self.connection.prepare_cached("SELECT task_id, depends_on FROM task_dependencies")?;
        let mut edges: BTreeMap<TaskId, Vec<TaskId>> = BTreeMap::new();
        for row in statement.query_map([], |r| Ok((r.get::<_, TaskId>(0)?, r.get::<_, TaskId>(1)?)))? {
            let (task, depends_on) = row?;
            edges.entry(task).or_default().push(depends_on);
        }
        Ok(edges)
    }

    /// The active split task of a feature.
    pub fn active_split_task(&self, feature_id: u32) -> Result<Option<TaskId>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT id FROM tasks WHERE feature_id = ?1 AND kind = 'split' AND status IN ({})",
            open_statuses()
        ))?;
        Ok(statement.query_row([feature_id], |r| r.get(0)).optional()?)
    }

    /// The split task of a feature created since a time, if any.
    pub fn split_task_since(&self, feature_id: u32, since: Timestamp) -> Result<Option<TaskId>> {
        let mut statement =
            self.connection.prepare_cached("SELECT max(id) FROM tasks WHERE feature_id = ?1 AND kind = 'split' AND created >= ?2")?;
        Ok(statement.query_row(params![feature_id, since.0], |r| r.get(0))?)
    }

    /// Remarks on a task, oldest first.
    pub fn comments(&self, task: TaskId) -> Result<Vec<TaskComment>> {
        self.comments_where(Some(task))
    }

    /// Every remark, oldest first.
    pub fn all_comments(&self) -> Result<Vec<TaskComment>> {
        self.comments_where(None)
    }

    fn comments_where(&self, task: Option<TaskId>) -> Result<Vec<TaskComment>> {
        let condition = if task.is_some() { "task_id = ?1" } else { "?1 IS NULL" };
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT id, task_id, author, {PLACED_TEXT} AS text, created FROM task_comments WHERE {condition} ORDER BY id"
        ))?;
        let read = |r: &Row<'_>| -> Result<TaskComment> {
            Ok(TaskComment {
                id: r.get("id")?,
                task_id: r.get("task_id")?,
                author: row::word(r, "author")?,
                text: r.get("text")?,
                created: row::time(r, "created")?,
            })
        };
        statement.query_and_then([task], read)?.collect()
    }

    /// The iteration after which failed attempts at a task count, following a person's acts; 0 = all of them.
    pub fn attempts_from(&self, id: TaskId) -> Result<IterationId> {
        let mut statement = self.connection.prepare_cached("SELECT attempts_from FROM tasks WHERE id = ?1")?;
        Ok(statement.query_row([id], |r| r.get(0))?)
    }
}

impl Tx<'_> {
    /// Stores a new task at the end of its priority and returns its number; `task.id`, `position` and computed fields are ignored.
    /// A second active split task of a feature is a unique violation.
    pub fn insert_task(&self, task: &Task) -> Result<TaskId> {
        self.connection
            .prepare_cached(
                "INSERT INTO tasks (feature_id, title, description, acceptance_criteria, status, priority, provenance, kind, tags, parent_id,
                     discipline, position, blocked_reason, created, updated, author, by_person)
                 VALUES ((SELECT id FROM features WHERE name = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
                     (SELECT coalesce(max(position), 0) + 1024 FROM tasks), ?12, ?13, ?14, ?15, ?16)",
            )?
            .execute(params![
                task.feature,
                task.title,
                task.description,
                row::to_json(&task.acceptance_criteria),
                task.status.as_str(),
                task.priority as u8,
                task.provenance.as_str(),
                task.kind.as_str(),
                row::to_json(&task.tags),
                task.parent,
                task.discipline,
                task.blocked_reason,
                task.created.0,
                task.updated.0,
                task.author.as_str(),
                task.by_person
            ])?;
        let id = TaskId::try_from(self.connection.last_insert_rowid()).unwrap_or(TaskId::MAX);
        self.set_dependencies(id, &task.depends_on)?;
        Ok(id)
    }

    /// Stores every field of a task that exists.
    pub fn update_task(&self, task: &Task) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE tasks SET feature_id = (SELECT id FROM features WHERE name = ?2), title = ?3, description = ?4, acceptance_criteria = ?5,
                     status = ?6, priority = ?7, tags = ?8, parent_id = ?9, discipline = ?10, position = ?11, blocked_reason = ?12, updated = ?13,
                     author = ?14, by_person = ?15
                 WHERE id = ?1",
            )?
            .execute(params![
                task.id,
                task.feature,
                task.title,
                task.description,
                row::to_json(&task.acceptance_criteria),
                task.status.as_str(),
                task.priority as u8,
                row::to_json(&task.tags),
                task.parent,
                task.discipline,
                task.position,
                task.blocked_reason,
                task.updated.0,
                task.author.as_str(),
                task.by_person
            ])?;
        self.set_dependencies(task.id, &task.depends_on)?;
        Ok(())
    }

    /// Sets only what the loop decides: status and reason.
    pub fn set_task_status(&self, id: TaskId, status: TaskStatus, blocked_reason: Option<&str>, at: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE tasks SET status = ?2, blocked_reason = ?3, updated = ?4 WHERE id = ?1")?
            .execute(params![id, status.as_str(), blocked_reason, at.0])?;
        Ok(())
    }

    /// Resets the count of attempts: a person put the task back to work.
    pub fn forget_attempts(&self, id: TaskId) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE tasks SET attempts_from = coalesce((SELECT max(id) FROM iterations WHERE task_id = ?1), 0) WHERE id = ?1",
            )?
            .execute([id])?;
        Ok(())
    }

    /// Counts the failed attempts after an iteration again: the act that made them forgotten was undone.
    pub fn count_attempts_from(&self, id: TaskId, from: IterationId) -> Result<()> {
        self.connection.prepare_cached("UPDATE tasks SET attempts_from = ?2 WHERE id = ?1")?.execute([id, from])?;
        Ok(())
    }

    /// Makes room directly before `before` and returns the position to take there. Neighbors move only when there is no gap.
    pub fn position_before(&self, before: TaskId) -> Result<u32> {
        let (position, previous): (u32, u32) = self.connection.prepare_cached(
            "SELECT t.position, coalesce((SELECT max(p.position) FROM tasks p WHERE p.position < t.position), 0) FROM tasks t WHERE t.id = ?1",
        )?
        .query_row([before], |r| Ok((r.get(0)?, r.get(1)?)))?;
        if position - previous > 1 {
            return Ok(previous + (position - previous) / 2);
        }
        self.connection.prepare_cached("UPDATE tasks SET position = position + 1024 WHERE position >= ?1")?.execute([position])?;
        Ok(position + 512)
    }

    /// The position after every task.
    pub fn last_position(&self) -> Result<u32> {
        Ok(self.connection.prepare_cached("SELECT coalesce(max(position), 0) + 1024 FROM tasks")?.query_row([], |r| r.get(0))?)
    }

    fn set_dependencies(&self, id: TaskId, depends_on: &[TaskId]) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM task_dependencies WHERE task_id = ?1")?.execute([id])?;
        let mut statement =
            self.connection.prepare_cached("INSERT OR IGNORE INTO task_dependencies (task_id, depends_on) VALUES (?1, ?2)")?;
        for dependency in depends_on {
            statement.execute([id, *dependency])?;
        }
        Ok(())
    }

    /// Adds a remark and returns its number.
    pub fn insert_comment(&self, task: TaskId, author: TaskProvenance, text: &str, at: Timestamp) -> Result<u32> {
        self.connection
            .prepare_cached("INSERT INTO task_comments (task_id, author, text, created) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![task, author.as_str(), text, at.0])?;
        Ok(u32::try_from(self.connection.last_insert_rowid()).unwrap_or(u32::MAX))
    }

    /// Deletes a remark that no attempt has been told.
    pub fn delete_comment(&self, task: TaskId, comment: u32) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM task_comments WHERE task_id = ?1 AND id = ?2")?.execute([task, comment])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Db;
    use ralph_core::feature::Feature;

    #[test]
    fn a_text_is_found_in_any_letter_s_case_and_in_the_words_of_tags_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        let tags = vec!["Geld".to_owned(), "a \"b\"".to_owned()];
        let tagged = Task { tags, ..Task::new("pay", "Überweisung prüfen", Timestamp(1)) };
        let made = db.writer().expect("a turn").transaction(|tx| {
            tx.insert_feature(&Feature::new("pay", Timestamp(1)))?;
            tx.insert_task(&tagged)
        });
        made.expect("makes a task");
        let found = |text: &str| {
            let filter = TaskFilter { text: Some(text.to_owned()), ..TaskFilter::default() };
            db.read(|r| r.tasks(&filter)).expect("reads").len()
        };
        for text in ["überweisung", "PRÜFEN", "geld", "a \"B\""] {
            assert_eq!(found(text), 1, "{text}");
        }
        for text in ["[", "\",\"", "\\"] {
            assert_eq!(found(text), 0, "{text}: how tags are stored is not text of theirs");
        }
    }
}
