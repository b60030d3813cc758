//! Paths of a project's files.

use crate::error::{AppError, Result};
use crate::files::{ExpectedKind, ProjectFiles};
use git_repo::real_path;
use ralph_core::trust::name;
use std::path::{Component, Path, PathBuf};

/// Paths of a project's files.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The folder that holds `.ralph/`.
    pub root: PathBuf,
    /// `.ralph/config.toml`.
    pub config: PathBuf,
    /// `.ralph/db/`.
    pub db: PathBuf,
    /// `.ralph/db/memory/`: the journals.
    pub memory: PathBuf,
    /// `.ralph/db/logs/`: event logs and prompts of iterations.
    pub logs: PathBuf,
}

impl Paths {
    pub(crate) fn of(root: &Path) -> Paths {
        let ralph = root.join(".ralph");
        let db = ralph.join("db");
        Paths { root: root.to_owned(), config: ralph.join("config.toml"), memory: db.join("memory"), logs: db.join("logs"), db }
    }
}

/// The folder `below` another one, or that one itself: a path joined with nothing would end in a separator.
pub(crate) fn joined(folder: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(below) }
}

impl Paths {
    /// The only access to the project's files.
    pub(crate) fn files(&self) -> ProjectFiles<'_> {
        ProjectFiles::of(&self.root)
    }

    /// Refuses a project whose own folders, or whose database, are links or of the wrong kind.
    pub(crate) fn check(&self) -> Result<()> {
        for folder in [&self.memory, &self.logs, &self.backups()] {
            self.files().must_be(folder, ExpectedKind::Folder)?;
        }
        // Not `eval.db`: whatever else is in its place is neither read nor written, and costs only history.
        for name in ["ralph.db", "ralph.db-wal", "ralph.db-shm", "ralph.lock"] {
            self.files().must_be(&self.db.join(name), ExpectedKind::File)?;
        }
        Ok(())
    }

    /// `.ralph/db/origin`: a mark by which this machine recognizes that the database was created here.
    pub(crate) fn origin(&self) -> PathBuf {
        self.db.join("origin")
    }

    /// `.ralph/db/ralph.db`.
    pub(crate) fn database(&self) -> PathBuf {
        self.db.join("ralph.db")
    }

    /// `.ralph/db/eval.db`: records of retrieval.
    pub(crate) fn evaluation(&self) -> PathBuf {
        self.db.join("eval.db")
    }

    /// The texts of `.ralph/` that take effect only as agreed to: name and path.
    pub(crate) fn own_texts(&self) -> [(&'static str, PathBuf); 2] {
        [(name::CONFIG, self.config.clone()), (name::RULES, self.root.join(".ralph").join(name::RULES))]
    }

    /// `.ralph/db/scratch/`: files for an agent while it runs.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.db.join("scratch")
    }

    /// `.ralph/db/backups/`: copies of the database.
    pub(crate) fn backups(&self) -> PathBuf {
        self.db.join("backups")
    }
}

/// A path without `.` and `..`, by its text alone: no link is followed.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// A path as the system sees it, although its end may not exist yet: links on the way are followed.
pub(crate) fn real(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|known| Some((real_path(known).ok()?, path.strip_prefix(known).ok()?)));
    known.map_or_else(|| path.to_owned(), |(known, rest)| known.join(rest))
}

/// The canonical folder; an error if it is not a folder.
pub(crate) fn canonical(folder: &Path) -> Result<PathBuf> {
    let path = real_path(folder).map_err(|source| AppError::io(folder, source))?;
    if !path.is_dir() {
        return Err(AppError::invalid("project", format!("{} is not a folder", path.display()), "name the folder of your repository"));
    }
    // SQLite, agents' settings and the window take names as text.
    let Some(name) = path.to_str() else {
        let fault = format!("the path {} is not UTF-8", path.display());
        return Err(AppError::invalid("project", fault, "rename the folder, or move the project to another one"));
    };
    refuse_share(name)?;
    Ok(path)
}

/// Refuses a network folder of Windows, whose path does not begin with a drive letter. `cmd` can't work in such a folder: it changes to the
/// system's folder instead, and so would the check and every agent installed by npm.
fn refuse_share(path: &str) -> Result<()> {
    if !path.starts_with(r"\\") {
        return Ok(());
    }
    let fault = format!("{path} is a folder in the network, in which Windows' `cmd` runs nothing: checks and agents would work elsewhere");
    Err(AppError::invalid("project", fault, "move it to a disk of this machine, or use Ralph on the machine that has it, such as in WSL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_which_cmd_would_work_elsewhere_is_no_project() {
        let cases =
            [(r"\\server\share\shop", false), (r"\\wsl.localhost\Debian\home\dev", false), (r"C:\shop", true), ("/home/shop", true)];
        for (path, is_taken) in cases {
            assert_eq!(refuse_share(path).is_ok(), is_taken, "{path}");
        }
    }
}
