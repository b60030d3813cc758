//! Undo of a person's acts.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use ralph_core::MemoryId;
use ralph_core::audit::AuditClass;

#[test]
fn a_merge_and_its_undo_are_one_act_each() {
    let mut desk = desk(50);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    let made = desk.act(|draft| draft.merge(&ids, "Cents, and sorted imports", None)).expect("merges");
    let acts: BTreeSet<_> = desk.lines[desk.lines.len() - 3..].iter().map(|line| line.act.clone()).collect();
    assert_eq!(acts.len(), 1);
    let before = desk.lines.len();
    let undoable = undoable(desk.lines.clone(), &made);
    desk.act(|draft| draft.undo(&made, undoable)).expect("undoes");
    assert_eq!(ids.each_ref().map(|id| desk.state(id)), [LearningState::Active; 2]);
    assert_eq!(desk.state(&made), LearningState::Retired);
    assert_eq!(desk.lines[before..].iter().map(|line| line.act.clone()).collect::<BTreeSet<_>>().len(), 1);
    assert_eq!(crate::act::undoable(desk.lines.clone(), &made), None, "once");
}

#[test]
fn undo_of_a_retirement_restores_what_was_replaced_as_replaced_and_asks_again_about_a_warning() {
    let mut desk = desk(50);
    let old = desk.agent(TEXT).id;
    let new = desk.act(|draft| draft.edit(&old, "Refunds follow the clock that the provider keeps", None)).expect("edits");
    let there_and_back = |desk: &mut Desk, id: &str, act: fn(&mut Draft<'_>, &str) -> Result<(), Refusal>| {
        desk.act(|draft| act(draft, id)).expect("acts");
        let undoable = undoable(desk.lines.clone(), id);
        desk.act(|draft| draft.undo(id, undoable)).expect("undoes");
    };
    for act in [|draft: &mut Draft<'_>, id: &str| draft.put_away(id), |draft: &mut Draft<'_>, id: &str| draft.come_back(id)] {
        there_and_back(&mut desk, &old, act);
        assert_eq!((desk.state(&old), &desk.known.learnings[&old].superseded_by), (LearningState::Superseded, &Some(new.clone())));
        assert_eq!(desk.agent(TEXT).id, new, "an observation of what replaced it");
    }

    let candidate = Candidate::new(learning("", "ok then"), GateMark { passed: false, density: 0.1, refused: false });
    let warned = desk.act(|draft| draft.remember(&candidate, &[])).expect("is remembered").id;
    there_and_back(&mut desk, &warned, |draft, id| draft.put_away(id));
    assert_eq!((desk.state(&warned), desk.known.gates[&warned].kept), (LearningState::Active, None));
}

#[test]
fn whoever_edits_what_was_reworded_is_led_to_the_new_words() {
    let mut desk = desk(50);
    let old = desk.agent(TEXT).id;
    let new = desk.act(|draft| draft.edit(&old, "Refunds follow the clock that the provider keeps", None)).expect("edits");
    let refused = |desk: &mut Desk, id: &str| match desk.act(|draft| draft.edit(id, "Refunds are timed by the bank", None)) {
        Err(Refusal::Invalid { fault, hint, .. }) => (fault, hint),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&mut desk, &old), (format!("the learning is superseded by {new}"), "edit that one"));
    desk.act(|draft| draft.put_away(&new)).expect("puts it away");
    assert_eq!(refused(&mut desk, &new), ("the learning is retired".to_owned(), "restore it first"));
}

#[test]
fn undo_of_the_later_of_two_rewordings_leaves_the_earlier_one() {
    let mut desk = desk(50);
    let old = desk.agent(TEXT).id;
    let first = desk.act(|draft| draft.edit(&old, "Refunds follow the clock that the provider keeps", None)).expect("edits");
    // Another clone, which did not know about it, reworded the same.
    let second = desk.say("Refunds are timed by the provider of the payment", LearningSource::Human, None).id;
    desk.act(|draft| {
        let replaced = draft.learning(&old)?;
        draft.supersede(&replaced, &second);
        Ok(())
    })
    .expect("replaces");
    let changes = last_decision(desk.lines.clone(), |event| matches!(event, Event::Superseded { .. })).expect("is there").changes;
    desk.act(|draft| draft.take_back(&changes)).expect("undoes");
    assert_eq!(desk.known.learnings[&old].superseded_by, Some(first));
}

