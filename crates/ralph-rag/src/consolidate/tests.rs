//! Decisions on entries, case by case.

mod proposals;

use super::*;
use crate::calibrate::Calibration;
use crate::testing::entry;
use ralph_core::active_days::Day;
use ralph_core::consolidation::{Decision, Entry, Fate, SourceKind};
use ralph_core::time::Timestamp;

/// An entry of the file, written on a day; eligible up to day 10.
fn noted(line: u32, day: i32, title: &str, body: &str) -> Entry {
    Entry {
        key: key_of(title, body),
        title: Some(title.into()),
        line: Some(line),
        text: body.into(),
        written: Some(Day(day)),
        eligible: day <= 10,
        ..entry("")
    }
}

/// A learning of a feature, written on a day.
fn learnt(id: &str, day: i32, text: &str) -> Entry {
    Entry {
        key: id.into(),
        id: Some(id.into()),
        title: None,
        source: "pay".into(),
        kind: SourceKind::Feature,
        created: Some(Timestamp(i64::from(day))),
        ..noted(1, day, "", text)
    }
}

fn decided(sources: &[&[Entry]], targets: &[(&str, &str)], pairs: &Pairs, keep: usize) -> Vec<Decision> {
    let documents = targets.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    let targets: Vec<TargetStatement> = targets
        .iter()
        .flat_map(|(file, text)| statements(text).into_iter().map(|s| TargetStatement { file: (*file).into(), line: s.line, text: s.text }))
        .collect();
    let words_only = Meaning { cosine: &|_, _| None, calibration: None };
    let held = held(&documents);
    Candidates::new(sources, (&targets, &held), pairs, keep).decide(&words_only)
}

fn fates(decisions: &[Decision]) -> Vec<Fate> {
    decisions.iter().map(|decision| decision.decision).collect()
}

#[test]
fn the_young_and_the_newest_stay() {
    let file: Vec<Entry> = [(1, "seeds"), (4, "cache"), (9, "queue"), (11, "mail")]
        .iter()
        .map(|(day, about)| noted(*day as u32, *day, "", &format!("- The {about} of {about}s needs {about}_setup() first")))
        .collect();
    assert_eq!(fates(&decided(&[&file], &[], &Pairs::default(), 2)), [Fate::Goes, Fate::Goes, Fate::Newest, Fate::Young]);
    assert_eq!(fates(&decided(&[&file], &[], &Pairs::default(), 0)), [Fate::Goes, Fate::Goes, Fate::Goes, Fate::Young]);
    assert_eq!(fates(&decided(&[&file], &[], &Pairs::default(), 9)), [Fate::Newest, Fate::Newest, Fate::Newest, Fate::Young]);
}

#[test]
fn only_the_final_state_goes_also_when_what_says_otherwise_is_young() {
    let old = noted(1, 1, "Clock", "- Mock the system clock in tests");
    for day in [2, 99] {
        let file = [old.clone(), noted(5, day, "Clock again", "- Never mock the system clock in tests")];
        let found = decided(&[&file], &[], &Pairs::default(), 0);
        assert_eq!(found[0].decision, Fate::Superseded, "{found:?}");
        assert_eq!(found[0].other.as_deref(), Some(file[1].key.as_str()));
        assert_eq!(found[1].decision, if day == 2 { Fate::Goes } else { Fate::Young });
    }
    // On the same day, the later line of the file is newer.
    let file = [old, noted(5, 1, "Clock again", "- Never mock the system clock in tests")];
    assert_eq!(fates(&decided(&[&file], &[], &Pairs::default(), 0)), [Fate::Superseded, Fate::Goes]);
}

#[test]
fn a_contradiction_that_nobody_can_settle_is_a_persons_and_nothing_of_it_goes() {
    let (old, new) = (learnt("A", 1, "Mock the system clock in tests"), learnt("B", 2, "Never mock the system clock in tests"));
    let protected = Entry { protected: true, ..old.clone() };
    assert_eq!(fates(&decided(&[&[protected, new.clone()]], &[], &Pairs::default(), 0)), [Fate::Contradiction; 2]);
    // Written on the same day in two places: neither is known to be newer.
    let file = [noted(1, 2, "Clock", "- Mock the system clock in tests")];
    assert_eq!(fates(&decided(&[&file, std::slice::from_ref(&new)], &[], &Pairs::default(), 0)), [Fate::Contradiction; 2]);
    let waiting = Pairs { conflicts: [("A".to_owned(), "B".to_owned())].into(), ..Pairs::default() };
    assert_eq!(fates(&decided(&[&[old.clone(), new.clone()]], &[], &waiting, 0)), [Fate::Contradiction; 2]);
    let apart = Pairs { apart: [("A".to_owned(), "B".to_owned())].into(), ..Pairs::default() };
    assert_eq!(fates(&decided(&[&[old, new]], &[], &apart, 0)), [Fate::Goes; 2]);
}

