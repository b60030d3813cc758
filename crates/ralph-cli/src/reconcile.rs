//! `ralph reconcile`: makes the vectors that are missing and compares learnings by them.

use crate::output::{Answered, Output, to_stderr};
use ralph_app::App;

/// Makes what vectors are missing and compares by them until nothing waits.
pub fn reconcile(app: &App, output: Output) -> Answered {
    let all = app.reconcile_all(&|left| to_stderr(&format!("{left} texts have no vector yet")))?;
    output.answer(&all, || {
        format!(
            "{} observed, {} merged, {} conflicts, {} related, {} distinct; {} pairs wait for you: `ralph review`",
            all.observed, all.merged, all.conflicts, all.related, all.distinct, all.for_review
        )
    });
    Ok(())
}