fn undo(desk: &mut Desk, id: &str) -> Result<(), Refusal> {
    let undoable = undoable(desk.lines.clone(), id);
    desk.act(|draft| draft.undo(id, undoable))
}

#[test]
fn a_lesson_that_was_reworded_twice_is_active_once_in_whatever_order_that_is_undone() {
    let mut desk = desk(50);
    let old = desk.agent(TEXT).id;
    let first = desk.act(|draft| draft.edit(&old, "Refunds follow the clock that the provider keeps", None)).expect("edits");
    let second = desk.act(|draft| draft.edit(&first, "Refunds are timed by the provider of the payment", None)).expect("edits");
    let refusal = undo(&mut desk, &old).expect_err("its rewording was reworded");
    assert!(refusal.to_string().contains(&first), "{refusal}");
    assert_eq!([&old, &first, &second].map(|id| desk.state(id)).map(|state| state == LearningState::Active), [false, false, true]);
    undo(&mut desk, &first).expect("undoes the second");
    undo(&mut desk, &old).expect("undoes the first");
    assert_eq!([&old, &first, &second].map(|id| desk.state(id)).map(|state| state == LearningState::Active), [true, false, false]);
}

#[test]
fn what_an_undone_merge_had_made_does_not_come_back_beside_its_members() {
    let mut desk = desk(50);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    let made = desk.act(|draft| draft.merge(&ids, "Cents, and sorted imports", None)).expect("merges");
    desk.act(|draft| draft.put_away(&made)).expect("retires");
    undo(&mut desk, &ids[0]).expect("undoes the merge");
    assert_eq!(ids.each_ref().map(|id| desk.state(id)), [LearningState::Active; 2]);
    assert_eq!(undoable(desk.lines.clone(), &made), None, "its retirement was before that");
    // What a person does with it afterwards is theirs to undo.
    desk.act(|draft| draft.come_back(&made)).expect("returns");
    undo(&mut desk, &made).expect("undoes the return");
    assert_eq!(desk.state(&made), LearningState::Retired);
}

#[test]
fn what_an_act_made_goes_with_its_undo_also_when_it_was_parked_since() {
    let mut desk = desk(2);
    let old = desk.agent(TEXT).id;
    let made = desk.act(|draft| draft.edit(&old, "Refunds follow the clock that the provider keeps", None)).expect("edits");
    desk.act(|draft| {
        draft.tell("pay", Event::Parked { learning: made.clone(), by_rule: true });
        draft.tell(
            "pay",
            Event::Feature {
                feature: Box::new(Feature { state: FeatureState::Archived, ..Feature::new("pay", Timestamp(1)) }),
                changed: None,
            },
        );
        Ok(())
    })
    .expect("parks");
    undo(&mut desk, &old).expect("undoes");
    assert_eq!((desk.state(&old), desk.state(&made)), (LearningState::Active, LearningState::Retired));
}

#[test]
fn a_closed_feature_takes_nothing_new_and_gives_back_what_was_put_away_there() {
    let mut desk = desk(50);
    let [one, other] = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    desk.act(|draft| draft.close_split("pay")).expect("closes");
    desk.act(|draft| draft.put_away(&one)).expect("retires");
    let made = desk.act(|draft| draft.edit(&other, "The linter wants imports sorted by name", None)).expect("edits");
    undo(&mut desk, &one).expect("undoes");
    undo(&mut desk, &made).expect("undoes");
    assert_eq!([&one, &other].map(|id| desk.state(id)), [LearningState::Active; 2]);
}

