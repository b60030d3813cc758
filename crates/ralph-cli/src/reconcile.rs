//! `ralph reconcile`: computes missing vectors and compares learnings by them; `ralph calibrate`: what makes two of them alike.

use crate::output::{Answered, Output, to_stderr};
use ralph_app::{App, StopHandle};
use ralph_core::text::counted;
use std::sync::Arc;
use std::time::Duration;

/// How long a model is asked for lessons; what is left waits for the next time.
const PATIENCE: Duration = Duration::from_secs(300);

/// Computes missing vectors and compares by them until nothing is pending.
pub async fn reconcile(app: &Arc<App>, stop: &StopHandle, output: Output) -> Answered {
    // Lessons first, so that they are compared too.
    for fault in app.extract_lessons(PATIENCE, stop).await?.faults {
        to_stderr(&format!("no lesson: {fault}"));
    }
    let all = app.reconcile_all(&|left| to_stderr(&format!("{} without a vector yet", counted(left, "text"))))?;
    output.answer(&all, || {
        format!(
            "{} observed, {} merged, {}, {} related, {} distinct; for you, in `ralph review`: {}; {} of {} said again what is known",
            all.observed,
            all.merged,
            counted(all.conflicts, "conflict"),
            all.related,
            all.distinct,
            counted(all.for_review, "pair"),
            all.episodes_replaced,
            counted(all.episodes, "episode")
        )
    });
    Ok(())
}

/// Runs `ralph calibrate`.
pub fn calibrate(app: &App, output: Output) -> Answered {
    let found = app.calibrate()?;
    output.answer(&found, || {
        format!(
            "{}: about the same from a cosine of {:.3}, merged from {:.3}, nothing new from {:.3} ({})",
            found.model,
            found.same_subject,
            found.merge,
            found.redundant,
            counted(found.pairs, "pair")
        )
    });
    Ok(())
}
