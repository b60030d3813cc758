//! Tools for tasks.

use super::{Effect, LIMIT, OFFSET, Page, Session, Tool, value};
use crate::answer::{Part, Shape};
use crate::arguments::{Arguments, Field, Kind};
use crate::refused::Refused;
use ralph_core::TaskId;
use ralph_core::limits::{MCP_COMMENT_CHARS, MCP_HISTORY};
use ralph_core::run::Iteration;
use ralph_core::task::{NewTask, Priority, Readiness, Task, TaskComment, TaskFilter, TaskPatch, TaskStatus};
use ralph_core::text::cut;
use serde::Serialize;
use serde_json::{Value, json};

const ID: Field = Field::new("id", Kind::Number, "").required();
const DESCRIPTION: Field = Field::new("description", Kind::Text, "what to do");
const CRITERIA: Field = Field::new("acceptance_criteria", Kind::Texts, "when it counts as done");
const PRIORITY: Field = Field::new("priority", Kind::Word(|| Priority::ALL.iter().map(|word| word.as_str()).collect()), "");
const TAGS: Field = Field::new("tags", Kind::Texts, "");
const DEPENDS_ON: Field = Field::new("depends_on", Kind::Numbers, "ids of tasks to finish first");
const DISCIPLINE: Field = Field::new("discipline", Kind::Text, "backend, frontend, testing …");

fn statuses() -> Vec<&'static str> {
    TaskStatus::ALL.iter().map(|word| word.as_str()).collect()
}

const NUMBER: Part = Part::new("id", Shape::Number);
const TITLE: Part = Part::new("title", Shape::Text);
const STATUS: Part = Part::new("status", Shape::Text);
const READINESS: Part = Part::new("readiness", Shape::Text);
const LINE: &[Part] = &[NUMBER, TITLE, STATUS, READINESS];
const MADE: &[Part] = &[NUMBER, STATUS, READINESS];
// The note says that the status was not changed yet.
const CHANGED: &[Part] = &[NUMBER, STATUS, READINESS, Part::new("note", Shape::Text).sometimes()];
const WHOLE: &[Part] = &[
    NUMBER,
    TITLE,
    Part::new("description", Shape::Text),
    STATUS,
    READINESS,
    Part::new("comments", Shape::Objects(&[Part::new("text", Shape::Text)])),
    Part::new("iterations", Shape::Objects(&[Part::new("outcome", Shape::Text)])),
];
const COMMENT: &[Part] = &[NUMBER, Part::new("author", Shape::Text)];

pub(super) const LIST: Tool = Tool {
    name: "list_tasks",
    title: "List tasks",
    about: "Tasks in the order in which the loop takes them. Use it before create_task, so that no task is made twice.",
    fields: &[
        Field::new("feature", Kind::Text, ""),
        Field::new("status", Kind::Word(statuses), ""),
        Field::new(
            "readiness",
            Kind::Word(|| Readiness::ALL.iter().map(|word| word.as_str()).collect()),
            "what status and dependencies together mean",
        ),
        Field::new("text", Kind::Text, "in title, description or tags"),
        LIMIT,
        OFFSET,
    ],
    answer: &[Part::new("tasks", Shape::Objects(LINE)), Part::new("more", Shape::Number)],
    effect: Effect::Reads,
    run: list,
};

pub(super) const GET: Tool = Tool {
    name: "get_task",
    title: "Read a task",
    about: "One task whole, with its newest comments and attempts. Use it for a task that yours depends on or touches.",
    fields: &[ID],
    answer: WHOLE,
    effect: Effect::Reads,
    run: get,
};

pub(super) const CREATE: Tool = Tool {
    name: "create_task",
    title: "Make a task",
    about: "Make a task for later. Use it for work that you find but should not do now, small enough for one sitting.",
    fields: &[
        Field::new("feature", Kind::Text, "").required(),
        Field::new("title", Kind::Text, "one line").required(),
        DESCRIPTION,
        CRITERIA,
        Field::new("status", Kind::Word(statuses), "pending if not given"),
        PRIORITY,
        TAGS,
        DEPENDS_ON,
        Field::new("parent", Kind::Number, "task it is a part of"),
        DISCIPLINE,
    ],
    answer: MADE,
    effect: Effect::Adds,
    run: create,
};

