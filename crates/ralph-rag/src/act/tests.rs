//! Test cases of acts.

mod beside;
mod code;
mod consolidate;
mod door;
mod feedback;
mod said;
mod settled;
mod undo;

use super::*;
use crate::journal::{GateMark, last_decision};
use crate::testing::{fact, learning};
use ralph_core::learning::{ConflictChoice, LearningSource, Verdict};
use ralph_core::limits;
use ralph_core::memory::{Episode, Fact, FactSource, LessonType, WithdrawalReason};
use ralph_core::quality::{PairJudgement, PairVerdict};

/// One clone's knowledge of feature `pay`, and its lines.
struct Desk {
    known: Knowledge,
    lines: Vec<Line>,
    own: Own,
    cap: u32,
    now: i64,
    documents: LostWords,
}

fn desk(cap: u32) -> Desk {
    let own = Own { replica: "A".into(), adopts_unknown: false };
    let mut desk = Desk { known: Knowledge::default(), lines: vec![], own, cap, now: 0, documents: LostWords::default() };
    for name in ["pay", "shop"] {
        desk.act(|draft| {
            draft.set_feature(&Feature::new(name, Timestamp(1)));
            Ok(())
        })
        .expect("makes a feature");
    }
    desk
}

impl Desk {
    fn act<T>(&mut self, decide: impl FnOnce(&mut Draft<'_>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.now += 1;
        let (now, mut count) = (self.now, 0);
        let mut next_id = || {
            count += 1;
            format!("{now:012}-{count:02}")
        };
        let (own, documents, default_cap) = (&self.own, &self.documents, self.cap);
        let occasion = Occasion { now: Timestamp(now), offset: None, own, default_cap, documents, next_id: &mut next_id };
        let mut draft = Draft::new(self.known.clone(), occasion);
        let value = decide(&mut draft)?;
        let (known, told) = draft.finish();
        self.known = known;
        self.lines.extend(told.into_iter().map(|told| told.line));
        assert_eq!(crate::journal::replay(self.lines.clone()), self.known, "the lines tell the same");
        for history in crate::history::saturation_history(self.lines.clone(), self.cap) {
            let feature = self.known.feature(&history.feature).expect("only features that are known");
            let now = saturation_in(&self.known, feature, feature.max_learnings.unwrap_or(self.cap));
            let last = history.points.last().expect("a feature begins with a point");
            assert_eq!((last.learnings_count, last.protected_count), (now.learnings_count, now.protected_count));
        }
        Ok(value)
    }

    fn say(&mut self, text: &str, source: LearningSource, iteration: Option<u32>) -> DoorOutcome {
        self.say_in("pay", text, source, iteration)
    }

    fn say_in(&mut self, feature: &str, text: &str, source: LearningSource, iteration: Option<u32>) -> DoorOutcome {
        let (feature, replica) = (feature.to_owned(), iteration.map(|_| self.own.replica.clone()));
        let learning = FeatureLearning { feature, source, iteration, replica, created: Timestamp(self.now + 1), ..learning("", text) };
        let candidate = Candidate::new(learning, GateMark { passed: true, density: 1.0, refused: false });
        let near: Vec<LearningId> = self.known.learnings.keys().cloned().collect();
        self.act(|draft| draft.remember(&candidate, &near)).expect("is remembered")
    }

    fn agent(&mut self, text: &str) -> DoorOutcome {
        self.say(text, LearningSource::Agent, None)
    }

    fn state(&self, id: &str) -> LearningState {
        self.known.learnings[id].state
    }

    fn hits(&self, id: &str) -> u32 {
        self.known.learnings[id].hit_count
    }
}

const TEXT: &str = "Refunds use the clock of the provider";

#[test]
fn a_known_lesson_is_observed_also_when_it_is_parked_and_a_person_s_word_protects() {
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    assert_eq!((desk.say(TEXT, LearningSource::Agent, Some(4)).verdict, desk.hits(&id)), (Verdict::Observed, 2));
    assert_eq!((desk.say(TEXT, LearningSource::Agent, Some(4)).verdict, desk.hits(&id)), (Verdict::Observed, 2), "counted once");
    assert_eq!(desk.say(TEXT, LearningSource::Human, None).id, id);
    assert!(!desk.known.learnings[&id].is_auto_prunable());
}

#[test]
fn when_everything_is_protected_the_newcomer_is_parked_whoever_wrote_it() {
    let mut desk = desk(2);
    let first = desk.say("Sums are kept in cents", LearningSource::Human, None).id;
    desk.say("The linter wants sorted imports", LearningSource::Human, None);
    let parked = desk.say(TEXT, LearningSource::Human, None);
    assert_eq!((parked.verdict, desk.state(&parked.id)), (Verdict::Parked, LearningState::Parked));
    desk.act(|draft| draft.put_away(&first)).expect("retires");
    assert_eq!(desk.state(&parked.id), LearningState::Active, "what leaves makes room");
}

#[test]
fn what_was_pruned_returns_with_its_evidence_when_it_is_said_again() {
    let mut desk = desk(2);
    let pruned = desk.say(TEXT, LearningSource::Agent, Some(1)).id;
    desk.agent("Sums are kept in cents");
    assert_eq!(desk.agent("The linter wants sorted imports").pruned, std::slice::from_ref(&pruned));
    let again = desk.say(TEXT, LearningSource::Agent, Some(2));
    assert_eq!((again.verdict, &again.id), (Verdict::Observed, &pruned));
    assert_eq!((desk.state(&pruned), desk.hits(&pruned)), (LearningState::Active, 2));
}

#[test]
fn what_a_person_put_away_stays_away_and_is_asked_about_once_after_three_iterations() {
    let mut desk = desk(50);
    let id = desk.say(TEXT, LearningSource::Agent, Some(9)).id;
    desk.act(|draft| draft.put_away(&id)).expect("retires");
    // The ninth had said it before.
    for (iteration, asks) in [(9, false), (1, false), (1, false), (2, false), (3, true)] {
        let answer = desk.say(TEXT, LearningSource::Agent, Some(iteration));
        assert_eq!((answer.verdict, &answer.id), (Verdict::PutAway, &id));
        let note = answer.put_away.expect("says who and when");
        assert_eq!((note.by.as_str(), note.asks_again), ("human", asks), "iteration {iteration}");
    }
    desk.act(|draft| draft.judge_warning(&id, false)).expect("leaves it away");
    let answer = desk.say(TEXT, LearningSource::Agent, Some(4));
    assert!(!answer.put_away.expect("says who").asks_again, "nobody is asked twice");
    assert_eq!(desk.state(&id), LearningState::Retired);
}

#[test]
fn the_loser_of_a_person_s_decision_stays_away() {
    for (choice, loser) in [(ConflictChoice::KeepNewer, 0), (ConflictChoice::KeepOlder, 1)] {
        let mut desk = desk(50);
        let texts = ["Never mock the clock in tests", "Mock the clock in tests"];
        let ids = texts.map(|text| desk.agent(text).id);
        desk.act(|draft| draft.resolve_conflict(&ids[0], &ids[1], choice)).expect("decides");
        let answer = desk.agent(texts[loser]);
        assert_eq!((answer.verdict, &answer.id), (Verdict::PutAway, &ids[loser]), "{choice}");
        desk.act(|draft| {
            let decided = last_decision(vec![], |_| true);
            draft.reopen_conflict(&ids[0], &ids[1], decided.as_ref())
        })
        .expect_err("nothing is decided there");
        let lines = desk.lines.clone();
        let decided = last_decision(lines, |event| matches!(event, Event::ConflictResolved { .. }));
        desk.act(|draft| draft.reopen_conflict(&ids[0], &ids[1], decided.as_ref())).expect("is taken back");
        assert!(desk.known.put_away.is_empty() && desk.state(&ids[loser]) == LearningState::Active);
    }
}

#[test]
fn what_was_replaced_is_an_observation_of_what_replaced_it_unless_that_says_the_opposite() {
    let mut desk = desk(50);
    let old = desk.agent(TEXT).id;
    let new = desk.act(|draft| draft.edit(&old, "Refunds follow the clock that the provider keeps", None)).expect("edits");
    let again = desk.say(TEXT, LearningSource::Agent, Some(9));
    assert_eq!((again.verdict, again.id, desk.hits(&new)), (Verdict::Observed, new, 2));

    let older = desk.agent("Seed the database before the integration suite").id;
    let newer = desk.agent("Leave the seeding of tables to each case").id;
    let judgement = PairJudgement { verdict: PairVerdict::Conflict, cosine: 0.9, similarity: 0.9, hits: vec![] };
    desk.act(|draft| draft.reconcile(&newer, "m", Some((older.clone(), judgement)))).expect("compares");
    assert_eq!(desk.state(&older), LearningState::Superseded);
    let again = desk.agent("Seed the database before the integration suite");
    assert_eq!((again.verdict, again.conflicts_with), (Verdict::Conflict, vec![newer]), "no observation of its opposite");
}

#[test]
fn a_move_keeps_who_put_a_learning_away_and_asks_again_there() {
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    desk.act(|draft| draft.put_away(&id)).expect("is put away");
    desk.act(|draft| draft.move_learning(&id, "shop")).expect("moves");
    let mut again = |iteration| {
        let note = desk.say_in("shop", TEXT, LearningSource::Agent, Some(iteration)).put_away;
        note.map(|note| (note.by, note.asks_again))
    };
    assert_eq!([again(1), again(2), again(3)], [false, false, true].map(|asks| Some(("human".to_owned(), asks))));
}

#[test]
fn a_lesson_without_a_home_is_parked_and_what_was_put_away_stays_away() {
    let mut desk = desk(2);
    let [pruned, retired] = [TEXT, "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    desk.act(|draft| draft.put_away(&retired)).expect("is put away");
    for text in ["Sums are kept in cents", "Mails go through the outbox"] {
        desk.say(text, LearningSource::Human, None);
    }
    assert_eq!(desk.state(&pruned), LearningState::Pruned);
    desk.act(|draft| draft.close_split("pay")).expect("is closed");
    let mut again = |text: &str| {
        let candidate = Candidate::new(learning("", text), GateMark { passed: true, density: 1.0, refused: false });
        let near: Vec<LearningId> = desk.known.learnings.keys().cloned().collect();
        let done = desk.act(|draft| draft.keep_homeless(&candidate, &near)).expect("is kept");
        (done.verdict, desk.state(&done.id), done.id)
    };
    assert_eq!(again(TEXT), (Verdict::Parked, LearningState::Parked, pruned), "it returns, and asks for a person");
    assert_eq!(again("The linter wants sorted imports"), (Verdict::PutAway, LearningState::Retired, retired));
    assert_eq!(again("Ports are taken from the pool").0, Verdict::Parked);
    assert_eq!(again("Sums are kept in cents").0, Verdict::Observed);
}

#[test]
fn what_is_held_only_by_a_closed_feature_is_new_where_it_is_said_again() {
    for (prunes, state) in [(false, LearningState::Active), (true, LearningState::Pruned)] {
        let mut desk = desk(2);
        let holds = desk.agent("Refunds follow the clock that the provider keeps").id;
        let gone = desk.agent(TEXT).id;
        let judgement = PairJudgement { verdict: PairVerdict::Observed, cosine: 0.95, similarity: 0.95, hits: vec![] };
        desk.act(|draft| draft.reconcile(&gone, "m", Some((holds.clone(), judgement)))).expect("compares");
        desk.act(|draft| draft.move_learning(&holds, "shop")).expect("moves");
        for text in ["Sums are kept in cents", "The linter wants sorted imports"].iter().filter(|_| prunes) {
            desk.say_in("shop", text, LearningSource::Human, None);
        }
        let closed = Feature { state: FeatureState::Archived, ..Feature::new("shop", Timestamp(1)) };
        desk.act(|draft| {
            draft.set_feature(&closed);
            Ok(())
        })
        .expect("is archived");
        assert_eq!((desk.state(&gone), desk.state(&holds)), (LearningState::Superseded, state));
        assert_eq!(desk.agent(TEXT).verdict, Verdict::Added, "{state}");
    }
}

#[test]
fn a_task_takes_only_the_learnings_of_its_own_clone_along() {
    let mut desk = desk(50);
    for (text, replica) in [("Sums are kept in cents", Some("A")), ("The linter wants sorted imports", Some("B")), (TEXT, None)] {
        let learning = FeatureLearning { task_id: Some(1), replica: replica.map(str::to_owned), ..learning("", text) };
        let candidate = Candidate::new(learning, GateMark { passed: true, density: 1.0, refused: false });
        desk.act(|draft| draft.remember(&candidate, &[])).expect("is remembered");
    }
    desk.act(|draft| draft.move_with_task(1, "pay", "shop")).expect("moves");
    let moved: Vec<&str> = desk.known.of_feature("shop", LearningState::Active).map(|l| l.text.as_str()).collect();
    assert_eq!(moved, ["Sums are kept in cents"]);
}

#[test]
fn only_an_active_feature_at_90_percent_needs_a_split_and_a_skipped_one_not_until_it_fell_below() {
    use SplitNeed::{ForgetSkipped, Nothing, Over, Task};
    for (count, state, has_active, skipped, expected) in [
        (44, FeatureState::Active, false, false, Nothing),
        (45, FeatureState::Active, false, false, Task),
        (45, FeatureState::Active, true, false, Nothing),
        (45, FeatureState::Active, false, true, Nothing),
        (44, FeatureState::Active, false, true, ForgetSkipped),
        (40, FeatureState::Active, true, false, Nothing),
        (39, FeatureState::Active, true, false, Over),
        (50, FeatureState::Decomposed, false, false, Nothing),
        (50, FeatureState::Archived, false, false, Nothing),
    ] {
        let saturation = compute_feature_saturation("pay", count, 0, 50);
        assert_eq!(split_need(state, &saturation, has_active, skipped), expected, "{count} {state} {has_active} {skipped}");
    }
}

impl Desk {
    fn state_fact(&mut self, value: &str, source: FactSource) -> Result<FactOutcome, Refusal> {
        let fact = Fact { value: value.to_owned(), source, created: Timestamp(self.now + 1), ..fact("") };
        self.act(|draft| draft.state_fact(fact))
    }

    fn because(&self, id: &str) -> Option<WithdrawalReason> {
        self.known.facts[id].withdrawn.as_ref().map(|w| w.because)
    }
}

#[test]
fn of_facts_about_the_same_one_holds_and_a_person_s_yields_to_a_person() {
    use FactSource::{Agent, Human};
    let mut desk = desk(50);
    let first = desk.state_fact("make test", Agent).expect("is stated");
    assert_eq!(desk.state_fact("make test", Agent).expect("is known"), FactOutcome { verdict: Verdict::Observed, ..first.clone() });
    let second = desk.state_fact("cargo test", Human).expect("is stated");
    assert_eq!((&second.replaced, desk.because(&first.id)), (&vec![first.id.clone()], Some(WithdrawalReason::Replaced)));
    assert!(matches!(desk.state_fact("make check", Agent), Err(Refusal::Invalid { field: "value", .. })), "a person stated otherwise");
    assert_eq!(desk.state_fact("cargo test", Agent).expect("is known").verdict, Verdict::Observed);

    // What a person put away stays away, whatever its source does, and only a person restores it.
    desk.act(|draft| draft.withdraw(&second.id, WithdrawalReason::SourceGone, "x is gone")).expect("is withdrawn");
    desk.act(|draft| draft.withdraw(&second.id, WithdrawalReason::Person, "")).expect("a person's word");
    desk.act(|draft| draft.source_is_back(&second.id)).expect("changes nothing");
    assert_eq!(desk.because(&second.id), Some(WithdrawalReason::Person));
    assert_eq!(
        desk.state_fact("cargo test", Agent).expect("stays away"),
        FactOutcome { verdict: Verdict::PutAway, replaced: vec![], ..second.clone() }
    );
    let third = desk.state_fact("make check", Agent).expect("nobody says otherwise now");
    desk.act(|draft| draft.bring_memory_back(&second.id)).expect("comes back");
    assert_eq!((desk.because(&second.id), desk.because(&third.id)), (None, Some(WithdrawalReason::Replaced)));
}

#[test]
fn a_fact_returns_with_its_source_unless_another_holds_by_then() {
    let mut desk = desk(50);
    let first = desk.state_fact("make test", FactSource::Agent).expect("is stated").id;
    desk.act(|draft| draft.withdraw(&first, WithdrawalReason::SourceGone, "Makefile is gone")).expect("is withdrawn");
    desk.act(|draft| draft.source_is_back(&first)).expect("is back");
    assert_eq!(desk.because(&first), None);
    desk.act(|draft| draft.withdraw(&first, WithdrawalReason::SourceGone, "Makefile is gone")).expect("is withdrawn");
    desk.state_fact("cargo test", FactSource::Agent).expect("is stated");
    desk.act(|draft| draft.source_is_back(&first)).expect("changes nothing");
    assert_eq!(desk.because(&first), Some(WithdrawalReason::SourceGone));
}

#[test]
fn of_many_episodes_the_oldest_go() {
    let mut desk = desk(50);
    let many = u32::try_from(limits::EPISODES).expect("is small") + 2;
    for number in 1..=many {
        let episode = Episode {
            feature: Some("pay".to_owned()),
            task_id: Some(number),
            iteration: Some(number),
            replica: Some("A".to_owned()),
            created: Timestamp(i64::from(number)),
            ..crate::testing::episode(format!("'Part {number}' was done"))
        };
        desk.act(|draft| {
            draft.tell_episode(episode);
            Ok(())
        })
        .expect("is told");
    }
    let aged = desk.known.episodes.values().filter(|e| e.withdrawn.is_some());
    let aged: Vec<(Option<u32>, WithdrawalReason)> =
        aged.map(|e| (e.iteration, e.withdrawn.clone().expect("is withdrawn").because)).collect();
    assert_eq!(aged, [(Some(1), WithdrawalReason::Aged), (Some(2), WithdrawalReason::Aged)]);
    assert_eq!(desk.known.episodes_in("pay").count(), limits::EPISODES);
    // What a person restored stays, and the next oldest goes in its place.
    let first = desk.known.episodes.values().find(|e| e.iteration == Some(1)).map(|e| e.id.clone()).expect("is known");
    desk.act(|draft| draft.bring_memory_back(&first)).expect("comes back");
    let third = desk.known.episodes.values().find(|e| e.iteration == Some(3)).map(|e| e.id.clone()).expect("is known");
    let because = |desk: &Desk, id: &str| desk.known.episodes[id].withdrawn.as_ref().map(|w| w.because);
    assert_eq!((because(&desk, &first), because(&desk, &third)), (None, Some(WithdrawalReason::Aged)));
    desk.act(|draft| draft.withdraw(&first, WithdrawalReason::DeadEnd, "was reverted")).expect("changes nothing");
    assert_eq!(because(&desk, &first), None);
}

#[test]
fn what_was_found_of_two_stays_whatever_one_of_them_is_compared_with_later() {
    let mut desk = desk(50);
    let judged = |verdict| PairJudgement { verdict, cosine: 0.9, similarity: 0.9, hits: vec![] };
    let (old, other, new) =
        (desk.agent(TEXT).id, desk.agent("Sums are kept in cents").id, desk.agent("A refund has a clock of its own").id);
    let compare = |desk: &mut Desk, with: &LearningId| {
        let decided = Some((with.clone(), judged(PairVerdict::Conflict)));
        desk.act(|draft| draft.reconcile(&new, "m", decided)).expect("compares")
    };
    compare(&mut desk, &old);
    compare(&mut desk, &other);
    desk.act(|draft| draft.put_away(&new)).expect("retires");
    desk.act(|draft| draft.come_back(&new)).expect("restores");
    desk.act(|draft| draft.reconcile(&new, "m", None)).expect("compares");
    let again = desk.agent(TEXT);
    assert_eq!((again.verdict, again.conflicts_with), (Verdict::Conflict, vec![new.clone()]), "the opposite is not a confirmation");
    // Each act is named by what gave way in it.
    desk.act(|draft| draft.undo_reconciliation(&old)).expect("is undone");
    assert_eq!((desk.state(&old), desk.state(&other)), (LearningState::Active, LearningState::Superseded));
    desk.act(|draft| draft.undo_reconciliation(&new)).expect("is undone");
    assert_eq!(desk.state(&other), LearningState::Active);
    assert!(desk.act(|draft| draft.undo_reconciliation(&new)).is_err(), "once");
}

#[test]
fn what_a_person_brought_back_gives_way_to_no_comparison() {
    let mut desk = desk(50);
    let conflict = PairJudgement { verdict: PairVerdict::Conflict, cosine: 0.9, similarity: 0.9, hits: vec![] };
    let (old, new) = (desk.agent(TEXT).id, desk.agent("A refund has a clock of its own").id);
    desk.act(|draft| draft.put_away(&old)).expect("retires");
    desk.act(|draft| draft.come_back(&old)).expect("restores");
    desk.act(|draft| draft.reconcile(&old, "m", None)).expect("compares");
    let found = desk.act(|draft| draft.reconcile(&new, "m", Some((old.clone(), conflict)))).expect("compares");
    assert_eq!((found.for_review, desk.state(&old), desk.state(&new)), (true, LearningState::Active, LearningState::Active));
    desk.act(|draft| draft.resolve_conflict(&old, &new, ConflictChoice::KeepNewer)).expect("decides");
    assert_eq!(desk.state(&old), LearningState::Superseded);
}
