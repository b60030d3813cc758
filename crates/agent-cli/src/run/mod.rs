//! One agent process, from its start to the end of all its descendants.

mod judge;
mod pulse;
mod queue;
mod readers;
mod refusal;
mod supervise;

pub use refusal::ask_why_refused;

use crate::command::{AgentSpec, McpConfigFile};
use crate::dialect::Dialect;
use crate::environment;
use crate::error::AgentError;
use crate::launch::Launch;
use crate::process;
use crate::stop::{StopCause, StopHandle};
use ralph_core::run::AgentKind;
use ralph_core::signal::{AgentSignal, Ending};
use std::ffi::OsString;
use std::process::Stdio;

/// Events of a running agent, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum AgentEvent {
    /// A signal.
    Signal(AgentSignal),
    /// A line of its standard error, at most 4 KiB.
    Stderr(String),
    /// It is over: always the last event; none of its processes is left.
    Exited(AgentExit),
}

/// How an agent's process ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentExit {
    /// Exit code, if it ended by itself.
    pub code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// The ending: that of the last turn, unless it was stopped or died.
    pub ending: Ending,
    /// Who stopped it.
    pub stopped_by: Option<StopCause>,
    /// The reason in one sentence, if the ending alone does not show it: its last words on standard error, the silence. May be empty.
    pub detail: String,
}

/// A running agent. Dropping it stops the agent, with everything it started.
#[derive(Debug)]
pub struct RunningAgent {
    events: queue::EventReceiver,
    stop: StopHandle,
    pid: u32,
}

impl RunningAgent {
    /// The next event; `None` after [`AgentEvent::Exited`]. Not calling it blocks the agent. Cancel-safe.
    pub async fn next(&mut self) -> Option<AgentEvent> {
        self.events.next().await
    }

    /// A queued event, if any.
    pub fn try_next(&mut self) -> Option<AgentEvent> {
        self.events.try_next()
    }

    /// A handle to stop it from elsewhere.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Its process id; also the id of its process group.
    pub fn pid(&self) -> u32 {
        self.pid
    }
}

/// Starts an agent. Must be called within a tokio runtime.
///
/// # Errors
/// If the program can't be started, the working folder is missing, or the MCP configuration can't be written.
pub fn start(spec: AgentSpec) -> Result<RunningAgent, AgentError> {
    let spec = spec.with_whole_paths();
    if !spec.cwd.is_dir() {
        return Err(AgentError::WorkFolder { folder: spec.cwd });
    }
    let mcp_config = McpConfigFile::write(&spec)?;
    let launch = Launch::of(&spec, mcp_config.as_ref().map(|file| file.path.as_path()))?;
    let mut variables = environment::chosen(Some(spec.kind), &spec.pass_env, std::env::vars_os());
    if spec.kind != AgentKind::Scripted {
        environment::lead_to(&spec.program, &mut variables);
    }
    variables.extend(
        launch.variables.into_iter().chain(spec.marks.variables()).map(|(name, value)| (OsString::from(name), OsString::from(value))),
    );
    let mut command = process::command(&spec.program, &variables);
    command.args(launch.arguments).current_dir(&spec.cwd).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = process::start(&mut command).map_err(|source| AgentError::Program { program: spec.program, source })?;
    let pid = child.id().unwrap_or(0);
    tracing::debug!(pid, agent = %spec.kind, iteration = spec.marks.iteration, "agent started");
    let (sender, events) = queue::queue();
    let stop = StopHandle::new();
    let supervisor = supervise::Supervisor {
        child,
        marks: spec.marks,
        prompt: spec.prompt,
        dialect: Dialect::of(spec.kind),
        watch: spec.watch,
        stop: stop.clone(),
        events: sender,
        mcp_config,
    };
    tokio::spawn(supervisor.run());
    Ok(RunningAgent { events, stop, pid })
}
