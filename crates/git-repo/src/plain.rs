//! What the files of an ordinary repository show by themselves, so that no process has to be started: each start of git costs as much as
//! the rest of `ralph status`, and an iteration would start dozens. Anything out of the ordinary (another index format, reference tables,
//! includes, a work tree elsewhere) is left to git.

use crate::paths::{path_from_bytes, real_path};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Bytes of an index, or of packed references, that are looked through: some ten thousand files.
const INDEX_BYTES: u64 = 1 << 20;
/// Bytes of a configuration that is looked through.
const CONFIG_BYTES: u64 = 64 << 10;
/// References with a file of their own that are read: git reads more of them no slower.
const LOOSE_REFERENCES: usize = 1_000;
/// Bytes of a file that names a reference or a folder.
pub(crate) const NAME_BYTES: u64 = 4_096;

/// The texts of configurations.
pub(crate) type Texts = Vec<Vec<u8>>;

/// The folders of git's own files.
pub(crate) struct Place {
    /// Of one work tree.
    pub own: PathBuf,
    /// Of all work trees of the repository.
    pub common: PathBuf,
}

impl Place {
    /// Whether the folder at `path` is a work tree of a repository other than the one whose work trees share `common`.
    pub fn is_of_another(path: &Path, common: &Path) -> bool {
        Place::of(path).is_some_and(|place| place.common != common)
    }

    /// Those of the work tree that holds `directory`; `None` where there is none, or git is to be asked.
    pub fn around(directory: &Path) -> Option<Place> {
        Place::of(directory.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?)
    }

    /// Those of the work tree with this root.
    pub fn of(root: &Path) -> Option<Place> {
        let dot = root.join(".git");
        let kind = dot.symlink_metadata().ok()?;
        let own = if kind.is_dir() {
            dot
        } else {
            root.join(path_from_bytes(without_line_end(read(&dot, NAME_BYTES)?.strip_prefix(b"gitdir: ")?)))
        };
        let own = real_path(&own).ok()?;
        let shared = own.join("commondir");
        let common = match shared.symlink_metadata() {
            Ok(_) => real_path(&own.join(path_from_bytes(without_line_end(&read(&shared, NAME_BYTES)?)))).ok()?,
            Err(_) => own.clone(),
        };
        Some(Place { own, common })
    }

    /// The texts of the repository's own configuration; `None` where one is long, or takes in other files.
    pub fn config(&self) -> Option<Texts> {
        texts_of([self.common.join("config"), self.own.join("config.worktree")])
    }

    /// The branch that is checked out, or that none is.
    pub fn branch(&self) -> Option<Option<String>> {
        let head = String::from_utf8(read(&self.own.join("HEAD"), NAME_BYTES)?).ok()?;
        let head = head.strip_suffix('\n')?;
        if let Some(name) = head.strip_prefix("ref: refs/heads/") {
            // This is what HEAD looks like where references are kept in tables.
            return (name != ".invalid" && !name.contains(char::is_whitespace)).then(|| Some(name.to_owned()));
        }
        is_commit(head).then_some(None)
    }

    /// The commit that is checked out, or that there is none yet.
    pub fn head(&self) -> Option<Option<String>> {
        match self.branch()? {
            Some(name) => self.reference(&format!("refs/heads/{name}")),
            None => commit_in(&read(&self.own.join("HEAD"), NAME_BYTES)?).map(Some),
        }
    }

