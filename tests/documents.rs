//! Documents: files of a project that are searched section by section, by the real `ralph` in real repositories.

use journeys::{feature, list, play, prompt, refused, task, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};
use std::fs;

const GUIDE: &str = "# Guide\n\n## Install\nRun the flumox installer.\n\n## Use\nStart the wombat.\n";
const SOURCE: &str = "import os\n\n\n# Pays back.\ndef refund_ledger(entry):\n    \"\"\"Asks the zibbel.\"\"\"\n    return entry\n";

fn project() -> Sandbox {
    let sandbox = Sandbox::with_project();
    sandbox.write("docs/guide.md", GUIDE);
    sandbox.write("src/pay.py", SOURCE);
    sandbox
}

fn hits(sandbox: &Sandbox, query: &str) -> Vec<Value> {
    list(sandbox.ralph_ok(&["recall", query])["hits"].take())
}

#[test]
fn files_are_found_with_their_lines_and_go_with_their_files() {
    let sandbox = project();
    let answer = sandbox.ralph_ok(&["ingest", "docs", "src/pay.py"]);
    let expected = json!({
        "ingested": [{"path": "docs/guide.md", "sections": 2}, {"path": "src/pay.py", "sections": 2}],
        "skipped": [],
    });
    assert_eq!(answer, expected);
    assert_eq!(sandbox.ralph_ok(&["ingest", "docs", "src/pay.py"]), expected, "again changes nothing");

    let hit = &hits(&sandbox, "flumox installer")[0];
    assert_eq!((&hit["kind"], &hit["file"], &hit["line"]), (&json!("document"), &json!("docs/guide.md"), &json!(3)), "{hit}");
    assert_eq!(hit["heading"], "Guide › Install");
    let hit = &hits(&sandbox, "which function asks the zibbel")[0];
    assert_eq!((&hit["file"], &hit["line"], &hit["heading"]), (&json!("src/pay.py"), &json!(4), &json!("refund_ledger")), "{hit}");

    let hit = &hits(&sandbox, "what is in pay.py")[0];
    assert_eq!(hit["file"], "src/pay.py", "{hit}");
    assert!(list(hit["score"]["channels"].clone()).iter().any(|channel| channel["channel"] == "path"), "{hit}");

    sandbox.write("docs/guide.md", &GUIDE.replace("flumox", "gromit"));
    sandbox.ralph_ok(&["reconcile"]);
    let said = |word: &str| hits(&sandbox, word).iter().any(|hit| text(&hit["text"]).contains(word));
    assert!(said("gromit") && !said("flumox"), "what changed is read again");
    fs::remove_file(sandbox.project().join("docs/guide.md")).unwrap_or_default();
    sandbox.ralph_ok(&["reconcile"]);
    assert!(hits(&sandbox, "gromit wombat").iter().all(|hit| hit["file"] == "src/pay.py"), "a file that is gone is not found");
    assert_eq!(sandbox.ralph_ok(&["document", "forget", "src"])["forgotten"], json!(["src/pay.py"]));
    assert_eq!(sandbox.ralph_ok(&["document", "list"]), json!([]));
}

