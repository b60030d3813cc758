//! Records what became of the iteration, and tells what of the agent's words was ignored.

use super::{Effects, IterationCtx, RowEffect, judge};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let judgement = judge::judge(ctx);
    let mut note = format!("{}: {}", judgement.outcome, judgement.note);
    for remark in &ctx.exit.remarks {
        note.push_str(&format!(". {remark}"));
    }
    let ignored = judge::ignored(&ctx.claim, &ctx.exit);
    if !ignored.is_empty() {
        note.push_str(&format!(". Ignored: {}", ignored.join("; ")));
    }
    effects.rows.push(RowEffect::SetOutcome { outcome: judgement.outcome, note: judgement.note });
    effects.note = note;
    Some(())
}
