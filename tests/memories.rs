//! Facts and episodes, by the real `ralph` in real repositories.

use journeys::{assert_sound, feature, id_of, iterations, list, play, prompt, refused, task, text, with_tasks};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};
use std::fs;

fn hits(sandbox: &Sandbox, query: &str, kind: &str) -> Vec<Value> {
    list(sandbox.ralph_ok(&["recall", query, "--kind", kind])["hits"].take())
}

#[test]
fn a_fact_is_stated_found_told_and_put_away() {
    let sandbox = with_tasks(0);
    sandbox.write("sub/commands", "test:\n\tcargo flumox\n");
    let stated = sandbox.ralph_ok(&[
        "-C",
        "sub",
        "fact",
        "add",
        "flumox command",
        "cargo flumox --all",
        "--kind",
        "test_command",
        "--file",
        "commands:2",
        "--confidence",
        "0.8",
    ]);
    let fact = &stated["fact"];
    assert_eq!((&stated["verdict"], &fact["state"], &fact["source"]), (&json!("added"), &json!("active"), &json!("human")), "{stated}");
    assert_eq!((&fact["file"], &fact["line"], &fact["confidence"]), (&json!("sub/commands"), &json!(2), &json!(0.8)), "{stated}");
    let id = text(&fact["id"]);
    let hit = &hits(&sandbox, "how is the flumox run", "fact")[0];
    assert_eq!((&hit["kind"], &hit["id"], &hit["feature"]), (&json!("fact"), &json!(id), &json!("")), "{hit}");
    assert_eq!((&hit["file"], &hit["line"]), (&json!("sub/commands"), &json!(2)), "{hit}");

    let one = task(&sandbox, "pay", "Run the flumox", &[]);
    play(&sandbox, "expect cargo flumox --all\nedit a.txt <<EOF\na\nEOF\ndone\n", &[]);
    let row = iterations(&sandbox).remove(0);
    let told = list(row["told"].clone());
    assert!(told.iter().any(|told| told["kind"] == "fact" && told["id"] == json!(id)), "{row}");
    assert!(prompt(&sandbox, id_of(&row)).contains("Stated in sub/commands:2: flumox command: cargo flumox --all"));
    assert_eq!(row["task"], json!(one));

    let moved = sandbox.ralph_ok(&["fact", "add", "Flumox command", "make flumox", "--kind", "test_command"]);
    assert_eq!(moved["replaced"], json!([id]), "{moved}");
    let listed = list(sandbox.ralph_ok(&["fact", "list"]));
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(list(sandbox.ralph_ok(&["fact", "list", "--state", "all"])).len(), 2);
    let retired = sandbox.ralph_ok(&["fact", "retire", &text(&listed[0]["id"])]);
    assert_eq!((&retired["state"], &retired["withdrawn"]["because"]), (&json!("withdrawn"), &json!("person")), "{retired}");
    assert_eq!(sandbox.ralph_ok(&["fact", "restore", &id])["state"], "active");
    assert_sound(&sandbox);

    refused(&sandbox.ralph(&["fact", "retire", "none"]), "not_found");
    refused(&sandbox.ralph(&["fact", "add", "s", "v", "--file", "sub/commands:7"]), "invalid");
    refused(&sandbox.ralph(&["fact", "add", "s", "v", "--confidence", "2"]), "invalid");

    fs::remove_dir_all(sandbox.project().join("sub")).unwrap_or_default();
    sandbox.ralph_ok(&["reconcile"]);
    let gone = sandbox.ralph_ok(&["fact", "show", &id]);
    assert_eq!(gone["withdrawn"]["because"], "source_gone", "{gone}");
    assert_eq!(hits(&sandbox, "how is the flumox run", "fact"), Vec::<Value>::new());
    assert_eq!(list(sandbox.ralph_ok(&["export"])["facts"].take()).len(), 2);
    // A file of lines that is lost is written back, and the rows tell the same.
    fs::remove_file(sandbox.project().join(".ralph/db/memory/_project.jsonl")).unwrap_or_default();
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(sandbox.ralph_ok(&["fact", "show", &id]), gone);
    assert_sound(&sandbox);
}

#[test]
fn what_an_iteration_did_is_told_to_the_next_that_asks_for_it() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "Wind the flumox", &[]);
    let script = "\
[attempt 1]
done

[attempt 2]
edit src/flumox.rs <<EOF
// winds
EOF
commit Wind it by hand
done
";
    play(&sandbox, script, &["--check", "test -f src/flumox.rs || { echo no flumox; exit 7; }"]);
    let episodes = list(sandbox.ralph_ok(&["episode", "list"]));
    assert_eq!(episodes.len(), 1, "the failed attempt has its report: {episodes:?}");
    let episode = &episodes[0];
    assert_eq!((&episode["feature"], &episode["lesson_type"]), (&json!("pay"), &json!("mistake")), "{episode}");
    assert_eq!((&episode["task_id"], &episode["iteration"]), (&json!(one), &json!(2)), "{episode}");
    assert_eq!(episode["files"], json!(["src/flumox.rs"]), "{episode}");
    let lesson = text(&episode["lesson"]);
    for said in ["'Wind the flumox' was done, and the check passed", "before failed:", "Wind it by hand", "src/flumox.rs"] {
        assert!(lesson.contains(said), "{lesson}");
    }
    let hit = &hits(&sandbox, "src/flumox.rs", "episode")[0];
    assert_eq!((&hit["id"], &hit["task"], &hit["feature"]), (&episode["id"], &json!(one), &json!("pay")), "{hit}");

    task(&sandbox, "pay", "Oil the flumox", &[]);
    let next = sandbox.ralph_ok(&["prompt", "2"]);
    assert!(text(&next["text"]).contains(&format!("Done in #{one}: 'Wind the flumox' was done")), "{next}");
    let id = text(&episode["id"]);
    assert_eq!(sandbox.ralph_ok(&["episode", "retire", &id])["state"], "withdrawn");
    assert!(!text(&sandbox.ralph_ok(&["prompt", "2"])["text"]).contains("Wind the flumox"));
    assert_eq!(hits(&sandbox, "src/flumox.rs", "episode"), Vec::<Value>::new());
    assert_eq!(sandbox.ralph_ok(&["episode", "restore", &id])["state"], "active");
    assert_eq!(hits(&sandbox, "src/flumox.rs", "episode")[0]["id"], episode["id"]);
    sandbox.ralph_ok(&["rebuild"]);
    let mut restored = episodes.clone();
    restored[0]["kept"] = json!(true);
    assert_eq!(list(sandbox.ralph_ok(&["episode", "list"])), restored);
    assert_sound(&sandbox);
}

