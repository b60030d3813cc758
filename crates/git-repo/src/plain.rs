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

/// The work tree's root, where `directory` certainly is it and git would say so; `None` where git is to be asked.
#[cfg(unix)]
pub(crate) fn root(directory: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    let root = directory.canonicalize().ok()?;
    let folder = folder(&root)?;
    branch(&root)?;
    // Git refuses what belongs to somebody else, unless it was told otherwise.
    let own = rustix::process::geteuid().as_raw();
    let is_own = |path: &Path| path.symlink_metadata().is_ok_and(|known| known.uid() == own);
    let is_whole = ["objects", "refs"].iter().all(|part| folder.join(part).is_dir());
    (is_whole && is_own(&root) && is_own(&folder) && is_ordinary(&folder) && git_is_installed()).then_some(root)
}

/// Other systems know owners by ACLs: git is to be asked.
#[cfg(not(unix))]
pub(crate) fn root(_directory: &Path) -> Option<PathBuf> {
    None
}

/// Whether the configuration asks for nothing that moves the work tree, or that an older git would not understand.
#[cfg(unix)]
fn is_ordinary(folder: &Path) -> bool {
    let Some(config) = read(&folder.join("config"), CONFIG_BYTES) else { return false };
    let config = String::from_utf8_lossy(&config).to_ascii_lowercase();
    let value = |line: &str| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let says = |key: &str, usual: &str| config.lines().filter(|line| line.contains(key)).all(|line| value(line) == usual);
    says("bare", "bare=false")
        && says("repositoryformatversion", "repositoryformatversion=0")
        && !["worktree", "include", "extensions", "\\\n"].iter().any(|word| config.contains(word))
}

/// Whether a program `git` is where programs are looked for: without one nothing is a repository.
#[cfg(unix)]
fn git_is_installed() -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("git").is_file()))
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
