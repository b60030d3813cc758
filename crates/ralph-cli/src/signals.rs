//! Signals that end a run, another command with agents (the first signal gracefully, the second at once), or an MCP session.

use crate::output::Answered;
use ralph_app::{StopCause, StopHandle};
use ralph_core::view::CommandError;
use std::cell::Cell;

/// Shells report a process ended by a signal with this plus the signal's number.
const EXIT_BASE: u8 = 128;

/// The signals received during a run or a session.
#[derive(Debug, Default)]
pub struct Signals {
    first: Cell<Option<u8>>,
}

impl Signals {
    /// Exit code for the first signal received, if any.
    pub fn first(&self) -> Option<u8> {
        self.first.get()
    }

    /// Asks to `stop` on the first Ctrl-C, SIGTERM or SIGHUP, by its name; the second one ends it with the returned exit code. They are
    /// handled from the call on, so that agents started later do not inherit ignored signals from a script that runs Ralph in the
    /// background.
    pub fn second(&self, stop: impl FnOnce(&str)) -> impl Future<Output = u8> {
        let mut signals = Source::new();
        async move {
            let (name, code) = signals.next().await;
            self.first.set(Some(code));
            stop(name);
            signals.next().await.1
        }
    }

    /// Runs what starts agents or checks; the first signal stops those, and the second one ends everything with the returned exit code.
    pub async fn stopping(&self, work: impl AsyncFnOnce(&StopHandle) -> Answered) -> Result<Option<u8>, CommandError> {
        let stop = StopHandle::new();
        tokio::select! {
            done = work(&stop) => done.map(|()| self.first()),
            code = self.second(|_| stop.stop(StopCause::Person)) => Ok(Some(code)),
        }
    }

    /// Waits for any of them.
    pub async fn any(&self) {
        let (_, code) = Source::new().next().await;
        self.first.set(Some(code));
    }
}

#[cfg(unix)]
struct Source(Vec<(&'static str, u8, tokio::signal::unix::Signal)>);

#[cfg(unix)]
impl Source {
    fn new() -> Source {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [("Ctrl-C", 2, SignalKind::interrupt()), ("SIGTERM", 15, SignalKind::terminate()), ("SIGHUP", 1, SignalKind::hangup())];
        // A signal without a handler ends the process as usual.
        Source(kinds.into_iter().filter_map(|(name, number, kind)| Some((name, EXIT_BASE + number, signal(kind).ok()?))).collect())
    }

    async fn next(&mut self) -> (&'static str, u8) {
        std::future::poll_fn(|context| {
            let ready = self.0.iter_mut().find_map(|(name, code, signal)| signal.poll_recv(context).is_ready().then_some((*name, *code)));
            ready.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }
}

/// The console events of Windows, each with the name and the number of the corresponding signal elsewhere.
#[cfg(windows)]
struct Source(Vec<(&'static str, u8, Heard)>);

#[cfg(windows)]
type Heard = Box<dyn FnMut(&mut std::task::Context<'_>) -> std::task::Poll<Option<()>>>;

#[cfg(windows)]
impl Source {
    fn new() -> Source {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
        // What can't be listened to ends the process as usual.
        let kinds = [
            ("Ctrl-C", 2, ctrl_c().ok().map(|mut it| heard(move |context| it.poll_recv(context)))),
            ("Ctrl-Break", 2, ctrl_break().ok().map(|mut it| heard(move |context| it.poll_recv(context)))),
            ("the end of its terminal", 1, ctrl_close().ok().map(|mut it| heard(move |context| it.poll_recv(context)))),
            ("the end of the session", 15, ctrl_logoff().ok().map(|mut it| heard(move |context| it.poll_recv(context)))),
            ("a shutdown", 15, ctrl_shutdown().ok().map(|mut it| heard(move |context| it.poll_recv(context)))),
        ];
        Source(kinds.into_iter().filter_map(|(name, number, heard)| Some((name, EXIT_BASE + number, heard?))).collect())
    }

    async fn next(&mut self) -> (&'static str, u8) {
        std::future::poll_fn(|context| {
            let ready = self.0.iter_mut().find_map(|(name, code, heard)| heard(context).is_ready().then_some((*name, *code)));
            ready.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }
}

/// Each kind has a type of its own.
#[cfg(windows)]
fn heard(poll: impl FnMut(&mut std::task::Context<'_>) -> std::task::Poll<Option<()>> + 'static) -> Heard {
    Box::new(poll)
}