#[test]
fn work_is_told_once_and_without_what_its_agents_forgot_to_say() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "Wind the flumox", &[]).to_string();
    play(&sandbox, "[attempt 1]\nsay It winds.\n\n[attempt 2]\nedit src/flumox.rs <<EOF\n// winds\nEOF\ncommit By hand\ndone\n", &[]);
    let episode = &list(sandbox.ralph_ok(&["episode", "list"]))[0];
    assert_eq!(episode["lesson_type"], "success", "{episode}");
    assert!(!text(&episode["lesson"]).contains("before failed"), "{episode}");
    task(&sandbox, "pay", "Oil the flumox", &["--depends-on", &one]);
    let next = text(&sandbox.ralph_ok(&["prompt", "2"])["text"]);
    assert!(next.contains("task 1: Wind the flumox") && !next.contains("Done in #1"), "what it builds on says so already: {next}");
}

#[test]
fn what_an_agent_only_pulled_is_no_work_of_its_own() {
    let sandbox = with_tasks(0);
    sandbox.commit("Start");
    sandbox.git(&["checkout", "--quiet", "-b", "up"]);
    sandbox.write("theirs.txt", "a colleague's\n");
    sandbox.commit("Colleague rewrites the ledger");
    sandbox.git(&["checkout", "--quiet", "-"]);
    task(&sandbox, "pay", "Take over what is new", &[]);
    task(&sandbox, "pay", "Round refunds", &[]);
    let script = "[task 1]\nrun git pull -q . up\ndone\n\n[task 2]\nedit mine.txt <<EOF\nmine\nEOF\ncommit Round refunds\ndone\n";
    play(&sandbox, script, &["--max-iterations", "2"]);
    let left: Vec<(Value, Value)> =
        iterations(&sandbox).iter().map(|row| (row["evidence"]["commits"].clone(), row["evidence"]["changed_files"].clone())).collect();
    assert_eq!(left[0], (json!([]), json!([])));
    assert!(left[1].0.to_string().contains("Round refunds") && left[1].1 == json!(["mine.txt"]), "{left:?}");
    let episodes = list(sandbox.ralph_ok(&["episode", "list"]));
    assert!(!json!(episodes).to_string().contains("Colleague"), "{episodes:?}");
}

#[test]
fn an_episode_goes_where_its_task_goes() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "Wind the flumox", &[]);
    play(&sandbox, "edit src/flumox.rs <<EOF\n// winds\nEOF\ncommit Wind it by hand\ndone\n", &[]);
    feature(&sandbox, "shop", &[]);
    sandbox.ralph_ok(&["task", "update", &one.to_string(), "--feature", "shop"]);
    let homes = || {
        let told =
            |name: &str| list(sandbox.ralph_ok(&["recall", "wind the flumox", "--kind", "episode", "--feature", name])["hits"].take());
        (list(sandbox.ralph_ok(&["episode", "list"]))[0]["feature"].clone(), told("pay").len(), told("shop").len())
    };
    assert_eq!(homes(), (json!("shop"), 0, 1));
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(homes(), (json!("shop"), 0, 1));
    assert_sound(&sandbox);
}

#[test]
fn a_fact_whose_line_says_otherwise_now_is_not_restored() {
    let sandbox = with_tasks(0);
    sandbox.write("port.txt", "8080\n");
    let id = text(&sandbox.ralph_ok(&["fact", "add", "port", "8080", "--file", "port.txt:1"])["fact"]["id"]);
    sandbox.ralph_ok(&["fact", "retire", &id]);
    sandbox.write("port.txt", "9090\n");
    let now = text(&sandbox.ralph_ok(&["fact", "add", "port", "9090", "--file", "port.txt:1"])["fact"]["id"]);
    let error = refused(&sandbox.ralph(&["fact", "restore", &id]), "invalid");
    assert!(text(&error["message"]).contains("port.txt"), "{error}");
    assert_eq!(sandbox.ralph_ok(&["fact", "show", &now])["state"], "active");
    sandbox.write("port.txt", "8080\n");
    assert_eq!(sandbox.ralph_ok(&["fact", "restore", &id])["state"], "active");
    let bogus = sandbox.ralph(&["episode", "list", "--state", "bogus"]);
    assert!(format!("{}{}", bogus.stdout, bogus.stderr).contains("active, withdrawn, all"), "{bogus:?}");
}
