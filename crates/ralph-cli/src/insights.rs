//! `ralph insights`: what the project's history says.

use crate::eval_project;
use crate::insights_iterations::{IterationsArgs, iterations};
use crate::output::{Answered, Output};
use clap::{Args, Subcommand};
use ralph_app::App;
use ralph_core::stats::Interval;
use ralph_core::text::{counted, dollars};
use ralph_core::view::{Insights, WorkOverTime};
use std::fmt::Write as _;

#[derive(Debug, Args)]
pub struct InsightsArgs {
    #[command(subcommand)]
    command: Option<InsightsCommand>,
}

#[derive(Debug, Subcommand)]
enum InsightsCommand {
    /// Retrieval and learning: gates, channels, learned terms, the effect of each learning, cycles, trials.
    Eval,
    /// Attempts done and failed, and dollars, by day and by feature.
    Days,
    /// The iterations behind a figure, newest first; all of them unless it is narrowed.
    Iterations(IterationsArgs),
}

/// What the project's history says.
pub fn insights(app: &App, args: &InsightsArgs, output: Output) -> Answered {
    match &args.command {
        Some(InsightsCommand::Iterations(args)) => return iterations(app, args, output),
        Some(InsightsCommand::Eval) => return eval_project::insights(app, output),
        Some(InsightsCommand::Days) => {
            let work = app.work_over_time()?;
            output.answer(&work, || over_time(&work));
            return Ok(());
        }
        None => {}
    }
    let insights = app.insights()?;
    output.answer(&insights, || text(&insights));
    Ok(())
}

fn over_time(work: &WorkOverTime) -> String {
    let line = |name: &str, done: u32, failed: u32, cost: String| format!("{name}: {done} done, {failed} failed, {cost}\n");
    let days = work.days.iter().map(|day| line(&day.day, day.done, day.failed, day.cost.in_words(2)));
    let name = |feature: &Option<String>| feature.clone().unwrap_or_else(|| "of no feature".to_owned());
    let features = work.features.iter().map(|row| line(&name(&row.feature), row.done, row.failed, row.cost.in_words(2)));
    let told: String = days.chain(features).collect();
    if told.is_empty() { "no iteration has ended yet".to_owned() } else { told.trim_end().to_owned() }
}

fn text(i: &Insights) -> String {
    let estimated = if i.cost_estimated { ", partly estimated" } else { "" };
    let per_task = i.cost_per_done_task.map(|c| format!(", {} per done task", dollars(c, i.cost.unpriced, 4))).unwrap_or_default();
    let errands =
        if i.cost.errands_usd > 0.0 { format!(", {} of it by errands", dollars(i.cost.errands_usd, 0, 4)) } else { String::new() };
    let mut out = format!(
        "{} of {} done; {}; {}{estimated}{errands}{per_task}\n{} with a report, {} repeated an earlier one\n",
        i.attempts.successes,
        counted(i.attempts.trials, "attempt"),
        counted(i.done_tasks, "task"),
        i.cost.in_words(4),
        counted(i.failures, "failure"),
        i.repeated_failures
    );
    for model in &i.models {
        let r = &model.record;
        let difficulty = r.difficulty.map_or("unknown difficulty", |d| d.as_str());
        let _ = writeln!(out, "{} at {difficulty}: {} of {} done ({})", r.model, r.successes, r.attempts, percent(model.success));
    }
    let _ = write!(out, "memory on success: {}\nmemory on cost: {}", i.memory_on_success, i.memory_on_cost);
    out
}

fn percent(interval: Interval) -> String {
    format!("95 % interval {:.0} … {:.0} %", interval.low * 100.0, interval.high * 100.0)
}
