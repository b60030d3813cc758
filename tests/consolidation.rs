//! Consolidation: ages in active days, the trigger and the batch, by the real `ralph` in real repositories.

use journeys::{content, feature, list, play, task, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Commits everything as of a day, in the author's own time zone.
fn commit_on(sandbox: &Sandbox, day: u32, message: &str) {
    let date = format!("2026-03-{day:02}T23:30:00-0800");
    sandbox.git(&["add", "-A"]);
    let mut command = sandbox.command("git");
    command.args(["commit", "-q", "--allow-empty", "-m", message]).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
    let output = sandbox.run(&mut command);
    assert!(output.status.success(), "{}", output.stderr);
}

const OLD: &str = "# Learnings\n\nKeep what helps.\n\n## Seeds\n- Seeds live in `db/seeds.sql`, since the importer reads no other file\n\n\
## Clock\n- Mock the system clock in tests\n\n## Ports\n- The port 8080 must be free for `make serve`, else it hangs\n\n\
## Prices\n- Prices are integers in cents as `price_cents`, never floats\n\n";
const YOUNG: &str = "## Clock again\n- Never mock the system clock in tests\n\n```\n## no entry\n```\n";

/// Four entries of the first of March, seven active days (the last is that of the first commit: today), and one that came later.
fn project() -> Sandbox {
    let sandbox = Sandbox::with_project();
    sandbox.write("learnings.md", OLD);
    commit_on(&sandbox, 1, "learnt");
    for day in [2, 3, 3, 9, 10, 20] {
        commit_on(&sandbox, day, "work");
    }
    sandbox.write("learnings.md", &format!("{OLD}{YOUNG}"));
    commit_on(&sandbox, 22, "learnt more");
    sandbox
}

fn ages(sandbox: &Sandbox) -> BTreeMap<String, (Value, Value)> {
    let entries = list(sandbox.ralph_ok(&["learning", "ages"])["entries"].take());
    let name = |entry: &Value| text(if entry["title"].is_null() { &entry["text"] } else { &entry["title"] });
    entries.iter().map(|entry| (name(entry), (entry["age_active_days"].clone(), entry["eligible"].clone()))).collect()
}

#[test]
fn entries_and_learnings_have_ages_in_active_days() {
    let sandbox = project();
    feature(&sandbox, "pay", &[]);
    sandbox.ralph_ok(&["learning", "add", "--feature", "pay", "--text", "Refund windows are compared in the provider time zone"]);
    let found = ages(&sandbox);
    assert_eq!(found["Seeds"], (json!(7), json!(true)), "{found:?}");
    assert_eq!(found["Clock again"], (json!(1), json!(false)));
    assert_eq!(found["Refund windows are compared in the provider time zone"], (json!(0), json!(false)));
    assert_eq!(found.len(), 6, "what stands in code is not an entry: {found:?}");

    // A heading that is mended does not make an entry young; what is not committed has no age.
    sandbox.write(
        "learnings.md",
        &format!("{}{YOUNG}\n## Loose\n- not committed yet, so nobody knows\n", OLD.replace("## Seeds", "## The seeds")),
    );
    let found = ages(&sandbox);
    assert_eq!((&found["The seeds"], &found["Loose"]), (&(json!(7), json!(true)), &(json!(0), json!(false))));
    sandbox.git(&["mv", "-f", "learnings.md", "docs.md"]);
    commit_on(&sandbox, 22, "moved");
    sandbox.write(
        ".ralph/config.toml",
        &sandbox.read(".ralph/config.toml").replace("learnings_file = \"learnings.md\"", "learnings_file = \"docs.md\""),
    );
    sandbox.trust();
    assert_eq!(ages(&sandbox)["The seeds"], (json!(7), json!(true)), "a rename keeps it");

    let summary = sandbox.ralph_ok(&["learnings", "ages", "--summary"])["summary"].take();
    assert_eq!((&summary["eligible"], &summary["history"], &summary["active_days"]), (&json!(4), &json!("complete"), &json!(8)));
}

#[test]
fn where_git_tells_no_dates_of_the_file_nobody_is_told_to_commit_it() {
    let sandbox = project();
    sandbox.git(&["config", "blame.blankBoundary", "perhaps"]);
    let found = sandbox.ralph_ok(&["learning", "ages"]);
    let reasons: Vec<(&Value, String)> =
        found["entries"].as_array().expect("entries").iter().map(|entry| (&entry["age_active_days"], text(&entry["reason"]))).collect();
    assert!(reasons.iter().all(|(age, reason)| age.is_null() && reason.contains("not known")), "{reasons:?}");
    assert!(text(&found["summary"]["notes"][0]).contains("perhaps"), "{found}");
}

#[test]
fn of_two_equal_entries_one_goes() {
    let sandbox = Sandbox::with_project();
    let ports = "## Ports\n- The port 8080 must be free for `make serve`\n\n";
    sandbox.write("learnings.md", &format!("# L\n\n{ports}{ports}## Last\n- The newest one stays where it is\n"));
    for day in 1..=9 {
        commit_on(&sandbox, day, "work");
    }
    sandbox.write(".ralph/config.toml", &sandbox.read(".ralph/config.toml").replace("keep_newest = 3", "keep_newest = 1"));
    sandbox.trust();
    let preview = sandbox.ralph_ok(&["consolidate", "--dry-run"]);
    let fates: Vec<String> = list(preview["decisions"].clone()).iter().map(|d| text(&d["decision"])).collect();
    assert_eq!((fates, list(preview["batch"].clone()).len()), (["goes", "redundant", "newest"].map(str::to_owned).to_vec(), 1));
}

#[test]
fn a_learnings_file_in_which_nothing_is_an_entry_says_so() {
    let sandbox = Sandbox::with_project();
    for (text, line) in [("- The port 8080 must be free\n", 1), ("# L\n\n### Ports\nThe port 8080 must be free\n", 3)] {
        sandbox.write("learnings.md", text);
        let found = sandbox.ralph_ok(&["learning", "ages"]);
        let note = format!("learnings.md:{line}: nothing in the file is an entry");
        assert!(text_of_notes(&found["summary"]).starts_with(&note), "{found}");
        assert!(text_of_notes(&sandbox.ralph_ok(&["consolidate", "--dry-run"])).starts_with(&note));
    }
}

fn text_of_notes(of: &Value) -> String {
    text(&of["notes"][0])
}

#[test]
fn where_lines_end_as_on_old_systems_nothing_goes_and_the_line_is_told() {
    let sandbox = Sandbox::with_project();
    sandbox.write("learnings.md", &OLD.replacen("\n\n## Clock", "\r## Clock", 1));
    for day in 1..=9 {
        commit_on(&sandbox, day, "work");
    }
    let preview = sandbox.ralph_ok(&["consolidate", "--dry-run"]);
    assert_eq!((&preview["batch"], &preview["decisions"]), (&json!([]), &json!([])), "the words of the first one would go unseen");
    assert!(text(&preview["notes"][0]).starts_with("learnings.md:6: its entries are left out"), "{preview:#}");
}

#[test]
fn without_git_no_age_is_known_and_nothing_is_eligible() {
    let sandbox = Sandbox::with_project();
    sandbox.write("learnings.md", OLD);
    std::fs::remove_dir_all(sandbox.project().join(".git")).expect("removes");
    let found = sandbox.ralph_ok(&["learning", "ages"]);
    assert!(list(found["entries"].clone()).iter().all(|entry| entry["age_active_days"].is_null() && entry["eligible"] == false), "{found}");
    assert!(text(&found["summary"]["notes"][0]).contains("is not a git repository"), "{found}");
    assert_eq!(sandbox.ralph_ok(&["consolidate", "--dry-run"])["batch"], json!([]));
}

#[test]
fn a_dry_run_says_what_would_go_and_changes_nothing() {
    let sandbox = project();
    feature(&sandbox, "pay", &[]);
    sandbox.write("docs/knowledge/prices.md", "# Prices\n\n- Prices are integers in cents as `price_cents`, never floats\n");
    sandbox.write(".ralph/config.toml", &sandbox.read(".ralph/config.toml").replace("keep_newest = 3", "keep_newest = 1"));
    sandbox.trust();
    sandbox.ralph_ok(&["consolidate", "--dry-run"]);
    let before = content(&sandbox.project());
    let preview = sandbox.ralph_ok(&["consolidate", "--dry-run"]);
    let after = content(&sandbox.project());
    let changed: Vec<&String> = before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
    assert_eq!(changed, Vec::<&String>::new());

    let trigger = &preview["trigger"];
    let numbers = ["due", "lines", "lines_limit", "active_days_since", "stale_days", "fresh", "min_entries", "fresh_days", "needs_person"];
    let found: Vec<&Value> = numbers.iter().map(|number| &trigger[number]).collect();
    assert_eq!(json!(found), json!([false, 22, 150, 7, 14, 4, 3, 7, false]), "{trigger:#}");
    let batch: Vec<String> = list(preview["batch"].clone()).iter().map(|entry| text(&entry["title"])).collect();
    assert_eq!(batch, ["Seeds", "Ports"], "{preview:#}");
    let fates: Vec<(String, String)> =
        list(preview["decisions"].clone()).iter().map(|d| (text(&d["title"]), text(&d["decision"]))).collect();
    let expected = [("Seeds", "goes"), ("Clock", "superseded"), ("Ports", "goes"), ("Prices", "redundant"), ("Clock again", "young")];
    assert_eq!(fates, expected.map(|(title, fate)| (title.to_owned(), fate.to_owned())));
    let redundant = &preview["decisions"][3];
    assert_eq!(redundant["other"], "docs/knowledge/prices.md:3");
    assert!(redundant["score"].as_f64().is_some_and(|score| score > 0.9), "{redundant}");

    // A document that has grown too long is told before it is divided.
    let long: String = (0..401).map(|line| format!("- Rule {line}\n")).collect();
    sandbox.write("docs/knowledge/rules.md", &long);
    let notes = list(sandbox.ralph_ok(&["consolidate", "--dry-run"])["notes"].take());
    assert!(notes.iter().any(|note| text(note).starts_with("docs/knowledge/rules.md has 401 lines, more than 400")), "{notes:?}");

    let error = sandbox.ralph_err(&["consolidate", "--dry-run", "--feature", "nobody"]);
    assert_eq!(error["code"], "not_found", "{error}");
}

#[test]
fn what_is_too_long_and_too_young_is_put_before_a_person_when_a_run_ends() {
    let sandbox = Sandbox::with_project();
    let entries: String = (0..50).map(|n| format!("## Entry {n}\n- The module m{n} needs `setup_{n}` first\n\n")).collect();
    sandbox.write("learnings.md", &entries);
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Refund", &[]);
    sandbox.commit("all");
    let ended = play(&sandbox, "done\n", &["--max-iterations", "1"]);
    let notices = list(sandbox.ralph_ok(&["notice", "list"]));
    assert_eq!((notices.len(), &notices[0]["kind"]), (1, &json!("consolidation")), "{notices:?}");
    assert!(
        text(&notices[0]["detail"]).contains("150 of 150 lines") && text(&notices[0]["detail"]).contains("0 of 50 entries"),
        "{notices:?}"
    );
    assert!(list(ended["needs_you"].clone()).iter().any(|item| item["kind"] == "notice"), "{ended}");
    sandbox.ralph_ok(&["notice", "dismiss", &notices[0]["id"].to_string()]);
    task(&sandbox, "pay", "Again", &[]);
    play(&sandbox, "done\n", &["--max-iterations", "1"]);
    assert_eq!(list(sandbox.ralph_ok(&["notice", "list"])).len(), 0, "who was told is not told again at once");
}

#[test]
fn what_is_due_is_told_by_the_status_and_at_the_end_of_a_run() {
    let sandbox = project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Refund", &[]);
    assert_eq!(sandbox.ralph_ok(&["status"])["due"], json!([]));
    let smaller = [("keep_newest = 3", "keep_newest = 1"), ("stale_days = 14", "stale_days = 5"), ("fresh_days = 7", "fresh_days = 3")];
    let settings = smaller.iter().fold(sandbox.read(".ralph/config.toml"), |text, (usual, less)| text.replace(usual, less));
    sandbox.write(".ralph/config.toml", &settings.replace("min_entries = 3", "min_entries = 1"));
    sandbox.trust();
    sandbox.commit("all");
    let ended = play(&sandbox, "done\n", &["--max-iterations", "1"]);
    for told in [&ended, &sandbox.ralph_ok(&["status"])] {
        let due = list(told["due"].clone());
        assert_eq!((due.len(), &due[0]["source"], &due[0]["due"]), (1, &json!("learnings.md"), &json!(true)), "{told}");
    }
}
