//! Records the outcome of the iteration, and which of the agent's words were ignored.

use super::{Effects, IterationCtx, RowEffect, judge};
use crate::run::attempt::ErrorCategory;
use crate::text::one_line;

/// Characters quoted of a word that is not a category.
const CATEGORY_CHARS: usize = 40;

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let judgement = judge::judge(ctx);
    let mut note = format!("{}: {}", judgement.outcome, judgement.note);
    for remark in &ctx.exit.remarks {
        add_sentence(&mut note, remark);
    }
    let mut ignored = judge::ignored(&ctx.claim, &ctx.exit);
    let category = ctx.exit.sigils.failure_report.as_ref().and_then(|report| report.error_category.as_deref());
    if let Some(word) = category.filter(|word| ErrorCategory::from_words(word).is_none()) {
        ignored.push(format!("error_category '{}' of <failure-report> is not a category", one_line(word, CATEGORY_CHARS)));
    }
    if !ignored.is_empty() {
        add_sentence(&mut note, &format!("Ignored: {}", ignored.join("; ")));
    }
    effects.rows.push(RowEffect::SetOutcome { outcome: judgement.outcome, note: judgement.note });
    effects.note = note;
    Some(())
}

/// Adds a sentence. What an agent said may end with a full stop of its own.
fn add_sentence(note: &mut String, sentence: &str) {
    note.push_str(if note.ends_with(['.', '!', '?', '…']) { " " } else { ". " });
    note.push_str(sentence);
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
    fn a_category_that_is_none_is_told() {
        for (word, told) in [("banana", true), ("Test failure", false), ("unknown", false)] {
            let report = format!("what_was_tried: x\nwhy_it_failed: It is y.\nerror_category: {word}");
            let mut effects = Effects::default();
            let said = format!("<task-failed/>\n<failure-report>\n{report}\n</failure-report>");
            assert_eq!(run(&mut effects, &ctx(&said)), Some(()));
            let ignored = effects.note.contains("Ignored: error_category 'banana' of <failure-report> is not a category");
            assert_eq!(ignored, told, "{}", effects.note);
            assert!(!effects.note.contains(".."), "{}", effects.note);
        }
    }

    #[test]
    fn what_the_judgement_tells_is_not_told_twice() {
        let mut effects = Effects::default();
        assert_eq!(run(&mut effects, &ctx("Say `<task-done/>`.")), Some(()));
        assert_eq!(effects.note.matches("stood in inline code").count(), 1, "{}", effects.note);
        assert!(!effects.note.contains("Ignored"), "{}", effects.note);
    }
}
