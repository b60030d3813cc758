//! The real Claude Code in several worktrees at once: independent work is merged in order, a conflict is refused with its files, and what a
//! person says about a line reaches the next attempt.

use journeys::{assert_sound, feature, iterations, learnings, prompt, refused, status_of, task, text};
use ralph_testkit::{Block, ModelServer, Reply, Sandbox, within_namespace};
use serde_json::json;
use std::collections::BTreeMap;

const MODEL: &str = "claude-sonnet-4-5";
/// What each task does in its own checkout: two have nothing to do with each other, the third changes a line that the first changes too.
const WORK: [(&str, &str, &str); 3] = [
    ("Count the apples", "printf 'apples\\n' > shared.txt; echo 1 > apples.txt", "Apples are weighed by the scale in src/scale.rs"),
    ("Count the pears", "echo 2 > pears.txt", "The shelf of the pears closes at ten: see src/opening_hours.rs"),
    ("Count the plums", "printf 'plums\\n' > shared.txt", "Plums are counted by hand, since the camera takes two for one"),
];

/// A model that does the work of whichever task it is told, each by itself.
fn model() -> ModelServer {
    let mut turns: BTreeMap<&str, u32> = BTreeMap::new();
    ModelServer::choosing(move |request| {
        let said = request.body["messages"].to_string();
        let Some((title, command, lesson)) = WORK.iter().find(|(title, ..)| said.contains(title)) else {
            return Reply::text("Which task?");
        };
        let turn = turns.entry(title).or_default();
        *turn += 1;
        if said.contains("Say fruit") {
            return bash("echo fruit > pears.txt; git commit -qam Fruit", *turn);
        }
        match *turn {
            1 => bash(&format!("{command}; git add -A; git commit -qm '{title}'"), 1),
            _ => Reply::text(format!("<learning category=\"fruit\">{lesson}</learning>\n<task-done></task-done>")),
        }
    })
}

fn bash(command: &str, turn: u32) -> Reply {
    if turn.is_multiple_of(2) {
        return Reply::text("<task-done></task-done>");
    }
    Reply::message([Block::ToolUse { name: "Bash".into(), input: json!({ "command": command, "description": "work" }) }])
}

#[test]
fn three_at_once_are_merged_in_order_and_what_conflicts_is_refused_by_name() {
    within_namespace(|| {
        let server = model();
        let mut sandbox = Sandbox::with_project();
        sandbox.use_claude(&server);
        sandbox.write("shared.txt", "nothing\n");
        feature(&sandbox, "fruit", &[]);
        let tasks: Vec<u64> = WORK.iter().map(|(title, ..)| task(&sandbox, "fruit", title, &[])).collect();
        sandbox.commit("a project");
        let head = sandbox.git(&["rev-parse", "HEAD"]);
        let ended = sandbox.ralph_ok(&["run", "--agent", "claude", "--model", MODEL, "--workers", "3"]);
        assert_eq!((&ended["stop_reason"], &ended["iterations"]), (&json!("nothing_ready"), &json!(3)), "{ended}");
        let rows = iterations(&sandbox);
        let mut folders: Vec<String> = rows.iter().map(|row| text(&row["worktree"])).collect();
        folders.sort();
        folders.dedup();
        assert_eq!(folders.len(), 3, "each in a worktree of its own: {folders:?}");
        assert!(tasks.iter().all(|task| status_of(&sandbox, *task) == "in_review"));
        assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head, "the person's checkout is as it was");
        assert!(learnings(&sandbox, "fruit", "all").is_empty(), "what was learnt stays on the branches");

        let number = |at: usize| tasks[at].to_string();
        sandbox.ralph_ok(&["merge", &number(0)]);
        sandbox.ralph_ok(&["send-back", &number(1), "--comment", "Say fruit", "--file", "pears.txt", "--line", "1"]);
        sandbox.ralph_ok(&["run", "--agent", "claude", "--model", MODEL, "--task", &number(1)]);
        assert!(prompt(&sandbox, 4).contains("pears.txt:1: Say fruit"), "{}", prompt(&sandbox, 4));
        sandbox.ralph_ok(&["merge", &number(1)]);
        let conflict = refused(&sandbox.ralph(&["merge", &number(2)]), "conflict");
        assert!(conflict["message"].as_str().is_some_and(|words| words.contains("shared.txt")), "{conflict}");
        let at = |task: usize| status_of(&sandbox, tasks[task]);
        assert_eq!((at(0).as_str(), at(1).as_str(), at(2).as_str()), ("done", "done", "in_review"));
        assert_eq!((sandbox.read("shared.txt"), sandbox.read("pears.txt")), ("apples\n".to_owned(), "fruit\n".to_owned()));
        assert_eq!(learnings(&sandbox, "fruit", "active").len(), 2, "of the two that are merged");
        assert_sound(&sandbox);
    });
}