#[test]
fn a_moved_learning_waits_where_there_is_no_room_and_goes_back_by_undo() {
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    desk.act(|draft| draft.move_learning(&id, "pay")).expect_err("is there already");
    desk.act(|draft| draft.move_learning(&id, "nowhere")).expect_err("does not exist");
    desk.act(|draft| draft.move_learning(&id, "shop")).expect("moves");
    assert_eq!(desk.known.learnings[&id].feature, "shop");
    let undoable = undoable(desk.lines.clone(), &id);
    desk.act(|draft| draft.undo(&id, undoable)).expect("goes back");
    assert_eq!(desk.known.learnings[&id].feature, "pay");
}

#[test]
fn a_moved_learning_takes_its_place_back_from_the_one_that_waited_for_room() {
    let mut desk = desk(2);
    // The older of two that wait would be the first to return.
    let waits = desk.say_in("shop", "Mails go through the outbox", LearningSource::Human, None).id;
    let moved = desk.say(TEXT, LearningSource::Human, None).id;
    desk.say("Sums are kept in cents", LearningSource::Human, None);
    desk.act(|draft| draft.move_learning(&waits, "pay")).expect("moves");
    assert_eq!((desk.state(&moved), desk.state(&waits)), (LearningState::Active, LearningState::Parked));
    desk.act(|draft| draft.move_learning(&moved, "shop")).expect("moves");
    assert_eq!((desk.state(&moved), desk.state(&waits)), (LearningState::Active, LearningState::Active));
    let undoable = undoable(desk.lines.clone(), &moved);
    desk.act(|draft| draft.undo(&moved, undoable)).expect("goes back");
    assert_eq!((desk.state(&moved), desk.state(&waits)), (LearningState::Active, LearningState::Parked));
}

#[test]
fn a_moved_learning_returns_to_a_closed_feature_as_it_was_there() {
    for state in [FeatureState::Archived, FeatureState::Decomposed] {
        let mut desk = desk(2);
        let moved = desk.say(TEXT, LearningSource::Human, None).id;
        for text in ["Mails go through the outbox", "Ports are taken from the pool"] {
            desk.say_in("shop", text, LearningSource::Human, None);
        }
        desk.act(|draft| draft.move_learning(&moved, "shop")).expect("moves");
        assert_eq!(desk.state(&moved), LearningState::Parked, "there is no room");
        for text in ["Sums are kept in cents", "The linter wants sorted imports"] {
            desk.say(text, LearningSource::Human, None);
        }
        let feature = Feature { state, ..desk.known.feature("pay").expect("is known").clone() };
        desk.act(|draft| {
            draft.set_feature(&feature);
            Ok(())
        })
        .expect("is closed");
        undo(&mut desk, &moved).expect("goes back");
        assert_eq!((desk.known.learnings[&moved].feature.as_str(), desk.state(&moved)), ("pay", LearningState::Active), "{state}");
    }
}

#[test]
fn what_moved_with_its_task_is_taken_back_by_none_of_the_learnings() {
    let mut desk = desk(50);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| {
        let learning = FeatureLearning { task_id: Some(1), replica: Some("A".into()), ..learning("", text) };
        let candidate = Candidate::new(learning, GateMark { passed: true, density: 1.0, refused: false });
        desk.act(|draft| draft.remember(&candidate, &[])).expect("is remembered").id
    });
    desk.act(|draft| draft.move_with_task(1, "pay", "shop")).expect("moves");
    assert!(ids.iter().all(|id| undoable(desk.lines.clone(), id).is_none()));
}

