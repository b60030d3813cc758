//! Facts that files state themselves, by the real `ralph` in real repositories.

use journeys::{McpClient, assert_sound, feature, learn, list, play, refused, task, text};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};
use std::fs;

const CARGO: &str = "[package]\nname = \"pay\"\n\n[dependencies]\naxum = \"0.8\"\nserde = \"1\"\n";

/// A repository in five languages.
fn project() -> Sandbox {
    let sandbox = Sandbox::with_project();
    sandbox.write("Cargo.toml", CARGO);
    sandbox.write(
        "src/main.rs",
        "use axum::{Router, routing::get};\n\nfn main() {\n    let app = Router::new().route(\"/pay\", get(list));\n}\n",
    );
    sandbox.write(
        "web/package.json",
        "{\n  \"scripts\": { \"test\": \"vitest run\" },\n  \"dependencies\": {\n    \"express\": \"^5.0.0\"\n  }\n}\n",
    );
    sandbox.write("web/server.js", "import express from 'express';\nconst app = express();\napp.post('/refund', refund);\n");
    sandbox.write("web/view.tsx", "import { useState } from 'react';\nexport const View = () => <p>{useState(1)[0]}</p>;\n");
    sandbox.write(
        "api/app.py",
        "import os\nfrom flask import Flask\napp = Flask(__name__)\n\n@app.route('/py', methods=['PUT'])\ndef put_it():\n    return ''\n",
    );
    sandbox.write("gate/go.mod", "module example.com/gate\n\nrequire github.com/gin-gonic/gin v1.10.0\n");
    sandbox.write(
        "gate/main.go",
        "package main\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc main() {\n\tr := gin.Default()\n\tr.GET(\"/go\", show)\n}\n",
    );
    sandbox.write(".gitignore", "made/\n");
    sandbox.write("made/package.json", "{\"dependencies\": {\"made\": \"1\"}}\n");
    sandbox.write("node_modules/left/package.json", "{\"dependencies\": {\"left\": \"1\"}}\n");
    sandbox
}

fn scan(sandbox: &Sandbox) -> Value {
    sandbox.ralph_ok(&["fact", "scan"])
}

fn facts(sandbox: &Sandbox) -> Vec<Value> {
    list(sandbox.ralph_ok(&["facts"]))
}

fn about(sandbox: &Sandbox, kind: &str, subject: &str) -> Option<Value> {
    facts(sandbox).into_iter().find(|fact| fact["kind"] == kind && fact["subject"] == subject)
}

/// `kind subject = value @ file:line`, sorted.
fn said(sandbox: &Sandbox) -> Vec<String> {
    let said = |fact: &Value| {
        let [kind, subject, value, file] = ["kind", "subject", "value", "file"].map(|key| text(&fact[key]));
        format!("{kind} {subject} = {value} @ {file}:{}", fact["line"])
    };
    let mut said: Vec<String> = facts(sandbox).iter().map(said).collect();
    said.sort();
    said
}

