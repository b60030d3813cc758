//! Notes when the feature's knowledge rose or fell to another level of saturation during the iteration.

use super::{Effects, IterationCtx};

pub(super) fn run(effects: &mut Effects, ctx: &IterationCtx) -> Option<()> {
    let (before, now) = (ctx.facts.level_before, ctx.facts.level_now);
    let moved = match now.cmp(&before) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less => "fell",
        std::cmp::Ordering::Greater => "rose",
    };
    effects.note = format!("saturation of feature '{}' {moved} from {before} to {now}", ctx.claim.feature);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::ctx;
    use super::*;
    use crate::saturation::SaturationLevel::{self, Critical, High, Low};

    #[test]
    fn a_change_of_level_is_noted_in_both_directions() {
        let note = |before: SaturationLevel, now: SaturationLevel| {
            let mut ctx = ctx("");
            (ctx.facts.level_before, ctx.facts.level_now) = (before, now);
            let mut effects = Effects::default();
            run(&mut effects, &ctx).map(|()| effects.note)
        };
        assert_eq!(note(High, High), None);
        assert_eq!(note(High, Critical).as_deref(), Some("saturation of feature 'billing' rose from high to critical"));
        assert_eq!(note(Critical, Low).as_deref(), Some("saturation of feature 'billing' fell from critical to low"));
    }
}
