//! Length: one world with all possible events.
//!
//! A simulation of knowledge: two clones, acts of every kind, kills, files reset to older states, journals merged in either order.
//!
//! After each act: no cap is exceeded, nothing protected was pruned, at most one split task is active. Periodically: the rows match
//! the lines, and every text that was ever acknowledged exists in some state. After each exchange both clones know the same.

use super::{AskedBefore, Candidate, Consolidating, Draft, IterationEnd, JournalLine, Occasion, Refusal, SplitNeed, Word};
use super::{saturation_in, split_need, undoable, undoable_audit};
use crate::feedback::rollback::RollbackScope;
use crate::journal::{Event, GateMark, Knowledge, Line, PROJECT_JOURNAL, last_decision, parse, replay};
use crate::keys;
use crate::testing::learning;
use ralph_core::audit::AuditClass;
use ralph_core::consolidation::{KnowledgePlace, LostWords};
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::feedback::SelectionSource;
use ralph_core::learning::{ConflictChoice, FeatureLearning, LearningSource, LearningState, Verdict};
use ralph_core::memory::{Episode, Fact, FactSource, WithdrawalReason};
use ralph_core::quality::{PairJudgement, PairVerdict, Reconciliation};
use ralph_core::replica::{IterationRef, Own};
use ralph_core::run::Outcome;
use ralph_core::stats::SplitMix64;
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, MemoryId, TaskId, limits};
use std::collections::{BTreeMap, BTreeSet};

/// Worlds of an ordinary test; `RALPH_SOAK_WORLDS` plays more of them.
const WORLDS: u64 = 60;
const ACTS: u32 = 250;
const CAP: u32 = 8;
const STAGED: usize = 24;
const FEATURES: [&str; 4] = ["pay", "shop", "mail", "import"];
const SUBJECTS: [&str; 6] = ["the cache", "the queue", "the parser", "`config.ts`", "src/db/pool.rs", "the login form"];
const CLAIMS: [&str; 6] = [
    "must be closed before the suite runs",
    "must never be shared between the workers",
    "must be shared between the workers",
    "retries 3 times with backoff",
    "breaks when the locale is missing",
    "needs a lock of its own on Windows",
];

/// A feature's split in one clone, which has its own tasks.
#[derive(Default)]
struct Split {
    active: bool,
    skipped: bool,
}

/// One clone: its rows, the lines it knows, and the content of its files.
struct Replica {
    own: Own,
    known: Knowledge,
    events: BTreeMap<String, JournalLine>,
    files: BTreeSet<String>,
    splits: BTreeMap<String, Split>,
    tasks: BTreeMap<TaskId, String>,
    iteration: u32,
}

struct World {
    chance: SplitMix64,
    clones: Vec<Replica>,
    now: i64,
    acknowledged: BTreeSet<LearningId>,
    stated: BTreeSet<MemoryId>,
    seen: BTreeSet<&'static str>,
    verdicts: BTreeSet<Verdict>,
    keys: BTreeMap<LearningId, Vec<i64>>,
    refusals: u32,
}

impl World {
    fn new(seed: u64) -> World {
        let clone = |name: &str| Replica {
            own: Own { replica: name.to_owned(), adopts_unknown: false },
            known: Knowledge::default(),
            events: BTreeMap::new(),
            files: BTreeSet::new(),
            splits: BTreeMap::new(),
            tasks: BTreeMap::new(),
            iteration: 0,
        };
        let mut world = World {
            chance: SplitMix64(seed),
            clones: vec![clone("A"), clone("B")],
            now: 1_000,
            acknowledged: BTreeSet::new(),
            stated: BTreeSet::new(),
            seen: BTreeSet::new(),
            verdicts: BTreeSet::new(),
            keys: BTreeMap::new(),
            refusals: 0,
        };
        for name in FEATURES {
            let feature = Feature { max_learnings: Some(CAP), ..Feature::new(name, Timestamp(world.now)) };
            world.act(0, |draft| {
                draft.set_feature(&feature);
                Ok(())
            });
        }
        world.exchange();
        world
    }

