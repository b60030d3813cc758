//! Which files of a folder git would add, and which it ignores.

use crate::paths::path_from_bytes;
use crate::{GitError, Repo};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes of files that are read at once: far more than people and agents write into journals and documents.
const FILES_BYTES: usize = 256 * 1_048_576;

/// The files of a folder; paths are relative to `from`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Tracked, or neither tracked nor ignored. A path with a trailing separator is a nested repository.
    pub files: Vec<PathBuf>,
    /// Ignored; a folder that is ignored as a whole is one entry.
    pub ignored: Vec<PathBuf>,
}

/// What a commit has at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEntry {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A repository of its own, such as a submodule.
    Repository,
}

impl Repo {
    /// The files at or below some paths, relative to `from`, a folder of the work tree. Includes tracked files that are missing.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn list(&self, from: &Path, paths: &[&Path]) -> Result<Listing, GitError> {
        let place = self.inside(from)?;
        let list = |wanted: &[&str]| {
            // From the root, and with a path that git never lists: inside a folder that is ignored as a whole git fails if all requested
            // paths have a common prefix, even if that is the folder in which it works.
            let git =
                self.reading().args(["--literal-pathspecs", "ls-files", "-z", "--exclude-standard"]).args(wanted).args(["--", ".git"]);
            let output = git.args(paths.iter().map(|path| place.join(path))).output("ls-files")?;
            let entries = output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
            Ok::<_, GitError>(entries.map(|entry| seen_from(place, path_from_bytes(entry))).collect())
        };
        // Each is a walk through the folders, as long as the other.
        let (files, ignored) = std::thread::scope(|scope| {
            let files = scope.spawn(|| list(&["--cached", "--others"]));
            let ignored = list(&["--others", "--ignored", "--directory"]);
            (files.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), ignored)
        });
        let mut ignored: Vec<PathBuf> = ignored?;
        ignored.sort();
        // Git may list both a folder and its content.
        ignored.dedup_by(|path, folder| path.starts_with(folder));
        Ok(Listing { files: files?, ignored })
    }
}

/// A path below the root as seen from a folder; `.` is that folder, or one around it.
fn seen_from(place: &Path, path: PathBuf) -> PathBuf {
    match path.strip_prefix(place) {
        _ if place.as_os_str().is_empty() => path,
        Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
        _ => PathBuf::from("."),
    }
}

