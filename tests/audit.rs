//! The audit from outside: each class of junk is found by the memories that are in it, put away as one act, and brought back.
#![cfg(unix)]

use journeys::{McpClient, assert_sound, feature, journal, learn, list, play, refused, status_of, task, text, with_tasks};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

const CLASSES: [&str; 8] = ["boilerplate", "dead_end", "duplicate", "near_duplicate", "never_used", "recall_loop", "secret", "stale_fact"];

/// Episodes of the project as another clone's journal brings them.
fn bring(sandbox: &Sandbox, lessons: &[(&str, &str)]) {
    let lines: String = lessons
        .iter()
        .map(|(id, lesson)| {
            let id = format!("01ARZ3NDEKTSV4RRFFQ69G5F{id}");
            let episode = json!({"id": id, "lesson": lesson, "lesson_type": "pattern", "confidence": 0.7, "source": "agent", "files": [],
                "created": "2026-01-05T10:00:00Z"});
            let line = json!({"v": 2, "id": id, "at": "2026-01-05T10:00:00Z", "replica": "elsewhere", "act": id, "event": "episode", "episode": episode});
            format!("{line}\n")
        })
        .collect();
    sandbox.write(".ralph/db/memory/_project.jsonl", &lines);
    sandbox.ralph_ok(&["rebuild"]);
}

fn ids(finding: &Value) -> Vec<String> {
    list(finding["memories"].clone()).iter().map(|memory| text(&memory["id"])).collect()
}

fn found(sandbox: &Sandbox, class: &str) -> Vec<String> {
    let audit = sandbox.ralph_ok(&["audit"]);
    assert_eq!(audit.as_object().expect("by class").keys().collect::<Vec<_>>(), CLASSES, "{audit}");
    let finding = &audit[class];
    let memories = ids(finding);
    if class != "secret" {
        assert_eq!(finding["count"], memories.len(), "{finding}");
        assert_eq!(finding["share"].as_f64().expect("a share") > 0.0, !memories.is_empty(), "{finding}");
    }
    memories
}

fn active_episodes(sandbox: &Sandbox) -> usize {
    list(sandbox.ralph_ok(&["episodes"])).len()
}

#[test]
fn a_class_is_put_away_as_one_act_and_comes_back_as_one() {
    let sandbox = with_tasks(0);
    bring(
        &sandbox,
        &[
            ("A0", "Run make seed before the integration tests, since they read the clock table"),
            ("A1", "run make seed before the integration tests; since they read the clock table"),
            ("A2", "Run `make seed` before the integration tests, because they read the clock table"),
            ("A3", "Send Retry-After with each 429 answer of the gateway"),
            ("A4", "All tests pass"),
            ("A5", "You are Claude Code, Anthropic's official CLI for Claude"),
        ],
    );
    let audit = sandbox.ralph_ok(&["audit"]);
    assert_eq!((&audit["duplicate"]["count"], &audit["boilerplate"]["count"]), (&json!(1), &json!(2)), "{audit:#}");
    assert_eq!(audit["boilerplate"]["share"], json!(2.0 / 6.0));
    assert!(text(&audit["duplicate"]["memories"][0]["why"]).ends_with("5FA0"), "{audit:#}");
    for class in ["dead_end", "never_used", "recall_loop", "stale_fact", "secret"] {
        assert_eq!(audit[class]["count"], 0, "{class}: {audit:#}");
    }

    let retired = sandbox.ralph_ok(&["audit", "--retire", "boilerplate"]);
    assert_eq!((list(retired["retired"].clone()).len(), list(retired["kept"].clone()).len()), (2, 0), "{retired}");
    assert_eq!((found(&sandbox, "boilerplate").len(), active_episodes(&sandbox)), (0, 4));
    let lines = journal(&sandbox, "_project");
    let of_act: Vec<&Value> = lines.iter().filter(|line| line["event"] == "audited" || line["event"] == "memory_withdrawn").collect();
    assert!(of_act.len() == 3 && of_act.iter().all(|line| line["act"] == of_act[0]["act"]), "{of_act:#?}");
    sandbox.ralph_ok(&["audit", "--retire", "duplicate"]);
    assert_eq!(active_episodes(&sandbox), 3);

    // An act by its name, whatever has been put away since, and only once.
    let undone = sandbox.ralph_ok(&["audit", "--undo", &text(&retired["act"])]);
    assert_eq!((&undone["class"], list(undone["returned"].clone()).len()), (&json!("boilerplate"), 2), "{undone}");
    refused(&sandbox.ralph(&["audit", "--undo", &text(&retired["act"])]), "invalid");
    refused(&sandbox.ralph(&["audit", "--undo", "nope"]), "not_found");
    assert_eq!(active_episodes(&sandbox), 5);
    sandbox.ralph_ok(&["audit", "--undo"]);
    sandbox.ralph_ok(&["audit", "--retire", "boilerplate"]);
    sandbox.ralph_ok(&["audit", "--retire", "duplicate"]);

    // Last in, first out; what is in neither stays.
    let undone = sandbox.ralph_ok(&["audit", "--undo"]);
    assert_eq!((&undone["class"], list(undone["returned"].clone()).len()), (&json!("duplicate"), 1), "{undone}");
    sandbox.ralph_ok(&["rebuild"]);
    let undone = sandbox.ralph_ok(&["audit", "--undo"]);
    assert_eq!((&undone["class"], &undone["left"]), (&json!("boilerplate"), &json!([])), "{undone}");
    assert_eq!(active_episodes(&sandbox), 6);
    refused(&sandbox.ralph(&["audit", "--undo"]), "invalid");
    refused(&sandbox.ralph(&["audit", "--retire", "rubbish"]), "usage");
    refused(&sandbox.ralph(&["audit", "--with-protected"]), "usage");

    let days = list(sandbox.ralph_ok(&["audit", "--days"]));
    assert_eq!((days.len(), &days[0]["memories"], &days[0]["classes"]["boilerplate"]), (1, &json!(6), &json!(2)), "{days:?}");
    assert_sound(&sandbox);
}

