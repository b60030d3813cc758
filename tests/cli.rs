//! The contract of the command line: shapes, defaults, errors, and what it leaves on disk.
#![cfg(unix)]

use journeys::{assert_sound, feature, id_of, learn, learnings, lesson, list, plain, refused, saturation, task, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

fn fields(value: &Value, names: &[&str]) {
    for name in names {
        assert!(value.get(name).is_some(), "'{name}' is missing in {value}");
    }
}

#[test]
fn folder_and_json_may_stand_anywhere() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let folder = sandbox.project();
    let folder = folder.to_str().unwrap();
    let elsewhere = sandbox.home();
    for args in [
        vec!["-C", folder, "--json", "feature", "list"],
        vec!["--json", "feature", "-C", folder, "list"],
        vec!["feature", "list", "--json", "-C", folder],
        vec!["feature", "--json", "list", "-C", folder],
    ] {
        let program = sandbox.ralph_command(&[]).get_program().to_owned();
        let output = sandbox.run(sandbox.command(program).args(&args).current_dir(&elsewhere));
        assert!(output.status.success(), "{args:?}: {}", output.stderr);
        assert_eq!(list(output.json())[0]["name"], "pay", "{args:?}");
    }
    // A folder below the project is in it.
    std::fs::create_dir_all(sandbox.project().join("src/deep")).unwrap();
    assert_eq!(list(sandbox.ralph_ok(&["-C", "src/deep", "feature", "list"])).len(), 1);
}

#[test]
fn every_option_of_a_feature_fills_its_field_when_it_is_made_and_when_it_is_changed() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "base", &[]);
    let given = |words: &'static str, file: &'static str| {
        let texts = ["--acronym", "--description", "--architecture", "--boundaries"].into_iter().flat_map(move |option| [option, words]);
        let lists = ["--context-files", "--knowledge-paths"].into_iter().flat_map(move |option| [option, file]);
        texts.chain(lists).chain(["--dependencies", "base", "--max-learnings", "7"]).collect::<Vec<_>>()
    };
    let expect = |row: &Value, words: &str, file: &str| {
        assert_eq!(row["acronym"], words.to_uppercase());
        for field in ["description", "architecture", "boundaries"] {
            assert_eq!(row[field], words, "{field}");
        }
        for field in ["context_files", "knowledge_paths"] {
            assert_eq!(row[field], json!([file]), "{field}");
        }
        assert_eq!((&row["dependencies"], &row["max_learnings"]), (&json!(["base"]), &json!(7)));
    };
    feature(&sandbox, "pay", &given("made", "src/a.rs"));
    expect(&sandbox.ralph_ok(&["feature", "show", "pay"]), "made", "src/a.rs");
    sandbox.ralph_ok(&["feature", "create", "shop"]);
    let update = [vec!["feature", "update", "shop", "--display-name", "The shop"], given("new", "src/b.rs")].concat();
    sandbox.ralph_ok(&update);
    let shop = sandbox.ralph_ok(&["feature", "show", "shop"]);
    expect(&shop, "new", "src/b.rs");
    assert_eq!(shop["display_name"], "The shop");
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "shop"]), shop, "the journal holds every field");
}

#[test]
fn rows_have_their_id_at_the_top_and_lists_are_arrays() {
    let sandbox = Sandbox::with_project();
    let made = feature(&sandbox, "pay", &["--description", "Money"]);
    fields(&made, &["id", "name", "display_name", "acronym", "description", "architecture", "boundaries", "context_files"]);
    fields(&made, &["knowledge_paths", "dependencies", "parent", "state", "max_learnings"]);
    let child = feature(&sandbox, "pay-refunds", &["--parent", "pay"]);
    assert_eq!((&made["state"], &child["parent"]), (&json!("active"), &json!("pay")));
    let shown = sandbox.ralph_ok(&["feature", "show", "pay"]);
    assert_eq!((&shown["id"], &shown["name"], &shown["description"]), (&made["id"], &json!("pay"), &json!("Money")));

    let first = sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", "One", "--priority", "critical"]);
    fields(&first, &["id", "feature", "title", "description", "acceptance_criteria", "status", "priority", "provenance", "tags"]);
    assert_eq!((&first["status"], &first["priority"], &first["provenance"]), (&json!("pending"), &json!("critical"), &json!("human")));
    let one = id_of(&first);
    let two = task(&sandbox, "pay", "Two", &["--depends-on", &one.to_string(), "--discipline", "backend"]);
    let shown = sandbox.ralph_ok(&["task", "show", &two.to_string()]);
    assert_eq!((id_of(&shown), &shown["depends_on"], &shown["discipline"]), (two, &json!([one]), &json!("backend")));
    assert_eq!((&shown["readiness"], &shown["waiting_on"]), (&json!("waiting"), &json!([one])));
    let updated = sandbox.ralph_ok(&["task", "update", &one.to_string(), "--status", "done", "--title", "Uno"]);
    assert_eq!((&updated["status"], &updated["title"], id_of(&updated)), (&json!("done"), &json!("Uno"), one));
    let all = list(sandbox.ralph_ok(&["task", "list"]));
    assert_eq!(all.len(), 2, "a list holds all statuses unless filtered");
    assert_eq!(list(sandbox.ralph_ok(&["task", "list", "--status", "done"])).len(), 1);

    let added = learn(&sandbox, "pay", "Refunds use the provider's clock", &["--task", "1", "--reason", "because"]);
    fields(&added, &["verdict", "id", "pruned", "saturation", "split_task"]);
    let row = &learnings(&sandbox, "pay", "active")[0];
    fields(row, &["id", "feature", "text", "state", "source", "hit_count", "reviewed_by", "task_id", "created", "reason", "iteration"]);
    assert_eq!((&row["id"], &row["source"], &row["task_id"], &row["hit_count"]), (&added["id"], &json!("human"), &json!(1), &json!(1)));
}