    /// The commit of a reference, or that there is none.
    pub fn reference(&self, name: &str) -> Option<Option<String>> {
        let is_name = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_name || self.common.join("reftable").exists() {
            return None;
        }
        let loose = self.common.join(name);
        if loose.symlink_metadata().is_ok_and(|known| !known.is_dir()) {
            return commit_in(&read(&loose, NAME_BYTES)?).map(Some);
        }
        // A reference is packed before its own file goes.
        let packed = self.common.join("packed-refs");
        if packed.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Some(None);
        }
        let packed = read(&packed, INDEX_BYTES)?;
        let named = packed.split(|&byte| byte == b'\n').find_map(|line| line.strip_suffix(name.as_bytes())?.strip_suffix(b" "));
        match named {
            Some(commit) => commit_in(commit).map(Some),
            None => Some(None),
        }
    }

    /// The commits of all references in some folders, by name, without those that follow another.
    pub fn references(&self, folders: &[&str]) -> Option<BTreeMap<String, String>> {
        if self.common.join("reftable").exists() {
            return None;
        }
        let mut loose = BTreeMap::new();
        for folder in folders {
            self.gather_loose(folder, &mut loose)?;
        }
        // Read after the others: a reference is packed before its own file goes.
        let packed = self.common.join("packed-refs");
        let packed = if packed.symlink_metadata().is_ok() { read(&packed, INDEX_BYTES)? } else { Vec::new() };
        let packed = String::from_utf8(packed).ok()?;
        let named = packed.lines().filter(|line| !line.starts_with(['#', '^'])).filter_map(|line| line.split_once(' '));
        let mut all: BTreeMap<String, Option<String>> = named
            .filter(|(_, name)| folders.iter().any(|folder| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))))
            .map(|(commit, name)| (name.to_owned(), Some(commit.to_owned())))
            .collect();
        all.extend(loose);
        Some(all.into_iter().filter_map(|(name, commit)| Some((name, commit?))).collect())
    }

    /// Adds the references with a file of their own in a folder; `None` for one that follows another, or lacks its commit.
    fn gather_loose(&self, folder: &str, found: &mut BTreeMap<String, Option<String>>) -> Option<()> {
        let Ok(entries) = std::fs::read_dir(self.common.join(folder)) else { return Some(()) };
        for entry in entries {
            let entry = entry.ok()?;
            let name = format!("{folder}/{}", entry.file_name().to_str()?);
            if entry.file_type().ok()?.is_dir() {
                self.gather_loose(&name, found)?;
            } else if !name.ends_with(".lock") {
                let text = read(&entry.path(), NAME_BYTES)?;
                found.insert(name, if text.starts_with(b"ref: ") { None } else { Some(commit_in(&text)?) });
            }
            if found.len() > LOOSE_REFERENCES {
                return None;
            }
        }
        Some(())
    }
}

/// The same of what the person has configured for all repositories.
pub(crate) fn persons_config() -> Option<Texts> {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(only) = named("GIT_CONFIG_GLOBAL") {
        return texts_of([only]);
    }
    let home = named("HOME").or_else(std::env::home_dir)?;
    let folder = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    texts_of([folder.join("git/config"), home.join(".gitconfig")])
}

fn texts_of(files: impl IntoIterator<Item = PathBuf>) -> Option<Texts> {
    let text = |file: PathBuf| if file.symlink_metadata().is_ok() { read(&file, CONFIG_BYTES) } else { Some(Vec::new()) };
    let texts: Texts = files.into_iter().map(text).collect::<Option<_>>()?;
    (!texts.iter().any(|text| holds(&text.to_ascii_lowercase(), b"include"))).then_some(texts)
}

/// A path as git reads it: a blank at its end is part of it.
fn without_line_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &text[..end]
}

/// A whole commit id, with or without the end of a line.
fn commit_in(text: &[u8]) -> Option<String> {
    let id = String::from_utf8(text.strip_suffix(b"\n").unwrap_or(text).to_vec()).ok()?;
    is_commit(&id).then_some(id)
}

