//! Resolving a conflict in the work tree of a branch, on a detached head: what git left there, and whether it is resolved.

use crate::entries::Entries;
use crate::snapshot::{HASHED_BYTES, State};
use crate::{GitError, Hooks, Repo};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The characters of the lines by which git marks the two sides of a conflict.
const SIGNS: [u8; 2] = [b'<', b'>'];
/// How many of them make a marker, unless the attribute `conflict-marker-size` says otherwise.
const MARKER_SIZE: usize = 7;

/// A file in conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Its path from the root.
    pub path: String,
    /// As git left it in the work tree.
    left: State,
    /// The number of signs in its markers.
    marker_size: usize,
}

/// Result of resolving a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// This commit contains both sides, and no file has a marker.
    Settled(String),
    /// Unresolved, with the reason.
    Open(String),
}

impl Repo {
    /// Merges `base` into `tip` in this work tree and leaves conflicting files with their markers. No branch moves: whatever the
    /// result, [`Repo::leave_merge`] restores the branch. Returns the files; empty if there was no conflict.
    ///
    /// # Errors
    /// [`GitError`] if git refuses or takes too long.
    pub fn begin_resolution(&self, tip: &str, base: &str) -> Result<Vec<Unsettled>, GitError> {
        self.check_out_apart(tip)?;
        self.merging(Hooks::Run)?.args(["merge", "--quiet", "--no-ff", "--no-commit", "--no-autostash", "--no-stat", base]).run()?;
        let mut budget = HASHED_BYTES;
        let paths: Vec<String> = self.unmerged()?.into_iter().map(|conflict| conflict.path).collect();
        let sizes = self.marker_sizes(&paths)?;
        let mut seen = |path: String| Unsettled {
            left: State::read(&self.root().join(&path), &mut budget),
            marker_size: sizes.get(&path).copied().unwrap_or(MARKER_SIZE),
            path,
        };
        Ok(paths.into_iter().map(&mut seen).collect())
    }

    /// How many signs make a marker of a conflict, for the files that have an attribute for it.
    fn marker_sizes(&self, paths: &[String]) -> Result<BTreeMap<String, usize>, GitError> {
        let told = self.attribute("conflict-marker-size", paths.iter().map(Path::new))?.into_iter();
        let sizes = told.filter_map(|(path, size)| Some((path, size.parse().ok().filter(|size| *size > 0)?)));
        Ok(sizes.collect())
    }

