//! What the command line promises about knowledge: nothing is lost, nothing that was put away comes back, clones agree.

use journeys::{McpClient, assert_sound, feature, journal, learn, lesson, list, plain, refused, task, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

fn add(sandbox: &Sandbox, text: &str) -> Value {
    learn(sandbox, "pay", text, &["--source", "agent"])
}

#[test]
fn what_was_retired_is_answered_with_put_away() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let id = text(&add(&sandbox, &lesson(1))["id"]);
    sandbox.ralph_ok(&["learning", "retire", &id]);
    let answer = add(&sandbox, &lesson(1));
    assert_eq!((&answer["verdict"], &answer["id"], &answer["put_away"]["by"]), (&json!("put_away"), &json!(id), &json!("human")));
    assert_sound(&sandbox);
}

#[test]
fn the_status_tells_of_a_lesson_that_was_put_away_and_is_said_again() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let id = text(&add(&sandbox, &lesson(1))["id"]);
    sandbox.ralph_ok(&["learning", "retire", &id]);
    for iteration in ["1", "2", "3"] {
        let status = plain(&sandbox, &["status"]).stdout;
        assert!(!status.contains("ralph review"), "{status}");
        learn(&sandbox, "pay", &lesson(1), &["--source", "agent", "--iteration", iteration]);
    }
    let status = plain(&sandbox, &["status"]).stdout;
    assert!(status.contains("1 question about what is known") && status.contains("ralph review"), "{status}");
}

/// Sentences as keyboards write them, and with the marks of letters and the parts of syllables apart, as macOS and PDFs have them.
#[test]
fn the_same_words_in_other_characters_are_the_same_lesson() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let (german, korean) = ("Gebühren über 500 EUR prüft die Buchhaltung nachts.", "환불은 재무팀의 두 번째 승인이 필요합니다.");
    let apart =
        ["Gebu\u{308}hren u\u{308}ber 500 EUR pru\u{308}ft die Buchhaltung nachts.", "\u{1112}\u{116a}\u{11ab}\u{1107}\u{116e}\u{11af}"];
    let id = text(&add(&sandbox, german)["id"]);
    assert_eq!(add(&sandbox, apart[0])["verdict"], "observed");
    sandbox.ralph_ok(&["learning", "retire", &id]);
    let answer = add(&sandbox, apart[0]);
    assert_eq!((&answer["verdict"], &answer["id"]), (&json!("put_away"), &json!(id)));
    let id = text(&add(&sandbox, korean)["id"]);
    let hits = list(sandbox.ralph_ok(&["recall", apart[1]])["hits"].take());
    assert_eq!(hits.first().map(|hit| text(&hit["id"])), Some(id), "{hits:?}");
}

#[test]
fn a_full_feature_tells_the_parked_id_as_data() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--max-learnings", "5"]);
    (0..5).for_each(|number| drop(learn(&sandbox, "pay", &lesson(number), &[])));
    let error = refused(&sandbox.ralph(&["learning", "add", "--feature", "pay", "--text", &lesson(9)]), "knowledge_full");
    let parked = text(&error["data"]["parked"]);
    assert_eq!(sandbox.ralph_ok(&["learning", "show", &parked])["state"], "parked");
    assert!(error["data"]["split_task"].is_u64() && error["data"]["saturation"]["learnings_count"] == 5, "{error}");
    let error = refused(&sandbox.ralph(&["learning", "restore", &parked]), "knowledge_full");
    assert_eq!((&error["data"]["parked"], &error["data"]["saturation"]["learnings_count"]), (&json!(parked), &json!(5)), "{error}");
    let (gone, late) =
        (text(&list(sandbox.ralph_ok(&["learning", "list", "--feature", "pay"]))[0]["id"]), "Wind the clock by hand at noon");
    sandbox.ralph_ok(&["learning", "retire", &gone]);
    sandbox.ralph(&["learning", "add", "--feature", "pay", "--text", late]);
    let error = refused(&sandbox.ralph(&["learning", "restore", &gone]), "knowledge_full");
    assert_eq!((&error["data"]["parked"], error["data"]["split_task"].is_u64()), (&Value::Null, true), "{error}");
}

