//! Detects a stall: consecutive iterations without any effect.

use super::{Effects, IterationCtx, judge};
use crate::limits;
use crate::run::attempt::{FailureRecord, failure_record};
use crate::run::{Evidence, Outcome};

/// Whether an iteration was an attempt without any effect: no commit, no changed file, and no new signal. Signals are a completed task,
/// a new learning, task or remark, and a failure that is new to the task (see [`tells_new_failure`]). Where nobody knows what was changed,
/// such as without git, none counts as one: its task is blocked after a few failures all the same.
///
/// Also used on stored rows, so that consecutive idle iterations can be counted later.
pub fn is_idle(outcome: Outcome, evidence: &Evidence, new_signal: bool) -> bool {
    let failed = outcome.is_attempt() && outcome != Outcome::Done;
    failed && !new_signal && !evidence.is_unknown() && evidence.commits.is_empty() && evidence.changed_files.is_empty()
}

/// Whether a failed attempt reports something that the signatures of the task's earlier failures don't contain.
///
/// Only the agent's statements count: its claim to have failed, or its report. A record that Ralph generates for a silent end does not. A
/// failure about which nothing is known is unlike any other.
pub fn tells_new_failure<'a>(outcome: Outcome, failure: &FailureRecord, known: impl IntoIterator<Item = &'a str>) -> bool {
    (outcome == Outcome::Failed || !failure.generated)
        && known.into_iter().all(|signature| signature.is_empty() || signature != failure.signature)
}

/// [`is_idle`] for an iteration that just ended.
pub(super) fn leaves_nothing(ctx: &IterationCtx) -> bool {
    let judgement = judge::judge(ctx);
    let known = || ctx.facts.known_failures.iter().map(String::as_str);
    let new_failure = failure_record(ctx, &judgement).is_some_and(|failure| tells_new_failure(judgement.outcome, &failure, known()));
    is_idle(judgement.outcome, &ctx.facts.evidence, ctx.facts.taught || new_failure)
}

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    if !leaves_nothing(ctx) {
        return None;
    }
    let in_a_row = ctx.facts.stalled_before.saturating_add(1);
    if in_a_row < limits::STALL_ITERATIONS {
        return None;
    }
    effects.note = format!("stalled: {in_a_row} iterations in a row left no commit, no changed file and nothing new");
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;
    use crate::run::GitRemark;
    use crate::signal::Ending;

    const REPORT: &str = "<failure-report>\nwhat_was_tried: f64\nwhy_it_failed: cents are lost\nerror_category: Logic\n</failure-report>";

    #[test]
    fn iterations_that_leave_nothing_are_a_stall_from_the_second_on() {
        let stalled = |text: &str, before: u32, change: fn(&mut IterationCtx)| {
            let mut ctx = ctx(text);
            ctx.facts.stalled_before = before;
            change(&mut ctx);
            run(&mut Effects::default(), &ctx).is_some()
        };
        let nothing = |_: &mut IterationCtx| {};
        assert!(!stalled("", 0, nothing));
        assert!(stalled("", 1, nothing));
        assert!(stalled("", u32::MAX, nothing));
        assert!(stalled("", 1, |ctx| ctx.exit.ending = Ending::Crashed));
        assert!(!stalled("<task-done/>", 1, nothing));
        assert!(!stalled("", 1, |ctx| ctx.exit.ending = Ending::Network));
    }

    #[test]
    fn only_what_is_new_is_a_signal() {
        let failed = format!("<task-failed/>\n{REPORT}");
        let knows_it: fn(&mut IterationCtx) = |ctx| {
            let known = failure_record(ctx, &judge::judge(ctx)).map(|failure| failure.signature);
            ctx.facts.known_failures.extend(known);
        };
        let knows_another: fn(&mut IterationCtx) = |ctx| ctx.facts.known_failures.push("test_failure: another".to_owned());
        let taught: fn(&mut IterationCtx) = |ctx| ctx.facts.taught = true;
        for (name, text, change, idle) in [
            ("a first failure", failed.as_str(), knows_another, false),
            ("the same failure again", &failed, knows_it, true),
            ("a first claim without a report", "<task-failed/>", knows_another, false),
            ("a claim without a word again", "<task-failed/>", knows_it, false),
            ("a report without a claim", REPORT, knows_another, false),
            ("the same report again", REPORT, knows_it, true),
            ("no word", "", knows_another, true),
            ("no word, but a new learning", "", taught, false),
            ("a known learning alone", "<learning>Use UTC</learning>", knows_another, true),
        ] {
            let mut ctx = ctx(text);
            change(&mut ctx);
            assert_eq!(leaves_nothing(&ctx), idle, "{name}");
        }
    }

    #[test]
    fn commits_and_changed_files_are_no_stall() {
        let mut ctx = ctx("");
        ctx.facts.stalled_before = 5;
        ctx.facts.evidence.commits = vec!["1a2b3c x".to_owned()];
        assert_eq!(run(&mut Effects::default(), &ctx), None);
        ctx.facts.evidence = Evidence { changed_files: vec!["a.rs".to_owned()], ..Evidence::default() };
        assert_eq!(run(&mut Effects::default(), &ctx), None);
        ctx.facts.evidence = Evidence { remarks: vec![GitRemark::Unversioned], ..Evidence::default() };
        assert_eq!(run(&mut Effects::default(), &ctx), None, "nobody knows what it changed");
    }
}
