//! Notes a stall: iteration after iteration that leaves nothing behind.

use super::{Effects, IterationCtx, judge};
use crate::limits;
use crate::run::{Evidence, Outcome};

/// Whether an iteration was an attempt that left nothing: no commit, no changed file, and no claim that could be judged.
///
/// Stored rows answer it too, so that idle iterations in a row can be counted later.
pub fn is_idle(outcome: Outcome, evidence: &Evidence) -> bool {
    matches!(outcome, Outcome::NoSigil | Outcome::Error) && evidence.commits.is_empty() && evidence.changed_files.is_empty()
}

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    if !is_idle(judge::judge(ctx).outcome, &ctx.facts.evidence) {
        return None;
    }
    let in_a_row = ctx.facts.stalled_before.saturating_add(1);
    if in_a_row < limits::STALL_ITERATIONS {
        return None;
    }
    effects.note = format!("stalled: {in_a_row} iterations in a row left no commit, no changed file and no claim");
    Some(())
}
