//! What an observation brings along, and what an edit leaves as it was.

use super::*;

fn with(text: &str, reason: Option<&str>, tags: &[&str]) -> Candidate {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    let learning = FeatureLearning { reason: reason.map(str::to_owned), tags, source: LearningSource::Human, ..learning("", text) };
    Candidate::new(learning, GateMark { passed: true, density: 1.0, refused: false })
}

fn say(desk: &mut Desk, candidate: &Candidate) -> DoorOutcome {
    let near: Vec<LearningId> = desk.known.learnings.keys().cloned().collect();
    desk.act(|draft| draft.remember(candidate, &near)).expect("is remembered")
}

#[test]
fn a_reason_and_tags_said_with_an_observation_fill_what_was_open_and_overwrite_nothing() {
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    let seen = say(&mut desk, &with(TEXT, Some("see PAY-77"), &["stripe"]));
    assert_eq!((seen.verdict, &seen.id), (Verdict::Observed, &id));
    say(&mut desk, &with(TEXT, Some("another one"), &["Stripe", "retry"]));
    let known = &desk.known.learnings[&id];
    assert_eq!((known.reason.as_deref(), known.tags.as_slice()), (Some("see PAY-77"), &["stripe".to_owned()][..]));
    let told = desk.lines.iter().rev().find_map(|line| match &line.event {
        Event::Observed { said, .. } => said.clone(),
        _ => None,
    });
    let told = told.expect("what was said stands in the journal");
    assert_eq!((told.reason.as_deref(), told.tags.as_slice()), (Some("another one"), &["retry".to_owned()][..]));
}

#[test]
fn other_words_for_a_known_lesson_stand_in_the_journal_and_equal_ones_do_not() {
    let mut desk = desk(50);
    desk.agent(TEXT);
    let other = "Refunds use a clock of the provider";
    for (text, expected) in [(TEXT, None), ("refunds use the clock of the provider.", None), (other, Some(other))] {
        assert_eq!(desk.agent(text).verdict, Verdict::Observed);
        let Some(Event::Observed { said, .. }) = desk.lines.last().map(|line| &line.event) else { panic!("an observation") };
        assert_eq!(said.as_ref().map(|said| said.text.as_str()), expected, "{text}");
    }
}

#[test]
fn an_edit_keeps_the_reason_unless_another_is_given_or_it_is_cleared() {
    for (given, expected) in [(None, Some("see PAY-77")), (Some("since 2019"), Some("since 2019")), (Some(""), None)] {
        let mut desk = desk(50);
        let id = say(&mut desk, &with(TEXT, Some("see PAY-77"), &[])).id;
        let new = desk.act(|draft| draft.edit(&id, "Refunds follow the clock that the provider keeps", given)).expect("edits");
        assert_eq!(desk.known.learnings[&new].reason.as_deref(), expected, "{given:?}");
    }
}

#[test]
fn what_returns_is_compared_again_unless_a_person_is_to_decide_on_it() {
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    desk.act(|draft| draft.reconcile(&id, "m", None)).expect("compares");
    desk.act(|draft| draft.put_away(&id)).expect("retires");
    desk.act(|draft| draft.come_back(&id)).expect("restores");
    assert_eq!((desk.known.reconciled.get(&id), desk.known.brought_back.contains(&id)), (None, true));
}

/// The newer of two is found by its vector to say the same as the older one.
fn observe(desk: &mut Desk, older: &LearningId, newer: &LearningId) {
    let judgement = PairJudgement { verdict: PairVerdict::Observed, cosine: 0.9, similarity: 0.95, hits: vec![] };
    desk.act(|draft| draft.reconcile(newer, "m", Some((older.clone(), judgement)))).expect("compares");
    assert_eq!(desk.state(newer), LearningState::Superseded);
}

#[test]
fn what_a_learning_gives_way_to_gets_the_reason_and_tags_that_it_lacks() {
    for iteration in [None, Some(4)] {
        let mut desk = desk(50);
        let older = desk.agent(TEXT).id;
        let mut newer = with("Money goes back in the time zone of whoever moves it", Some("see PAY-77"), &["stripe"]);
        let (source, created) = (LearningSource::Agent, Timestamp(desk.now + 1));
        newer.learning = FeatureLearning { iteration, replica: iteration.map(|_| "A".into()), source, created, ..newer.learning };
        let newer = say(&mut desk, &newer).id;
        observe(&mut desk, &older, &newer);
        let known = &desk.known.learnings[&older];
        assert_eq!((known.reason.as_deref(), known.tags.as_slice()), (Some("see PAY-77"), &["stripe".to_owned()][..]));
        assert_eq!(known.hit_count, 1 + u32::from(iteration.is_some()), "what no iteration saw is not counted");
    }
}

#[test]
fn a_reason_and_tags_that_a_comparison_filled_in_go_with_its_undo_and_others_stay() {
    for known in [(None, &[][..]), (Some("its own"), &["refund"][..])] {
        let mut desk = desk(50);
        let of = |candidate: Candidate| Candidate {
            learning: FeatureLearning { source: LearningSource::Agent, ..candidate.learning.clone() },
            ..candidate
        };
        let kept = say(&mut desk, &of(with(TEXT, known.0, known.1))).id;
        let gone = say(&mut desk, &of(with("Sums are kept in cents", Some("see PAY-77"), &["stripe"]))).id;
        let same = PairJudgement { verdict: PairVerdict::Observed, cosine: 0.95, similarity: 0.95, hits: vec![] };
        desk.act(|draft| draft.reconcile(&gone, "m", Some((kept.clone(), same)))).expect("compares");
        assert_eq!(desk.known.learnings[&kept].reason.as_deref(), known.0.or(Some("see PAY-77")));
        desk.act(|draft| draft.undo_reconciliation(&gone)).expect("is undone");
        let now = &desk.known.learnings[&kept];
        assert_eq!((now.reason.as_deref(), now.tags.iter().map(String::as_str).collect::<Vec<_>>().as_slice()), known);
    }
}
