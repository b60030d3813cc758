//! `ralph reconcile`: makes the vectors that are missing and compares learnings by them; `ralph calibrate`: what makes two of them alike.

use crate::output::{Answered, Output, to_stderr};
use ralph_app::{App, StopHandle};
use std::sync::Arc;
use std::time::Duration;

/// How long a model is asked for lessons; what is left waits for the next time.
const PATIENCE: Duration = Duration::from_secs(300);

/// Makes what vectors are missing and compares by them until nothing waits.
pub async fn reconcile(app: &Arc<App>, output: Output) -> Answered {
    // Told first, so that what is told is compared too.
    for fault in app.extract_lessons(PATIENCE, &StopHandle::new()).await?.faults {
        to_stderr(&format!("no lesson: {fault}"));
    }
    let all = app.reconcile_all(&|left| to_stderr(&format!("{left} texts have no vector yet")))?;
    output.answer(&all, || {
        format!(
            "{} observed, {} merged, {} conflicts, {} related, {} distinct; {} pairs wait for you: `ralph review`; {} of {} episodes said again what is known",
            all.observed, all.merged, all.conflicts, all.related, all.distinct, all.for_review, all.episodes_replaced, all.episodes
        )
    });
    Ok(())
}

/// Runs `ralph calibrate`.
pub fn calibrate(app: &App, output: Output) -> Answered {
    let found = app.calibrate()?;
    output.answer(&found, || {
        format!(
            "{}: about the same from a cosine of {:.3}, merged from {:.3}, nothing new from {:.3} ({} pairs)",
            found.model, found.same_subject, found.merge, found.redundant, found.pairs
        )
    });
    Ok(())
}