#[test]
fn a_repository_in_five_languages_tells_its_facts_and_they_follow_their_files() {
    let sandbox = project();
    let first = scan(&sandbox);
    assert_eq!((&first["enabled"], &first["added"], &first["read"]), (&json!(true), &first["facts"], &json!(8)), "{first}");
    assert_eq!(
        said(&sandbox),
        [
            "build_command cargo build = cargo build @ Cargo.toml:1",
            "build_command go build in gate = go build -C gate ./... @ gate/go.mod:1",
            "dependency axum = 0.8 @ Cargo.toml:5",
            "dependency express = ^5.0.0 @ web/package.json:4",
            "dependency flask = any @ api/app.py:2",
            "dependency github.com/gin-gonic/gin = v1.10.0 @ gate/go.mod:3",
            "dependency serde = 1 @ Cargo.toml:6",
            "endpoint GET /go = show @ gate/main.go:7",
            "endpoint GET /pay = list @ src/main.rs:4",
            "endpoint POST /refund = refund @ web/server.js:3",
            "endpoint PUT /py = put_it @ api/app.py:5",
            "entry_point gate/main.go = main @ gate/main.go:5",
            "entry_point src/main.rs = main @ src/main.rs:3",
            "framework Axum = 0.8 @ Cargo.toml:5",
            "framework Express = ^5.0.0 @ web/package.json:4",
            "framework Flask = any @ api/app.py:2",
            "framework Gin = v1.10.0 @ gate/go.mod:3",
            "framework React = any @ web/view.tsx:1",
            "test_command cargo tests = cargo test @ Cargo.toml:1",
            "test_command go tests in gate = go test -C gate ./... @ gate/go.mod:1",
            "test_command npm tests in web = npm --prefix web test @ web/package.json:2",
        ]
    );
    let serde = about(&sandbox, "dependency", "serde").expect("a fact");
    assert_eq!((&serde["confidence"], &serde["source"], &serde["state"]), (&json!(1.0), &json!("code"), &json!("active")), "{serde}");

    let again = scan(&sandbox);
    let counts = ["read", "added", "updated", "returned", "withdrawn"].map(|key| again[key].clone());
    assert_eq!(counts, [0, 0, 0, 0, 0].map(Value::from), "a second look reads nothing again: {again}");
    let hit = &sandbox.ralph_ok(&["recall", "which framework answers the refund endpoint", "--kind", "fact"])["hits"][0];
    assert_eq!((&hit["file"], &hit["line"]), (&json!("web/server.js"), &json!(3)), "{hit}");

    // A new line above moves a fact and is nothing new; a new version is.
    sandbox.write("Cargo.toml", &CARGO.replace("serde = \"1\"", "serde = \"2\"").replace("[package]", "# ours\n[package]"));
    let changed = scan(&sandbox);
    assert_eq!(["read", "updated", "added", "withdrawn"].map(|key| changed[key].clone()), [1, 1, 0, 0].map(Value::from), "{changed}");
    let serde = about(&sandbox, "dependency", "serde").expect("a fact");
    assert_eq!((&serde["value"], &serde["line"]), (&json!("2"), &json!(7)), "{serde}");
    assert_eq!(about(&sandbox, "dependency", "axum").expect("a fact")["line"], 6);

    let known = facts(&sandbox).len();
    fs::remove_file(sandbox.project().join("gate/go.mod")).unwrap_or_default();
    let gone = scan(&sandbox);
    assert_eq!(gone["withdrawn"], json!(known - facts(&sandbox).len()), "{gone}");
    assert_eq!(about(&sandbox, "dependency", "github.com/gin-gonic/gin"), None, "what no file states is withdrawn");
    assert_eq!(about(&sandbox, "framework", "Gin").expect("the code still says so")["file"], "gate/main.go");
    assert_sound(&sandbox);
    let before = said(&sandbox);
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(said(&sandbox), before);
}

#[test]
fn a_person_s_fact_stays_and_a_look_can_be_taken_back() {
    let sandbox = project();
    sandbox.ralph_ok(&["fact", "add", "cargo tests", "cargo nextest run", "--kind", "test_command"]);
    let first = scan(&sandbox);
    assert_eq!(first["left"], 1, "{first}");
    let tests = about(&sandbox, "test_command", "cargo tests").expect("a fact");
    assert_eq!((&tests["value"], &tests["source"]), (&json!("cargo nextest run"), &json!("human")), "{tests}");

    let axum = about(&sandbox, "framework", "Axum").expect("a fact");
    sandbox.ralph_ok(&["fact", "retire", &text(&axum["id"])]);
    scan(&sandbox);
    assert_eq!(about(&sandbox, "framework", "Axum"), None, "what a person put away stays away");

    sandbox.write("Cargo.toml", &CARGO.replace("serde = \"1\"", "serde = \"2\""));
    assert_eq!(scan(&sandbox)["updated"], 1);
    let undone = sandbox.ralph_ok(&["fact", "scan", "--undo"]);
    assert_eq!(undone["withdrawn"], 1, "{undone}");
    scan(&sandbox);
    assert!(about(&sandbox, "dependency", "serde").is_none_or(|fact| fact["value"] == "1"), "it stays taken back");
    let told = facts(&sandbox).len();
    let undone = sandbox.ralph_ok(&["fact", "scan", "--undo"]);
    let left: Vec<Value> = facts(&sandbox).iter().map(|fact| fact["source"].clone()).collect();
    assert_eq!(left, ["human"], "what the first look told is put away");
    assert_eq!(undone["withdrawn"], told - left.len(), "and what was put away before is not counted");
    refused(&sandbox.ralph(&["fact", "scan", "--undo"]), "invalid");
    assert_sound(&sandbox);
}

