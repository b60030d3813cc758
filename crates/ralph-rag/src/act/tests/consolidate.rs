//! Test cases of consolidation.

use super::*;
use ralph_core::consolidation::KnowledgePlace;
use std::collections::BTreeMap;

fn landed(ids: &[&LearningId]) -> [Consolidating; 1] {
    let place = KnowledgePlace { file: "docs/knowledge/refunds.md".into(), heading: "Refunds › Clocks".into() };
    let entries = ids.iter().map(|id| ((*id).clone(), place.clone())).collect();
    [Consolidating { feature: Some("pay".into()), source: "pay".into(), entries }]
}

#[test]
fn what_went_into_a_document_leaves_the_active_ones_and_makes_room() {
    let mut desk = desk(2);
    let first = desk.say("Sums are kept in cents", LearningSource::Human, None).id;
    let second = desk.say("The linter wants sorted imports", LearningSource::Human, None).id;
    let parked = desk.say(TEXT, LearningSource::Human, None).id;
    desk.act(|draft| draft.consolidate(&landed(&[&first]))).expect("is told");
    assert_eq!(
        [&first, &second, &parked].map(|id| desk.state(id)),
        [LearningState::Consolidated, LearningState::Active, LearningState::Active]
    );
    let place = desk.known.learnings[&first].consolidated_into.clone().expect("a place");
    assert_eq!((place.file.as_str(), place.heading.as_str()), ("docs/knowledge/refunds.md", "Refunds › Clocks"));
    // Repeating it is an observation of the document and takes no room.
    let again = desk.say("Sums are kept in cents", LearningSource::Agent, Some(7));
    assert_eq!((again.verdict, again.id, desk.state(&first)), (Verdict::Observed, first, LearningState::Consolidated));
}

#[test]
fn what_a_rule_took_out_while_the_documents_waited_for_their_merge_is_consolidated_with_the_rest() {
    let mut desk = desk(2);
    let [pruned, active] = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    desk.act(|draft| draft.review(&active)).expect("reviews");
    desk.say(TEXT, LearningSource::Human, None);
    let parked = desk.say("Mails go through the outbox", LearningSource::Human, None).id;
    let ids = [&pruned, &active, &parked];
    assert_eq!(ids.map(|id| desk.state(id)), [LearningState::Pruned, LearningState::Active, LearningState::Parked]);
    let act = desk.act(|draft| draft.consolidate(&landed(&ids))).expect("is told");
    assert_eq!(ids.map(|id| desk.state(id)), [LearningState::Consolidated; 3], "none returns into the room that they leave");
    let again = desk.say("Sums are kept in cents", LearningSource::Agent, Some(7));
    assert_eq!((again.verdict, &again.id, desk.state(&pruned)), (Verdict::Observed, &pruned, LearningState::Consolidated));
    let back = desk.act(|draft| draft.undo_consolidation(&act, &BTreeMap::new())).expect("comes back");
    assert_eq!(back.len(), 3, "as a whole");
    assert_eq!(ids.map(|id| desk.state(id)), [LearningState::Parked, LearningState::Active, LearningState::Parked]);
}

#[test]
fn the_words_of_a_document_are_known_as_those_of_its_learning() {
    let mut desk = desk(3);
    let first = desk.agent("Sums are kept in cents").id;
    desk.act(|draft| draft.consolidate(&landed(&[&first]))).expect("is told");
    let document = "Whoever adds up money counts `Cents`";
    assert!(is_news(document, &[desk.known.learnings[&first].clone()], &desk.documents));
    desk.documents.said.insert(first.clone(), document.to_owned());
    assert!(!is_news(document, &[desk.known.learnings[&first].clone()], &desk.documents));
    let again = desk.agent(document);
    assert_eq!((again.verdict, &again.id, desk.state(&first)), (Verdict::Observed, &first, LearningState::Consolidated));
    assert_eq!(desk.agent("Sums are kept in cents").id, first);
    // What says the opposite waits for a person, as long as a document says it.
    let against = desk.agent("Whoever adds up money never counts `Cents`");
    assert_eq!((against.verdict, &against.conflicts_with), (Verdict::Conflict, &vec![first.clone()]));
    desk.act(|draft| draft.resolve_conflict(&first, &against.id, ConflictChoice::KeepNewer)).expect("decides");
    assert_eq!([&first, &against.id].map(|id| desk.state(id)), [LearningState::Superseded, LearningState::Active]);
}

