//! A program that runs during a test and never outlives it.

use crate::Output;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Default time limit of a program: a broken one fails the test instead of blocking CI.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// A program that was started. Dropped before its end, it is killed.
pub struct Running {
    line: String,
    id: u32,
    end: Receiver<std::io::Result<std::process::Output>>,
    over: bool,
}

impl Running {
    /// Starts the program, gives it `input` and then the end of its input; its output is collected.
    ///
    /// # Panics
    /// When it can't be started.
    pub fn start(command: &mut Command, input: Option<&str>) -> Running {
        let line = format!("{command:?}");
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() }).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("can't start {line}: {error}"));
        let id = child.id();
        if let (Some(input), Some(mut stdin)) = (input.map(str::to_owned), child.stdin.take()) {
            // On a separate thread: a program that writes before it has read everything would block both sides. One that ends
            // without reading closes the pipe, which is its right.
            std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        }
        let (told, end) = channel();
        std::thread::spawn(move || told.send(child.wait_with_output()));
        Running { line, id, end, over: false }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Sends a signal by its name: `INT`, `TERM`, `KILL`.
    pub fn signal(&self, name: &str) {
        // It may have ended a moment ago; then nobody receives it.
        let _ = Command::new("kill").args(["-s", name, &self.id.to_string()]).stderr(Stdio::null()).status();
    }

    /// Waits for its end, and for the end of every program that it left behind with its output open.
    ///
    /// # Panics
    /// When `limit` passes first.
    pub fn wait(mut self, limit: Duration) -> Output {
        match self.end.recv_timeout(limit) {
            Ok(end) => {
                self.over = true;
                Output::from(end.unwrap_or_else(|error| panic!("can't wait for {}: {error}", self.line)))
            }
            Err(RecvTimeoutError::Timeout) => panic!("{} was not over within {limit:?}", self.line),
            Err(RecvTimeoutError::Disconnected) => panic!("the thread that waits for {} is gone", self.line),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Not when the waiting thread has collected it: its id may be another's by now.
        if !self.over && self.end.try_recv().is_err() {
            self.signal("KILL");
        }
    }
}

/// Polls `probe` until it returns a value, for events that no program announces.
///
/// # Panics
/// When `limit` passes first; the message names `what` was waited for.
pub fn wait_until<T>(what: &str, limit: Duration, mut probe: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(begin.elapsed() < limit, "not within {limit:?}: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn input_comes_back_with_the_status() {
        let output = Running::start(&mut shell("cat; exit 3"), Some(&"x".repeat(200_000))).wait(LIMIT);
        assert_eq!((output.stdout.len(), output.status.code()), (200_000, Some(3)));
    }

    #[test]
    fn a_dropped_program_is_killed() {
        let running = Running::start(&mut shell("exec tail -f /dev/null"), None);
        let alive = format!("/proc/{}/cmdline", running.id());
        drop(running);
        wait_until("the end of the program", LIMIT, || std::fs::read(&alive).map_or(true, |line| line.is_empty()).then_some(()));
    }

    #[test]
    #[should_panic(expected = "was not over within")]
    fn a_program_that_hangs_fails_the_test() {
        Running::start(&mut shell("exec tail -f /dev/null"), None).wait(Duration::from_millis(50));
    }

    #[test]
    #[should_panic(expected = "not within 20ms: rain")]
    fn a_condition_that_never_holds_fails_the_test() {
        wait_until("rain", Duration::from_millis(20), || None::<()>);
    }

    #[test]
    #[cfg(unix)]
    fn signals_arrive() {
        use std::os::unix::process::ExitStatusExt;
        let running = Running::start(&mut shell("exec tail -f /dev/null"), None);
        running.signal("TERM");
        assert_eq!(running.wait(LIMIT).status.signal(), Some(15));
    }
}