#[test]
fn learnings_are_listed_active_unless_asked_otherwise_and_every_act_is_reversible() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let ids: Vec<String> = (1..=3).map(|n| text(&learn(&sandbox, "pay", &lesson(n), &["--source", "agent"])["id"])).collect();
    let retired = sandbox.ralph_ok(&["learning", "retire", &ids[0]]);
    assert_eq!((&retired["id"], &retired["state"]), (&json!(ids[0]), &json!("retired")));
    let reviewed = sandbox.ralph_ok(&["learning", "review", &ids[1]]);
    assert_eq!((&reviewed["reviewed_by"], &reviewed["source"]), (&json!("human"), &json!("agent")), "a review keeps the source");
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list", "--feature", "pay"])).len(), 2);
    assert_eq!(learnings(&sandbox, "pay", "retired").len(), 1);
    assert_eq!(learnings(&sandbox, "pay", "all").len(), 3);
    assert_eq!(sandbox.ralph_ok(&["learning", "restore", &ids[0]])["state"], "active");
    assert_eq!(saturation(&sandbox, "pay")["protected_count"], 1);
    assert_sound(&sandbox);
}

#[test]
fn the_door_answers_added_observed_and_conflict() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let added = learn(&sandbox, "pay", "Always mock the clock in tests of refunds", &["--source", "agent", "--iteration", "1"]);
    assert_eq!((&added["verdict"], &added["pruned"], &added["split_task"]), (&json!("added"), &json!([]), &Value::Null));
    let again = |iteration: &str| {
        learn(&sandbox, "pay", "always mock the clock in tests of refunds!", &["--source", "agent", "--iteration", iteration])
    };
    assert_eq!((again("1")["verdict"].clone(), again("4000000")["verdict"].clone()), (json!("observed"), json!("observed")));
    let row = &learnings(&sandbox, "pay", "active")[0];
    assert_eq!((&row["id"], &row["hit_count"]), (&added["id"], &json!(2)), "the same iteration counts once");
    let opposite = learn(&sandbox, "pay", "Never mock the clock in tests of refunds", &[]);
    assert_eq!(opposite["verdict"], "conflict");
    assert_eq!(learnings(&sandbox, "pay", "active").len(), 2, "both are kept");
    let conflicts = list(sandbox.ralph_ok(&["learning", "conflicts"]));
    assert_eq!((&conflicts[0]["older"]["id"], &conflicts[0]["newer"]["id"]), (&added["id"], &opposite["id"]));
    let (older, newer) = (text(&added["id"]), text(&opposite["id"]));
    for (choice, left) in [("keep_older", "retired"), ("keep_both", "active")] {
        sandbox.ralph_ok(&["review", "decide", &older, &newer, choice]);
        assert_eq!(sandbox.ralph_ok(&["learning", "show", &newer])["state"], left);
        sandbox.ralph_ok(&["review", "reopen", &older, &newer]);
        assert_eq!(sandbox.ralph_ok(&["learning", "show", &newer])["state"], "active");
        assert_eq!(list(sandbox.ralph_ok(&["learning", "conflicts"])).len(), 1);
    }
    refused(&sandbox.ralph(&["review", "reopen", &older, &newer]), "not_found");
    assert_sound(&sandbox);
}

