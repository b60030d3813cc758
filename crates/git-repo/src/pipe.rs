//! The output of a command, read while it runs.

use crate::until::is_asked;
use std::io::Read;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// How long to wait for the rest of the output once git has ended: a process that a hook left behind holds the pipes as long as it
/// lives.
const REST_LIMIT: Duration = Duration::from_secs(1);
/// How often Ralph checks whether git has ended while a pipe stays open.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Bytes read of a pipe at once.
const PART_BYTES: usize = 65_536;

/// How long git is waited for.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    pub deadline: Instant,
    /// Whether somebody may end it earlier.
    pub stops: bool,
}

/// A pipe that is read on a separate thread, so that neither pipe blocks git while the other is read.
pub(crate) struct Pipe {
    /// What came so far, at most one byte more than wanted.
    bytes: Arc<Mutex<Vec<u8>>>,
    limit: usize,
    /// Hung up at the end.
    end: mpsc::Receiver<()>,
}

impl Pipe {
    /// Waits until it is closed, or holds enough, or git has ended and the rest has arrived; `false` if time runs out first.
    pub fn is_read(&self, child: &mut Child, Patience { deadline, stops }: Patience) -> bool {
        let mut ended = false;
        let mut until = deadline;
        loop {
            let wait = until.saturating_duration_since(Instant::now()).min(LOOK_EVERY);
            if self.end.recv_timeout(wait) != Err(mpsc::RecvTimeoutError::Timeout) {
                return true;
            }
            if !ended && child.try_wait().is_ok_and(|status| status.is_some()) {
                ended = true;
                until = Instant::now() + REST_LIMIT;
            }
            if Instant::now() >= until || (stops && !ended && is_asked()) {
                return ended;
            }
        }
    }

    /// The output so far, up to the limit, and whether there is more.
    pub fn take(&self) -> (Vec<u8>, bool) {
        let mut bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        let cut = bytes.len() > self.limit;
        bytes.truncate(self.limit);
        (bytes, cut)
    }
}

/// Handling of output beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Not read: git is stopped.
    Left,
    /// Read and discarded: a hook with much output would die of a closed pipe.
    Drained,
}

/// Begins to read a pipe.
pub(crate) fn read_apart(pipe: Option<impl Read + Send + 'static>, limit: usize, rest: Rest) -> Pipe {
    let (sender, end) = mpsc::channel::<()>();
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let came = Arc::clone(&bytes);
    std::thread::spawn(move || {
        let _until_the_end = sender;
        let (mut pipe, mut part) = (pipe, vec![0; PART_BYTES]);
        // A broken pipe has ended; the exit status gives the reason.
        while let Some(Ok(read @ 1..)) = pipe.as_mut().map(|pipe| pipe.read(&mut part)) {
            let mut bytes = came.lock().unwrap_or_else(PoisonError::into_inner);
            let room = (limit + 1).saturating_sub(bytes.len());
            bytes.extend_from_slice(&part[..read.min(room)]);
            if bytes.len() > limit && rest == Rest::Left {
                break;
            }
        }
    });
    Pipe { bytes, limit, end }
}