impl Repo {
    /// The rule by which git ignores an untracked path below the root, as its file, line and pattern; `None` if it does not.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn ignored_by(&self, path: &Path) -> Result<Option<String>, GitError> {
        let asked = |more: &[&str]| self.reading().args(["check-ignore"]).args(more).args(["--"]).args([path]).run();
        let found = asked(&["--quiet"])?;
        if !found.success {
            // One = not ignored; beyond that git failed, as it does for a path beyond a link, which others refuse with their reason.
            return Ok(None);
        }
        let told = String::from_utf8_lossy(&asked(&["--verbose"])?.stdout).into_owned();
        Ok(Some(told.split('\t').next().unwrap_or_default().trim().to_owned()))
    }

    /// What a commit has at a path below the root; `None` if nothing is there.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn entry_at(&self, commit: &str, path: &Path) -> Result<Option<TreeEntry>, GitError> {
        let tree = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--"];
        let listed = self.reading().args(tree).args([path]).output("ls-tree")?;
        let entry = |listed: &[u8]| {
            let (head, found) = listed.split_at(listed.iter().position(|byte| *byte == b'\t')?);
            // A path below a link or another repository is reported as that.
            (path_from_bytes(&found[1..]) == path).then_some(match head {
                [b'1', b'0', ..] => TreeEntry::File,
                [b'1', b'2', ..] => TreeEntry::Link,
                [b'1', b'6', ..] => TreeEntry::Repository,
                _ => TreeEntry::Folder,
            })
        };
        Ok(listed.split(|byte| *byte == 0).find_map(entry))
    }

    /// Whether the sparse checkout of this work tree leaves out a path below the root. Git before 2.41 can tell only of folders (its cone
    /// mode), and says no if the checkout goes by patterns.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn leaves_out(&self, path: &Path) -> Result<bool, GitError> {
        let is = |setting: &str| Ok::<_, GitError>(self.reading().args(["config", "--type=bool", setting]).run()?.text().trim() == "true");
        if !is("core.sparseCheckout")? {
            return Ok(false);
        }
        let asked = [path.as_os_str().as_encoded_bytes(), b"\0"].concat();
        let found = self.reading().args(["sparse-checkout", "check-rules", "-z"]).input(asked).run()?;
        if found.success {
            return Ok(found.stdout.is_empty());
        }
        Ok(is("core.sparseCheckoutCone")? && self.is_outside_the_cone(path)?)
    }

    /// Whether a file lies in none of the folders that a sparse checkout has, nor directly in one around them.
    pub(crate) fn is_outside_the_cone(&self, path: &Path) -> Result<bool, GitError> {
        let folders = self.reading().args(["-c", "core.quotePath=false", "sparse-checkout", "list"]).run()?.text();
        let Some(around) = path.parent() else { return Ok(false) };
        Ok(!folders.lines().any(|folder| around.starts_with(folder) || Path::new(folder).starts_with(around)))
    }

    /// Branches, also those of remotes, and the newest entry of the stash: one for each state of a folder below the root, newest first, by
    /// its short name, with its commit. Those without the folder are left out.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn states_of(&self, folder: &Path) -> Result<Vec<(String, String)>, GitError> {
        const NEWEST: &str = "--count=200";
        let listed = ["for-each-ref", "--sort=-committerdate", "--format=%(objectname) %(refname:short)", NEWEST];
        let listed = self.reading().args(listed).args(["refs/heads", "refs/remotes", "refs/stash"]).output("for-each-ref")?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let named: Vec<(&str, &str)> = listed.lines().filter_map(|line| line.split_once(' ')).collect();
        let place = folder.to_string_lossy().replace('\\', "/");
        let asked: String = named.iter().map(|(commit, _)| format!("{commit}:{place}\n")).collect();
        let found = self.reading().args(["cat-file", "--batch-check=%(objectname)"]).input(asked.into_bytes()).output("cat-file")?;
        let found = String::from_utf8_lossy(&found).into_owned();
        let mut met = std::collections::BTreeSet::new();
        // An answer a line; where nothing is, it is the question and a word.
        let trees = named.into_iter().zip(found.lines()).filter(|(_, tree)| !tree.contains(' ') && met.insert(*tree));
        Ok(trees.map(|((commit, name), _)| (name.to_owned(), commit.to_owned())).collect())
    }

    /// The text files of a folder at a commit, by path from the root; others are skipped. The folder is a path below
    /// the root.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn texts_at(&self, commit: &str, folder: &Path) -> Result<BTreeMap<String, String>, GitError> {
        self.texts_of(commit, folder, |_| true)
    }

    /// The same for all plain files as they are, text or not, each with its path.
    ///
    /// # Errors
    /// [`GitError`] if git fails, takes too long, or they are too large to be read at once.
    pub fn files_at(&self, commit: &str, folder: &Path) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        self.files_of(commit, folder, |_| true)
    }

    /// The same texts of Markdown files, whose names end with `.md`.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn markdown_at(&self, commit: &str, folder: &Path) -> Result<BTreeMap<String, String>, GitError> {
        self.texts_of(commit, folder, |path| path.ends_with(".md"))
    }

    fn texts_of(&self, commit: &str, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<BTreeMap<String, String>, GitError> {
        let files = self.files_of(commit, folder, wanted)?.into_iter();
        Ok(files.filter_map(|(path, bytes)| Some((path, String::from_utf8(bytes).ok()?))).collect())
    }

    fn files_of(&self, commit: &str, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        if !self.has_commit(commit)? {
            return Ok(Vec::new());
        }
        let tree = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--"];
        let folder = Some(folder).filter(|folder| !folder.as_os_str().is_empty());
        let listed = self.reading().args(tree).args(folder).at_most(FILES_BYTES).whole_output("ls-tree")?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        // Mode, kind, id, a tab, the path. Links and submodules are not files.
        let files: Vec<(&str, &str)> = listed
            .split_terminator('\0')
            .filter_map(|entry| entry.split_once('\t'))
            .filter(|(head, _)| head.starts_with("100"))
            .filter(|(_, path)| wanted(path))
            .filter_map(|(head, path)| Some((head.rsplit(' ').next()?, path)))
            .collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let ids: String = files.iter().map(|(id, _)| format!("{id}\n")).collect();
        // A file that is left out for lack of room would count as missing.
        let bytes = self.reading().args(["cat-file", "--batch"]).input(ids.into_bytes()).at_most(FILES_BYTES).whole_output("cat-file")?;
        let (mut found, mut rest) = (Vec::new(), bytes.as_slice());
        for (_, path) in files {
            // Id, kind and length on a line, the content, a line feed.
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { break };
            let length = String::from_utf8_lossy(&rest[..end]).rsplit(' ').next().and_then(|length| length.parse::<usize>().ok());
            let Some(length) = length else {
                // A partial clone lacks it, which takes this one line.
                rest = &rest[end + 1..];
                continue;
            };
            let Some(content) = rest.get(end + 1..end + 1 + length) else { break };
            found.push((path.to_owned(), content.to_vec()));
            rest = rest.get(end + 2 + length..).unwrap_or_default();
        }
        Ok(found)
    }
}
