//! Linked work trees: created on a new branch, found from state, removed without following links.

use crate::branch::BEGUN;
use crate::command::Git;
use crate::paths::path_from_bytes;
use crate::plain::Place;
use crate::records::{self, Worktree};
use crate::{GitError, Hooks, Repo, plain, real_path};
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Timeout of a checkout of all files, including hooks: a large repository on a slow disk takes minutes.
pub(crate) const CHECKOUT_LIMIT: Duration = Duration::from_secs(600);
/// Suffix of a folder that is being removed: whoever finds one may finish the removal.
const REMOVING: &str = ".ralph-removing";

/// Git reads the records of all work trees when it creates, lists or removes one, and fails if one is half written.
static RECORDS: Mutex<()> = Mutex::new(());

/// What the record of each linked work tree says about the shared folder. Git writes it after the place of the work tree.
const COMMON: &[u8] = b"../..\n";

impl Repo {
    /// All work trees of the repository, the main one first.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        records::worktrees(self.root()).map_or_else(|| self.listed_worktrees(), Ok)
    }

    /// The same as git lists them.
    pub(crate) fn listed_worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let list = || self.reading().args(["worktree", "list", "--porcelain", "-z"]).output("worktree list");
        let listed = {
            let _turn = self.turn();
            // Another process may have begun a record just now.
            list().or_else(|fault| if self.mend_records() { list() } else { Err(fault) })?
        };
        // Lines are terminated by a NUL, records by an empty line.
        let mut records = Vec::new();
        let mut rest: &[u8] = &listed;
        while let Some(end) = rest.windows(2).position(|pair| pair == [0, 0]) {
            records.push(&rest[..end]);
            rest = &rest[end + 2..];
        }
        let mut all: Vec<Worktree> = records.iter().enumerate().filter_map(|(place, record)| Worktree::read(record, place == 0)).collect();
        let common = self.common_folder()?;
        if let Some(main) = all.first_mut().filter(|main| main.is_main && main.path == common && !self.is_linked()) {
            // If git's folder is separate (`git init --separate-git-dir`), git names that one.
            self.root().clone_into(&mut main.path);
        }
        for linked in all.iter_mut().filter(|known| !known.is_main) {
            linked.missing |= Place::is_of_another(&linked.path, &common);
        }
        Ok(all)
    }

    /// Serializes this process's access to the records, and completes those that a killed process left half written.
    fn turn(&self) -> MutexGuard<'static, ()> {
        let turn = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
        self.mend_records();
        turn
    }

    /// Completes half-written records, because of which git would refuse every command on work trees; returns whether there was one. If a
    /// process is still writing one, it writes the same.
    fn mend_records(&self) -> bool {
        let records = self.common_folder().ok().and_then(|common| std::fs::read_dir(common.join("worktrees")).ok());
        let parts = records.into_iter().flatten().flatten().map(|record| record.path().join("commondir"));
        let is_empty = |part: &PathBuf| part.symlink_metadata().is_ok_and(|known| known.is_file() && known.len() == 0);
        // If one can't be written, git reports it.
        parts.filter(is_empty).filter(|part| std::fs::write(part, COMMON).is_ok()).count() > 0
    }

    /// The root of the main work tree, if this one is linked to it; `None` in the main one itself.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn main_worktree(&self) -> Result<Option<PathBuf>, GitError> {
        if !self.is_linked() {
            return Ok(None);
        }
        Ok(self.worktrees()?.into_iter().find(|worktree| worktree.is_main).map(|worktree| worktree.path))
    }

    /// Whether this is a linked work tree: its `.git` is a file that names a folder below `worktrees/`. Runs no program.
    pub fn is_linked(&self) -> bool {
        admin_folder(self.root()).is_some()
    }

    /// Creates a linked work tree at `path`, which must not exist or be empty, with the new branch `branch` at `commit`.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the branch exists, or the folder is in use; then there is no new branch.
    pub fn add_worktree(&self, path: &Path, branch: &str, commit: &str, hooks: Hooks) -> Result<Repo, GitError> {
        let name = format!("refs/heads/{branch}");
        // Created separately, so that its owner is known: whoever was faster keeps theirs.
        let new = ["update-ref", "-m", BEGUN, &name, commit, ""];
        Git::hooked(self.root(), hooks).args(new).output("worktree add")?;
        let made = self.restore_worktree(path, branch, hooks);
        if made.is_err() {
            // If it has been checked out all the same it stays, and whoever has it checked out knows whose it is.
            let _ = self.remove_branch(branch, commit);
        }
        made
    }

    /// Creates a linked work tree at `path` for an existing branch that is not checked out.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the branch is checked out, or the folder is in use.
    pub fn restore_worktree(&self, path: &Path, branch: &str, hooks: Hooks) -> Result<Repo, GitError> {
        let made = {
            let _turn = self.turn();
            let git = Git::hooked(self.root(), hooks).within(CHECKOUT_LIMIT);
            git.args(["worktree", "add", "--quiet", "--"]).args([path.as_os_str(), branch.as_ref()]).run()?
        };
        self.made(path, made)
    }

    /// Creates a linked work tree at `path` with `commit` checked out and no branch: it waits for [`Repo::begin_in_spare`].
    ///
    /// # Errors
    /// [`GitError::Failed`] if the folder is in use; git then rolls back.
    pub fn add_spare(&self, path: &Path, commit: &str) -> Result<(), GitError> {
        let _turn = self.turn();
        let git = Git::writing(self.root()).within(CHECKOUT_LIMIT);
        git.args(["worktree", "add", "--quiet", "--detach", "--"])
            .args([path.as_os_str(), commit.as_ref()])
            .output("worktree add")
            .map(drop)
    }

    /// Moves a spare work tree to `path`, and begins the new branch `branch` at `commit` there.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the branch exists, the folder is in use, or the spare has changed since it was made; it may then be at
    /// either place.
    pub fn begin_in_spare(&self, spare: &Path, path: &Path, (branch, commit): (&str, &str), hooks: Hooks) -> Result<Repo, GitError> {
        {
            let _turn = self.turn();
            if !move_ordinary(spare, path) {
                Git::writing(self.root()).args(["worktree", "move", "--"]).args([spare, path]).output("worktree move")?;
            }
        }
        let git = Git::hooked(path, hooks).within(CHECKOUT_LIMIT);
        git.args(["checkout", "--quiet", "--no-track", "-b", branch, commit, "--"]).output("checkout")?;
        Repo::discover(path)
    }

    /// Whether a hook has a say in what is checked out, wherever the person's configuration keeps hooks.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn has_checkout_hook(&self) -> Result<bool, GitError> {
        let asked = Git::hooked(self.root(), Hooks::Run).args(["rev-parse", "--git-path", "hooks/post-checkout"]).output("rev-parse")?;
        Ok(self.root().join(path_from_bytes(asked.trim_ascii_end())).exists())
    }

    /// The state at `path` decides: a hook that merely complains after the checkout leaves a complete work tree.
    fn made(&self, path: &Path, made: crate::command::CommandOutput) -> Result<Repo, GitError> {
        if made.success || self.worktrees()?.iter().any(|known| same_folder(&known.path, path) && !known.missing && known.head.is_some()) {
            return Repo::discover(path);
        }
        Err(made.into_error("worktree add"))
    }

    /// Removes a linked work tree with everything in its folder, including ignored files, and git's record of it; the branch stays. Links
    /// are removed, not followed. For a missing or half removed folder only the record is removed. Its creator must have finished.
    ///
    /// # Errors
    /// [`GitError::NotRemovable`] for the main work tree, a locked one, and any folder that is not a work tree of this repository.
    pub fn remove_worktree(&self, path: &Path) -> Result<(), GitError> {
        let refused = |why| GitError::NotRemovable { path: path.to_owned(), why };
        let all = self.worktrees()?;
        let known = all.iter().find(|known| known.path == path || same_folder(&known.path, path));
        let known = known.ok_or_else(|| refused("git does not list it"))?;
        if known.is_main {
            return Err(refused("it is the main one"));
        }
        if known.locked {
            return Err(refused("it is locked; `git worktree unlock` frees it"));
        }
        if all.iter().any(|other| other.path != known.path && other.path.starts_with(&known.path)) {
            return Err(refused("another work tree stands in it"));
        }
        let fault = |source| GitError::Io { path: known.path.clone(), source };
        let aside = removing(&known.path);
        let mut record = None;
        if known.path.is_symlink() {
            return Err(refused("a link stands there"));
        }
        // A git that is killed before it writes there leaves an empty folder. Fails for any other.
        if std::fs::remove_dir(&known.path).is_err() && known.path.symlink_metadata().is_ok() {
            let admin = admin_folder(&known.path).ok_or_else(|| refused("it is a repository of its own, or something else"))?;
            let common = self.common_folder()?;
            if !admin.parent().and_then(Path::parent).is_some_and(|found| same_folder(found, &common)) {
                return Err(refused("it belongs to another repository"));
            }
            record = Some(admin).filter(|_| !known.unfinished);
            discard(&aside).map_err(fault)?;
            // Atomic: an observer sees a complete work tree, or none.
            std::fs::rename(&known.path, &aside).map_err(fault)?;
        }
        let turn = self.turn();
        if let Some(record) = record {
            forget(&record).map_err(|source| GitError::Io { path: record, source })?;
        } else {
            // For a missing folder git removes only the record. Given twice, it also applies to one whose creation was killed.
            let force: &[&str] = if known.unfinished { &["--force", "--force"] } else { &["--force"] };
            let remove = Git::writing(self.root()).args(["worktree", "remove"]).args(force.iter().copied());
            remove.args(["--"]).args([&known.path]).output("worktree remove")?;
        }
        drop(turn);
        discard(&aside).map_err(fault)
    }

    /// Finishes interrupted removals below `folder`, each as far as it goes. Returns why the others can't be finished: another user's files,
    /// as a container leaves them, stay until somebody with their rights removes them.
    pub fn finish_removals(folder: &Path) -> Vec<GitError> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let half = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.to_string_lossy().ends_with(REMOVING));
        half.filter_map(|path| discard(&path).err().map(|source| GitError::Io { path, source })).collect()
    }

    /// The commit of a local branch; `None` if it does not exist.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time, or can't read the repository.
    pub fn branch_tip(&self, branch: &str) -> Result<Option<String>, GitError> {
        if let Some(known) = Place::of(self.root()).and_then(|place| place.reference(&format!("refs/heads/{branch}"))) {
            return Ok(known);
        }
        let found = self.reading().args(["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}^{{commit}}")]).run()?;
        match found.code {
            _ if found.success => Ok(Some(found.text().trim().to_owned())),
            Some(1) => Ok(None),
            // A repository that git can't read may have the branch all the same.
            _ => Err(found.into_error("rev-parse")),
        }
    }

    /// Whether `name` is a valid branch name.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn is_branch_name(&self, name: &str) -> Result<bool, GitError> {
        Ok(plain::is_branch_name(name)
            || !name.starts_with('-') && self.reading().args(["check-ref-format", "--branch", name]).run()?.success)
    }

    /// Removes a branch that is still at `tip`; its last commit is held below `refs/ralph/`, so that it is recoverable.
    ///
    /// # Errors
    /// [`GitError::Failed`] if it is checked out, or has moved.
    pub fn remove_branch(&self, branch: &str, tip: &str) -> Result<(), GitError> {
        self.hold(tip)?;
        if self.worktrees()?.iter().any(|worktree| worktree.branch.as_deref() == Some(branch)) {
            let message = format!("the branch {branch} is checked out");
            return Err(GitError::Failed { command: "branch", message });
        }
        Git::writing(self.root()).args(["update-ref", "-d", &format!("refs/heads/{branch}"), tip]).output("update-ref").map(drop)
    }

    /// Recreates a missing branch at `tip`.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the commit is gone, or the branch exists at another one.
    pub fn return_branch(&self, branch: &str, tip: &str) -> Result<(), GitError> {
        if self.branch_tip(branch)?.as_deref() == Some(tip) {
            return Ok(());
        }
        Git::writing(self.root()).args(["update-ref", &format!("refs/heads/{branch}"), tip, ""]).output("update-ref").map(drop)
    }

    /// A git command that changes the repository and may write many files.
    pub(crate) fn writing_large(&self) -> Git {
        Git::writing(self.root()).within(CHECKOUT_LIMIT)
    }
}

