//! `ralph insights`: what the project's history says.

use crate::eval_project;
use crate::output::{Answered, Output};
use clap::{Args, Subcommand};
use ralph_app::App;
use ralph_core::stats::Interval;
use ralph_core::view::Insights;
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
}

/// What the project's history says.
pub fn insights(app: &App, args: &InsightsArgs, output: Output) -> Answered {
    if let Some(InsightsCommand::Eval) = args.command {
        return eval_project::insights(app, output);
    }
    let insights = app.insights()?;
    output.answer(&insights, || text(&insights));
    Ok(())
}

fn text(i: &Insights) -> String {
    let estimated = if i.cost_estimated { ", partly estimated" } else { "" };
    let per_task = i.cost_per_done_task.map(|c| format!(", ${c:.4} per done task")).unwrap_or_default();
    let mut out = format!(
        "{} of {} attempts done; {} tasks; ${:.4}{estimated}{per_task}\n{} failures with a report, {} repeated an earlier one\n",
        i.attempts.successes, i.attempts.trials, i.done_tasks, i.cost_usd, i.failures, i.repeated_failures
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
