//! Tasks: creation, changes, moves, closing.

use crate::app::App;
use crate::disciplines;
use crate::error::{AppError, Result};
use crate::knowledge::candidate::met_by;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use crate::notices::settle_moot;
use crate::rows::{find_feature, find_task, must_be_active};
use crate::secrets::check_input;
use ralph_core::authority::{Act, Actor, Wish, as_it_is, changes};
use ralph_core::feature::ClosedTo;
use ralph_core::task::{
    NewTask, Priority, Standing, StatusFault, StatusStep, Task, TaskComment, TaskFilter, TaskKind, TaskPatch, TaskStatus, find_cycle,
    may_become,
};
use ralph_core::time::Timestamp;
use ralph_core::view::{BeforePutBack, PutBack, TaskDetail};
use ralph_core::{TaskId, limits};
use sqlite_db::Tx;
use std::collections::BTreeMap;

impl App {
    /// Tasks that match the filter: by priority, then position.
    pub fn tasks(&self, filter: &TaskFilter) -> Result<Vec<Task>> {
        let stuck_after = self.stuck_after();
        self.db.read(|r| {
            if let Some(name) = &filter.feature {
                find_feature(r, name)?;
            }
            Ok(r.tasks(filter)?.into_iter().map(|task| task.judged(stuck_after)).collect())
        })
    }

    /// A task with comments and iterations.
    pub fn task(&self, id: TaskId) -> Result<TaskDetail> {
        let stuck_after = self.stuck_after();
        self.db.read(|r| {
            Ok(TaskDetail {
                task: find_task(r, id)?.judged(stuck_after),
                comments: r.comments(id)?,
                iterations: r.iterations_of_task(id, 100)?,
                attempts: r.attempts(id, 100)?,
            })
        })
    }

    /// Creates a task; pending by default.
    pub fn create_task(&self, new: &NewTask) -> Result<Task> {
        self.allowed(&Act::CreateTask(new))?;
        let now = self.clock.now();
        self.write(|tx| self.insert_task(tx, new, now))
    }

    /// Stores a task that the actor may create.
    pub(crate) fn insert_task(&self, tx: &Tx<'_>, new: &NewTask, now: Timestamp) -> Result<Task> {
        let feature = find_feature(tx, &new.feature)?;
        must_be_active(tx, &feature, ClosedTo::Tasks)?;
        let status = new.status.unwrap_or(TaskStatus::Pending);
        if matches!(status, TaskStatus::InProgress | TaskStatus::InReview) {
            let fault = format!("a new task can't be {}", status.as_str().replace('_', " "));
            return Err(AppError::invalid("status", fault, "leave it out: new tasks are pending"));
        }
        let task = Task {
            description: check_input::long("description", &new.description)?,
            acceptance_criteria: check_input::list("acceptance_criteria", &new.acceptance_criteria, 2_000)?,
            status,
            priority: new.priority.unwrap_or(Priority::Medium),
            provenance: self.actor.provenance(),
            author: self.actor.provenance(),
            by_person: self.actor == Actor::Human,
            tags: check_input::list("tags", &new.tags, limits::TAG_CHARS)?,
            depends_on: sorted(&new.depends_on),
            parent: new.parent.filter(|p| *p != 0),
            discipline: checked_discipline(tx, new.discipline.as_deref())?,
            ..Task::new(&feature.name, &check_input::title("title", &new.title)?, now)
        };
        check_links(tx, &task)?;
        let id = tx.insert_task(&task)?;
        find_task(tx, id)
    }

