//! Facts and episodes: their states, how they follow their files, and how other clones see them.
#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]

mod common;

use common::Project;
use ralph_app::{Actor, App, AppError};
use ralph_core::learning::{LearningState, NewLearning, Verdict};
use ralph_core::memory::{FactRow, FactSource, MemoryState, NewEpisode, NewFact, WithdrawalReason};
use ralph_core::recall::{MemoryKind, RecallQuery};
use std::fs;

fn fact(subject: &str, value: &str) -> NewFact {
    NewFact { subject: subject.into(), value: value.into(), ..NewFact::default() }
}

/// The project as the next process opens it, which scans the files.
fn opened(project: &Project) -> App {
    project.acting_as(Actor::Human)
}

fn write(project: &Project, path: &str, text: &str) {
    fs::write(project.app.paths().root.join(path), text).unwrap();
}

fn standing(row: &FactRow) -> (MemoryState, Option<WithdrawalReason>, Option<u32>) {
    (row.state, row.fact.withdrawn.as_ref().map(|w| w.because), row.fact.line)
}

fn found(app: &App, query: &str, feature: Option<&str>) -> Vec<(String, Option<String>, Option<u32>)> {
    let request = RecallQuery {
        query: query.into(),
        feature: feature.map(str::to_owned),
        kinds: vec![MemoryKind::Fact, MemoryKind::Episode],
        limit: 10,
        ..RecallQuery::default()
    };
    app.recall(&request).unwrap().hits.into_iter().map(|hit| (hit.id, hit.file, hit.line)).collect()
}

