//! Which of the hits a prompt includes.

use crate::relation::Relation;
use crate::words::Words;

/// Whether both texts name the same path, identifier, name or number: only then another feature's learning is included.
pub fn share_a_name(question: &str, text: &str) -> bool {
    Words::of(question).shared(&Words::of(text)).1 > 0
}

/// Removes what repeats an earlier item, or one of the texts `told` beside it: two features may know the same, and a lesson may also be an
/// episode.
pub fn without_repeats<'t, T>(told: impl Iterator<Item = &'t str>, items: Vec<T>, text: impl Fn(&T) -> &str) -> Vec<T> {
    let mut known: Vec<Words> = told.map(Words::of).collect();
    let is_new = |item: &T| {
        let words = Words::of(text(item));
        let new = known.iter().all(|other| words.relation(other) != Relation::Duplicate);
        known.extend(new.then_some(words));
        new
    };
    items.into_iter().filter(is_new).collect()
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
        let learnings = vec![
            learning("own", "Refund retry uses the provider clock"),
            learning("same", "refund retry uses the provider clock."),
            learning("other", "The search index is rebuilt at night"),
        ];
        let told = without_repeats(std::iter::empty(), learnings, |learning| &learning.text);
        assert_eq!(told.iter().map(|l| l.id.as_str()).collect::<Vec<_>>(), ["own", "other"]);
        let others = vec!["Refund retry uses the provider clock.", "Refunds are paid at night"];
        assert_eq!(without_repeats(told.iter().map(|l| l.text.as_str()), others, |text| text), ["Refunds are paid at night"]);
    }
}