pub(super) const UPDATE: Tool = Tool {
    name: "update_task",
    title: "Change a task",
    about: "Change the given fields of a task; lists are replaced. With feature the task and its learnings move there. \
Done or failed for the task you work on is your report: Ralph settles it when the iteration ends. Others' tasks: a person decides.",
    fields: &[
        ID,
        Field::new("feature", Kind::Text, ""),
        Field::new("title", Kind::Text, ""),
        DESCRIPTION,
        CRITERIA,
        Field::new("status", Kind::Word(statuses), ""),
        Field::new("blocked_reason", Kind::Text, "with status blocked: what a person has to do"),
        PRIORITY,
        TAGS,
        DEPENDS_ON,
        Field::new("parent", Kind::Number, "0 = none"),
        DISCIPLINE,
        Field::new("before", Kind::Number, "place it before this task; 0 = last"),
    ],
    answer: CHANGED,
    effect: Effect::Replaces,
    run: update,
};

pub(super) const ADD_COMMENT: Tool = Tool {
    name: "add_comment",
    title: "Remark on a task",
    about: "Add a remark to a task. Use it for what the next agent on this very task should know; lessons beyond it are learnings.",
    fields: &[ID, Field::new("text", Kind::Text, "").required()],
    answer: COMMENT,
    effect: Effect::Adds,
    run: add_comment,
};

#[derive(Serialize)]
struct TaskLine<'a> {
    id: TaskId,
    feature: &'a str,
    title: &'a str,
    status: TaskStatus,
    priority: Priority,
    readiness: Readiness,
    #[serde(skip_serializing_if = "<[TaskId]>::is_empty")]
    waiting_on: &'a [TaskId],
}

fn line(task: &Task) -> TaskLine<'_> {
    TaskLine {
        id: task.id,
        feature: &task.feature,
        title: &task.title,
        status: task.status,
        priority: task.priority,
        readiness: task.readiness,
        waiting_on: &task.waiting_on,
    }
}

fn list(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let page = Page::take(&mut arguments)?;
    let readiness: Option<Readiness> = arguments.take("readiness")?;
    let filter = TaskFilter {
        feature: arguments.take("feature")?,
        statuses: arguments.take("status")?.into_iter().collect(),
        text: arguments.take("text")?,
        ..TaskFilter::default()
    };
    let mut tasks = session.app.tasks(&filter)?;
    tasks.retain(|task| readiness.is_none_or(|wanted| task.readiness == wanted));
    page.of("tasks", &tasks, line)
}

fn get(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let detail = session.app.task(arguments.take_required("id")?)?;
    let skipped = detail.comments.len().saturating_sub(MCP_HISTORY);
    let comments: Vec<TaskComment> = detail.comments.into_iter().skip(skipped).map(shortened).collect();
    let attempts: Vec<Value> = detail.iterations.iter().take(MCP_HISTORY).map(attempt).collect();
    let mut answer = value(detail.task)?;
    answer["comments"] = value(comments)?;
    answer["more_comments"] = skipped.into();
    answer["iterations"] = attempts.into();
    answer["more_iterations"] = detail.iterations.len().saturating_sub(MCP_HISTORY).into();
    Ok(answer)
}

fn shortened(mut comment: TaskComment) -> TaskComment {
    let kept = cut(&comment.text, MCP_COMMENT_CHARS).len();
    if kept < comment.text.len() {
        comment.text.truncate(kept);
        comment.text.push_str(" […]");
    }
    comment
}

fn attempt(iteration: &Iteration) -> Value {
    json!({
        "id": iteration.id,
        "attempt": iteration.attempt,
        "outcome": iteration.outcome,
        "note": iteration.note,
        "started": iteration.started,
        "ended": iteration.ended,
    })
}

fn create(session: &Session, arguments: Arguments) -> Result<Value, Refused> {
    value(session.app.create_task(&arguments.rest::<NewTask>()?)?)
}

fn update(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let id: TaskId = arguments.take_required("id")?;
    let patch: TaskPatch = arguments.rest()?;
    let task = session.app.update_task(id, &patch)?;
    let signalled = patch.status.is_some_and(|wanted| wanted != task.status);
    let mut answer = value(task)?;
    if signalled {
        answer["note"] = "recorded; the status changes when the iteration ends".into();
    }
    Ok(answer)
}

fn add_comment(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let (id, text): (TaskId, String) = (arguments.take_required("id")?, arguments.take_required("text")?);
    value(session.app.add_comment(id, &text)?)
}
