//! `ralph task`: units of work.

use crate::number;
use crate::output::{Answered, Output, table, unbroken};
use clap::{Args, Subcommand};
use ralph_app::{App, AppError};
use ralph_core::limits::TASK_LIST_BYTES;
use ralph_core::task::{LeftOut, NewTask, Priority, Task, TaskFilter, TaskList, TaskPatch, TaskStatus};
use ralph_core::text::counted;
use ralph_core::view::{CommandError, PutBack, TaskDetail};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What to do with tasks.
#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Make a task; it is pending unless said otherwise.
    Create {
        #[arg(long)]
        feature: String,
        #[arg(long)]
        title: String,
        #[arg(long)]
        status: Option<TaskStatus>,
        #[command(flatten)]
        fields: TaskFields,
    },
    /// Make tasks of a list in Markdown: its first lines are titles, what is indented below them the descriptions.
    ///
    /// Where the list has boxes, only items with an empty one (`- [ ]`) become tasks. Items that are tasks of the feature already are left
    /// out, so that a list that has grown can be imported again.
    Import(ListArgs),
    /// All tasks, in all statuses unless filtered.
    List {
        #[arg(long)]
        feature: Option<String>,
        #[arg(long, value_delimiter = ',')]
        status: Vec<TaskStatus>,
        #[arg(long, value_delimiter = ',')]
        priority: Vec<Priority>,
        /// Words that title, description or tags contain.
        #[arg(long)]
        text: Option<String>,
    },
    /// One task with its remarks and iterations.
    Show {
        #[arg(value_parser = number::task)]
        id: u32,
    },
    /// Change a task.
    Update {
        #[arg(value_parser = number::task)]
        id: u32,
        /// Move it, and its learnings with it.
        #[arg(long)]
        feature: Option<String>,
        #[arg(long)]
        title: Option<String>,
        #[arg(long)]
        status: Option<TaskStatus>,
        /// Why it is blocked.
        #[arg(long)]
        blocked_reason: Option<String>,
        /// Place it directly before this task; 0 places it last.
        #[arg(long, value_parser = number::task)]
        before: Option<u32>,
        #[command(flatten)]
        fields: TaskFields,
    },
    /// Add a remark.
    Comment {
        #[arg(value_parser = number::task)]
        id: u32,
        text: String,
    },
    /// Put tasks back to work that are blocked or failed.
    PutBack {
        #[arg(required = true, value_parser = number::task)]
        ids: Vec<u32>,
        /// What the next attempt at them is told.
        #[arg(long)]
        answer: Option<String>,
    },
}

// No doc comment, for the same reason as below.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// The file; `-` reads standard input.
    pub file: PathBuf,
    #[arg(long)]
    pub feature: String,
    /// Of all of them.
    #[arg(long)]
    pub priority: Option<Priority>,
    /// Each waits for the one before it.
    #[arg(long)]
    pub chain: bool,
    /// Show what would be made, and make nothing.
    #[arg(long)]
    pub dry_run: bool,
}

// No doc comment: clap would print it above the options of the command that these fields are flattened into.
#[derive(Debug, Args)]
pub struct TaskFields {
    #[arg(long)]
    pub description: Option<String>,
    /// When it counts as done (repeat for several).
    #[arg(long = "criterion")]
    pub criteria: Option<Vec<String>>,
    #[arg(long)]
    pub priority: Option<Priority>,
    /// Tasks that must be finished first: 1,2; empty clears them.
    #[arg(long)]
    pub depends_on: Option<String>,
    #[arg(long)]
    pub discipline: Option<String>,
    #[arg(long, value_delimiter = ',')]
    pub tags: Option<Vec<String>>,
    /// The task it is a part of; 0 takes it out.
    #[arg(long, value_parser = number::task)]
    pub parent: Option<u32>,
}

/// Runs `ralph task`.
pub fn task(app: &App, command: TaskCommand, output: Output) -> Answered {
    match command {
        TaskCommand::Create { feature, title, status, fields } => {
            let depends_on = ids(fields.depends_on.as_deref())?.unwrap_or_default();
            let TaskFields { description, criteria, priority, discipline, tags, parent, .. } = fields;
            let created = app.create_task(&NewTask {
                feature,
                title,
                description: description.unwrap_or_default(),
                acceptance_criteria: criteria.unwrap_or_default(),
                status,
                priority,
                tags: tags.unwrap_or_default(),
                depends_on,
                parent,
                discipline,
            })?;
            output.answer(&created, || format!("task #{} made", created.id));
        }
        TaskCommand::Import(args) => import(app, args, output)?,
        TaskCommand::List { feature, status, priority, text } => {
            let tasks = app.tasks(&TaskFilter { feature, statuses: status, priorities: priority, provenances: Vec::new(), text })?;
            let row = |t: &Task| {
                let stuck = if t.stuck { format!("stuck: failed {} times in a row", t.consecutive_failures) } else { String::new() };
                vec![format!("#{}", t.id), t.status.to_string(), t.priority.to_string(), t.feature.clone(), t.title.clone(), stuck]
            };
            output.answer(&tasks, || table(&tasks.iter().map(row).collect::<Vec<_>>(), "no tasks"));
        }
        TaskCommand::Show { id } => {
            let detail = app.task(id)?;
            output.answer(&detail, || in_words(&detail));
        }
        TaskCommand::Update { id, feature, title, status, blocked_reason, before, fields } => {
            let depends_on = ids(fields.depends_on.as_deref())?;
            let TaskFields { description, criteria, priority, discipline, tags, parent, .. } = fields;
            let patch = TaskPatch {
                feature,
                title,
                description,
                acceptance_criteria: criteria,
                status,
                priority,
                tags,
                depends_on,
                parent,
                discipline,
                blocked_reason,
                before,
            };
            let updated = app.update_task(id, &patch)?;
            output.answer(&updated, || format!("task #{} is {}", updated.id, updated.status));
        }
        TaskCommand::Comment { id, text } => {
            let comment = app.add_comment(id, &text)?;
            output.answer(&comment, || format!("remark {} added to #{id}", comment.id));
        }
        TaskCommand::PutBack { ids, answer } => {
            let back = app.put_back(&ids, answer.as_deref())?;
            output.answer(&back, || {
                back.iter().map(|PutBack { task, .. }| format!("task #{} is {}", task.id, task.status)).collect::<Vec<_>>().join("\n")
            });
        }
    }
    Ok(())
}

