//! Moving a base branch forward to a result, wherever it is checked out, without touching anybody's uncommitted work.

use crate::command::Git;
use crate::folder::has_link_above;
use crate::merge::MERGE_LIMIT;
use crate::paths::{bytes_of_paths, path_from_bytes};
use crate::plain::Place;
use crate::{GitError, Hooks, Repo, Worktree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How a branch's reflog shows that Ralph moved it.
pub(crate) const BY_RALPH: &str = "merge by Ralph";

/// Result of moving a base forward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landing {
    /// The base contains the result.
    Landed,
    /// The base is no longer at the commit that the result is based on: merge again.
    BaseMoved,
    /// Uncommitted changes in the base's checkout would be lost.
    InTheWay {
        /// The folder.
        checkout: PathBuf,
        /// The files.
        files: Vec<String>,
    },
    /// Git was killed: the base may be at either commit, its files anywhere between, and locks may be left.
    Killed,
    /// Git or a hook refused, with its message.
    Refused {
        /// The folder in which the base is checked out, if any.
        checkout: Option<PathBuf>,
        /// The reason.
        message: String,
    },
}

impl Repo {
    /// Moves the branch `base` from the commit `from` to `to`, a descendant. If it is checked out, its files follow by a fast-forward,
    /// which git refuses if it would touch an uncommitted change; otherwise only the reference moves, by compare-and-swap. `begins` is
    /// called before git writes anything, and nothing is in the way by then.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time, and that of `begins`. Whether it landed must then be determined from state.
    pub fn land<E: From<GitError>>(&self, base: &str, from: &str, to: &str, begins: impl FnOnce() -> Result<(), E>) -> Result<Landing, E> {
        let (worktrees, behind) = (self.worktrees()?, self.branch_behind(base)?);
        let holders = self.holders_among(&worktrees, &behind)?;
        if let Some(away) = holders.iter().find(|holder| holder.is_away()) {
            // When that folder returns, so does its checkout: without the base's new files it would look as if the work had been undone
            // there.
            let unlock = if away.locked { "`git worktree unlock` and " } else { "" };
            let message = format!(
                "{base} is checked out in that folder, which is not there now: bring it back, tell git its new place by `git worktree repair`, or, where it is gone for good, run {unlock}`git worktree prune`"
            );
            return Ok(Landing::Refused { checkout: Some(away.path.clone()), message });
        }
        let names = [base.to_owned(), behind];
        let is_busy = |worktree: &Worktree| worktree.branch.is_none() && !worktree.missing && is_reshaped(&worktree.path, &names);
        if let Some(busy) = worktrees.iter().find(|worktree| is_busy(worktree)) {
            let message = format!("a rebase or bisect of {base} is under way there");
            return Ok(Landing::Refused { checkout: Some(busy.path.clone()), message });
        }
        match holders.as_slice() {
            [] => Ok(self.move_reference(base, from, to)?),
            [holder] => {
                let holder = Repo::discover(&holder.path)?;
                if let Some(ended) = holder.before_forward(base, from, to)? {
                    return Ok(ended);
                }
                begins()?;
                Ok(holder.forward(base, from, to)?)
            }
            [one, ..] => {
                let message = format!("{base} is checked out in {} folders", holders.len());
                Ok(Landing::Refused { checkout: Some(one.path.clone()), message })
            }
        }
    }

