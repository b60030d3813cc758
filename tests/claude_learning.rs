//! What automatic learning makes of a session of the real Claude Code, in each mode: the expected episodes and facts, and no others.

use journeys::{assert_sound, feature, list, status_of, task, text};
use ralph_testkit::{Block, ModelServer, Reply, Sandbox, within_namespace};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const MODEL: &str = "claude-sonnet-4-5";
const CHECK: &str = "test -f built || { echo 'error: built is missing' >&2; exit 1; }\n";

fn tool(name: &str, input: Value) -> Reply {
    Reply::message([Block::Text(format!("I use {name}.")), Block::ToolUse { name: name.into(), input }])
}

/// Searches, reads, edits, fails a command twice, mends it, and commits.
fn model(folder: Arc<OnceLock<PathBuf>>) -> ModelServer {
    let mut turn = 0;
    ModelServer::choosing(move |_| {
        let path = folder.get().expect("the project is made before the agent asks");
        let check = || tool("Bash", json!({"command": "sh check.sh", "description": "Check"}));
        turn += 1;
        match turn {
            1 => tool("Bash", json!({"command": "grep -rn built . --include=*.sh", "description": "Search"})),
            2 => tool("Read", json!({"file_path": path.join("notes.md")})),
            3 => tool("Edit", json!({"file_path": path.join("notes.md"), "old_string": "old", "new_string": "new"})),
            4 | 5 => check(),
            6 => tool("Write", json!({"file_path": path.join("built"), "content": "yes\n"})),
            7 => check(),
            8 => tool("Bash", json!({"command": "git add -A && git commit -q -m 'Build it'", "description": "Commit"})),
            _ => Reply::text("Built.\n<task-done></task-done>"),
        }
    })
}

#[test]
fn a_session_that_mends_a_command_is_told_as_its_mode_says_and_nothing_else_is() {
    within_namespace(|| {
        for (mode, mended, facts) in
            [(Some("moderate"), true, true), (Some("aggressive"), true, true), (Some("minimal"), false, true), (None, false, false)]
        {
            let folder = Arc::new(OnceLock::new());
            let server = model(Arc::clone(&folder));
            let mut sandbox = Sandbox::with_project();
            sandbox.use_claude(&server);
            let config = sandbox.read(".ralph/config.toml");
            sandbox.write(
                ".ralph/config.toml",
                &match mode {
                    Some(mode) => config.replace("mode = \"moderate\"", &format!("mode = \"{mode}\"")),
                    None => config.replace("[automatic_learning]\nenabled = true", "[automatic_learning]\nenabled = false"),
                },
            );
            feature(&sandbox, "pay", &[]);
            task(&sandbox, "pay", "Build it", &[]);
            sandbox.write("check.sh", CHECK);
            sandbox.write("notes.md", "old\n");
            sandbox.write("package.json", "{\"name\": \"shop\", \"scripts\": {\"test\": \"vitest run\"}}\n");
            sandbox.commit("a project");
            folder.set(sandbox.project().canonicalize().expect("a folder")).expect("set once");
            sandbox.ralph_ok(&["run", "--agent", "claude", "--model", MODEL, "--max-iterations", "1"]);
            assert_eq!(status_of(&sandbox, 1), "done", "{mode:?}");
            let told: Vec<String> = list(sandbox.ralph_ok(&["episodes"])).iter().map(|episode| text(&episode["lesson"])).collect();
            let (by_failure, others): (Vec<&String>, Vec<&String>) = told.iter().partition(|lesson| lesson.starts_with("`sh check.sh`"));
            let expected = "`sh check.sh` failed 2 times (error: built is missing) and passed after built was changed";
            assert_eq!(by_failure, if mended { vec![expected] } else { vec![] }, "{mode:?}: {told:?}");
            let of_work = others.iter().filter(|lesson| lesson.starts_with("'Build it' was done")).count();
            assert_eq!((others.len(), of_work), if mended { (1, 1) } else { (0, 0) }, "{mode:?}: {told:?}");
            let stated = list(sandbox.ralph_ok(&["facts"]));
            let tests = stated.iter().filter(|fact| fact["kind"] == "test_command").count();
            assert_eq!(tests, usize::from(facts), "{mode:?}: {stated:?}");
            assert_sound(&sandbox);
        }
    });
}
