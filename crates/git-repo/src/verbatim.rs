//! Files that git would not give back unchanged: a clean filter removes something, such as the outputs of a notebook, or line ends
//! are mixed. Beside git's version of them a snapshot holds their content byte for byte. All others are restored by git itself, so that
//! what a filter encrypts or stores elsewhere (git-crypt, Git LFS) is not written into the repository as it is on disk.

use crate::paths::{bytes_of_paths, lines_of_paths, path_from_bytes};
use crate::{GitError, Repo};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Attributes that make git convert a file.
const CONVERTING: [&str; 6] = ["text", "eol", "crlf", "filter", "ident", "working-tree-encoding"];
/// Files that may vanish while their content is read: more is no snapshot of anything.
const VANISHED: usize = 100;
/// Bytes of contents that are read back at once, unless one file has more.
const READ_BYTES: u64 = 32 * 1_048_576;
/// Bytes that git prints besides the content.
const HEADER_BYTES: usize = 256;
/// Bytes that are compared at once.
const PART_BYTES: usize = 65_536;
/// Bytes of the list of attributes: of some 100,000 files.
const LIST_BYTES: usize = 16 * 1_048_576;

/// A file with its content byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verbatim {
    pub path: PathBuf,
    /// The object.
    pub id: String,
    bytes: u64,
}

impl Repo {
    /// A tree of those of `files` that an index containing them would not give back unchanged; `None` if it gives back all.
    pub(crate) fn verbatim_tree(&self, index: &Path, files: &[&Path]) -> Result<Option<String>, GitError> {
        let converted = self.converted(files)?;
        let changed = self.not_given_back(index, &converted)?;
        if changed.is_empty() {
            return Ok(None);
        }
        let ids = self.ids_of_contents(&changed, true)?;
        let entries: Vec<(String, &Path)> =
            changed.iter().zip(ids).filter_map(|(path, id)| Some((format!("100644 {}", id?), *path))).collect();
        let index = self.scratch("verbatim")?;
        self.fill_index(&index, entries.iter().map(|(entry, path)| (entry.as_str(), *path)))?;
        self.write_tree(index.path()).map(Some)
    }

