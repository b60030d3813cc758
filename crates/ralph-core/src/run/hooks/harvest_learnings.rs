//! Passes the agent's `<learning>` sigils to `remember`, whatever the outcome: a failure teaches as well.

use super::{Effects, IterationCtx, RowEffect};
use crate::learning::{LearningSource, NewLearning};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let learnings = &ctx.exit.sigils.learnings;
    if learnings.is_empty() {
        return None;
    }
    effects.rows.extend(learnings.iter().map(|learning| {
        RowEffect::Remember(NewLearning {
            category: learning.category.clone(),
            tags: learning.tags.clone(),
            source: LearningSource::Auto,
            task_id: Some(ctx.claim.task),
            iteration: Some(ctx.claim.iteration),
            ..NewLearning::new(&ctx.claim.feature, &learning.text)
        })
    }));
    effects.note = format!("learnings reported for feature '{}': {}", ctx.claim.feature, learnings.len());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;

    #[test]
    fn learnings_go_to_the_door_also_from_a_failure() {
        let mut effects = Effects::default();
        let said =
            "<task-failed/>\n<learning category=\"pitfall\" tags=\"money, f64\">Count cents</learning>\n<learning>Use UTC</learning>";
        assert_eq!(run(&mut effects, &ctx(said)), Some(()));
        let expected = |text, category: Option<&str>, tags: &[&str]| {
            RowEffect::Remember(NewLearning {
                feature: "billing".to_owned(),
                text: String::from(text),
                reason: None,
                category: category.map(str::to_owned),
                tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
                source: LearningSource::Auto,
                task_id: Some(7),
                iteration: Some(70),
            })
        };
        assert_eq!(effects.rows, [expected("Count cents", Some("pitfall"), &["money", "f64"]), expected("Use UTC", None, &[])]);
    }

    #[test]
    fn without_learnings_it_is_not_its_case() {
        assert_eq!(run(&mut Effects::default(), &ctx("<task-done/>")), None);
    }
}
