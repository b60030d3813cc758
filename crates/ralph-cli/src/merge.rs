//! `ralph diff`, `merge`, `discard`, `send-back`: reviewing work done in a worktree.

use crate::output::Output;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use ralph_app::{App, AppError, MergeRequest, StopHandle};
use ralph_core::TaskId;
use ralph_core::diff_review::{DiffFinding, DiffReview};
use ralph_core::errand::{Errand, ErrandAgent, ErrandKind, ErrandState};
use ralph_core::run::AgentKind;
use ralph_core::task::{Task, TaskStatus};
use ralph_core::text::{counted, on_one_line, one_line};
use ralph_core::view::{CommandError, LineComment, Review};
use ralph_core::worktree::{Work, WorkName, WorktreeState};
use serde::Serialize;
use std::ffi::OsString;
use std::sync::Arc;

/// Maximum characters of the reason why a reviewer gave no verdict: one line.
const NOTE_CHARS: usize = 300;

/// Which differences to show.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The task, or an errand such as e3.
    task: WorkName,
    /// Only of this commit of its branch.
    #[arg(long)]
    commit: Option<String>,
    /// Only of this file.
    #[arg(long, value_parser = OsStringValueParser::new().map(as_shown))]
    path: Option<String>,
    /// A text for a pull request instead.
    #[arg(long, conflicts_with_all = ["commit", "path"])]
    pull_request: bool,
    /// Push the branch and open the pull request with GitHub's program `gh`.
    #[arg(long, requires = "pull_request")]
    open: bool,
}

/// What to merge.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The task, or an errand such as e3.
    task: WorkName,
    /// Merge into this branch instead of the one that the work started from.
    #[arg(long, value_name = "BRANCH")]
    into: Option<String>,
    /// Have an agent resolve a conflict first; its result is checked like any other.
    #[arg(long)]
    resolve: bool,
    /// The agent that resolves it; the project's by default.
    #[arg(long, requires = "resolve")]
    agent: Option<AgentKind>,
    /// Its model.
    #[arg(long, requires = "resolve")]
    model: Option<String>,
    /// Script of the scripted agent.
    #[arg(long, value_name = "FILE", requires = "resolve")]
    script: Option<String>,
}

/// What to discard.
#[derive(Debug, Args)]
pub struct DiscardArgs {
    /// The task, or an errand such as e3.
    task: WorkName,
    /// Return discarded work to review.
    #[arg(long)]
    undo: bool,
}

/// What to send back, and why.
#[derive(Debug, Args)]
pub struct SendBackArgs {
    /// The task.
    task: WorkName,
    /// What should change.
    #[arg(long)]
    comment: String,
    /// The file concerned.
    #[arg(long, value_parser = OsStringValueParser::new().map(as_shown))]
    file: Option<String>,
    /// The line of that file, from 1.
    #[arg(long, requires = "file", value_parser = clap::value_parser!(u32).range(1..))]
    line: Option<u32>,
}

/// A review with its differences.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    review: Review,
    text: String,
    cut: bool,
}

/// An errand with the fate of its proposal.
#[derive(Serialize)]
struct Proposed {
    #[serde(flatten)]
    errand: Errand,
    review: WorktreeState,
}

/// Prints what the branch of a task or an errand changed.
pub fn diff(app: &App, args: &DiffArgs, output: Output) -> Result<(), CommandError> {
    let work = app.find_work(args.task)?;
    if args.pull_request {
        let url = args.open.then(|| app.open_pull_request(work)).transpose()?;
        let text = app.pull_request_text(work)?.text;
        let answer = serde_json::json!({ "task": work.task(), "errand": work.errand(), "text": text, "url": url });
        output.answer(&answer, || url.clone().unwrap_or_else(|| text.trim_end().to_owned()));
        return Ok(());
    }
    let diff = app.review_diff(work, args.commit.as_deref(), args.path.as_deref(), false)?;
    let shown = Shown { review: app.review(work)?, text: diff.text, cut: diff.cut };
    let review = work.task().map(|task| app.errands().map(|errands| reviewer(&shown.review, &errands, task))).transpose()?;
    let review = review.unwrap_or_default();
    output.answer(&shown, || {
        let row = &shown.review.row;
        let files = if row.files == 1 { "file" } else { "files" };
        let cut = if shown.cut { "\n[more was left out: name a --path]" } else { "" };
        let head = format!("{} → {}: {} {files}, +{} −{}, {}", row.branch, row.base, row.files, row.added, row.removed, row.standing);
        let refused = |fault: &CommandError| format!("\n{}\n    → {}", fault.message, fault.hint);
        let refused = shown.review.refusal.as_ref().map(refused).unwrap_or_default();
        format!("{head}{refused}{review}\n\n{}{cut}", shown.text.trim_end())
    });
    Ok(())
}

