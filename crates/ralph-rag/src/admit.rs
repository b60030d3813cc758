//! Room under the cap: what is pruned, parked and unparked.

use ralph_core::LearningId;
use ralph_core::learning::FeatureLearning;

/// The learnings to prune so that one more fits under the cap besides the `active` ones of a feature; `None` when pruning everything
/// prunable is not enough. `refused` = how often somebody said, or a measurement showed, that a learning does not help.
pub fn room_for_one(active: &[&FeatureLearning], max_learnings: u32, refused: impl Fn(&str) -> u32) -> Option<Vec<LearningId>> {
    let excess = (active.len() + 1).saturating_sub(max_learnings as usize);
    let prune = select_for_pruning(active, excess, refused);
    (prune.len() == excess).then_some(prune)
}

/// Selects up to `count` active learnings to prune: least evidence first, then what was refused most, then oldest. Protected ones are never
/// selected, and refused ones come first only among equals: a refusal alone prunes nothing.
pub fn select_for_pruning(active: &[&FeatureLearning], count: usize, refused: impl Fn(&str) -> u32) -> Vec<LearningId> {
    let mut prunable: Vec<&&FeatureLearning> = active.iter().filter(|l| l.is_auto_prunable()).collect();
    let key = |l: &FeatureLearning| (l.hit_count, std::cmp::Reverse(refused(&l.id)), l.created, l.id.clone());
    prunable.sort_by_cached_key(|learning| key(learning));
    prunable.into_iter().take(count).map(|l| l.id.clone()).collect()
}

/// Selects the `count` active learnings to park when there are more than the cap allows, as after a merge of two clones or under a
/// lower cap: prunable ones first, then least evidence, then oldest.
pub fn select_for_parking(active: &[&FeatureLearning], count: usize) -> Vec<LearningId> {
    let mut all: Vec<&&FeatureLearning> = active.iter().collect();
    all.sort_by(|a, b| (!a.is_auto_prunable(), a.hit_count, a.created, &a.id).cmp(&(!b.is_auto_prunable(), b.hit_count, b.created, &b.id)));
    all.into_iter().take(count).map(|l| l.id.clone()).collect()
}

/// Selects the parked learnings to unpark into `room`: protected ones first, then the oldest.
pub fn select_for_unparking(parked: &[&FeatureLearning], room: usize) -> Vec<LearningId> {
    let mut parked: Vec<&&FeatureLearning> = parked.iter().collect();
    parked.sort_by(|a, b| (a.is_auto_prunable(), a.created, &a.id).cmp(&(b.is_auto_prunable(), b.created, &b.id)));
    parked.into_iter().take(room).map(|l| l.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;
    use ralph_core::learning::LearningSource::{self, Agent, Auto, Human};
    use ralph_core::time::Timestamp;

    /// A learning by its number and hits; protected when `source` is human.
    fn known(number: i64, hits: u32, source: LearningSource) -> FeatureLearning {
        let text = format!("lesson number {number} about subject{number}");
        FeatureLearning { source, created: Timestamp(number), hit_count: hits, ..learning(format!("L{number}"), text) }
    }

    fn refs(learnings: &[FeatureLearning]) -> Vec<&FeatureLearning> {
        learnings.iter().collect()
    }

    #[test]
    fn at_the_cap_the_oldest_of_the_least_evidence_gives_its_place() {
        let known = [known(1, 2, Agent), known(2, 1, Auto), known(3, 1, Agent)];
        assert_eq!(room_for_one(&refs(&known), 3, |_| 0), Some(vec!["L2".to_owned()]));
        assert_eq!(room_for_one(&refs(&known), 4, |_| 0), Some(vec![]));
    }

    #[test]
    fn what_was_refused_goes_before_its_equals_and_never_for_that_alone() {
        let known = [known(1, 1, Auto), known(2, 1, Agent), known(3, 2, Agent), known(4, 1, Human)];
        let of = |refused: &'static str| room_for_one(&refs(&known), 4, move |id| u32::from(id == refused) * 9);
        assert_eq!(of("L2"), Some(vec!["L2".to_owned()]), "of two with one observation each");
        for stronger in ["L3", "L4", "none"] {
            assert_eq!(of(stronger), Some(vec!["L1".to_owned()]), "{stronger}");
        }
    }

    #[test]
    fn room_is_made_for_one_or_nothing_is_pruned_at_all() {
        let mut many: Vec<_> = (1..=4).map(|n| known(n, 1, Agent)).collect();
        assert_eq!(room_for_one(&refs(&many), 2, |_| 0), Some(vec!["L1".into(), "L2".into(), "L3".into()]));
        many[..3].iter_mut().for_each(|learning| learning.source = Human);
        assert_eq!(room_for_one(&refs(&many), 2, |_| 0), None, "pruning one would not make room, so nothing is lost");
        assert_eq!(room_for_one(&refs(&[known(1, 3, Agent), known(2, 1, Human)]), 2, |_| 0), None);
    }

    #[test]
    fn above_the_cap_what_could_be_pruned_waits_before_what_is_protected() {
        let known = [known(1, 1, Human), known(2, 2, Agent), known(3, 1, Agent), known(4, 3, Agent)];
        assert_eq!(select_for_parking(&refs(&known), 3), ["L3", "L2", "L1"]);
    }

    #[test]
    fn parked_learnings_return_protected_first_then_oldest() {
        let known = [known(1, 1, Agent), known(2, 3, Agent)];
        assert_eq!(select_for_unparking(&refs(&known), 1), ["L2"]);
        assert_eq!(select_for_unparking(&refs(&known), 0), Vec::<String>::new());
    }
}
