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
    /// A repository stands there, and git does not work with it.
    #[error("git refuses the repository at {}: {message}", path.display())]
    Refused {
        /// The folder that holds its `.git`.
        path: PathBuf,
        /// Git's message.
        message: String,
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

impl GitError {
    /// The way out, where the message itself has none.
    pub fn way_out(&self) -> &'static str {
        let GitError::Refused { message, .. } = self else { return "" };
        if message.contains("dubious ownership") {
            "if you trust what its owner put there, run the command that git names; else give the folder to the user who works in it"
        } else if message.contains("in a work tree") {
            "if it is no bare repository, `git config core.bare false`; a bare one needs a worktree to work in: `git worktree add FOLDER BRANCH`"
        } else if message.contains("extension") || message.contains("version") {
            "it was made by a newer git: update git, and see that Ralph finds the new one (`git --version`)"
        } else {
            "see what `git status` says there; a `.git` that is no repository any more can be moved away"
        }
    }
}
