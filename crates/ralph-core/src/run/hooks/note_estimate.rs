//! Keeps how hard the agent found the task, and which model it wishes for the next attempt.

use super::{Effects, IterationCtx, RowEffect, judge};
use crate::run::Outcome;

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let outcome = judge::judge(ctx).outcome;
    let difficulty = ctx.exit.sigils.difficulty;
    // There is no next attempt at a task that is done.
    let next_model = ctx.exit.sigils.next_model.clone().filter(|_| outcome != Outcome::Done);
    if !outcome.is_attempt() || (difficulty.is_none() && next_model.is_none()) {
        return None;
    }
    let told = [difficulty.map(|d| format!("difficulty {d}")), next_model.as_ref().map(|model| format!("next model {model}"))];
    effects.note = format!("the agent's estimate: {}", told.into_iter().flatten().collect::<Vec<_>>().join(", "));
    effects.rows.push(RowEffect::NoteEstimate { difficulty, next_model });
    Some(())
}
