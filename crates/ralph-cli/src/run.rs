//! `ralph run`: work in the foreground.

use crate::output::{Output, to_stdout};
use crate::signals::Signals;
use clap::Args;
use ralph_app::{App, RunEvent};
use ralph_core::run::AgentKind;
use ralph_core::run::{Run, RunLimits, RunRequest, StopReason};
use ralph_core::signal::{AgentSignal, TranscriptSignal};
use ralph_core::strategy::Strategy;
use ralph_core::view::CommandError;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::mpsc;

#[derive(Debug, Args)]
pub struct RunArgs {
    /// claude or scripted; the project's setting when left out.
    #[arg(long)]
    agent: Option<AgentKind>,
    /// Script of the scripted agent.
    #[arg(long)]
    script: Option<PathBuf>,
    /// The agent's program, in place of the one that is found or set.
    #[arg(long)]
    agent_path: Option<PathBuf>,
    #[arg(long)]
    model: Option<String>,
    /// Work on this task only.
    #[arg(long)]
    task: Option<u32>,
    #[arg(long)]
    max_iterations: Option<u32>,
    /// Dollars over the whole run.
    #[arg(long)]
    max_usd: Option<f64>,
    #[arg(long)]
    max_minutes: Option<u32>,
    /// Command that must pass before a task counts as done.
    #[arg(long)]
    check: Option<String>,
    /// How the model of each attempt is chosen: fixed, escalate, cost_optimized or plan_then_execute.
    #[arg(long)]
    strategy: Option<Strategy>,
    /// Percent of the attempts that are told no learnings (0 to 90), to measure whether memory helps.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=90))]
    hold_out: Option<u32>,
    /// Print every event as a line of JSON.
    #[arg(long)]
    jsonl: bool,
}

/// Works ready tasks until the run ends.
pub async fn run(app: Arc<App>, args: &RunArgs, output: Output) -> Result<ExitCode, CommandError> {
    let script = args.script.as_deref().map(absolute).transpose()?;
    let agent_path = args.agent_path.as_deref().map(absolute).transpose()?;
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
    };
    let prepared = app.start_run(&request).await?;
    let stop = prepared.stop();
    let (sender, mut events) = mpsc::channel(256);
    let (jsonl, quiet) = (args.jsonl, output.json);
    let printer = tokio::spawn(async move {
        while let Some(event) = events.recv().await {
            if jsonl {
                to_stdout(&format!("{}\n", serde_json::to_string(&event).unwrap_or_default()));
            } else if !quiet {
                to_stdout(&text(&event));
            }
        }
    });
    let signals = Signals::default();
    let tending = app.tend();
    let run = tokio::select! {
        run = app.drive(prepared, Some(sender)) => run?,
        // Who asks twice does not wait: with the future the agent is ended, and the task is free.
        code = signals.second(stop) => return Ok(ExitCode::from(code)),
    };
    drop(tending);
    // The sender is gone with the driver, so the printer ends by itself.
    let _ = printer.await;
    if !jsonl {
        output.answer(&run, || ended(&run));
    }
    if let Some(error) = failure(&run) {
        output.error(&error);
        return Ok(ExitCode::FAILURE);
    }
    Ok(signals.first().map_or(ExitCode::SUCCESS, ExitCode::from))
}

fn absolute(path: &std::path::Path) -> Result<String, CommandError> {
    let full: PathBuf = std::path::absolute(path).map_err(|e| CommandError {
        code: "io".to_owned(),
        message: format!("{}: {e}", path.display()),
        hint: String::new(),
    })?;
    Ok(full.to_string_lossy().into_owned())
}

/// How a run ended, in words.
pub fn ended(run: &Run) -> String {
    let reason = run.stop_reason.map_or_else(String::new, |r| r.to_string());
    let note = run.note.as_ref().map(|n| format!(": {n}")).unwrap_or_default();
    format!("run {} ended ({reason}{note}) after {} iterations, ${:.4}", run.id, run.iterations, run.cost_usd)
}

/// What makes the command fail: the run could not do its work.
fn failure(run: &Run) -> Option<CommandError> {
    let reason = run.stop_reason?;
    let bad = matches!(
        reason,
        StopReason::Authentication
            | StopReason::AgentUnavailable
            | StopReason::Network
            | StopReason::Crashed
            | StopReason::InternalError
            | StopReason::ProjectGone
    );
    bad.then(|| CommandError {
        code: reason.to_string(),
        message: run.note.clone().unwrap_or_else(|| format!("the run ended: {reason}")),
        hint: "`ralph doctor` looks at the agent and the project".to_owned(),
    })
}

fn text(event: &RunEvent) -> String {
    match event {
        RunEvent::RunStarted { run } => format!("run {} with {}, strategy {}\n", run.id, run.agent, run.strategy),
        RunEvent::IterationStarted { iteration } => {
            let why = iteration.rationale.as_ref().map(|r| format!("   {r}\n")).unwrap_or_default();
            format!("── iteration {} · #{} {}\n{why}", iteration.number, iteration.task, iteration.task_title)
        }
        RunEvent::IterationSettled { iteration } => {
            format!("── {}{}\n", iteration.outcome, iteration.note.as_ref().map(|n| format!(": {n}")).unwrap_or_default())
        }
        RunEvent::RunEnded { .. } => String::new(),
        RunEvent::Entry { entry, .. } => match &entry.signal {
            TranscriptSignal::Agent { signal: AgentSignal::Text { text } } => format!("{text}\n"),
            TranscriptSignal::Agent { signal: AgentSignal::ToolCall { name, summary, .. } } => format!("  {name} {summary}\n"),
            TranscriptSignal::Agent { signal: AgentSignal::ToolResult { is_error: true, summary, .. } } => format!("  ✗ {summary}\n"),
            TranscriptSignal::Agent { signal: AgentSignal::Denied { tool, .. } } => format!("  denied: {tool}\n"),
            TranscriptSignal::Ralph { note, text } if note == "stderr" => format!("  {text}\n"),
            TranscriptSignal::Agent { .. } | TranscriptSignal::Ralph { .. } => String::new(),
        },
    }
}
