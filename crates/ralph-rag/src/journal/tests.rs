//! Test cases of lines and replay.

use super::*;
use ralph_core::feature::FeatureState;
use ralph_core::learning::LearningState;

fn learning(id: &str) -> Box<FeatureLearning> {
    Box::new(FeatureLearning {
        tags: vec!["src/refund.rs".into()],
        task_id: Some(7),
        iteration: Some(1),
        created: Timestamp(1_000),
        ..crate::testing::learning(id, "Refunds use the provider clock")
    })
}

fn line(id: &str, event: Event) -> Line {
    Line { v: VERSION, id: format!("{id:0>26}"), at: Timestamp(5_000), offset: None, replica: None, act: None, event }
}

#[test]
fn a_line_reads_like_this() {
    let line =
        line("01", Event::Observed { learning: "L1".into(), iteration: Some(4), in_replica: Some("K7".into()), counted: true, said: None });
    insta::assert_snapshot!(line.to_json(), @r#"{"v":2,"id":"00000000000000000000000001","at":"1970-01-01T00:00:05.000Z","event":"observed","learning":"L1","iteration":4,"in_replica":"K7","counted":true}"#);
}

#[test]
fn what_was_said_with_an_observation_reads_as_one_sentence() {
    let said = |text: &str, reason: Option<&str>, tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let said =
            Said { text: text.to_owned(), reason: reason.map(str::to_owned), tags, source: crate::testing::learning("L1", "").source };
        let event = Event::Observed { learning: "L1".into(), iteration: None, in_replica: None, counted: true, said: Some(Box::new(said)) };
        line("01", event).entry().summary
    };
    for (text, reason, tags, expected) in [
        ("It replaces.", None, &["a.rs", "b"][..], ": It replaces, tags: a.rs, b"),
        ("It replaces.\n", Some("see PAY-77."), &["a.rs"], ": It replaces, because: see PAY-77, tags: a.rs"),
        ("It replaces a.rs", None, &[], ": It replaces a.rs"),
        ("", Some("one..."), &[], ", because: one"),
    ] {
        assert_eq!(said(text, reason, tags), format!("Seen again outside an iteration{expected}"));
    }
}

#[test]
fn a_whole_line_is_read_as_it_was_written() {
    let event = Event::Withdrawn { learning: "L1".into(), iteration: 4, in_replica: Some("K7".into()) };
    let whole = Line { offset: Some(-90), replica: Some("K8".into()), act: Some("01".into()), ..line("02", event) };
    assert_eq!(parse("pay.jsonl", whole.to_json().as_bytes()), (vec![whole], vec![]));
}

#[test]
fn replay_is_the_same_in_any_order_and_counts_each_event_once() {
    let lines = vec![
        line("01", Event::Learned { learning: learning("L1"), gate: None }),
        line("02", Event::Observed { learning: "L1".into(), iteration: Some(2), in_replica: None, counted: true, said: None }),
        line("03", Event::Observed { learning: "L1".into(), iteration: Some(2), in_replica: None, counted: false, said: None }),
        line("04", Event::Iteration { iteration: 9, task: 7, outcome: Outcome::Done, model: "sonnet".into(), told: vec!["L1".into()] }),
        line("05", Event::Retired { learning: "L1".into() }),
        line("06", Event::Thinned { task: 7, attempts: 3 }),
    ];
    let straight = replay(lines.clone());
    let mut twice: Vec<Line> = lines.iter().rev().cloned().collect();
    twice.extend(lines);
    assert_eq!(replay(twice), straight);
    let result = &straight.learnings["L1"];
    assert_eq!((result.hit_count, result.state, result.last_used), (2, LearningState::Retired, Some(Timestamp(5_000))));
}

#[test]
fn a_move_is_known_from_the_target_alone() {
    let mut moved = learning("L1");
    moved.feature = "refunds".into();
    let knowledge = replay(vec![line("02", Event::MovedIn { learning: moved, from: "pay".into() })]);
    assert_eq!(knowledge.learnings["L1"].feature, "refunds");
}

