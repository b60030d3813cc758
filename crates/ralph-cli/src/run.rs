//! `ralph run`: work in the foreground.

use crate::consolidate::due_in_words;
use crate::follow::{OutputStyle, follow};
use crate::needs_you;
use crate::number;
use crate::output::Output;
use crate::path::absolute_name;
use crate::signals::Signals;
use clap::Args;
use ralph_app::{App, AppError};
use ralph_core::consolidation::SourceTrigger;
use ralph_core::limits;
use ralph_core::permission::PermissionProfile;
use ralph_core::run::{AgentKind, Run, RunLimits, RunRequest, RunResult, StopReason};
use ralph_core::strategy::Strategy;
use ralph_core::view::{CommandError, LaneRow, NeedsYou};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct RunArgs {
    /// claude, codex, opencode or scripted; the project's setting when left out.
    #[arg(long)]
    agent: Option<AgentKind>,
    /// Script of the scripted agent.
    #[arg(long)]
    script: Option<PathBuf>,
    /// The agent's program, in place of the one that is found or configured.
    #[arg(long)]
    agent_path: Option<PathBuf>,
    /// Model, as the agent knows it; the project's setting when left out.
    #[arg(long)]
    model: Option<String>,
    /// Work on this task only.
    #[arg(long, value_parser = number::task)]
    task: Option<u32>,
    /// Iterations over the whole run; the project's setting when left out.
    #[arg(long, allow_negative_numbers = true)]
    max_iterations: Option<u32>,
    /// Dollars over the whole run.
    #[arg(long, allow_negative_numbers = true)]
    max_usd: Option<f64>,
    /// Minutes over the whole run.
    #[arg(long, allow_negative_numbers = true)]
    max_minutes: Option<u32>,
    /// Command that must pass before a task counts as done.
    #[arg(long)]
    check: Option<String>,
    /// How the model of each attempt is chosen: fixed, escalate, cost_optimized or plan_then_execute.
    #[arg(long)]
    strategy: Option<Strategy>,
    /// Percent of the attempts that get no learnings (0 to 90), to measure whether memory helps.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=i64::from(limits::HOLD_OUT_MOST)))]
    hold_out: Option<u32>,
    /// What agents may do without asking: careful, normal or unattended; the project's setting when left out.
    #[arg(long, value_name = "PROFILE")]
    permissions: Option<PermissionProfile>,
    /// How many agents work at once, each on a task of its own, in a worktree of its own where there is more than one.
    #[arg(long, value_name = "N")]
    workers: Option<u32>,
    /// Work in this checkout, with one worker, rather than in a worktree for each task.
    #[arg(long)]
    in_place: bool,
    /// Work in a worktree for each task, also with one worker.
    #[arg(long, conflicts_with = "in_place")]
    worktrees: bool,
    /// Print every event as a line of JSON, also with --json.
    #[arg(long)]
    jsonl: bool,
}

/// The checkout that the person is in, if it is one of theirs other than the project's own.
fn here(app: &App, in_place: bool) -> Result<Option<String>, CommandError> {
    let Ok(folder) = std::env::current_dir() else { return Ok(None) };
    Ok(app.persons_checkout(&folder, in_place)?.map(|top| top.to_string_lossy().into_owned()))
}

/// Works ready tasks until the run ends.
pub async fn run(app: Arc<App>, args: &RunArgs, output: Output) -> Result<ExitCode, CommandError> {
    let script = args.script.as_deref().map(absolute_name).transpose()?;
    let agent_path = args.agent_path.as_deref().map(absolute_name).transpose()?;
    let request = RunRequest {
        agent: args.agent.map_or_else(|| app.settings().map(|s| s.agent), Ok)?,
        model: args.model.clone(),
        script,
        agent_path,
        task: args.task,
        limits: RunLimits { max_iterations: args.max_iterations, max_minutes: args.max_minutes, max_usd: args.max_usd },
        check: args.check.clone(),
        strategy: args.strategy,
        hold_out: args.hold_out,
        permissions: args.permissions,
        checkout: here(&app, args.in_place)?,
        workers: args.workers,
        in_place: (args.in_place || args.worktrees).then_some(args.in_place),
    };
    let prepared = match app.start_run(&request).await {
        Ok(prepared) => prepared,
        Err(error) => {
            let error = CommandError::from(error);
            return if TROUBLE.contains(&error.code.as_str()) { Ok(in_trouble(&error, output)) } else { Err(error) };
        }
    };
    let stop = prepared.stop();
    let (sender, events) = ralph_app::follower();
    let printer = tokio::spawn(follow(events, OutputStyle::of(args.jsonl, output)));
    let signals = Signals::default();
    let indexer = app.start_indexer();
    let run = tokio::select! {
        run = app.drive(prepared, Some(sender)) => match run {
            Ok(run) => run,
            // It began, so nothing was refused: just its end could not be stored.
            Err(error) => return Ok(in_trouble(&error.into(), output)),
        },
        // A second signal does not wait: dropping the future ends the agent and frees the task.
        code = signals.second(|name| stop.stop(&format!("{name} ended it"))) => return Ok(ExitCode::from(code)),
    };
    drop(indexer);
    // The sender is gone with the driver, so the printer ends by itself.
    let _ = printer.await;
    // The run did begin: failing to look at it afterwards is no refusal.
    let (came_out, fault) = match CameOut::of(&app, &run) {
        Ok(came_out) => (came_out, None),
        Err(error) => (CameOut::in_trouble(&run), Some(CommandError::from(error))),
    };
    if !args.jsonl {
        output.answer(&came_out, || came_out.in_words());
    }
    if came_out.result == RunResult::Trouble {
        output.error(&fault.unwrap_or_else(|| trouble(&run)));
    }
    Ok(ExitCode::from(signals.first().unwrap_or(came_out.result.exit_code())))
}

