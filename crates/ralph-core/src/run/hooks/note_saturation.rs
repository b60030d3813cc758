//! Has the saturation of the feature's knowledge noted: before the iteration, after it with its own learnings, and the split that followed.

use super::{Effects, IterationCtx, RowEffect};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    // The numbers are known when the door has answered, so whoever performs this completes the note.
    effects.rows.push(RowEffect::NoteSaturation);
    effects.note = format!("saturation of feature '{}'", ctx.claim.feature);
    Some(())
}
