//! The folder of a project: what `init` makes of it, and what is told of one that is no repository, lacks objects, or can't be used.
#![cfg(unix)]

use journeys::{assert_sound, feature, list, refused, saturation, text};
use ralph_testkit::Sandbox;
use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

#[test]
fn init_leaves_what_belongs_into_git_and_hides_the_rest() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let config = sandbox.read(".ralph/config.toml").replace("max_learnings = 50", "max_learnings = 20 # mine");
    sandbox.write(".ralph/config.toml", &config);
    let again = sandbox.ralph_ok(&["init"]);
    assert_eq!(PathBuf::from(text(&again["path"])), sandbox.project().canonicalize().unwrap());
    assert_eq!(sandbox.read(".ralph/config.toml"), config, "a second init changes nothing");
    assert_eq!(saturation(&sandbox, "pay")["max_learnings"], 20);
    let ignored = sandbox.read(".ralph/.gitignore");
    assert!(ignored.contains("/db/*") && ignored.contains("!/db/memory/"), "{ignored}");
    sandbox.commit("Ralph");
    let mut committed = sandbox.git(&["ls-files", ".ralph"]).lines().map(str::to_owned).collect::<Vec<_>>();
    committed.sort();
    assert_eq!(committed, [".ralph/.gitattributes", ".ralph/.gitignore", ".ralph/config.toml", ".ralph/db/memory/pay.jsonl"]);
    for name in ["ralph.db", "ralph.lock"] {
        let mode = std::fs::metadata(sandbox.project().join(".ralph/db").join(name)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_folder_without_git_is_a_project_too() {
    let sandbox = Sandbox::new();
    let folder = sandbox.home().join("plain");
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    sandbox.ralph_ok(&["init", "-C", folder]);
    sandbox.ralph_ok(&["feature", "create", "pay", "--display-name", "Pay", "-C", folder]);
    let report = sandbox.ralph_ok(&["doctor", "-C", folder]);
    let project = list(report["checks"].clone()).into_iter().find(|check| check["name"] == "project").unwrap();
    assert_eq!(project["status"], "warning", "{report}");
    sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", "Refund", "-C", folder]);
    let script = sandbox.home().join("work.script");
    std::fs::write(&script, "edit a.txt <<EOF\na\nEOF\ndone\n").unwrap();
    let run = sandbox.ralph(&["run", "--agent", "scripted", "--script", script.to_str().unwrap(), "-C", folder]);
    assert!(run.stderr.contains("what changes there is neither watched nor kept"), "{}", run.stderr);
    let iteration = sandbox.ralph_ok(&["task", "show", "1", "-C", folder])["iterations"][0].take();
    assert_eq!(iteration["note"], "on the agent's own word; what it changed is not known", "{iteration}");
    assert_eq!(iteration["evidence"]["remarks"], json!([{ "kind": "unversioned" }]), "{iteration}");
}

#[test]
fn the_doctor_tells_what_a_partial_clone_costs_and_how_it_becomes_whole() {
    let sandbox = Sandbox::with_project();
    let clone = || list(sandbox.ralph_ok(&["doctor"])["checks"].clone()).into_iter().find(|check| check["name"] == "clone");
    assert_eq!(clone(), None);
    sandbox.write("a.txt", "a\n");
    sandbox.commit("Start");
    let origin = sandbox.home().join("origin.git");
    sandbox.git(&["clone", "--quiet", "--bare", ".", origin.to_str().unwrap()]);
    let url = format!("file://{}", origin.display());
    for (key, value) in [("url", url.as_str()), ("promisor", "true"), ("partialclonefilter", "blob:none")] {
        sandbox.git(&["config", &format!("remote.origin.{key}"), value]);
    }
    let told = clone().unwrap();
    assert_eq!(told["status"], "warning", "{told}");
    assert!(text(&told["detail"]).contains("'blob:none' from 'origin'"), "{told}");
    let way_out = text(&told["hint"]);
    for (command, is_partial) in way_out.split('`').filter_map(|part| part.strip_prefix("git ")).zip([true, false]) {
        sandbox.git(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(clone().is_some(), is_partial, "after {command}");
    }
}

#[test]
fn files_that_cannot_be_used_are_named_and_left_alone() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for (config, named) in [("model = ", "line 1"), ("max_learnings = 2", "max_learnings"), ("agent = \"cat\"", "agent")] {
        let before = sandbox.read(".ralph/config.toml");
        sandbox.write(".ralph/config.toml", config);
        let error = refused(&sandbox.ralph(&["saturation"]), "config");
        assert!(text(&error["message"]).contains(named), "{error}");
        assert!(!sandbox.ralph(&["doctor"]).status.success());
        sandbox.write(".ralph/config.toml", &before);
    }
    let database = sandbox.project().join(".ralph/db/ralph.db");
    assert!(!database.with_extension("db-wal").exists(), "while no process has it open, the file alone is the whole database");
    let good = std::fs::read(&database).unwrap();
    // Bytes 60 to 63 of an SQLite file are the number that the schema's version is kept in.
    let mut newer = good.clone();
    newer[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    std::fs::write(&database, &newer).unwrap();
    let error = refused(&sandbox.ralph(&["feature", "list"]), "newer_database");
    assert!(text(&error["message"]).contains("9999"), "{error}");
    assert_eq!(std::fs::read(&database).unwrap(), newer, "a newer database is left as it is");
    std::fs::write(&database, b"this is not a database at all, only some text that is long enough to be read as one").unwrap();
    refused(&sandbox.ralph(&["feature", "list"]), "damaged_database");
    std::fs::write(&database, &good).unwrap();
    assert_sound(&sandbox);
}

#[test]
fn a_read_only_folder_is_told() {
    let sandbox = Sandbox::with_project();
    let locked = sandbox.home().join("locked");
    std::fs::create_dir_all(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(locked.join("probe"), "").is_ok() {
        eprintln!("note: this user may write everywhere (root), so /proc stands in for the read-only folder");
        refused(&sandbox.ralph(&["init", "-C", "/proc"]), "io");
        return;
    }
    let error = refused(&sandbox.ralph(&["init", "-C", locked.to_str().unwrap()]), "io");
    assert!(text(&error["hint"]).contains("writable"), "{error}");
}
