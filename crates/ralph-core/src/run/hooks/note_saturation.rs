//! Requests a note on the saturation of the feature's knowledge: before the iteration, after it with its learnings, and the split caused.

use super::{Effects, IterationCtx, RowEffect};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    // The numbers are known only once the learnings are remembered, so the committer completes the note.
    effects.rows.push(RowEffect::NoteSaturation);
    effects.note = format!("saturation of feature '{}'", ctx.claim.feature);
    Some(())
}
