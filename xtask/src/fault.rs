//! What can go wrong, each with the way out.

use std::path::PathBuf;

/// Why a command of xtask ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The program is not there or may not be run.
    #[error("can't start `{command}`: {source}")]
    Start {
        /// The whole command line.
        command: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The program ran and reported failure.
    #[error("`{command}` failed ({status}); its output above says why")]
    Failed {
        /// The whole command line.
        command: String,
        /// Exit code or signal.
        status: std::process::ExitStatus,
    },
    /// Something that xtask can't install by itself.
    #[error("{what} is missing: {way_out}")]
    Missing {
        /// The tool or part.
        what: String,
        /// What to do about it.
        way_out: String,
    },
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program answered something that can't be read.
    #[error("`{command}` gave output that can't be read: {why}")]
    Output {
        /// The whole command line.
        command: String,
        /// What is wrong with it.
        why: String,
    },
    /// Rules of the house are broken; each was printed.
    #[error("{0} rule(s) of the house broken; each line above names the file and the way out")]
    Tidy(usize),
    /// Some steps failed; each was printed.
    #[error("{0} step(s) failed")]
    Steps(usize),
    /// No step has that name.
    #[error("no step is called '{name}'; the steps are: {known}")]
    UnknownStep {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

impl Fault {
    /// For `map_err` on file operations.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Fault {
        let path = path.into();
        move |source| Fault::Io { path, source }
    }
}