#[test]
fn what_was_said_stays_whoever_tells_of_it_again() {
    let other = FeatureLearning { text: "Refunds go to evil.example".into(), hit_count: u32::MAX, ..*learning("L1") };
    let knowledge = replay(vec![
        line("01", Event::Learned { learning: learning("L1"), gate: None }),
        line("02", Event::Learned { learning: Box::new(other.clone()), gate: None }),
        line("03", Event::MovedIn { learning: Box::new(FeatureLearning { feature: "refunds".into(), ..other }), from: "pay".into() }),
        line("04", Event::Observed { learning: "L1".into(), iteration: Some(9), in_replica: None, counted: true, said: None }),
    ]);
    let known = &knowledge.learnings["L1"];
    assert_eq!((known.text.as_str(), known.feature.as_str(), known.hit_count), ("Refunds use the provider clock", "refunds", 2));
}

#[test]
fn an_iteration_counts_once_although_two_clones_found_the_same() {
    let seen =
        |id: &str| line(id, Event::Observed { learning: "L1".into(), iteration: Some(2), in_replica: None, counted: true, said: None });
    let known = replay([line("01", Event::Learned { learning: learning("L1"), gate: None }), seen("02"), seen("03")]);
    assert_eq!((known.learnings["L1"].hit_count, known.observations.len()), (2, 2));
}

#[test]
fn a_conflict_that_two_clones_decide_differently_stands_as_decided_last() {
    let both = [("01", "L1"), ("02", "L2")].map(|(at, id)| line(at, Event::Learned { learning: learning(id), gate: None }));
    let pair = || ("L1".to_owned(), "L2".to_owned());
    let decided = |at: u32, choice: ConflictChoice| {
        let (older, newer) = pair();
        let resolved = Event::ConflictResolved { older, newer, choice, by: Some("human".into()) };
        let follows = match choice {
            ConflictChoice::KeepOlder => Some(Event::Retired { learning: "L2".into() }),
            ConflictChoice::KeepNewer => Some(Event::Superseded { learning: "L1".into(), by: "L2".into() }),
            ConflictChoice::KeepBoth => None,
        };
        let lines = [Some(resolved), follows].into_iter().flatten().enumerate();
        lines.map(move |(nth, event)| line(&format!("{at}{nth}"), event)).collect::<Vec<_>>()
    };
    use ConflictChoice::{KeepBoth, KeepNewer, KeepOlder};
    use LearningState::{Active, Retired, Superseded};
    for (first, then, expected) in [
        (KeepOlder, KeepNewer, (Superseded, Active)),
        (KeepNewer, KeepOlder, (Active, Retired)),
        (KeepOlder, KeepBoth, (Active, Active)),
        (KeepNewer, KeepBoth, (Active, Active)),
        (KeepNewer, KeepNewer, (Superseded, Active)),
    ] {
        let known = replay(both.iter().cloned().chain(decided(2, then)).chain(decided(1, first)));
        assert_eq!((known.learnings["L1"].state, known.learnings["L2"].state), expected, "{first:?}, then {then:?}");
        assert!(!known.put_away.contains_key(if expected.0 == Active { "L1" } else { "L2" }), "{first:?}, then {then:?}");
    }
}

#[test]
fn a_count_at_its_end_stays_there() {
    let many = FeatureLearning { hit_count: u32::MAX, ..*learning("L1") };
    let knowledge = replay(vec![
        line("01", Event::Learned { learning: Box::new(many), gate: None }),
        line("02", Event::Observed { learning: "L1".into(), iteration: Some(9), in_replica: None, counted: true, said: None }),
    ]);
    assert_eq!(knowledge.learnings["L1"].hit_count, u32::MAX);
}

