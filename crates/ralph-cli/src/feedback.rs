//! `ralph feedback`: whether a learning helped, and undoing what was learnt from such feedback.

use crate::output::{Answered, Output};
use clap::{Args, Subcommand};
use ralph_app::{App, begin_of_named};
use ralph_core::feedback::{Rollback, SelectionOutcome, SelectionSource};
use ralph_core::text::counted;
use ralph_core::time::Timestamp;
use ralph_core::view::CommandError;

#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
pub struct FeedbackArgs {
    #[command(subcommand)]
    command: Option<FeedbackCommand>,
    /// The learning.
    #[arg(required = true)]
    id: Option<String>,
    /// It helped.
    #[arg(long, required_unless_present = "not_useful", conflicts_with = "not_useful")]
    useful: bool,
    /// It did not.
    #[arg(long)]
    not_useful: bool,
    /// For this question: its id, which is `query` in the answer of `ralph recall --json`, or its words.
    #[arg(long)]
    query: Option<String>,
}

impl FeedbackArgs {
    /// Whether an argument is given that has no meaning with the subcommand. clap would refuse `-C` and `--json` there, too.
    pub fn are_misplaced(&self) -> bool {
        self.command.is_some() && (self.id.is_some() || self.useful || self.not_useful || self.query.is_some())
    }
}

#[derive(Debug, Subcommand)]
enum FeedbackCommand {
    /// Undo what was learnt from selections, and the feedback itself: everything, unless narrowed.
    Rollback(RollbackArgs),
}

#[derive(Debug, Args)]
struct RollbackArgs {
    /// Only that of these: person, agent or run.
    #[arg(long)]
    source: Option<SelectionSource>,
    /// Only from this day of your clock on, such as 2026-11-01, or from a time such as 2026-11-01T00:00:00Z.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only the learned terms of this learning; what was said about it stays.
    #[arg(long, value_name = "ID", conflicts_with_all = ["source", "since"])]
    learning: Option<String>,
    /// Of those: only this term.
    #[arg(long, requires = "learning")]
    term: Option<String>,
}

/// Runs `ralph feedback`.
pub fn feedback(app: &App, args: FeedbackArgs, output: Output) -> Answered {
    if let Some(FeedbackCommand::Rollback(RollbackArgs { source, since, learning, term })) = args.command {
        let since = since.as_deref().map(|since| time("since", since, begin_of_named)).transpose()?;
        let done = match learning {
            Some(learning) => app.unlearn(&learning, term.as_deref())?,
            None => app.roll_feedback_back(source, since)?,
        };
        output.answer(&done, || rolled_back(&done));
        return Ok(());
    }
    let outcome = app.give_feedback(&args.id.unwrap_or_default(), args.useful, args.query.as_deref())?;
    output.answer(&outcome, || in_words(&outcome));
    Ok(())
}

fn in_words(outcome: &SelectionOutcome) -> String {
    let SelectionOutcome { kind, learning, by, importance, factor, .. } = outcome;
    let counted = if outcome.counted { "" } else { " (it does not count)" };
    let mut lines = vec![format!("{kind}: {learning}, by {by}{counted}; {importance}, its score ×{factor:.2}")];
    if !outcome.learnt.is_empty() {
        lines.push(format!("found by {} too, once learned terms count", outcome.learnt.join(", ")));
    }
    if !outcome.evicted.is_empty() {
        lines.push(format!("made room: {}", outcome.evicted.join(", ")));
    }
    lines.extend(outcome.not_learnt.as_ref().map(|why| format!("no term was learnt: {why}")));
    lines.join("\n")
}

fn rolled_back(done: &Rollback) -> String {
    format!(
        "taken back: {} and {} about {}",
        counted(done.terms, "term"),
        counted(done.validations, "statement"),
        counted(done.learnings.len(), "learning")
    )
}

/// A time as RFC 3339, or the beginning of a day according to `begin`.
pub fn time(field: &str, text: &str, begin: impl Fn(&str) -> Option<Timestamp>) -> Result<Timestamp, CommandError> {
    Timestamp::parse(text).or_else(|| begin(text)).ok_or_else(|| {
        CommandError::new("invalid", format!("{field}: '{text}' is not a time"), "write it as 2026-11-01 or 2026-11-01T00:00:00Z")
    })
}
