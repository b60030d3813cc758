use super::*;

fn lesson(id: &str, text: &str) -> JunkSubject {
    JunkSubject {
        id: id.into(),
        kind: MemoryKind::Episode,
        feature: Some("pay".into()),
        text: text.into(),
        about: None,
        reason: None,
        by_person: false,
        protected: false,
        created: Timestamp(id.len() as i64),
        unused_days: None,
        told: Vec::new(),
        dead_end: None,
        stale: None,
    }
}

fn fact(id: &str, subject: &str, value: &str) -> JunkSubject {
    JunkSubject { kind: MemoryKind::Fact, about: Some(("note".into(), subject.into())), ..lesson(id, value) }
}

fn classes_of(stored: &[JunkSubject]) -> BTreeMap<AuditClass, Vec<Junk>> {
    classify(stored, &|| false).expect("is not stopped")
}

fn ids(stored: &[JunkSubject], class: AuditClass) -> Vec<String> {
    classes_of(stored)[&class].iter().map(|junk| junk.id.clone()).collect()
}

#[test]
fn of_those_that_say_the_same_the_protected_or_the_oldest_stays() {
    let same = "`make test` failed 2 times (no rule) and passed after Makefile was changed";
    let of = |kind: MemoryKind, id: &str, protected: bool| JunkSubject { kind, protected, ..lesson(id, same) };
    let stored = [of(MemoryKind::Episode, "a", false), of(MemoryKind::Episode, "bb", false), of(MemoryKind::Episode, "ccc", true)];
    assert_eq!(ids(&stored, AuditClass::Duplicate), ["a", "bb"]);
    assert_eq!(ids(&stored[..2], AuditClass::Duplicate), ["bb"]);
    let stored = [of(MemoryKind::Episode, "a", false), of(MemoryKind::Learning, "bb", false)];
    assert_eq!(ids(&stored, AuditClass::Duplicate), ["a"], "a learning stays");
    assert_eq!(classes_of(&stored)[&AuditClass::Duplicate][0].why, "it says the same as learning bb");
}

#[test]
fn what_says_it_in_other_words_is_a_near_duplicate_and_no_duplicate() {
    let stored = [
        lesson("a", "Refund windows are compared in the provider time zone"),
        lesson("bb", "Refund windows get compared in the provider time zone"),
        lesson("ccc", "Refund windows are never compared in the provider time zone"),
        lesson("dddd", "refund windows: ARE compared, in the provider time zone."),
        lesson("eeeee", "Receipts are rendered by src/receipt.rs, so change its template"),
    ];
    assert_eq!((ids(&stored, AuditClass::NearDuplicate), ids(&stored, AuditClass::Duplicate)), (vec!["bb".into()], vec!["dddd".into()]));
}

#[test]
fn what_signs_alone_tell_apart_is_no_repetition() {
    for (one, other) in [
        ("Headers in `native/` are C++ and formatted with clang-format", "Headers in `native/` are C# and formatted with clang-format"),
        ("The pager ends where `at == pages` holds", "The pager ends where `at != pages` holds"),
        ("Retries are bounded by > 5 in the loop", "Retries are bounded by < 5 in the loop"),
        ("The discount is +5 per cent of the cart", "The discount is -5 per cent of the cart"),
        ("→", "←"),
    ] {
        let found = classes_of(&[lesson("a", one), lesson("bb", other)]);
        assert!(found[&AuditClass::Duplicate].is_empty() && found[&AuditClass::NearDuplicate].is_empty(), "{one} | {other}");
        assert_eq!(ids(&[lesson("a", one), lesson("bb", one)], AuditClass::Duplicate), ["bb"], "{one}");
    }
}

#[test]
fn what_two_features_know_is_told_apart_and_what_the_project_knows_with_both() {
    let other = |feature: Option<&str>| JunkSubject {
        feature: feature.map(str::to_owned),
        ..lesson("bb", "Send Retry-After with each 429 answer")
    };
    let of = |feature| ids(&[lesson("a", "Send Retry-After with each 429 answer"), other(feature)], AuditClass::Duplicate).len();
    assert_eq!((of(Some("shop")), of(Some("Pay")), of(None)), (0, 1, 1));
}

