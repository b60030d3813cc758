//! Ralph as the subreaper of agents' leftovers: on Linux a process that loses its parent is reparented to Ralph instead of to the
//! system's first process. So ancestry still identifies it, whatever it did to its environment, and it ends with its agent.

use super::live::Process;
use super::table;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::{LazyLock, Mutex, PoisonError};
use tokio::process::{Child, Command};

/// Children that Ralph started itself and waits for.
static STARTED: Mutex<Started> = Mutex::new(Started { pids: BTreeSet::new(), begin: None, several: false });
/// Whether this process is the subreaper of all its descendants, which it becomes before it starts the first child. Never except on Linux.
static ADOPTS: LazyLock<bool> = LazyLock::new(adopts_orphans);
/// Rounds in which strays are killed again, because they may have started others meanwhile.
const STRAY_ROUNDS: usize = 5;
/// Marks what a person opens from Ralph: an editor, a file manager. Its launcher ends, and what it started is reparented to Ralph
/// like an agent's leftover, but isn't one. An agent doesn't know the value, so its daemons can't pass for the person's.
const OPENED: &str = "RALPH_OPENED";
static OPENED_HERE: LazyLock<String> = LazyLock::new(|| {
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
});

/// The agents that are running, from a moment without any until there is none again.
struct Started {
    /// By process id.
    pids: BTreeSet<u32>,
    /// Start of the first, in the system's own ticks; `None` if it had ended before it could be read.
    begin: Option<u64>,
    /// Whether there were several at once: a stray of that time can be attributed to none of them.
    several: bool,
}

/// Starts a child. It is registered before anybody can look for strays: a child that starts while another family is being
/// ended is not mistaken for that one's leftover.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    LazyLock::force(&ADOPTS);
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    #[cfg(windows)]
    super::job::hold(&child);
    if let Some(pid) = child.id() {
        if started.pids.is_empty() {
            (started.begin, started.several) = (table::process(pid).map(|process| process.started), false);
        }
        started.pids.insert(pid);
        started.several |= started.pids.len() > 1;
    }
    Ok(child)
}

/// Starts a program that a person asked to open. It ends with no agent and outlives Ralph; the caller reaps the launcher.
///
/// # Errors
///
/// The program can't be started.
pub fn start_for_person(command: &mut std::process::Command) -> io::Result<std::process::Child> {
    // Until it has become another program its mark does not identify it, so nobody may look for strays meanwhile.
    let _unseen = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let (name, value) = mark_of_person();
    command.env(name, value).spawn()
}

/// The variable that marks what is the person's, for programs that are started in another way and may leave something behind, as git leaves
/// the agent that keeps a signing key.
pub fn mark_of_person() -> (&'static str, &'static str) {
    (OPENED, &OPENED_HERE)
}

/// Unregisters a child that is no longer waited for. With the last one the strays that could be those of any are killed by `kill`.
pub(super) fn ended(leader: u32, kill: impl Fn(u32)) {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.pids.remove(&leader);
    #[cfg(windows)]
    super::job::release(leader);
    let Some(begin) = started.begin.filter(|_| started.pids.is_empty() && std::mem::take(&mut started.several)) else { return };
    // Nothing is started meanwhile.
    for _ in 0..STRAY_ROUNDS {
        let living = table::living();
        let mut left = adopted(&living, &started.pids, begin);
        if left.is_empty() {
            return;
        }
        let mut grown = 0;
        while grown < left.len() {
            grown = left.len();
            let known: BTreeSet<u32> = left.iter().copied().collect();
            left.extend(living.iter().filter(|process| known.contains(&process.parent) && !known.contains(&process.pid)).map(|p| p.pid));
        }
        left.into_iter().for_each(&kill);
    }
}

fn adopts_orphans() -> bool {
    #[cfg(target_os = "linux")]
    match rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        Ok(()) => return true,
        Err(error) => tracing::warn!(%error, "daemons of agents will not be found"),
    }
    false
}

/// Those of `living` that were reparented to this process from the family of `leader`: not started here, younger than the leader,
/// and attributable to no other family or to the person.
pub(super) fn strays(living: &[Process], leader: u32, begin: u64) -> Vec<u32> {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_alone = started.pids.len() == 1 && started.pids.contains(&leader);
    if is_alone { adopted(living, &started.pids, begin) } else { Vec::new() }
}

/// Those of `living` that were reparented to this process since `begin`, and aren't the person's. Ralph's own children (git, the window's
/// helpers) stay in its group.
fn adopted(living: &[Process], started: &BTreeSet<u32>, begin: u64) -> Vec<u32> {
    let own = std::process::id();
    let group = living.iter().find(|process| process.pid == own).map(|process| process.group);
    let Some(group) = group.filter(|_| *ADOPTS) else { return Vec::new() };
    let came = living.iter().filter(|process| process.parent == own && process.group != group && process.started >= begin);
    came.map(|process| process.pid).filter(|pid| !started.contains(pid) && !is_spared(table::variables(*pid, [OPENED]))).collect()
}

/// Whether a process with these variables is the person's. A process that hides them counts as theirs, too, such as a key agent that an
/// editor started; the price is that such a process of Ralph's own agent outlives it.
fn is_spared(variables: Option<[Option<String>; 1]>) -> bool {
    variables.is_none_or(|[value]| value.as_ref() == Some(&*OPENED_HERE))
}

/// Reaps adopted processes that have ended, so that they leave the process table. Those that Ralph started itself are waited for where they
/// were started: one that is seen twice after its end has no waiter.
pub fn reap_adopted() {
    #[cfg(target_os = "linux")]
    {
        static SEEN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
        let own = u32::try_from(rustix::process::getpgrp().as_raw_nonzero().get()).unwrap_or(0);
        let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner).pids.clone();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_person_opened_and_what_hides_its_environment_is_not_an_agent_s_leftover() {
        assert!(is_spared(Some([Some(OPENED_HERE.clone())])));
        assert!(is_spared(None), "the key agent that a person's editor started");
        assert!(!is_spared(Some([Some("guessed".to_owned())])) && !is_spared(Some([None])));
    }
}