/// The folder of git's own files named in the `.git` file of the linked work tree at `path`; `None` for anything else.
pub(crate) fn admin_folder(path: &Path) -> Option<PathBuf> {
    let file = path.join(".git");
    if !file.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let text = std::fs::read(&file).ok()?;
    let named = path_from_bytes(text.strip_prefix(b"gitdir: ")?.trim_ascii_end());
    let folder = path.join(named);
    (folder.parent()?.file_name()? == "worktrees").then_some(folder)
}

fn same_folder(one: &Path, other: &Path) -> bool {
    one == other || matches!((real_path(one), real_path(other)), (Ok(one), Ok(other)) if one == other)
}

/// Moves a linked work tree without starting git: as git does it, but the record before the folder, so that a kill leaves no folder at the
/// new place. Returns `false`, with everything as it was, if git has to do it: there is a lock, the paths are relative to each other, or
/// there are submodules.
#[cfg(unix)]
fn move_ordinary(from: &Path, to: &Path) -> bool {
    let Some(record) = admin_folder(from).filter(|record| record.is_absolute()) else { return false };
    let named = record.join("gitdir");
    let Ok(old) = std::fs::read(&named) else { return false };
    let is_plain = path_from_bytes(old.trim_ascii_end()) == from.join(".git") && !to.to_string_lossy().contains('\n');
    let is_special = ["locked", "modules"].iter().any(|part| record.join(part).symlink_metadata().is_ok());
    if !is_plain || is_special || from.join(".gitmodules").exists() || to.symlink_metadata().is_ok() {
        return false;
    }
    // Written to a temporary file first, so that there is never half a name.
    let beside = record.join("gitdir.ralph");
    let name_place = |place: &[u8]| std::fs::write(&beside, place).and_then(|()| std::fs::rename(&beside, &named));
    if name_place(&[to.join(".git").as_os_str().as_bytes(), b"\n"].concat()).is_ok() {
        if std::fs::rename(from, to).is_ok() {
            return true;
        }
        // If this fails too, git finds nothing at the new place, and says so.
        let _ = name_place(&old);
    }
    let _ = std::fs::remove_file(&beside);
    false
}

