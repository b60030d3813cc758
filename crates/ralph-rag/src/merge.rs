//! Which learnings to offer for merging in a project with many. A person merges; this only offers.

use ralph_core::learning::{FeatureLearning, LearningState, MergeOffer};
use std::collections::{BTreeMap, BTreeSet};

/// Active learnings of a project above which merging is offered.
pub const OFFER_ABOVE: usize = 200;
/// Minimum shared tags, in percent of the larger set, of two learnings of a cluster.
const TAG_OVERLAP_PERCENT: usize = 50;

/// Clusters of one feature and category whose tags overlap by half, largest first; none below the threshold.
pub fn offers(learnings: &[FeatureLearning]) -> Vec<MergeOffer> {
    let active: Vec<&FeatureLearning> = learnings.iter().filter(|l| l.state == LearningState::Active).collect();
    if active.len() <= OFFER_ABOVE {
        return Vec::new();
    }
    let mut groups: BTreeMap<(&str, &str), Vec<Vec<&FeatureLearning>>> = BTreeMap::new();
    for learning in active.into_iter().filter(|l| !l.tags.is_empty()) {
        let clusters = groups.entry((&learning.feature, &learning.category)).or_default();
        // Every member must overlap, otherwise a chain of neighbors would join learnings with nothing in common.
        match clusters.iter_mut().find(|cluster| cluster.iter().all(|other| overlap(learning, other))) {
            Some(cluster) => cluster.push(learning),
            None => clusters.push(vec![learning]),
        }
    }
    let mut offers: Vec<MergeOffer> = groups
        .into_iter()
        .flat_map(|((feature, category), clusters)| {
            clusters.into_iter().filter(|c| c.len() > 1).map(move |cluster| MergeOffer {
                feature: feature.to_owned(),
                category: category.to_owned(),
                learnings: cluster.into_iter().cloned().collect(),
            })
        })
        .collect();
    offers.sort_by_key(|offer| std::cmp::Reverse(offer.learnings.len()));
    offers
}

fn overlap(a: &FeatureLearning, b: &FeatureLearning) -> bool {
    let set = |l: &FeatureLearning| l.tags.iter().map(|t| t.to_lowercase()).collect::<BTreeSet<_>>();
    let (a, b) = (set(a), set(b));
    a.intersection(&b).count() * 100 >= a.len().max(b.len()) * TAG_OVERLAP_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learning(number: usize, feature: &str, category: &str, tags: &[&str]) -> FeatureLearning {
        let tags = tags.iter().map(|t| (*t).to_owned()).collect();
        let plain = crate::testing::learning(format!("L{number}"), format!("lesson {number}"));
        FeatureLearning { feature: feature.into(), category: category.into(), tags, ..plain }
    }

    #[test]
    fn only_above_200_and_only_within_feature_category_and_tags() {
        let alike = [
            learning(1, "pay", "pitfall", &["db", "tests"]),
            learning(2, "pay", "pitfall", &["DB", "clock"]),
            learning(3, "pay", "convention", &["db", "tests"]),
            learning(4, "search", "pitfall", &["db", "tests"]),
            learning(5, "pay", "pitfall", &["ui", "css", "db", "x", "y"]),
        ];
        assert_eq!(offers(&alike), vec![]);
        let mut many: Vec<FeatureLearning> = (10..=205).map(|n| learning(n, "pay", "pitfall", &[])).collect();
        many.extend(alike);
        let clusters: Vec<Vec<String>> = offers(&many).into_iter().map(|o| o.learnings.into_iter().map(|l| l.id).collect()).collect();
        assert_eq!(clusters, [["L1", "L2"]]);
    }
}
