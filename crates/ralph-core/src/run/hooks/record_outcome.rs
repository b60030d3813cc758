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

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;
    use crate::run::Outcome;

    #[test]
    fn the_outcome_is_recorded_and_what_was_ignored_is_told() {
        let mut ctx = ctx("<task-done>9</task-done> <task-done>8</task-done> <task-failed>8</task-failed> <learning></learning>");
        ctx.exit.remarks = vec!["MCP server 'ralph' did not start".to_owned()];
        let mut effects = Effects::default();
        assert_eq!(run(&mut effects, &ctx), Some(()));
        let note = "the agent ended without saying whether the task is done".to_owned();
        assert_eq!(effects.rows, [RowEffect::SetOutcome { outcome: Outcome::NoSigil, note }]);
        assert_eq!(
            effects.note,
            "no_sigil: the agent ended without saying whether the task is done. MCP server 'ralph' did not start. Ignored: a claim for task 8, \
             which is not the current one; a claim for task 9, which is not the current one; <learning> is empty"
        );
    }
}
