//! `ralph stop`, `pause` and `resume`: steering a run from another terminal.

use crate::number;
use crate::output::{Answered, Output, table, unbroken};
use clap::Args;
use ralph_app::{App, Clock, local_time};
use ralph_core::run::{Guidance, Leave, Question, Run, RunControl, RunState};
use ralph_core::view::{CommandError, RunWithLanes};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How long `stop` waits for the run to end: the stop ladder takes less than 5 s, and ending a check as long again.
const STOP_PATIENCE: Duration = Duration::from_secs(20);
/// How often it checks.
const STOP_LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
pub struct StopArgs {
    /// After the current iteration instead.
    #[arg(long)]
    after: bool,
    /// Only this worker; the others continue.
    #[arg(long, value_name = "N")]
    lane: Option<u32>,
    #[command(flatten)]
    which: RunChoice,
}

/// Which of several runs.
#[derive(Debug, Clone, Copy, Args)]
pub struct RunChoice {
    /// This run; required if several are active.
    #[arg(long, value_name = "ID")]
    run: Option<u32>,
    /// Every active run; the answer is a list.
    #[arg(long, conflicts_with_all = ["run", "lane"])]
    all: bool,
}

#[derive(Debug, Args)]
pub struct LaneArgs {
    /// Only this worker; the others continue.
    #[arg(long, value_name = "N")]
    lane: Option<u32>,
    #[command(flatten)]
    which: RunChoice,
}

#[derive(Debug, Args)]
pub struct GuideArgs {
    /// For the next iteration of this task; of any task by default.
    #[arg(long, value_name = "ID", value_parser = number::task)]
    task: Option<u32>,
    /// What it should know; without it, pending guidance is listed.
    #[arg(conflicts_with = "take_back")]
    text: Option<String>,
    /// Withdraw pending guidance by its number.
    #[arg(long, value_name = "N", conflicts_with = "task")]
    take_back: Option<u32>,
}

#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// The question; without it, open questions are listed.
    #[arg(requires = "answer")]
    id: Option<u32>,
    /// yes or no.
    answer: Option<String>,
}

