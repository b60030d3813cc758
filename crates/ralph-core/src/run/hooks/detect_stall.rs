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

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;
    use crate::signal::Ending;

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
        assert!(!stalled("<task-failed/>", 1, nothing));
        assert!(!stalled("", 1, |ctx| ctx.exit.ending = Ending::Network));
    }

    #[test]
    fn commits_and_changed_files_are_no_stall() {
        let mut ctx = ctx("");
        ctx.facts.stalled_before = 5;
        ctx.facts.evidence.commits = vec!["1a2b3c x".to_owned()];
        assert_eq!(run(&mut Effects::default(), &ctx), None);
        ctx.facts.evidence = Evidence { changed_files: vec!["a.rs".to_owned()], ..Evidence::default() };
        assert_eq!(run(&mut Effects::default(), &ctx), None);
    }
}
