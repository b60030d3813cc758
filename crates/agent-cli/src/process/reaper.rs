//! Ralph as the subreaper of agents' leftovers: on Linux a process that loses its parent is reparented to Ralph instead of to the
//! system's first process. So ancestry still identifies it, whatever it did to its environment, and it ends with its agent.

use super::table::Process;
use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, PoisonError};
use tokio::process::{Child, Command};

/// Children that Ralph started itself and waits for, by process id.
static STARTED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Starts a child. It is registered before anybody can look for strays: a child that starts while another family is being
/// ended is not mistaken for that one's leftover.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    started.extend(child.id());
    Ok(child)
}

/// Unregisters a child that is no longer waited for.
pub(super) fn ended(leader: u32) {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner).remove(&leader);
}

/// Makes this process the subreaper of all its descendants. No effect except on Linux.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        tracing::warn!(%error, "daemons of agents will not be found");
    }
}

/// Those of `living` that were reparented to this process from the family of `leader`: not started here, younger than the leader,
/// and attributable to no other family. Ralph's own children (git, the window's helpers) stay in its group.
pub(super) fn strays(living: &[Process], leader: u32, begin: u64) -> Vec<u32> {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    let group = living.iter().find(|process| process.pid == own).map(|process| process.group);
    let Some(group) = group.filter(|_| started.len() == 1 && started.contains(&leader)) else {
        return Vec::new();
    };
    let came = living.iter().filter(|process| process.parent == own && process.group != group && process.started >= begin);
    came.map(|process| process.pid).filter(|pid| !started.contains(pid)).collect()
}

/// Reaps adopted processes that have ended, so that they leave the process table. Those that Ralph started itself are
/// waited for where they were started: one that is seen ended twice is nobody's.
pub fn reap_adopted() {
    #[cfg(target_os = "linux")]
    {
        static SEEN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
        let own = u32::try_from(rustix::process::getpgrp().as_raw_nonzero().get()).unwrap_or(0);
        let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ended = super::table::ended_children().into_iter();
        let adopted: BTreeSet<u32> = ended.filter(|(pid, group)| *group != own && !started.contains(pid)).map(|(pid, _)| pid).collect();
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        for pid in adopted.intersection(&seen) {
            let pid = i32::try_from(*pid).ok().and_then(rustix::process::Pid::from_raw);
            // It may have been reaped elsewhere meanwhile.
            let _ = rustix::process::waitpid(pid, rustix::process::WaitOptions::NOHANG);
        }
        *seen = adopted;
    }
}