    /// One act in one clone, from the decision to the checks; `None` if it was refused.
    fn act<T>(&mut self, clone: usize, decide: impl FnOnce(&mut Draft<'_>) -> Result<T, Refusal>) -> Option<T> {
        self.now += 1;
        let replica = &mut self.clones[clone];
        // The second clone's clock is behind; ids still exceed all known ones.
        let last = replica.known.last_event.as_ref().and_then(|id| id.get(..8)?.parse::<i64>().ok()).unwrap_or(0);
        let (now, mut count) = ((self.now - 40 * clone as i64).max(last + 1), 0);
        let name = replica.own.replica.clone();
        let mut next_id = || {
            count += 1;
            format!("{:0<26}", format!("{now:08}{name}{count:04}"))
        };
        let (own, documents) = (replica.own.clone(), LostWords::default());
        let occasion =
            Occasion { now: Timestamp(now), offset: Some(60), own: &own, default_cap: CAP, documents: &documents, next_id: &mut next_id };
        let before = std::mem::take(&mut replica.known);
        let mut draft = Draft::new(before.clone(), occasion);
        let Ok(value) = decide(&mut draft) else {
            replica.known = before;
            self.refusals += 1;
            return None;
        };
        let (known, told) = draft.finish();
        replica.known = known;
        self.check_told(clone, &before, &told);
        // The process may be killed between the commit and the journal write; the next writer finds the lines.
        let killed = self.chance.index(20) == 0;
        let replica = &mut self.clones[clone];
        if !told.is_empty() && !killed {
            replica.files = replica.events.keys().cloned().collect();
        }
        Some(value)
    }

    fn check_told(&mut self, clone: usize, before: &Knowledge, told: &[JournalLine]) {
        let replica = &mut self.clones[clone];
        let mut touched = BTreeSet::new();
        let act = told.first().map(|first| first.line.id.clone());
        // A learning that lost evidence in the same act may have lost its protection with it.
        let mut weaker = BTreeSet::new();
        for told in told {
            self.seen.insert(told.line.event.name());
            touched.insert(told.feature.clone());
            if let Event::Withdrawn { learning, .. } | Event::Unreviewed { learning, .. } = &told.line.event {
                weaker.insert(learning.clone());
            }
            assert_eq!(told.line.act, act, "what belongs together shares an act");
            if let Event::Pruned { learning, for_learning } = &told.line.event
                && learning != for_learning
            {
                let may_go = before.learnings[learning].is_auto_prunable() || weaker.contains(learning);
                assert!(may_go, "protected, and pruned: {learning}");
            }
            assert!(replica.events.insert(told.line.id.clone(), told.clone()).is_none(), "ids are unique");
        }
        for name in touched {
            let Some(feature) = replica.known.feature(&name).cloned() else { continue };
            let saturation = saturation_in(&replica.known, &feature, feature.max_learnings.unwrap_or(CAP));
            if feature.state == FeatureState::Active {
                assert!(saturation.learnings_count <= saturation.max_learnings, "the cap of {name}: {saturation:?}");
                let protected = |l: &&FeatureLearning| !l.is_auto_prunable();
                assert_eq!(replica.known.of_feature(&name, LearningState::Pruned).find(protected), None, "protected, and pruned");
                check_replaced(&replica.known, &name);
            }
            let split = replica.splits.entry(name).or_default();
            match split_need(feature.state, &saturation, split.active, split.skipped) {
                SplitNeed::Task => {
                    assert!(!split.active && !split.skipped, "one split task at most");
                    split.active = true;
                }
                SplitNeed::ForgetSkipped => split.skipped = false,
                SplitNeed::Done => split.active = false,
                // It stays where a child was made meanwhile.
                SplitNeed::Over | SplitNeed::Nothing => {}
            }
        }
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { Some(&of[self.chance.index(of.len())]) }
    }

    /// A learning of a clone in one of the states, or of any.
    fn any_learning(&mut self, clone: usize, states: &[LearningState]) -> Option<FeatureLearning> {
        let all: Vec<FeatureLearning> =
            self.clones[clone].known.learnings.values().filter(|l| states.is_empty() || states.contains(&l.state)).cloned().collect();
        self.one_of(&all).cloned()
    }

    fn text(&mut self) -> String {
        let (subject, claim) = (*self.one_of(&SUBJECTS).expect("some"), *self.one_of(&CLAIMS).expect("some"));
        match self.chance.index(3) {
            0 => format!("{subject} {claim}"),
            _ => format!("Of module{}: {subject} {claim}", self.chance.index(60)),
        }
    }

    fn remember(&mut self, clone: usize) {
        let (mut text, mut feature) = (self.text(), (*self.one_of(&FEATURES).expect("some")).to_owned());
        // Put-away lessons are repeated occasionally.
        if self.chance.index(10) == 0
            && let Some(away) = self.any_learning(clone, &[LearningState::Retired]).filter(|l| !l.text.is_empty())
        {
            (text, feature) = (away.text, away.feature);
        }
        let source = [LearningSource::Agent, LearningSource::Auto, LearningSource::Human][self.chance.index(5).saturating_sub(2)];
        let replica = &mut self.clones[clone];
        let task = u32::try_from(self.chance.index(4)).unwrap_or(0) + 1;
        replica.tasks.entry(task).or_insert_with(|| feature.clone());
        replica.iteration += u32::try_from(self.chance.index(2)).unwrap_or(0);
        let iteration = (self.chance.index(4) > 0).then_some(replica.iteration);
        let passed = self.chance.index(6) > 0;
        let gate = GateMark { passed, density: 0.5, refused: !passed && source != LearningSource::Human && self.chance.index(2) == 0 };
        let learning = FeatureLearning {
            feature: feature.clone(),
            source,
            task_id: Some(task),
            iteration,
            replica: Some(replica.own.replica.clone()),
            // Some are old enough to learn terms.
            created: Timestamp(self.now + 1 - if self.chance.index(2) == 0 { limits::TERM_LEARNING_AGE_MILLIS as i64 } else { 0 }),
            ..learning("", &text)
        };
        let candidate = Candidate::new(learning, gate);
        let wanted = keys::wanted(&text);
        let known = &self.clones[clone].known;
        let near: Vec<LearningId> = known.learnings.values().filter(|l| l.feature == feature).map(|l| l.id.clone()).collect();
        let texts: Vec<(LearningId, String)> = near.iter().map(|id| (id.clone(), known.learnings[id].text.clone())).collect();
        let near: Vec<LearningId> = texts
            .into_iter()
            .filter(|(id, text)| wanted.is_met_by(self.keys.entry(id.clone()).or_insert_with(|| keys::of(text))))
            .map(|(id, _)| id)
            .collect();
        let homeless = self.chance.index(40) == 0;
        let done =
            self.act(clone, |draft| if homeless { draft.keep_homeless(&candidate, &near) } else { draft.remember(&candidate, &near) });
        if let Some(done) = done {
            self.verdicts.insert(done.verdict);
            self.acknowledged.insert(done.id);
        }
    }

    /// A person's acts on learnings.
    fn person(&mut self, clone: usize) {
        use LearningState::{Active, Parked, Pruned, Retired, Superseded};
        let Some(one) = self.any_learning(clone, &[]) else { return };
        let id = one.id;
        match self.chance.index(10) {
            0 => drop(self.act(clone, |draft| draft.review(&id))),
            1 => drop(self.act(clone, |draft| draft.put_away(&id))),
            2 => {
                let Some(back) = self.any_learning(clone, &[Parked, Pruned, Retired, Superseded]) else { return };
                self.act(clone, |draft| draft.come_back(&back.id));
            }
            3 => {
                let kept = self.chance.index(2) == 0;
                let flagged: Vec<LearningId> = self.clones[clone].known.gates.keys().cloned().collect();
                let again: Vec<LearningId> =
                    self.clones[clone].known.put_away.iter().filter(|(_, p)| p.asks_again()).map(|(id, _)| id.clone()).collect();
                let of = if again.is_empty() || self.chance.index(2) == 0 { flagged } else { again };
                let Some(id) = self.one_of(&of).cloned() else { return };
                self.act(clone, |draft| draft.judge_warning(&id, kept));
            }
            4 => {
                let text = self.text();
                let made = self.act(clone, |draft| draft.edit(&id, &text, None));
                self.acknowledged.extend(made);
            }
            5 => {
                let Some(first) = self.any_learning(clone, &[Active]) else { return };
                let others: Vec<LearningId> = self.clones[clone].known.of_feature(&first.feature, Active).map(|l| l.id.clone()).collect();
                let ids: Vec<LearningId> = others.into_iter().take(2 + self.chance.index(2)).collect();
                let text = self.text();
                let made = self.act(clone, |draft| draft.merge(&ids, &text, None));
                self.acknowledged.extend(made);
            }
            6 => {
                let to = (*self.one_of(&FEATURES).expect("some")).to_owned();
                self.act(clone, |draft| draft.move_learning(&id, &to));
            }
            7 if self.chance.index(4) == 0 => {
                let known = &self.clones[clone].known;
                let learnings = known.learnings.values().filter(|l| l.state == Active).map(|l| &l.id).take(2);
                let memories = known.facts.keys().chain(known.episodes.keys()).filter(|id| known.is_told(id)).take(2);
                let junk: Vec<(String, String)> = learnings.chain(memories).map(|id| (id.clone(), "said twice".to_owned())).collect();
                self.act(clone, |draft| draft.put_away_class(AuditClass::Duplicate, &junk));
                if self.chance.index(2) == 0
                    && let Some(audit) = undoable_audit(self.lines(clone), None)
                {
                    self.act(clone, |draft| draft.undo_audit(&audit));
                }
            }
            _ if self.chance.index(3) > 0 => {}
            _ => {
                let undoable = undoable(self.lines(clone), &id);
                self.act(clone, |draft| draft.undo(&id, undoable));
            }
        }
    }

    fn lines(&self, clone: usize) -> Vec<Line> {
        self.clones[clone].events.values().map(|told| told.line.clone()).collect()
    }

    /// Conflicts, comparisons by vectors, and their undo.
    fn pairs(&mut self, clone: usize) {
        let open: Vec<(LearningId, LearningId)> = self.clones[clone].known.open_conflicts.iter().cloned().collect();
        match self.chance.index(5) {
            0 | 1 => {
                let Some((older, newer)) = self.one_of(&open).cloned() else { return };
                let choice = *self.one_of(ConflictChoice::ALL).expect("some");
                self.act(clone, |draft| draft.resolve_conflict(&older, &newer, choice));
            }
            2 if self.chance.index(3) > 0 => {}
            2 => {
                let decided = last_decision(self.lines(clone), |event| matches!(event, Event::ConflictResolved { by: Some(_), .. }));
                if let Some(Event::ConflictResolved { older, newer, .. }) = decided.as_ref().map(|d| d.event.clone()) {
                    self.act(clone, |draft| draft.reopen_conflict(&older, &newer, decided.as_ref()));
                }
                let of_warning =
                    |event: &Event| matches!(event, Event::GateDecided { .. } | Event::KeptAway { .. } | Event::WarningReopened { .. });
                let decided = last_decision(self.lines(clone), of_warning);
                if let Some(Event::GateDecided { learning, .. } | Event::KeptAway { learning }) = decided.as_ref().map(|d| d.event.clone())
                {
                    self.act(clone, |draft| draft.reopen_warning(&learning, decided.as_ref()));
                }
            }
            3 => {
                let Some(newer) = self.any_learning(clone, &[LearningState::Active]) else { return };
                let active: Vec<LearningId> =
                    self.clones[clone].known.of_feature(&newer.feature, LearningState::Active).map(|l| l.id.clone()).collect();
                let older = self.one_of(&active).cloned().filter(|older| *older != newer.id);
                let verdict = *self.one_of(PairVerdict::ALL).expect("some");
                let judgement = PairJudgement { verdict, cosine: 0.9, similarity: 0.9, hits: vec![] };
                let decided = older.map(|older| (older, judgement));
                self.act(clone, |draft| draft.reconcile(&newer.id, "model", decided));
            }
            _ => {
                let compared: Vec<LearningId> = self.clones[clone].known.acts.keys().map(|(learning, _)| learning.clone()).collect();
                let Some(id) = self.one_of(&compared).cloned() else { return };
                self.act(clone, |draft| draft.undo_reconciliation(&id));
            }
        }
    }

    /// Statements of people and agents on learnings, and their rollback.
    fn feedback(&mut self, clone: usize) {
        if self.chance.index(30) == 0 {
            let source = [None, Some(SelectionSource::Agent), Some(SelectionSource::Person)][self.chance.index(3)];
            let reach = RollbackScope { source, since: (self.chance.index(2) == 0).then(|| Timestamp(self.now - 50)) };
            self.act(clone, |draft| draft.roll_back(reach));
            return;
        }
        let known = &self.clones[clone].known;
        let favourite = known.feedback.iter().max_by_key(|(id, feedback)| (feedback.useful(), *id)).map(|(id, _)| id.clone());
        let any = self.any_learning(clone, &[]).map(|l| l.id);
        let Some(learning) = favourite.filter(|_| self.chance.index(3) > 0).or(any) else { return };
        let written = self.clones[clone].known.learnings.get(&learning).map_or(Timestamp(self.now), |learning| learning.created);
        let query = format!("Q{}", self.chance.index(10_000));
        let rank = u32::try_from(self.chance.index(9)).ok().filter(|rank| *rank > 0);
        let text = format!("why does topic{} of domain{} break in the cache", self.chance.index(40), self.chance.index(40));
        let word = Word {
            learning,
            useful: self.chance.index(5) > 0,
            by: ["person", "agent", "agent:1@A", "agent:2@B"][self.chance.index(4)].to_owned(),
            written,
            asked: (self.chance.index(6) > 0).then_some(AskedBefore { alike: Vec::new(), id: query, text, rank }),
            learns: self.chance.index(8) > 0,
        };
        let recent = self.clones[clone].known.feedback.values().filter(|feedback| feedback.promoted.is_some()).count();
        self.act(clone, |draft| draft.hear(&word, u32::try_from(recent).unwrap_or(0)));
    }

    /// Consolidations, and their undo.
    fn consolidations(&mut self, clone: usize) {
        let name = (*self.one_of(&FEATURES).expect("some")).to_owned();
        let known = self.clones[clone].known.clone();
        let acts: Vec<String> = known.consolidations.values().map(|of| of.act.clone()).collect();
        // Some of what an agent wrote down as active may have been parked or pruned before its documents were merged.
        let states = [LearningState::Parked, LearningState::Active, LearningState::Pruned];
        let proposed: Vec<LearningId> = states.into_iter().flat_map(|s| known.of_feature(&name, s)).map(|l| l.id.clone()).collect();
        if self.chance.index(2) == 0 {
            let Some(act) = self.one_of(&acts).cloned() else { return };
            let place = KnowledgePlace { file: "docs/knowledge/other.md".into(), heading: "Other".into() };
            let away = known.learnings.values().filter(|l| l.state == LearningState::Consolidated).map(|l| l.id.clone());
            let held = away.take(self.chance.index(2)).map(|id| (id, place.clone())).collect();
            self.act(clone, |draft| draft.undo_consolidation(&act, &held));
        } else {
            let place = KnowledgePlace { file: "docs/knowledge/all.md".into(), heading: "All".into() };
            let entries = proposed.into_iter().take(1 + self.chance.index(3)).map(|id| (id, place.clone())).collect();
            let file = Consolidating { feature: None, source: "learnings.md".into(), entries: vec![("entry-1".into(), place)] };
            let landed = [Consolidating { feature: Some(name.clone()), source: name, entries }, file];
            self.act(clone, |draft| draft.consolidate(&landed));
        }
    }

    /// Tasks, caps, features, iterations.
    fn around(&mut self, clone: usize) {
        let name = (*self.one_of(&FEATURES).expect("some")).to_owned();
        let to = (*self.one_of(&FEATURES).expect("some")).to_owned();
        let feature = self.clones[clone].known.feature(&name).cloned().expect("all are there");
        match self.chance.index(9) {
            8 => drop(self.act(clone, |draft| {
                draft.change_default_cap(&name, CAP + 1);
                Ok(())
            })),
            7 => self.land(clone),
            0 | 1 => {
                let tasks: Vec<TaskId> = self.clones[clone].tasks.keys().copied().collect();
                let Some(task) = self.one_of(&tasks).copied() else { return };
                let from = self.clones[clone].tasks[&task].clone();
                let foreign = |known: &Knowledge, own: &Own| {
                    let of_other = |l: &&FeatureLearning| l.task_id == Some(task) && l.replica.as_ref() != Some(&own.replica);
                    known.learnings.values().filter(of_other).map(|l| (l.id.clone(), l.feature.clone())).collect::<Vec<_>>()
                };
                let before = foreign(&self.clones[clone].known, &self.clones[clone].own);
                if self.act(clone, |draft| draft.move_with_task(task, &from, &to)).is_some() {
                    let after = foreign(&self.clones[clone].known, &self.clones[clone].own);
                    assert_eq!(before, after, "a task never moves another clone's learnings");
                    self.clones[clone].tasks.insert(task, to);
                }
            }
            2 => {
                let cap = u32::try_from(5 + self.chance.index(8)).ok();
                self.act(clone, |draft| {
                    draft.set_feature(&Feature { max_learnings: cap, ..feature });
                    Ok(())
                });
            }
            3 => {
                let split = self.clones[clone].splits.entry(name.clone()).or_default();
                if !split.active {
                    return;
                }
                split.active = false;
                if self.chance.index(2) == 0 {
                    self.clones[clone].splits.entry(name).or_default().skipped = true;
                } else {
                    self.act(clone, |draft| draft.close_split(&name));
                }
            }
            4 => {
                self.act(clone, |draft| {
                    draft.set_feature(&Feature { state: FeatureState::Active, ..feature });
                    Ok(())
                });
            }
            5 => drop(self.act(clone, |draft| {
                draft.thin(&name, 1, 2);
                Ok(())
            })),
            _ => {
                let told = self.any_learning(clone, &[LearningState::Active]).map(|l| l.id).into_iter().collect();
                let iteration = self.clones[clone].iteration;
                let end = IterationEnd { iteration, task: 1, outcome: Outcome::Done, model: "m".into(), told };
                self.act(clone, |draft| {
                    draft.end_iteration(&name, end);
                    Ok(())
                });
            }
        }
    }

    /// A staged lesson is found merged, by one clone or by both.
    fn land(&mut self, clone: usize) {
        let number = self.chance.index(STAGED);
        let learning = FeatureLearning {
            feature: FEATURES[number % FEATURES.len()].to_owned(),
            task_id: Some(1),
            iteration: u32::try_from(1_000 + number).ok(),
            replica: Some("A".to_owned()),
            ..learning(format!("{:0<26}", format!("{number:08}S")), format!("On a branch: {}", CLAIMS[number % CLAIMS.len()]))
        };
        let known = &self.clones[clone].known;
        let near: Vec<LearningId> = known.learnings.values().filter(|l| l.feature == learning.feature).map(|l| l.id.clone()).collect();
        let candidate = Candidate::new(learning, GateMark { passed: true, density: 0.5, refused: false });
        let again = known.landed.contains(&candidate.learning.id);
        let done = self.act(clone, |draft| draft.land(&candidate, &near)).expect("is never refused");
        assert_eq!(done.is_none(), again, "once");
        self.acknowledged.extend(done.map(|done| done.id));
    }

    /// Episodes and facts, of features and of the project.
    fn memories(&mut self, clone: usize) {
        let feature = self.one_of(&FEATURES).copied().filter(|name| *name != "import").map(str::to_owned);
        let source = *self.one_of(FactSource::ALL).expect("some");
        let known = &self.clones[clone].known;
        let ids: Vec<MemoryId> = known.episodes.keys().chain(known.facts.keys()).cloned().collect();
        let any = self.one_of(&ids).cloned();
        let created = Timestamp(self.now + 1);
        match (self.chance.index(7), any) {
            (0, _) => {
                let episode = Episode {
                    feature,
                    task_id: Some(1),
                    iteration: Some(self.clones[clone].iteration),
                    replica: Some(self.clones[clone].own.replica.clone()),
                    created,
                    ..crate::testing::episode(self.text())
                };
                self.act(clone, |draft| {
                    draft.tell_episode(episode);
                    Ok(())
                });
            }
            (1 | 2, _) | (_, None) => {
                let (subject, value) = (self.chance.index(3).to_string(), self.chance.index(3).to_string());
                let fact = Fact { feature, subject, value, source, created, ..crate::testing::fact("") };
                let stated = self.act(clone, |draft| draft.state_fact(fact));
                self.stated.extend(stated.map(|stated| stated.id));
            }
            (3, Some(id)) => {
                let because = [WithdrawalReason::Person, WithdrawalReason::SourceGone][self.chance.index(2)];
                self.act(clone, |draft| draft.withdraw(&id, because, ""));
            }
            (4, Some(id)) => drop(self.act(clone, |draft| draft.bring_memory_back(&id))),
            (5, Some(id)) => {
                let seen = IterationRef { replica: Some(self.clones[clone].own.replica.clone()), iteration: self.clones[clone].iteration };
                self.act(clone, |draft| draft.see_episode_again(&id, seen));
            }
            (_, Some(id)) => drop(self.act(clone, |draft| draft.source_is_back(&id))),
        }
    }

    /// Resets the files of a clone to an older state, as `git checkout` does; a rebuild restores everything.
    fn lose_files(&mut self, clone: usize) {
        let replica = &mut self.clones[clone];
        let kept = self.chance.index(replica.files.len() + 1);
        replica.files = replica.files.iter().take(kept).cloned().collect();
        let before = replica.known.clone();
        replica.files = replica.events.keys().cloned().collect();
        replica.known = replay(replica.events.values().map(|told| told.line.clone()));
        assert_eq!(replica.known, before, "a rebuild loses nothing and changes nothing");
    }

    /// Both clones get the union of their files, each in its own order, and settle.
    fn exchange(&mut self) {
        for clone in &mut self.clones {
            clone.files = clone.events.keys().cloned().collect();
        }
        let read = |told: &JournalLine| {
            let (mut lines, faults) = parse(&told.feature, told.line.to_json().as_bytes());
            assert_eq!(faults, vec![], "{}", told.line.to_json());
            JournalLine { feature: told.feature.clone(), line: lines.remove(0) }
        };
        let all: Vec<JournalLine> = self.clones.iter().flat_map(|clone| clone.events.values().map(read)).collect();
        for clone in 0..self.clones.len() {
            let ordered: Vec<JournalLine> = if clone == 0 { all.clone() } else { all.iter().rev().cloned().collect() };
            self.clones[clone].known = replay(ordered.iter().map(|told| told.line.clone()));
            self.clones[clone].events = ordered.into_iter().map(|told| (told.line.id.clone(), told)).collect();
            self.act(clone, |draft| {
                draft.hand_observations_on(|_| true);
                FEATURES.iter().chain([&PROJECT_JOURNAL]).for_each(|name| draft.settle_feature(name));
                Ok(())
            });
        }
        let (a, b) = (&self.clones[0].known, &self.clones[1].known);
        let agreed = Knowledge { last_event: None, ..a.clone() };
        assert_eq!(agreed, Knowledge { last_event: None, ..b.clone() }, "both clones know the same");
    }

    fn check(&self) {
        for clone in &self.clones {
            let told = replay(clone.events.values().map(|told| told.line.clone()));
            assert_eq!(told, clone.known, "the rows of {} are what its lines tell", clone.own.replica);
            check_last_words(clone);
        }
        let holds = |known: &Knowledge, id: &LearningId| {
            // A lesson that a person put away as an episode or a fact stays away as that one.
            known.learnings.contains_key(id) || known.episodes.contains_key(id) || known.facts.contains_key(id)
        };
        let known = |id: &LearningId| self.clones.iter().any(|clone| holds(&clone.known, id));
        assert!(self.acknowledged.iter().all(known), "what was acknowledged is found");
        let known = |id: &MemoryId| self.clones.iter().any(|clone| clone.known.facts.contains_key(id));
        assert!(self.stated.iter().all(known), "what was stated is found");
        for known in self.clones.iter().map(|clone| &clone.known) {
            for feedback in known.feedback.values() {
                assert!(feedback.terms.len() <= limits::TERMS_PER_LEARNING && feedback.validations.len() <= limits::VALIDATIONS_KEPT);
            }
            for fact in known.facts.values().filter(|fact| fact.withdrawn.is_none()) {
                assert!(known.facts_beside(fact).all(|other| other.withdrawn.is_some()), "two hold at once: {fact:?}");
            }
            assert!(FEATURES.iter().chain([&PROJECT_JOURNAL]).all(|name| known.episodes_in(name).count() <= limits::EPISODES));
        }
    }

    fn live(&mut self) {
        for number in 1..=ACTS {
            let clone = self.chance.index(2);
            match self.chance.index(20) {
                0 if self.chance.index(3) == 0 => self.consolidations(clone),
                10 => self.feedback(clone),
                0 => self.memories(clone),
                1..10 => self.remember(clone),
                11..14 => self.person(clone),
                14..17 => self.pairs(clone),
                _ => self.around(clone),
            }
            if number % 125 == 0 {
                self.check();
                let clone = self.chance.index(2);
                self.lose_files(clone);
            }
            if number % 250 == 0 {
                self.exchange();
                self.check();
            }
        }
        self.exchange();
        self.exchange();
        self.check();
    }
}

/// No comparison has the last word on what is protected, and of learnings that replaced each other, one is active.
fn check_replaced(known: &Knowledge, feature: &str) {
    for learning in known.of_feature(feature, LearningState::Superseded).filter(|l| !known.put_away.contains_key(&l.id)) {
        let by = learning.superseded_by.as_ref().expect("something replaced it");
        let contradicted = known.was_found_opposite(&learning.id, by);
        assert!(!contradicted || learning.is_auto_prunable(), "protected, and contradicted without a person: {learning:?}");
        let counted = |found: &Reconciliation| {
            let both = [Some(&found.learning), found.other.as_ref()];
            let the_same = matches!(found.judgement.verdict, PairVerdict::Observed | PairVerdict::Merged);
            the_same && both.contains(&Some(&learning.id)) && (both.contains(&Some(by)) || found.made.as_ref() == Some(by))
        };
        assert!(!known.acts.values().any(counted) || learning.reviewed_by.is_none(), "reviewed, and counted for another: {learning:?}");
        let mut last = learning;
        for _ in 0..known.learnings.len() {
            let Some(next) = last.superseded_by.as_ref().and_then(|by| known.learnings.get(by)) else { break };
            assert_ne!(next.id, learning.id, "replaced by itself in the end: {learning:?}");
            last = next;
        }
    }
}

/// The last word on a learning holds wherever it moved, in whichever clone, and so does all that was observed.
fn check_last_words(replica: &Replica) {
    let mut retired = BTreeSet::new();
    for told in replica.events.values() {
        match &told.line.event {
            Event::Retired { learning } => drop(retired.insert(learning)),
            // What a rule says about it in the other clone brings nothing back.
            Event::Pruned { learning, for_learning } if learning != for_learning => {}
            Event::Restored { by_rule: true, .. }
            | Event::Restored { instead_of: Some(_), .. }
            | Event::Parked { by_rule: true, .. }
            | Event::Consolidated { .. } => {}
            Event::Restored { learning, .. }
            | Event::Parked { learning, .. }
            | Event::Pruned { learning, .. }
            | Event::Superseded { learning, .. } => drop(retired.remove(learning)),
            // What a person keeps of a pair returns, even if it was put away before.
            Event::ConflictResolved { older, newer, choice, by: Some(_) } => {
                let kept: &[_] = match choice {
                    ConflictChoice::KeepOlder => &[older],
                    ConflictChoice::KeepNewer => &[newer],
                    ConflictChoice::KeepBoth => &[older, newer],
                };
                retired.retain(|learning| !kept.contains(learning));
            }
            _ => {}
        }
    }
    let mut fields = BTreeMap::new();
    for told in replica.events.values() {
        if let Event::Feature { feature, changed } = &told.line.event {
            let record = serde_json::to_value(feature).expect("is JSON");
            let said = record.as_object().into_iter().flatten().filter(|(name, _)| changed.as_ref().is_none_or(|list| list.contains(name)));
            fields.extend(said.map(|(name, value)| ((told.feature.clone(), name.clone()), value.clone())));
        }
    }
    let known = serde_json::to_value(&replica.known.features).expect("is JSON");
    for ((feature, name), value) in fields.into_iter().filter(|((_, name), _)| !["id", "created"].contains(&name.as_str())) {
        assert_eq!(known[&feature][&name], value, "the last word on the {name} of {feature}");
    }
    for (id, learning) in &replica.known.learnings {
        assert!(!retired.contains(id) || learning.state == LearningState::Retired, "put away, and back: {learning:?}");
        assert!(learning.hit_count as usize >= replica.known.observers(id).len(), "evidence is lost: {learning:?}");
    }
}

#[test]
fn acts_in_two_clones_lose_nothing_and_agree() {
    let worlds = ralph_testkit::soak("RALPH_SOAK_WORLDS", WORLDS);
    let mut seen = BTreeSet::new();
    let mut verdicts = BTreeSet::new();
    let mut refusals = 0;
    for seed in 1..=worlds {
        let mut world = World::new(seed);
        world.live();
        seen.extend(world.seen);
        verdicts.extend(world.verdicts);
        refusals += world.refusals;
    }
    // The content of a branch's file is not an act on knowledge.
    let missed: Vec<&str> = Event::NAMES.into_iter().filter(|name| *name != "staged" && !seen.contains(name)).collect();
    assert_eq!(missed, Vec::<&str>::new(), "never got there");
    verdicts.insert(Verdict::Staged);
    assert_eq!(verdicts.len(), Verdict::ALL.len(), "never got there: {verdicts:?}");
    assert!(refusals > 100, "acts are refused, too: {refusals}");
}

/// Two clones know the same two learnings; each protects the given ones, compares the two with the given verdict, and then they exchange.
/// Whoever acts first has the earlier lines.
fn divided(verdict: PairVerdict, protects: [Option<usize>; 2], compares: [bool; 2], first: usize) -> (World, [FeatureLearning; 2]) {
    let mut world = World::new(1);
    let texts =
        ["The gateway drops connections that are idle for 60 seconds", "Idle connections get dropped by the gateway after 60 seconds"];
    let ids = [1, 2].map(|iteration| {
        let said = learning("", texts[iteration as usize - 1]);
        let said = FeatureLearning { iteration: Some(iteration), replica: Some("A".into()), created: Timestamp(world.now + 1), ..said };
        let candidate = Candidate::new(said, GateMark { passed: true, density: 0.5, refused: false });
        world.act(0, |draft| draft.remember(&candidate, &[])).expect("is remembered").id
    });
    world.exchange();
    for clone in [first, 1 - first] {
        // By more than the second clone's clock is behind.
        world.now += 100;
        if let Some(id) = protects[clone].map(|which| ids[which].clone()) {
            world.act(clone, |draft| draft.review(&id)).expect("reviews");
        }
        if compares[clone] {
            let judgement = PairJudgement { verdict, cosine: 0.9, similarity: 0.9, hits: vec![] };
            let decided = Some((ids[0].clone(), judgement));
            world.act(clone, |draft| draft.reconcile(&ids[1], "model", decided)).expect("compares");
        }
    }
    world.now += 100;
    world.exchange();
    world.check();
    world.exchange();
    world.check();
    for clone in 0..2 {
        world.lose_files(clone);
    }
    let known = &world.clones[0].known;
    let both = [0, 1].map(|which| known.learnings[&ids[which]].clone());
    (world, both)
}

#[test]
fn two_clones_that_replaced_each_other_s_lesson_keep_it() {
    for first in [0, 1] {
        // Each clone's person reviewed a different one of the two, so each comparison kept a different one.
        let (world, [older, newer]) = divided(PairVerdict::Observed, [Some(1), Some(0)], [true, true], first);
        assert_eq!((older.state, newer.state), (LearningState::Active, LearningState::Active), "both are protected");
        let asked = world.clones.iter().map(|clone| clone.known.open_conflicts.contains(&(older.id.clone(), newer.id.clone())));
        assert_eq!(asked.collect::<Vec<_>>(), [true, true], "a person is asked");
    }
}

#[test]
fn of_two_unprotected_lessons_that_replaced_each_other_the_one_with_more_evidence_stands() {
    let mut world = divided(PairVerdict::Related, [None, None], [false, false], 0).0;
    let ids: Vec<LearningId> = world.clones[0].known.learnings.keys().cloned().collect();
    for (clone, (gone, by)) in [(0, (0, 1)), (1, (1, 0))] {
        world.act(clone, |draft| {
            let gone = draft.learning(&ids[gone])?;
            draft.supersede(&gone, &ids[by]);
            Ok(())
        });
    }
    world.act(1, |draft| {
        let seen = Event::Observed { learning: ids[1].clone(), iteration: Some(9), in_replica: None, counted: true, said: None };
        draft.tell("pay", seen);
        Ok(())
    });
    world.exchange();
    world.check();
    let known = &world.clones[1].known;
    assert_eq!([&ids[0], &ids[1]].map(|id| known.learnings[id].state), [LearningState::Superseded, LearningState::Active]);
    assert_eq!(known.open_conflicts, BTreeSet::new());
}

#[test]
fn what_one_clone_reviewed_is_not_contradicted_away_by_another() {
    for first in [0, 1] {
        let (world, [older, newer]) = divided(PairVerdict::Conflict, [Some(0), None], [false, true], first);
        assert_eq!((older.state, newer.state), (LearningState::Active, LearningState::Active));
        assert!(world.clones.iter().all(|clone| clone.known.open_conflicts.contains(&(older.id.clone(), newer.id.clone()))));
    }
    // Without a review the newer one stands, as within one clone.
    let (_, [older, newer]) = divided(PairVerdict::Conflict, [None, None], [false, true], 0);
    assert_eq!((older.state, newer.state), (LearningState::Superseded, LearningState::Active));
}

#[test]
fn what_one_clone_reviewed_stands_although_another_counted_it_as_the_same() {
    for first in [0, 1] {
        let (world, [older, newer]) = divided(PairVerdict::Observed, [Some(1), None], [false, true], first);
        assert_eq!((older.state, newer.state), (LearningState::Superseded, LearningState::Active));
        assert_eq!((older.superseded_by.as_ref(), newer.hit_count), (Some(&newer.id), 2), "the other is counted for it");
        assert!(world.clones.iter().all(|clone| clone.known.open_conflicts.is_empty()), "nobody needs to decide");
        // A person decides whether a merged one stands beside what was made of the two.
        let (world, [_, newer]) = divided(PairVerdict::Merged, [Some(1), None], [false, true], first);
        let made = world.clones[0].known.learnings.values().find(|l| l.id != newer.id && l.state == LearningState::Active);
        let pair = (newer.id, made.expect("was made of the two").id.clone());
        assert_eq!(newer.state, LearningState::Active);
        assert!(world.clones.iter().all(|clone| clone.known.open_conflicts.contains(&pair)));
    }
}

#[test]
fn what_a_person_decided_meanwhile_outlasts_the_restoration_by_rule() {
    let (mut world, [older, newer]) = divided(PairVerdict::Conflict, [Some(0), None], [false, true], 0);
    let restored = |event: &Event| matches!(event, Event::Restored { instead_of: Some(_), .. });
    let late = world.clones[0].events.values().find(|told| restored(&told.line.event)).cloned().expect("is told");
    world.act(1, |draft| draft.resolve_conflict(&older.id, &newer.id, ConflictChoice::KeepNewer)).expect("decides");
    // A third clone, which does not know about the decision, comes to the same result as these two.
    world.now += 100;
    let id = format!("{:0<26}", format!("{:08}C0001", world.now));
    let line = Line { id: id.clone(), act: Some(id.clone()), ..late.line };
    world.clones[0].events.insert(id, JournalLine { feature: late.feature, line });
    world.exchange();
    assert_eq!(world.clones[0].known.learnings[&older.id].state, LearningState::Superseded);
}