#[test]
fn switched_off_nothing_is_learnt_from_code() {
    let sandbox = project();
    let config = sandbox.read(".ralph/config.toml");
    sandbox.write(".ralph/config.toml", &config.replace("track_code_changes = true", "track_code_changes = false"));
    assert_eq!(
        scan(&sandbox),
        json!({"enabled": false, "files": 0, "read": 0, "facts": 0, "added": 0, "updated": 0, "returned": 0,
        "withdrawn": 0, "left": 0, "cut": 0, "skipped": []})
    );
    let (before, _) = config.split_once("[automatic_learning]").unwrap_or((&config, ""));
    sandbox.write(".ralph/config.toml", before);
    sandbox.ralph_ok(&["reconcile"]);
    assert_eq!(facts(&sandbox), Vec::<Value>::new(), "a file without the table means off");
    sandbox.write(".ralph/config.toml", &config.replace("mode = \"moderate\"", "mode = \"minimal\""));
    assert_eq!(scan(&sandbox)["enabled"], true);
    assert_ne!(facts(&sandbox), Vec::<Value>::new(), "every mode but off");
}

#[test]
fn a_run_leaves_the_facts_of_what_its_agent_wrote() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Begin the gate", &[]);
    play(&sandbox, "edit gate/requirements.txt <<EOF\nfastapi==0.115\nEOF\ncommit Begin\ndone\n", &[]);
    assert_eq!(
        said(&sandbox),
        ["dependency fastapi = ==0.115 @ gate/requirements.txt:1", "framework FastAPI = ==0.115 @ gate/requirements.txt:1"]
    );
    assert_sound(&sandbox);
}

#[test]
fn what_can_not_be_read_is_told_and_secrets_stay_out() {
    let sandbox = Sandbox::with_project();
    sandbox.write("package.json", &format!("{{\"dependencies\": {{\"a\": \"{}\"}}}}", "1".repeat(1_100_000)));
    let many: String = (0..5_001).map(|n| format!("package-{n}==1\n")).collect();
    sandbox.write("requirements.txt", &many);
    sandbox.write("a/requirements.txt", "ours @ https://x:ghp_0123456789abcdefghijklmnopqrstuvwxyzAB@github.com/a/b\n");
    let first = scan(&sandbox);
    let reason = |path: &str| {
        let skipped = first["skipped"].as_array().into_iter().flatten().find(|file| file["path"] == path);
        skipped.map_or_else(|| panic!("{path} is not told: {first:#}"), |file| text(&file["reason"]))
    };
    assert!(reason("package.json").contains("longer") && reason("requirements.txt").contains("more than 5000 facts"), "{first}");
    assert_eq!(scan(&sandbox)["skipped"], first["skipped"], "also by a look that reads nothing");
    let ours = about(&sandbox, "dependency", "ours").expect("a fact");
    assert!(!text(&ours["value"]).contains("ghp_"), "{ours}");
    assert_eq!(sandbox.ralph_ok(&["audit"])["affected"].as_u64().unwrap_or(0), 0);

    let few: String = (0..2_100).map(|n| format!("package-{n}==1\n")).collect();
    sandbox.write("requirements.txt", &few);
    let cut = scan(&sandbox);
    assert_eq!((&cut["facts"], &cut["cut"]), (&json!(2_000), &json!(101)), "{cut}");
    let one = sandbox.ralph_ok(&["fact", "scan", "--file", "README.md"]);
    assert_eq!(one["skipped"][0]["path"], "README.md", "{one}");
    let outside = sandbox.ralph_ok(&["fact", "scan", "--file", "../x"]);
    let told = (&outside["enabled"], text(&outside["skipped"][0]["reason"]).contains("outside"));
    assert_eq!(told, (&json!(true), true), "a file outside of the project does not turn facts from code off: {outside}");
}