/// Untested there, so git does it.
#[cfg(not(unix))]
fn move_ordinary(_from: &Path, _to: &Path) -> bool {
    false
}

/// Removes the record of a work tree as git does. Without the file that names its place, git ignores what is left of it.
pub(crate) fn forget(record: &Path) -> std::io::Result<()> {
    std::fs::remove_file(record.join("gitdir"))?;
    std::fs::remove_dir_all(record)?;
    if let Some(all) = record.parent() {
        // Fails where there are others.
        let _ = std::fs::remove_dir(all);
    }
    Ok(())
}

/// The name of a folder during its removal.
fn removing(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(REMOVING);
    path.with_file_name(name)
}

/// Removes a folder with its content, including read-only folders; links are removed, not followed. A missing one is not an error.
fn discard(folder: &Path) -> std::io::Result<()> {
    let removed = match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            make_writable(folder);
            std::fs::remove_dir_all(folder)
        }
        other => other,
    };
    removed.or_else(|error| if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Makes all folders writable for the owner: package caches make theirs read-only.
#[cfg(unix)]
fn make_writable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        // A failure is reported by the removal that follows.
        let _ = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700));
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        waiting.extend(entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()));
    }
}

#[cfg(not(unix))]
fn make_writable(_folder: &Path) {}