#[test]
fn what_a_person_wrote_stays_unless_that_is_asked_for() {
    let sandbox = with_tasks(0);
    let lesson = "Refund windows are compared in the provider time zone";
    let own = learn(&sandbox, "pay", lesson, &["--source", "human"]);
    bring(&sandbox, &[("B0", lesson), ("B1", "All tests pass")]);
    let duplicates = found(&sandbox, "duplicate");
    assert_eq!(duplicates, ["01ARZ3NDEKTSV4RRFFQ69G5FB0"], "the learning stays, although it is younger");
    sandbox.ralph_ok(&["audit", "--retire", "duplicate"]);
    assert_eq!(sandbox.ralph_ok(&["learning", "show", &text(&own["id"])])["state"], "active");

    let empty = sandbox.ralph_ok(&["fact", "add", "answer", "I'm sorry, I can't help with that"]);
    let retired = sandbox.ralph_ok(&["audit", "--retire", "boilerplate"]);
    assert_eq!(list(retired["retired"].clone()), ["01ARZ3NDEKTSV4RRFFQ69G5FB1"], "{retired}");
    assert_eq!(retired["kept"][0], empty["fact"]["id"], "it is said: {retired}");
    let retired = sandbox.ralph_ok(&["audit", "--retire", "boilerplate", "--with-protected"]);
    assert_eq!(retired["retired"][0], empty["fact"]["id"], "{retired}");
    assert_eq!(sandbox.ralph_ok(&["audit", "--undo"])["returned"][0], empty["fact"]["id"]);
    // Nothing to put away is not an act, so the undo is of the one before.
    sandbox.ralph_ok(&["audit", "--retire", "dead_end"]);
    assert_eq!(sandbox.ralph_ok(&["audit", "--undo"])["returned"], json!(["01ARZ3NDEKTSV4RRFFQ69G5FB1"]));
    assert_sound(&sandbox);
}