/// Whether this is a whole commit id.
pub(crate) fn is_commit(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The root of the work tree when it is `directory` itself, without links in it; `None` where git is to be asked.
pub(crate) fn work_tree(directory: &Path) -> Option<PathBuf> {
    let root = real_path(directory).ok()?;
    let place = Place::of(&root)?;
    let head = read(&place.own.join("HEAD"), NAME_BYTES)?;
    let is_head = head.starts_with(b"ref: refs/") || branch(&root).is_some();
    let is_whole = is_head && place.common.join("objects").is_dir() && place.common.join("refs").is_dir();
    let config = read(&place.common.join("config"), CONFIG_BYTES)?.to_ascii_lowercase();
    // A bare one, one whose work tree is elsewhere, one of another format, or a configuration in several files.
    let is_ordinary =
        ["worktree", "include", "extensions", "bare = true", "bare=true", "bare\n"].iter().all(|word| !holds(&config, word.as_bytes()));
    let is_all_own = [&root, &root.join(".git"), &place.own, &place.common].into_iter().all(|path| is_own(path));
    (is_whole && is_ordinary && is_all_own).then_some(root)
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
pub(crate) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let known = path.symlink_metadata().ok()?;
    if known.is_file() && known.len() <= most { std::fs::read(path).ok() } else { None }
}

/// The branch that is checked out, or that none is; `None` where git is to be asked.
pub(crate) fn branch(root: &Path) -> Option<Option<String>> {
    Place::of(root)?.branch()
}

/// The commit that is checked out, or that there is none yet; `None` where git is to be asked.
pub(crate) fn head(root: &Path) -> Option<Option<String>> {
    Place::of(root)?.head()
}

/// Whether the history is cut off; `None` where git is to be asked.
pub(crate) fn is_shallow(root: &Path) -> Option<bool> {
    Some(Place::of(root)?.common.join("shallow").symlink_metadata().is_ok())
}

/// Whether commits of the history may be replaced by others (`git replace`, grafts), so that one commit does not always have the same
/// ancestors.
pub(crate) fn may_be_replaced(root: &Path) -> bool {
    let Some(Place { common, .. }) = Place::of(root) else { return true };
    let packed = || read(&common.join("packed-refs"), INDEX_BYTES).is_none_or(|packed| holds(&packed, b" refs/replace/"));
    common.join("info/grafts").exists()
        || std::fs::read_dir(common.join("refs/replace")).is_ok_and(|mut found| found.next().is_some())
        || (common.join("packed-refs").exists() && packed())
        || common.join("reftable").exists()
}

/// Whether a name is certainly valid for a branch.
pub(crate) fn is_branch_name(name: &str) -> bool {
    let is_plain = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') && !part.is_empty() && !part.starts_with('-')
    };
    name != "HEAD" && name.split('/').all(is_plain)
}

/// Whether the repository certainly has an object: it is in a file of its own.
pub(crate) fn certainly_has(root: &Path, id: &str) -> bool {
    let place = Place::of(root).filter(|_| is_commit(id));
    place.is_some_and(|place| place.common.join("objects").join(&id[..2]).join(&id[2..]).is_file())
}

/// Whether `git stash` has certainly never been used.
pub(crate) fn certainly_no_stash(root: &Path) -> bool {
    Place::of(root).is_some_and(|place| place.reference("refs/stash") == Some(None))
}

/// Whether the index certainly holds no file below one folder of the work tree that is not below another one in it.
pub(crate) fn certainly_tracks_none_below(root: &Path, folder: &Path, but: &Path) -> bool {
    let start = |path: &Path| path.to_str().map(|path| format!("{}/", path.replace('\\', "/")));
    let (Some(place), Some(folder), Some(but)) = (Place::of(root), start(folder), start(but)) else { return false };
    let Some(index) = whole_index(&place) else { return false };
    let (folder, but) = (folder.as_bytes(), but.as_bytes());
    index.windows(folder.len()).enumerate().all(|(at, window)| window != folder || index[at..].starts_with(but))
}

/// Whether the index certainly holds no entry that is a repository.
pub(crate) fn certainly_tracks_no_repository(root: &Path) -> bool {
    // The mode of such an entry: 160000 in octal, in four bytes.
    Place::of(root).and_then(|place| whole_index(&place)).is_some_and(|index| !holds(&index, &[0, 0, 0xe0, 0]))
}

/// The bytes of an index that holds all entries, with their whole paths; none before the first file is added.
fn whole_index(place: &Place) -> Option<Vec<u8>> {
    let index = place.own.join("index");
    if index.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Some(Vec::new());
    }
    // Forms 2 and 3 hold whole paths. A split index and a sparse one say so by these words, and leave paths out.
    read(&index, INDEX_BYTES).filter(|index| {
        matches!(index.get(..8), Some([b'D', b'I', b'R', b'C', 0, 0, 0, 2 | 3])) && !holds(index, b"link") && !holds(index, b"sdir")
    })
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
