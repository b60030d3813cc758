//! A person's own hooks refuse and change what Ralph commits and merges: nothing of it is lost, and the reason is told.

use journeys::{git_in, in_review, play, project_with, refused, task, text};
use ralph_testkit::Sandbox;

/// Makes a hook of the project that is run with `sh`.
fn hook(sandbox: &Sandbox, name: &str, script: &str) {
    let hook = sandbox.write(format!(".git/hooks/{name}"), &format!("#!/bin/sh\n{script}\n"));
    sandbox.run(sandbox.command("chmod").arg("+x").arg(&hook));
}

#[test]
fn work_that_git_refused_to_commit_is_told_and_needs_a_person() {
    let sandbox = project_with("");
    task(&sandbox, "pay", "First", &[]);
    hook(&sandbox, "pre-commit", "echo not signed >&2; exit 1");
    let run = play(&sandbox, "edit z.txt <<EOF\nz\nEOF\ndone\n", &["--worktrees"]);
    assert_eq!(run["result"], "needs_you", "{run}");
    let diff = sandbox.ralph_ok(&["diff", "1"]);
    assert_ne!(diff["row"]["standing"], "landed", "{diff}");
    let refusal = text(&diff["refusal"]["message"]);
    assert!(refusal.contains("z.txt") && refusal.contains("not signed"), "{diff}");
    let told = journeys::plain(&sandbox, &["diff", "1"]).stdout;
    assert!(told.contains("z.txt") && told.contains("not signed"), "{told}");
}

#[test]
fn a_merge_says_why_git_refused_what_stands_beside_the_agent_s_own_commits() {
    let sandbox = project_with("");
    task(&sandbox, "pay", "First", &[]);
    hook(&sandbox, "pre-commit", "! git diff --cached --name-only | grep -q z.txt || { echo z is not signed >&2; exit 1; }");
    play(&sandbox, "edit a.txt <<EOF\nown\nEOF\ncommit Own\nedit z.txt <<EOF\nz\nEOF\ndone\n", &["--worktrees"]);
    for time in 1..=2 {
        let refusal = text(&refused(&sandbox.ralph(&["merge", "1"]), "uncommitted")["message"]);
        assert!(refusal.contains("z.txt") && refusal.matches("z is not signed").count() == 1, "time {time}: {refusal}");
    }
    // A reason for other files is none for these.
    let path = text(&sandbox.ralph_ok(&["worktree", "list"])[0]["path"]);
    std::fs::write(std::path::Path::new(&path).join("a.txt"), "a person's\n").expect("writes");
    let refusal = text(&refused(&sandbox.ralph(&["merge", "1"]), "uncommitted")["message"]);
    assert!(refusal.contains("a.txt") && !refusal.contains("not signed"), "{refusal}");
}

#[test]
fn work_whose_message_commitlint_refuses_is_committed_as_a_chore() {
    let sandbox = project_with("");
    task(&sandbox, "pay", "Retry refunds.", &[]);
    let rule = "head -1 \"$1\" | grep -qE '^(Merge .+|chore: [a-z].*[^.])$' || { echo subject-case >&2; exit 1; }";
    hook(&sandbox, "commit-msg", rule);
    let run = play(&sandbox, "edit b.txt <<EOF\nb\nEOF\ndone\n", &["--worktrees"]);
    assert_eq!(run["result"], "done", "{run}");
    let subject = git_in(&sandbox, &sandbox.project(), &["log", "-1", "--format=%s", "ralph/1-retry-refunds"]);
    assert_eq!(subject.trim(), "chore: task #1: Retry refunds");
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(sandbox.read("b.txt"), "b\n");
}

#[test]
fn what_a_hook_formats_is_merged_with_the_work_and_what_it_changes_each_time_is_told_at_once() {
    let sandbox = project_with("");
    hook(&sandbox, "pre-commit", "sed -i 's/ *$//' b.txt");
    task(&sandbox, "pay", "Formatted", &[]);
    assert_eq!(play(&sandbox, "edit b.txt <<EOF\nb   \nEOF\ndone\n", &["--worktrees"])["result"], "done");
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(sandbox.read("b.txt"), "b\n");
    hook(&sandbox, "pre-commit", "date +%s%N >> b.txt");
    task(&sandbox, "pay", "Stamped", &[]);
    let run = play(&sandbox, "edit b.txt <<EOF\nc\nEOF\ndone\n", &["--worktrees"]);
    assert_eq!(run["result"], "needs_you", "{run}");
    let waits = text(&sandbox.ralph_ok(&["status"])["needs_you"][0]["refused"]);
    assert!(waits.contains("not committed: b.txt"), "{waits}");
}

#[test]
fn a_hook_that_refuses_the_merge_s_message_is_told_with_that_message_and_without_git_s_advice() {
    let sandbox = project_with("");
    in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.write("c.txt", "moved on\n");
    sandbox.commit("moved on");
    let refuse = "echo no conventional commit >&2; exit 1";
    hook(&sandbox, "commit-msg", &format!("grep -q '^feat:' \"$1\" || {{ {refuse}; }}"));
    let message = text(&refused(&sandbox.ralph(&["merge", "1"]), "by_git")["message"]);
    assert!(["no conventional commit", "Merge task #1: First", "rebase"].iter().all(|part| message.contains(part)), "{message}");
    assert!(!message.contains("complete the merge"), "{message}");
    // What commitlint leaves to git by default.
    hook(&sandbox, "commit-msg", &format!("grep -qE '^Merge .+ into .+$|^feat:' \"$1\" || {{ {refuse}; }}"));
    sandbox.ralph_ok(&["merge", "1"]);
}
