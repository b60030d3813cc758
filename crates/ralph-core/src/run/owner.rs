//! The owner of a run, and whether that process is still alive: judged from observable state, never from a clock alone.

use crate::view::CommandError;
use crate::{RunId, limits};
use serde::{Deserialize, Serialize};

/// The process that drives a run. `pid` and `started` together are unique within a boot, `pid` alone is not. Values that a system does not
/// report are empty or 0.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Owner {
    /// The machine, across boots.
    pub machine: String,
    /// This boot of its kernel.
    pub boot: String,
    /// The PID namespace: containers have their own.
    pub pids: String,
    /// Its process number.
    pub pid: u32,
    /// When the process started, in the system's own ticks since boot.
    pub started: u64,
}

impl Owner {
    /// Whether its process number still means this process, where `here` runs and the process with that number began at `started`.
    pub fn is_process(&self, here: &Owner, started: Option<u64>) -> bool {
        let place = |owner: &Owner| (owner.machine.clone(), owner.boot.clone(), owner.pids.clone());
        place(self) == place(here) && started.unwrap_or(0) == self.started
    }
}

crate::word_enum! {
    /// Whether resources held by dead runs were released when the project was inspected.
    Recovery {
        /// They were, or there was nothing to release.
        Done = "done",
        /// Somebody was writing, or the database is read-only; the next check retries.
        Skipped = "skipped",
    }
}

/// Why what dead runs hold is not released.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unrecovered {
    /// The runs whose process is gone.
    pub runs: Vec<RunId>,
    /// What keeps it from that: `busy` while somebody writes, or what is wrong with the place, such as `disk_full`.
    pub why: CommandError,
}

/// State of the lock that an owner holds from before its run's first row until after the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockSeen {
    /// Held; also by a process that is stopped, or suspended with its machine.
    Held,
    /// Not held.
    Free,
    /// The file is missing, or the file system has no locks.
    Unknown,
}

/// What can be observed of a run's owner.
#[derive(Clone, Debug)]
pub struct Sight<'a> {
    /// The observing process.
    pub here: &'a Owner,
    /// State of the lock.
    pub lock: LockSeen,
    /// Start time of the process with the owner's number; `None` when there is none. Meaningful only if `pids` is the same.
    pub started: Option<u64>,
    /// Milliseconds since the owner's last heartbeat, by this machine's clock.
    pub silent_millis: u64,
}

/// Whether a run's owner is alive. Runs of earlier versions have none.
///
/// The lock decides where it can: the system releases it with the process, whatever the clock does. An owner on another machine, or one
/// that no system call reaches, is judged by its heartbeat.
pub fn lives(owner: Option<&Owner>, sight: &Sight<'_>) -> bool {
    let within_lease = sight.silent_millis <= limits::LEASE_MILLIS;
    if sight.lock == LockSeen::Held {
        return true;
    }
    let Some(owner) = owner else { return sight.lock == LockSeen::Unknown && within_lease && sight.started.is_some() };
    if owner.boot != sight.here.boot {
        // The same machine has rebooted, which no process survives.
        return owner.machine != sight.here.machine && within_lease;
    }
    if sight.lock == LockSeen::Free {
        return false;
    }
    let can_see = !owner.boot.is_empty() && owner.pids == sight.here.pids;
    if can_see { sight.started == Some(owner.started) } else { within_lease }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, owner, its lock, start of the process with its number, silence, whether it is alive.
    type Case = (&'static str, Option<Owner>, LockSeen, Option<u64>, u64, bool);

    fn owner(machine: &str, boot: &str, pids: &str) -> Owner {
        Owner { machine: machine.into(), boot: boot.into(), pids: pids.into(), pid: 7, started: 100 }
    }

    #[test]
    fn a_number_stands_for_its_process_only_where_that_runs_and_began_then() {
        let here = owner("m", "b", "p");
        for (other, started, is_it) in [
            (here.clone(), Some(100), true),
            (here.clone(), Some(101), false),
            (here.clone(), None, false),
            (owner("other", "b", "p"), Some(100), false),
            (owner("m", "other", "p"), Some(100), false),
            (owner("m", "b", "other"), Some(100), false),
        ] {
            assert_eq!(other.is_process(&here, started), is_it, "{other:?}");
        }
        let unknown = Owner { pid: 7, ..Owner::default() };
        assert!(unknown.is_process(&Owner::default(), None), "a system that reports none of it");
    }

    #[test]
    fn a_living_owner_is_never_declared_dead_and_a_dead_one_always() {
        use LockSeen::{Free, Held, Unknown};
        let here = owner("m", "b", "p");
        let (day, now) = (86_400_000, 1_000);
        let cases: [Case; 17] = [
            ("holds its lock", Some(here.clone()), Held, Some(100), now, true),
            ("holds its lock; the clock was put forward a day, or it was stopped", Some(here.clone()), Held, Some(100), day, true),
            ("holds its lock in a container", Some(owner("", "b", "other")), Held, None, now, true),
            ("was killed", Some(here.clone()), Free, None, now, false),
            ("was killed; the clock was put back, so that its heartbeat is of tomorrow", Some(here.clone()), Free, None, 0, false),
            ("was killed, and its number is used again", Some(here.clone()), Free, Some(999), now, false),
            ("gave its lock back, though its process lives on", Some(here.clone()), Free, Some(100), now, false),
            ("was killed in a container", Some(owner("", "b", "other")), Free, None, now, false),
            ("machine started anew", Some(owner("m", "earlier", "p")), Unknown, Some(100), now, false),
            ("lock file is gone, process lives", Some(here.clone()), Unknown, Some(100), day, true),
            ("lock file is gone, process too", Some(here.clone()), Unknown, None, now, false),
            ("lock file is gone, number used again", Some(here), Unknown, Some(999), now, false),
            ("other machine, heard of just now", Some(owner("n", "c", "p")), Free, None, now, true),
            ("other machine, silent for a day", Some(owner("n", "c", "p")), Free, None, day, false),
            ("earlier version's, dead", None, Free, Some(100), now, false),
            ("earlier version's, which knew no lock, and no process has its number", None, Unknown, None, now, false),
            ("earlier version's, which knew no lock, and a process has its number", None, Unknown, Some(100), now, true),
        ];
        let here = owner("m", "b", "p");
        for (case, owner, lock, started, silent_millis, expected) in cases {
            assert_eq!(lives(owner.as_ref(), &Sight { here: &here, lock, started, silent_millis }), expected, "the owner's {case}");
        }
    }

    #[test]
    fn where_the_system_tells_nothing_the_lock_decides_and_else_the_heartbeat() {
        let here = Owner::default();
        let seen = |lock, silent_millis| lives(Some(&Owner::default()), &Sight { here: &here, lock, started: None, silent_millis });
        assert!(seen(LockSeen::Held, u64::MAX) && !seen(LockSeen::Free, 0));
        assert!(seen(LockSeen::Unknown, 0) && !seen(LockSeen::Unknown, limits::LEASE_MILLIS + 1));
    }
}
