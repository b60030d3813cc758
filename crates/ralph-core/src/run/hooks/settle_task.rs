//! Settles the task: done, free for the next attempt, or in need of a person.

use super::{Effects, IterationCtx, RowEffect, judge};
use crate::run::Outcome;
use crate::signal::Ending;
use crate::task::TaskStatus;

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let judgement = judge::judge(ctx);
    let failures = ctx.facts.consecutive_failures.saturating_add(1);
    let (status, blocked_reason, note) = match judgement.outcome {
        Outcome::Done => (TaskStatus::Done, None, "the task is done".to_owned()),
        outcome if !outcome.is_attempt() => (TaskStatus::Pending, None, "the task is free again; this was not an attempt".to_owned()),
        // It would be refused again. A missing model is not the task's fault: the run ends, and the task stays available.
        outcome if judge::needs_person(ctx, outcome) && ctx.exit.ending == Ending::ContextTooLong => {
            let reason = format!("needs a person: {}", judgement.note);
            (TaskStatus::Blocked, Some(reason.clone()), format!("the task is blocked: {reason}"))
        }
        _ if failures >= ctx.max_attempts.max(1) => {
            let reason = format!("needs a person: failed {failures} times in a row");
            (TaskStatus::Blocked, Some(reason.clone()), format!("the task is blocked: {reason}"))
        }
        _ => (TaskStatus::Pending, None, format!("the task is free for a retry; failures in a row: {failures} of {}", ctx.max_attempts)),
    };
    effects.rows.push(RowEffect::SettleTask { status, blocked_reason });
    effects.note = note;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;
    use crate::signal::Ending;

    fn settle(ctx: &IterationCtx) -> (TaskStatus, Option<String>) {
        let mut effects = Effects::default();
        assert_eq!(run(&mut effects, ctx), Some(()));
        match effects.rows.as_slice() {
            [RowEffect::SettleTask { status, blocked_reason }] => (*status, blocked_reason.clone()),
            rows => panic!("{rows:?}"),
        }
    }

    #[test]
    fn a_task_is_done_free_again_or_blocked() {
        let blocked = |times: u32| Some(format!("needs a person: failed {times} times in a row"));
        for (text, ending, failures, max_attempts, status, reason) in [
            ("<task-done/>", Ending::Completed, 9, 5, TaskStatus::Done, None),
            ("<task-failed/>", Ending::Completed, 0, 5, TaskStatus::Pending, None),
            ("", Ending::Completed, 3, 5, TaskStatus::Pending, None),
            ("", Ending::Completed, 4, 5, TaskStatus::Blocked, blocked(5)),
            ("", Ending::Crashed, 7, 5, TaskStatus::Blocked, blocked(8)),
            ("", Ending::Completed, 0, 0, TaskStatus::Blocked, blocked(1)),
            ("", Ending::RateLimited, 4, 5, TaskStatus::Pending, None),
            ("", Ending::Network, u32::MAX, 5, TaskStatus::Pending, None),
        ] {
            let mut ctx = ctx(text);
            ctx.exit.ending = ending;
            ctx.facts.consecutive_failures = failures;
            ctx.max_attempts = max_attempts;
            assert_eq!(settle(&ctx), (status, reason), "{text} {ending} after {failures}");
        }
    }
}