#[test]
fn what_does_not_fit_onto_a_full_disk_is_no_success() {
    let sandbox = Sandbox::with_project();
    let program = sandbox.ralph_command(&[]).get_program().to_owned();
    for (script, code) in [("\"$0\" export > /dev/full", Some(1)), ("\"$0\" export | true; exit ${PIPESTATUS[0]}", Some(0))] {
        let output = sandbox.run(sandbox.command("bash").args(["-c", script]).arg(&program));
        assert_eq!((output.status.code(), output.stderr.contains("No space left on device")), (code, code == Some(1)), "{}", output.stderr);
    }
}

#[test]
fn saturation_counts_and_a_full_feature_prunes_or_parks_by_name() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--max-learnings", "10"]);
    let before = saturation(&sandbox, "pay");
    fields(&before, &["learnings_count", "max_learnings", "protected_count", "prunable_count", "saturation_pct", "level"]);
    let mut first = String::new();
    for (number, level) in (1..=9).zip(["low", "low", "low", "low", "low", "medium", "medium", "high", "critical"]) {
        let source = if number == 1 { "agent" } else { "human" };
        let answer = learn(&sandbox, "pay", &lesson(number), &["--source", source]);
        assert_eq!((&answer["saturation"]["level"], &answer["saturation"]["saturation_pct"]), (&json!(level), &json!(number * 10)));
        assert_eq!(answer["split_task"].is_null(), number < 9, "{answer}");
        if number == 1 {
            first = text(&answer["id"]);
        }
    }
    let split = list(sandbox.ralph_ok(&["task", "list"])).remove(0);
    assert_eq!((&split["provenance"], &split["kind"], &split["priority"]), (&json!("system"), &json!("split"), &json!("high")));
    assert_eq!(split["title"], "Decompose feature 'pay' — knowledge saturation at 90%");
    assert_eq!(split["tags"], json!(["auto-split", "system"]));
    learn(&sandbox, "pay", &lesson(10), &[]);
    let pruning = learn(&sandbox, "pay", &lesson(11), &[]);
    assert_eq!((&pruning["pruned"], &pruning["split_task"]), (&json!([first]), &split["id"]));
    let full = sandbox.ralph(&["learning", "add", "--feature", "pay", "--text", &lesson(12)]);
    let error = refused(&full, "knowledge_full");
    let parked = learnings(&sandbox, "pay", "parked");
    assert!(text(&error["message"]).contains(&text(&parked[0]["id"])), "the parked learning is named: {error}");
    assert!(text(&error["hint"]).contains(&format!("#{}", split["id"])), "{error}");
    assert_eq!(parked[0]["text"], lesson(12));
    // Room returns it.
    sandbox.ralph_ok(&["learning", "retire", &text(&pruning["id"])]);
    assert_eq!(learnings(&sandbox, "pay", "parked").len(), 0);
    assert_eq!(saturation(&sandbox, "pay")["learnings_count"], 10);
    assert_sound(&sandbox);
}

