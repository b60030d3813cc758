//! Orphans of dead runs. Their stand-ins are children of this process, which any agent's end would take for its leftovers: so there are no
//! agents here.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use agent_cli::sweep_orphans;
use common::processes::{lives, until};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

#[tokio::test]
async fn sweeping_ends_the_orphans_of_dead_runs_and_no_others() {
    let (project, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // No process has the number that no process can have.
    let (gone, here) = ("4194304:7", own_description());
    let orphan = |run: u32, project: &std::path::Path, replica: &str, owner: &str| {
        let mut command = Command::new("sleep");
        command.arg("1000").env("RALPH_PROJECT", project).env("RALPH_RUN", run.to_string());
        command.env("RALPH_REPLICA", replica).env("RALPH_OWNER", owner).process_group(0).stdout(Stdio::null());
        command.spawn().unwrap()
    };
    // The second began before the folder was moved.
    let mut dead = [orphan(41, project.path(), "other", gone), orphan(41, other.path(), "own", gone)];
    // A live run, another project, and a copy of this one that is at work at another place.
    let mut spared = [
        orphan(42, project.path(), "own", gone),
        orphan(42, other.path(), "own", gone),
        orphan(41, other.path(), "other", gone),
        orphan(41, other.path(), "own", &here),
    ];
    // A child shows this program's environment until it has become `sleep`.
    until("the orphans run", || {
        let mut all = dead.iter().chain(&spared);
        all.all(|child| std::fs::read_to_string(format!("/proc/{}/comm", child.id())).is_ok_and(|name| name == "sleep\n"))
    })
    .await;
    let mut ended = sweep_orphans(project.path(), "own", |run| run == 42).await;
    ended.sort_unstable();
    let mut expected = dead.each_ref().map(std::process::Child::id);
    expected.sort_unstable();
    assert_eq!(ended, expected);
    // A busy machine may take its time to end what was killed.
    until("the end of the orphans", || dead.iter().all(|child| !lives(child.id()))).await;
    assert!(spared.iter().all(|child| lives(child.id())));
    assert!(sweep_orphans(project.path(), "own", |run| run == 42).await.is_empty());
    for child in &mut spared {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for child in &mut dead {
        child.wait().unwrap();
    }
}

/// This process as marks describe it.
fn own_description() -> String {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let started = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    format!("{}:{started}", std::process::id())
}