/// A task with what was said about it and done on it; what has no content is left out.
fn in_words(TaskDetail { task: t, comments, iterations, .. }: &TaskDetail) -> String {
    let stuck = if t.stuck { format!(" · stuck: failed {} times in a row", t.consecutive_failures) } else { String::new() };
    let mut lines =
        vec![format!("#{} {}", t.id, t.title), format!("{} · {} · {} · {}{stuck}", t.feature, t.status, t.readiness, t.priority)];
    lines.extend(t.blocked_reason.iter().map(|reason| format!("blocked: {}", unbroken(reason))));
    let needs: Vec<String> = t.depends_on.iter().map(|id| format!("#{id}")).collect();
    if !needs.is_empty() {
        lines.push(format!("needs {}", needs.join(", ")));
    }
    lines.extend(Some(t.description.clone()).filter(|text| !text.is_empty()));
    lines.extend(t.acceptance_criteria.iter().map(|criterion| format!("- {}", unbroken(criterion))));
    lines.extend(comments.iter().map(|said| format!("{} ({}): {}", said.author, said.created, unbroken(&said.text))));
    for row in iterations {
        let note = row.note.as_deref().map(|note| format!(": {}", unbroken(note))).unwrap_or_default();
        lines.push(format!("iteration {} ({}) with {}: {}{note}", row.id, row.started, row.model, row.outcome));
        lines.extend(row.evidence.remarks.iter().map(|remark| format!("  {}", unbroken(&remark.in_words()))));
    }
    lines.join("\n")
}

fn import(app: &App, ListArgs { file, feature, priority, chain, dry_run }: ListArgs, output: Output) -> Answered {
    let list = TaskList { feature, text: text_of(&file)?, priority, chained: chain };
    if dry_run {
        let listed = app.listed_tasks(&list)?;
        let tasks = listed.tasks.iter().map(|item| (format!("line {}", item.line), &*item.title, &*item.description));
        output.answer(&listed, || imported(tasks, &listed.left_out));
    } else {
        let made = app.import_tasks(&list)?;
        let tasks = made.tasks.iter().map(|task| (format!("#{}", task.id), &*task.title, &*task.description));
        output.answer(&made, || imported(tasks, &made.left_out));
    }
    Ok(())
}

/// The list in a file, or on standard input: at most as much as a list may have.
fn text_of(file: &Path) -> Result<String, CommandError> {
    let read = |from: &mut dyn Read| {
        let mut text = String::new();
        from.take(TASK_LIST_BYTES as u64 + 1).read_to_string(&mut text).map(|_| text)
    };
    let text = if file == Path::new("-") { read(&mut std::io::stdin()) } else { File::open(file).and_then(|mut file| read(&mut file)) };
    text.map_err(|source| match source.kind() {
        ErrorKind::InvalidData => AppError::invalid("file", format!("{} is not text in UTF-8", file.display()), "save it as UTF-8").into(),
        _ => AppError::io(file, source).into(),
    })
}

/// The tasks from a list: a name, title and how much more each has; then what is left out.
fn imported<'a>(tasks: impl Iterator<Item = (String, &'a str, &'a str)>, left_out: &[LeftOut]) -> String {
    let more = |description: &str| match description.lines().count() {
        0 => String::new(),
        lines => format!("and {}", counted(lines, "line")),
    };
    let made = tasks.map(|(name, title, description)| vec![name, title.to_owned(), more(description)]);
    let left_out =
        left_out.iter().map(|item| vec![format!("line {}", item.line), unbroken(&item.title), format!("left out: {}", item.why)]);
    table(&made.chain(left_out).collect::<Vec<_>>(), "no list")
}

/// Reads "1,2"; an empty text is an empty list.
fn ids(text: Option<&str>) -> Result<Option<Vec<u32>>, CommandError> {
    let Some(text) = text else { return Ok(None) };
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    let read = |word: &str| {
        let fault = |_| {
            CommandError::new("invalid", format!("depends_on: '{word}' is not a task number"), "give numbers with commas between them: 1,2")
        };
        number::task(word).map_err(fault)
    };
    words.map(read).collect::<Result<Vec<u32>, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_of_a_list_is_told_beside_what_is_made() {
        let left_out = [LeftOut { line: 4, title: "Store\nrefunds".to_owned(), why: "task #2 already".to_owned(), task: Some(2) }];
        let made = [("#7".to_owned(), "Retry", "Twice.\n\nThen stop."), ("#8".to_owned(), "Tell", "")];
        let words = imported(made.into_iter(), &left_out);
        assert_eq!(words, "#7      Retry          and 3 lines\n#8      Tell\nline 4  Store refunds  left out: task #2 already");
        assert_eq!(imported(std::iter::empty(), &[]), "no list");
    }
}
