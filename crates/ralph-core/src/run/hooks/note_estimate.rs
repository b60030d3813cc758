//! Stores how hard the agent found the task, and which model it requests for the next attempt.

use super::{Effects, IterationCtx, RowEffect, judge};
use crate::run::Outcome;

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let outcome = judge::judge(ctx).outcome;
    let difficulty = ctx.exit.sigils.difficulty;
    // A completed task has no next attempt.
    let next_model = ctx.exit.sigils.next_model.clone().filter(|_| outcome != Outcome::Done);
    if !outcome.is_attempt() || (difficulty.is_none() && next_model.is_none()) {
        return None;
    }
    let told = [difficulty.map(|d| format!("difficulty {d}")), next_model.as_ref().map(|model| format!("next model {model}"))];
    effects.note = format!("the agent's estimate: {}", told.into_iter().flatten().collect::<Vec<_>>().join(", "));
    effects.rows.push(RowEffect::NoteEstimate { difficulty, next_model });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;
    use crate::sigil::Difficulty;
    use crate::signal::Ending;

    const BOTH: &str = "<difficulty-estimate>hard</difficulty-estimate>\n<next-model>opus</next-model>";

    #[test]
    fn an_estimate_is_kept_and_a_wish_only_where_a_next_attempt_comes() {
        for (said, difficulty, next_model) in [
            (BOTH.to_owned(), Some(Difficulty::Hard), Some("opus")),
            (format!("{BOTH}\n<task-failed/>"), Some(Difficulty::Hard), Some("opus")),
            (format!("{BOTH}\n<task-done/>"), Some(Difficulty::Hard), None),
            ("<next-model>opus</next-model>".to_owned(), None, Some("opus")),
        ] {
            let mut effects = Effects::default();
            assert_eq!(run(&mut effects, &ctx(&said)), Some(()));
            assert_eq!(effects.rows, [RowEffect::NoteEstimate { difficulty, next_model: next_model.map(str::to_owned) }], "{said}");
        }
    }

    #[test]
    fn without_an_estimate_or_an_attempt_it_is_not_its_case() {
        assert_eq!(run(&mut Effects::default(), &ctx("<task-failed/>")), None);
        assert_eq!(run(&mut Effects::default(), &ctx("<next-model>opus</next-model>\n<task-done/>")), None);
        let mut ctx = ctx(BOTH);
        ctx.exit.ending = Ending::RateLimited;
        assert_eq!(run(&mut Effects::default(), &ctx), None);
    }
}
