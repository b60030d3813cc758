//! The only user of git: what a repository's commits and files show about the work done in it.
//!
//! Wraps the `git` binary, so that worktrees, submodules, ignore rules and unusual configurations mean exactly what they mean to the
//! person. Every call is bounded in time and output, never prompts, and runs no diff program configured in the
//! repository. What Ralph itself writes below `.ralph/` is never counted as work.
//!
//! **Never here:** SQL, Tauri, a rule about tasks or runs.

mod ages;
mod attributes;
mod branch;
mod command;
mod conflict;
mod digest;
mod entries;
mod error;
mod exclude;
mod folder;
mod generated;
mod hidden;
mod history;
mod hooks;
mod kept;
mod landed;
mod landing;
mod large;
mod listing;
mod machinery;
mod merge;
mod merge_tree;
mod moved;
mod nested;
mod partial;
mod paths;
mod pipe;
mod plain;
mod programs;
mod proposal;
mod pull_request;
mod records;
mod resolution;
mod restoring;
mod scratch;
mod snapshot;
mod stale;
mod standing;
// They write links, modes and shell scripts.
#[cfg(all(test, unix))]
mod tests;
mod until;
mod verbatim;
mod worktree;

pub use ages::Ages;
pub use branch::{BranchCommit, ChangeKind, FileChange, Fork};
pub use command::{NO_REASON, carry};
pub use error::{GitError, at_a_limit};
pub use folder::{bring_along, bytes_of_folder};
pub use kept::KeptWork;
pub use landing::Landing;
pub use listing::{Listing, TreeEntry};
pub use machinery::{Machinery, PersonsSettings};
pub use merge::{MergeOrder, MergeOutcome};
pub use partial::PartialClone;
pub use paths::{path_from_text, path_to_text, real_path};
pub use pull_request::{PullRequestOpened, PullRequestOrder};
pub use records::Worktree;
pub use resolution::{Resolution, Unsettled};
pub use restoring::{Restoration, RestoredFiles};
pub use snapshot::{PersonsWork, Snapshot};
pub use standing::RepositoryState;
pub use until::until;

use command::Git;
use entries::{Entries, LOOK_LIMIT};
use merge_tree::is_too_old;
use paths::path_from_bytes;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Name of the folder in which Ralph keeps what it writes in a project.
const RALPHS: &str = ".ralph";
/// Selects the work of a branch: everything except Ralph's own file of staged learnings.
const WORK: [&str; 3] = ["--", ":(top)", ":(top,exclude,glob)**/.ralph/db/memory/staged/**"];
/// Selects what is restored in a work tree that is no project's own: never what Ralph itself keeps in one, which went on since.
const NOT_RALPHS: [&str; 3] = ["--", ":(top)", ":(top,exclude,glob)**/.ralph/db/**"];

/// Whether the repository's hooks run with what Ralph does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hooks {
    /// As with the person's own git.
    Run,
    /// None runs, and nothing is signed.
    Skip,
}

/// A git repository with a work tree.
#[derive(Clone, Debug)]
pub struct Repo {
    root: PathBuf,
    /// Ralph's own folder, from the root, where this work tree is the project's own.
    ralphs: Option<PathBuf>,
}

impl Repo {
    /// The repository whose work tree contains `path`.
    ///
    /// # Errors
    /// [`GitError::NotARepository`] outside of one, in a bare one, and for a missing path; [`GitError::Refused`] for one that
    /// stands there and that git does not work with; [`GitError::Missing`] without git where the files of one alone don't tell.
    pub fn discover(path: &Path) -> Result<Repo, GitError> {
        let directory = if path.is_file() { path.parent().unwrap_or(path) } else { path };
        if !directory.is_dir() {
            return Err(GitError::NotARepository { path: path.to_owned() });
        }
        if let Some(root) = plain::work_tree(directory) {
            return Ok(Repo::at(root));
        }
        let outside = || GitError::NotARepository { path: path.to_owned() };
        let found = match Git::reading(directory).args(["rev-parse", "--show-toplevel"]).run() {
            Err(GitError::Missing) if standing(directory).is_none() => return Err(outside()),
            found => found?,
        };
        if !found.success {
            // If the repository is above another mount, git says that it did not look there.
            let looked_here = found.message.contains("up to mount point");
            let refused = standing(directory).filter(|top| !looked_here || real_path(directory).is_ok_and(|here| here == *top));
            return Err(refused.map_or_else(outside, |top| GitError::Refused { path: top, message: found.message }));
        }
        Ok(Repo::at(path_from_bytes(found.stdout.strip_suffix(b"\n").unwrap_or(&found.stdout))))
    }

    fn at(root: PathBuf) -> Repo {
        Repo { root, ralphs: None }
    }

