//! `ralph reconcile`: makes the vectors that are missing and compares learnings by them.

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
