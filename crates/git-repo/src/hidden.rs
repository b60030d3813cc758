//! Files that git was told not to look at (`git update-index --assume-unchanged`, `--skip-worktree`): `git status` does not show their
//! changes, but they hold a person's work like any other file.

use crate::command::Git;
use crate::paths::{lines_of_paths, path_from_bytes};
use crate::plain::Place;
use crate::{GitError, Repo};
use std::path::{Path, PathBuf};

/// Place of an entry's flags, after times, numbers and its id.
const FLAGS_AT: usize = 60;

/// A file that git was told not to look at, as it is staged.
struct Hidden {
    path: PathBuf,
    /// The id of its content.
    staged: String,
    /// Whether it may be missing, as in a sparse checkout.
    may_be_missing: bool,
}

impl Hidden {
    /// Reads a line of `git ls-files -v --stage`; `None` for a file that git looks at, and for anything but an ordinary file.
    fn read(line: &[u8]) -> Option<Hidden> {
        let at = line.iter().position(|&byte| byte == b'\t')?;
        let mut fields = std::str::from_utf8(&line[..at]).ok()?.split(' ');
        let (tag, mode, staged) = (fields.next()?, fields.next()?, fields.next()?);
        let skips = tag.eq_ignore_ascii_case("s");
        let is_hidden = skips || tag.starts_with(|tag: char| tag.is_ascii_lowercase());
        let path = path_from_bytes(&line[at + 1..]);
        (is_hidden && mode.starts_with("100")).then(|| Hidden { path, staged: staged.to_owned(), may_be_missing: skips })
    }

    fn is_gone(&self, root: &Path) -> bool {
        root.join(&self.path).symlink_metadata().is_err()
    }
}

/// Whether an index may tell git not to look at a file: read without git, since hardly any does, and lists of work trees check each.
/// Also `true` for a format that is not read here (`gitformat-index(5)`).
pub(crate) fn may_hide(index: &Path) -> bool {
    match std::fs::read(index) {
        Ok(bytes) => looks_at_all(&bytes).is_none(),
        // Nothing is tracked.
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Non-zero if git looks at every entry.
fn looks_at_all(index: &[u8]) -> Option<()> {
    let word = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if index.get(..4)? != b"DIRC" || !matches!(word(4)?, 2 | 3) {
        return None;
    }
    let mut at = 12;
    for _ in 0..word(8)? {
        let flags = word(at + FLAGS_AT)?;
        // The higher half are the flags of every version, the lower those of an extended entry, or the beginning of the name.
        let is_extended = flags & 0x4000_0000 != 0;
        if flags & 0x8000_0000 != 0 || (is_extended && flags & 0x4000 != 0) {
            return None;
        }
        let name = at + FLAGS_AT + if is_extended { 4 } else { 2 };
        let length = index.get(name..)?.iter().position(|&byte| byte == 0)?;
        // With ids of another length this is the wrong place.
        if length == 0 || length.min(0xFFF) != (flags >> 16) as usize & 0xFFF {
            return None;
        }
        // One to eight NULs, up to a multiple of eight.
        at += (name + length - at) / 8 * 8 + 8;
    }
    // A split index has most entries in another file.
    (index.get(at..at + 4)? != b"link").then_some(())
}

impl Repo {
    /// The files that a status leaves out although they differ from what is staged. No program that an attribute names is run.
    pub(crate) fn hidden_from_status(&self) -> Result<Vec<PathBuf>, GitError> {
        if Place::of(self.root()).is_some_and(|place| !may_hide(&place.own.join("index"))) {
            return Ok(Vec::new());
        }
        let listed = Git::reading(self.root()).args(["ls-files", "-v", "--stage", "-z"]).args(self.work()).output("ls-files")?;
        let mut hidden: Vec<Hidden> = listed.split(|&byte| byte == 0).filter_map(Hidden::read).collect();
        hidden.retain(|file| !(file.may_be_missing && file.is_gone(self.root())));
        let (gone, there): (Vec<Hidden>, Vec<Hidden>) = hidden.into_iter().partition(|file| file.is_gone(self.root()));
        let mut differing: Vec<PathBuf> = gone.into_iter().map(|file| file.path).collect();
        if there.is_empty() {
            return Ok(differing);
        }
        let ids = self.content_ids(&there)?;
        let changed = there.into_iter().zip(ids).filter(|(file, id)| file.staged != *id);
        differing.extend(changed.map(|(file, _)| file.path));
        Ok(differing)
    }

    /// The ids of the files as they are now. If git can't compute all of them, as when one is a folder, each is empty.
    fn content_ids(&self, files: &[Hidden]) -> Result<Vec<String>, GitError> {
        let lines = lines_of_paths(files.iter().map(|file| file.path.as_path()));
        let told = Git::reading(self.root()).args(["hash-object", "--stdin-paths"]).input(lines).run()?;
        let ids: Vec<String> = told.text().lines().map(str::to_owned).collect();
        Ok(if told.success && ids.len() == files.len() { ids } else { vec![String::new(); files.len()] })
    }
}
