//! What can go wrong with git, and the way out.

use std::io;
use std::path::PathBuf;

/// A fault of git or of the repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git on this machine.
    #[error("git was not found; install it (Debian and Ubuntu: `apt install git`) or put it on PATH")]
    Missing,
    /// Not in a work tree.
    #[error("{} is in no git work tree; run `git init` there, or choose a folder inside a checked-out repository", path.display())]
    NotARepository {
        /// What was asked for.
        path: PathBuf,
    },
    /// The folder or the process could not be made.
    #[error("git could not be started in {}: {source}; check that the folder exists and may be entered", path.display())]
    Start {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of git's own folder can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Git ran and refused.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// The subcommand.
        command: &'static str,
        /// What git said, with its own advice.
        message: String,
    },
    /// Nothing is kept under a name.
    #[error("nothing is kept as snapshot '{name}'; `ralph snapshot list` names what is")]
    NotKept {
        /// The name.
        name: String,
    },
    /// The folder is no work tree that may be removed.
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
        /// Seconds that were granted.
        seconds: u64,
        /// The folder.
        path: PathBuf,
    },
}
