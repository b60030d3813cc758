//! How many, and which of them: "and" or "or", "both" or "either", "all" or "half", before the same word.

use super::{View, frame};
use crate::words::is_listed;
use ralph_core::quality::{Hit, HitKind};

/// Words that contradict each other before the same word. Elsewhere they tell different things: "either way, set both".
const QUANTIFIERS: [(&str, &str); 5] =
    [("and", "or"), ("both", "either"), ("all every each both", "half"), ("all every each", "single"), ("all every each", "few several")];

/// A word of one text that contradicts one of the other before the same word; no text has both.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let has = |view: &View<'_>, word: &str| view.tokens.iter().any(|t| t.token.lower == word);
    let mut pairs = (0..a.tokens.len()).flat_map(|at| (0..b.tokens.len()).map(move |there| (at, there)));
    pairs.find_map(|(at, there)| {
        let (older, newer) = (a.tokens[at].token.lower.as_str(), b.tokens[there].token.lower.as_str());
        let contradicts = contradict(older, newer) && !has(b, older) && !has(a, newer);
        let same = || counted(a, at).is_some_and(|word| counted(b, there) == Some(word));
        (contradicts && same()).then(|| Hit { kind: HitKind::Antonym, older: older.to_owned(), newer: newer.to_owned() })
    })
}

fn contradict(one: &str, other: &str) -> bool {
    let across = |one: &str, other: &str| QUANTIFIERS.iter().any(|(first, second)| is_listed(first, one) && is_listed(second, other));
    across(one, other) || across(other, one)
}

/// The stem of the first word behind a place that says something.
fn counted<'v>(view: &'v View<'_>, at: usize) -> Option<&'v str> {
    let says = |word: &str| !frame::is_grammar(word) && !frame::is_weightless(word);
    view.tokens[at + 1..].iter().find(|t| says(&t.token.lower)).map(|t| t.stem.as_str())
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;
    use ralph_core::quality::HitKind;

    #[test]
    fn another_quantifier_of_the_same_word_contradicts() {
        let found = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).iter().any(|hit| hit.kind == HitKind::Antonym);
        for (a, b, expected) in [
            ("Set USER and HOST before a start", "Set USER or HOST before a start", true),
            ("Either node must confirm", "Both nodes must confirm", true),
            ("Half of the tables are cached", "All of the tables are cached", true),
            ("The job runs on every node", "The job runs on a single node", true),
            ("The job runs on every node", "The job runs on each node", false),
            ("Stop the worker and the proxy", "Stop the proxy or the queue", false),
        ] {
            assert_eq!((found(a, b), found(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