#[test]
fn what_stands_in_no_document_any_more_returns_when_it_is_said_again() {
    let mut desk = desk(1);
    let first = desk.agent("Sums are kept in cents").id;
    desk.act(|draft| draft.consolidate(&landed(&[&first]))).expect("is told");
    desk.documents.learnings.insert(first.clone());
    let again = desk.say("Sums are kept in cents", LearningSource::Agent, Some(7));
    assert_eq!((again.verdict, &again.id, desk.state(&first)), (Verdict::Observed, &first, LearningState::Active));
    assert!(desk.known.learnings[&first].consolidated_into.is_none());
    // Without room it waits.
    desk.act(|draft| draft.consolidate(&landed(&[&first]))).expect("is told");
    desk.say(TEXT, LearningSource::Human, None);
    let again = desk.agent("Sums are kept in cents");
    assert_eq!((again.verdict, again.id, desk.state(&first)), (Verdict::Parked, first.clone(), LearningState::Parked));
}

#[test]
fn a_consolidation_comes_back_as_a_whole_as_far_as_there_is_room() {
    let mut desk = desk(3);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports", "Retries wait for the queue"].map(|text| desk.agent(text).id);
    desk.act(|draft| draft.review(&ids[2])).expect("reviews");
    let act = desk.act(|draft| draft.consolidate(&landed(&[&ids[0], &ids[1], &ids[2]]))).expect("is told");
    assert_eq!(desk.known.of_feature("pay", LearningState::Active).count(), 0);
    let newcomer = desk.say(TEXT, LearningSource::Human, None).id;
    desk.act(|draft| draft.put_away(&ids[1])).expect("retires");
    let back = desk.act(|draft| draft.undo_consolidation(&act, &BTreeMap::new())).expect("comes back");
    assert_eq!(back, [ids[2].clone(), ids[0].clone()], "what somebody put away since stays away");
    assert_eq!(ids.each_ref().map(|id| desk.state(id)), [LearningState::Active, LearningState::Retired, LearningState::Active]);
    assert_eq!(desk.state(&newcomer), LearningState::Active);
    assert!(desk.known.learnings[&ids[0]].consolidated_into.is_none());
    assert!(desk.known.consolidations.values().all(|of| of.undone.is_some()));
    assert!(desk.act(|draft| draft.undo_consolidation(&act, &BTreeMap::new())).is_err(), "once is enough");
    assert!(desk.act(|draft| draft.undo_consolidation("nobody", &BTreeMap::new())).is_err());
    assert!(desk.act(|draft| draft.consolidate(&landed(&[]))).is_err());
}

#[test]
fn without_room_what_comes_back_waits() {
    let mut desk = desk(2);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    let act = desk.act(|draft| draft.consolidate(&landed(&[&ids[0], &ids[1]]))).expect("is told");
    desk.say(TEXT, LearningSource::Human, None);
    desk.act(|draft| draft.undo_consolidation(&act, &BTreeMap::new())).expect("comes back");
    assert_eq!(ids.each_ref().map(|id| desk.state(id)), [LearningState::Active, LearningState::Parked]);
}

#[test]
fn what_another_document_holds_stays_there_when_a_consolidation_comes_back() {
    let mut desk = desk(3);
    let ids = ["Sums are kept in cents", "The linter wants sorted imports"].map(|text| desk.agent(text).id);
    let act = desk.act(|draft| draft.consolidate(&landed(&[&ids[0], &ids[1]]))).expect("is told");
    let other = KnowledgePlace { file: "docs/knowledge/money.md".into(), heading: "Money".into() };
    let elsewhere = BTreeMap::from([(ids[0].clone(), other.clone())]);
    let back = desk.act(|draft| draft.undo_consolidation(&act, &elsewhere)).expect("comes back");
    assert_eq!(back, [ids[1].clone()]);
    assert_eq!(ids.each_ref().map(|id| desk.state(id)), [LearningState::Consolidated, LearningState::Active]);
    assert_eq!(desk.known.learnings[&ids[0]].consolidated_into, Some(other));
}