    /// Changes the given fields. Moving to another feature takes the task's learnings and episodes along in the same commit. An agent's
    /// claim that its own task is done or failed is a signal that the loop settles; what only a person may change becomes a proposal.
    pub fn update_task(&self, id: TaskId, patch: &TaskPatch) -> Result<Task> {
        self.recover_holder(id)?;
        self.may_update_task(id, patch)?;
        if patch.status == Some(TaskStatus::Done) {
            self.must_be_merged(id)?;
        }
        // Unreadable settings must not keep a person from releasing a task.
        let needs_cap = patch.feature.is_some() || patch.status == Some(TaskStatus::Done);
        let default_cap = if needs_cap { self.settings()?.max_learnings } else { limits::MAX_LEARNINGS };
        let rules = Rules { now: self.clock.now(), default_cap };
        self.write(|tx| {
            let before = find_task(tx, id)?;
            let mut task = before.clone();
            apply(tx, &mut task, patch)?;
            let status = self.settled_status(tx, &before, patch, rules)?;
            task.status = status.unwrap_or(before.status);
            if task.status != TaskStatus::Blocked {
                if patch.blocked_reason.as_ref().is_some_and(|reason| !reason.trim().is_empty()) {
                    let fault = format!("task #{id} is {}, not blocked", task.status);
                    return Err(AppError::invalid("blocked_reason", fault, "set the status blocked, too"));
                }
                task.blocked_reason = None;
            }
            if task.status.is_open() && !before.status.is_open() {
                must_open_again(tx, &task)?;
            }
            (task.author, task.by_person) = patch.authors_after(&before, self.actor.provenance());
            task.updated = rules.now;
            check_links(tx, &task)?;
            tx.update_task(&task)?;
            if task.feature != before.feature {
                let (from, to) = (find_feature(tx, &before.feature)?, find_feature(tx, &task.feature)?);
                let held = tx.learnings_of_task(id, from.id)?;
                let met = met_by(tx, &held, &to)?;
                let needs = Needs::learnings(held.iter().chain(&met).map(String::as_str)).and_feature(&from.name).and_feature(&to.name);
                let episodes = tx.episodes_of_task(id, from.id)?;
                let needs = episodes.iter().fold(needs.and_episodes_of(Some(to.id)), |needs, episode| needs.and_memory(episode));
                perform(tx, rules, &needs, |draft| draft.move_with_task(id, &before.feature, &task.feature))?;
            }
            if status.is_some_and(TaskStatus::is_open) && self.actor == Actor::Human {
                tx.forget_attempts(id)?;
            }
            settle_moot(tx, id, rules.now)?;
            Ok(find_task(tx, id)?.judged(self.stuck_after()))
        })
    }

    /// Resets blocked or failed tasks to pending; the answer is added as a comment to each, and the next attempt gets
    /// it. All of them, or none.
    pub fn put_back(&self, ids: &[TaskId], answer: Option<&str>) -> Result<Vec<PutBack>> {
        let answer = answer.map(|text| check_input::long("answer", text)).transpose()?.filter(|text| !text.trim().is_empty());
        let patch = TaskPatch { status: Some(TaskStatus::Pending), ..TaskPatch::default() };
        for id in ids {
            self.recover_holder(*id)?;
            self.may_update_task(*id, &patch)?;
        }
        let now = self.clock.now();
        self.write(|tx| {
            let mut back = Vec::with_capacity(ids.len());
            for id in ids {
                let mut task = find_task(tx, *id)?;
                if !matches!(task.status, TaskStatus::Blocked | TaskStatus::Failed) {
                    let fault = format!("task #{id} is {}", task.status.as_str().replace('_', " "));
                    return Err(AppError::invalid("task", fault, "only a task that is blocked or failed is put back"));
                }
                if !task.status.is_open() {
                    must_open_again(tx, &task)?;
                }
                let before = BeforePutBack {
                    task: *id,
                    status: task.status,
                    blocked_reason: task.blocked_reason.take(),
                    attempts_from: tx.attempts_from(*id)?,
                    comment: answer.as_ref().map(|text| tx.insert_comment(*id, self.actor.provenance(), text, now)).transpose()?,
                };
                (task.status, task.updated) = (TaskStatus::Pending, now);
                tx.update_task(&task)?;
                settle_moot(tx, *id, now)?;
                if self.actor == Actor::Human {
                    tx.forget_attempts(*id)?;
                }
                back.push(PutBack { task: find_task(tx, *id)?.judged(self.stuck_after()), before });
            }
            Ok(back)
        })
    }

    /// Restores tasks to their state before they were put back: the answer is withdrawn, and their failed attempts count again. All of
    /// them, or none; refused once one has been worked on.
    pub fn undo_put_back(&self, acts: &[BeforePutBack]) -> Result<Vec<Task>> {
        for before in acts {
            let patch = TaskPatch { status: Some(before.status), blocked_reason: before.blocked_reason.clone(), ..TaskPatch::default() };
            self.may_update_task(before.task, &patch)?;
        }
        let now = self.clock.now();
        self.write(|tx| {
            let mut undone = Vec::with_capacity(acts.len());
            for before in acts {
                let mut task = find_task(tx, before.task)?;
                let last = tx.iterations_of_task(task.id, 1)?.first().map_or(0, |iteration| iteration.id);
                if task.status != TaskStatus::Pending || last > tx.attempts_from(task.id)? {
                    let fault = format!("task #{} has gone on since it was put back", task.id);
                    return Err(AppError::invalid(
                        "task",
                        fault,
                        format!("block it yourself: `ralph task update {} --status blocked`", task.id),
                    ));
                }
                (task.status, task.blocked_reason, task.updated) = (before.status, before.blocked_reason.clone(), now);
                tx.update_task(&task)?;
                settle_moot(tx, task.id, now)?;
                tx.count_attempts_from(task.id, before.attempts_from)?;
                before.comment.map(|comment| tx.delete_comment(task.id, comment)).transpose()?;
                undone.push(find_task(tx, task.id)?.judged(self.stuck_after()));
            }
            Ok(undone)
        })
    }