#[test]
fn what_can_not_be_a_document_is_passed_over_and_told() {
    let sandbox = project();
    sandbox.write(".gitignore", "build/\n");
    sandbox.write("build/made.txt", "made by a program\n");
    sandbox.write("docs/image.png", "\u{0}PNG");
    sandbox.write("docs/huge.txt", &"many words ".repeat(200_000));
    sandbox.write("docs/key.md", "# Key\nlog in with ghp_0123456789abcdefghijklmnopqrstuvwxyzAB then go to the harbour\n");
    let outside = sandbox.home().join("secret.txt");
    fs::write(&outside, "an outside zeppelin\n").unwrap_or_default();
    #[cfg(unix)]
    for (target, link) in [(&*outside, "docs/out.txt"), (std::path::Path::new("none.md"), "docs/broken.txt")] {
        std::os::unix::fs::symlink(target, sandbox.project().join(link)).unwrap_or_default();
    }
    #[cfg(unix)]
    for (target, link) in [("../build/made.txt", "docs/made.txt"), ("../README.md", "docs/read.md")] {
        std::os::unix::fs::symlink(target, sandbox.project().join(link)).unwrap_or_default();
    }
    sandbox.write("README.md", "# Read me\nbring a marmot\n");
    let answer = sandbox.ralph_ok(&["ingest", ".", "build/made.txt", "none.md", &outside.to_string_lossy(), ".ralph/config.toml"]);
    let reason = |path: &str| -> String {
        let skipped = answer["skipped"].as_array().into_iter().flatten().find(|file| file["path"] == path);
        skipped.map_or_else(|| panic!("{path} is not told: {answer:#}"), |file| text(&file["reason"]))
    };
    for (path, why) in [
        ("docs/image.png", "binary"),
        ("docs/huge.txt", "longer"),
        ("docs/out.txt", "out of the project"),
        ("docs/broken.txt", "a link to nothing"),
        ("docs/made.txt", "leads to what git ignores"),
        ("docs/read.md", "known by its own name"),
        ("build/made.txt", "git ignores"),
        ("none.md", "no such"),
        (&*outside.to_string_lossy(), "outside"),
        (".ralph/config.toml", "own"),
    ] {
        assert!(reason(path).contains(why), "{path}: {}", reason(path));
    }
    for nothing in ["build/made.txt", "none.md", "/etc", "docs/image.png", "docs/huge.txt"] {
        let error = refused(&sandbox.ralph(&["ingest", nothing]), "invalid");
        assert!(text(&error["message"]).contains(nothing), "{error}");
    }
    let ingested: Vec<String> = list(answer["ingested"].clone()).iter().map(|file| text(&file["path"])).collect();
    assert!(ingested.contains(&"docs/key.md".to_owned()) && !ingested.iter().any(|path| path.contains(".ralph")), "{ingested:?}");
    assert!(hits(&sandbox, "zeppelin").is_empty(), "nothing outside was read");
    assert!(hits(&sandbox, "made by a program").iter().all(|hit| !hit.to_string().contains("made.txt")), "nothing ignored was read");
    let key = &hits(&sandbox, "harbour")[0];
    assert!(!key.to_string().contains("ghp_0123456789"), "{key}");
}

#[test]
fn a_path_that_holds_a_secret_is_stored_nowhere() {
    let sandbox = project();
    let name = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    sandbox.write(format!("docs/{name}.md"), "A heron.\n");
    sandbox.write(format!("{name}/a.md"), "A stork.\n");
    let (file, folder) = (format!("docs/{name}.md"), name.clone());
    let mut asked = vec!["ingest", &file, &folder];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(format!("{name}.md"), sandbox.project().join("docs/link.md")).unwrap_or_default();
        asked.push("docs/link.md");
    }
    let answer = sandbox.ralph_ok(&asked);
    assert!(answer["ingested"] == json!([]) && !answer.to_string().contains(&name), "{answer}");
    assert!(answer["skipped"].to_string().contains("looks like a secret"), "{answer}");
    let audit = sandbox.ralph_ok(&["audit", "--class", "secret"]);
    assert_eq!(audit["secret"]["count"], json!(0), "{audit:#}");
}

#[test]
fn sections_that_begin_on_the_same_line_have_ids_of_their_own() {
    let sandbox = project();
    sandbox.write("docs/long.md", &"The flumox of the harbour settles what the heron owes. ".repeat(150));
    sandbox.ralph_ok(&["ingest", "docs/long.md"]);
    let found = hits(&sandbox, "flumox of the harbour");
    let mut ids: Vec<String> = found.iter().map(|hit| text(&hit["id"])).collect();
    ids.sort_unstable();
    assert!(ids.len() > 2 && ids[..2] == ["docs/long.md:1", "docs/long.md:1.2"], "{ids:?}");
    ids.dedup();
    assert!(ids.len() == found.len() && found.iter().all(|hit| hit["line"] == json!(1)), "{ids:?}");
    let recorded = sandbox.ralph_ok(&["export"])["evaluation"]["queries"][0]["results"].take();
    assert_eq!(list(recorded).len(), found.len(), "each is recorded");
}

