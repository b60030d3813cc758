//! What a check leaves behind where no agent has been started, as in a merge from the command line.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use agent_cli::{CheckSpec, RunMarks, StopHandle, run_check};
use common::{lives, pid};

#[tokio::test]
async fn a_daemon_that_dropped_its_marks_and_its_parent_ends_with_the_check_that_started_it() {
    let folder = tempfile::tempdir().unwrap();
    let command = "env -i PATH=\"$PATH\" setsid sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! > daemon'; true";
    let marks = RunMarks::apart(folder.path().to_owned());
    let result = run_check(&CheckSpec::new(command.to_owned(), folder.path().to_owned(), marks, Vec::new()), &StopHandle::new()).await;
    let daemon = pid(&folder.path().join("daemon"));
    let survived = lives(daemon);
    let _ = std::process::Command::new("kill").arg(daemon.to_string()).status();
    assert!(result.passed && !survived, "{result:?}");
}
