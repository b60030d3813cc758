//! Documents: ingesting, finding, reading again and forgetting.
#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]

mod common;

use common::Project;
use ralph_app::{Actor, App};
use ralph_core::feature::{FeaturePatch, NewFeature};
use ralph_core::learning::NewLearning;
use ralph_core::recall::{MemoryKind, RecallQuery};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A file that was changed long ago.
fn write(root: &Path, path: &str, text: &str, hours_ago: u64) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    #[allow(clippy::disallowed_methods, reason = "times of files are the system's")]
    let time = SystemTime::now() - Duration::from_secs(hours_ago * 3_600);
    File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
}

/// The project as the next process opens it.
fn opened(project: &Project) -> App {
    project.acting_as(Actor::Human)
}

fn found(app: &App, query: &str, feature: Option<&str>) -> Vec<String> {
    let request = RecallQuery {
        query: query.into(),
        feature: feature.map(str::to_owned),
        kinds: vec![MemoryKind::Document],
        limit: 10,
        ..RecallQuery::default()
    };
    app.recall(&request).unwrap().hits.into_iter().map(|hit| hit.id).collect()
}

#[test]
fn only_a_file_whose_time_or_length_changed_is_read_again() {
    let project = Project::new();
    let root = &*project.app.paths().root.clone();
    write(root, "docs/a.md", "# Refunds\nThe flumox settles them.\n", 5);
    opened(&project).ingest(&[root.join("docs")]).unwrap();
    assert_eq!(found(&opened(&project), "flumox", None), ["docs/a.md:1"]);

    // Same length and time as before: it is not read.
    let time = fs::metadata(root.join("docs/a.md")).unwrap().modified().unwrap();
    fs::write(root.join("docs/a.md"), "# Refunds\nThe zibbel settles them.\n").unwrap();
    File::options().write(true).open(root.join("docs/a.md")).unwrap().set_modified(time).unwrap();
    assert_eq!(found(&opened(&project), "zibbel", None), Vec::<String>::new());

    write(root, "docs/a.md", "# Refunds\nThe zibbel settles them.\n", 4);
    write(root, "docs/b.md", "The zibbel again.\n", 4);
    assert_eq!(found(&opened(&project), "zibbel", None).len(), 2, "opening finds what changed and what came");
    assert_eq!(found(&opened(&project), "flumox", None), Vec::<String>::new(), "what it said before is gone");
    fs::remove_file(root.join("docs/a.md")).unwrap();
    assert_eq!(found(&opened(&project), "zibbel", None), ["docs/b.md:1"]);
}

#[test]
fn a_document_that_one_feature_names_is_that_feature_s() {
    let project = Project::with_feature("pay");
    let root = &*project.app.paths().root.clone();
    write(root, "pay.md", "The flumox settles.\n", 5);
    write(root, "all.md", "The flumox is for all.\n", 5);
    let first = opened(&project);
    first.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).unwrap();
    first.ingest(&[root.join("all.md")]).unwrap();
    let names =
        |paths: &[&str]| FeaturePatch { knowledge_paths: Some(paths.iter().map(|p| (*p).to_owned()).collect()), ..FeaturePatch::default() };
    first.update_feature("pay", &names(&["pay.md", "missing"])).unwrap();

    let app = opened(&project);
    let mut of_pay = found(&app, "flumox", Some("pay"));
    of_pay.sort();
    assert_eq!(of_pay, ["all.md:1", "pay.md:1"]);
    assert_eq!(found(&app, "flumox", Some("shop")), ["all.md:1"]);
    app.update_feature("shop", &names(&["."])).unwrap();
    app.ingest(&[]).unwrap();
    assert_eq!(found(&app, "flumox", Some("shop")).len(), 2, "what two features name is the project's");
    assert_eq!(app.documents().unwrap().iter().map(|d| d.feature.clone()).collect::<Vec<_>>(), [None, None]);

    let kept = app.forget_documents(&[root.join("all.md")]).unwrap();
    assert_eq!((kept.forgotten.len(), kept.kept.len()), (0, 1), "a feature still names it: {kept:?}");
    app.update_feature("shop", &names(&[])).unwrap();
    app.update_feature("pay", &names(&[])).unwrap();
    app.ingest(&[]).unwrap();
    assert!(app.documents().unwrap().is_empty());
}

#[test]
fn a_prompt_is_told_a_document_in_a_script_without_spaces() {
    let project = Project::with_feature("pay");
    let root = &*project.app.paths().root.clone();
    write(root, "docs/ja.md", "# 認証\nセッションの期限は三十分で、操作のたびに延長される。\n", 5);
    opened(&project).ingest(&[root.join("docs")]).unwrap();
    let told = |title: &str| opened(&project).next_prompt(project.task("pay", title)).unwrap().text.contains("三十分");
    assert!(told("セッションの期限を一時間に延長する"));
    assert!(!told("在庫数"));
}