#[test]
fn errors_are_one_document_on_the_last_line() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let one = task(&sandbox, "pay", "One", &[]).to_string();
    let long = "x".repeat(300);
    for (args, code, named) in [
        (vec!["feature", "create", "pay", "--display-name", "Pay"], "exists", "pay"),
        (vec!["feature", "create", "../up", "--display-name", "Up"], "invalid", "name"),
        (vec!["feature", "create", "", "--display-name", "x"], "invalid", "name"),
        (vec!["feature", "create", "kid", "--display-name", "x", "--parent", "nobody"], "not_found", "nobody"),
        (vec!["feature", "create", "big", "--display-name", "x", "--max-learnings", "2"], "invalid", "max_learnings"),
        (vec!["feature", "create", "ctx", "--display-name", "x", "--context-files", "../../etc/passwd"], "invalid", "context_files"),
        (vec!["feature", "update", "pay", "--state", "decomposed"], "invalid", "state"),
        (vec!["feature", "show", "nobody"], "not_found", "nobody"),
        (vec!["task", "create", "--feature", "nobody", "--title", "x"], "not_found", "nobody"),
        (vec!["task", "create", "--feature", "pay", "--title", " \t"], "invalid", "title"),
        (vec!["task", "create", "--feature", "pay", "--title", &long], "invalid", "title"),
        (vec!["task", "create", "--feature", "pay", "--title", "x", "--depends-on", "99"], "invalid", "#99"),
        (vec!["task", "create", "--feature", "pay", "--title", "x", "--depends-on", "a"], "invalid", "depends_on"),
        (vec!["task", "create", "--feature", "pay", "--title", "x", "--discipline", "juggling"], "invalid", "juggling"),
        (vec!["task", "update", &one, "--depends-on", &one], "invalid", "depends_on"),
        (vec!["task", "update", "99", "--status", "done"], "not_found", "99"),
        (vec!["task", "show", "4294967295"], "not_found", "4294967295"),
        (vec!["learning", "add", "--feature", "pay", "--text", "\u{1}\u{2} "], "invalid", "text"),
        (vec!["learning", "add", "--feature", "nobody", "--text", "x"], "not_found", "nobody"),
        (vec!["learning", "review", "no-such-id"], "not_found", "no-such-id"),
        (vec!["learning", "list", "--feature", "nobody"], "not_found", "nobody"),
        (vec!["stop"], "no_run", "run"),
        (vec!["run", "--agent", "scripted"], "invalid", "script"),
        (vec!["run", "--agent", "scripted", "--script", "nothing.script"], "invalid", "nothing.script"),
        (vec!["run", "--agent", "scripted", "--script", "README.md", "--task", "99"], "not_found", "99"),
        (vec!["parse", "--agent", "cat", "README.md"], "invalid", "cat"),
        (vec!["parse", "--agent", "claude", "nothing.jsonl"], "io", "nothing.jsonl"),
        (vec!["-C", "nowhere", "feature", "list"], "io", "nowhere"),
        (vec!["-C", "README.md", "feature", "list"], "invalid", "README.md"),
    ] {
        let output = sandbox.ralph(&args);
        let error = refused(&output, code);
        fields(&error, &["code", "message", "hint"]);
        assert!(text(&error["message"]).contains(named) && error["hint"] != "", "{args:?} should name '{named}' and a way out: {error}");
        assert_eq!(output.stdout, "", "{args:?}: an error prints no document");
    }
    let plain = plain(&sandbox, &["feature", "show", "nobody"]);
    assert!(!plain.status.success() && plain.stderr.starts_with("error: "), "{plain:?}");
}

#[test]
fn wrong_usage_is_told_in_the_form_that_was_asked_for() {
    let sandbox = Sandbox::with_project();
    for args in [
        vec!["feature", "explode"],
        vec!["task", "list", "--status", "odd"],
        vec!["task", "show", "seven"],
        vec!["task", "show", "-1"],
        vec!["learning", "add", "--feature", "pay"],
        vec!["learning", "add", "--feature", "pay", "--text", "x", "--source", "cat"],
        vec!["run", "--agent", "cat"],
        vec!["run", "--max-usd", "lots"],
        vec![],
    ] {
        let error = refused(&sandbox.ralph(&args), "usage");
        assert!(!text(&error["message"]).is_empty() && !text(&error["hint"]).is_empty(), "{args:?}: {error}");
    }
    let error = refused(&sandbox.ralph(&["task", "create", "--description", "x"]), "usage");
    let message = text(&error["message"]);
    assert!(message.contains("--feature <FEATURE>") && message.contains("--title <TITLE>"), "what is missing is named: {message}");
    assert!(text(&error["hint"]).contains("Usage: ralph task create"), "and the way out is of this command: {error}");
    assert_eq!(refused(&sandbox.ralph(&["task"]), "usage")["message"], "a subcommand is missing");
    for usd in ["-1", "nan", "inf"] {
        let error = refused(&sandbox.ralph(&["run", &format!("--max-usd={usd}")]), "invalid");
        assert!(text(&error["message"]).starts_with("max_usd"), "no limit at all must not come of {usd}: {error}");
    }
    let help = plain(&sandbox, &["--help"]);
    assert!(help.status.success() && help.stdout.contains("Usage: ralph"), "{help:?}");
    assert!(!plain(&sandbox, &["feature", "explode"]).status.success());
}

#[test]
fn the_options_of_all_commands_stand_before_and_after_a_subcommand() {
    let sandbox = Sandbox::with_project();
    for args in [["feedback", "-C", ".", "rollback"], ["eval", "-C", ".", "gate"], ["eval", "gate", "-C", "."]] {
        sandbox.ralph_ok(&args);
    }
    for args in [&["feedback", "--json", "rollback"][..], &["eval", "--json", "gate"]] {
        let output = plain(&sandbox, args);
        assert!(output.status.success() && !output.json().is_null(), "{args:?}: {output:?}");
    }
    for args in [&["feedback", "--useful", "rollback"][..], &["feedback", "01X", "rollback"], &["eval", "--data", "x", "gate"]] {
        refused(&sandbox.ralph(args), "usage");
    }
}

