//! A check that removes what it should judge: what it removed is saved and reported, and passing with nothing left is not a pass.
#![cfg(unix)]

use journeys::{committed_with_tasks, iterations, list, play, status_of, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

const UNCOMMITTED: &str = "edit new.txt <<EOF\nwork\nEOF\ndone\n";
const COMMITTED: &str = "edit new.txt <<EOF\nwork\nEOF\ncommit Work\ndone\n";

/// One attempt at the only task, and the remarks on it.
fn attempt(sandbox: &Sandbox, script: &str, check: &str, more: &[&str]) -> (Value, Vec<Value>) {
    let run = play(sandbox, script, &[&["--max-iterations", "1", "--check", check], more].concat());
    let iteration = iterations(sandbox).pop().expect("an iteration");
    (run, list(iteration["evidence"]["remarks"].clone()))
}

fn snapshots(sandbox: &Sandbox) -> Vec<Value> {
    list(sandbox.ralph_ok(&["snapshot", "list"]))
}

#[test]
fn uncommitted_work_that_a_check_cleans_away_is_not_done_and_comes_back() {
    for place in ["--in-place", "--worktrees"] {
        for check in ["git clean -fdq", "git stash -q -u"] {
            let sandbox = committed_with_tasks(1);
            let (run, remarks) = attempt(&sandbox, UNCOMMITTED, check, &[place]);
            assert_eq!(status_of(&sandbox, 1), "pending", "{check} {place}: {run}");
            let note = text(&iterations(&sandbox)[0]["note"]);
            assert!(note.contains("took away all of the work that it was to judge"), "{check} {place}: {note}");
            let gone =
                remarks.iter().find(|remark| remark["kind"] == "work_gone").unwrap_or_else(|| panic!("{check} {place}: {remarks:?}"));
            assert_eq!(gone["paths"], json!(["new.txt"]));
            let name = text(&gone["kept"]["snapshot"]);
            if place == "--in-place" {
                sandbox.ralph_ok(&["snapshot", "restore", &name]);
                assert_eq!(sandbox.read("new.txt"), "work\n", "{check}");
            }
        }
    }
}

#[test]
fn commits_that_a_check_resets_are_not_done_and_stay_reachable() {
    let sandbox = committed_with_tasks(1);
    let (run, remarks) = attempt(&sandbox, COMMITTED, "git reset -q --hard HEAD~1", &["--worktrees"]);
    assert_eq!(status_of(&sandbox, 1), "pending", "{run}");
    let moved = remarks.iter().find(|remark| remark["kind"] == "history_moved").unwrap_or_else(|| panic!("{remarks:?}"));
    let commit = text(&moved["from"]);
    assert_eq!(sandbox.git(&["show", &format!("{commit}:new.txt")]), "work");
    assert!(!sandbox.git(&["for-each-ref", "--contains", &commit]).is_empty(), "git keeps it");
    assert_eq!(list(sandbox.ralph_ok(&["worktree", "list"])).len(), 1, "the worktree stays");
}

#[test]
fn what_a_check_takes_of_more_is_told_beside_work_that_passed() {
    let sandbox = committed_with_tasks(1);
    let script = "edit new.txt <<EOF\nwork\nEOF\ncommit Work\nedit more.txt <<EOF\nmore\nEOF\ndone\n";
    let (run, remarks) = attempt(&sandbox, script, "git clean -fdq", &["--in-place"]);
    assert_eq!(status_of(&sandbox, 1), "done", "{run}");
    assert!(remarks.iter().any(|remark| remark["kind"] == "work_gone" && remark["paths"] == json!(["more.txt"])), "{remarks:?}");
}

#[test]
fn a_check_that_takes_nothing_leaves_no_snapshot() {
    let sandbox = committed_with_tasks(1);
    let (run, remarks) = attempt(&sandbox, UNCOMMITTED, "test -f new.txt", &["--in-place"]);
    assert_eq!((status_of(&sandbox, 1), remarks, snapshots(&sandbox)), ("done".to_owned(), Vec::new(), Vec::new()), "{run}");
}
