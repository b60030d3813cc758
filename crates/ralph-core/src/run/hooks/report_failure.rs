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