#[test]
fn a_move_takes_back_nothing_that_another_clone_said_meanwhile() {
    let learned = line("01", Event::Learned { learning: learning("L1"), gate: None });
    let seen = |id: &str, iteration| {
        line(
            id,
            Event::Observed { learning: "L1".into(), iteration: Some(iteration), in_replica: Some("B".into()), counted: true, said: None },
        )
    };
    let arrived = |state| Box::new(FeatureLearning { feature: "refunds".into(), state, ..*learning("L1") });
    let moved = |state| line("09", Event::MovedIn { learning: arrived(state), from: "pay".into() });
    let reviewed = || line("04", Event::Reviewed { learning: "L1".into(), by: "human".into() });

    let known = replay([learned.clone(), seen("02", 11), seen("03", 12), reviewed(), moved(LearningState::Parked)]);
    let one = &known.learnings["L1"];
    let evidence = (one.hit_count, one.reviewed_by.as_deref(), one.is_auto_prunable());
    assert_eq!((one.feature.as_str(), one.state, evidence), ("refunds", LearningState::Parked, (3, Some("human"), false)));

    let retired = line("05", Event::Retired { learning: "L1".into() });
    let known = replay([learned.clone(), retired.clone(), moved(LearningState::Active)]);
    assert_eq!((known.learnings["L1"].state, known.put_away.len()), (LearningState::Retired, 1), "what was put away stays away");
    let restored = line("06", Event::Restored { learning: "L1".into(), by_rule: false, instead_of: None });
    let known = replay([learned, retired, restored, moved(LearningState::Retired)]);
    assert_eq!((known.learnings["L1"].state, known.put_away.len()), (LearningState::Active, 0));
}

#[test]
fn torn_binary_and_newer_lines_are_skipped_by_name() {
    let good = line("01", Event::Retired { learning: "L1".into() }).to_json();
    let newer = good.replace("\"v\":2", "\"v\":99");
    let bytes = [good.as_bytes(), b"\n\n\xff\xfe\n", newer.as_bytes(), b"\n", &good.as_bytes()[..30]].concat();
    let (lines, skipped) = parse("pay.jsonl", &bytes);
    assert_eq!(lines.len(), 1);
    assert_eq!(skipped.iter().map(|s| s.line).collect::<Vec<_>>(), [3, 4, 5]);
    assert!(skipped[1].newer && skipped[1].fault.contains("newer") && !skipped[0].newer && !skipped[2].newer, "{skipped:?}");
    let marked = ["\u{feff}", &good, "\r\n"].concat();
    assert_eq!(parse("pay.jsonl", marked.as_bytes()), (lines, vec![]), "as an editor of another system leaves it");
    let unknown = good.replace("\"retired\"", "\"dreamt\"");
    let (lines, skipped) = parse("pay.jsonl", unknown.as_bytes());
    assert!(lines.is_empty() && skipped[0].newer && skipped[0].fault.contains("dreamt"), "an event that this program does not know");
    for newer in [r#"{"v":3,"shape":"another"}"#, r#"{"v":99999999999,"event":{"kind":"x"}}"#] {
        let (_, skipped) = parse("pay.jsonl", newer.as_bytes());
        assert!(skipped[0].newer, "a newer line need not look like one of today: {skipped:?}");
    }
}

#[test]
fn a_decision_is_known_with_what_its_commit_changed_whatever_others_wrote_in_between() {
    let at = |id: &str, millis, event| Line { at: Timestamp(millis), ..line(id, event) };
    let pair = || ("L1".to_owned(), "L2".to_owned());
    let parked = || Box::new(FeatureLearning { state: LearningState::Parked, ..*learning("L3") });
    let ((older, newer), choice) = (pair(), ConflictChoice::KeepOlder);
    let lines = vec![
        at("01", 1, Event::Learned { learning: learning("L1"), gate: None }),
        at("02", 2, Event::Learned { learning: learning("L2"), gate: None }),
        at("03", 3, Event::Learned { learning: parked(), gate: None }),
        at("04", 4, Event::ConflictResolved { older, newer, choice, by: Some("human".into()) }),
        at("05", 4, Event::Retired { learning: "L2".into() }),
        at("06", 5, Event::Retired { learning: "L1".into() }),
        at("07", 4, Event::Restored { learning: "L3".into(), by_rule: true, instead_of: None }),
    ];
    let of_pair = |event: &Event| matches!(event, Event::ConflictResolved { .. } | Event::ConflictReopened { .. });
    let decided = last_decision(lines.iter().rev().cloned(), of_pair).expect("is there");
    let change = |id: &str, before, after| Change {
        learning: id.into(),
        before: Some(before),
        after,
        superseded_by: None,
        consolidated_into: None,
        superseded_after: None,
        consolidated_after: None,
        put_away: None,
    };
    let (active, parked, retired) = (LearningState::Active, LearningState::Parked, LearningState::Retired);
    assert_eq!(decided.changes, [change("L2", active, retired), change("L3", parked, active)]);

    let (older, newer) = pair();
    let again = [lines, vec![at("08", 8, Event::ConflictReopened { older, newer })]].concat();
    assert_eq!(last_decision(again.clone(), of_pair).expect("is there").changes, []);
    assert!(replay(again).open_conflicts.contains(&pair()));
    assert_eq!(last_decision([], of_pair), None);
}