#[test]
fn what_a_document_says_is_dropped_with_its_score_and_what_it_denies_is_a_persons() {
    let documents = [("docs/knowledge/tests.md", "# Tests\n\n- Never mock the system clock in tests\n- Seeds live in db/seeds.sql\n")];
    let file = [
        noted(1, 1, "Clock", "- never mock the system clock in the tests."),
        noted(4, 2, "Seeds", "- Seeds live in db/seeds.sql\n- Prices are integers in cents, as `price_cents`"),
        noted(9, 3, "Mocking", "- Mock the system clock in tests"),
        noted(12, 4, "Ports", "- The port 8080 must be free for `make serve`"),
    ];
    let found = decided(&[&file], &documents, &Pairs::default(), 0);
    // The first and the third also contradict each other; the document decides for the first.
    assert_eq!(found[1].decision, Fate::Goes, "a part of it is new");
    assert_eq!(found[2].decision, Fate::Contradiction);
    assert_eq!((found[2].other.as_deref(), found[2].score.is_some()), (Some("docs/knowledge/tests.md:3"), true));
    assert_eq!(found[3].decision, Fate::Goes);
    let alone = decided(&[&file[..1]], &documents, &Pairs::default(), 0);
    assert_eq!((alone[0].decision, alone[0].other.as_deref()), (Fate::Redundant, Some("docs/knowledge/tests.md:3")));
    assert!(alone[0].score.is_some_and(|score| score > 0.7), "{alone:?}");
}

#[test]
fn of_two_that_say_the_same_one_goes() {
    let text = "Run `cargo sqlx prepare` after changing a query";
    let file = [noted(1, 1, "Queries", &format!("- {text}"))];
    let learnings = [learnt("A", 2, text), learnt("B", 3, "Retry refunds 3 times"), learnt("C", 4, "Retry refunds 5 times")];
    let found = decided(&[&file, &learnings], &[], &Pairs::default(), 0);
    assert_eq!(found[1].decision, Fate::Redundant, "{found:?}");
    assert_eq!(found[0].decision, Fate::Goes);
}

#[test]
fn what_a_document_holds_in_other_words_does_not_go_again() {
    let found = decided(
        &[&[learnt("A", 2, "Refund windows are compared in the zone of the provider"), learnt("B", 3, "Seed the database")]],
        &[("docs/a.md", "# Refunds\n\n- Whatever the till says, the provider's clock counts <!-- ralph:A -->\n")],
        &Pairs::default(),
        0,
    );
    assert_eq!(fates(&found), [Fate::Redundant, Fate::Goes]);
    assert_eq!((found[0].reason.as_str(), found[0].other.as_deref()), ("docs/a.md:3 holds it", Some("docs/a.md:3")));
    assert_eq!(found[0].other_text.as_deref(), Some("- Whatever the till says, the provider's clock counts"));
}

#[test]
fn vectors_find_what_words_do_not_and_the_guard_keeps_apart_what_they_confuse() {
    let targets = [TargetStatement { file: "docs/a.md".into(), line: 3, text: "Integration suites want a filled database".into() }];
    let file = [
        noted(1, 1, "", "- Seed the database before the integration suite"),
        noted(3, 2, "", "- Integration suites want no filled database"),
    ];
    let alike = Meaning { cosine: &|_, _| Some(0.99), calibration: Some(Calibration::MINI_LM) };
    let (pairs, held) = (Pairs { apart: Default::default(), conflicts: Default::default() }, Default::default());
    for (entry, fate) in [(&file[..1], Fate::Redundant), (&file[1..], Fate::Contradiction)] {
        let candidates = Candidates::new(&[entry], (&targets, &held), &pairs, 0);
        assert_eq!(candidates.texts().len(), 2);
        let found = candidates.decide(&alike);
        assert_eq!(found[0].decision, fate, "{found:?}");
        assert!(found[0].score.is_some_and(|score| score > 0.92));
    }
}