#[test]
fn a_fact_is_stale_once_the_file_that_it_names_is_gone() {
    let sandbox = with_tasks(0);
    sandbox.write("src/ports.ts", "gateway 8080\nledger 9090\n");
    sandbox.write("src/other.ts", "1\n");
    // A fact that was read from a line goes by itself with the line, and is not junk.
    let own = text(&sandbox.ralph_ok(&["fact", "add", "gateway port", "8080", "--file", "src/ports.ts:1"])["fact"]["id"]);
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
    let mut state = |subject: &str, value: &str| {
        let fact = client.call("add_fact", &json!({"subject": subject, "value": value})).expect("is stated");
        text(&fact["id"])
    };
    let named = state("ports", "they stand in src/ports.ts, one a line");
    state("website", "https://example.com/src/gone.html and /etc/gone.conf, never lib/gone.rb");
    client.close();
    assert_eq!(found(&sandbox, "stale_fact"), Vec::<String>::new());
    std::fs::remove_file(sandbox.project().join("src/ports.ts")).expect("was there");
    assert_eq!(found(&sandbox, "stale_fact"), [named.as_str()]);
    assert_eq!(sandbox.ralph_ok(&["fact", "show", &own])["withdrawn"]["because"], "source_gone");
    sandbox.ralph_ok(&["audit", "--retire", "stale_fact"]);
    assert_eq!(sandbox.ralph_ok(&["fact", "show", &named])["state"], "withdrawn");
    assert_eq!(sandbox.ralph_ok(&["audit", "--undo"])["returned"], json!([named]));
    assert_sound(&sandbox);
}

#[test]
fn what_the_prompt_told_and_a_success_that_did_not_last_are_found() {
    let sandbox = with_tasks(0);
    let rule = "Prices of the ledger are stored in cents as integers, never as floats";
    task(&sandbox, "pay", "Refund", &["--description", rule]);
    sandbox.write("check.sh", "true\n");
    sandbox.commit("a project");
    let script = format!(
        "edit src/a.rs <<EOF\nfn a() {{}}\nEOF\nmcp append_feature_learning {{\"feature\": \"pay\", \"text\": \"{rule}\"}}\ncommit Refund\ndone\n"
    );
    play(&sandbox, &script, &["--max-iterations", "1"]);
    assert_eq!(status_of(&sandbox, 1), "done");
    assert_eq!(found(&sandbox, "recall_loop").len(), 1, "the agent was told so");
    assert_eq!(found(&sandbox, "dead_end"), Vec::<String>::new());
    sandbox.ralph_ok(&["task", "update", "1", "--status", "pending"]);
    let audit = sandbox.ralph_ok(&["audit"]);
    assert_eq!(audit["dead_end"]["count"], 1, "{audit:#}");
    assert_eq!(text(&audit["dead_end"]["memories"][0]["why"]), "task #1 that it was learnt from was done and is pending again");
    sandbox.ralph_ok(&["audit", "--retire", "dead_end"]);
    assert_eq!(active_episodes(&sandbox), 0);
    assert_sound(&sandbox);
}

#[test]
fn what_nobody_used_for_ninety_active_days_is_offered_and_never_dropped() {
    let sandbox = with_tasks(0);
    bring(&sandbox, &[("D0", "Send Retry-After with each 429 answer of the gateway")]);
    let day = |n: u32| format!("2099-{:02}-{:02}T12:00:00Z", 2 + n / 28, 1 + n % 28);
    for n in 0..88 {
        sandbox.git(&["commit", "-q", "--allow-empty", "-m", "a day", "--date", &day(n)]);
    }
    assert_eq!(found(&sandbox, "never_used"), Vec::<String>::new(), "89 active days, with that of the first commit");
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "a day", "--date", &day(88)]);
    let audit = sandbox.ralph_ok(&["audit"]);
    assert_eq!(audit["never_used"]["count"], 1, "{audit:#}");
    assert_eq!(list(sandbox.ralph_ok(&["audit", "--days"]))[0]["junk"], 0, "what may still be needed is not junk");
    sandbox.ralph_ok(&["reconcile"]);
    assert_eq!(active_episodes(&sandbox), 1, "nobody asked for it");
    sandbox.ralph_ok(&["audit", "--retire", "never_used"]);
    assert_eq!(active_episodes(&sandbox), 0);
}

