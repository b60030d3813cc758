//! Which of the hits a prompt includes.

use crate::relation::Relation;
use crate::words::Words;
use ralph_core::learning::FeatureLearning;

/// Whether both texts name the same path, identifier, name or number: only then another feature's learning is included.
pub fn share_a_name(question: &str, text: &str) -> bool {
    Words::of(question).shared(&Words::of(text)).1 > 0
}

/// Removes learnings that repeat an earlier one: two features may know the same.
pub fn without_repeats(learnings: Vec<FeatureLearning>) -> Vec<FeatureLearning> {
    let mut kept: Vec<(Words, FeatureLearning)> = Vec::new();
    for learning in learnings {
        let words = Words::of(&learning.text);
        if !kept.iter().any(|(other, _)| words.relation(other) == Relation::Duplicate) {
            kept.push((words, learning));
        }
    }
    kept.into_iter().map(|(_, learning)| learning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;

    #[test]
    fn another_feature_s_learning_needs_a_name_in_common() {
        assert!(!share_a_name("refund retry with a fresh key in src/refund.rs", "A refund retry needs a fresh key"));
        assert!(share_a_name("refund retry in src/refund.rs", "src/refund.rs is generated, so change its template"));
    }

    #[test]
    fn of_near_duplicates_only_the_first_is_told() {
        let told = without_repeats(vec![
            learning("own", "Refund retry uses the provider clock"),
            learning("same", "refund retry uses the provider clock."),
            learning("other", "The search index is rebuilt at night"),
        ]);
        assert_eq!(told.iter().map(|l| l.id.as_str()).collect::<Vec<_>>(), ["own", "other"]);
    }
}
