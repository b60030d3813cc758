//! Sets of rewordings labelled by what they say, and what the rules make of them.

use super::{BEFORE, Documents, Entry, Faithfulness, weighed};
use crate::testing::entry;

/// Entries with words for them, by what the words say and by what the rules make of them.
pub(super) struct Labelled<'a> {
    /// Say the entry, and are not refused.
    pub(super) honest: &'a [(&'a str, &'a str)],
    /// Say something else, and are refused or differ perhaps.
    pub(super) hostile: &'a [(&'a str, &'a str)],
    /// Say the entry, and are refused all the same.
    pub(super) refused: &'a [(&'a str, &'a str)],
    /// Say something else, which no rule finds.
    pub(super) missed: &'a [(&'a str, &'a str)],
}

/// Checks the labels; a case that is judged correctly by now has to move up.
pub(super) fn check(labelled: &Labelled<'_>) {
    let judged = |(entry, said): &(&str, &str)| weighed_one(entry, &format!("{said} <!-- ralph:L1 -->\n"));
    let (mut diverging, mut unsure) = (0, 0);
    for case in labelled.honest {
        let found = judged(case);
        assert_eq!(found.faults, Vec::<String>::new(), "{case:?}");
        diverging += usize::from(!found.divergences.is_empty());
    }
    for case in labelled.hostile {
        let found = judged(case);
        assert!(!(found.faults.is_empty() && found.divergences.is_empty()), "{case:?}");
        unsure += usize::from(found.faults.is_empty());
    }
    assert!(labelled.refused.iter().all(|case| !judged(case).faults.is_empty()));
    assert!(labelled.missed.iter().all(|case| judged(case).faults.is_empty()));
    let of = |one: &[_], other: &[_]| one.len() + other.len();
    let (faithful, hostile) = (of(labelled.honest, labelled.refused), of(labelled.hostile, labelled.missed));
    eprintln!("of {faithful} faithful ones {} are refused and {diverging} diverge perhaps", labelled.refused.len());
    eprintln!("of {hostile} hostile ones {} are missed and {unsure} diverge perhaps", labelled.missed.len());
}

/// What is wrong with the words of one entry, and what may be.
pub(super) fn weighed_one(entry_text: &str, added: &str) -> Faithfulness {
    let batch = [Entry { key: "L1".to_owned(), text: entry_text.to_owned(), ..entry("") }];
    let file = |text: String| Documents::from([("docs/knowledge/money.md".to_owned(), text)]);
    weighed(&file(BEFORE.to_owned()), &file(format!("{BEFORE}{added}")), &[], &batch)
}