    /// Consecutive failures from which a task counts as stuck. Unreadable settings must not block access to tasks.
    fn stuck_after(&self) -> u32 {
        self.settings().map_or(limits::STUCK_AFTER, |settings| settings.stuck_after)
    }

    /// Adds a comment.
    pub fn add_comment(&self, id: TaskId, text: &str) -> Result<TaskComment> {
        let now = self.clock.now();
        let text = check_input::long("text", text)?;
        if text.trim().is_empty() {
            return Err(AppError::invalid("text", "is empty", "say something about the task"));
        }
        self.write(|tx| {
            find_task(tx, id)?;
            let author = self.actor.provenance();
            let comment = tx.insert_comment(id, author, &text, now)?;
            Ok(TaskComment { id: comment, task_id: id, author, text, created: now })
        })
    }

    fn may_update_task(&self, id: TaskId, patch: &TaskPatch) -> Result<()> {
        if self.actor == Actor::Human {
            return Ok(());
        }
        let (before, target) = self.db.read(|r| {
            let target = patch.feature.as_deref().map(|name| find_feature(r, name)).transpose()?;
            Ok::<_, AppError>((find_task(r, id)?, target))
        })?;
        let target_parent = target.as_ref().and_then(|feature| feature.parent.as_deref());
        let act = Act::UpdateTask { before: &before, patch, target_parent };
        self.allowed_or_proposed(&act, || {
            let lines = [vec![format!("#{id} {}", before.title)], changes(&before, patch)].concat();
            let (patch, before) = (Box::new(patch.clone()), Box::new(as_it_is(&before, patch)));
            Ok((Wish::UpdateTask { task: id, patch, before }, lines.join("\n")))
        })
    }

    /// The status to store, if it changes; an agent's claim about its own task is recorded as a signal instead.
    fn settled_status(&self, tx: &Tx<'_>, before: &Task, patch: &TaskPatch, rules: Rules) -> Result<Option<TaskStatus>> {
        let Some(wanted) = patch.status else { return Ok(None) };
        let landing = tx.worktree_of(before.id)?.is_some_and(|worktree| worktree.landing.is_some());
        let standing = Standing { running: tx.running_iteration_of(before.id)?, landing };
        let status = match may_become(before, wanted, standing, self.actor.iteration()).map_err(|fault| not_so(before.id, fault))? {
            StatusStep::Keep => return Ok(None),
            StatusStep::Claim { iteration, done } => {
                tx.insert_iteration_signal(iteration, done, rules.now)?;
                return Ok(None);
            }
            StatusStep::Become(status) => status,
        };
        match (before.kind, status) {
            (TaskKind::Split, TaskStatus::Done) => crate::knowledge::split::close(tx, before, rules)?,
            (TaskKind::Split, TaskStatus::Skipped) => crate::knowledge::split::skip(tx, before)?,
            _ => {}
        }
        Ok(Some(status))
    }
}

/// Why a task does not get the status that was asked for, with the way out.
fn not_so(task: TaskId, fault: StatusFault) -> AppError {
    match fault {
        StatusFault::Running(iteration) => AppError::TaskRunning { task, iteration },
        StatusFault::Landing => AppError::invalid("status", format!("task #{task} is being merged"), "wait until that ends"),
        StatusFault::ByWorkAlone => {
            let hint = "it becomes so by itself when its work is done in a worktree";
            AppError::invalid("status", "nobody puts a task in review", hint)
        }
        StatusFault::ByRunAlone => {
            let hint =
                format!("`ralph run --task {task}` begins it; for agents to leave it alone, make it a draft, or blocked with a reason");
            AppError::invalid("status", "a task is in progress while an iteration works on it, and nobody puts it there", hint)
        }
        StatusFault::NotMerged => {
            let fault = format!("task #{task} is in review: it is done when its base contains it");
            AppError::invalid("status", fault, format!("`ralph merge {task}`; or `ralph discard {task}`, then close it"))
        }
        StatusFault::NotDiscarded => {
            let fault = format!("task #{task} is in review: closed like that, its work would be left on its branch");
            let hint = format!("`ralph discard {task}` skips it, and its work can come back; `ralph send-back {task} --comment …` goes on");
            AppError::invalid("status", fault, hint)
        }
    }
}

