//! Ownership of a run: the identity of this process for others, and the lock that it holds.

use crate::error::{AppError, Result};
use crate::files::writer_of;
use ralph_core::RunId;
use ralph_core::run::owner::{LockSeen, Owner, Sight};
use ralph_core::time::Timestamp;
use sqlite_db::table::RunOwner;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time that a start waits for the lock: checks hold it shared for some microseconds.
const PATIENCE: Duration = Duration::from_secs(2);
/// Name of the lock file of whoever restores the project or starts it over.
pub(crate) const RESTORE_LOCK: &str = "restore.lock";
/// Name of a slot's lock file: several runs go on at once, each with a lock of its own.
pub(crate) fn lock_file(slot: u32) -> String {
    if slot == 0 { "run.lock".to_owned() } else { format!("run-{}.lock", slot + 1) }
}

/// The state of the locks of known runs, with their slots.
#[derive(Debug, Clone)]
pub(crate) struct RunLocks(BTreeMap<RunId, (u32, LockSeen)>);

/// Resumes a process that was suspended from its terminal, as by Ctrl-Z, since it could not follow any request. Another process that has
/// its number by now, or one on another machine or in another container, is left alone.
pub(crate) fn wake(owner: &Owner) {
    #[cfg(unix)]
    if owner.is_process(&this_process(), system::started(owner.pid))
        && let Some(pid) = i32::try_from(owner.pid).ok().and_then(rustix::process::Pid::from_raw)
    {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::CONT);
    }
    #[cfg(not(unix))]
    let _ = owner;
}

impl RunLocks {
    /// Looks at the locks of these runs; `paths` names those of a slot.
    pub fn look(runs: &[RunOwner], paths: impl Fn(u32) -> Vec<PathBuf>) -> RunLocks {
        RunLocks(runs.iter().map(|run| (run.run, (run.slot, look_at_locks(&paths(run.slot))))).collect())
    }

    /// The same for whoever has just taken the lock of a slot: its previous holder is gone.
    pub fn with_own(mut self, own: u32) -> RunLocks {
        self.0.values_mut().filter(|(slot, _)| *slot == own).for_each(|(_, seen)| *seen = LockSeen::Free);
        self
    }

    /// A run that was not looked at has begun since, and so is alive: its lock is held before its row exists.
    fn of(&self, run: RunId) -> LockSeen {
        self.0.get(&run).map_or(LockSeen::Held, |(_, seen)| *seen)
    }
}

/// Held from before a run's row is created until after its last: the system releases it with the process, whatever the clock does.
#[derive(Debug)]
pub(crate) struct RunLock {
    _files: Vec<File>,
}

impl RunLock {
    /// Takes the lock at every given path; `None` if another run holds one of them.
    #[allow(clippy::disallowed_methods, reason = "a bounded wait for another process, not a timed guess")]
    pub fn take(paths: &[PathBuf]) -> Result<Option<RunLock>> {
        let mut files = Vec::new();
        for (place, path) in paths.iter().enumerate() {
            let file = match open(path, true) {
                Ok(file) => file,
                // If the home is not writable, only the second lock is missing.
                Err(error) if place > 0 => {
                    tracing::debug!("{}: {error}", path.display());
                    continue;
                }
                Err(source) => return Err(AppError::io(path, source)),
            };
            let begin = Instant::now();
            loop {
                match file.try_lock() {
                    Ok(()) => break,
                    Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
                    Err(TryLockError::WouldBlock) => return Ok(None),
                    // No locks on this file system: the heartbeat decides there.
                    Err(TryLockError::Error(_)) => break,
                }
            }
            files.push(file);
        }
        Ok(Some(RunLock { _files: files }))
    }
}

/// State of the locks: held if one of them is.
pub(crate) fn look_at_locks(paths: &[PathBuf]) -> LockSeen {
    let mut seen = LockSeen::Unknown;
    for path in paths {
        let Ok(file) = open(path, false) else { continue };
        match file.try_lock_shared() {
            Ok(()) => seen = LockSeen::Free,
            Err(TryLockError::WouldBlock) => return LockSeen::Held,
            Err(TryLockError::Error(_)) => {}
        }
    }
    seen
}

fn open(path: &Path, make: bool) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(make).create(make);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    // A pipe can be opened and locked too, but does not count.
    if file.metadata()?.is_file() { Ok(file) } else { Err(std::io::Error::other("is not a plain file")) }
}