#[test]
fn what_was_replaced_otherwise_since_stays_so_when_the_earlier_rewording_is_undone() {
    let mut desk = desk(50);
    let old = desk.agent(TEXT).id;
    let first = desk.act(|draft| draft.edit(&old, "Refunds follow the clock that the provider keeps", None)).expect("edits");
    desk.act(|draft| draft.come_back(&old)).expect("returns");
    let second = desk.act(|draft| draft.edit(&old, "Refunds are timed by the provider of the payment", None)).expect("edits");
    undo(&mut desk, &first).expect("undoes the first");
    assert_eq!((desk.state(&old), desk.known.learnings[&old].superseded_by.as_ref()), (LearningState::Superseded, Some(&second)));
    undo(&mut desk, &second).expect("undoes the second");
    assert_eq!((desk.state(&old), desk.state(&first)), (LearningState::Active, LearningState::Retired));
}

#[test]
fn an_answer_about_what_was_said_again_can_be_taken_back_either_way() {
    let asks = |desk: &Desk, id: &str| desk.known.put_away.get(id).is_some_and(ralph_core::quality::PutAway::asks_again);
    let reopen: fn(&mut Desk, &str) -> Result<(), Refusal> = |desk, id| {
        let about = |event: &Event| matches!(event, Event::GateDecided { .. } | Event::KeptAway { .. } | Event::WarningReopened { .. });
        let decided = last_decision(desk.lines.clone(), about);
        desk.act(|draft| draft.reopen_warning(id, decided.as_ref()))
    };
    for kept in [false, true] {
        for take_back in [reopen, undo] {
            let mut desk = desk(50);
            let id = desk.say(TEXT, LearningSource::Agent, Some(9)).id;
            desk.act(|draft| draft.put_away(&id)).expect("retires");
            (1..=3).for_each(|iteration| drop(desk.say(TEXT, LearningSource::Agent, Some(iteration))));
            let again = desk.known.put_away[&id].again.clone();
            desk.act(|draft| draft.judge_warning(&id, kept)).expect("answers");
            assert!(!asks(&desk, &id), "is answered");
            take_back(&mut desk, &id).expect("is taken back");
            assert_eq!((desk.state(&id), asks(&desk, &id)), (LearningState::Retired, true), "kept: {kept}");
            assert_eq!(desk.known.put_away[&id].again, again);
            desk.act(|draft| draft.judge_warning(&id, !kept)).expect("answers otherwise");
        }
    }
}

#[test]
fn a_review_by_mistake_is_taken_back_and_nothing_before_it() {
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    desk.act(|draft| draft.put_away(&id)).expect("retires");
    desk.act(|draft| draft.come_back(&id)).expect("returns");
    desk.act(|draft| draft.reviewed_by(std::slice::from_ref(&id), "agent:codex")).expect("reviews");
    desk.act(|draft| draft.review(&id)).expect("reviews");
    undo(&mut desk, &id).expect("undoes the review");
    let reviewed = |desk: &Desk| (desk.known.learnings[&id].reviewed_by.clone(), desk.known.learnings[&id].review_count);
    assert_eq!((desk.state(&id), reviewed(&desk)), (LearningState::Active, (Some("agent:codex".to_owned()), 1)));
    undo(&mut desk, &id).expect("undoes the return: the agent's review is not an act of a person");
    assert_eq!(desk.state(&id), LearningState::Retired);

    let id = desk.agent("Sums are kept in cents").id;
    let reviewed = |desk: &Desk| (desk.known.learnings[&id].reviewed_by.clone(), desk.known.learnings[&id].review_count);
    desk.act(|draft| draft.review(&id)).expect("reviews");
    let mistaken = undoable(desk.lines.clone(), &id);
    // Another clone's person reviewed it, too.
    desk.act(|draft| draft.review(&id)).expect("reviews");
    desk.act(|draft| draft.undo(&id, mistaken)).expect("undoes");
    assert_eq!(reviewed(&desk), (Some("human".to_owned()), 1));
    undo(&mut desk, &id).expect("undoes");
    assert_eq!((reviewed(&desk), desk.known.learnings[&id].is_auto_prunable()), ((None, 0), true));
}

