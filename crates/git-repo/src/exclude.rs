//! What is to stay out of git: its exclude list, separate from the `.gitignore` files of the work tree, so that branches, stashes and
//! cleaning don't affect it; and files that got in all the same, as by `git add --force`.

use crate::command::Git;
use crate::paths::path_from_bytes;
use crate::plain::{self, Place};
use crate::{GitError, Repo};
use std::io::Write as _;
use std::path::{Path, PathBuf};

impl Repo {
    /// Git's common folder, shared by all work trees of a repository.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn common_folder(&self) -> Result<PathBuf, GitError> {
        if let Some(place) = Place::of(self.root()) {
            return Ok(place.common);
        }
        let said = self.reading().args(["rev-parse", "--path-format=absolute", "--git-common-dir"]).output("rev-parse")?;
        Ok(path_from_bytes(said.strip_suffix(b"\n").unwrap_or(&said)))
    }

    /// Adds patterns below `folder`, a folder of the work tree, to `info/exclude`, as far as missing; a `!` prefix
    /// re-includes.
    ///
    /// # Errors
    /// [`GitError::Io`] if the list can't be written, or `folder` is not in this work tree.
    pub fn exclude(&self, folder: &Path, patterns: &[&str]) -> Result<(), GitError> {
        let below = folder.strip_prefix(self.root()).map_err(|_| GitError::NotARepository { path: folder.to_owned() })?;
        let mut prefix = String::from("/");
        for part in below.components() {
            prefix.push_str(&literal(&part.as_os_str().to_string_lossy()));
            prefix.push('/');
        }
        let info = self.common_folder()?.join("info");
        let path = info.join("exclude");
        let fault = |source| GitError::Io { path: path.clone(), source };
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(fault(source)),
        };
        let lines = patterns.iter().map(|pattern| match pattern.strip_prefix('!') {
            Some(back) => format!("!{prefix}{back}"),
            None => format!("{prefix}{pattern}"),
        });
        let missing: Vec<String> = lines.filter(|line| !text.lines().any(|known| known == line)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(&info).map_err(fault)?;
        let open = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).map_err(fault)?;
        file.write_all(format!("{open}{}\n", missing.join("\n")).as_bytes()).map_err(fault)
    }

    /// The files that git tracks below `folder`, a folder of the work tree, except those below `but` in it; as paths in the work tree.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time, or `folder` is not in this work tree.
    pub fn tracked_below(&self, folder: &Path, but: &Path) -> Result<Vec<PathBuf>, GitError> {
        let (folder, but) = (self.inside(folder)?, self.inside(but)?);
        if plain::certainly_tracks_none_below(self.root(), folder, but) {
            return Ok(Vec::new());
        }
        let said = self.reading().args(["--literal-pathspecs", "ls-files", "-z", "--"]).args([folder]).output("ls-files")?;
        Ok(apart_from(but, &said))
    }

    /// The same of the commit that is checked out.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time, or `folder` is not in this work tree.
    pub fn committed_below(&self, folder: &Path, but: &Path) -> Result<Vec<PathBuf>, GitError> {
        let (folder, but) = (self.inside(folder)?, self.inside(but)?);
        let Some(head) = self.head()? else { return Ok(Vec::new()) };
        let tree = self.reading().args(["--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only", "--full-tree", &head, "--"]);
        Ok(apart_from(but, &tree.args([folder]).output("ls-tree")?))
    }

    /// Makes git stop tracking what [`Repo::tracked_below`] returns. The files stay as they are, and so do commits that contain them.
    ///
    /// # Errors
    /// [`GitError`] if nothing is tracked there, or the index can't be written.
    pub fn untrack_below(&self, folder: &Path, but: &Path) -> Result<(), GitError> {
        let spec = |kind: &str, path: &Path| -> Result<std::ffi::OsString, GitError> {
            let mut spec = std::ffi::OsString::from(kind);
            spec.push(self.inside(path)?);
            Ok(spec)
        };
        let paths = [spec(":(top,literal)", folder)?, spec(":(top,literal,exclude)", but)?];
        // By force: what is staged may differ both from the commit and from the file.
        Git::writing(self.root()).args(["rm", "-r", "--force", "--cached", "--quiet", "--"]).args(paths).output("rm").map(drop)
    }

    pub(crate) fn inside<'a>(&self, path: &'a Path) -> Result<&'a Path, GitError> {
        path.strip_prefix(self.root()).map_err(|_| GitError::NotARepository { path: path.to_owned() })
    }
}

/// The paths of a list that are not below a folder.
fn apart_from(folder: &Path, list: &[u8]) -> Vec<PathBuf> {
    let paths = list.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(path_from_bytes);
    paths.filter(|path| !path.starts_with(folder)).collect()
}

/// Escapes a name for use in a pattern.
fn literal(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\' | '!' | '#' | ' ') {
            text.push('\\');
        }
        text.push(character);
    }
    text
}
