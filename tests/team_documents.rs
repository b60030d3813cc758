//! Documents that hold consolidated learnings in the hands of a team: renamed, moved, reworded, written twice, and brought by a pull.

use journeys::{LIMIT, McpClient, feature, learn, list, text};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::{Value, json};

const LESSONS: [&str; 4] = [
    "Refund windows are compared in the provider time zone",
    "Retry refunds with `Idempotency-Key`",
    "The ledger closes at midnight UTC",
    "The newest one stays where it is",
];
const SAID: [&str; 3] = [
    "Compare refund windows in the zone of the provider",
    "Retries of refunds carry an `Idempotency-Key`",
    "At midnight UTC the ledger closes",
];

/// Three learnings that have proved themselves and one that stays, in a project that is committed.
fn proved() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let ids = LESSONS.iter().map(|said| text(&learn(&sandbox, "pay", said, &["--source", "human"])["id"])).collect();
    sandbox.write(".ralph/config.toml", &sandbox.read(".ralph/config.toml").replace("keep_newest = 3", "keep_newest = 1"));
    sandbox.trust();
    sandbox.commit("learnt");
    for day in 1..=8 {
        let date = format!("2099-01-{day:02}T12:00:00+0000");
        let mut command = sandbox.command("git");
        command.args(["commit", "-q", "--allow-empty", "-m", "work"]).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        assert!(sandbox.run(&mut command).status.success());
    }
    (sandbox, ids)
}

fn items(said: &[&str], ids: &[String]) -> String {
    said.iter().zip(ids).map(|(said, id)| format!("- {said} <!-- ralph:{id} -->\n")).collect()
}

fn propose(sandbox: &Sandbox, file: &str, title: &str, items: &str) -> Value {
    sandbox.write(".ralph/test.script", &format!("edit {file} <<EOF\n# {title}\n\n{items}EOF\n"));
    sandbox.ralph_ok(&["consolidate", "--agent", "scripted", "--script", ".ralph/test.script"])
}

/// The same after its consolidation into `docs/knowledge/money.md`.
fn consolidated() -> (Sandbox, Vec<String>) {
    let (sandbox, ids) = proved();
    propose(&sandbox, "docs/knowledge/money.md", "Money", &items(&SAID, &ids));
    sandbox.ralph_ok(&["merge", "e1"]);
    sandbox.commit("the journal of it");
    (sandbox, ids)
}

/// A fresh clone whose person trusts it: its path.
fn clone_of(sandbox: &Sandbox, name: &str) -> String {
    let clone = sandbox.home().join(name).to_str().expect("a path").to_owned();
    sandbox.git(&["clone", "--quiet", ".", &clone]);
    sandbox.ralph_ok(&["-C", &clone, "trust", "--yes"]);
    clone
}

/// The files of the hits of a question.
fn found_in(answer: &Value) -> Vec<Value> {
    list(answer["hits"].clone()).iter().map(|hit| hit["file"].clone()).collect()
}

#[test]
fn documents_are_told_wherever_somebody_moved_them_also_in_a_fresh_clone() {
    let (sandbox, ids) = consolidated();
    sandbox.git(&["mv", "docs/knowledge/money.md", "docs/knowledge/payments.md"]);
    sandbox.commit("a better name");
    let asked = ["recall", "refund windows zone provider", "--feature", "pay"];
    let clone = clone_of(&sandbox, "renamed");
    let there = |clone: &str| found_in(&sandbox.ralph_ok(&[&["-C", clone], &asked[..]].concat()));
    assert_eq!(there(&clone), ["docs/knowledge/payments.md"]);

    // The folder with its setting.
    sandbox.git(&["mv", "docs/knowledge", "handbook"]);
    let settings = sandbox.read(".ralph/config.toml").replace("knowledge_folder = \"docs/knowledge\"", "knowledge_folder = \"handbook\"");
    sandbox.write(".ralph/config.toml", &settings);
    sandbox.trust();
    sandbox.commit("a handbook");
    assert_eq!(found_in(&sandbox.ralph_ok(&asked)), ["handbook/payments.md"]);
    assert_eq!(there(&clone_of(&sandbox, "moved")), ["handbook/payments.md"]);

    // An entry that goes on into a document beside the folder which is ingested, too, is told there, and not lost.
    let left = sandbox.read("handbook/payments.md").replace(&items(&SAID[..1], &ids), "");
    sandbox.write("handbook/payments.md", &left);
    sandbox.write("CONTRIBUTING.md", &format!("# Rules\n\n{}", items(&SAID[..1], &ids)));
    sandbox.ralph_ok(&["ingest", "CONTRIBUTING.md"]);
    sandbox.commit("a rule");
    assert_eq!(found_in(&sandbox.ralph_ok(&asked))[0], "CONTRIBUTING.md");
    assert_eq!(sandbox.ralph_ok(&["notice", "list"]), json!([]));
    assert_eq!(sandbox.ralph_ok(&["learning", "show", &ids[0]])["consolidated_into"]["file"], "CONTRIBUTING.md");
}

