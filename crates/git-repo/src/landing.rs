//! Moving a base branch forward to a result, wherever it is checked out, without touching anybody's uncommitted work.

use crate::command::Git;
use crate::merge::MERGE_LIMIT;
use crate::paths::{bytes_of_paths, path_from_bytes};
use crate::{GitError, Hooks, Repo, Worktree};
use std::path::{Path, PathBuf};

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
    /// which git refuses if it would touch an uncommitted change; otherwise only the reference moves, by compare-and-swap.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time. Whether it landed must then be determined from state.
    pub fn land(&self, base: &str, from: &str, to: &str) -> Result<Landing, GitError> {
        let worktrees: Vec<Worktree> = self.worktrees()?.into_iter().filter(|worktree| !worktree.missing).collect();
        let holders: Vec<&Worktree> = worktrees.iter().filter(|worktree| worktree.branch.as_deref() == Some(base)).collect();
        if let Some(busy) = worktrees.iter().find(|worktree| worktree.branch.is_none() && is_reshaped(&worktree.path, base)) {
            let message = format!("a rebase or bisect of {base} is under way there");
            return Ok(Landing::Refused { checkout: Some(busy.path.clone()), message });
        }
        match holders.as_slice() {
            [] => self.move_reference(base, from, to),
            [holder] => Repo::discover(&holder.path)?.forward(base, from, to),
            [one, ..] => {
                let message = format!("{base} is checked out in {} folders", holders.len());
                Ok(Landing::Refused { checkout: Some(one.path.clone()), message })
            }
        }
    }

    /// Moves a branch that is not checked out.
    fn move_reference(&self, base: &str, from: &str, to: &str) -> Result<Landing, GitError> {
        let name = format!("refs/heads/{base}");
        let moved =
            Git::hooked(self.root(), Hooks::Run).within(MERGE_LIMIT).args(["update-ref", "-m", "merge by Ralph", &name, to, from]).run()?;
        if moved.success {
            return Ok(Landing::Landed);
        }
        if moved.code.is_none() {
            return Ok(Landing::Killed);
        }
        let stays = self.branch_tip(base)?.as_deref() == Some(from);
        Ok(if stays { Landing::Refused { checkout: None, message: moved.message } } else { Landing::BaseMoved })
    }

    /// Moves the branch that is checked out here, and its files.
    fn forward(&self, base: &str, from: &str, to: &str) -> Result<Landing, GitError> {
        if self.branch_tip(base)?.as_deref() != Some(from) {
            return Ok(Landing::BaseMoved);
        }
        // Git writes the files first and runs reference hooks last: run beforehand, they can refuse while nothing is written.
        let asked = format!("start\nupdate refs/heads/{base} {to} {from}\nprepare\nabort\n");
        let asked =
            Git::hooked(self.root(), Hooks::Run).within(MERGE_LIMIT).args(["update-ref", "--stdin"]).input(asked.into_bytes()).run()?;
        if asked.code.is_none() {
            return Ok(Landing::Killed);
        }
        if !asked.success {
            return Ok(Landing::Refused { checkout: Some(self.root().to_owned()), message: asked.message });
        }
        // No autostash: what is in the way stays, and the merge is refused.
        let merge = ["merge", "--quiet", "--ff-only", "--no-autostash", "--no-stat", "--no-overwrite-ignore", to];
        let quiet = ["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "merge.verifySignatures=false"];
        let merged = Git::hooked(self.root(), Hooks::Run).within(MERGE_LIMIT).args(quiet).args(merge).run()?;
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
        self.mend_landing(from, to)?;
        Ok(if files.is_empty() {
            Landing::Refused { checkout: Some(checkout), message: merged.message }
        } else {
            Landing::InTheWay { checkout, files }
        })
    }
}

impl Repo {
    /// Rolls back what an interrupted landing wrote into this work tree, where `from` is still checked out: files with the content of
    /// `to`, or a prefix of it, or missing. Git began only because they had the content of `from`, so nothing of
    /// anybody's is lost; other files stay. Returns the names of files that were rolled back.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long; a stale index lock must be removed first.
    pub fn mend_landing(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let raw = self.reading().args(["diff", "--raw", "-z", "--no-renames", "--no-abbrev", from, to, "--"]).output("diff")?;
        let mut fields = raw.split(|&byte| byte == 0).filter(|field| !field.is_empty());
        let (mut back, mut gone) = (Vec::new(), Vec::new());
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let status = String::from_utf8_lossy(status).into_owned();
            let parts: Vec<&str> = status.trim_start_matches(':').split(' ').collect();
            let [old_mode, new_mode, old, new, _] = parts.as_slice() else { continue };
            let path = path_from_bytes(path);
            if ![*old_mode, *new_mode].contains(&"160000") && self.is_half_written(&path, (old, new))? {
                if *old_mode == "000000" { gone.push(path) } else { back.push(path) }
            }
        }
        let staged = self.reading().args(["diff", "--cached", "--name-only", "-z", from, "--"]).output("diff")?;
        let is_staged = |path: &PathBuf| staged.split(|&byte| byte == 0).any(|staged| path_from_bytes(staged) == **path);
        for path in &gone {
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

    /// Whether the file at `path` has the content of blob `new`, or a prefix of it, and not that of blob `old`. Zeros denote
    /// a missing file.
    fn is_half_written(&self, path: &Path, (old, new): (&str, &str)) -> Result<bool, GitError> {
        let none = |id: &str| id.bytes().all(|byte| byte == b'0');
        let whole = self.root().join(path);
        let Ok(metadata) = whole.symlink_metadata() else { return if none(old) { self.index_differs(path) } else { Ok(true) } };
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
        if !none(old) && written(old)? == found {
            return self.index_differs(path);
        }
        Ok(!none(new) && written(new)?.starts_with(&found))
    }

    /// Whether the index differs at `path` from HEAD.
    fn index_differs(&self, path: &Path) -> Result<bool, GitError> {
        let diff = self.reading().args(["--literal-pathspecs", "diff", "--cached", "--quiet", "HEAD", "--"]).args([path]).run()?;
        Ok(!diff.success)
    }
}

/// Whether a rebase or a bisect of `branch` is in progress in a work tree: git shows none as checked out there, but moves it at the end.
fn is_reshaped(worktree: &Path, branch: &str) -> bool {
    let marks = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];
    let Ok(paths) = Git::reading(worktree).args(["rev-parse"]).args(marks.iter().flat_map(|mark| ["--git-path", mark])).output("rev-parse")
    else {
        return false;
    };
    let paths = paths.split(|&byte| byte == b'\n').filter(|path| !path.is_empty());
    let named = paths.filter_map(|path| std::fs::read_to_string(worktree.join(path_from_bytes(path))).ok());
    named.into_iter().any(|name| name.trim().strip_prefix("refs/heads/").unwrap_or(name.trim()) == branch)
}
