//! The files that a path denotes: those that git does not ignore, within the project, and neither git's nor Ralph's own.

use crate::error::Result;
use crate::files::{FileFault, ProjectFiles};
use crate::paths::plain;
use git_repo::{Listing, Repo, real_path};
use ralph_core::limits;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Paths about which git is asked at once: the length of a command line is limited.
const LISTED_AT_ONCE: usize = 100;
/// Why a file or folder is not read.
const IGNORED: &str = "git ignores it";

/// A requested file or folder.
pub(super) struct PathRequest {
    /// Relative to the project, with `/`; `.` is the project itself. One outside of the project is absolute.
    pub path: String,
    /// The feature that names it; `None` = a person ingested it.
    pub feature: Option<u32>,
}

/// A requested path that exists within the project.
struct Asked {
    /// Its real name, relative to the project.
    path: String,
    real: PathBuf,
    feature: Option<u32>,
}

/// What lies at or below a path.
struct Below {
    /// Relative to the project; without git absolute.
    files: Vec<PathBuf>,
    /// What git ignores there, or a folder around it that is ignored as a whole.
    ignored: Vec<String>,
}

/// Requesters of a file.
#[derive(Default)]
pub(super) struct Owners {
    project: bool,
    features: BTreeSet<u32>,
}

impl Owners {
    fn add(&mut self, feature: Option<u32>) {
        match feature {
            Some(feature) => drop(self.features.insert(feature)),
            None => self.project = true,
        }
    }

    /// The only requesting feature; `None` = the project, or several features.
    pub(super) fn feature(&self) -> Option<u32> {
        self.features.first().copied().filter(|_| !self.project && self.features.len() == 1)
    }
}

/// The files denoted by paths.
#[derive(Default)]
pub(super) struct FileSelection {
    /// Files, relative to the project.
    pub files: BTreeMap<String, Owners>,
    /// Skipped files, with the reason.
    pub skipped: BTreeMap<String, String>,
    /// Requested folders in which there is nothing to read yet: reported with the skipped ones.
    pub empty: BTreeSet<String>,
    /// Files found by a name other than their own: so far git has been asked only about that other name.
    linked: Vec<Linked>,
}

/// A file that a link leads to.
struct Linked {
    /// Its own name.
    real: String,
    /// The listed one.
    path: String,
    /// The feature that asks for it.
    feature: Option<u32>,
}

impl FileSelection {
    /// Whether a requested path is worth storing: it exists within the project, and holds files or may come to hold some.
    pub(super) fn is_source(&self, wanted: &PathRequest) -> bool {
        (!self.skipped.contains_key(&wanted.path) || self.empty.contains(&wanted.path)) && is_told(&wanted.path)
    }

    /// Skips a file although it was found.
    pub(super) fn leave_out(&mut self, path: &str, reason: &str) {
        if self.files.remove(path).is_some() {
            self.skip(path, reason);
        }
    }

    fn skip(&mut self, path: &str, reason: impl Into<String>) {
        self.skipped.insert(path.to_owned(), reason.into());
    }

    /// Adds a file by its own name; a skipped one is reported by the listed name.
    fn insert(&mut self, real: String, path: &str, feature: Option<u32>) {
        if self.files.len() >= limits::DOCUMENTS && !self.files.contains_key(&real) {
            return self.skip(path, format!("a project has at most {} documents", limits::DOCUMENTS));
        }
        self.files.entry(real).or_default().add(feature);
    }

    fn skip_untold(&mut self, path: &str) {
        self.skip(&crate::secrets::wash::text(path), "its name holds what looks like a secret, or what a terminal would obey");
    }
}