#[test]
fn a_process_that_was_there_before_tells_what_a_pull_consolidated() {
    let (sandbox, ids) = proved();
    let clone = clone_of(&sandbox, "before");
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["-C", &clone, "mcp", "--profile", "full"]));
    let mut search = || client.call("search", &json!({"query": "refund windows zone provider"})).expect("an answer");
    assert_eq!(list(search()["hits"].take())[0]["id"], json!(ids[0]));

    propose(&sandbox, "docs/knowledge/money.md", "Money", &items(&SAID, &ids));
    sandbox.ralph_ok(&["merge", "e1"]);
    sandbox.commit("the journal of it");
    sandbox.git(&["-C", &clone, "pull", "--quiet"]);
    wait_until("the document is told", LIMIT, || (found_in(&search()).first() == Some(&json!("docs/knowledge/money.md"))).then_some(()));
}

#[test]
fn an_index_that_two_consolidations_changed_is_no_conflict() {
    let (sandbox, ids) = proved();
    propose(&sandbox, "docs/knowledge/money.md", "Money", &items(&SAID, &ids));
    // What a teammate's consolidation brings meanwhile.
    sandbox.write("docs/knowledge/zones.md", "# Zones\n\n- Servers stand in Oslo\n");
    sandbox.write("docs/knowledge/INDEX.md", "# Index\n\nBy hand.\n\n- [Zones](zones.md)\n");
    sandbox.commit("another consolidation");
    let standing = |errand: &str| text(&sandbox.ralph_ok(&["diff", errand])["row"]["standing"]);
    assert_eq!(standing("e1"), "base_moved", "nobody has to settle anything");
    sandbox.ralph_ok(&["merge", "e1"]);
    assert_eq!(sandbox.read("docs/knowledge/INDEX.md"), "# Index\n\nBy hand.\n\n- [Zones](zones.md)\n- [Money](money.md)\n");
    assert_eq!(text(&sandbox.ralph_ok(&["learning", "show", &ids[0]])["state"]), "consolidated");

    // The same for the way back.
    sandbox.ralph_ok(&["consolidate", "--undo", "e1"]);
    sandbox.write("docs/knowledge/INDEX.md", "# Index\n\n- [Money](money.md)\n- [Zones](zones.md): where\n");
    sandbox.commit("an index by hand");
    assert_eq!(standing("e2"), "base_moved");
    sandbox.ralph_ok(&["merge", "e2"]);
    assert_eq!(sandbox.read("docs/knowledge/INDEX.md"), "# Index\n\n- [Zones](zones.md): where\n");
    assert_eq!(text(&sandbox.ralph_ok(&["learning", "show", &ids[0]])["state"]), "active");
}

#[test]
fn an_index_that_two_clones_changed_at_once_is_no_conflict_of_a_pull_either() {
    let (sandbox, ids) = proved();
    let clone = clone_of(&sandbox, "beside");
    let there = |args: &[&str]| sandbox.ralph_ok(&[&["-C", &clone], args].concat());
    propose(&sandbox, "docs/knowledge/money.md", "Money", &items(&SAID, &ids));
    sandbox.ralph_ok(&["merge", "e1"]);
    sandbox.commit("the journal of it");
    let script = format!("edit docs/knowledge/zones.md <<EOF\n# Zones\n\n{}EOF\n", items(&SAID, &ids));
    sandbox.write(".ralph/test.script", &script);
    let script = sandbox.project().join(".ralph/test.script");
    there(&["consolidate", "--agent", "scripted", "--script", script.to_str().expect("a path")]);
    there(&["merge", "e1"]);
    sandbox.git(&["-C", &clone, "commit", "--quiet", "--all", "--message", "the journal of it"]);
    sandbox.git(&["-C", &clone, "pull", "--quiet", "--no-rebase", "--no-edit"]);
    let index = std::fs::read_to_string(std::path::Path::new(&clone).join("docs/knowledge/INDEX.md")).expect("reads");
    let mut lines: Vec<&str> = index.lines().skip(2).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["- [Money](money.md)", "- [Zones](zones.md)"], "{index}");
}

#[test]
fn what_an_agent_read_in_a_document_and_says_again_is_an_observation_of_it() {
    let (sandbox, ids) = consolidated();
    let page = sandbox.read("docs/knowledge/money.md");
    sandbox.write("docs/knowledge/money.md", &page.replace(SAID[2], "Books are closed\n  when the day of Greenwich ends"));
    sandbox.commit("in other words");
    let again = |said: &str| {
        let answer = learn(&sandbox, "pay", said, &["--source", "agent"]);
        (text(&answer["verdict"]), text(&answer["id"]))
    };
    let observed = |at: usize| ("observed".to_owned(), ids[at].clone());
    assert_eq!(again(SAID[0]), observed(0), "the words of the agent that wrote the document");
    assert_eq!(again(SAID[1]), observed(1));
    assert_eq!(again("Books are closed when the day of Greenwich ends"), observed(2), "the words of whoever edited it");
    assert_eq!(again(LESSONS[2]), observed(2), "its own words");
    assert_eq!(again("The sandbox rejects cards that begin with 4242").0, "added");
}