    /// The files that git does not check out as it stores them, or may not.
    fn converted<'p>(&self, files: &[&'p Path]) -> Result<Vec<&'p Path>, GitError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let line_ends = self.reading().args(["config", "--type=bool-or-str", "--get", "core.autocrlf"]).run()?;
        if !matches!(line_ends.text().trim(), "" | "false") {
            return Ok(files.to_vec());
        }
        let attributes = ["check-attr", "-z", "--stdin", "--all"];
        let asked = self.reading().args(attributes).input(bytes_of_paths(files.iter().copied())).at_most(LIST_BYTES).run()?;
        if asked.cut {
            return Ok(files.to_vec());
        }
        let told: Vec<&[u8]> = asked.stdout.split(|&byte| byte == 0).collect();
        let converts = |told: &&[&[u8]]| CONVERTING.iter().any(|name| name.as_bytes() == told[1]) && told[2] != b"unset";
        let converted: BTreeSet<&[u8]> = told.chunks_exact(3).filter(converts).map(|told| told[0]).collect();
        Ok(files.iter().copied().filter(|path| converted.contains(path.as_os_str().as_encoded_bytes())).collect())
    }

    /// The ids of the contents of plain files, past all filters; `None` for one that is gone. With `keeps` their objects are written.
    pub(crate) fn ids_of_contents(&self, paths: &[&Path], keeps: bool) -> Result<Vec<Option<String>>, GitError> {
        let mut ids = Vec::with_capacity(paths.len());
        let mut vanished = 0;
        while ids.len() < paths.len() {
            let hash = ["hash-object", "--no-filters", "--stdin-paths"].into_iter().chain(keeps.then_some("-w"));
            let told = self.quietly().args(hash).input(lines_of_paths(paths[ids.len()..].iter().copied())).run()?;
            ids.extend(told.text().lines().map(|id| Some(id.to_owned())));
            // It ends at a file that it can't open: that one has gone meanwhile.
            vanished += 1;
            if !told.success && vanished > VANISHED {
                return Err(told.into_error("hash-object"));
            }
            if told.success {
                break;
            }
            ids.push(None);
        }
        ids.resize(paths.len(), None);
        Ok(ids)
    }

    /// The files whose content differs from what git writes when it checks out an index.
    fn not_given_back<'p>(&self, index: &Path, files: &[&'p Path]) -> Result<Vec<&'p Path>, GitError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let folder = self.scratch("way-back")?;
        let mut prefix = OsString::from("--prefix=");
        prefix.push(folder.path().join(""));
        let checkout = self.quietly().stoppable().index(index).args(["checkout-index", "--force", "-z", "--stdin"]).args([prefix]);
        // A file that a filter refuses to write does not come back.
        let _ = checkout.input(bytes_of_paths(files.iter().copied())).run();
        let comes_back = |path: &Path| is_same(&self.root().join(path), &folder.path().join(path)).unwrap_or(false);
        Ok(files.iter().copied().filter(|path| !comes_back(path)).collect())
    }

    /// The files of such a tree that are restored here.
    pub(crate) fn verbatim_files(&self, tree: &str) -> Result<Vec<Verbatim>, GitError> {
        let names = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", &self.empty_tree()?, tree];
        let names = self.reading().args(names).args(self.restorable()).output("diff-tree")?;
        let restored: BTreeSet<&[u8]> = names.split(|&byte| byte == 0).collect();
        let listed = self.reading().args(["ls-tree", "-r", "-l", "-z", "--full-tree", tree]).output("ls-tree")?;
        let read = |entry: &[u8]| {
            let at = entry.iter().position(|&byte| byte == b'\t')?;
            let mut words = std::str::from_utf8(&entry[..at]).ok()?.split_whitespace().skip(2);
            let (id, bytes) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
            let path = entry.get(at + 1..).filter(|path| restored.contains(path))?;
            Some(Verbatim { path: path_from_bytes(path), id, bytes })
        };
        Ok(listed.split(|&byte| byte == 0).filter_map(read).collect())
    }

    /// Gives plain files that stand here their content byte for byte.
    pub(crate) fn write_verbatim(&self, files: &[Verbatim]) -> Result<(), GitError> {
        let mut rest = files;
        while !rest.is_empty() {
            let (mut count, mut bytes) = (0, 0);
            while rest.get(count).is_some_and(|file| count == 0 || bytes + file.bytes <= READ_BYTES) {
                bytes += rest[count].bytes;
                count += 1;
            }
            let (some, others) = rest.split_at(count);
            let ids: String = some.iter().map(|file| format!("{}\n", file.id)).collect();
            let room = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_add(count * HEADER_BYTES);
            let told = self.quietly().args(["cat-file", "--batch"]).input(ids.into_bytes()).at_most(room).output("cat-file")?;
            let mut told = told.as_slice();
            for file in some {
                let content = next_content(&mut told, file.bytes);
                let content =
                    content.ok_or_else(|| GitError::Failed { command: "cat-file", message: format!("{} is missing", file.id) })?;
                self.overwrite(&file.path, content)?;
            }
            rest = others;
        }
        Ok(())
    }

    /// Overwrites a plain file; anything else in its place stays.
    fn overwrite(&self, path: &Path, content: &[u8]) -> Result<(), GitError> {
        let whole = self.root().join(path);
        let is_plain = whole.symlink_metadata().is_ok_and(|known| known.is_file()) && !self.below_link(path, &mut BTreeMap::new());
        if !is_plain {
            return Ok(());
        }
        std::fs::write(&whole, content).map_err(|source| GitError::Io { path: whole, source })
    }

    /// Those of such files that are different or missing here.
    pub(crate) fn differing_verbatim(&self, files: &[Verbatim]) -> Result<BTreeSet<PathBuf>, GitError> {
        let is_plain = |path: &Path| self.root().join(path).symlink_metadata().is_ok_and(|known| known.is_file());
        let (there, gone): (Vec<&Verbatim>, Vec<&Verbatim>) = files.iter().partition(|file| is_plain(&file.path));
        let ids = self.ids_of_contents(&there.iter().map(|file| file.path.as_path()).collect::<Vec<_>>(), false)?;
        let changed = there.into_iter().zip(ids).filter(|(file, id)| id.as_ref() != Some(&file.id)).map(|(file, _)| file);
        Ok(changed.chain(gone).map(|file| file.path.clone()).collect())
    }
}

/// The next content of what `git cat-file --batch` says, after a line about it.
fn next_content<'t>(told: &mut &'t [u8], bytes: u64) -> Option<&'t [u8]> {
    let end = told.iter().position(|&byte| byte == b'\n')?;
    let begin = end + 1;
    let (content, rest) = told.get(begin..)?.split_at_checked(usize::try_from(bytes).ok()?)?;
    if !told[..end].ends_with(format!(" blob {bytes}").as_bytes()) {
        return None;
    }
    *told = rest.strip_prefix(b"\n")?;
    Some(content)
}

/// Whether two plain files have the same content.
fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut part, mut same) = (vec![0; PART_BYTES], vec![0; PART_BYTES]);
    loop {
        let read = one.read(&mut part)?;
        if read == 0 {
            return Ok(true);
        }
        other.read_exact(&mut same[..read])?;
        if part[..read] != same[..read] {
            return Ok(false);
        }
    }
}
