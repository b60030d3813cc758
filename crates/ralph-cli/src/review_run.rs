//! `ralph review-run`: an agent looks at learnings that nobody has reviewed.

use crate::errand::ErrandAgentArgs;
use crate::output::{Answered, Output, table, unbroken};
use clap::Args;
use ralph_app::{App, StopHandle};
use ralph_core::doubt::{ReviewFinding, ReviewRun};
use std::sync::Arc;

/// What is reviewed, and by whom.
#[derive(Debug, Args)]
pub struct ReviewRunArgs {
    /// Only the learnings of this feature.
    #[arg(long)]
    feature: Option<String>,
    #[command(flatten)]
    by: ErrandAgentArgs,
}

/// Runs `ralph review-run`.
pub async fn review_run(app: &Arc<App>, args: &ReviewRunArgs, stop: &StopHandle, output: Output) -> Answered {
    let run = app.review_run(args.feature.as_deref(), &(&args.by).into(), stop).await?;
    output.answer(&run, || in_words(&run));
    Ok(())
}

fn in_words(run: &ReviewRun) -> String {
    let Some(row) = &run.row else { return "every learning is reviewed, or waits for you: ralph review".to_owned() };
    let line = |finding: &ReviewFinding| vec![finding.verdict.to_string(), finding.learning.clone(), unbroken(&finding.reason)];
    let mut lines = vec![table(&run.findings.iter().map(line).collect::<Vec<_>>(), "it said nothing that counts")];
    lines.push(format!(
        "errand {} is {}; {} of {} answered",
        row.id,
        row.state,
        run.findings.len(),
        run.findings.len() + run.unanswered.len()
    ));
    lines.extend(row.note.clone());
    lines.push("what is wrong or needs a person waits in `ralph review`".to_owned());
    lines.join("\n")
}
