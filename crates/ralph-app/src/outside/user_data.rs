//! Ralph's data on this machine, outside all projects, so that no folder, branch or clone can bring it along.

use ralph_core::text::hex;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Overrides the system's usual folder.
const VARIABLE: &str = "RALPH_DATA_HOME";
/// Where Unix systems keep it, relative to the home.
const OF_UNIX: &str = ".local/share/ralph";
/// Bytes of a path's digest in the name of its folder: unique per path of a machine.
const NAME_BYTES: usize = 16;

/// Ralph's folder in the person's data; `None` for a user without a home.
pub(crate) fn folder() -> Option<PathBuf> {
    chosen().or_else(usual)
}

/// The folder for worktrees of all projects, unless the settings name one; `None` for a user without a home.
pub(crate) fn worktrees() -> Option<PathBuf> {
    let folder = chosen().or_else(|| Some(fit_for_tools(usual()?, std::env::home_dir().as_deref())));
    Some(folder?.join("worktrees"))
}

/// The usual folder, unless its path contains a blank, as on macOS: make, among other tools, can't work below such a folder.
fn fit_for_tools(usual: PathBuf, home: Option<&Path>) -> PathBuf {
    let has_blank = |path: &Path| path.to_string_lossy().contains(' ');
    let home = home.filter(|home| has_blank(&usual) && !has_blank(home));
    home.map_or(usual, |home| home.join(OF_UNIX))
}

/// The folder that the person's environment names.
fn chosen() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(folder) = named(VARIABLE) {
        return Some(folder);
    }
    static TOLD: Once = Once::new();
    if let Some(relative) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        TOLD.call_once(|| tracing::warn!("{VARIABLE} is passed over: {} is not an absolute path", relative.display()));
    }
    named("XDG_DATA_HOME").map(|folder| folder.join("ralph"))
}

/// The folder that the system has for it.
fn usual() -> Option<PathBuf> {
    if cfg!(windows) {
        let folder = std::env::var_os("LOCALAPPDATA").map(PathBuf::from).filter(|path| path.is_absolute())?;
        return Some(folder.join("ralph"));
    }
    let home = std::env::home_dir().filter(|home| home.is_absolute())?;
    Some(home.join(if cfg!(target_os = "macos") { "Library/Application Support/ralph" } else { OF_UNIX }))
}

/// The folder for the project at `root`, an absolute path without links; the same however its separators are written.
pub(crate) fn of_project(root: &Path) -> Option<PathBuf> {
    let root: PathBuf = root.components().collect();
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    Some(folder()?.join("projects").join(hex(&digest[..NAME_BYTES])))
}

/// Creates a folder that only its owner can read.
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktrees_stand_where_make_can_work() {
        for (usual, home, expected) in [
            ("/Users/dev/Library/Application Support/ralph", "/Users/dev", "/Users/dev/.local/share/ralph"),
            ("/home/dev/.local/share/ralph", "/home/dev", "/home/dev/.local/share/ralph"),
            ("/Users/a b/Library/Application Support/ralph", "/Users/a b", "/Users/a b/Library/Application Support/ralph"),
        ] {
            assert_eq!(fit_for_tools(usual.into(), Some(Path::new(home))), Path::new(expected), "{usual}");
        }
    }

    #[test]
    fn a_project_has_one_folder_however_its_path_is_written() {
        let folders = ["/home/p", "/home/p/", "/home//p"].map(|root| of_project(Path::new(root)));
        assert!(folders[0] == folders[1] && folders[0] == folders[2], "{folders:?}");
        assert_ne!(folders[0], of_project(Path::new("/home/q")));
    }
}
