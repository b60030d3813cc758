//! Git errors, with a solution where there is one.

use std::io;
use std::path::PathBuf;

/// An error of git or of the repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git on this machine.
    #[error("git was not found; install it (Debian and Ubuntu: `apt install git`) or put it on PATH")]
    Missing,
    /// Not in a work tree.
    #[error("{} is in no git work tree; run `git init` there, or choose a folder inside a checked-out repository", path.display())]
    NotARepository {
        /// The requested path.
        path: PathBuf,
    },
    /// The folder or the process could not be created.
    #[error("git could not be started in {}: {source}; check that the folder exists and may be entered", path.display())]
    Start {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file in git's own folder can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Git ran and refused.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// The subcommand.
        command: &'static str,
        /// Git's message, with its own advice.
        message: String,
    },
    /// There is no snapshot of this name.
    #[error("nothing is kept as snapshot '{name}'; `ralph snapshot list` names what is")]
    NotKept {
        /// The name.
        name: String,
    },
    /// The folder is not a removable work tree.
    #[error("{} is not a linked work tree of this repository, so it is left alone: {why}", path.display())]
    NotRemovable {
        /// The folder.
        path: PathBuf,
        /// What it is instead.
        why: &'static str,
    },
    /// Git took too long and was stopped.
    #[error("git did not answer within {seconds} s in {}; is the disk busy, or another git process stuck?", path.display())]
    TimedOut {
        /// The timeout in seconds.
        seconds: u64,
        /// The folder.
        path: PathBuf,
    },
}