#[test]
fn what_an_undo_restores_stands_and_what_gives_way_for_it_returns_when_there_is_room() {
    let mut desk = desk(4);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    let others = ["Mails go through the outbox", "Ports are taken from the pool"].map(|text| desk.agent(text).id);
    let made = desk.act(|draft| draft.merge(&ids, "Cents, and sorted imports", None)).expect("merges");
    desk.say(TEXT, LearningSource::Human, None);
    undo(&mut desk, &made).expect("undoes");
    assert_eq!(ids.each_ref().map(|id| desk.state(id)), [LearningState::Active; 2]);
    assert_eq!(others.each_ref().map(|id| desk.state(id)), [LearningState::Parked, LearningState::Active]);
    desk.act(|draft| draft.put_away(&others[1])).expect("retires");
    assert_eq!(desk.state(&others[0]), LearningState::Active, "there is room again");
}

#[test]
fn the_undo_of_a_comparison_prunes_none_of_the_two() {
    for others in [LearningSource::Agent, LearningSource::Human] {
        let mut desk = desk(3);
        let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
        let judgement = PairJudgement { verdict: PairVerdict::Merged, cosine: 0.9, similarity: 0.9, hits: vec![] };
        desk.act(|draft| draft.reconcile(&ids[1], "m", Some((ids[0].clone(), judgement)))).expect("compares");
        let later = ["Mails go through the outbox", "Ports are taken from the pool"].map(|text| desk.say(text, others, None).id);
        let undone = desk.act(|draft| draft.undo_reconciliation(&ids[0]));
        let states = ids.iter().chain(&later).map(|id| desk.state(id)).collect::<Vec<_>>();
        if others == LearningSource::Agent {
            undone.expect("is undone");
            assert_eq!(states, [LearningState::Active, LearningState::Active, LearningState::Parked, LearningState::Active]);
        } else {
            assert!(matches!(undone, Err(Refusal::Full { .. })), "nothing gives way for both");
            assert_eq!(states, [LearningState::Superseded, LearningState::Superseded, LearningState::Active, LearningState::Active]);
        }
    }
}

#[test]
fn the_undo_of_a_rule_s_act_holds_in_a_closed_feature_too() {
    for state in [FeatureState::Archived, FeatureState::Decomposed] {
        let mut desk = desk(2);
        let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
        let judgement = PairJudgement { verdict: PairVerdict::Merged, cosine: 0.9, similarity: 0.9, hits: vec![] };
        desk.act(|draft| draft.reconcile(&ids[1], "m", Some((ids[0].clone(), judgement)))).expect("compares");
        let other = desk.agent(TEXT).id;
        let junk = [(other.clone(), "boilerplate".to_owned())];
        desk.act(|draft| draft.put_away_class(AuditClass::Boilerplate, &junk)).expect("is put away");
        let feature = Feature { state, ..desk.known.feature("pay").expect("is known").clone() };
        desk.act(|draft| {
            draft.set_feature(&feature);
            Ok(())
        })
        .expect("is closed");
        desk.act(|draft| draft.undo_reconciliation(&ids[0])).expect("is undone");
        let audit = undoable_audit(desk.lines.clone(), None).expect("can be undone");
        desk.act(|draft| draft.undo_audit(&audit)).expect("is undone");
        assert_eq!([&ids[0], &ids[1], &other].map(|id| desk.state(id)), [LearningState::Active; 3], "{state}");
    }
}

#[test]
fn a_merged_record_that_was_replaced_since_is_not_passed_over() {
    let mut desk = desk(50);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    let judgement = PairJudgement { verdict: PairVerdict::Merged, cosine: 0.9, similarity: 0.9, hits: vec![] };
    desk.act(|draft| draft.reconcile(&ids[1], "m", Some((ids[0].clone(), judgement)))).expect("compares");
    let made = desk.known.learnings[&ids[0]].superseded_by.clone().expect("is merged");
    let edited = desk.act(|draft| draft.edit(&made, TEXT, None)).expect("edits");
    let refused = desk.act(|draft| draft.undo_reconciliation(&ids[0]));
    assert!(matches!(refused, Err(Refusal::Invalid { field: "id", .. })), "its words would stand beside the two");
    undo(&mut desk, &edited).expect("undoes");
    desk.act(|draft| draft.undo_reconciliation(&ids[0])).expect("is undone");
    assert_eq!([&ids[0], &ids[1], &made].map(|id| desk.state(id)), [LearningState::Active, LearningState::Active, LearningState::Retired]);
}