#[test]
fn a_line_that_sets_something_against_itself_changes_nothing_and_one_without_a_word_is_skipped() {
    let feature = |name: &str, parent: &str| {
        let record = Feature { parent: Some(parent.into()), dependencies: vec![name.into()], ..Feature::new(name, Timestamp(1)) };
        wash_line(Event::Feature { feature: Box::new(record), changed: None })
    };
    let lines = [
        line("01", feature("pay", "shop")),
        line("02", feature("shop", "mail")),
        line("03", feature("mail", "PAY")),
        line("04", Event::Learned { learning: learning("L1"), gate: None }),
        line("05", Event::Conflict { older: "L1".into(), newer: "L1".into() }),
    ];
    let known = replay(lines);
    let parents = ["pay", "shop", "mail"].map(|name| known.features[name].parent.as_deref());
    assert_eq!(parents, [Some("shop"), Some("mail"), None]);
    assert!(known.features.values().all(|feature| feature.dependencies.is_empty()));
    assert!(known.open_conflicts.is_empty());

    let silent = Box::new(FeatureLearning { text: "\u{200b} \n".into(), ..*learning("L2") });
    let (lines, skipped) = parse("pay.jsonl", line("06", Event::Learned { learning: silent, gate: None }).to_json().as_bytes());
    assert!(lines.is_empty() && skipped[0].fault.contains("no readable text") && !skipped[0].newer, "{skipped:?}");
}

#[test]
fn a_line_whose_feature_could_not_be_made_at_the_door_is_skipped_and_told() {
    let record = |name: &str| Box::new(Feature::new(name, Timestamp(1)));
    let of = |name: &str| Box::new(FeatureLearning { feature: name.into(), ..*learning("L1") });
    let (long, from) = ("x".repeat(65), "pay".to_owned());
    let mut text = String::new();
    for (number, name) in ["/tmp/x", "../../../x", "a/b", "", "nul", long.as_str(), "two words", "\u{202e}x"].into_iter().enumerate() {
        for (kind, event) in [
            Event::Feature { feature: record(name), changed: None },
            Event::Feature { feature: Box::new(Feature { parent: Some(name.into()), ..*record("pay") }), changed: None },
            Event::Learned { learning: of(name), gate: None },
            Event::MovedIn { learning: of(name), from: from.clone() },
            Event::MovedOut { learning: "L1".into(), to: name.into() },
        ]
        .into_iter()
        .enumerate()
        {
            text += &format!("{}\n", line(&format!("{number}{kind}"), event).to_json());
        }
    }
    text += &format!("{}\n", line("99", Event::Feature { feature: record("pay"), changed: None }).to_json());
    let (lines, skipped) = parse("pay.jsonl", text.as_bytes());
    assert_eq!((lines.len(), skipped.len()), (1, 40));
    assert!(skipped[0].fault.contains("'/tmp/x' can't be a feature's name"), "{}", skipped[0].fault);
    assert!(skipped.iter().all(|skipped| skipped.fault.chars().count() < 250), "a fault repeats no more than a beginning");
}

#[test]
fn an_id_that_nothing_could_come_after_is_refused() {
    let event = || Event::Retired { learning: "L1".into() };
    let ids = [
        "3ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "01m82b2481xfvfmsy12z52m3n6",
        "zzzz",
        "",
        "01ILOU00000000000000000000",
    ];
    let text: String = ids.map(|id| format!("{}\n", Line { id: id.into(), ..line("", event()) }.to_json())).concat();
    let (lines, skipped) = parse("pay.jsonl", text.as_bytes());
    assert_eq!((lines.len(), skipped.len()), (1, 5), "{skipped:?}");
    assert_eq!(lines[0].id, ids[0]);
    assert!(skipped[1].fault.contains("can't be an event's id"), "{skipped:?}");
}

