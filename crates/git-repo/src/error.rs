//! Git errors, each with a way out if there is one.

use std::io;
use std::path::PathBuf;

/// An error of git or of the repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git on this machine.
    #[error("git was not found")]
    Missing,
    /// It can't merge without a work tree.
    #[error("{version} is too old: merging and reviewing work need 2.38 or newer")]
    TooOld {
        /// What it says of itself.
        version: String,
    },
    /// Not in a work tree.
    #[error("{} is not in a git work tree", path.display())]
    NotARepository {
        /// The requested path.
        path: PathBuf,
    },
    /// There is a repository, but git refuses to work with it.
    #[error("git refuses the repository at {}: {message}", path.display())]
    Refused {
        /// The folder that holds its `.git`.
        path: PathBuf,
        /// Git's message.
        message: String,
    },
    /// The folder or the process could not be created.
    #[error("git could not be started in {}: {source}", path.display())]
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
    /// Hosts of git refuse files as large as these.
    #[error("{} larger than 100 MB, which hosts of git refuse: have git ignore it, use Git LFS, or commit it yourself", are(files))]
    TooLarge {
        /// The files.
        files: Vec<String>,
    },
    /// There is no snapshot of this name.
    #[error("nothing is kept as snapshot '{name}'")]
    NotKept {
        /// The name.
        name: String,
    },
    /// A restoration failed after it had begun.
    #[error("snapshot {name} is restored in part at most ({fault}); {way_back} brings back what stood there before")]
    PartlyRestored {
        /// The snapshot.
        name: String,
        /// A command.
        way_back: String,
        /// What failed.
        fault: Box<GitError>,
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
    #[error("git did not answer within {seconds} s in {}", path.display())]
    TimedOut {
        /// The timeout in seconds.
        seconds: u64,
        /// The folder.
        path: PathBuf,
    },
    /// Somebody stopped the work that git was a part of.
    #[error("git was stopped in {}", path.display())]
    Stopped {
        /// The folder.
        path: PathBuf,
    },
}

fn are(files: &[String]) -> String {
    format!("{} {}", files.join(", "), if files.len() == 1 { "is" } else { "are" })
}

impl GitError {
    /// What to do, for the hint beside the message; empty if git's own message says it.
    pub fn way_out(&self) -> &'static str {
        match self {
            GitError::Missing => "install it (Debian and Ubuntu: `apt install git`), or put it on PATH",
            GitError::TooOld { .. } => "install a newer one (Ubuntu: `add-apt-repository ppa:git-core/ppa`, then `apt install git`)",
            GitError::NotARepository { .. } => "run `git init` there, or choose a folder inside a checked-out repository",
            GitError::Refused { message, .. } => way_out_of_refusal(message),
            GitError::Start { source, .. } if at_a_limit(source) => AT_A_LIMIT,
            GitError::Start { .. } => "check that the folder exists and may be entered",
            GitError::NotKept { .. } => "`ralph snapshot list` names those that are kept",
            GitError::PartlyRestored { .. } => "go back with that command, or mend what failed and restore it once more",
            GitError::TimedOut { .. } => "see whether the disk is busy or another git process hangs, then try again",
            GitError::Io { .. }
            | GitError::Failed { .. }
            | GitError::TooLarge { .. }
            | GitError::NotRemovable { .. }
            | GitError::Stopped { .. } => "",
        }
    }
}

/// What to do if nothing more can be opened or started.
const AT_A_LIMIT: &str = "end other programs, or raise the limit: `ulimit -n` tells that of open files, `ulimit -u` that of processes";

/// Whether an error says that this process, or the machine, can open or start nothing more: it says nothing about the thing to be opened.
pub fn at_a_limit(fault: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM].iter().any(|limit| fault.raw_os_error() == Some(limit.raw_os_error()))
    }
    #[cfg(not(unix))]
    {
        fault.kind() == io::ErrorKind::OutOfMemory
    }
}

/// What to do about a repository that git refuses to work with.
fn way_out_of_refusal(message: &str) -> &'static str {
    if message.contains("dubious ownership") {
        "if you trust what its owner put there, run the command that git names; else give the folder to the user who works in it"
    } else if message.contains("in a work tree") {
        "if it is not a bare repository, `git config core.bare false`; a bare one needs a worktree to work in: `git worktree add FOLDER BRANCH`"
    } else if message.contains("extension") || message.contains("version") {
        "it was made by a newer git: update git, and see that Ralph finds the new one (`git --version`)"
    } else {
        "see what `git status` says there; a `.git` that is no longer a repository can be moved away"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_out_stands_beside_the_message() {
        let (path, name) = (PathBuf::from("/a"), "x".to_owned());
        let start = GitError::Start { path: path.clone(), source: io::ErrorKind::NotFound.into() };
        for (fault, way_out) in [
            (GitError::Missing, "apt install git"),
            (GitError::TooOld { version: "git version 2.34.1".to_owned() }, "newer one"),
            (GitError::NotARepository { path: path.clone() }, "git init"),
            (start, "may be entered"),
            #[cfg(unix)]
            (GitError::Start { path: path.clone(), source: rustix::io::Errno::MFILE.into() }, "ulimit -n"),
            (GitError::NotKept { name }, "ralph snapshot list"),
            (GitError::TimedOut { seconds: 1, path }, "disk is busy"),
        ] {
            assert!(fault.way_out().contains(way_out) && !fault.to_string().contains(way_out), "{fault}: {}", fault.way_out());
        }
    }
}