#[test]
fn an_episode_that_an_undo_brings_back_ages_like_before_unless_a_person_had_restored_it() {
    let mut desk = desk(50);
    let episode = |number: usize| Episode {
        feature: Some("pay".to_owned()),
        created: Timestamp(number as i64),
        ..crate::testing::episode(format!("'Part {number}' was done"))
    };
    let told: Vec<MemoryId> =
        (0..limits::EPISODES).map(|number| desk.act(|draft| Ok(draft.tell_episode(episode(number)))).expect("is told")).collect();
    desk.act(|draft| draft.withdraw(&told[0], WithdrawalReason::Person, "")).expect("is put away");
    desk.act(|draft| draft.bring_memory_back(&told[0])).expect("is restored");
    let junk: Vec<_> = told.iter().map(|id| (id.clone(), "it says nothing".to_owned())).collect();
    desk.act(|draft| draft.put_away_class(AuditClass::Boilerplate, &junk)).expect("is put away");
    let audit = undoable_audit(desk.lines.clone(), None).expect("can be undone");
    desk.act(|draft| draft.undo_audit(&audit)).expect("is undone");
    let newest = desk.act(|draft| Ok(draft.tell_episode(episode(limits::EPISODES)))).expect("is told");
    let stands = [&told[0], &told[1], &told[2], &newest].map(|id| desk.known.is_told(id));
    assert_eq!(stands, [true, false, true, true], "the oldest that nobody restored gives way to the newcomer");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_undo_of_a_comparison_leaves_nothing_of_it(verdict in 0_usize..3, acts in vec((0_usize..2, 0_u32..6), 0..12)) {
        let verdict = [PairVerdict::Observed, PairVerdict::Merged, PairVerdict::Conflict][verdict];
        let mut desk = desk(50);
        let texts = [TEXT, "Sums are kept in cents"];
        let ids = texts.map(|text| desk.agent(text).id);
        for (at, act) in acts {
            if act < 4 {
                // A person's and an agent's statements, those of the agent at one time.
                let (useful, by) = (act % 2 == 0, if act < 2 { "person" } else { "agent:7@A" });
                let word = |id: &LearningId| Word { learning: id.clone(), useful, by: by.into(), written: Timestamp(0), asked: None, learns: false };
                let about = if act < 2 { &ids[at..=at] } else { &ids[..] };
                desk.now += 86_400_000;
                desk.act(|draft| about.iter().try_for_each(|id| draft.hear(&word(id), 0).map(drop))).expect("is heard");
            } else {
                let (reason, tags) = (Some("see PAY-77".to_owned()), vec!["stripe".to_owned()]);
                let learning = FeatureLearning { reason, tags, iteration: Some(act), ..learning("", texts[at]) };
                let candidate = Candidate::new(learning, GateMark { passed: true, density: 1.0, refused: false });
                desk.act(|draft| draft.remember(&candidate, &ids)).expect("is remembered");
            }
        }
        let stands = |desk: &Desk| ids.each_ref().map(|id| (desk.known.learnings[id].clone(), desk.known.feedback_on(id), desk.known.observers(id)));
        let before = stands(&desk);
        let judgement = PairJudgement { verdict, cosine: 0.95, similarity: 0.95, hits: vec![] };
        desk.act(|draft| draft.reconcile(&ids[1], "m", Some((ids[0].clone(), judgement)))).expect("compares");
        if desk.act(|draft| draft.undo_reconciliation(&ids[1])).is_ok() {
            prop_assert_eq!(stands(&desk), before);
        }
    }
}
