//! Records the outcome of the iteration, and which of the agent's words were ignored.

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
        let said = "<task-done>9</task-done>\n<task-done>8</task-done>\n<task-failed>8</task-failed>\n<task-done/>\n<learning></learning>\n\
                    > <task-failed/>\n\n```\n<learning>x</learning>";
        let mut ctx = ctx(said);
        ctx.exit.remarks = vec!["MCP server 'ralph' did not start".to_owned()];
        let mut effects = Effects::default();
        assert_eq!(run(&mut effects, &ctx), Some(()));
        let note = "on the agent's own word; 0 commits, 0 changed files".to_owned();
        assert_eq!(effects.rows, [RowEffect::SetOutcome { outcome: Outcome::Done, note }]);
        assert_eq!(
            effects.note,
            "done: on the agent's own word; 0 commits, 0 changed files. MCP server 'ralph' did not start. Ignored: a claim for task 8, \
             which is not the current one; a claim for task 9, which is not the current one; <task-failed> stood in a quote; \
             <learning> is empty; <learning> stood in a code fence; a code fence was not closed, and hides what follows it in its text"
        );
    }

    #[test]
    fn what_the_judgement_tells_is_not_told_twice() {
        let mut effects = Effects::default();
        assert_eq!(run(&mut effects, &ctx("Say `<task-done/>`.")), Some(()));
        assert_eq!(effects.note.matches("stood in inline code").count(), 1, "{}", effects.note);
        assert!(!effects.note.contains("Ignored"), "{}", effects.note);
    }
}