#[test]
fn a_learning_moves_alone_and_a_merge_is_taken_back() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    feature(&sandbox, "shop", &[]);
    let ids = [1, 2].map(|number| text(&add(&sandbox, &lesson(number))["id"]));
    assert_eq!(sandbox.ralph_ok(&["learning", "move", &ids[0], "--to", "shop"])["feature"], "shop");
    assert_eq!(sandbox.ralph_ok(&["learning", "undo", &ids[0]])["feature"], "pay");
    let made = text(&sandbox.ralph_ok(&["learning", "merge", &ids[0], &ids[1], "--text", "Both steps come first"])["id"]);
    assert_eq!(sandbox.ralph_ok(&["learning", "undo", &made])["state"], "retired");
    for id in &ids {
        assert_eq!(sandbox.ralph_ok(&["learning", "show", id])["state"], "active");
    }
    assert_sound(&sandbox);
}

#[test]
fn two_clones_with_clashing_numbers_agree_after_a_merge_and_a_task_moves_only_its_own() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    sandbox.commit("Start");
    let clone = sandbox.home().join("clone");
    let clone = clone.to_str().unwrap();
    sandbox.git(&["clone", "--quiet", ".", clone]);
    let there = |args: &[&str]| sandbox.ralph_ok(&[&["-C", clone], args].concat());
    let git_there = |args: &[&str]| sandbox.git(&[&["-C", clone], args].concat());
    assert_eq!(task(&sandbox, "pay", "Ours", &[]), 1);
    assert_eq!(there(&["task", "create", "--feature", "pay", "--title", "Theirs"])["id"], 1);
    learn(&sandbox, "pay", &lesson(1), &["--task", "1"]);
    there(&["learning", "add", "--feature", "pay", "--text", &lesson(2), "--task", "1"]);
    sandbox.commit("Ours");
    git_there(&["add", "-A"]);
    git_there(&["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "Theirs"]);
    sandbox.git(&["pull", "--quiet", "--no-rebase", "--no-edit", clone, "HEAD"]);
    let main = sandbox.project();
    git_there(&["-c", "user.name=t", "-c", "user.email=t@example.org", "pull", "--quiet", "--no-rebase", main.to_str().unwrap(), "HEAD"]);
    let ours = sandbox.ralph_ok(&["rebuild"]);
    assert_eq!((&ours["read_in"], &ours["written_back"]), (&json!(0), &json!(0)), "the pull was noticed before: {ours}");
    there(&["rebuild"]);
    let listed = list(sandbox.ralph_ok(&["learning", "list", "--state", "all"]));
    assert_eq!(listed, list(there(&["learning", "list", "--state", "all"])));
    assert_eq!(listed.len(), 2);
    feature(&sandbox, "shop", &[]);
    sandbox.ralph_ok(&["task", "update", "1", "--feature", "shop"]);
    let moved = list(sandbox.ralph_ok(&["learning", "list", "--feature", "shop"]));
    assert!(moved.len() == 1 && moved[0]["text"] == lesson(1), "{moved:?}");
    assert_sound(&sandbox);
}

#[test]
fn a_feature_that_two_clones_spell_otherwise_has_one_journal_page() {
    let sandbox = Sandbox::with_project();
    sandbox.commit("Start");
    let clone = sandbox.home().join("clone");
    let clone = clone.to_str().unwrap();
    sandbox.git(&["clone", "--quiet", ".", clone]);
    let there = |args: &[&str]| sandbox.ralph_ok(&[&["-C", clone], args].concat());
    feature(&sandbox, "Pay", &[]);
    learn(&sandbox, "Pay", &lesson(1), &[]);
    there(&["feature", "create", "pay"]);
    there(&["learning", "add", "--feature", "pay", "--text", &lesson(2)]);
    sandbox.commit("Ours");
    for args in [&["add", "-A"][..], &["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "Theirs"]] {
        sandbox.git(&[&["-C", clone], args].concat());
    }
    sandbox.git(&["pull", "--quiet", "--no-rebase", "--no-edit", clone, "HEAD"]);
    for name in ["Pay", "pay"] {
        let told = list(sandbox.ralph_ok(&["feature", "journal", name]));
        assert_eq!(told.iter().filter(|entry| entry["event"] == "learned").count(), 2, "{name}: {told:#?}");
    }
    assert_sound(&sandbox);
}

#[test]
fn what_one_clone_moves_keeps_what_the_other_said_of_it_whichever_is_merged_first() {
    for ours_first in [true, false] {
        let sandbox = Sandbox::with_project();
        feature(&sandbox, "pay", &[]);
        feature(&sandbox, "shop", &[]);
        sandbox.write(".gitattributes", ".ralph/db/memory/*.jsonl merge=union\n");
        let ids = [1, 2, 3].map(|number| text(&add(&sandbox, &lesson(number))["id"]));
        sandbox.commit("Start");
        let clone = sandbox.home().join("clone");
        let clone = clone.to_str().unwrap();
        sandbox.git(&["clone", "--quiet", ".", clone]);
        let there = |args: &[&str]| sandbox.ralph_ok(&[&["-C", clone], args].concat());
        let git_there =
            |args: &[&str]| sandbox.git(&[&["-C", clone, "-c", "user.name=t", "-c", "user.email=t@example.org"], args].concat());

        there(&["learning", "retire", &ids[0]]);
        for iteration in ["21", "22"] {
            let again = ["learning", "add", "--feature", "pay", "--source", "agent", "--iteration", iteration, "--text"];
            there(&[&again[..], &[&lesson(2)]].concat());
        }
        let edited = text(&there(&["learning", "edit", &ids[2], "--text", "Receipts are signed with the key of the till"])["id"]);
        ids.iter().for_each(|id| drop(sandbox.ralph_ok(&["learning", "move", id, "--to", "shop"])));

        sandbox.commit("Ours");
        git_there(&["add", "-A"]);
        git_there(&["commit", "--quiet", "-m", "Theirs"]);
        let main = sandbox.project();
        let pull_here = || sandbox.git(&["pull", "--quiet", "--no-rebase", "--no-edit", clone, "HEAD"]);
        let pull_there = || git_there(&["pull", "--quiet", "--no-rebase", "--no-edit", main.to_str().unwrap(), "HEAD"]);
        if ours_first {
            pull_here();
            pull_there();
        } else {
            pull_there();
            pull_here();
        }
        let all = ["learning", "list", "--state", "all"];
        let known = list(sandbox.ralph_ok(&all));
        assert_eq!(known, list(there(&all)), "both know the same");
        there(&["rebuild"]);
        assert_eq!(known, list(there(&all)), "also by a rebuild");
        let one = |id: &str| {
            let learning = known.iter().find(|learning| learning["id"] == id).expect("is known");
            (text(&learning["feature"]), text(&learning["state"]), learning["hit_count"].clone())
        };
        let expected = |state: &str, hits: u32| ("shop".to_owned(), state.to_owned(), json!(hits));
        assert_eq!(one(&ids[0]), expected("retired", 1), "what was put away stays away");
        assert_eq!(one(&ids[1]), expected("active", 3), "no evidence is lost");
        assert_eq!(one(&ids[2]), expected("superseded", 1), "the old words are not told again");
        assert_eq!(one(&edited), ("pay".to_owned(), "active".to_owned(), json!(1)));
        assert_sound(&sandbox);
    }
}

#[test]
fn words_that_came_by_a_clone_are_shown_as_from_outside_there_and_nowhere_else() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--description", "Obey the till"]);
    let theirs = text(&learn(&sandbox, "pay", &lesson(1), &[])["id"]);
    sandbox.commit("Start");
    let clone = sandbox.home().join("clone");
    let clone = clone.to_str().unwrap();
    sandbox.git(&["clone", "--quiet", ".", clone]);
    let there = |args: &[&str]| sandbox.ralph_ok(&[&["-C", clone], args].concat());
    there(&["task", "create", "--feature", "pay", "--title", "Look"]);
    let replica = journal(&sandbox, "pay")[0]["replica"].clone();
    let (here, shown) = (sandbox.ralph_ok(&["learning", "show", &theirs]), there(&["learning", "show", &theirs]));
    assert_eq!((&here["outside"], &here["outside_replica"]), (&json!(false), &Value::Null));
    assert_eq!((&shown["outside"], &shown["outside_replica"], &shown["source"]), (&json!(true), &replica, &json!("human")));
    assert_eq!(there(&["feature", "show", "pay"])["saturation"]["protected_count"], 1, "a person's word stays protected");
    assert_eq!(
        [sandbox.ralph_ok(&["feature", "show", "pay"]), there(&["feature", "show", "pay"])].map(|f| f["outside"] == true),
        [false, true]
    );
    let prompt = text(&there(&["prompt", "1"])["text"]);
    for words in ["Obey the till", &lesson(1)] {
        let before = &prompt[..prompt.find(words).unwrap()];
        assert!(before.matches("<ralph-observations>").count() > before.matches("</ralph-observations>").count(), "{words}: {prompt}");
    }
    // What is written there is that clone's own, also by a change of what came; clones list the same records.
    let ours = text(&there(&["learning", "add", "--feature", "pay", "--text", &lesson(2)])["id"]);
    let outside = || list(there(&["learning", "list", "--outside"])).iter().map(|l| text(&l["id"])).collect::<Vec<_>>();
    assert_eq!(outside(), [theirs.as_str()]);
    let edited = text(&there(&["learning", "edit", &theirs, "--text", "Receipts are signed with the key of the till"])["id"]);
    assert_eq!(outside(), [""; 0]);
    there(&["rebuild"]);
    assert_eq!([&ours, &edited].map(|id| there(&["learning", "show", id])["outside"].clone()), [json!(false), json!(false)]);
    assert_eq!(there(&["learning", "show", &theirs])["outside"], true, "the old words, put away, are still another's");
    there(&["feature", "update", "pay", "--description", "Payments"]);
    assert_eq!(there(&["feature", "show", "pay"])["outside"], false);
    sandbox.git(&["-C", clone, "add", "-A"]);
    sandbox.git(&["-C", clone, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "Theirs"]);
    sandbox.git(&["pull", "--quiet", "--no-rebase", "--no-edit", clone, "HEAD"]);
    let all = ["learning", "list", "--state", "all"];
    assert_eq!(list(sandbox.ralph_ok(&all)), list(there(&all)), "where words come from is not a part of the records");
    assert_eq!(sandbox.ralph_ok(&["learning", "show", &ours])["outside"], true);
    assert_eq!(sandbox.ralph_ok(&["feature", "show", "pay"])["outside"], true);
    assert_sound(&sandbox);
}

#[test]
fn what_git_takes_out_of_a_journal_is_written_back() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    sandbox.commit("Start");
    (0..3).for_each(|number| drop(learn(&sandbox, "pay", &lesson(number), &[])));
    sandbox.git(&["checkout", "--quiet", "--", "."]);
    let report = sandbox.ralph(&["doctor"]);
    assert!(report.stdout.contains("3 lines are in the database"), "{}", report.stdout);
    assert_eq!(sandbox.ralph_ok(&["rebuild"])["written_back"], 3);
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list"])).len(), 3);
    assert_sound(&sandbox);
}

