//! Requests an episode for completed work where automatic learning wants one: files changed, and the check or a commit confirms it. A
//! claim alone is not enough.

use super::{Effects, IterationCtx, RowEffect, judge};
use crate::run::Outcome;

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let left = &ctx.facts.evidence;
    let done = judge::judge(ctx).outcome == Outcome::Done;
    if !ctx.facts.learns_work || !done || left.changed_files.is_empty() || (!left.check_passed() && left.commits.is_empty()) {
        return None;
    }
    effects.rows.push(RowEffect::TellEpisode);
    effects.note = format!("an episode of feature '{}' tells what was done", ctx.claim.feature);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, ctx};
    use super::*;

    fn told(said: &str, files: &[&str], commits: &[&str], passed: Option<bool>) -> bool {
        let mut ctx = ctx(said);
        ctx.facts.evidence.changed_files = files.iter().map(|f| (*f).to_owned()).collect();
        ctx.facts.evidence.commits = commits.iter().map(|c| (*c).to_owned()).collect();
        ctx.facts.evidence.check = passed.map(check);
        ctx.has_check = passed.is_some();
        run(&mut Effects::default(), &ctx).is_some()
    }

    #[test]
    fn only_what_was_done_and_is_confirmed_is_told() {
        let done = "<task-done/>";
        assert!(told(done, &["a"], &["1a pay: x"], None) && told(done, &["a"], &[], Some(true)));
        assert!(!told(done, &["a"], &[], None), "a claim alone");
        assert!(!told(done, &[], &[], Some(true)), "nothing changed");
        assert!(!told("", &["a"], &["1a pay: x"], None) && !told(done, &["a"], &["1a pay: x"], Some(false)), "not done");
    }

    #[test]
    fn nothing_is_told_where_the_settings_say_so() {
        let mut ctx = ctx("<task-done/>");
        (ctx.facts.evidence.changed_files, ctx.facts.evidence.commits) = (vec!["a".to_owned()], vec!["1a pay: x".to_owned()]);
        assert!(run(&mut Effects::default(), &ctx).is_some());
        ctx.facts.learns_work = false;
        assert!(run(&mut Effects::default(), &ctx).is_none());
    }
}
