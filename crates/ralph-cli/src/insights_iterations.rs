//! `ralph insights iterations`: the iterations behind a figure of the insights.

use crate::output::{Answered, Output};
use clap::Args;
use ralph_app::App;
use ralph_core::IterationId;
use ralph_core::run::attempt::ErrorCategory;
use ralph_core::sigil::Difficulty;
use ralph_core::strategy::Strategy;
use ralph_core::text::{counted, cut};
use ralph_core::view::{EffectFigure, IterationFilter, IterationPage, IterationRow, MemorySide};

/// Characters of a title or a reason on one line.
const SHOWN_CHARS: usize = 100;

#[derive(Debug, Args)]
pub struct IterationsArgs {
    /// Only those that were shown this learning, or from which it was withheld.
    #[arg(long, value_name = "ID")]
    learning: Option<String>,
    /// Of those: only what this figure in its effect counts: shown, succeeded, failed, failed_as_warned, avoided, withheld or compared.
    #[arg(long, value_name = "FIGURE", requires = "learning")]
    effect: Option<EffectFigure>,
    /// Only those at tasks of this feature.
    #[arg(long, value_name = "NAME")]
    feature: Option<String>,
    /// Only those that ended on this day of your clock, such as 2026-11-01; today those at work, too.
    #[arg(long)]
    day: Option<String>,
    /// Only one side of the comparison on whether memory helps: told or withheld.
    #[arg(long, value_name = "SIDE")]
    memory: Option<MemorySide>,
    /// Only those of this model.
    #[arg(long)]
    model: Option<String>,
    /// Only those at tasks whose agent rated them this difficult.
    #[arg(long)]
    difficulty: Option<Difficulty>,
    /// Only those with this category of failure.
    #[arg(long)]
    category: Option<ErrorCategory>,
    /// Only those with this failure signature.
    #[arg(long)]
    signature: Option<String>,
    /// Only those that failed like an earlier attempt at their task.
    #[arg(long)]
    repeated: bool,
    /// Only those of runs with this strategy.
    #[arg(long)]
    strategy: Option<Strategy>,
    /// Only those that completed their task.
    #[arg(long, conflicts_with = "failed")]
    done: bool,
    /// Only those that did not.
    #[arg(long)]
    failed: bool,
    /// Only those at tasks that are done now: not those whose work waits for its merge, was sent back or thrown away.
    #[arg(long)]
    task_done: bool,
    /// Only ended attempts.
    #[arg(long)]
    attempts: bool,
    /// Only those whose cost is estimated.
    #[arg(long)]
    estimated: bool,
    /// Only the newest, by which models are measured.
    #[arg(long)]
    recent: bool,
    /// The page before this iteration: `next` of the last answer.
    #[arg(long, value_name = "NUMBER")]
    before: Option<IterationId>,
}

/// Runs `ralph insights iterations`.
pub fn iterations(app: &App, args: &IterationsArgs, output: Output) -> Answered {
    let filter = IterationFilter {
        model: args.model.clone(),
        difficulty: args.difficulty,
        difficulty_unknown: false,
        category: args.category,
        signature: args.signature.clone(),
        repeated: args.repeated,
        strategy: args.strategy,
        memory: args.memory,
        learning: args.learning.clone(),
        effect: args.effect,
        feature: args.feature.clone(),
        day: args.day.clone(),
        since: None,
        undone: false,
        attempts: args.attempts,
        done: (args.done || args.failed).then_some(args.done),
        task_done: args.task_done,
        estimated: args.estimated,
        recent: args.recent,
    };
    let page = app.iterations_where(&filter, args.before)?;
    output.answer(&page, || in_words(&page));
    Ok(())
}

fn in_words(page: &IterationPage) -> String {
    let sums = &page.sums;
    let (iterations, tasks) = (counted(sums.iterations, "iteration"), counted(sums.tasks, "task"));
    let head = format!("{iterations}, {} done, {tasks}, {}", sums.done, sums.cost.in_words(2));
    let row = |row: &IterationRow| {
        let of = &row.iteration;
        let why = row.failure.as_ref().map_or_else(String::new, |failure| format!("\n   {}", cut(&failure.why_it_failed, SHOWN_CHARS)));
        format!("{} {} #{} {} {}{why}", of.id, of.outcome, of.task, of.started, cut(&of.task_title, SHOWN_CHARS))
    };
    let next = page.next.map(|before| format!("more: --before {before}"));
    std::iter::once(head).chain(page.rows.iter().map(row)).chain(next).collect::<Vec<_>>().join("\n")
}