#[test]
fn facts_repeat_each_other_only_about_the_same_and_literally() {
    let stored = [fact("a", "serde", "1"), fact("bb", "serde_json", "1"), fact("ccc", "Serde", "1"), fact("dddd", "serde", "2")];
    assert_eq!((ids(&stored, AuditClass::Duplicate), ids(&stored, AuditClass::NearDuplicate)), (vec!["ccc".into()], vec![]));
    assert_eq!(ids(&stored, AuditClass::Boilerplate), Vec::<String>::new(), "a short value is not an empty lesson");
}

#[test]
fn what_every_session_says_is_boilerplate() {
    for text in [
        "All tests pass",
        "I'm sorry, I can't help with that",
        "You are Claude Code, Anthropic's official CLI",
        "<system-reminder>Contents of /repo/CLAUDE.md (project instructions)</system-reminder>",
        "Working directory: /repo",
        "n/a",
        "Strategy: running the tests leads to success",
        "The task was completed as requested",
    ] {
        assert_eq!(ids(&[lesson("a", text)], AuditClass::Boilerplate), ["a"], "{text}");
    }
    for text in
        ["Run `cargo sqlx prepare` after changing a query, or CI fails", "'Refund' was done, and the check passed. Changed: src/a.rs"]
    {
        assert_eq!(ids(&[lesson("a", text)], AuditClass::Boilerplate), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_ralph_told_is_a_recall_loop_and_what_a_person_repeats_is_not() {
    let text = "Prices are stored in cents as integers, never as floats";
    let prompt = format!("# Task\nAdd a refund.\n## What is known\n- {text}.\n");
    let told = |text: &str, told: &str| JunkSubject { told: vec![told.into()], ..lesson("a", text) };
    for (case, loops) in [
        (told(text, &prompt), true),
        (told(text, "prices are stored as integers in cents, never as floats"), true),
        (told("Send Retry-After with each 429 answer of the gateway", &prompt), false),
        (told("Add a refund", &prompt), false),
        (JunkSubject { by_person: true, ..told(text, &prompt) }, false),
        (told("Learnings from previous iterations: prices are in cents", ""), true),
    ] {
        assert_eq!(!ids(std::slice::from_ref(&case), AuditClass::RecallLoop).is_empty(), loops, "{case:?}");
    }
}

#[test]
fn unused_means_ninety_active_days_and_what_a_person_wrote_waits() {
    let of =
        |days: Option<u32>, by_person| JunkSubject { unused_days: days, by_person, ..lesson("a", "Send Retry-After with each 429 answer") };
    for (case, found) in [(of(Some(89), false), 0), (of(Some(90), false), 1), (of(Some(200), true), 0), (of(None, false), 0)] {
        assert_eq!(ids(std::slice::from_ref(&case), AuditClass::NeverUsed).len(), found, "{case:?}");
    }
}

#[test]
fn the_words_of_what_others_found_are_kept_and_secrets_are_only_counted() {
    let key = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let stored = [
        JunkSubject { dead_end: Some("its task is open again".into()), ..lesson("a", "'Refund' was done. Changed: src/a.rs") },
        JunkSubject { stale: Some("a.txt is gone".into()), ..fact("bb", "port", "8080") },
        lesson("ccc", &format!("Pass {key} to the gateway, or it answers 401")),
    ];
    let classes = classes_of(&stored);
    assert_eq!(classes[&AuditClass::DeadEnd], [Junk { id: "a".into(), why: "its task is open again".into() }]);
    assert_eq!(classes[&AuditClass::StaleFact], [Junk { id: "bb".into(), why: "a.txt is gone".into() }]);
    assert_eq!(classes[&AuditClass::Secret].len(), 1);
    assert!(!format!("{classes:?}").contains(&key));
}

#[test]
fn every_pair_that_is_alike_is_found_by_the_index() {
    let verbs = ["retry", "cache", "sort", "page"];
    let nouns = ["refund", "receipt", "webhook", "ledger", "invoice"];
    let texts: Vec<JunkSubject> = (0..200usize)
        .map(|n| {
            let (verb, noun, more) = (verbs[n % 4], nouns[n / 4 % 5], ["twice", "slowly", "again"][n % 3]);
            let filler = if n % 2 == 0 { "before the nightly export" } else { "before nightly exports" };
            JunkSubject {
                created: Timestamp(n as i64),
                ..lesson(&format!("{n:03}"), &format!("The gateway must {verb} each {noun} {more} {filler}"))
            }
        })
        .collect();
    let refs: Vec<&JunkSubject> = texts.iter().collect();
    let found = repeats::repeats(&refs, &|| false).unwrap();
    let words: Vec<Words> = texts.iter().map(|text| Words::of(&text.text)).collect();
    let mut stays: Vec<usize> = Vec::new();
    for at in 0..texts.len() {
        let repeats = stays.iter().any(|other| words[at].relation(&words[*other]) == Relation::Duplicate);
        assert_eq!(found.contains_key(texts[at].id.as_str()), repeats, "{}", texts[at].text);
        if !repeats {
            stays.push(at);
        }
    }
    assert!(stays.len() > 3 && stays.len() < 200, "{}", stays.len());
}

#[test]
fn every_pair_that_is_told_together_is_found_wherever_it_stands() {
    let homes = [Some("pay"), Some("shop"), None, Some("Pay")];
    let texts: Vec<JunkSubject> = (0..160usize)
        .map(|n| {
            let (noun, more) = (["refund", "receipt", "webhook"][n / 4 % 3], ["twice", "slowly", "again"][n / 12 % 3]);
            let filler = if n % 5 == 0 { "before the nightly export" } else { "before nightly exports" };
            let feature = homes[n * n / 7 % 4].map(str::to_owned);
            let text = format!("The gateway must retry each {noun} {more} {filler}");
            JunkSubject { created: Timestamp(n as i64), feature, ..lesson(&format!("{n:03}"), &text) }
        })
        .collect();
    let found = repeats::repeats(&texts.iter().collect::<Vec<_>>(), &|| false).unwrap();
    let together = |one: &JunkSubject, other: &JunkSubject| match (&one.feature, &other.feature) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => true,
    };
    let alike = |one: &JunkSubject, other: &JunkSubject| {
        one.text == other.text || Words::of(&one.text).relation(&Words::of(&other.text)) == Relation::Duplicate
    };
    let mut stays: Vec<&JunkSubject> = Vec::new();
    for text in &texts {
        let repeats = stays.iter().any(|other| together(text, other) && alike(text, other));
        assert_eq!(found.contains_key(text.id.as_str()), repeats, "{:?}: {}", text.feature, text.text);
        if !repeats {
            stays.push(text);
        }
    }
    assert!(stays.len() > 9 && stays.len() < 80, "{}", stays.len());
}

#[test]
fn what_many_features_say_alike_is_no_repetition() {
    let texts: Vec<JunkSubject> = (0..600)
        .map(|n| {
            let text = format!("Step {} of the gateway needs the ledger of page {} before its export", n % 20, n / 20);
            JunkSubject { feature: Some(format!("feature-{}", n / 20)), ..lesson(&format!("{n:04}"), &text) }
        })
        .collect();
    assert!(repeats::repeats(&texts.iter().collect::<Vec<_>>(), &|| false).is_some_and(|found| found.is_empty()));
}

#[test]
fn who_stops_it_waits_for_no_more_of_a_large_store() {
    let asked = std::cell::Cell::new(0);
    let stopped = || asked.replace(asked.get() + 1) == 3;
    let stored: Vec<JunkSubject> = (0..100).map(|n| lesson(&format!("{n:03}"), "Send Retry-After with each 429 answer")).collect();
    assert_eq!((classify(&stored, &stopped), asked.get()), (None, 4));
}

#[test]
fn files_are_named_by_relative_paths_with_an_ending() {
    for (text, files) in [
        ("They stand in `src/ports.ts`, one a line", vec!["src/ports.ts"]),
        ("see src/a/b.rs:12 and (lib/c.rb).", vec!["lib/c.rb"]),
        ("https://example.com/src/gone.html /etc/gone.conf ../up.rs src/ 1/2 and/or e.g./x v1/2.0 *.rs", vec![]),
    ] {
        assert_eq!(named_files(text), files, "{text}");
    }
}
