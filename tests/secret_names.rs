//! Names that look like secrets: none is let in, and one that is there already gets another name without losing what is known under it.
#![allow(clippy::unwrap_used, reason = "a journey fails with the line that went wrong")]

use journeys::{assert_sound, feature, journal, learn, learnings, lesson, list, play, refused, task, text};
use ralph_testkit::Sandbox;
use serde_json::json;
use std::path::Path;

/// As long as the tokens, so that one can take its place in any file.
const STAND_IN: &str = "a-placeholder-of-as-many-letters-as-that";

/// Put together here, so that this file does not look like a leak.
fn token() -> String {
    ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

/// A project with a feature whose name an earlier version accepted, a task and a lesson.
fn of_an_earlier_version() -> Sandbox {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, STAND_IN, &[]);
    task(&sandbox, STAND_IN, "Refund", &[]);
    learn(&sandbox, STAND_IN, &lesson(1), &[]);
    sandbox.ralph_ok(&["backup"]);
    let memory = sandbox.project().join(".ralph/db/memory");
    std::fs::rename(memory.join(format!("{STAND_IN}.jsonl")), memory.join(format!("{}.jsonl", token()))).unwrap();
    for file in ["ralph.db".to_owned(), "backups/regular-00001.db".to_owned(), format!("memory/{}.jsonl", token())] {
        let path = sandbox.project().join(".ralph/db").join(file);
        let mut bytes = std::fs::read(&path).unwrap();
        while let Some(at) = bytes.windows(STAND_IN.len()).position(|window| window == STAND_IN.as_bytes()) {
            bytes[at..at + STAND_IN.len()].copy_from_slice(token().as_bytes());
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(sandbox.ralph_ok(&["feature", "list"])[0]["name"], token());
    sandbox
}

/// A clone of the project as it is committed.
fn clone(sandbox: &Sandbox, name: &str) -> String {
    let folder = sandbox.home().join(name).to_str().unwrap().to_owned();
    sandbox.commit(name);
    sandbox.git(&["clone", "--quiet", ".", &folder]);
    folder
}

/// Files below a folder that hold the token, in their bytes or in their name.
fn holding(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            holding(&entry, found);
        } else if entry.display().to_string().contains(&token())
            || String::from_utf8_lossy(&std::fs::read(&entry).unwrap()).contains(&token())
        {
            found.push(entry.display().to_string());
        }
    }
}

#[test]
fn a_name_that_looks_like_a_secret_is_let_in_nowhere() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Split it", &[]);
    let within = format!("pay-{}", token());
    for args in
        [&["feature", "create", &token()][..], &["feature", "create", &within], &["discipline", "set", &token(), "--persona", "Careful"]]
    {
        let error = refused(&sandbox.ralph(args), "invalid");
        assert!(text(&error["message"]).contains("looks like a secret") && !error.to_string().contains(&token()), "{error}");
    }
    play(&sandbox, &format!("mcp create_feature {{\"name\": \"{}\"}}\ndone\n", token()), &["--max-iterations", "1"]);
    assert_eq!(list(sandbox.ralph_ok(&["feature", "list"])).len(), 1);
    refused(&sandbox.ralph(&["task", "create", "--feature", "[redacted:github-pat]", "--title", "T"]), "not_found");
    assert_eq!(sandbox.ralph_ok(&["audit"])["secret"]["count"], 0);
}

#[test]
fn a_feature_that_is_named_like_a_secret_gets_another_name_everywhere_and_its_knowledge_stays() {
    let sandbox = of_an_earlier_version();
    let audit = sandbox.ralph_ok(&["audit"]);
    assert!(audit["secret"]["count"].as_u64().unwrap() > 0 && !audit.to_string().contains(&token()), "{audit:#}");
    sandbox.ralph_ok(&["audit", "--wash"]);
    assert_eq!(sandbox.ralph_ok(&["audit"])["secret"]["count"], 0);
    let mut found = Vec::new();
    holding(&sandbox.project().join(".ralph"), &mut found);
    holding(&sandbox.home().join(".local"), &mut found);
    assert_eq!(found, Vec::<String>::new());

    let name = text(&sandbox.ralph_ok(&["feature", "list"])[0]["name"]);
    assert!(name.starts_with("redacted-github-pat-"), "{name}");
    let lines = journal(&sandbox, &name);
    for _ in 0..3 {
        let rebuilt = sandbox.ralph_ok(&["rebuild"]);
        assert_eq!((&rebuilt["written_back"], &rebuilt["skipped"]), (&json!(0), &json!([])), "{rebuilt}");
    }
    assert_eq!(journal(&sandbox, &name), lines);
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"]))[0]["feature"], name);
    learn(&sandbox, &name, &lesson(2), &[]);
    assert_sound(&sandbox);
    let clone = clone(&sandbox, "clone");
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list", "-C", &clone])).len(), learnings(&sandbox, &name, "active").len());
    assert_eq!(sandbox.ralph_ok(&["feature", "list", "-C", &clone])[0]["name"], name);
}

#[test]
fn a_clone_says_what_it_leaves_out_for_its_name_and_takes_it_once_it_has_another() {
    let sandbox = of_an_earlier_version();
    let clone = clone(&sandbox, "clone");
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list", "-C", &clone])).len(), 0);
    let doctor = sandbox.ralph(&["doctor", "-C", &clone]);
    assert!(!doctor.status.success() && doctor.stdout.contains("ralph audit --wash") && !doctor.stdout.contains(&token()), "{doctor:?}");
    let skipped = list(sandbox.ralph_ok(&["rebuild", "-C", &clone])["skipped"].take());
    assert!(skipped.len() == 2 && skipped.iter().all(|line| line["secret_name"] == true), "{skipped:?}");

    sandbox.ralph_ok(&["audit", "--wash"]);
    sandbox.commit("washed");
    sandbox.git(&["-C", &clone, "pull", "--quiet"]);
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list", "-C", &clone])).len(), 1);
    assert!(sandbox.ralph(&["doctor", "-C", &clone]).json()["ok"] == true);
}
