//! Which words of a question are learned for a learning.

use super::denylist::may_be_learnt;
use crate::clean::without_marks;
use crate::recall::{asked_part, is_stop_word, spoken_words};
use ralph_core::learning::FeatureLearning;
use ralph_core::limits;
use std::collections::BTreeSet;

/// Words of a question that are considered; a task's text begins with its subject.
const WORDS: usize = 64;

/// The words of a question that are compared with learned terms: each once, without common words. A mark in place of a secret is not a
/// word, and the unsearched part of a long question teaches nothing.
pub fn words_of(question: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    spoken_words(&without_marks(&asked_part(question)))
        .into_iter()
        .filter(|word| !is_stop_word(word) && seen.insert(word.clone()))
        .take(WORDS)
        .collect()
}

/// The words of a question to learn for a learning: those that its own words do not match, longest first, since long
/// words are rare ones.
pub fn learnable(question: &str, learning: &FeatureLearning) -> Vec<String> {
    let own =
        format!("{} {} {} {}", learning.text, learning.reason.as_deref().unwrap_or_default(), learning.category, learning.tags.join(" "));
    let own: BTreeSet<String> =
        spoken_words(&own).into_iter().chain(ralph_core::identifier::identifier_parts(&own).split(' ').map(str::to_owned)).collect();
    let mut words: Vec<String> = words_of(question).into_iter().filter(|word| may_be_learnt(word) && !own.contains(word)).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words.truncate(limits::TERMS_PER_SELECTION);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;

    #[test]
    fn three_words_are_learnt_that_say_something_and_are_not_its_own() {
        let learning = learning("L1", "A refund needs an `idempotencyKey`");
        let question = "Fix the refund: Stripe webhook duplicates a chargeback after reconciliation, key 42";
        assert_eq!(learnable(question, &learning), ["reconciliation", "duplicates", "chargeback"]);
        assert_eq!(learnable("fix the test of the refund", &learning), Vec::<String>::new());
        let secret = "chargeback with the key [redacted:stripe-access-token] of the ledger";
        assert_eq!(learnable(secret, &learning), ["chargeback", "ledger"]);
        let decomposed = "chargeback of the gro\u{308}\u{df}e";
        assert_eq!(
            learnable(decomposed, &learning),
            ["chargeback"],
            "a letter and its mark are no end of a word, and a part is not a word"
        );
        assert_eq!(words_of("The refund, the REFUND and a key"), ["refund", "key"]);
        let trace = format!("Trace:\n{}LedgerError", "in handlers\nof middleware\n".repeat(40));
        assert_eq!(words_of(&trace), ["ledgererror", "trace", "middleware", "handlers"], "what went wrong stands at the end");
    }
}