#[test]
fn paths_are_meant_from_where_the_command_works() {
    let sandbox = project();
    let folder = sandbox.project().join("docs");
    let program = sandbox.ralph_command(&[]).get_program().to_owned();
    let output = sandbox.run(sandbox.command(program).args(["-C", &folder.to_string_lossy(), "ingest", "guide.md", "../src", "--json"]));
    let answer: Value = output.json();
    assert_eq!(answer["ingested"].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!(answer["ingested"][0]["path"], "docs/guide.md");
}

#[test]
fn what_a_link_led_to_is_forgotten_by_the_link_and_kept_by_its_name() {
    let sandbox = project();
    std::os::unix::fs::symlink("docs", sandbox.project().join("wiki")).unwrap();
    sandbox.ralph_ok(&["ingest", "wiki"]);
    let kept = sandbox.ralph_ok(&["document", "forget", "docs"])["kept"].take();
    assert_eq!(kept[0]["path"], "docs/guide.md", "{kept}");
    assert!(text(&kept[0]["reason"]).starts_with("'wiki' is still asked for"), "{kept}");
    assert_eq!(sandbox.ralph_ok(&["document", "forget", "wiki"]), json!({ "forgotten": ["docs/guide.md"], "kept": [] }));
    assert_eq!(sandbox.ralph_ok(&["document", "list"]), json!([]));
}

#[test]
fn what_a_feature_names_is_read_when_a_run_starts() {
    let sandbox = project();
    feature(&sandbox, "pay", &[]);
    sandbox.ralph_ok(&["feature", "update", "pay", "--knowledge-paths", "docs"]);
    let id = journeys::task(&sandbox, "pay", "Start the wombat", &[]);
    journeys::play(&sandbox, "done\n", &["--max-iterations", "1"]);
    let asked = prompt(&sandbox, 1);
    assert!(asked.contains(&format!("(task {id})")) && asked.contains("- docs/guide.md:6 (Guide › Use): "), "{asked}");
    let told = &list(sandbox.ralph_ok(&["export"])["iterations"].take())[0]["told"][0];
    assert_eq!((&told["kind"], &told["id"], &told["rank"]), (&json!("document"), &json!("docs/guide.md:6"), &json!(1)), "{told}");
    let answer = sandbox.ralph_ok(&["recall", "wombat"]);
    assert!(answer["query"].as_str().is_some_and(|id| id.len() == 26) && answer["origin"] == "cli", "{answer}");
    assert_eq!(sandbox.ralph_ok(&["document", "list"])[0]["feature"], "pay");
    assert_eq!(hits(&sandbox, "wombat")[0]["feature"], "pay");
}

#[test]
fn a_prompt_tells_what_an_earlier_iteration_of_the_run_left_of_a_document() {
    let sandbox = project();
    sandbox.ralph_ok(&["ingest", "docs"]);
    feature(&sandbox, "pay", &[]);
    for title in ["Replace the flumox installer", "Use the flumox installer"] {
        task(&sandbox, "pay", title, &[]);
    }
    let script = "[task 1]\nedit docs/guide.md <<EOF\n# Guide\n\n## Install\nRun the flumox installer by zibbel.\nEOF\ncommit Replace\ndone\n\n[*]\nsay x\n";
    play(&sandbox, script, &["--max-iterations", "2"]);
    let (first, second) = (prompt(&sandbox, 1), prompt(&sandbox, 2));
    assert!(first.contains("Run the flumox installer.") && !first.contains("by zibbel"), "{first}");
    assert!(second.contains("by zibbel") && !second.contains("Run the flumox installer."), "{second}");
}