#[test]
fn what_contradicts_a_document_waits_for_a_person() {
    let (sandbox, ids) = consolidated();
    let said = learn(&sandbox, "pay", "The ledger never closes at midnight UTC", &["--source", "agent"]);
    assert_eq!((&said["verdict"], &said["conflicts_with"]), (&json!("conflict"), &json!([ids[2]])), "{said}");
    let needs = list(sandbox.ralph_ok(&["status"])["needs_you"].take());
    assert!(needs.iter().any(|need| need["kind"] == "conflicts"), "{needs:?}");
    let new = text(&said["id"]);
    sandbox.ralph_ok(&["learning", "resolve", &ids[2], &new, "keep_newer"]);
    let state = |id: &str| text(&sandbox.ralph_ok(&["learning", "show", id])["state"]);
    assert_eq!((state(&ids[2]), state(&new)), ("superseded".to_owned(), "active".to_owned()));
    let told = list(sandbox.ralph_ok(&["notice", "list"]));
    assert!(text(&told[0]["detail"]).contains(&format!("says {}, which is superseded", ids[2])), "the document still says it: {told:?}");
}

#[test]
fn what_another_clone_wrote_of_the_same_entries_stays_when_this_one_takes_its_own_back() {
    let (sandbox, ids) = consolidated();
    sandbox.write("docs/knowledge/zones.md", &format!("# Zones\n\n{}", items(&LESSONS[..3], &ids)));
    sandbox.write("docs/knowledge/INDEX.md", "# Index\n\n- [Zones](zones.md)\n- [Money](money.md)\n");
    sandbox.commit("by another clone");
    sandbox.ralph_ok(&["consolidate", "--undo", "e1"]);
    sandbox.ralph_ok(&["merge", "e2"]);
    assert_eq!(sandbox.git(&["ls-files", "docs/**/*.md"]), "docs/knowledge/INDEX.md\ndocs/knowledge/zones.md");
    let learning = sandbox.ralph_ok(&["learning", "show", &ids[0]]);
    assert_eq!((&learning["state"], &learning["consolidated_into"]["file"]), (&json!("consolidated"), &json!("docs/knowledge/zones.md")));
}

#[test]
fn the_prompt_tells_the_lesson_of_a_long_section_that_its_task_needs() {
    let (sandbox, ids) = proved();
    let tax = "Tax for Norway comes from `vat_no.yml`, which finance edits each January";
    let others = (1..=12).map(|n| format!("- Gateway {n} answers within {n} seconds, or its request is given up and made once more\n"));
    sandbox.write("docs/knowledge/money.md", &format!("# Money\n\n{}- {tax}\n", others.collect::<String>()));
    sandbox.commit("a long section");
    sandbox.write(
        ".ralph/test.script",
        &format!("append docs/knowledge/money.md {}", items(&SAID, &ids).trim_end().replace('\n', "\nappend docs/knowledge/money.md ")),
    );
    sandbox.ralph_ok(&["consolidate", "--agent", "scripted", "--script", ".ralph/test.script"]);
    sandbox.ralph_ok(&["merge", "e1"]);
    let told = |title: &str| {
        let task = sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", title]);
        text(&sandbox.ralph_ok(&["prompt", &task["id"].to_string()])["text"])
    };
    let prompt = told("Change the tax for Norway in vat_no.yml");
    assert!(prompt.contains(tax) && prompt.contains("docs/knowledge/money.md:1 (Money): "), "{prompt}");
    let prompt = told("Compare the refund windows of another provider");
    assert!(prompt.contains(SAID[0]), "{prompt}");
}

#[test]
fn the_folder_of_the_documents_may_have_any_name() {
    let (sandbox, ids) = proved();
    let settings = sandbox.read(".ralph/config.toml").replace("\"docs/knowledge\"", "\"docs/Über uns\"");
    sandbox.write(".ralph/config.toml", &settings);
    sandbox.trust();
    propose(&sandbox, "docs/Über uns/money.md", "Money", &items(&SAID, &ids));
    sandbox.ralph_ok(&["merge", "e1"]);
    assert_eq!(sandbox.ralph_ok(&["learning", "show", &ids[0]])["consolidated_into"]["file"], "docs/Über uns/money.md");
    assert_eq!(sandbox.read("docs/Über uns/INDEX.md"), "# Index\n\n- [Money](money.md)\n");
}
