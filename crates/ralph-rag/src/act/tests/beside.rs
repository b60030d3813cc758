//! Test cases of learnings that join, or return to, others that say the same or the opposite.

use super::*;
use crate::act::undoable_audit;
use ralph_core::audit::AuditClass;
use ralph_core::consolidation::KnowledgePlace;
use std::collections::BTreeMap;

impl Desk {
    /// A learning of task 1, by an agent in an iteration.
    fn of_task(&mut self, text: &str, iteration: u32) -> LearningId {
        let (task_id, iteration, replica) = (Some(1), Some(iteration), Some("A".to_owned()));
        let learning = FeatureLearning { task_id, iteration, replica, created: Timestamp(self.now + 1), ..learning("", text) };
        let candidate = Candidate::new(learning, GateMark { passed: true, density: 1.0, refused: false });
        self.act(|draft| draft.remember(&candidate, &[])).expect("is remembered").id
    }

    fn conflicts(&self) -> Vec<(LearningId, LearningId)> {
        self.known.open_conflicts.iter().cloned().collect()
    }
}

#[test]
fn several_are_not_merged_to_what_another_says_already() {
    let mut desk = desk(50);
    let known = desk.agent(TEXT).id;
    let ids = ["A refund has a clock of its own", "Sums are kept in cents"].map(|text| desk.agent(text).id);
    assert!(matches!(desk.act(|draft| draft.merge(&ids, TEXT, None)), Err(Refusal::Invalid { field: "id", .. })), "it is known");
    let made = desk.act(|draft| draft.merge(&ids, "Refunds never use the clock of the provider", None)).expect("merges");
    assert_eq!(desk.conflicts(), [(known.clone(), made.clone())], "a person is asked");
    // What it replaces does not count as another.
    desk.act(|draft| draft.merge(&[known, made], TEXT, None)).expect("merges");
}

#[test]
fn what_comes_with_its_task_is_counted_for_what_says_the_same_there() {
    let mut desk = desk(50);
    let known = desk.say_in("shop", TEXT, LearningSource::Agent, Some(1)).id;
    let [same, other] = [TEXT, "Sums are kept in cents"].map(|text| desk.of_task(text, 2));
    desk.act(|draft| draft.move_with_task(1, "pay", "shop")).expect("moves");
    assert_eq!([&known, &same, &other].map(|id| desk.state(id)), [LearningState::Active, LearningState::Superseded, LearningState::Active]);
    assert_eq!((desk.hits(&known), desk.known.learnings[&same].superseded_by.as_ref()), (2, Some(&known)));
    desk.act(|draft| draft.undo_reconciliation(&same)).expect("is undone");
    assert_eq!((desk.state(&same), desk.hits(&known)), (LearningState::Active, 1));
    // Kept apart, they stay so, wherever they move.
    desk.act(|draft| draft.move_with_task(1, "shop", "pay")).expect("moves");
    desk.act(|draft| draft.move_with_task(1, "pay", "shop")).expect("moves");
    assert_eq!((desk.state(&same), desk.conflicts()), (LearningState::Active, vec![]));
}

#[test]
fn what_comes_with_its_task_takes_the_place_of_what_is_not_protected_there_or_a_person_decides() {
    for (reviews_known, states) in
        [(false, [LearningState::Superseded, LearningState::Active]), (true, [LearningState::Active, LearningState::Active])]
    {
        let mut desk = desk(50);
        let known = desk.say_in("shop", TEXT, LearningSource::Agent, Some(1)).id;
        let same = desk.of_task(TEXT, 2);
        for id in [Some(&same), Some(&known).filter(|_| reviews_known)].into_iter().flatten() {
            desk.act(|draft| draft.review(id)).expect("is reviewed");
        }
        desk.act(|draft| draft.move_with_task(1, "pay", "shop")).expect("moves");
        assert_eq!([&known, &same].map(|id| desk.state(id)), states);
        assert_eq!(desk.conflicts().len(), usize::from(reviews_known));
        assert_eq!(desk.hits(&same), if reviews_known { 1 } else { 2 });
    }
}

#[test]
fn a_person_decides_between_what_comes_with_its_task_and_its_opposite_there() {
    let mut desk = desk(50);
    let known = desk.say_in("shop", "Never mock the clock in tests", LearningSource::Agent, Some(1)).id;
    let opposite = desk.of_task("Mock the clock in tests", 2);
    desk.act(|draft| draft.move_with_task(1, "pay", "shop")).expect("moves");
    assert_eq!(desk.conflicts(), [(known, opposite)]);
}

#[test]
fn what_a_class_contradicted_returns_when_it_is_put_away_and_goes_when_that_is_undone() {
    let mut desk = desk(50);
    let conflict = PairJudgement { verdict: PairVerdict::Conflict, cosine: 0.9, similarity: 0.9, hits: vec![] };
    let (old, new) = (desk.agent(TEXT).id, desk.agent("A refund has a clock of its own").id);
    desk.act(|draft| draft.reconcile(&new, "m", Some((old.clone(), conflict)))).expect("compares");
    let junk = [(new.clone(), "no session needs it".to_owned())];
    desk.act(|draft| draft.put_away_class(AuditClass::Boilerplate, &junk)).expect("is put away");
    assert_eq!([&old, &new].map(|id| desk.state(id)), [LearningState::Active, LearningState::Retired]);
    let audit = undoable_audit(desk.lines.clone(), None).expect("can be undone");
    desk.act(|draft| draft.undo_audit(&audit)).expect("is undone");
    assert_eq!([&old, &new].map(|id| desk.state(id)), [LearningState::Superseded, LearningState::Active]);
}