/// A closed task can be reopened only if its feature accepts tasks.
fn must_open_again(tx: &Tx<'_>, task: &Task) -> Result<()> {
    must_be_active(tx, &find_feature(tx, &task.feature)?, ClosedTo::Tasks)?;
    if task.kind == TaskKind::Split { crate::knowledge::split::reopen(tx, task) } else { Ok(()) }
}

fn apply(tx: &Tx<'_>, task: &mut Task, patch: &TaskPatch) -> Result<()> {
    if let Some(name) = &patch.feature {
        let feature = find_feature(tx, name)?;
        if feature.name != task.feature {
            must_be_active(tx, &feature, ClosedTo::Tasks)?;
            if task.kind == TaskKind::Split {
                return Err(AppError::invalid("feature", "a split task stays with its feature", "move the other tasks"));
            }
            task.feature = feature.name;
        }
    }
    if let Some(text) = &patch.title {
        task.title = check_input::title("title", text)?;
    }
    if let Some(text) = &patch.description {
        task.description = check_input::long("description", text)?;
    }
    if let Some(items) = &patch.acceptance_criteria {
        task.acceptance_criteria = check_input::list("acceptance_criteria", items, 2_000)?;
    }
    if let Some(items) = &patch.tags {
        task.tags = check_input::list("tags", items, limits::TAG_CHARS)?;
    }
    if let Some(ids) = &patch.depends_on {
        task.depends_on = sorted(ids);
    }
    if let Some(parent) = patch.parent {
        task.parent = Some(parent).filter(|p| *p != 0);
    }
    if let Some(name) = &patch.discipline {
        task.discipline = checked_discipline(tx, Some(name))?;
    }
    if let Some(priority) = patch.priority {
        task.priority = priority;
    }
    if let Some(reason) = &patch.blocked_reason {
        task.blocked_reason = Some(check_input::long("blocked_reason", reason)?).filter(|r| !r.is_empty());
    }
    match patch.before {
        Some(0) => task.position = tx.last_position()?,
        Some(before) if before != task.id => {
            find_task(tx, before)?;
            task.position = tx.position_before(before)?;
        }
        _ => {}
    }
    Ok(())
}

fn sorted(ids: &[TaskId]) -> Vec<TaskId> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn checked_discipline(tx: &Tx<'_>, name: Option<&str>) -> Result<Option<String>> {
    let Some(name) = name.map(disciplines::key).filter(|n| !n.is_empty()) else { return Ok(None) };
    if tx.discipline(&name)?.is_none() {
        let known: Vec<String> = tx.disciplines()?.into_iter().map(|d| d.name).collect();
        return Err(AppError::invalid(
            "discipline",
            format!("there is no discipline '{}'", ralph_core::text::cut(&name, 80)),
            format!("use one of: {}", known.join(", ")),
        ));
    }
    Ok(Some(name))
}

/// Checks that dependencies and parent exist, and that there is no cycle.
fn check_links(tx: &Tx<'_>, task: &Task) -> Result<()> {
    if task.depends_on.len() > limits::LIST_ITEMS {
        return Err(AppError::invalid("depends_on", format!("has more than {} entries", limits::LIST_ITEMS), "keep the direct ones"));
    }
    let found = tx.tasks_by_id(&task.depends_on)?;
    if let Some(missing) = task.depends_on.iter().find(|id| !found.iter().any(|t| t.id == **id)) {
        return Err(AppError::invalid("depends_on", format!("there is no task #{missing}"), "name tasks that exist: `ralph task list`"));
    }
    // On a new one none depends.
    let edges = if task.id == 0 { BTreeMap::new() } else { tx.dependency_edges()? };
    if let Some(cycle) = find_cycle(task.id, &task.depends_on, &edges) {
        let path: Vec<String> = cycle.iter().map(|id| format!("#{id}")).collect();
        return Err(AppError::invalid(
            "depends_on",
            format!("the tasks would wait for each other: {}", path.join(" → ")),
            "remove one of these dependencies",
        ));
    }
    let mut parent = task.parent;
    for _ in 0..limits::LIST_ITEMS {
        let Some(id) = parent else { return Ok(()) };
        if id == task.id {
            return Err(AppError::invalid("parent", "a task can't be a part of itself", "choose another parent"));
        }
        parent =
            tx.task(id)?.ok_or_else(|| AppError::invalid("parent", format!("there is no task #{id}"), "name a task that exists"))?.parent;
    }
    Err(AppError::invalid("parent", format!("is nested deeper than {} levels", limits::LIST_ITEMS), "choose a task further up"))
}