#[test]
fn a_lock_file_of_any_size_shows_how_scripts_are_run_without_being_read() {
    let sandbox = Sandbox::with_project();
    sandbox.write("package.json", "{\"scripts\": {\"test\": \"vitest run\"}}\n");
    sandbox.write("pnpm-lock.yaml", &"lockfileVersion: '9.0'\n".repeat(100_000));
    assert_eq!(scan(&sandbox)["skipped"], json!([]));
    assert_eq!(said(&sandbox), ["test_command pnpm tests = pnpm test @ package.json:1"]);
    fs::remove_file(sandbox.project().join("pnpm-lock.yaml")).expect("a lock file");
    scan(&sandbox);
    assert_eq!(said(&sandbox), ["test_command npm tests = npm test @ package.json:1"]);
}

/// Lessons that hold for the feature, and as many facts as a large project has: the lessons still come first.
#[test]
fn many_dependencies_push_no_lesson_out() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let lesson = learn(&sandbox, "pay", "The axios client retries a refund twice, so the ledger must ignore a repeated refund id", &[]);
    task(&sandbox, "pay", "Upgrade the axios client that sends a refund", &[]);
    let prompt = |sandbox: &Sandbox| text(&sandbox.ralph_ok(&["prompt", "1"])["text"]);
    let before = list(sandbox.ralph_ok(&["recall", "axios client refund"])["hits"].take());
    let packages: Vec<String> = (0..300).map(|n| format!("    \"axios-client-{n}\": \"^{n}.0.0\"")).collect();
    sandbox.write("package.json", &format!("{{\n  \"dependencies\": {{\n{}\n  }}\n}}\n", packages.join(",\n")));
    assert_eq!(scan(&sandbox)["facts"], 300);
    let after = list(sandbox.ralph_ok(&["recall", "axios client refund"])["hits"].take());
    assert_eq!((&before[0]["id"], &after[0]["id"]), (&lesson["id"], &lesson["id"]), "{after:?}");
    let told = prompt(&sandbox);
    assert!(told.contains("The axios client retries a refund twice"), "{told}");
    let facts: usize = told.lines().filter(|line| line.contains("Stated in package.json")).map(|line| line.chars().count()).sum();
    assert!(facts <= 700, "{facts} characters of facts: {told}");
}

#[test]
fn an_mcp_session_leaves_the_facts_of_the_code_in_every_mode_but_off() {
    for (enabled, mode, expected) in
        [(true, "minimal", true), (true, "moderate", true), (true, "aggressive", true), (false, "moderate", false)]
    {
        let sandbox = project();
        sandbox.write(".ralph/config.toml", &format!("[automatic_learning]\nenabled = {enabled}\nmode = \"{mode}\"\n"));
        McpClient::start(&mut sandbox.ralph_command(&["mcp"])).close();
        assert_eq!(facts(&sandbox), Vec::<Value>::new(), "without a call nothing is looked at");
        let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
        client.call("list_tasks", &json!({})).expect("a list");
        sandbox.write("gate/package.json", "{\"dependencies\": {\"koa\": \"3\"}}\n");
        client.close();
        assert_eq!(about(&sandbox, "dependency", "koa").is_some(), expected, "{mode}: {:?}", said(&sandbox));
        assert_eq!(about(&sandbox, "endpoint", "PUT /py").is_some(), expected, "{mode}: {:?}", said(&sandbox));
    }
}
