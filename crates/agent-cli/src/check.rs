//! The person's check command: bounded in time and output, stoppable, and without an agent's keys.

use crate::command::RunMarks;
use crate::environment;
use crate::process::{self, Courtesy, Family};
use crate::stop::StopHandle;
use ralph_core::limits::{CHECK_MILLIS, CHECK_OUTPUT_BYTES, STOP_STEP_MILLIS};
use ralph_core::run::CheckResult;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

/// Time for which output may arrive after the command ended.
const LATE_OUTPUT: Duration = Duration::from_millis(300);

/// One check.
#[derive(Clone, Debug)]
pub struct CheckSpec {
    /// A line for `sh`, or `cmd` on Windows.
    pub command: String,
    /// Working folder.
    pub cwd: PathBuf,
    /// Marks of the iteration whose work it checks.
    pub marks: RunMarks,
    /// Variables that the person passes on.
    pub pass_env: Vec<String>,
    /// Timeout.
    pub time: Duration,
    /// Bytes that are kept of the end of its output.
    pub output_bytes: usize,
}

impl CheckSpec {
    /// A check with the product's limits.
    pub fn new(command: String, cwd: PathBuf, marks: RunMarks, pass_env: Vec<String>) -> CheckSpec {
        CheckSpec { command, cwd, marks, pass_env, time: Duration::from_millis(CHECK_MILLIS), output_bytes: CHECK_OUTPUT_BYTES }
    }
}

/// The variables of this process that a check gets, apart from the marks of its iteration.
pub fn check_environment(pass_env: &[String]) -> Vec<(OsString, OsString)> {
    environment::chosen(None, pass_env, std::env::vars_os())
}

/// Runs a check to its end, or until a stop request; then none of its processes is left. Never fails: an error is a failed
/// check, with the reason at the end of its output.
pub async fn run_check(spec: &CheckSpec, stop: &StopHandle) -> CheckResult {
    let mut variables = check_environment(&spec.pass_env);
    variables.extend(spec.marks.variables().into_iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    let mut command = process::shell(&spec.command, &variables);
    command.current_dir(&spec.cwd).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let result = |exit_code: Option<i32>, output_tail: String| CheckResult {
        command: spec.command.clone(),
        passed: exit_code == Some(0),
        exit_code,
        output_tail,
    };
    let mut child = match process::start(&mut command) {
        Ok(child) => child,
        Err(error) => return result(None, format!("[the check could not be started in {}: {error}]", spec.cwd.display())),
    };
    let mut family = Family::of(&child, Some(spec.marks.clone()));
    let tail = Tail::new(spec.output_bytes);
    let readers = [child.stdout.take().map(|pipe| tail.follow(pipe)), child.stderr.take().map(|pipe| tail.follow(pipe))];
    let ended = tokio::select! {
        biased;
        status = child.wait() => Ok(status),
        _ = stop.requested() => Err("[stopped]".to_owned()),
        () = tokio::time::sleep(spec.time) => Err(format!("[stopped after {} s, the longest that a check may take]", spec.time.as_secs())),
    };
    let (exit_code, note) = match ended {
        Ok(status) => {
            family.clear(Courtesy::Ask).await;
            (status.ok().and_then(|status| status.code()), None)
        }
        Err(note) => {
            // Its exit status only shows that it was stopped.
            let _ = process::stop(&mut child, &mut family, Duration::from_millis(STOP_STEP_MILLIS)).await;
            (None, Some(note))
        }
    };
    for mut reader in readers.into_iter().flatten() {
        if tokio::time::timeout(LATE_OUTPUT, &mut reader).await.is_err() {
            reader.abort();
        }
    }
    result(exit_code, tail.text(note.as_deref()))
}

/// The end of an output written by two pipes.
#[derive(Clone)]
struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    bound: usize,
}

impl Tail {
    fn new(bound: usize) -> Tail {
        Tail { bytes: Arc::default(), bound }
    }

    fn follow(&self, mut pipe: impl AsyncRead + Unpin + Send + 'static) -> JoinHandle<()> {
        let tail = self.clone();
        tokio::spawn(async move {
            let mut buffer = vec![0; 16 * 1024];
            while let Ok(length @ 1..) = pipe.read(&mut buffer).await {
                tail.push(&buffer[..length]);
            }
        })
    }

    fn push(&self, chunk: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(chunk);
        let surplus = bytes.len().saturating_sub(self.bound);
        bytes.drain(..surplus);
    }

    /// The kept bytes as text, complete lines only if there are several, and `note` on its own line. If the beginning of a line is lost, a
    /// password could be in it without the name by which it is recognized.
    fn text(&self, note: Option<&str>) -> String {
        let bytes: Vec<u8> = self.bytes.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let torn = bytes.len() >= self.bound;
        let line = bytes.iter().position(|byte| *byte == b'\n').map(|end| end + 1).filter(|from| *from < bytes.len());
        let character = || bytes.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
        let from = if torn { line.unwrap_or_else(character) } else { 0 };
        let mut text = String::from_utf8_lossy(&bytes[from..]).into_owned();
        if let Some(note) = note {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(note);
        }
        text
    }
}
