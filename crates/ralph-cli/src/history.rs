//! Subcommands about what was: the next prompt, attempts, insights.

use crate::commands::open;
use crate::output::{Output, table};
use ralph_core::run::attempt::Attempt;
use ralph_core::stats::Interval;
use ralph_core::view::{CommandError, Insights};
use std::fmt::Write as _;
use std::path::Path;

/// The exact prompt that the next iteration on a task would get; with `explain` its sections.
pub fn prompt(directory: &Path, task: u32, explain: bool, output: Output) -> Result<(), CommandError> {
    let prompt = open(directory)?.next_prompt(task)?;
    output.answer(&prompt, || {
        if !explain {
            return prompt.text.trim_end().to_owned();
        }
        let rows: Vec<Vec<String>> =
            prompt.sections.iter().map(|s| vec![s.name.clone(), format!("{} characters", s.chars), s.origin.clone()]).collect();
        table(&rows, "the prompt is empty")
    });
    Ok(())
}

/// Attempts at a task, newest first.
pub fn attempts(directory: &Path, task: u32, output: Output) -> Result<(), CommandError> {
    let attempts = open(directory)?.attempts(task)?;
    output.answer(&attempts, || {
        let lines: Vec<String> = attempts.iter().map(attempt_text).collect();
        if lines.is_empty() { format!("no attempts at #{task} yet") } else { lines.join("\n") }
    });
    Ok(())
}

fn attempt_text(attempt: &Attempt) -> String {
    let cost = attempt.cost_usd.map(|c| format!(", ${c:.4}")).unwrap_or_default();
    let mut text = format!("attempt {}: {} with {}{cost} ({})", attempt.number, attempt.outcome, attempt.model, attempt.at);
    if let Some(failure) = &attempt.failure {
        let by = if failure.generated { "Ralph's report" } else { "its report" };
        let _ = write!(text, "\n  {by}, {}\n  tried: {}\n  failed: {}", failure.category, failure.what_was_tried, failure.why_it_failed);
        if let Some(suggestion) = &failure.retry_suggestion {
            let _ = write!(text, "\n  next: {suggestion}");
        }
    }
    text
}

/// What the project's history says.
pub fn insights(directory: &Path, output: Output) -> Result<(), CommandError> {
    let insights = open(directory)?.insights()?;
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