    /// The same as the place of the project in a folder of it: Ralph writes its journals and settings below `.ralph/` there, so that
    /// nothing in that counts as work. In any other work tree it writes staged learnings alone, and the rest below any `.ralph/` is work
    /// like any other.
    #[must_use]
    pub fn of_project(self, folder: &Path) -> Repo {
        let real = real_path(folder);
        let below = real.as_deref().unwrap_or(folder).strip_prefix(&self.root).unwrap_or(Path::new(""));
        Repo { ralphs: Some(below.join(RALPHS)), ..self }
    }

    /// What git says of its version; needs no repository.
    ///
    /// # Errors
    /// [`GitError::Missing`] without git, [`GitError::TooOld`] if it lacks what Ralph needs.
    pub fn version() -> Result<String, GitError> {
        let said = Git::reading(&std::env::temp_dir()).args(["--version"]).output("--version")?;
        let version = String::from_utf8_lossy(&said).trim().to_owned();
        if is_too_old(&version) { Err(GitError::TooOld { version }) } else { Ok(version) }
    }

    /// Makes `path` a repository with the branch `main`; a missing folder is created, and an existing repository is unchanged.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the folder can't be written.
    pub fn init(path: &Path) -> Result<Repo, GitError> {
        std::fs::create_dir_all(path).map_err(|source| GitError::Start { path: path.to_owned(), source })?;
        Git::writing(path).args(["init", "--quiet", "--initial-branch=main"]).output("init")?;
        Repo::discover(path)
    }

    /// The root of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The full hash of HEAD; `None` before the first commit.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        if let Some(known) = plain::head(&self.root) {
            return Ok(known);
        }
        let found = self.reading().args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).run()?;
        Ok(found.success.then(|| found.text().trim().to_owned()))
    }

    /// The branch that is checked out, also before its first commit; `None` when detached.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn branch(&self) -> Result<Option<String>, GitError> {
        if let Some(known) = plain::branch(&self.root) {
            return Ok(known);
        }
        let found = self.reading().args(["symbolic-ref", "--quiet", "--short", "HEAD"]).run()?;
        Ok(found.success.then(|| found.text().trim().to_owned()))
    }

    /// Whether any work is changed, staged or untracked.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn is_dirty(&self) -> Result<bool, GitError> {
        Ok(self.uncommitted_entries()?.is_some())
    }

    /// All work that is changed, staged or untracked, if any is. What is generated is no work.
    pub(crate) fn uncommitted_entries(&self) -> Result<Option<Entries>, GitError> {
        let status = ["status", "--porcelain=v2", "-z", "--untracked-files=normal"];
        let git = self.reading().within(LOOK_LIMIT).stoppable().args(status).args(self.work());
        // One byte suffices, however much has changed.
        if git.at_most(1).output("status")?.is_empty() {
            return Ok(None);
        }
        Ok(Some(Entries::within_bounds(self)?).filter(|entries| !entries.is_empty()))
    }

    /// The command with Ralph as the author, if none is configured.
    fn signed(&self, command: Git) -> Result<Git, GitError> {
        let author = self.reading().args(["config", "user.email"]).run()?;
        let is_known = author.success || std::env::var_os("GIT_AUTHOR_EMAIL").is_some();
        Ok(if is_known { command } else { command.args(["-c", "user.name=Ralph", "-c", "user.email=ralph@localhost"]) })
    }

    /// A comparison: no program named by a setting or an attribute takes part, so that text and exit code are git's own.
    fn diffing(&self) -> Git {
        self.reading().args(["diff", "--no-ext-diff", "--no-textconv", "--no-color"])
    }

    /// Selects what counts as work in this work tree.
    fn work(&self) -> Vec<OsString> {
        self.ralphs.as_ref().map_or_else(|| WORK.map(OsString::from).to_vec(), |ralphs| all_but(ralphs))
    }

    /// Selects what is restored in this work tree.
    fn restorable(&self) -> Vec<OsString> {
        self.ralphs.as_ref().map_or_else(|| NOT_RALPHS.map(OsString::from).to_vec(), |ralphs| all_but(&ralphs.join("db")))
    }

    /// A git command that only reads.
    fn reading(&self) -> Git {
        Git::reading(&self.root)
    }
}

/// The folder around `directory` in which a repository stands, whole or not; `None` without one, and in git's own files.
fn standing(directory: &Path) -> Option<PathBuf> {
    let here = real_path(directory).ok()?;
    let is_begun = |dot: &Path| dot.is_file() || ["HEAD", "objects"].iter().any(|part| dot.join(part).symlink_metadata().is_ok());
    let top = here.ancestors().find(|folder| is_begun(&folder.join(".git")))?;
    (!here.starts_with(top.join(".git"))).then(|| top.to_owned())
}

/// Selects the whole work tree except one folder.
fn all_but(folder: &Path) -> Vec<OsString> {
    vec!["--".into(), ":(top)".into(), except(folder)]
}

/// Excludes a folder from what has been selected before.
fn except(folder: &Path) -> OsString {
    let mut left_out = OsString::from(":(top,literal,exclude)");
    left_out.push(folder);
    left_out
}