#[test]
fn a_feature_s_recall_reaches_what_it_builds_on_at_lower_weight() {
    let project = Project::with_feature("pay");
    let app = &project.app;
    for name in ["shop", "other"] {
        app.create_feature(&NewFeature { name: name.into(), ..NewFeature::default() }).unwrap();
    }
    for feature in ["pay", "shop", "other"] {
        let text = format!("The flumox of {feature} settles at midnight");
        project.add(&NewLearning::new(feature, &text));
    }
    let of = |feature: &str| -> Vec<(String, f64)> {
        let request = RecallQuery { query: "flumox".into(), feature: Some(feature.into()), limit: 10, ..RecallQuery::default() };
        app.recall(&request).unwrap().hits.into_iter().map(|hit| (hit.feature, hit.score.total)).collect()
    };
    assert_eq!(of("pay").len(), 1);
    let patch = FeaturePatch { dependencies: Some(vec!["shop".into()]), ..FeaturePatch::default() };
    app.update_feature("pay", &patch).unwrap();
    let found = of("pay");
    assert_eq!(found.iter().map(|(feature, _)| feature.as_str()).collect::<Vec<_>>(), ["pay", "shop"]);
    assert!(found[1].1 < found[0].1 * 0.6, "{found:?}");
    assert_eq!(of("shop").len(), 1, "it does not go the other way round");
}

#[test]
fn a_nested_repository_and_an_empty_folder_are_told_by_what_they_are() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    let git = |folder: &Path, args: &[&str]| {
        let known = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        assert!(Command::new("git").arg("-C").arg(folder).args(known).args(args).status().unwrap().success(), "{args:?}");
    };
    git(&root, &["init", "--quiet"]);
    write(&root, "third/a.md", "# Notes\n\nFrom another repository.", 1);
    git(&root.join("third"), &["init", "--quiet"]);
    git(&root.join("third"), &["commit", "--quiet", "--allow-empty", "-m", "first"]);
    fs::create_dir_all(root.join("empty")).unwrap();
    let app = opened(&project);
    for (path, reason) in [("third", "it is a repository of its own"), ("empty", "it holds nothing to read yet")] {
        let outcome = app.ingest(&[root.join(path)]).unwrap();
        let told: Vec<(&str, &str)> = outcome.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.reason.as_str())).collect();
        assert_eq!((told, outcome.ingested.len()), (vec![(path, reason)], 0));
    }
    write(&root, "empty/later.md", "# Later\n\nFlumox comes by night.", 1);
    app.ingest(&[]).unwrap();
    let known: Vec<String> = app.documents().unwrap().into_iter().map(|document| document.path).collect();
    assert_eq!(known, ["empty/later.md"], "what comes into a folder later is found");
}

#[test]
fn paths_that_are_asked_for_together_hold_what_each_holds_alone() {
    let project = Project::new();
    let root = project.app.paths().root.clone();
    assert!(Command::new("git").arg("-C").arg(&root).args(["init", "--quiet"]).status().unwrap().success());
    for path in ["README.md", "docs/a.md", "docs/deep/b.md", "docs2/c.md", "docs/made.log", "build/x.md", "build/deep/y.md"] {
        write(&root, path, "# Flumox\nIt comes by night.\n", 1);
    }
    write(&root, ".gitignore", "build/\n*.log\n", 1);
    fs::create_dir_all(root.join("docs/empty")).unwrap();
    let ingested = |paths: &[&str]| {
        let app = opened(&project);
        let outcome = app.ingest(&paths.iter().map(|path| root.join(path)).collect::<Vec<_>>()).unwrap();
        app.forget_documents(&app.documents().unwrap().iter().map(|document| root.join(&document.path)).collect::<Vec<_>>()).unwrap();
        let skipped = outcome.skipped.into_iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason));
        outcome.ingested.into_iter().map(|file| file.path).chain(skipped).collect::<BTreeSet<String>>()
    };
    let paths = ["docs", "docs/a.md", "docs/deep", "docs/made.log", "docs/empty", "build", "build/deep/y.md", "README.md"];
    let alone: BTreeSet<String> = paths.iter().flat_map(|path| ingested(&[path])).collect();
    assert_eq!(ingested(&paths), alone);
    assert!(alone.contains("build/deep/y.md: git ignores it") && !alone.contains("docs2/c.md"), "{alone:?}");
}

#[test]
fn a_process_that_stays_open_tells_what_others_changed_meanwhile() {
    let (project, at) = Project::with_a_clock("pay");
    let app = &project.app;
    let root = &*app.paths().root.clone();
    write(root, "docs/a.md", "The flumox settles refunds.\n", 5);
    app.ingest(&[root.join("docs")]).unwrap();
    assert_eq!(found(app, "flumox", None), ["docs/a.md:1"]);
    let elsewhere = project.clone_without_database();
    elsewhere.add(&common::learning("pay", 1));
    fs::remove_file(root.join("docs/a.md")).unwrap();
    fs::copy(elsewhere.app.paths().memory.join("pay.jsonl"), project.app.paths().memory.join("pay.jsonl")).unwrap();

    at(1_000);
    assert_eq!((found(app, "flumox", None).len(), app.learnings(None, &[]).unwrap().len()), (1, 0), "it has just looked");
    at(10_000);
    assert_eq!((found(app, "flumox", None).len(), app.learnings(None, &[]).unwrap().len()), (0, 1));
}
