//! What a check leaves behind where no agent has been started, as in a merge from the command line.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use agent_cli::{CheckSpec, RunMarks, StopHandle, run_check};
use common::{lives, pid};
use tokio::sync::Mutex;

/// One at a time: what is left while several are at work is attributed to none of them.
static ALONE: Mutex<()> = Mutex::const_new(());

#[tokio::test]
async fn a_daemon_that_dropped_its_marks_and_its_parent_ends_with_the_check_that_started_it() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let command = "env -i PATH=\"$PATH\" setsid sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! > daemon'; true";
    let marks = RunMarks::apart(folder.path().to_owned());
    let result = run_check(&CheckSpec::new(command.to_owned(), folder.path().to_owned(), marks, Vec::new()), &StopHandle::new()).await;
    let daemon = pid(&folder.path().join("daemon"));
    let survived = lives(daemon);
    let _ = std::process::Command::new("kill").arg(daemon.to_string()).status();
    assert!(result.passed && !survived, "{result:?}");
}

#[tokio::test]
async fn a_process_that_starts_another_and_ends_again_and_again_ends_with_the_check_that_started_it() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let command = "env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > first; f() { f & exit; }; f' >/dev/null 2>&1; true";
    let marks = RunMarks::apart(folder.path().to_owned());
    let result = run_check(&CheckSpec::new(command.to_owned(), folder.path().to_owned(), marks, Vec::new()), &StopHandle::new()).await;
    let group = pid(&folder.path().join("first"));
    // One look may miss it, as it moves on meanwhile.
    let survived = (0..50).any(|_| has_living(group));
    let _ = std::process::Command::new("kill").args(["-9", "--", &format!("-{group}")]).status();
    assert!(result.passed && !survived, "{result:?}");
}

fn has_living(group: u32) -> bool {
    let mut stats =
        std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.any(|stat| {
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        fields.first() != Some(&"Z") && fields.get(2) == Some(&group.to_string().as_str())
    })
}
