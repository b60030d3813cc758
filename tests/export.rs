//! The export as a file: it takes the place of nothing that a person would miss.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a journey fails with the line that went wrong")]

use journeys::{assert_sound, committed_with_tasks, feature, learn, lesson, list, play, refused, with_tasks};
use ralph_testkit::Sandbox;
use serde_json::json;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};

#[test]
fn an_export_overwrites_no_file_of_the_project_itself() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for own in [".ralph/config.toml", ".ralph/db/ralph.db", ".ralph/db/exports/../ralph.db", "new/../.ralph/db/memory/pay.jsonl"] {
        assert!(refused(&sandbox.ralph(&["export", "--out", own]), "invalid")["message"].to_string().contains("out:"), "{own}");
    }
    sandbox.write("README.md", "# Ours\n");
    for taken in ["README.md", ".git/config", ".git/new.json"] {
        let error = refused(&sandbox.ralph(&["export", "--out", taken]), "invalid");
        assert!(error["message"].to_string().contains("out:") && error["hint"].to_string().contains("--out"), "{error}");
    }
    assert!(sandbox.read("README.md") == "# Ours\n" && sandbox.read(".git/config").contains("[core]"));
    for _ in ["new", "an earlier export"] {
        sandbox.ralph_ok(&["export", "--out", "exported/all.json"]);
    }
    let long = learn(&sandbox, "pay", &format!("The pool drains slowly{}", ", since each job opens its own".repeat(30)), &[]);
    assert_eq!(long["cut"], true);
    assert_sound(&sandbox);
}

#[test]
fn an_export_tells_why_attempts_failed_and_what_errands_and_notices_there_were() {
    let sandbox = with_tasks(1);
    let report = "<failure-report>\nwhat_was_tried: the sandbox of the provider\nwhy_it_failed: it answers nobody\n</failure-report>";
    play(&sandbox, &format!("sigil {}\nfailed\n", report.replace('\n', "\nsigil ")), &["--max-iterations", "1"]);
    let export = sandbox.ralph_ok(&["export"]);
    let attempts = list(export["attempts"].clone());
    assert_eq!((attempts.len(), &attempts[0]["iteration"]), (1, &export["iterations"][0]["id"]), "{export:#}");
    assert_eq!(attempts[0]["failure"]["what_was_tried"], "the sandbox of the provider");
    assert!(export["errands"].is_array() && export["notices"].is_array());
}

#[test]
fn an_export_has_what_waits_on_branches_and_for_the_next_iteration() {
    let sandbox = committed_with_tasks(1);
    sandbox.write("docs/refunds.md", "# Refunds\n\nThe ledger is locked first.\n");
    sandbox.ralph_ok(&["ingest", "docs"]);
    play(&sandbox, &format!("append work.txt x\ncommit Work\nlearn pitfall ledger: {}\ndone\n", lesson(1)), &["--worktrees"]);
    sandbox.ralph_ok(&["guide", "Leave the colours alone."]);
    let export = sandbox.ralph_ok(&["export"]);
    assert_eq!((&export["guidance"][0]["text"], &export["document_sources"]), (&json!("Leave the colours alone."), &json!(["docs"])));
    let staged = &export["staged"][0];
    assert_eq!((&staged["learning"]["text"], &staged["branch"]), (&json!(lesson(1)), &export["worktrees"][0]["branch"]), "{export:#}");
    assert!(export["consolidations"].is_array());
}

#[test]
fn an_export_follows_a_link_and_takes_the_place_of_nothing_but_a_plain_file() {
    let sandbox = Sandbox::with_project();
    let place = |name: &str| sandbox.project().join(name);
    symlink("real.json", place("latest.json")).unwrap();
    symlink("none.json", place("dangling.json")).unwrap();
    sandbox.write("real.json", "");
    assert!(sandbox.run(sandbox.command("mkfifo").arg("pipe")).status.success());
    sandbox.ralph_ok(&["export", "--out", "latest.json"]);
    assert!(place("latest.json").is_symlink() && sandbox.read("real.json").starts_with('{'));
    for taken in ["pipe", "dangling.json", ".git"] {
        let error = refused(&sandbox.ralph(&["export", "--out", taken]), "invalid");
        assert!(error["message"].to_string().contains("out:") && error["hint"].to_string().contains("--out"), "{error}");
    }
    assert!(place("pipe").symlink_metadata().unwrap().file_type().is_fifo() && place("dangling.json").is_symlink());
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff.json");
    let program = sandbox.ralph_command(&[]).get_program().to_owned();
    let output = sandbox.run(sandbox.command(program).args(["--json", "export", "--out"]).arg(odd));
    assert!(output.status.success() && output.json()["path"].to_string().contains("odd"), "{output:?}");
    assert!(sandbox.project().join(odd).exists());
}