/// Whether the owner of a run lives.
pub(crate) fn lives(run: &RunOwner, locks: &RunLocks, now: Timestamp) -> bool {
    if run.over {
        return false;
    }
    let started = system::started(run.owner.as_ref().map_or(run.pid, |owner| owner.pid));
    let sight = Sight { here: &this_process(), lock: locks.of(run.run), started, silent_millis: now.millis_since(run.heartbeat) };
    ralph_core::run::owner::lives(run.owner.as_ref(), &sight)
}

/// Whether a file is left over from a write during which its process ended. One with this process's number is, since this process writes
/// nothing else while it checks.
pub(crate) fn is_left_unfinished(path: &Path) -> bool {
    writer_of(path).is_some_and(|pid| pid == std::process::id() || !system::may_write(path, pid))
}

/// Whether a process without a lock is alive.
pub(crate) fn lives_alone(owner: &Owner, heartbeat: Timestamp, now: Timestamp) -> bool {
    let sight = Sight {
        here: &this_process(),
        lock: LockSeen::Unknown,
        started: system::started(owner.pid),
        silent_millis: now.millis_since(heartbeat),
    };
    ralph_core::run::owner::lives(Some(owner), &sight)
}

/// This process, as stored in the row of its run.
pub(crate) fn this_process() -> Owner {
    let pid = std::process::id();
    Owner {
        machine: system::text("/etc/machine-id"),
        boot: system::text("/proc/sys/kernel/random/boot_id"),
        pids: system::process_numbers(),
        pid,
        started: system::started(pid).unwrap_or(0),
    }
}

/// If the system reports none of this, the lock alone decides.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    pub fn text(_path: &str) -> String {
        String::new()
    }
    pub fn process_numbers() -> String {
        String::new()
    }
    pub fn started(_pid: u32) -> Option<u64> {
        None
    }

    /// Whether a process with this number lives, whichever it is.
    #[cfg(unix)]
    pub fn may_write(_path: &Path, pid: u32) -> bool {
        let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        // One of another user may not be asked, and lives all the same.
        pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
    }

    /// Whether somebody has the file open, as a process that is writing it does.
    #[cfg(windows)]
    pub fn may_write(path: &Path, _pid: u32) -> bool {
        use std::os::windows::fs::OpenOptionsExt as _;
        std::fs::OpenOptions::new().read(true).share_mode(0).open(path).is_err()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::path::Path;

    pub fn text(path: &str) -> String {
        fs::read_to_string(path).unwrap_or_default().trim().to_owned()
    }

    pub fn process_numbers() -> String {
        fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Clock ticks from boot to a process's start. A zombie has ended: its parent has just not reaped it.
    pub fn started(pid: u32) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may contain anything, so fields are counted from its end: state is the first.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        if matches!(*fields.first()?, "Z" | "X") {
            return None;
        }
        fields.get(19)?.parse().ok()
    }

    /// Whether a process with this number lives, whichever it is.
    pub fn may_write(_path: &Path, pid: u32) -> bool {
        started(pid).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_seen_held_until_it_is_dropped_also_by_its_own_process() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let paths = [folder.path().join("here.lock"), folder.path().join("there.lock")];
        assert_eq!(look_at_locks(&paths), LockSeen::Unknown);
        let held = RunLock::take(&paths).expect("opens").expect("is free");
        assert_eq!(look_at_locks(&paths), LockSeen::Held);
        assert!(RunLock::take(&paths[1..]).expect("opens").is_none(), "one of them is enough");
        std::fs::remove_file(&paths[0]).expect("removes");
        assert_eq!(look_at_locks(&paths), LockSeen::Held, "the other still tells");
        drop(held);
        assert_eq!(look_at_locks(&paths), LockSeen::Free);
    }

    #[test]
    fn a_run_that_begins_after_the_look_in_the_slot_of_a_dead_one_lives() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let paths = |slot: u32| vec![folder.path().join(lock_file(slot))];
        let run = |run: RunId| RunOwner { run, over: false, pid: 1, owner: Some(this_process()), heartbeat: Timestamp(0), slot: 0 };
        drop(RunLock::take(&paths(0)).expect("opens").expect("is free"));
        let locks = RunLocks::look(&[run(1)], paths);
        assert!(!lives(&run(1), &locks, Timestamp(1)));
        let _held = RunLock::take(&paths(0)).expect("opens").expect("is free");
        assert!(lives(&run(2), &locks, Timestamp(1)), "it holds the lock that was free when it was looked at");
        assert!(!lives(&run(1), &RunLocks::look(&[run(1)], paths).with_own(0), Timestamp(1)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_is_known_again_by_its_start() {
        let own = this_process();
        assert!(own.started > 0 && !own.boot.is_empty(), "{own:?}");
        assert_eq!(system::started(own.pid), Some(own.started));
        assert_ne!(system::started(1), Some(own.started));
    }
}