/// Finds the requested files.
pub(super) fn find(files: ProjectFiles<'_>, root: &Path, repo: Option<&Repo>, wanted: &[PathRequest]) -> Result<FileSelection> {
    let mut found = FileSelection::default();
    let mut asked = Vec::new();
    for wanted in wanted {
        if !is_told(&wanted.path) {
            found.skip_untold(&wanted.path);
            continue;
        }
        if let Some(reason) = own_part(&wanted.path) {
            found.skip(&wanted.path, reason);
            continue;
        }
        match files.real(&root.join(&wanted.path)) {
            Err(fault) => found.skip(&wanted.path, reason(&fault)),
            Ok(None) => found.skip(&wanted.path, "there is no such file or folder"),
            Ok(Some(real)) => asked.push(Asked { path: within(root, &real), real, feature: wanted.feature }),
        }
    }
    for (asked, listed) in asked.iter().zip(list(files, root, repo, &asked)?) {
        let Asked { path, real, feature } = asked;
        for ignored in &listed.ignored {
            match is_within(path, ignored) {
                true => found.skip(path, IGNORED),
                false => found.skip(ignored, IGNORED),
            }
        }
        if listed.files.is_empty() && !found.skipped.contains_key(path) {
            match real.is_dir() {
                true => {
                    found.skip(path, "it holds nothing to read yet");
                    found.empty.insert(path.clone());
                }
                // Git skips what is neither a file nor a folder.
                false => add(files, root, real, *feature, &mut found),
            }
        }
        for file in listed.files {
            add(files, root, &root.join(file), *feature, &mut found);
        }
    }
    follow(root, repo, &mut found)?;
    Ok(found)
}

/// Adds the targets of links, unless git ignores them: whoever adds a link to a repository must not decide what is read on others'
/// machines.
fn follow(root: &Path, repo: Option<&Repo>, found: &mut FileSelection) -> Result<()> {
    for linked in std::mem::take(&mut found.linked).chunks(LISTED_AT_ONCE) {
        let real: Vec<&Path> = linked.iter().map(|linked| Path::new(&linked.real)).collect();
        let listed = repo.map_or_else(|| Ok(Listing::default()), |repo| repo.list(root, &real))?;
        let ignored: Vec<String> = listed.ignored.iter().map(|path| tidy(&path.to_string_lossy())).collect();
        for Linked { real, path, feature } in linked {
            match ignored.iter().any(|ignored| is_within(real, ignored)) {
                true => found.skip(path, "it leads to what git ignores"),
                false => found.insert(real.clone(), path, *feature),
            }
        }
    }
    Ok(())
}

/// What lies at or below each of the paths: files that git tracks or would add, and what it ignores. Without git all plain files except
/// hidden ones. Git is asked about many paths at once, since starting it takes longer than its work.
fn list(files: ProjectFiles<'_>, root: &Path, repo: Option<&Repo>, asked: &[Asked]) -> Result<Vec<Below>> {
    let Some(repo) = repo else {
        let walk = |asked: &Asked| Ok(Below { files: files.walk(&asked.real, limits::DOCUMENTS)?, ignored: Vec::new() });
        return asked.iter().map(walk).collect();
    };
    let mut below = Vec::new();
    for some in asked.chunks(LISTED_AT_ONCE) {
        let listing = repo.list(root, &some.iter().map(|asked| Path::new(&asked.path)).collect::<Vec<_>>())?;
        let named = |path: &PathBuf| tidy(&path.to_string_lossy());
        let found: Vec<(String, PathBuf)> = listing.files.into_iter().map(|file| (named(&file), file)).collect();
        let ignored: Vec<String> = listing.ignored.iter().map(named).filter(|path| own_part(path).is_none()).collect();
        below.extend(some.iter().map(|Asked { path, .. }| Below {
            files: found.iter().filter(|(file, _)| is_within(file, path)).map(|(_, file)| file.clone()).collect(),
            ignored: ignored.iter().filter(|ignored| is_within(ignored, path) || is_within(path, ignored)).cloned().collect(),
        }));
    }
    Ok(below)
}

