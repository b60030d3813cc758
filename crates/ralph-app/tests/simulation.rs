//! A part of the simulation of knowledge on real files: random acts in two projects, journals that can't be written for a while, files put
//! back to older states, and both clones' journals merged by line. The pure part, with many more acts, stands in `ralph-rag`.

mod common;

use common::Project;
use ralph_app::AppError;
use ralph_core::feature::{FeaturePatch, NewFeature};
use ralph_core::learning::{ConflictChoice, FeatureLearning, LearningSource, LearningState, NewLearning};
use ralph_core::memory::{Fact, MemoryState, NewFact};
use ralph_core::stats::SplitMix64;
use ralph_core::task::TaskPatch;
use std::collections::BTreeSet;
use std::fs;

const ACTS: u32 = 600;
const FEATURES: [&str; 2] = ["pay", "shop"];
const CLAIMS: [&str; 5] = [
    "must be closed before the suite runs",
    "must never be shared between the workers",
    "must be shared between the workers",
    "retries 3 times with backoff",
    "breaks when the locale is missing",
];

struct World {
    clones: [Project; 2],
    chance: SplitMix64,
    acknowledged: BTreeSet<String>,
    kinds: BTreeSet<&'static str>,
}

impl World {
    fn new(seed: u64) -> World {
        let clones = [Project::new(), Project::new()];
        for project in &clones {
            for name in FEATURES {
                let new = NewFeature { name: name.into(), max_learnings: Some(8), ..NewFeature::default() };
                project.app.create_feature(&new).expect("makes a feature");
                project.task(name, "part");
            }
            // So that both have a journal of the project.
            project.app.state_fact(&fact(None, "first", "one")).expect("is stated");
        }
        World { clones, chance: SplitMix64(seed), acknowledged: BTreeSet::new(), kinds: BTreeSet::new() }
    }

    fn any(&mut self, clone: usize, states: &[LearningState]) -> Option<FeatureLearning> {
        let all = self.clones[clone].app.learnings(None, states).expect("lists");
        (!all.is_empty()).then(|| all[self.chance.index(all.len())].clone())
    }

    fn text(&mut self) -> String {
        format!("Of module{}: the cache {}", self.chance.index(30), CLAIMS[self.chance.index(CLAIMS.len())])
    }

