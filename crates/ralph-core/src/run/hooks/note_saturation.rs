//! Notes when the feature's knowledge rose or fell to another level of saturation during the iteration.

use super::{Effects, IterationCtx};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let (before, now) = (ctx.facts.level_before, ctx.facts.level_now);
    let moved = match now.cmp(&before) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less => "fell",
        std::cmp::Ordering::Greater => "rose",
    };
    effects.note = format!("saturation of feature '{}' {moved} from {before} to {now}", ctx.claim.feature);
    Some(())
}
