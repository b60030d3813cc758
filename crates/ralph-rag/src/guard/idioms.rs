//! Idioms with opposite meanings: "in parallel" and "one after another". No word of one is the opposite of a word of the other.

use super::View;
use crate::words::TokenKind;
use ralph_core::quality::{Hit, HitKind};

/// Rows of two sides, each of idioms that say the same.
const IDIOMS: [[&[&str]; 2]; 5] = [
    [
        &["one after another", "one after the other", "one at a time", "one by one", "in sequence", "sequentially", "serially"],
        &["in parallel", "concurrently", "simultaneously", "at the same time", "side by side"],
    ],
    [
        &["shared", "share", "shares", "sharing", "common to"],
        &["its own", "their own", "of its own", "a separate", "a dedicated", "one per"],
    ],
    [&["by hand"], &["automatically", "is automatic", "are automatic", "is automated", "are automated"]],
    [&["on demand", "lazily", "as needed"], &["up front", "upfront", "eagerly", "in advance", "ahead of time"]],
    [&["up to", "at most"], &["at least"]],
];

/// Each text has an idiom of another side of a row, and none has both.
pub(super) fn hit(a: &View<'_>, b: &View<'_>) -> Option<Hit> {
    let hit = |older: &str, newer: &str| Hit { kind: HitKind::Antonym, older: older.to_owned(), newer: newer.to_owned() };
    let (a, b) = (words(a), words(b));
    IDIOMS.iter().find_map(|[one, other]| match (said(&a, one), said(&a, other), said(&b, one), said(&b, other)) {
        (Some(older), None, None, Some(newer)) | (None, Some(older), Some(newer), None) => Some(hit(older, newer)),
        _ => None,
    })
}

/// The words of a text, without names.
fn words<'v>(view: &'v View<'_>) -> Vec<&'v str> {
    view.tokens.iter().map(|t| if t.token.kind == TokenKind::Exact { "" } else { t.token.lower.as_str() }).collect()
}

/// The idiom of a side that a text has.
fn said<'i>(words: &[&str], side: &[&'i str]) -> Option<&'i str> {
    let begins = |at: usize, idiom: &str| idiom.split(' ').enumerate().all(|(behind, word)| words.get(at + behind) == Some(&word));
    side.iter().copied().find(|idiom| (0..words.len()).any(|at| begins(at, idiom)))
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::words::Words;
    use ralph_core::quality::HitKind;

    #[test]
    fn idioms_of_opposite_meanings_contradict() {
        let found = |a: &str, b: &str| hits(&Words::of(a), &Words::of(b)).iter().any(|hit| hit.kind == HitKind::Antonym);
        for (a, b, expected) in [
            ("The suites run in parallel", "The suites run one after another", true),
            ("Migrations run one by one", "Migrations run concurrently", true),
            ("The pool is shared between workers", "Each worker has its own pool", true),
            ("Every test gets a separate database", "All tests share a database", true),
            ("Tags are set by hand", "Tags are set automatically", true),
            ("Retry up to 3 times", "Retry at least 3 times", true),
            ("The suites run one at a time", "The suites run one after another", false),
            ("The pool is shared, but each worker has its own cache", "Each worker has its own cache", false),
            ("Workers share a queue", "Each worker has its own log", false),
        ] {
            assert_eq!((found(a, b), found(b, a)), (expected, expected), "{a} | {b}");
        }
    }
}