/// Adds a listed file.
fn add(files: ProjectFiles<'_>, root: &Path, listed: &Path, feature: Option<u32>, found: &mut FileSelection) {
    let path = within(root, listed);
    if own_part(&path).is_some() {
        return;
    }
    if listed.to_str().is_none() {
        return found.skip(&path, "its name is not text in UTF-8");
    }
    if !is_told(&path) {
        return found.skip_untold(&path);
    }
    if listed.is_dir() && !listed.is_symlink() {
        return found.skip(&path, "it is a repository of its own");
    }
    // A file reached by a link is identified by its real name. Tracked but missing is not an error.
    let real = match files.real(listed) {
        Err(fault) => return found.skip(&path, reason(&fault)),
        Ok(None) => return,
        Ok(Some(real)) => within(root, &real),
    };
    if !is_told(&real) {
        return found.skip_untold(&real);
    }
    if real != path && own_part(&real).is_some() {
        return found.skip(&path, "it leads to what is git's or Ralph's own");
    }
    if listed.is_symlink() {
        found.skip(&path, format!("it is a link: {real} is known by its own name"));
        if root.join(&real).is_dir() {
            return;
        }
    }
    match real == path {
        true => found.insert(real, &path, feature),
        false => found.linked.push(Linked { real, path, feature }),
    }
}

/// Whether a path can be reported unchanged: one that contains a secret, or something that a terminal would obey, is not stored.
fn is_told(path: &str) -> bool {
    crate::secrets::wash::text(path) == path
}

/// Why a path is never a document: it is git's or Ralph's own.
pub(super) fn own_part(path: &str) -> Option<&'static str> {
    path.split('/').find_map(|part| match part {
        ".git" => Some("it is git's own"),
        ".ralph" => Some("it is Ralph's own"),
        _ => None,
    })
}

/// Why a file is not used, without its path, which is given separately.
pub(crate) fn reason(fault: &FileFault) -> String {
    match fault {
        FileFault::Elsewhere { path, target } if path == target => "it is outside of the project".to_owned(),
        FileFault::Elsewhere { path, target } if leads_nowhere(path, target) => format!("it is a link to nothing: {}", target.display()),
        FileFault::Elsewhere { target, .. } => format!("it leads out of the project, to {}", target.display()),
        FileFault::Kind { found, wanted, .. } => format!("it is {found}, not {wanted}"),
        FileFault::TooLong { limit, .. } => format!("it is longer than {limit} bytes"),
        FileFault::NoText { .. } => "it is not text in UTF-8".to_owned(),
        FileFault::Io { source, .. } => source.to_string(),
    }
}

/// Whether the target of a link, absolute or relative to it, does not exist.
fn leads_nowhere(link: &Path, target: &Path) -> bool {
    let place = link.parent().map_or_else(|| target.to_owned(), |folder| folder.join(target));
    place.try_exists().is_ok_and(|exists| !exists)
}

/// A path as stored: relative to the project, with `/`; absolute if outside of it.
pub(crate) fn within(root: &Path, path: &Path) -> String {
    let plain = plain(path);
    // The person's working folder may be reached by a link.
    let folder = plain.parent().and_then(|folder| real_path(folder).ok());
    let by_folder = folder.zip(plain.file_name()).map(|(folder, name)| folder.join(name));
    let below = plain.strip_prefix(root).ok().map(Path::to_owned).or_else(|| Some(by_folder?.strip_prefix(root).ok()?.to_owned()));
    below.map_or_else(|| plain.to_string_lossy().into_owned(), |below| tidy(&below.to_string_lossy()))
}

/// A relative path with `/`, normalized.
pub(super) fn tidy(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    match parts.is_empty() {
        true => ".".to_owned(),
        false if path.starts_with('/') => format!("/{}", parts.join("/")),
        false => parts.join("/"),
    }
}

/// Whether a path equals another, or is below it.
pub(super) fn is_within(path: &str, folder: &str) -> bool {
    folder == "." || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_kept_as_seen_from_the_project() {
        let root = Path::new("/p");
        for (path, expected) in [
            ("/p/docs/a.md", "docs/a.md"),
            ("/p", "."),
            ("/p/docs/../a.md", "a.md"),
            ("/p/./docs/", "docs"),
            ("/q/x", "/q/x"),
            ("/p/../q", "/q"),
        ] {
            assert_eq!(within(root, Path::new(path)), expected, "{path}");
        }
        for (path, expected) in [("./docs//x/", "docs/x"), ("", "."), ("/etc/passwd", "/etc/passwd"), ("../x", "../x")] {
            assert_eq!(tidy(path), expected, "{path}");
        }
        assert!(is_within("docs/a.md", "docs") && is_within("docs", "docs") && is_within("x", "."));
        assert!(!is_within("docs2/a.md", "docs"));
    }
}
