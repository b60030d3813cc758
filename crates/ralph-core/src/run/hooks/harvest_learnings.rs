//! Hands the agent's `<learning>` sigils to the door of knowledge, whatever became of the task: a failure teaches as well.

use super::{Effects, IterationCtx, RowEffect};
use crate::learning::{LearningSource, NewLearning};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let learnings = &ctx.exit.sigils.learnings;
    if learnings.is_empty() {
        return None;
    }
    effects.rows.extend(learnings.iter().map(|learning| {
        RowEffect::Remember(NewLearning {
            category: learning.category.clone(),
            tags: learning.tags.clone(),
            source: LearningSource::Auto,
            task_id: Some(ctx.claim.task),
            iteration: Some(ctx.claim.iteration),
            ..NewLearning::new(&ctx.claim.feature, &learning.text)
        })
    }));
    effects.note = format!("learnings handed to the door of feature '{}': {}", ctx.claim.feature, learnings.len());
    Some(())
}
