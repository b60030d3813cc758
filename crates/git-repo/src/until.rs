//! Who may stop a git command early: hooks, filters and signing programs may take minutes, or wait for somebody who is away.

use std::cell::RefCell;
use std::process::Child;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Time for git to end when it is asked to: it then removes its locks, and whatever it has half finished.
const COURTESY: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(10);

type Asked = Rc<dyn Fn() -> bool>;

thread_local! {
    /// Per thread rather than a parameter of each call: the check whether somebody stops the work is far below the code that knows of
    /// stops.
    static ASKED: RefCell<Option<Asked>> = const { RefCell::new(None) };
}

/// Does `work` on this thread. A git that runs the person's programs meanwhile is ended with everything it started once `asked` says
/// so, and the call fails with [`GitError::Stopped`](crate::GitError::Stopped). Calls that undo a step are not ended.
pub fn until<T>(asked: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> T {
    let _restored = Restored(ASKED.replace(Some(Rc::new(asked))));
    work()
}

struct Restored(Option<Asked>);

impl Drop for Restored {
    fn drop(&mut self) {
        ASKED.set(self.0.take());
    }
}

/// Whether somebody may stop this thread's work.
pub(crate) fn may_be_asked() -> bool {
    ASKED.with_borrow(Option::is_some)
}

/// Whether somebody has asked to stop it.
pub(crate) fn is_asked() -> bool {
    ASKED.with_borrow(Clone::clone).is_some_and(|asked| asked())
}

/// Ends a command that leads its own process group, with the group.
pub(crate) fn end_group(child: &mut Child) {
    signal_group(child, false);
    let until = Instant::now() + COURTESY;
    while Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
        std::thread::park_timeout(LOOK_EVERY);
    }
    signal_group(child, true);
}

#[cfg(unix)]
fn signal_group(child: &Child, kills: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if kills { Signal::KILL } else { Signal::TERM };
    // It fails only if all of them have ended.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal_group(_child: &Child, _kills: bool) {}