    /// The commit that resolves `files` between `tip` and `base`, which is checked out here: uncommitted content of the work tree is
    /// committed.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn end_resolution(&self, tip: &str, base: &str, files: &[Unsettled], message: &str) -> Result<Resolution, GitError> {
        if let Some(open) = self.left_open([tip, base], files)? {
            return Ok(Resolution::Open(open));
        }
        if self.reading().args(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"]).run()?.success {
            // Other files added to the work tree are the agent's work, too.
            self.stage_work(&Entries::within_bounds(self)?)?;
            let committed = self.merging(Hooks::Run)?.args(["commit", "--quiet", "--message", message]).run()?;
            if !committed.success {
                return Ok(Resolution::Open(committed.message));
            }
        }
        let Some(head) = self.head()? else { return Ok(Resolution::Open("nothing is checked out".to_owned())) };
        for (part, name) in [(base, "the base"), (tip, "the work")] {
            if !self.is_ancestor(part, &head)? {
                return Ok(Resolution::Open(format!("the result does not contain {name}")));
            }
        }
        let left = self.uncommitted_tracked(1)?;
        Ok(match left.first() {
            Some(file) => Resolution::Open(format!("{file} is changed and not committed")),
            None => Resolution::Settled(head),
        })
    }

    /// Moves a branch to a descendant, and checks it out here; uncommitted changes of tracked files are discarded. The files come first: if
    /// a checked-out branch moved without them, everything newer would be staged as deleted.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the branch is no longer at `from`; it is checked out all the same.
    pub fn move_branch(&self, branch: &str, from: &str, to: &str) -> Result<(), GitError> {
        let name = format!("refs/heads/{branch}");
        self.writing_large().args(["checkout", "--quiet", "--force", "--detach", to, "--"]).output("checkout")?;
        let moved = self.writing_large().args(["update-ref", "-m", "ralph: brought forward", &name, to, from]).output("update-ref");
        self.writing_large().args(["checkout", "--quiet", "--force", branch, "--"]).output("checkout")?;
        moved.map(drop)
    }

    /// What nobody has resolved yet in a conflict, in words.
    fn left_open(&self, sides: [&str; 2], files: &[Unsettled]) -> Result<Option<String>, GitError> {
        let unmerged: BTreeSet<String> = self.unmerged()?.into_iter().map(|conflict| conflict.path).collect();
        let mut budget = HASHED_BYTES;
        for Unsettled { path, left, marker_size } in files {
            if self.has_markers(path, *marker_size, sides)? {
                return Ok(Some(format!("{path} still holds the markers of the conflict")));
            }
            // Without conflicting lines there is no marker, only an open decision.
            if unmerged.contains(path) && left.same(&State::read(&self.root().join(path), &mut budget)) {
                return Ok(Some(format!("{path} is as the merge left it, and nobody added or removed it")));
            }
        }
        Ok(None)
    }

    /// The files in conflict here, by a merge, a stash or a patch, that nobody has settled: they hold markers, or are as git left them.
    pub(crate) fn unsettled(&self) -> Result<Vec<String>, GitError> {
        let unmerged = self.unmerged_stages()?;
        if unmerged.is_empty() {
            return Ok(Vec::new());
        }
        let sizes = self.marker_sizes(&unmerged.keys().cloned().collect::<Vec<_>>())?;
        let [ours, theirs] = ["--ours", "--theirs"].map(|side| self.differing_from_side(side));
        let (ours, theirs) = (ours?, theirs?);
        let mut open = Vec::new();
        for (path, [_, in_ours, _]) in unmerged {
            // Git leaves the only side there is, and of what can't be merged by lines its own.
            let differs = if in_ours { &ours } else { &theirs };
            let is_as_left = !differs.contains(&path) && self.root().join(&path).symlink_metadata().is_ok();
            let size = sizes.get(&path).copied().unwrap_or(MARKER_SIZE);
            if is_as_left || self.has_markers(&path, size, [":2", ":3"])? {
                open.push(path);
            }
        }
        Ok(open)
    }

    /// The unmerged files here that differ from what a side has.
    fn differing_from_side(&self, side: &str) -> Result<BTreeSet<String>, GitError> {
        let listed = self.diffing().args([side, "--diff-filter=u", "--name-only", "-z"]).output("diff")?;
        Ok(listed.split(|&byte| byte == 0).map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// Whether a file here has a line that looks like a marker and that neither side has.
    fn has_markers(&self, path: &str, size: usize, sides: [&str; 2]) -> Result<bool, GitError> {
        let Ok(content) = std::fs::read(self.root().join(path)) else { return Ok(false) };
        let mut marked = marked_lines(&content, size);
        for side in if marked.is_empty() { &[][..] } else { &sides[..] } {
            let blob = self.reading().args(["cat-file", "blob", &format!("{side}:{path}")]).run()?;
            let known = marked_lines(&blob.stdout, size);
            marked.retain(|line| !known.contains(line));
        }
        Ok(!marked.is_empty())
    }
}

fn marked_lines(content: &[u8], size: usize) -> BTreeSet<&[u8]> {
    let is_made_of = |line: &[u8], size: usize| SIGNS.iter().any(|sign| line.len() >= size && line[..size].iter().all(|byte| byte == sign));
    // Git may not have known the attribute yet. Many lines begin with a few such signs, and git puts a blank after its own.
    let is_marker =
        |line: &[u8]| is_made_of(line, MARKER_SIZE) || is_made_of(line, size) && line.get(size).is_none_or(|&next| next == b' ');
    let lines = content.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| is_marker(line)).collect()
}
