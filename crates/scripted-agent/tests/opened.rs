//! What a person opens from Ralph while an agent works.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use agent_cli::start_for_person;
use common::processes::{lives, pid, until};
use common::{Bench, rest, until_said};
use std::process::Command;

/// A script that leaves a process behind which has nothing of its parent's session; its id is then in the file that it is given.
const LEAVES: &str = r#"exec setsid sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! > "$0.new"; mv "$0.new" "$0"' "$1""#;

#[tokio::test]
async fn an_editor_outlives_the_agent_that_worked_when_it_was_opened_and_the_agent_s_own_daemon_does_not() {
    let script = "say hm\nrun env -i PATH=$PATH sh ../leaves daemon\nrun while [ ! -e go ]; do sleep 0.01; done\ndone\n";
    let bench = Bench::scripted(script);
    std::fs::write(bench.path("../leaves"), LEAVES).unwrap();
    let mut agent = bench.start();
    until_said(&mut agent, "hm").await;
    until("the agent's daemon runs", || bench.path("daemon").exists()).await;
    let (editor, daemon) = (bench.path("../editor"), pid(&bench.path("daemon")));
    let mut launcher = start_for_person(Command::new("sh").arg(bench.path("../leaves")).arg(&editor)).unwrap();
    assert!(launcher.wait().unwrap().success());
    until("the editor runs", || editor.exists()).await;
    let editor = pid(&editor);
    assert!(lives(editor) && lives(daemon));
    std::fs::write(bench.path("go"), "").unwrap();
    rest(&mut agent).await;
    assert!(!lives(daemon), "the agent's");
    assert!(lives(editor), "the person's");
    let _ = Command::new("kill").arg(editor.to_string()).status();
}
