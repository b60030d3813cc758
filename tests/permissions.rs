//! What the real Claude Code may do under each profile, and what under none.

use journeys::{feature, iterations, refused, task};
use ralph_testkit::{Block, ModelServer, Reply, Sandbox, within_namespace};
use serde_json::{Value, json};

const MODEL: &str = "claude-sonnet-4-5";

/// Has a model ask for one command after the other, then say that it is done.
fn plays(commands: &'static [&'static str]) -> ModelServer {
    let mut turn = 0;
    ModelServer::choosing(move |_| {
        turn += 1;
        match commands.get(turn - 1) {
            Some(command) => {
                Reply::message([Block::ToolUse { name: "Bash".into(), input: json!({ "command": command, "description": "work" }) }])
            }
            None => Reply::text("<task-done></task-done>"),
        }
    })
}

/// How many of `commands` were refused, in a project of its own.
fn refusals(commands: &'static [&'static str], profile: &str) -> (Sandbox, Value) {
    let server = plays(commands);
    let mut sandbox = Sandbox::with_project();
    sandbox.use_claude(&server);
    sandbox.write("a.txt", "a\n");
    // Nobody is there to answer.
    let config = sandbox.read(".ralph/config.toml").replace("ask_minutes = 2", "ask_minutes = 0");
    sandbox.write(".ralph/config.toml", &config);
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Refund", &[]);
    sandbox.commit("a project");
    sandbox.ralph_ok(&["run", "--agent", "claude", "--model", MODEL, "--max-iterations", "1", "--permissions", profile]);
    let denials = iterations(&sandbox)[0]["denials"].clone();
    (sandbox, denials)
}

#[test]
fn no_profile_lets_an_agent_push_or_rewrite_history() {
    within_namespace(|| {
        let commands = &["git push origin main", "cd . && git commit --amend -m x", "git -C .. status", "git rebase HEAD"];
        let (sandbox, denials) = refusals(commands, "unattended");
        assert_eq!(denials.as_array().map(Vec::len), Some(4), "{denials}");
        assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "a project");
    });
}

#[test]
fn a_careful_agent_commits_and_runs_nothing_else() {
    within_namespace(|| {
        let commands: &[&str] = &["git add -A && git commit --allow-empty -qm Work", "sh -c 'echo x > stray.txt'", "touch ../outside.txt"];
        let (sandbox, denials) = refusals(commands, "careful");
        assert_eq!(denials.as_array().map(Vec::len), Some(2), "{denials}");
        assert!(!sandbox.project().join("stray.txt").exists() && sandbox.git(&["log", "-1", "--format=%s"]) == "Work");
        let (sandbox, denials) = refusals(&["sh -c 'echo x > stray.txt'"], "normal");
        assert!(sandbox.project().join("stray.txt").exists(), "{denials}");
    });
}

#[test]
fn a_profile_that_is_none_is_refused_and_a_folder_s_own_waits_for_a_yes() {
    let sandbox = Sandbox::with_project();
    refused(&sandbox.ralph(&["run", "--permissions", "all"]), "usage");
    let config = sandbox.read(".ralph/config.toml").replace("permissions = \"normal\"", "permissions = \"unattended\"");
    sandbox.write(".ralph/config.toml", &config);
    let items = sandbox.ralph_ok(&["trust"])["items"].clone();
    let waits = items.as_array().into_iter().flatten().any(|item| item["name"] == "permissions" && item["agreed"] == false);
    assert!(waits, "{items}");
}
