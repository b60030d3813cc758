//! The only starter of agents: finds an agent's program, runs it, parses its lines into [`AgentSignal`]s, and leaves no process behind.
//!
//! **Never here:** SQL, Tauri, product rules (what an outcome means, when to retry, what a prompt says).
//!
//! - [`dialect`]: one parser per agent CLI, bytes of a line → signals.
//! - [`start`] → [`RunningAgent`]: one process per iteration, its events in order, a [`StopHandle`] to stop it.
//! - [`find()`]: locates an agent's program. [`run_check`]: the person's check command. [`sweep_orphans`]: leftovers of a killed Ralph.
//!
//! [`AgentSignal`]: ralph_core::signal::AgentSignal

mod check;
mod command;
mod condense;
pub mod dialect;
mod environment;
mod error;
mod find;
mod launch;
mod lines;
mod permission;
mod process;
mod run;
mod stop;
mod transcript;

pub use check::{CheckSpec, check_environment, run_check};
pub use command::{AgentSpec, GitFolders, McpServerSpec, RunMarks, WatchLimits};
pub use dialect::Dialect;
pub use error::{AgentError, FindError};
pub use find::{FoundAgent, find};
pub use process::orphans::sweep_orphans;
pub use process::reaper::{mark_of_person, reap_adopted, start_for_person};
pub use process::{Descent, Inhabitant, Mark, inhabitants, shell_environment};
pub use run::{AgentEvent, AgentExit, RunningAgent, ask_why_refused, start};
pub use stop::{StopCause, StopHandle};
pub use transcript::parse_transcript;