#[test]
fn a_feature_in_a_line_has_no_row_number_and_may_lack_what_an_older_ralph_did_not_know() {
    let feature = Feature { id: 7, description: "Takes money.".into(), ..Feature::new("pay", Timestamp(1)) };
    let told = line("01", Event::Feature { feature: Box::new(feature.clone()), changed: None });
    let json: serde_json::Value = serde_json::from_str(&told.to_json()).expect("is JSON");
    assert_eq!((&json["feature"]["id"], &json["feature"]["description"]), (&serde_json::Value::Null, &"Takes money.".into()));
    let (read, _) = parse("pay.jsonl", told.to_json().as_bytes());
    assert_eq!(read[0].event, Event::Feature { feature: Box::new(Feature { id: 0, ..feature }), changed: None });

    let mut older = json;
    older["feature"] = serde_json::json!({ "name": "pay", "id": 9, "unknown": true });
    let (read, skipped) = parse("pay.jsonl", older.to_string().as_bytes());
    let Event::Feature { feature, .. } = &read[0].event else { panic!("{skipped:?}") };
    assert_eq!((feature.id, feature.acronym.as_str(), feature.state), (0, "", FeatureState::Active));
}

#[test]
fn what_a_person_put_away_or_reworded_is_brought_back_by_no_rule_of_another_clone() {
    let learned = line("01", Event::Learned { learning: learning("L1"), gate: None });
    let retired = line("02", Event::Retired { learning: "L1".into() });
    let reworded = line("02", Event::Superseded { learning: "L1".into(), by: "L2".into() });
    // The other clone had not heard of it.
    let pruned = Event::Pruned { learning: "L1".into(), for_learning: "L3".into() };
    let restored = |by_rule| Event::Restored { learning: "L1".into(), by_rule, instead_of: None };
    let parked = |by_rule| Event::Parked { learning: "L1".into(), by_rule };
    let state = |person: &Line, other: &Event| replay([learned.clone(), person.clone(), line("03", other.clone())]).learnings["L1"].state;
    let place = ralph_core::consolidation::KnowledgePlace { file: "docs/knowledge/pay.md".into(), heading: "Pay".into() };
    let consolidated = Event::Consolidated { learning: "L1".into(), place };
    for by_rule in [pruned, restored(true), parked(true), consolidated] {
        assert_eq!(state(&retired, &by_rule), LearningState::Retired, "{by_rule:?}");
        assert_eq!(state(&reworded, &by_rule), LearningState::Superseded, "{by_rule:?}");
    }
    assert_eq!(state(&retired, &restored(false)), LearningState::Active, "a person's later word holds");
    assert_eq!(state(&retired, &parked(false)), LearningState::Parked);
}

#[test]
fn an_episode_or_a_fact_returns_by_no_rule_beside_a_person_s_word_of_another_clone() {
    use ralph_core::memory::{Fact, FactSource, WithdrawalReason};
    let fact = |id: &str, value: &str, source| Fact { value: value.into(), source, ..crate::testing::fact(id) };
    let stated = |at: &str, id: &str, value: &str, source| line(at, Event::Fact { fact: Box::new(fact(id, value, source)) });
    let withdrawn = |at: &str, because| line(at, Event::MemoryWithdrawn { memory: "F1".into(), because, detail: String::new() });
    let returned = |at: &str, by_rule| line(at, Event::MemoryReturned { memory: "F1".into(), by_rule, as_before: false });
    let because = |lines: Vec<Line>, id: &str| replay(lines).facts[id].withdrawn.as_ref().map(|w| w.because);
    let gone = || vec![stated("01", "F1", "npm test", FactSource::Code), withdrawn("02", WithdrawalReason::SourceGone)];
    // One clone sees the source come back, after another clone's person decided.
    let with = |more: Vec<Line>| [gone(), more].concat();
    assert_eq!(because(with(vec![returned("04", true)]), "F1"), None);
    let put_away = withdrawn("03", WithdrawalReason::Person);
    assert_eq!(because(with(vec![put_away.clone(), returned("04", true)]), "F1"), Some(WithdrawalReason::Person));
    assert_eq!(because(with(vec![put_away, returned("04", false)]), "F1"), None, "a person's later word holds");
    let otherwise = stated("03", "F2", "pnpm test", FactSource::Human);
    let both = with(vec![otherwise, returned("04", true)]);
    assert_eq!((because(both.clone(), "F1"), because(both, "F2")), (Some(WithdrawalReason::SourceGone), None));
}