    fn remember(&mut self, clone: usize) {
        let source = if self.chance.index(4) == 0 { LearningSource::Human } else { LearningSource::Agent };
        let iteration = u32::try_from(self.chance.index(30)).ok();
        let new = NewLearning { source, iteration, task_id: Some(1), ..NewLearning::new(FEATURES[self.chance.index(2)], &self.text()) };
        match self.clones[clone].app.append_feature_learning(&new) {
            Ok(answer) => drop(self.acknowledged.insert(answer.id)),
            Err(AppError::KnowledgeFull { parked, .. }) => drop(self.acknowledged.insert(parked)),
            Err(AppError::FeatureClosed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// One act of a person; what is refused changes nothing.
    fn person(&mut self, clone: usize) {
        let Some(one) = self.any(clone, &[]) else { return };
        let text = self.text();
        let (kind, target) = (self.chance.index(9), FEATURES[self.chance.index(2)].to_owned());
        let cap = u32::try_from(5 + self.chance.index(6)).ok();
        let choice = ConflictChoice::ALL[self.chance.index(ConflictChoice::ALL.len())];
        let app = &self.clones[clone].app;
        let id = one.id.as_str();
        let (name, done) = match kind {
            0 => ("review", app.review_learning(id).is_ok()),
            1 => ("retire", app.retire_learning(id).is_ok()),
            2 => ("restore", app.restore_learning(id).is_ok()),
            3 => ("edit", app.edit_learning(id, &text, None).is_ok()),
            4 => ("move", app.move_learning(id, &target).is_ok()),
            5 => ("undo", app.undo_learning(id).is_ok()),
            6 => ("cap", app.update_feature(&target, &FeaturePatch { max_learnings: cap, ..FeaturePatch::default() }).is_ok()),
            7 => ("task", app.update_task(1, &TaskPatch { feature: Some(target), ..TaskPatch::default() }).is_ok()),
            _ => match app.conflicts().expect("lists").first() {
                Some(pair) => ("decide", app.resolve_conflict(&pair.older.id, &pair.newer.id, choice).is_ok()),
                None => return,
            },
        };
        if done {
            self.kinds.insert(name);
        }
    }

    /// A fact is stated, put away or restored.
    fn fact(&mut self, clone: usize) {
        let app = &self.clones[clone].app;
        let known = app.list_facts(None).expect("lists");
        let one = &known[self.chance.index(known.len())];
        if self.chance.index(3) > 0 {
            let feature = [None, Some(FEATURES[0]), Some(FEATURES[1])][self.chance.index(3)];
            let (subject, value) = (self.chance.index(3).to_string(), self.chance.index(4).to_string());
            app.state_fact(&fact(feature, &subject, &value)).expect("is stated");
            self.kinds.insert("state");
        } else if one.state == MemoryState::Active {
            app.withdraw_memory(&one.fact.id).expect("is put away");
        } else {
            app.restore_memory(&one.fact.id).expect("is brought back");
        }
    }

    /// An act while a journal can't be written: its lines wait, as after a kill between the commit and the journal.
    fn without_a_journal(&mut self, clone: usize) {
        let file = self.clones[clone].app.paths().memory.join("pay.jsonl");
        let aside = file.with_extension("aside");
        fs::rename(&file, &aside).expect("puts the file aside");
        fs::create_dir(&file).expect("a folder in its place");
        self.remember(clone);
        fs::remove_dir(&file).expect("removes the folder");
        fs::rename(&aside, &file).expect("puts the file back");
    }

    /// Each clone gets the lines of both, its own first, as one pull brings them: all files at once.
    fn exchange(&mut self) {
        // Whatever waits is written first.
        for project in &self.clones {
            project.app.rebuild().expect("rebuilds");
        }
        for name in FEATURES.into_iter().chain(["_project"]) {
            let paths = [0, 1].map(|clone: usize| self.clones[clone].app.paths().memory.join(format!("{name}.jsonl")));
            let texts = paths.each_ref().map(|path| fs::read_to_string(path).expect("reads"));
            for (own, other) in [(0, 1), (1, 0)] {
                let known: BTreeSet<&str> = texts[own].lines().collect();
                let more: String = texts[other].lines().filter(|line| !known.contains(line)).map(|line| format!("{line}\n")).collect();
                fs::write(&paths[own], format!("{}{more}", texts[own])).expect("writes");
            }
        }
        for project in &self.clones {
            project.app.pull_journals().expect("pulls");
        }
        let listed = |project: &Project| project.app.learnings(None, &[]).expect("lists");
        let (first, second) = (listed(&self.clones[0]), listed(&self.clones[1]));
        assert_eq!(first.len(), second.len(), "both clones know as many");
        for (one, other) in first.iter().zip(&second) {
            assert_eq!(one, other, "both clones know the same");
        }
        assert_eq!(facts(&self.clones[0]), facts(&self.clones[1]), "and the same facts");
    }

    fn check(&self) {
        for project in &self.clones {
            let before = facts(project);
            project.rebuilds_to_the_same();
            assert_eq!(facts(project), before, "the journals tell the same facts");
            for saturation in project.app.get_feature_saturations().expect("counts") {
                assert!(saturation.learnings_count <= saturation.max_learnings, "{saturation:?}");
            }
            let pruned = project.app.learnings(None, &[LearningState::Pruned]).expect("lists");
            assert!(pruned.iter().all(FeatureLearning::is_auto_prunable), "nothing protected was pruned");
        }
        let found = |id: &String| self.clones.iter().any(|project| project.app.learning(id).is_ok());
        assert!(self.acknowledged.iter().all(found), "what was acknowledged is found");
    }
}

fn fact(feature: Option<&str>, subject: &str, value: &str) -> NewFact {
    NewFact { feature: feature.map(str::to_owned), subject: subject.into(), value: value.into(), ..NewFact::default() }
}

fn facts(project: &Project) -> Vec<Fact> {
    project.app.list_facts(None).expect("lists").into_iter().map(|row| row.fact).collect()
}

#[test]
fn random_acts_on_real_files_lose_nothing_and_both_clones_agree() {
    let mut world = World::new(7);
    for number in 1..=ACTS {
        let clone = world.chance.index(2);
        match world.chance.index(20) {
            0..10 => world.remember(clone),
            10 => world.fact(clone),
            11 => world.without_a_journal(clone),
            12 => {
                let file = world.clones[clone].app.paths().memory.join("pay.jsonl");
                let text = fs::read_to_string(&file).expect("reads");
                let lines: Vec<&str> = text.lines().collect();
                let kept = world.chance.index(lines.len() + 1);
                fs::write(&file, lines[..kept].iter().map(|line| format!("{line}\n")).collect::<String>()).expect("as git does");
            }
            _ => world.person(clone),
        }
        if number % 100 == 0 {
            world.check();
            world.exchange();
        }
    }
    world.check();
    let kinds = ["cap", "decide", "edit", "move", "restore", "retire", "review", "state", "task", "undo"];
    assert_eq!(world.kinds.iter().copied().collect::<Vec<_>>(), kinds, "never got there");
}