    /// The work trees that have a branch checked out, under its own name or an alias, including those whose folder is away: as git counts
    /// them.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn holders(&self, branch: &str) -> Result<Vec<Worktree>, GitError> {
        self.holders_among(&self.worktrees()?, &self.branch_behind(branch)?)
    }

    /// The same among known work trees, for the branch behind its name.
    fn holders_among(&self, worktrees: &[Worktree], branch: &str) -> Result<Vec<Worktree>, GitError> {
        let common = self.common_folder()?;
        let is_holder = |known: &&Worktree| known.branch.as_deref() == Some(branch) && !Place::is_of_another(&known.path, &common);
        Ok(worktrees.iter().filter(is_holder).cloned().collect())
    }

    /// The branch that a name leads to: the old name of a renamed branch may be an alias, and a work tree is known by the name at the end.
    fn branch_behind(&self, name: &str) -> Result<String, GitError> {
        let reference = format!("refs/heads/{name}");
        if let Some(Some(_)) = Place::of(self.root()).and_then(|place| place.reference(&reference)) {
            return Ok(name.to_owned());
        }
        let led = self.reading().args(["symbolic-ref", "--quiet", &reference]).run()?;
        let end = led.text().trim().to_owned();
        Ok(if led.success { end.strip_prefix("refs/heads/").unwrap_or(&end).to_owned() } else { name.to_owned() })
    }

    /// The branch that is checked out here, or that a rebase or a bisect under way here returns to.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn branch_in_the_end(&self) -> Result<Option<String>, GitError> {
        if let Some(branch) = self.branch()? {
            return Ok(Some(branch));
        }
        for name in reshaped(self.root()) {
            if self.branch_tip(&name)?.is_some() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Moves a branch that is not checked out.
    fn move_reference(&self, base: &str, from: &str, to: &str) -> Result<Landing, GitError> {
        let name = format!("refs/heads/{base}");
        let moved = Git::hooked(self.root(), Hooks::Run).within(MERGE_LIMIT).args(["update-ref", "-m", BY_RALPH, &name, to, from]).run()?;
        if moved.success {
            return Ok(Landing::Landed);
        }
        if moved.code.is_none() {
            return Ok(Landing::Killed);
        }
        let stays = self.branch_tip(base)?.as_deref() == Some(from);
        Ok(if stays { Landing::Refused { checkout: None, message: moved.message } } else { Landing::BaseMoved })
    }

    /// Why the branch that is checked out here can't move, as far as that is known before git writes anything.
    fn before_forward(&self, base: &str, from: &str, to: &str) -> Result<Option<Landing>, GitError> {
        if self.branch_tip(base)?.as_deref() != Some(from) {
            return Ok(Some(Landing::BaseMoved));
        }
        let files = self.in_the_way(from, to)?;
        if !files.is_empty() {
            return Ok(Some(Landing::InTheWay { checkout: self.root().to_owned(), files }));
        }
        // Git writes the files first and runs reference hooks last: run beforehand, they can refuse while nothing is written.
        let asked = format!("start\nupdate refs/heads/{base} {to} {from}\nprepare\nabort\n");
        let asked =
            Git::hooked(self.root(), Hooks::Run).within(MERGE_LIMIT).args(["update-ref", "--stdin"]).input(asked.into_bytes()).run()?;
        if asked.code.is_none() {
            return Ok(Some(Landing::Killed));
        }
        Ok((!asked.success).then(|| Landing::Refused { checkout: Some(self.root().to_owned()), message: asked.message }))
    }

    /// Moves the branch that is checked out here, and its files.
    fn forward(&self, base: &str, from: &str, to: &str) -> Result<Landing, GitError> {
        // No autostash: what is in the way stays, and the merge is refused.
        let merge = ["merge", "--quiet", "--ff-only", "--no-autostash", "--no-stat", "--no-overwrite-ignore", to];
        let quiet = ["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "merge.verifySignatures=false"];
        let merged =
            Git::hooked(self.root(), Hooks::Run).env("GIT_REFLOG_ACTION", BY_RALPH).within(MERGE_LIMIT).args(quiet).args(merge).run()?;
        if merged.code.is_none() {
            return Ok(Landing::Killed);
        }
        match self.branch_tip(base)? {
            // A hook that merely complains afterwards does not change that.
            Some(tip) if tip == to => return Ok(Landing::Landed),
            Some(tip) if tip == from => {}
            _ => return Ok(Landing::BaseMoved),
        }
        let files: Vec<String> = merged.message.lines().filter_map(|line| line.strip_prefix('\t')).map(str::to_owned).collect();
        let checkout = self.root().to_owned();
        if !files.is_empty() {
            // Named before git wrote anything.
            return Ok(Landing::InTheWay { checkout, files });
        }
        self.mend_landing(from, to)?;
        Ok(Landing::Refused { checkout: Some(checkout), message: merged.message })
    }

    /// The files that change between two commits and differ here from `from`, which is checked out: staged or not, deleted, or untracked
    /// where `to` has one. Git itself would write a deleted file again; and once it has begun, nobody could tell them from what it wrote.
    fn in_the_way(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let changes = self.changes_on_disk(from, to)?;
        let differing = ["--name-only", "-z", "--no-renames", "--ignore-submodules=all", "HEAD", "--"];
        let differing = self.diffing().args(differing).output("diff")?;
        let differing: BTreeSet<PathBuf> = differing.split(|&byte| byte == 0).map(path_from_bytes).collect();
        let is_untracked = |change: &Change| {
            let there = self.root().join(&change.path).symlink_metadata().is_ok_and(|metadata| !metadata.is_dir());
            // On a case-insensitive file system a file whose name differs only in case is in the way, too.
            let is_respelt = |other: &Change| other.new.is_none() && other.path.as_os_str().eq_ignore_ascii_case(&change.path);
            change.old.is_none() && there && !has_link_above(self.root(), &change.path) && !changes.iter().any(is_respelt)
        };
        let in_the_way = changes.iter().filter(|change| differing.contains(&change.path) || is_untracked(change));
        Ok(in_the_way.map(|change| change.path.to_string_lossy().into_owned()).collect())
    }
}

/// A file that differs between two commits, with its blobs; `None` where a commit has no such file.
struct Change {
    path: PathBuf,
    old: Option<String>,
    new: Option<String>,
}

impl Repo {
    /// Rolls back what an interrupted landing wrote into this work tree, where `from` is still checked out: files with the content of
    /// `to`, or a prefix of it, or missing. Git began only because they had the content of `from`, so nobody
    /// loses anything; other files stay. Returns the names of files that were rolled back.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long; a stale index lock must be removed first.
    pub fn mend_landing(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let (mut back, mut gone) = (Vec::new(), Vec::new());
        let elsewhere = self.outside_of_sparse_checkout()?;
        for change in self.changes_on_disk(from, to)?.into_iter().filter(|change| !elsewhere.contains(&change.path)) {
            if self.is_half_written(&change)? {
                if change.old.is_none() { gone.push(change.path) } else { back.push(change.path) }
            }
        }
        let staged = self.diffing().args(["--cached", "--name-only", "-z", from, "--"]).output("diff")?;
        let is_staged = |path: &PathBuf| staged.split(|&byte| byte == 0).any(|staged| path_from_bytes(staged) == **path);
        for path in gone.iter().filter(|path| !has_link_above(self.root(), path)) {
            // It may be missing already.
            let _ = std::fs::remove_file(self.root().join(path));
        }
        let unstage: Vec<&PathBuf> = gone.iter().filter(|path| is_staged(path)).collect();
        for (paths, command) in [
            (back.iter().collect(), &["restore", "--staged", "--worktree", "--source"][..]),
            (unstage, &["restore", "--staged", "--source"][..]),
        ] {
            if !paths.is_empty() {
                let names = bytes_of_paths(paths.into_iter().map(PathBuf::as_path));
                let git = self.writing_large().args(["--literal-pathspecs"]).args(command);
                git.args([from, "--pathspec-from-file=-", "--pathspec-file-nul"]).input(names).output("restore")?;
            }
        }
        Ok(back.into_iter().chain(gone).map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// The files that a sparse checkout leaves out of the work tree.
    fn outside_of_sparse_checkout(&self) -> Result<BTreeSet<PathBuf>, GitError> {
        let listed = self.reading().args(["ls-files", "-t", "-z"]).output("ls-files")?;
        Ok(listed.split(|&byte| byte == 0).filter_map(|entry| entry.strip_prefix(b"S ")).map(path_from_bytes).collect())
    }

    /// The files that differ between two commits, without submodules, for which git writes nothing.
    fn changes_on_disk(&self, from: &str, to: &str) -> Result<Vec<Change>, GitError> {
        let raw = self.diffing().args(["--raw", "-z", "--no-renames", "--no-abbrev", from, to, "--"]).output("diff")?;
        let mut fields = raw.split(|&byte| byte == 0).filter(|field| !field.is_empty());
        let mut changes = Vec::new();
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let status = String::from_utf8_lossy(status).into_owned();
            let [old_mode, new_mode, old, new, _] = status.trim_start_matches(':').split(' ').collect::<Vec<_>>()[..] else { continue };
            if ![old_mode, new_mode].contains(&"160000") {
                let blob = |id: &str| Some(id.to_owned()).filter(|id| id.bytes().any(|byte| byte != b'0'));
                changes.push(Change { path: path_from_bytes(path), old: blob(old), new: blob(new) });
            }
        }
        Ok(changes)
    }

    /// Whether a file here is missing, or has its new content or a prefix of it, and not the old content. What a link leads to is not part
    /// of this work tree.
    fn is_half_written(&self, Change { path, old, new }: &Change) -> Result<bool, GitError> {
        let whole = self.root().join(path);
        let there = whole.symlink_metadata().ok().filter(|_| !has_link_above(self.root(), path));
        let Some(metadata) = there else { return if old.is_none() { self.index_differs(path) } else { Ok(true) } };
        let found = if metadata.is_symlink() {
            whole.read_link().map(|target| target.as_os_str().as_encoded_bytes().to_vec()).unwrap_or_default()
        } else if metadata.is_file() {
            std::fs::read(&whole).map_err(|source| GitError::Io { path: whole.clone(), source })?
        } else {
            return Ok(false);
        };
        let written = |blob: &str| -> Result<Vec<u8>, GitError> {
            let filters = format!("--path={}", path.display());
            self.reading().args(["cat-file", "--filters", &filters, blob]).output("cat-file")
        };
        if let Some(old) = old
            && written(old)? == found
        {
            return self.index_differs(path);
        }
        new.as_ref().map_or(Ok(false), |new| Ok(written(new)?.starts_with(&found)))
    }

    /// Whether the index differs at `path` from HEAD.
    fn index_differs(&self, path: &Path) -> Result<bool, GitError> {
        let diff = self.diffing().env("GIT_LITERAL_PATHSPECS", "1").args(["--cached", "--quiet", "HEAD", "--"]).args([path]).run()?;
        Ok(!diff.success)
    }
}

/// Whether a rebase or a bisect of a branch, by any of its `names`, is in progress in a work tree: git shows none as checked out there, but
/// moves it at the end.
fn is_reshaped(worktree: &Path, names: &[String]) -> bool {
    reshaped(worktree).iter().any(|name| names.contains(name))
}

/// What a rebase or a bisect in progress in a work tree returns to: a branch, or what git names in place of one.
fn reshaped(worktree: &Path) -> Vec<String> {
    let marks = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];
    let Ok(paths) = Git::reading(worktree).args(["rev-parse"]).args(marks.iter().flat_map(|mark| ["--git-path", mark])).output("rev-parse")
    else {
        return Vec::new();
    };
    let paths = paths.split(|&byte| byte == b'\n').filter(|path| !path.is_empty());
    let named = paths.filter_map(|path| std::fs::read_to_string(worktree.join(path_from_bytes(path))).ok());
    named.map(|name| name.trim().strip_prefix("refs/heads/").unwrap_or(name.trim()).to_owned()).collect()
}
