//! `ralph learn`: what automatic learning does.

use crate::output::{Answered, Output, table};
use clap::Subcommand;
use ralph_app::{App, StopHandle};
use ralph_core::view::LearningStatus;
use std::sync::Arc;
use std::time::Duration;

/// On request it works until nothing is pending: at most three tries at a hundred detections, even if the server hangs.
const ALL: Duration = Duration::from_secs(3_600);

/// What to ask of automatic learning.
#[derive(Debug, Subcommand)]
pub enum LearnCommand {
    /// What was observed, detected and kept in the last thirty days, and what each mode would consider.
    Status,
    /// Settle pending detections with the configured extractor.
    Settle,
}

/// Runs `ralph learn`.
pub async fn learn(app: &Arc<App>, command: &LearnCommand, stop: &StopHandle, output: Output) -> Answered {
    match command {
        LearnCommand::Status => {
            let status = app.learning_status()?;
            output.answer(&status, || status_in_words(&status));
        }
        LearnCommand::Settle => {
            let done = app.extract_lessons(ALL, stop).await?;
            app.withdraw_dead_ends()?;
            output.answer(&done, || {
                let settled = done.settled;
                let faults: String = done.faults.iter().map(|fault| format!("\nno lesson: {fault}")).collect();
                format!(
                    "{} stored, {} known, {} refused, {} wait for the end of their iteration or for their branch, {} for a model{faults}",
                    settled.stored, settled.known, settled.refused, settled.waiting, done.queue
                )
            });
        }
    }
    Ok(())
}

fn status_in_words(status: &LearningStatus) -> String {
    let counts = &status.counts;
    let state = match status.enabled {
        true => format!("on, mode {}, lessons by {}", status.mode, status.extractor),
        false => "off: set `enabled = true` below [automatic_learning] in .ralph/config.toml".to_owned(),
    };
    let mut rows = vec![
        ("calls heard", counts.operations),
        ("calls dropped", counts.dropped),
        ("detections", counts.detections),
        ("  wait", status.waiting),
        // Episodes of completed tasks are not detections, and `ralph episodes` lists them all.
        ("  told as episodes", counts.episodes_created),
        ("facts from files", status.facts),
        ("lessons that were known", counts.known),
        ("told of by a model", counts.extracted),
        ("left to rules", counts.fallback),
        ("calls of a model", counts.extractor_calls),
        ("  in vain", counts.extractor_failed),
        ("  wait for one", status.queue),
    ]
    .into_iter()
    .map(|(what, count)| vec![what.to_owned(), count.to_string()])
    .collect::<Vec<_>>();
    rows.extend(counts.refused.iter().map(|(why, count)| vec![format!("refused: {}", why.replace('_', " ")), count.to_string()]));
    let modes = status.modes.iter().map(|(mode, effect)| {
        vec![mode.to_string(), format!("{} detections in 7 days, {} that rules can tell", effect.detections, effect.by_rules)]
    });
    format!("{state}\n\nin 30 days\n{}\n\nmodes\n{}", table(&rows, ""), table(&modes.collect::<Vec<_>>(), ""))
}
