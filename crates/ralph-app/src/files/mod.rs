//! The only access to a project's files. A folder from elsewhere may contain links that lead out of it, pipes that never answer and
//! devices that never end: links out of the project are not followed, only plain files are opened, and nothing is read without a
//! limit. Writing replaces a file atomically, so that a crash leaves the old or the new content, never part of one.

#[cfg(all(test, unix))]
mod tests;

use git_repo::real_path;
use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

/// Who may read a written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Anyone the system permits: meant to be committed.
    Anyone,
    /// Its owner only: prompts and exports contain data of the database.
    Owner,
}

/// Why a file of the project is not used.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// It is outside of the project, or reached through a link.
    #[error("{} leads to {}, which is not this project's own file; it is not followed", path.display(), target.display())]
    Elsewhere {
        /// The requested path.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A pipe, a device, a folder … instead of a file, or a file instead of a folder.
    #[error("{} is {found}, not {wanted}", path.display())]
    Kind {
        /// Which.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What was expected.
        wanted: &'static str,
    },
    /// Longer than the limit.
    #[error("{} is longer than {limit} bytes", path.display())]
    TooLong {
        /// Which.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// Text that is not UTF-8.
    #[error("{} is not text in UTF-8", path.display())]
    NoText {
        /// Which.
        path: PathBuf,
    },
    /// An error of the system.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

type Result<T> = std::result::Result<T, FileFault>;

/// The files of one project.
#[derive(Debug, Clone, Copy)]
pub struct ProjectFiles<'a> {
    root: &'a Path,
}

impl<'a> ProjectFiles<'a> {
    /// Those below `root`, the folder that holds `.ralph/`.
    pub fn of(root: &'a Path) -> ProjectFiles<'a> {
        ProjectFiles { root }
    }

    /// Opens a plain file for reading; `None` if there is none. Links are followed within the project only.
    pub fn open(self, path: &Path) -> Result<Option<File>> {
        let Some((place, metadata)) = self.found(path)? else { return Ok(None) };
        must_be_file(path, metadata.file_type())?;
        let mut options = OpenOptions::new();
        let file = match without_waiting(options.read(true)).open(&place) {
            Ok(file) => file,
            Err(source) if source.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(io(path, source)),
        };
        // Checked again on the open handle: another process may have replaced the file.
        must_be_file(path, file.metadata().map_err(|source| io(path, source))?.file_type())?;
        Ok(Some(file))
    }

    /// The whole content of a plain file of at most `limit` bytes; `None` if there is none.
    pub fn read(self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.open(path)? else { return Ok(None) };
        // Room for all of it and one byte more: without a known length, reading begins in pieces of 32 bytes.
        let length = file.metadata().map_err(|source| io(path, source))?.len().min(limit);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default() + 1);
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|source| io(path, source))?;
        if bytes.len() as u64 > limit {
            return Err(FileFault::TooLong { path: path.to_owned(), limit });
        }
        Ok(Some(bytes))
    }

    /// The same as text.
    pub fn read_text(self, path: &Path, limit: u64) -> Result<Option<String>> {
        let Some(bytes) = self.read(path, limit)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|_| FileFault::NoText { path: path.to_owned() })
    }

    /// Metadata of a plain file; `None` if there is none.
    pub fn metadata(self, path: &Path) -> Result<Option<Metadata>> {
        let Some((_, metadata)) = self.found(path)? else { return Ok(None) };
        must_be_file(path, metadata.file_type()).map(|()| Some(metadata))
    }

    /// The plain files of a folder whose names end with `.extension`, by name; none if the folder does not exist.
    pub fn list(self, folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
        let Some((place, _)) = self.found(folder)? else { return Ok(Vec::new()) };
        let entries = match std::fs::read_dir(place) {
            Ok(entries) => entries,
            Err(source) if source.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(io(folder, source)),
        };
        let mut paths = Vec::new();
        for entry in entries {
            let name = entry.map_err(|source| io(folder, source))?.file_name();
            if Path::new(&name).extension() == Some(OsStr::new(extension)) {
                paths.push(folder.join(name));
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// All files and links at a path and below it except hidden ones, at most `limit`. No link is followed.
    pub fn walk(self, path: &Path, limit: usize) -> Result<Vec<PathBuf>> {
        let (mut waiting, mut found) = (vec![path.to_owned()], Vec::new());
        while let Some(place) = waiting.pop().filter(|_| found.len() < limit) {
            let metadata = place.symlink_metadata().map_err(|source| io(&place, source))?;
            if !metadata.is_dir() {
                found.push(place);
                continue;
            }
            for entry in std::fs::read_dir(&place).map_err(|source| io(&place, source))? {
                let name = entry.map_err(|source| io(&place, source))?.file_name();
                if !name.as_encoded_bytes().starts_with(b".") {
                    waiting.push(place.join(name));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Opens a file for appending and reading, creating it and its folders if missing. No link is followed.
    pub fn append(self, path: &Path, readers: Readers) -> Result<File> {
        if let Some(folder) = path.parent() {
            self.make_folder(folder)?;
        }
        self.refuse_links(path)?;
        let mut options = OpenOptions::new();
        let file = without_waiting(private(options.read(true).append(true).create(true), readers)).open(path);
        let file = match file {
            Ok(file) => file,
            // A folder can't be opened for writing; saying that it is one helps more than the system's error.
            Err(source) => return Err(self.must_be(path, ExpectedKind::File).err().unwrap_or_else(|| io(path, source))),
        };
        must_be_file(path, file.metadata().map_err(|source| io(path, source))?.file_type())?;
        Ok(file)
    }

    /// Replaces a file's content atomically, or creates the file with its folders. No link is followed: a link in its place is replaced.
    pub fn write(self, path: &Path, content: &[u8], readers: Readers) -> Result<()> {
        if let Some(folder) = path.parent() {
            self.make_folder(folder)?;
        }
        write_whole(path, content, readers).map_err(|source| io(path, source))
    }

    /// Removes a file, or the link in its place; a missing one is not an error.
    pub fn remove(self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            self.refuse_links(folder)?;
        }
        match std::fs::remove_file(path) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(io(path, source)),
            _ => Ok(()),
        }
    }

    /// Creates a folder and its parents, as far as missing. No link is followed.
    pub fn make_folder(self, folder: &Path) -> Result<()> {
        self.refuse_links(folder)?;
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))
    }

    /// Refuses a path that is reached through a link, or is not of the wanted kind; a missing one is not an error.
    pub fn must_be(self, path: &Path, wanted: ExpectedKind) -> Result<()> {
        self.refuse_links(path)?;
        match look(path, path)? {
            Some(metadata) if wanted == ExpectedKind::File => must_be_file(path, metadata.file_type()),
            Some(metadata) if !metadata.is_dir() => Err(kind(path, metadata.file_type(), "a folder")),
            _ => Ok(()),
        }
    }

    /// The real path, with links resolved; `None` if nothing is there. A path outside of the project is refused.
    pub fn real(self, path: &Path) -> Result<Option<PathBuf>> {
        self.relative(path)?;
        match real_path(path) {
            // A real path contains no links: one that begins with the root as given shows that the root is real, too.
            Ok(real) if real.starts_with(self.root) => Ok(Some(real)),
            Ok(target) => {
                let root = real_path(self.root).map_err(|source| io(self.root, source))?;
                if target.starts_with(&root) { Ok(Some(target)) } else { Err(FileFault::Elsewhere { path: path.to_owned(), target }) }
            }
            Err(source) if source.kind() == ErrorKind::NotFound => {
                self.root.metadata().map_err(|source| io(self.root, source))?;
                match path.read_link() {
                    Ok(target) => Err(FileFault::Elsewhere { path: path.to_owned(), target }),
                    Err(_) => Ok(None),
                }
            }
            Err(source) => Err(io(path, source)),
        }
    }

    /// The real place of a path, with what is there; `None` if nothing is. A path without a link below the root is its own place: only one
    /// with a link has to be resolved, which takes a call for each folder from the root of the file system on.
    fn found(self, path: &Path) -> Result<Option<(PathBuf, Metadata)>> {
        let (mut place, mut found) = (self.root.to_owned(), None);
        for component in self.relative(path)?.components() {
            place.push(component);
            match look(path, &place)? {
                Some(metadata) if metadata.is_symlink() => {
                    let Some(real) = self.real(path)? else { return Ok(None) };
                    return Ok(look(path, &real)?.map(|metadata| (real, metadata)));
                }
                None => return self.root.metadata().map(|_| None).map_err(|source| io(self.root, source)),
                there => found = there,
            }
        }
        let found = if found.is_none() { look(path, &place)? } else { found };
        Ok(found.map(|metadata| (place, metadata)))
    }

    /// Refuses a path that contains or is a link. A missing one is not an error.
    fn refuse_links(self, path: &Path) -> Result<()> {
        let mut place = self.root.to_owned();
        for component in self.relative(path)?.components() {
            place.push(component);
            match look(&place, &place)? {
                Some(metadata) if metadata.is_symlink() => {
                    let target = place.read_link().unwrap_or_default();
                    return Err(FileFault::Elsewhere { path: place, target });
                }
                Some(metadata) if !metadata.is_dir() && place != path => return Err(kind(&place, metadata.file_type(), "a folder")),
                Some(_) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// The path relative to the root, which may only descend.
    fn relative(self, path: &Path) -> Result<&Path> {
        let below = path.strip_prefix(self.root).ok().filter(|rest| rest.components().all(|c| matches!(c, Component::Normal(_))));
        below.ok_or_else(|| FileFault::Elsewhere { path: path.to_owned(), target: path.to_owned() })
    }
}

/// How the name of a file ends that has not got its own yet.
pub(crate) const UNFINISHED: &str = "new";

/// The expected kind of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedKind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
}

/// Replaces a file's content atomically: writes next to it, syncs, renames. What anyone may read keeps the permissions that the file had.
/// For a path given by the person, inside a project or not.
pub fn write_whole(path: &Path, content: &[u8], readers: Readers) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.{UNFINISHED}", std::process::id()));
    let written = (|| {
        let mut file = create_anew(&beside, readers)?;
        if let (Readers::Anyone, Some(old)) = (readers, path.symlink_metadata().ok().filter(|old| old.is_file() && cfg!(unix))) {
            // A file system without permissions keeps none.
            let _ = file.set_permissions(old.permissions());
        }
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    })();
    if written.is_err() {
        // An unrenamed file is useless; the first error is the one to report.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// The process that was writing a file before it was to get its name; `None` for any other file.
pub(crate) fn writer_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.strip_prefix('.')?;
    name.strip_suffix(UNFINISHED)?.strip_suffix('.')?.rsplit_once('.')?.1.parse().ok()
}

/// Creates a new file: one left by a killed process under this name, or put there by somebody, is removed first.
fn create_anew(path: &Path, readers: Readers) -> std::io::Result<File> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => return Err(source),
        _ => {}
    }
    private(OpenOptions::new().write(true).create_new(true), readers).open(path)
}

fn private(options: &mut OpenOptions, readers: Readers) -> &mut OpenOptions {
    #[cfg(unix)]
    if readers == Readers::Owner {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = readers;
    options
}

/// Opening never blocks on a pipe, never acquires a terminal, and never follows a link at the end of the path.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
}

/// A reparse point (a link, a junction) is opened as itself, and then recognized as not a plain file.
#[cfg(windows)]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::windows::fs::OpenOptionsExt as _;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
}

/// What is at the place of a path, or that nothing is.
fn look(path: &Path, place: &Path) -> Result<Option<Metadata>> {
    match place.symlink_metadata() {
        Ok(metadata) => Ok(Some(metadata)),
        Err(source) if source.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(io(path, source)),
    }
}

fn must_be_file(path: &Path, found: FileType) -> Result<()> {
    if found.is_file() { Ok(()) } else { Err(kind(path, found, "a plain file")) }
}

fn kind(path: &Path, found: FileType, wanted: &'static str) -> FileFault {
    FileFault::Kind { path: path.to_owned(), found: word(found), wanted }
}

fn word(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
        if found.is_block_device() || found.is_char_device() {
            return "a device";
        }
    }
    if found.is_dir() {
        "a folder"
    } else if found.is_symlink() {
        "a link"
    } else if found.is_file() {
        "a plain file"
    } else {
        "no file"
    }
}

fn io(path: &Path, source: std::io::Error) -> FileFault {
    FileFault::Io { path: path.to_owned(), source }
}