#[test]
fn an_agent_looks_and_puts_nothing_away() {
    let sandbox = with_tasks(0);
    bring(&sandbox, &[("E0", "All tests pass")]);
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "--profile", "full"]));
    let learning = learn(&sandbox, "pay", "The ledger queue takes its lock in src/ledger.rs before it retries", &[]);
    let id = text(&learning["id"]);
    let search = client.call("search", &json!({"query": "ledger lock"})).expect("an answer");
    let said = client.call("learning_feedback", &json!({"id": id, "was_useful": true, "query": search["query"]})).expect("is heard");
    assert_eq!((&said["id"], &said["counted"], &said["importance"]), (&json!(id), &json!(true), &json!("normal")), "{said}");
    let again = client.call("learning_feedback", &json!({"id": id, "was_useful": true, "query": search["query"]})).expect("is heard");
    assert_eq!(again["counted"], false, "the same word by the same hand is one: {again}");
    for (arguments, code) in [
        (json!({"id": id}), "invalid"),
        (json!({"id": id, "was_useful": "yes"}), "invalid"),
        (json!({"id": "01ARZ3NDEKTSV4RRFFQ69G5FZZ", "was_useful": false}), "not_found"),
    ] {
        assert_eq!(client.call("learning_feedback", &arguments).expect_err("a fault")["code"], code, "{arguments}");
    }
    client.close();
    assert_eq!(journal(&sandbox, "pay").iter().filter(|line| line["event"] == "validated").count(), 1);
    let script = "run ralph audit --retire boilerplate; ralph audit --undo; true\ndone\n";
    task(&sandbox, "pay", "Look", &[]);
    play(&sandbox, script, &["--max-iterations", "1"]);
    assert_eq!(found(&sandbox, "boilerplate").len(), 1);
}

#[test]
fn the_section_for_other_agents_is_shown_first_and_stands_between_its_marks() {
    let sandbox = with_tasks(0);
    sandbox.ralph_ok(&["fact", "add", "release command", "make release"]);
    learn(&sandbox, "pay", "An agent says that receipts are rendered by src/receipt.rs", &["--source", "agent"]);
    learn(&sandbox, "pay", "The ledger queue takes its lock before it retries", &["--source", "human"]);
    let shown = sandbox.ralph_ok(&["agents-md"]);
    assert_eq!((&shown["file"], &shown["changed"], &shown["written"]), (&json!("AGENTS.md"), &json!(true), &json!(false)));
    assert!(text(&shown["diff"]).contains("+- release command: make release"), "{shown}");
    assert!(!sandbox.project().join("AGENTS.md").exists(), "only shown");
    sandbox.write("CLAUDE.md", "# Ours\n\nBe kind.\n");
    assert_eq!(sandbox.ralph_ok(&["agents-md", "--write"])["file"], "CLAUDE.md", "the one that is there");
    let written = sandbox.read("CLAUDE.md");
    assert!(
        written.starts_with("# Ours\n\nBe kind.\n") && written.contains("takes its lock") && !written.contains("receipts"),
        "{written}"
    );
    assert_eq!(sandbox.ralph_ok(&["agents-md", "--write"])["changed"], false);
    sandbox.ralph_ok(&["fact", "add", "port", "8080"]);
    sandbox.ralph_ok(&["agents-md", "--write"]);
    assert!(sandbox.read("CLAUDE.md").contains("- port: 8080"));
    sandbox.ralph_ok(&["agents-md", "--remove"]);
    assert_eq!(sandbox.read("CLAUDE.md"), "# Ours\n\nBe kind.\n");
    let file = sandbox.project().join("CLAUDE.md");
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let error = refused(&sandbox.ralph(&["agents-md", "--write"]), "invalid");
    assert!(text(&error["message"]).contains("write-protected"), "{error}");
    assert_eq!(sandbox.read("CLAUDE.md"), "# Ours\n\nBe kind.\n");
    refused(&sandbox.ralph(&["agents-md", "--file", "README.md"]), "invalid");
    sandbox.write("AGENTS.md", "<!-- ralph:end -->\nmine\n");
    let error = refused(&sandbox.ralph(&["agents-md", "--write", "--file", "AGENTS.md"]), "invalid");
    assert!(text(&error["message"]).contains("AGENTS.md has one mark"), "{error}");
    assert_eq!(sandbox.read("AGENTS.md"), "<!-- ralph:end -->\nmine\n");
}