#[test]
fn paths_are_those_of_the_folder_that_is_named() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let folder = sandbox.project();
    let output = sandbox.run(sandbox.command(sandbox.ralph_command(&[]).get_program()).current_dir(sandbox.home()).args([
        "-C",
        folder.to_str().unwrap(),
        "export",
        "--out",
        "here.json",
    ]));
    assert!(output.status.success(), "{}", output.stderr);
    assert!(folder.join("here.json").is_file());
}

#[test]
fn a_line_that_was_edited_in_its_journal_is_named_and_put_back_as_it_was() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let said = "The database listens on port 5433 in every test";
    add(&sandbox, said);
    let file = ".ralph/db/memory/pay.jsonl";
    let whole = sandbox.read(file);
    sandbox.write(file, &whole.replace("5433", "5999"));
    let report = sandbox.ralph(&["doctor"]).stdout;
    assert!(report.contains("edited in the files"), "{report}");
    assert_eq!(sandbox.ralph_ok(&["rebuild"])["written_back"], 1);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(lines(&sandbox.read(file)), lines(&whole));
    assert_sound(&sandbox);
}

#[test]
fn a_query_without_words_lists_what_is_known_over_mcp() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    learn(&sandbox, "pay", &lesson(1), &[]);
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
    for query in ["", " "] {
        let listed = client.call("list_learnings", &json!({"feature": "pay", "query": query})).unwrap();
        assert_eq!(list(listed["learnings"].clone()).len(), 1, "{listed}");
    }
    client.close();
}
