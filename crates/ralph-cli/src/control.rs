//! `ralph stop`, `pause` and `resume`: steering a run from another terminal.

use crate::output::{Answered, Output, table, unbroken};
use clap::Args;
use ralph_app::App;
use ralph_core::run::{Guidance, Run, RunControl};
use ralph_core::view::CommandError;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How long `stop` waits for the run to be over: the stop ladder takes less than 5 s, a check's end as much again.
const STOP_PATIENCE: Duration = Duration::from_secs(20);
/// How often it looks.
const STOP_LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
pub struct StopArgs {
    /// After the current iteration instead.
    #[arg(long)]
    after: bool,
    /// Only this worker; the others go on.
    #[arg(long, value_name = "N")]
    lane: Option<u32>,
}

#[derive(Debug, Args)]
pub struct LaneArgs {
    /// Only this worker; the others go on.
    #[arg(long, value_name = "N")]
    lane: Option<u32>,
}

#[derive(Debug, Args)]
pub struct GuideArgs {
    /// The next iteration of this task; the next one of any task when left out.
    #[arg(long, value_name = "ID")]
    task: Option<u32>,
    /// What it should know; without it, what waits to be told is listed.
    #[arg(conflicts_with = "take_back")]
    text: Option<String>,
    /// Take guidance back that still waits, by its number.
    #[arg(long, value_name = "N", conflicts_with = "task")]
    take_back: Option<u32>,
}

/// Stops the active run, whoever started it, and waits until it is over.
pub async fn stop(app: &Arc<App>, args: &StopArgs, output: Output) -> Result<ExitCode, CommandError> {
    let run = app.control_run(args.lane, if args.after { RunControl::StopAfter } else { RunControl::StopNow })?;
    let who = named(&run, args.lane);
    if args.after && run.ended.is_none() {
        output.answer(&app.run_with_lanes(run.id)?, || format!("{who} ends after this iteration"));
        return Ok(ExitCode::SUCCESS);
    }
    let asked = tokio::time::Instant::now();
    let mut look = tokio::time::interval(STOP_LOOK);
    loop {
        look.tick().await;
        // Also ends a run whose process is gone.
        app.active_run()?;
        let shown = app.run_with_lanes(run.id)?;
        let run = &shown.run;
        if run.ended.is_some() {
            output.answer(&shown, || crate::run::ended(run));
            return Ok(ExitCode::SUCCESS);
        }
        if args.lane.is_some_and(|lane| shown.lanes.iter().all(|row| row.lane != lane)) {
            output.answer(&shown, || format!("{who} is stopped; the others go on"));
            return Ok(ExitCode::SUCCESS);
        }
        if asked.elapsed() > STOP_PATIENCE {
            return Err(CommandError {
                code: "run_active".to_owned(),
                message: format!("run {} was asked to stop, but its process {} does not answer", run.id, run.owner_pid),
                hint: format!("end process {} by hand; `ralph status` then frees its task", run.owner_pid),
                data: None,
            });
        }
    }
}

/// Pauses the active run or one lane of it, or lets it go on.
pub fn control(app: &App, args: &LaneArgs, wish: RunControl, output: Output) -> Answered {
    let run = app.control_run(args.lane, wish)?;
    let does = if wish == RunControl::None { "goes on" } else { "pauses after this iteration" };
    output.answer(&app.run_with_lanes(run.id)?, || format!("{}: {does}", named(&run, args.lane)));
    Ok(())
}

fn named(run: &Run, lane: Option<u32>) -> String {
    lane.map_or_else(|| format!("run {}", run.id), |lane| format!("lane {lane} of run {}", run.id))
}

/// Answers `ralph guide`.
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
    output.answer(&given, || format!("{whom} is told"));
    Ok(())
}

fn waits(given: &Guidance) -> Vec<String> {
    let whom = given.task.map_or_else(|| "any task".to_owned(), |task| format!("#{task}"));
    vec![given.id.to_string(), whom, unbroken(&given.text)]
}