#[test]
fn what_was_put_away_goes_with_its_task_and_stays_away_there() {
    use LearningState::{Active, Consolidated, Pruned, Retired, Superseded};
    let mut desk = desk(5);
    let texts =
        [TEXT, "Sums are kept in cents", "The linter wants sorted imports", "Mails go through the outbox", "Ports come from the pool"];
    let [retired, reworded, consolidated, pruned, live] = texts.map(|text| desk.of_task(text, 1));
    desk.act(|draft| draft.put_away(&retired)).expect("is put away");
    let words = desk.act(|draft| draft.edit(&reworded, "Amounts are integers, in cents", None)).expect("is reworded");
    let place = KnowledgePlace { file: "docs/knowledge/imports.md".into(), heading: "Imports".into() };
    let landed = Consolidating { feature: Some("pay".into()), source: "pay".into(), entries: vec![(consolidated.clone(), place)] };
    let act = desk.act(|draft| draft.consolidate(&[landed])).expect("is told");
    for text in ["Queues drain before a restart", "Logs rotate at midnight", "Keys live in the vault"] {
        desk.say(text, LearningSource::Human, None);
    }
    let ids = [&retired, &reworded, &consolidated, &pruned, &live, &words];
    let states = [Retired, Superseded, Consolidated, Pruned, Active, Active];
    assert_eq!(ids.map(|id| desk.state(id)), states);
    desk.act(|draft| draft.move_with_task(1, "pay", "shop")).expect("moves");
    assert_eq!(ids.map(|id| (desk.state(id), desk.known.learnings[id].feature.as_str())), states.map(|state| (state, "shop")));
    let again = texts.map(|text| {
        let said = desk.say_in("shop", text, LearningSource::Agent, Some(9));
        (said.verdict, said.id)
    });
    let seen = [&words, &consolidated, &pruned, &live].map(|id| (Verdict::Observed, id.clone()));
    assert_eq!(again[0], (Verdict::PutAway, retired.clone()));
    assert_eq!(again[1..], seen);
    assert_eq!((desk.state(&pruned), desk.hits(&pruned)), (Active, 2), "it returns with its evidence");
    // What comes back returns to where its task is.
    desk.act(|draft| draft.undo_consolidation(&act, &BTreeMap::new())).expect("comes back");
    assert_eq!((desk.state(&consolidated), desk.known.learnings[&consolidated].feature.as_str()), (Active, "shop"));
}

#[test]
fn in_a_full_feature_what_a_newcomer_contradicts_gives_way_and_nothing_else() {
    let (text, opposite) = ("Mock the clock in tests", "Never mock the clock in tests");
    for contradicted_is_oldest in [true, false] {
        let mut desk = desk(3);
        let first = contradicted_is_oldest.then(|| desk.agent(text).id);
        let others = ["Sums are kept in cents", "The linter wants sorted imports"].map(|other| desk.agent(other).id);
        let contradicted = first.unwrap_or_else(|| desk.agent(text).id);
        let said = desk.say(opposite, LearningSource::Agent, Some(9));
        assert_eq!((said.verdict, &said.pruned, &said.conflicts_with), (Verdict::Conflict, &vec![], &vec![contradicted.clone()]));
        assert_eq!(
            (desk.state(&contradicted), desk.known.learnings[&contradicted].superseded_by.as_ref()),
            (LearningState::Superseded, Some(&said.id))
        );
        assert_eq!(others.each_ref().map(|id| desk.state(id)), [LearningState::Active; 2]);
        assert_eq!(desk.conflicts(), []);
        // Repeating it is not an observation of itself, nor of its opposite.
        let again = desk.say(text, LearningSource::Agent, Some(10));
        assert_eq!((again.verdict, again.conflicts_with), (Verdict::Conflict, vec![said.id.clone()]));
        desk.act(|draft| draft.undo_reconciliation(&said.id)).expect("is undone");
        assert_eq!(desk.state(&said.id), LearningState::Active);
    }
}

#[test]
fn what_a_person_has_to_decide_on_is_not_pruned_for_its_opposite() {
    let mut desk = desk(2);
    let returned = desk.agent("Mock the clock in tests").id;
    desk.act(|draft| draft.put_away(&returned)).expect("is put away");
    desk.act(|draft| draft.come_back(&returned)).expect("is brought back, which no comparison overrules");
    let other = desk.agent("Sums are kept in cents").id;
    let said = desk.agent("Never mock the clock in tests");
    assert_eq!((said.verdict, &said.pruned), (Verdict::Conflict, &vec![other]));
    assert_eq!(desk.conflicts(), [(returned.clone(), said.id)]);
    assert_eq!(desk.state(&returned), LearningState::Active);
}

#[test]
fn an_episode_goes_with_its_task_and_leaves_the_other_clone_s_where_it_is() {
    let mut desk = desk(50);
    let mut told = |feature: &str, task: u32, replica: &str| {
        let (feature, replica) = (Some(feature.to_owned()), Some(replica.to_owned()));
        let episode = Episode { feature, task_id: Some(task), iteration: Some(1), replica, ..crate::testing::episode("") };
        desk.act(|draft| Ok(draft.tell_episode(episode))).expect("is told")
    };
    let [own, withdrawn] = [told("pay", 1, "A"), told("pay", 1, "A")];
    let others = [told("pay", 2, "A"), told("pay", 1, "B")];
    desk.act(|draft| draft.withdraw(&withdrawn, WithdrawalReason::Person, "")).expect("is put away");
    desk.act(|draft| draft.move_with_task(1, "Pay", "shop")).expect("moves");
    let home = |id: &str| desk.known.episodes[id].feature.as_deref();
    assert_eq!([home(&own), home(&withdrawn)], [Some("shop"); 2]);
    assert_eq!(others.each_ref().map(|id| home(id)), [Some("pay"); 2]);
    assert!(!desk.known.is_told(&withdrawn));
}