#[test]
fn a_link_and_the_permissions_of_the_file_for_other_agents_stay_as_they_are() {
    let sandbox = with_tasks(0);
    sandbox.ralph_ok(&["fact", "add", "port", "8080"]);
    sandbox.write("CLAUDE.md", "# Ours\n");
    let (file, link) = (sandbox.project().join("CLAUDE.md"), sandbox.project().join("AGENTS.md"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("CLAUDE.md", &link).unwrap();
    sandbox.ralph_ok(&["agents-md", "--write", "--file", "AGENTS.md"]);
    assert!(link.is_symlink() && sandbox.read("CLAUDE.md").contains("- port: 8080"), "{}", sandbox.read("CLAUDE.md"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let elsewhere = sandbox.home().join("elsewhere.md");
    std::fs::write(&elsewhere, "not of this project\n").unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    assert!(!sandbox.ralph(&["agents-md", "--write", "--file", "AGENTS.md"]).status.success());
    assert_eq!((std::fs::read_to_string(&elsewhere).unwrap().as_str(), link.is_symlink()), ("not of this project\n", true));
}

#[test]
fn what_a_tool_told_an_agent_in_a_run_and_the_agent_says_again_is_a_recall_loop() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    feature(&sandbox, "ledger", &[]);
    task(&sandbox, "pay", "Refund", &[]);
    let known = "Seeds live in `db/seeds.sql`, since the importer reads no other file";
    let found_out = "Refund windows are compared in the provider time zone";
    learn(&sandbox, "ledger", known, &["--source", "human"]);
    sandbox.commit("before");
    let append = |said: &str| format!("mcp append_feature_learning {{\"feature\": \"pay\", \"text\": \"{said}\"}}\n");
    let script = format!(
        "mcp list_learnings {{\"feature\": \"ledger\"}}\n{}{}mcp list_learnings {{\"feature\": \"pay\"}}\nedit x <<EOF\ny\nEOF\ncommit X\ndone\n",
        append(known),
        append(found_out)
    );
    play(&sandbox, &script, &["--max-iterations", "1"]);
    let loops = list(sandbox.ralph_ok(&["audit"])["recall_loop"]["memories"].take());
    let told: Vec<(String, String)> = loops.iter().map(|memory| (text(&memory["feature"]), text(&memory["text"]))).collect();
    assert_eq!(told, [("pay".to_owned(), known.to_owned())], "what it lists of its own words is not told to it before");
}

#[test]
fn what_came_with_a_clone_is_no_instruction_before_somebody_reviewed_it_there() {
    let sandbox = with_tasks(0);
    sandbox.write("package.json", "{\"name\": \"shop\", \"scripts\": {\"test\": \"vitest run\"}}\n");
    sandbox.ralph_ok(&["fact", "scan"]);
    let port = text(&sandbox.ralph_ok(&["fact", "add", "port", "8080"])["fact"]["id"]);
    let lesson = "The ledger queue takes its lock before it retries";
    let id = text(&learn(&sandbox, "pay", lesson, &["--source", "human"])["id"]);
    sandbox.commit("Knowledge");
    let clone = sandbox.home().join("clone");
    let clone = clone.to_str().unwrap();
    sandbox.git(&["clone", "--quiet", ".", clone]);
    let there = |args: &[&str]| sandbox.ralph_ok(&[&["-C", clone], args].concat());
    let told = || {
        let shown = there(&["agents-md"]);
        let told = ["npm test", "8080", lesson].map(|words| text(&shown["diff"]).contains(words));
        (told, shown["left_out"].as_u64().unwrap())
    };
    assert_eq!(told(), ([false, false, false], 3));
    there(&["fact", "scan"]);
    assert_eq!(told(), ([true, false, false], 2), "a file of the project says so");
    there(&["learning", "review", &id]);
    there(&["fact", "retire", &port]);
    there(&["fact", "restore", &port]);
    assert_eq!(told(), ([true, true, true], 0));
    assert_eq!(sandbox.ralph_ok(&["agents-md"])["left_out"], 0);
}
