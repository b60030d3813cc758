//! Git's exclude list, separate from the `.gitignore` files of the work tree: not affected by branches, stashes or cleaning.

use crate::paths::path_from_bytes;
use crate::plain::Place;
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
