//! What the files of a plain repository tell by themselves, so that no process is started for it: each start of git costs as much as all the
//! rest of `ralph status`. Whatever is out of the ordinary (a linked work tree, an index of another form, includes) is left to git.

use std::path::{Path, PathBuf};

/// Bytes of an index that is looked through: some ten thousand files.
const INDEX_BYTES: u64 = 1 << 20;
/// Bytes of a configuration that is looked through.
const CONFIG_BYTES: u64 = 64 << 10;

/// The folder of a repository that has one work tree and no other; `None` where git is to be asked.
fn folder(root: &Path) -> Option<PathBuf> {
    let folder = root.join(".git");
    let is_plain = folder.symlink_metadata().is_ok_and(|m| m.is_dir()) && !folder.join("commondir").exists();
    is_plain.then_some(folder)
}

/// The root of the work tree when it is `directory` itself, without links in it; `None` where git is to be asked.
pub(crate) fn work_tree(directory: &Path) -> Option<PathBuf> {
    let root = directory.canonicalize().ok()?;
    let folder = folder(&root)?;
    let head = read(&folder.join("HEAD"), 4_096)?;
    let is_head = head.starts_with(b"ref: refs/") || branch(&root).is_some();
    let is_whole = is_head && folder.join("objects").is_dir() && folder.join("refs").is_dir();
    let config = read(&folder.join("config"), CONFIG_BYTES)?.to_ascii_lowercase();
    // A bare one, one whose work tree is elsewhere, one of another form, or a configuration in several files.
    let is_ordinary =
        ["worktree", "include", "extensions", "bare = true", "bare=true", "bare\n"].iter().all(|word| !holds(&config, word.as_bytes()));
    (is_whole && is_ordinary && is_own(&root) && is_own(&folder)).then_some(root)
}

/// Git refuses a repository of another user, with words of its own.
#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    path.symlink_metadata().is_ok_and(|known| known.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own(_path: &Path) -> bool {
    false
}

/// A plain file up to a size.
fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let known = path.symlink_metadata().ok()?;
    if known.is_file() && known.len() <= most { std::fs::read(path).ok() } else { None }
}

/// The branch that is checked out, or that none is; `None` where git is to be asked.
pub(crate) fn branch(root: &Path) -> Option<Option<String>> {
    let head = String::from_utf8(read(&folder(root)?.join("HEAD"), 4_096)?).ok()?;
    let head = head.strip_suffix('\n')?;
    if let Some(name) = head.strip_prefix("ref: refs/heads/") {
        // So the head looks where references are kept in tables.
        return (name != ".invalid" && !name.contains(char::is_whitespace)).then(|| Some(name.to_owned()));
    }
    let is_commit = matches!(head.len(), 40 | 64) && head.bytes().all(|b| b.is_ascii_hexdigit());
    is_commit.then_some(None)
}

/// Whether the repository's own configuration certainly names no filter, and takes in no other file that could.
pub(crate) fn names_no_filter(root: &Path) -> bool {
    let Some(folder) = folder(root) else { return false };
    let Some(config) = read(&folder.join("config"), CONFIG_BYTES) else { return false };
    let config = config.to_ascii_lowercase();
    !folder.join("config.worktree").exists() && !holds(&config, b"filter") && !holds(&config, b"include")
}

/// Whether the index certainly does not hold a file of the work tree.
pub(crate) fn certainly_untracked(root: &Path, path: &Path) -> bool {
    let (Some(folder), Ok(inside)) = (folder(root), path.strip_prefix(root)) else { return false };
    let Some(inside) = inside.to_str().map(|inside| inside.replace('\\', "/")) else { return false };
    let index = folder.join("index");
    if index.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return true;
    }
    let Some(index) = read(&index, INDEX_BYTES) else { return false };
    // Forms 2 and 3 hold whole paths. A split index and a sparse one say so by these words, and leave paths out.
    let is_whole =
        matches!(index.get(..8), Some([b'D', b'I', b'R', b'C', 0, 0, 0, 2 | 3])) && !holds(&index, b"link") && !holds(&index, b"sdir");
    is_whole && !inside.is_empty() && !holds(&index, inside.as_bytes())
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