#[test]
fn a_fact_goes_and_returns_with_its_line_and_its_file() {
    let project = Project::with_feature("pay");
    write(&project, "Makefile", "all:\ntest:\n\tcargo flumox\n");
    let new = NewFact { file: Some("Makefile".into()), line: Some(3), ..fact("test command", "cargo flumox") };
    let id = project.app.state_fact(&new).unwrap().id;
    assert_eq!(found(&project.app, "flumox", None), [(id.clone(), Some("Makefile".into()), Some(3))]);
    let stands = |app: &App| standing(&app.fact(&id).unwrap());

    write(&project, "Makefile", "# first\nall:\ntest:\n    cargo flumox\n");
    assert_eq!(stands(&opened(&project)), (MemoryState::Active, None, Some(4)), "the line moved");
    assert_eq!(found(&opened(&project), "flumox", None)[0].2, Some(4));
    write(&project, "Makefile", "all:\ntest:\n\tcargo zibbel\n");
    assert_eq!(stands(&opened(&project)).1, Some(WithdrawalReason::SourceGone));
    assert_eq!(found(&opened(&project), "flumox", None), vec![], "what is withdrawn is not found");
    write(&project, "Makefile", "test:\n\tcargo flumox\n");
    assert_eq!(stands(&opened(&project)), (MemoryState::Active, None, Some(2)), "it is back");
    fs::remove_file(project.app.paths().root.join("Makefile")).unwrap();
    assert_eq!(stands(&opened(&project)).1, Some(WithdrawalReason::SourceGone));
    opened(&project).withdraw_memory(&id).unwrap();
    write(&project, "Makefile", "test:\n\tcargo flumox\n");
    assert_eq!(stands(&opened(&project)).1, Some(WithdrawalReason::Person), "a person's word holds");
    opened(&project).restore_memory(&id).unwrap();
    assert_eq!(stands(&opened(&project)).0, MemoryState::Active);

    let lines = fs::read_to_string(project.app.paths().memory.join("_project.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 6, "a look that finds nothing new tells nothing: {lines}");
    let before = project.app.list_facts(None).unwrap();
    project.rebuilds_to_the_same();
    assert_eq!(project.app.list_facts(None).unwrap(), before);
}

#[test]
fn what_can_be_no_fact_is_refused_by_its_field() {
    let project = Project::with_feature("pay");
    write(&project, "a.txt", "one\n\n");
    let at = |file: &str, line| NewFact { file: Some(file.into()), line, ..fact("s", "v") };
    for (new, field) in [
        (fact(" ", "v"), "subject"),
        (fact("s", "\u{200b}"), "value"),
        (NewFact { kind: Some("Two words".into()), ..fact("s", "v") }, "kind"),
        (NewFact { confidence: Some(1.1), ..fact("s", "v") }, "confidence"),
        (NewFact { confidence: Some(f64::NAN), ..fact("s", "v") }, "confidence"),
        (NewFact { line: Some(1), ..fact("s", "v") }, "line"),
        (at("a.txt", Some(2)), "line"),
        (at("a.txt", Some(9)), "line"),
        (at("a.txt", Some(0)), "line"),
        (at("none.txt", None), "file"),
        (at(".", None), "file"),
        (at("../a.txt", None), "file"),
        (at(".ralph/config.toml", None), "file"),
        (at("/etc/passwd", Some(1)), "file"),
    ] {
        match project.app.state_fact(&new) {
            Err(AppError::Invalid { field: named, .. }) => assert_eq!(named, field, "{new:?}"),
            other => panic!("{new:?}: {other:?}"),
        }
    }
    let of_none = NewFact { feature: Some("shop".into()), ..fact("s", "v") };
    assert!(matches!(project.app.state_fact(&of_none), Err(AppError::NotFound { .. })));
    assert_eq!(project.app.list_facts(None).unwrap(), vec![]);
}

#[test]
fn facts_are_of_a_feature_or_of_the_project_and_an_agent_s_name_their_iteration() {
    let project = Project::with_feature("pay");
    let app = &project.app;
    app.create_feature(&ralph_core::feature::NewFeature { name: "shop".into(), ..Default::default() }).unwrap();
    let of = |feature: &str| NewFact { feature: Some(feature.into()), ..fact("flumox", feature) };
    let ids: Vec<String> = [of("pay"), of("shop"), fact("flumox", "all")].iter().map(|new| app.state_fact(new).unwrap().id).collect();
    assert_eq!(app.list_facts(Some("pay")).unwrap().len(), 2, "its own and the project's");
    let mut of_pay: Vec<String> = found(app, "flumox", Some("pay")).into_iter().map(|hit| hit.0).collect();
    of_pay.sort();
    assert_eq!(of_pay, [ids[0].clone(), ids[2].clone()]);

    let agent = project.acting_as(Actor::Agent { working_on: Some((9, 4)) });
    let stated = agent.state_fact(&fact("wombat", "asleep")).unwrap().fact.unwrap().fact;
    assert_eq!((stated.source, stated.iteration, stated.task_id), (FactSource::Agent, Some(9), Some(4)));
    assert!(stated.replica.is_some());
    assert!(matches!(agent.withdraw_memory(&ids[0]), Err(AppError::Forbidden { .. })));
    assert!(matches!(agent.state_fact(&fact("flumox", "none")), Err(AppError::Invalid { field: "value", .. })), "a person stated it");
}

#[test]
fn two_clones_that_state_differently_agree_and_know_whose_words_they_have() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    let theirs = b.app.state_fact(&NewFact { feature: Some("pay".into()), ..fact("flumox", "theirs") }).unwrap().id;
    a.app.state_fact(&fact("zibbel", "ours")).unwrap();
    b.app.state_fact(&fact("zibbel", "also theirs")).unwrap();
    for name in ["_project.jsonl", "pay.jsonl"] {
        let paths = [&a, &b].map(|project| project.app.paths().memory.join(name));
        let texts = paths.each_ref().map(|path| fs::read_to_string(path).unwrap());
        fs::write(&paths[0], format!("{}{}", texts[0], texts[1])).unwrap();
        fs::write(&paths[1], format!("{}{}", texts[1], texts[0])).unwrap();
    }
    let records = |project: &Project| {
        project.app.pull_journals().unwrap();
        let rows = project.app.list_facts(None).unwrap();
        rows.into_iter().map(|row| (row.fact, row.state)).collect::<Vec<_>>()
    };
    assert_eq!(records(&a), records(&b));
    assert_eq!(records(&a).iter().filter(|(_, state)| *state == MemoryState::Active).count(), 2, "one zibbel holds");
    let row = |project: &Project| project.app.fact(&theirs).unwrap();
    assert!(row(&a).outside && row(&a).outside_replica.is_some() && !row(&b).outside);
    a.rebuilds_to_the_same();

    // A clone of the journals alone knows the same.
    let third = a.clone_without_database();
    assert_eq!(records(&third), records(&a));
}

#[test]
fn a_newer_journal_of_the_project_is_not_added_to_and_keeps_nobody_from_opening() {
    let project = Project::with_feature("pay");
    write(&project, "a.txt", "the flumox\n");
    let id = project.app.state_fact(&NewFact { file: Some("a.txt".into()), ..fact("flumox", "here") }).unwrap().id;
    let journal = project.app.paths().memory.join("_project.jsonl");
    let line = "{\"v\":99,\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"event\":\"dreamt\"}\n";
    fs::write(&journal, fs::read_to_string(&journal).unwrap() + line).unwrap();
    fs::remove_file(project.app.paths().root.join("a.txt")).unwrap();
    let app = opened(&project);
    app.pull_journals().unwrap();
    let again = opened(&project);
    assert_eq!(again.fact(&id).unwrap().state, MemoryState::Active, "nothing is told of it");
    assert!(matches!(again.state_fact(&fact("wombat", "asleep")), Err(AppError::NewerJournal { .. })));
    let verdict = again.state_fact(&NewFact { feature: Some("pay".into()), ..fact("wombat", "asleep") }).unwrap().verdict;
    assert_eq!(verdict, Verdict::Added, "other journals are as before");
}

#[test]
fn what_a_person_put_away_comes_back_as_no_other_kind_and_no_prompt_tells_a_sentence_twice() {
    const SENTENCE: &str = "The refund worker needs `REDIS_URL` before it starts.";
    let project = Project::with_feature("pay");
    let agent = project.acting_as(Actor::Agent { working_on: None });
    let tell = |feature: Option<&str>, lesson: &str| {
        let new = NewEpisode { feature: feature.map(str::to_owned), lesson: lesson.into(), lesson_type: None, situation: None };
        let told = agent.tell_episode(&new).unwrap();
        (told.verdict, told.id)
    };
    let state = |value: &str| {
        let stated = agent.state_fact(&fact("refund worker", value)).unwrap();
        (stated.verdict, stated.id, stated.fact.is_some())
    };
    let task = project.task("pay", "Start the refund worker with REDIS_URL, its webhooks are signed in src/hook.ts");
    let told = |words: &str| project.app.next_prompt(task).unwrap().text.matches(words).count();

    // Said as an episode first, and then as a learning: told once, and not at all once the learning is put away.
    let (verdict, episode) = tell(Some("pay"), SENTENCE);
    assert_eq!((verdict, told("needs `REDIS_URL`")), (Verdict::Added, 1));
    let learning = agent.append_feature_learning(&NewLearning::new("pay", SENTENCE)).unwrap().id;
    assert_eq!(told("needs `REDIS_URL`"), 1);
    project.app.retire_learning(&learning).unwrap();
    assert_eq!(told("needs `REDIS_URL`"), 0, "the episode of these words is from before");
    for feature in [Some("pay"), None] {
        assert_eq!(tell(feature, SENTENCE), (Verdict::PutAway, learning.clone()));
    }
    assert_eq!(state(SENTENCE), (Verdict::PutAway, learning, false));
    assert_eq!(told("needs `REDIS_URL`"), 0);

    // Rewritten by a person.
    let old = "Webhooks are signed with HMAC SHA-256 in src/hook.ts.";
    let id = agent.append_feature_learning(&NewLearning::new("pay", old)).unwrap().id;
    let new = project.app.edit_learning(&id, "Webhooks are signed with Ed25519 in src/hook.ts.", None).unwrap().id;
    assert_eq!(tell(Some("pay"), old), (Verdict::Observed, new));
    assert_eq!((told("signed with Ed25519"), told("HMAC")), (1, 0));

    // The other way round.
    project.app.withdraw_memory(&episode).unwrap();
    project.app.create_feature(&ralph_core::feature::NewFeature { name: "shop".into(), ..Default::default() }).unwrap();
    let (_, only) = tell(Some("shop"), "Sums are integers in cents, never floats.");
    project.app.withdraw_memory(&only).unwrap();
    let again = agent.append_feature_learning(&NewLearning::new("shop", "Sums are integers in cents, never floats.")).unwrap();
    assert_eq!((again.verdict, again.id), (Verdict::PutAway, only));
    // Nor does the branch of an agent bring it back.
    let lesson = serde_json::json!({ "feature": "shop", "text": "Sums are integers in cents, never floats.", "source": "agent" });
    let line = serde_json::json!({
        "v": 1, "id": "01M8J3SDTRXYVTEG0D3KVKSZZ5", "at": "2026-11-28T22:18:08.600Z", "replica": "Z4ER4ACM1X",
        "event": "staged", "branch": "ralph/7", "learning": lesson,
    });
    fs::create_dir_all(project.app.paths().memory.join("staged")).unwrap();
    fs::write(project.app.paths().memory.join("staged/ralph-7.jsonl"), format!("{line}\n")).unwrap();
    project.app.pull_journals().unwrap();
    assert_eq!(project.app.learnings(Some("shop"), &[LearningState::Active]).unwrap(), vec![]);
    project.rebuilds_to_the_same();
}

#[test]
fn what_a_learning_says_takes_the_place_of_what_an_agent_stated_otherwise() {
    let project = Project::with_feature("pay");
    let agent = project.acting_as(Actor::Agent { working_on: None });
    let of_pay = |subject: &str, value: &str| NewFact { feature: Some("pay".into()), ..fact(subject, value) };
    let told = |subject: &str| -> Vec<String> {
        let rows = project.app.list_facts(Some("pay")).unwrap().into_iter().filter(|row| row.state == MemoryState::Active);
        rows.filter(|row| row.fact.subject == subject).map(|row| row.fact.value).collect()
    };
    let learning = project.app.append_feature_learning(&NewLearning::new("pay", "lint command: npm run lint:strict")).unwrap().id;

    // Said anew, or corrected.
    let wrong = agent.state_fact(&of_pay("lint command", "npm run lint:loose")).unwrap().id;
    let right = agent.state_fact(&of_pay("Lint command", "npm run lint:strict")).unwrap();
    assert_eq!((right.verdict, &right.id, right.replaced), (Verdict::Observed, &learning, vec![wrong]));
    let wrong = agent.state_fact(&of_pay("lint command", "npm run lint:loose")).unwrap().id;
    assert_eq!(told("lint command"), ["npm run lint:loose"]);
    assert_eq!(agent.update_memory(&wrong, "npm run lint:strict").unwrap(), learning);
    assert_eq!(told("lint command"), Vec::<String>::new(), "the learning says what is so");
    let withdrawn = project.app.fact(&wrong).unwrap().fact.withdrawn.unwrap();
    assert_eq!((withdrawn.because, withdrawn.detail), (WithdrawalReason::Replaced, learning));

    // A person's word stands.
    project.app.state_fact(&of_pay("lint command", "npm run lint:ours")).unwrap();
    assert_eq!(agent.state_fact(&of_pay("lint command", "npm run lint:strict")).unwrap().replaced, Vec::<String>::new());
    assert_eq!(told("lint command"), ["npm run lint:ours"]);
    project.rebuilds_to_the_same();
}

#[test]
fn words_that_were_put_away_as_any_kind_correct_nothing_and_the_way_out_is_theirs() {
    let project = Project::with_feature("pay");
    let agent = project.acting_as(Actor::Agent { working_on: None });
    let of_pay = |subject: &str, value: &str| NewFact { feature: Some("pay".into()), ..fact(subject, value) };
    let tell = |lesson: &str| {
        let new = NewEpisode { feature: Some("pay".into()), lesson: lesson.into(), lesson_type: None, situation: None };
        agent.tell_episode(&new).unwrap().id
    };
    let learning = agent.append_feature_learning(&NewLearning::new("pay", "Run make proto before cargo build, src/gen.rs is generated"));
    let learning = learning.unwrap().id;
    project.app.retire_learning(&learning).unwrap();
    let put_away = agent.state_fact(&of_pay("release target", "bucket `eu-1`")).unwrap().id;
    project.app.withdraw_memory(&put_away).unwrap();
    let episode = tell("Set REDIS_URL before the refund worker starts, it exits without it");
    project.app.withdraw_memory(&episode).unwrap();

    let stays = tell("Set DATABASE_URL before sqlx prepare, because it connects to Postgres");
    let target = agent.state_fact(&of_pay("release target", "bucket `eu-2`")).unwrap().id;
    let cases = [
        (&stays, "Run make proto before cargo build, src/gen.rs is generated", format!("`ralph learning restore {learning}`")),
        (&stays, "Set REDIS_URL before the refund worker starts, it exits without it", format!("`ralph episode restore {episode}`")),
        (&stays, "release target: bucket `eu-1`", format!("`ralph fact restore {put_away}`")),
        (&target, "bucket `eu-1`", format!("`ralph fact restore {put_away}`")),
    ];
    for (id, text, way_out) in cases {
        let refused = agent.update_memory(id, text).unwrap_err();
        assert!(matches!(&refused, AppError::Invalid { field: "text", hint, .. } if hint.contains(&way_out)), "{text}: {refused:?}");
    }
    assert_eq!(project.app.episode(&stays).unwrap().state, MemoryState::Active);
    assert_eq!(project.app.fact(&target).unwrap().state, MemoryState::Active);
}
