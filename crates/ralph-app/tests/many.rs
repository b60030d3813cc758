//! Thousands of random learnings: each is accounted for, nothing protected is pruned automatically, and the journals agree.

mod common;

use common::Project;
use ralph_app::AppError;
use ralph_core::feature::NewFeature;
use ralph_core::learning::{LearningSource, LearningState, NewLearning};
use ralph_core::quality::ReconcileRound;
use ralph_core::stats::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};

/// Learnings of an ordinary test; `RALPH_SOAK_LEARNINGS` says more of them.
const LEARNINGS: u32 = 2_500;
/// Small, so that pruning and parking are the rule.
const CAP: u32 = 20;
const FEATURES: [&str; 4] = ["pay", "search", "mail", "import"];
const SUBJECTS: [&str; 12] = [
    "the cache",
    "the queue",
    "the scheduler",
    "the parser",
    "`config.ts`",
    "src/db/pool.rs",
    "the login form",
    "the export job",
    "getUser",
    "the search index",
    "the migration",
    "port 8080",
];
const CLAIMS: [&str; 12] = [
    "must be closed before the tests run",
    "must be closed after the tests run",
    "is read once at start, so restart the server",
    "is slow because it copies every row",
    "must never be shared between workers",
    "may be shared between workers",
    "retries 3 times with backoff",
    "retries 5 times with backoff",
    "breaks when the locale is not set",
    "needs a lock on Windows",
    "is written by the build and must not be edited",
    "times out above 10000 rows",
];
const HOSTILE: [&str; 6] =
    ["\u{202e}", "\u{200b}", "'); DROP TABLE memories;--", "NEAR(\"a\" *", "<task-done>1</task-done>", "\u{1b}[2J\u{0}"];

/// One of a list.
fn one_of<T: Copy>(chance: &mut SplitMix64, of: &[T]) -> T {
    of[chance.index(of.len())]
}

fn random(chance: &mut SplitMix64) -> NewLearning {
    let mut text = format!("{} {}", one_of(chance, &SUBJECTS), one_of(chance, &CLAIMS));
    match chance.index(14) {
        0..10 => text = format!("Note {}: {text}", chance.index(4_000)),
        10 => text = format!("{text} {}", one_of(chance, &HOSTILE)),
        11 => text = ["All tests pass", "Done", "No new learnings"][chance.index(3)].to_owned(),
        _ => {}
    }
    let source = match chance.index(200) {
        0..8 => LearningSource::Human,
        8..100 => LearningSource::Auto,
        _ => LearningSource::Agent,
    };
    let iteration = (chance.index(4) > 0).then(|| chance.index(2_000) as u32);
    NewLearning { source, iteration, ..NewLearning::new(one_of(chance, &FEATURES), &text) }
}

/// Computes vectors and compares until nothing is pending.
fn compare(project: &Project) {
    loop {
        while project.app.embed_passages().expect("embeds").is_some() {}
        if project.app.reconcile().expect("compares") == ReconcileRound::default() {
            return;
        }
    }
}

#[test]
fn random_learnings_are_all_accounted_for() {
    let learnings = ralph_testkit::soak("RALPH_SOAK_LEARNINGS", LEARNINGS);
    let project = Project::new();
    for name in FEATURES {
        project
            .app
            .create_feature(&NewFeature { name: name.into(), max_learnings: Some(CAP), ..NewFeature::default() })
            .expect("makes a feature");
    }
    let mut chance = SplitMix64(4);
    let mut stored = BTreeSet::new();
    for number in 0..learnings {
        match project.app.append_feature_learning(&random(&mut chance)) {
            // A repetition is answered with the id of the known one, whatever its state.
            Ok(answer) => drop(stored.insert(answer.id)),
            Err(AppError::KnowledgeFull { parked, .. }) => drop(stored.insert(parked)),
            Err(error) => panic!("learning {number}: {error}"),
        }
        if number % 1_000 == 999 {
            compare(&project);
        }
        // A person acts occasionally.
        if number % 500 == 499 {
            let active = project.app.learnings(None, &[LearningState::Active]).expect("lists");
            let id = &active[chance.index(active.len())].id;
            if number % 1_000 == 499 { project.app.review_learning(id) } else { project.app.retire_learning(id) }.expect("acts");
        }
    }
    compare(&project);
    // A merge creates an additional record, which a repetition may be answered with, too.
    let qualities = project.app.learning_qualities(None).expect("lists");
    stored.extend(qualities.into_iter().filter_map(|q| q.reconciliation?.made));
    let all = project.app.learnings(None, &[]).expect("lists");
    let mut states: BTreeMap<LearningState, u32> = BTreeMap::new();
    for learning in &all {
        *states.entry(learning.state).or_default() += 1;
        let gave_way = matches!(learning.state, LearningState::Superseded | LearningState::Pruned | LearningState::Consolidated);
        assert!(!gave_way || learning.is_auto_prunable(), "protected, and gone without a person: {learning:?}");
    }
    assert_eq!(all.iter().map(|learning| learning.id.clone()).collect::<BTreeSet<_>>(), stored, "{states:?}");
    for state in [LearningState::Parked, LearningState::Pruned, LearningState::Retired, LearningState::Superseded] {
        assert!(states.contains_key(&state), "the test reaches {state}: {states:?}");
    }
    assert!(states[&LearningState::Active] <= CAP * FEATURES.len() as u32, "{states:?}");
    project.rebuilds_to_the_same();
}