#[test]
fn a_task_and_an_errand_are_named_as_ralph_itself_writes_them() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let id = task(&sandbox, "pay", "Refund", &[]);
    for args in
        [&["task", "show", "#1"][..], &["task", "comment", "#1", "Look"], &["attempts", "#1"], &["task", "update", "#1", "--before", "#1"]]
    {
        sandbox.ralph_ok(args);
    }
    assert_eq!(sandbox.ralph_ok(&["guide", "--task", "#1", "Keep the name"])["task"], id);
    refused(&sandbox.ralph(&["errand", "show", "e1"]), "not_found");
    let error = refused(&sandbox.ralph(&["task", "show", "Refund"]), "usage");
    assert!(text(&error["message"]).contains("write it as 3 or #3"), "{error}");
}

#[test]
fn junk_arguments_do_no_harm() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let junk = OsStr::from_bytes(b"\xff\xfe\x80'; DROP TABLE");
    let mut learning = sandbox.ralph_command(&["learning", "add", "--feature", "pay", "--text"]);
    refused(&sandbox.run(learning.arg(junk)), "usage");
    let mut folder = sandbox.ralph_command(&["feature", "list", "-C"]);
    refused(&sandbox.run(folder.arg(junk)), "io");
    let mut show = sandbox.ralph_command(&["feature", "show"]);
    refused(&sandbox.run(show.arg(junk)), "usage");
    // Text that means something to SQL, JSON, a terminal or a shell is only text.
    let hostile = "Quote ' \" \\ `rm` $(rm) \u{202e}right-to-left\u{7} %s {} \n second line";
    let made = learn(&sandbox, "pay", hostile, &["--reason", "'; --", "--category", "\"", "--tags", "a'b,c\"d"]);
    let row = &learnings(&sandbox, "pay", "active")[0];
    assert_eq!(row["id"], made["id"]);
    assert!(text(&row["text"]).contains("$(rm)") && !text(&row["text"]).contains('\u{7}'), "{row}");
    assert_eq!(text(&learn(&sandbox, "pay", &"ä".repeat(700), &[])["verdict"]), "added");
    let longest = learnings(&sandbox, "pay", "active").iter().map(|l| text(&l["text"]).chars().count()).max();
    assert_eq!(longest, Some(500));
    assert_sound(&sandbox);
}

#[test]
fn some_commands_need_no_project_and_none_needs_a_home() {
    let mut sandbox = Sandbox::new();
    let empty = sandbox.home().join("nothing");
    sandbox.set("HOME", "").set("TMPDIR", "");
    std::fs::create_dir_all(&empty).unwrap();
    refused(&sandbox.ralph(&["feature", "list"]), "no_project");
    let transcript = sandbox.write("t.jsonl", "{\"kind\":\"text\",\"text\":\"hi\"}\nnot json\n");
    let signals = list(sandbox.ralph_ok(&["parse", "--agent", "scripted", transcript.to_str().unwrap(), "-C", empty.to_str().unwrap()]));
    assert_eq!((&signals[0], &signals[1]["kind"]), (&json!({"kind": "text", "text": "hi"}), &json!("garbled")));
    let report = sandbox.ralph_ok(&["doctor", "-C", empty.to_str().unwrap()]);
    assert_eq!(report["ok"], true, "no project is a warning: {report}");
    sandbox.ralph_ok(&["init"]);
    feature(&sandbox, "pay", &[]);
    learn(&sandbox, "pay", "It works without a home", &[]);
    assert_sound(&sandbox);
}

#[test]
fn a_project_within_another_one_is_made_and_told() {
    let sandbox = Sandbox::with_project();
    let within = sandbox.project().join("packages/one");
    std::fs::create_dir_all(&within).unwrap();
    let init = |folder: &std::path::Path| sandbox.ralph(&["init", "-C", folder.to_str().unwrap()]);
    let made = init(&within);
    assert!(made.status.success() && made.stderr.contains("it lies in another project"), "{made:?}");
    assert!(!init(&sandbox.project()).stderr.contains("another project"));
}

#[test]
fn what_is_longer_than_is_kept_is_refused_and_not_cut() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let made = |more: &[&str]| sandbox.ralph(&[&["task", "create", "--feature", "pay", "--title", "Refund"], more].concat());
    refused(&made(&["--criterion", &format!("{} MUST NOT DROP TABLES", "x".repeat(2_000))]), "invalid");
    refused(&sandbox.ralph(&["feature", "create", "other", "--acronym", "ABCDEF"]), "invalid");
    assert!(made(&["--discipline", "Testing"]).status.success(), "as `discipline show` finds it");
    refused(&sandbox.ralph(&["task", "update", "1", "--blocked-reason", "why"]), "invalid");
}
