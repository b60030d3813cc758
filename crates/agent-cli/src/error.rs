//! Errors before an agent runs. What happens while it runs is an [`Ending`](ralph_core::signal::Ending), not an error.

use std::io;
use std::path::PathBuf;

/// An agent could not be started.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The program does not exist or may not be executed.
    #[error("the agent's program '{program}' cannot be started: {source}")]
    Program {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The working folder does not exist.
    #[error("the work folder '{folder}' is not there")]
    WorkFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The MCP configuration file could not be written.
    #[error("the MCP configuration '{file}' cannot be written: {source}")]
    McpConfig {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The scripted agent needs a script.
    #[error("the scripted agent was started without a script")]
    NoScript,
}

impl AgentError {
    /// What to do, for the hint beside the message.
    pub fn way_out(&self) -> &'static str {
        match self {
            AgentError::Program { source, .. } if !matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
                "it is there, and the system can't start it: end other programs, or raise the limit that it names (`ulimit -n` for open files, \
                 `ulimit -u` for processes); else install the agent anew"
            }
            AgentError::Program { .. } => {
                "install the agent, or name its path in .ralph/config.toml; `ralph doctor` shows where Ralph looked"
            }
            AgentError::WorkFolder { .. } => "bring that folder back, then start again",
            AgentError::McpConfig { .. } => "check the rights and the free space of its folder",
            AgentError::NoScript => "name one with --script FILE",
        }
    }
}

/// An agent's program was not found, or does not respond.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// It is in none of the usual places.
    #[error("{agent} was not found as {names} in: {looked_in}")]
    NotFound {
        /// The agent's full name.
        agent: &'static str,
        /// File names searched for.
        names: String,
        /// Folders searched.
        looked_in: String,
        /// What to do.
        way_out: &'static str,
    },
    /// There is no program at the path that a setting or a person names.
    #[error("the path '{path}' named for {agent} is not an executable program")]
    Configured {
        /// The agent's full name.
        agent: &'static str,
        /// The setting that names its path.
        setting: &'static str,
        /// What was configured.
        path: PathBuf,
    },
    /// It was found, but does not report its version.
    #[error("{agent} at '{path}' does not answer to --version: {detail}")]
    Version {
        /// The agent's full name.
        agent: &'static str,
        /// Where it was found.
        path: PathBuf,
        /// What happened instead.
        detail: String,
    },
}

impl FindError {
    /// What to do, for the hint beside the message.
    pub fn way_out(&self) -> String {
        match self {
            FindError::NotFound { way_out, .. } => (*way_out).to_owned(),
            FindError::Configured { setting, .. } => format!("correct `--agent-path`, or {setting} in .ralph/config.toml"),
            FindError::Version { .. } => "run it by hand, or install it anew".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_there_and_cannot_be_started_need_not_be_installed() {
        for (source, expected) in [
            (io::ErrorKind::NotFound.into(), "name its path"),
            (io::ErrorKind::PermissionDenied.into(), "name its path"),
            (io::Error::from_raw_os_error(24), "ulimit -n"),
            (io::ErrorKind::OutOfMemory.into(), "ulimit -u"),
        ] {
            let told = format!("{source}");
            assert!(AgentError::Program { program: "claude".into(), source }.way_out().contains(expected), "{told}");
        }
    }
}