/// Stops a run, whoever started it, and waits for its end.
pub async fn stop(app: &Arc<App>, args: &StopArgs, output: Output) -> Result<ExitCode, CommandError> {
    let wish = if args.after { RunControl::StopAfter } else { RunControl::StopNow };
    let (asked, mut fault) = asked_of(app, args.which, args.lane, wish)?;
    let mut answers = Vec::new();
    for run in &asked {
        match stopped(app, run, args).await {
            Ok(answer) => answers.push(answer),
            Err(error) => fault = fault.or(Some(error)),
        }
    }
    let words = || answers.iter().map(|(_, words)| words.clone()).collect::<Vec<_>>().join("\n");
    let runs: Vec<&RunWithLanes> = answers.iter().map(|(run, _)| run).collect();
    answer_for(&runs, args.which, output, words);
    fault.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Sends the request to the chosen run, or to every one, and returns those that were asked, and the first fault of the others.
fn asked_of(app: &App, which: RunChoice, lane: Option<u32>, wish: RunControl) -> Result<(Vec<Run>, Option<CommandError>), CommandError> {
    if !which.all {
        return Ok((vec![app.control_run(which.run, lane, wish)?], None));
    }
    let (asked, fault) = app.control_all(wish)?;
    Ok((asked, fault.map(CommandError::from)))
}

/// One run is printed as an object, all runs as a list.
fn answer_for(runs: &[&RunWithLanes], which: RunChoice, output: Output, words: impl FnOnce() -> String) {
    match runs {
        [only] if !which.all => output.answer(*only, words),
        // The fault that follows says why there is no answer.
        [] if !which.all => {}
        all => output.answer(&all, words),
    }
}

/// Waits until a run has followed the request, and prints it.
async fn stopped(app: &Arc<App>, run: &Run, args: &StopArgs) -> Result<(RunWithLanes, String), CommandError> {
    let who = named(run, args.lane);
    if args.after && run.ended.is_none() {
        return Ok((app.run_with_lanes(run.id)?, format!("{who} ends after this iteration")));
    }
    let asked = tokio::time::Instant::now();
    let mut look = tokio::time::interval(STOP_LOOK);
    loop {
        look.tick().await;
        let shown = app.stopping_run(run.id)?;
        if shown.run.ended.is_some() {
            let words = crate::run::ended(&shown.run);
            return Ok((shown, words));
        }
        if args.lane.is_some_and(|lane| shown.lanes.iter().all(|row| row.lane != lane)) {
            return Ok((shown, format!("{who} is stopped; the others go on")));
        }
        if asked.elapsed() > STOP_PATIENCE {
            return Err(CommandError::new(
                "run_active",
                format!("run {} was asked to stop, but its process {} does not answer", run.id, run.owner_pid),
                format!("end process {} by hand; `ralph status` then frees its task", run.owner_pid),
            ));
        }
    }
}

/// Pauses or resumes a run or one of its lanes.
pub fn control(app: &App, args: &LaneArgs, wish: RunControl, output: Output) -> Answered {
    let (asked, fault) = asked_of(app, args.which, args.lane, wish)?;
    let shown = asked.iter().map(|run| app.run_with_lanes(run.id)).collect::<ralph_app::Result<Vec<_>>>()?;
    let words = || {
        let told = asked.iter().zip(&shown);
        told.map(|(run, now)| format!("{}: {}", named(run, args.lane), does(run, now, args.lane, wish))).collect::<Vec<_>>().join("\n")
    };
    answer_for(&shown.iter().collect::<Vec<_>>(), args.which, output, words);
    fault.map_or(Ok(()), Err)
}

/// What follows from the request.
fn does(run: &Run, now: &RunWithLanes, lane: Option<u32>, wish: RunControl) -> String {
    if wish != RunControl::None {
        let is_idle = lane.is_some_and(|lane| now.idle_lanes.iter().any(|idle| idle.lane == lane));
        return if is_idle { "is paused" } else { "pauses after this iteration" }.to_owned();
    }
    if lane.is_some() && run.control == RunControl::Pause {
        return format!("goes on once the whole run does, which is paused: `ralph resume --run {}`", run.id);
    }
    match (run.state, run.waiting_until) {
        (RunState::Waiting, Some(until)) => {
            let note = run.note.as_ref().map(|note| format!(" ({})", unbroken(note))).unwrap_or_default();
            format!("waits until {}{note}, then goes on", local_time(until, Clock::system().now()))
        }
        (RunState::Waiting, None) => "goes on once it has waited".to_owned(),
        _ => "goes on".to_owned(),
    }
}

fn named(run: &Run, lane: Option<u32>) -> String {
    lane.map_or_else(|| format!("run {}", run.id), |lane| format!("lane {lane} of run {}", run.id))
}

/// Runs `ralph guide`.
pub fn guide(app: &App, args: &GuideArgs, output: Output) -> Answered {
    if let Some(id) = args.take_back {
        let given = app.withdraw_guidance(id)?;
        output.answer(&given, || format!("guidance {id} is taken back"));
        return Ok(());
    }
    let Some(text) = &args.text else {
        let waiting = app.waiting_guidance()?;
        output.answer(&waiting, || table(&waiting.iter().map(waits).collect::<Vec<_>>(), "no guidance waits"));
        return Ok(());
    };
    let given = app.guide(args.task, text)?;
    let whom = given.task.map_or_else(|| "the next iteration".to_owned(), |task| format!("the next iteration on task {task}"));
    let later = if app.active_runs()?.is_empty() { "; no run goes on yet" } else { "" };
    output.answer(&given, || format!("{whom} is told{later}"));
    Ok(())
}

fn waits(given: &Guidance) -> Vec<String> {
    let whom = given.task.map_or_else(|| "any task".to_owned(), |task| format!("#{task}"));
    vec![given.id.to_string(), whom, unbroken(&given.text)]
}

/// Runs `ralph answer`.
pub fn answer(app: &App, args: &AnswerArgs, output: Output) -> Answered {
    let (Some(id), Some(words)) = (args.id, &args.answer) else {
        let waiting = app.waiting_questions()?;
        output.answer(&waiting, || match waiting.as_slice() {
            [] => "no agent asks for leave".to_owned(),
            waiting => waiting.iter().map(asks).collect::<Vec<_>>().join("\n"),
        });
        return Ok(());
    };
    let question = app.answer_question(id, App::leave_of(words)?)?;
    output.answer(&question, || match question.answer {
        Some(Leave::Yes) => format!("the agent of iteration {} may use {}", question.iteration, question.tool),
        _ => format!("the agent of iteration {} may not use {}", question.iteration, question.tool),
    });
    Ok(())
}

fn asks(question: &Question) -> String {
    let on: String = question.summary.lines().map(|line| format!("\n      {line}")).collect();
    format!("{:>4}  #{}  {}{on}", question.id, question.task, unbroken(&question.tool))
}