/// What an agent said about the work on a task before the person looks: its findings, or that there is no verdict.
fn reviewer(review: &Review, errands: &[Errand], task: TaskId) -> String {
    let newest = errands.iter().find(|errand| errand.kind == ErrandKind::Review && errand.task == Some(task) && errand.ended.is_some());
    if let Some(failed) = newest.filter(|errand| errand.state != ErrandState::Done) {
        let why = failed.note.as_ref().map(|note| format!(": {}", one_line(note, NOTE_CHARS))).unwrap_or_default();
        return format!("\nthe reviewer gave no verdict{why}\n    → ralph errand show {}", failed.id);
    }
    let Some(DiffReview { findings, current, sent_back, .. }) = &review.by_agent else { return String::new() };
    let back = if *sent_back { ", sent back for it" } else { "" };
    let earlier = if *current { "" } else { ", of an earlier state of the work" };
    let found = if findings.is_empty() { "no findings".to_owned() } else { counted(findings.len(), "finding") };
    let lines: String = findings.iter().map(finding).collect();
    format!("\nthe reviewer: {found}{back}{earlier}{lines}")
}

fn finding(of: &DiffFinding) -> String {
    let line = of.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("\n  {} {}{line}: {}", of.weight, on_one_line(&of.file), of.text.replace('\n', "\n    "))
}

/// Merges the work on a task, or what an errand proposes.
pub async fn merge(app: &Arc<App>, args: &MergeArgs, stop: &StopHandle, output: Output) -> Result<(), CommandError> {
    let work = app.find_work(args.task)?;
    let by = ErrandAgent { agent: args.agent, model: args.model.clone(), script: args.script.clone() };
    let request = MergeRequest::new(args.into.as_deref(), args.resolve.then_some(&by));
    let done = app.merge(work, &request, stop).await?;
    output.answer(&done, || {
        let kept = |name| format!("\nwhat was not committed in its worktree is kept: `ralph snapshot restore {name}` brings it back");
        format!("{work} is done: '{}' contains {}{}", done.base, done.branch, done.kept.as_ref().map(kept).unwrap_or_default())
    });
    Ok(())
}

/// Discards the work on a task, or returns it to review.
pub fn discard(app: &App, args: &DiscardArgs, output: Output) -> Result<(), CommandError> {
    let work = app.find_work(args.task)?;
    let worktree = if args.undo { app.undo_discard(work)? } else { app.discard_work(work)? };
    let in_words = |status: TaskStatus| match (args.undo, status) {
        (true, TaskStatus::InReview) => format!("{work} is in review again"),
        (true, status) => format!("the work of {work} is back, and the task is {}", status.as_str().replace('_', " ")),
        (false, _) => {
            let name = work.name();
            format!("the work of {work} is put away; `ralph discard {name} --undo` brings it back until its branch is pruned")
        }
    };
    match work {
        Work::Task(task) => {
            let row = app.task(task)?.task;
            output.answer(&row, || in_words(row.status));
        }
        Work::Errand(errand) => {
            // A proposal has no status apart from that of its work.
            let told = Proposed { errand: app.errand(errand)?, review: worktree.state };
            output.answer(&told, || in_words(TaskStatus::InReview));
        }
    }
    Ok(())
}

/// Sends a task back to the agents.
pub fn send_back(app: &App, args: &SendBackArgs, output: Output) -> Result<(), CommandError> {
    let id = match app.find_work(args.task)? {
        Work::Task(task) => task,
        Work::Errand(errand) => {
            let fault = format!("e{errand} is what an errand proposes, and only the work on a task goes back to agents");
            return Err(AppError::invalid("task", fault, format!("`ralph discard e{errand}` throws it away")).into());
        }
    };
    let task = match &args.file {
        Some(file) => {
            let lines = [LineComment { file: file.clone(), line: args.line, text: args.comment.clone() }];
            app.send_back_task(id, "", &lines)?
        }
        None => app.send_back_task(id, &args.comment, &[])?,
    };
    output.answer(&task, || told(&task));
    Ok(())
}

/// A file's name as a review shows it, whatever its bytes.
#[allow(clippy::needless_pass_by_value, reason = "clap's parser gives the value away")]
fn as_shown(name: OsString) -> String {
    name.to_string_lossy().into_owned()
}

fn told(task: &Task) -> String {
    format!("task #{} is {} again; its next attempt is told", task.id, task.status)
}
