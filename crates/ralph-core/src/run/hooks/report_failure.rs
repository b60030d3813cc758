//! Keeps why an attempt failed, for the next one: the agent's report, or one made by rule.

use super::{Effects, IterationCtx, RowEffect, judge};
use crate::run::attempt::failure_record;

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let record = failure_record(ctx, &judge::judge(ctx))?;
    let whose = if record.generated { "made by rule, as the agent left none" } else { "by the agent" };
    effects.note = format!("failure report {whose}: {}", record.category);
    effects.rows.push(RowEffect::ReportFailure(record));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;

    fn noted(said: &str) -> Option<(String, usize)> {
        let mut effects = Effects::default();
        run(&mut effects, &ctx(said)).map(|()| (effects.note, effects.rows.len()))
    }

    #[test]
    fn every_failed_attempt_leaves_one_record() {
        assert_eq!(noted(""), Some(("failure report made by rule, as the agent left none: unknown".to_owned(), 1)));
        let report = "<task-failed/>\n<failure-report>\nwhat_was_tried: x\nwhy_it_failed: a test fails\n</failure-report>";
        assert_eq!(noted(report), Some(("failure report by the agent: test_failure".to_owned(), 1)));
    }

    #[test]
    fn a_success_leaves_none() {
        assert_eq!(noted("<task-done/>\n<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\n</failure-report>"), None);
    }
}