/// Reports an error that kept a run from its work.
fn in_trouble(error: &CommandError, output: Output) -> ExitCode {
    output.error(error);
    ExitCode::from(RunResult::Trouble.exit_code())
}

/// Codes of errors that keep a run from beginning although the request was valid.
const TROUBLE: [&str; 3] = ["agent_unavailable", "untrusted", "network"];

/// The run's row, and how it came out.
#[derive(Serialize)]
struct CameOut<'a> {
    #[serde(flatten)]
    run: &'a Run,
    /// What each worker did last.
    lanes: Vec<LaneRow>,
    result: RunResult,
    needs_you: Vec<NeedsYou>,
    /// Sources of learnings that are due for consolidation.
    due: Vec<SourceTrigger>,
}

impl<'a> CameOut<'a> {
    fn of(app: &App, run: &'a Run) -> Result<CameOut<'a>, AppError> {
        let (result, lanes, needs_you) = (app.run_result(run)?, app.run_with_lanes(run.id)?.lanes, app.overview()?.needs_you);
        // How the run came out is shown even if the learnings can't be looked at.
        Ok(CameOut { run, lanes, result, needs_you, due: app.due_sources().unwrap_or_default() })
    }

    /// What is known about a run whose project can no longer be read.
    fn in_trouble(run: &'a Run) -> CameOut<'a> {
        CameOut { run, lanes: Vec::new(), result: RunResult::Trouble, needs_you: Vec::new(), due: Vec::new() }
    }

    fn in_words(&self) -> String {
        let mut lines = vec![ended(self.run)];
        if self.result != RunResult::Done {
            lines.push(format!("{}: {}", self.result, self.result.meaning()));
        }
        lines.extend(self.needs_you.iter().map(needs_you::in_words));
        lines.extend(self.due.iter().map(due_in_words));
        lines.join("\n")
    }
}

/// What each exit code of `ralph run` means, for its help.
pub fn exit_codes() -> String {
    let rows = RunResult::ALL.iter().map(|result| (result.exit_code(), result.as_str(), result.meaning()));
    let refused = [(1, "", "refused: the error says why"), (2, "", "wrong usage")];
    let interrupted = RunResult::Interrupted.as_str();
    let signals = [(129, interrupted, "the same by SIGHUP: its terminal is gone"), (143, interrupted, "the same by SIGTERM")];
    let mut rows: Vec<(u8, &str, &str)> = rows.chain(refused).chain(signals).collect();
    rows.sort_unstable();
    let lines = rows.iter().map(|(code, word, meaning)| format!("  {code:<4} {word:<12} {meaning}"));
    format!("Exit codes, and the word that --json and --jsonl give as `result`:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// How a run ended, in words.
pub fn ended(run: &Run) -> String {
    let reason = run.stop_reason.map_or_else(String::new, |r| r.to_string());
    let note = run.note.as_ref().map(|n| format!(": {n}")).unwrap_or_default();
    format!("run {} ended ({reason}{note}) after {}, {}", run.id, run.iterations_in_words(), run.cost.in_words(4))
}

/// What kept the run from its work.
fn trouble(run: &Run) -> CommandError {
    let reason = run.stop_reason.unwrap_or(StopReason::Crashed);
    let message = run.note.clone().unwrap_or_else(|| format!("the run ended: {reason}"));
    // What a setting or the repository made impossible says how to mend it; git's messages don't say where they come from.
    let says_how = ["worktree_", "setup:", "repository:"].iter().any(|what| message.starts_with(what));
    let hint = match reason {
        StopReason::NoCheckout if says_how => "mend what it says, then start again",
        StopReason::NoCheckout => "mend what it says (is the disk full?), then start again",
        // The agent's program is found and answers, which is all that the doctor can see.
        StopReason::Authentication => "log in, or set the key, then start again: `ralph doctor` can't see whether that is done",
        _ => "`ralph doctor` looks at the agent and the project",
    };
    CommandError::new(reason.as_str(), message, hint)
}
