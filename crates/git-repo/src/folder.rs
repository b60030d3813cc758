//! Contents of a work tree beyond git: its size, and ignored files copied from another one.

use crate::GitError;
use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Size of a folder's files in bytes; links count themselves, a file with several names counts once, unreadable ones count 0.
pub fn bytes_of_folder(folder: &Path) -> u64 {
    let (mut bytes, mut seen, mut waiting) = (0, BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                waiting.push(entry.path());
            } else if is_first_name(&metadata, &mut seen) {
                bytes += metadata.len();
            }
        }
    }
    bytes
}

#[cfg(unix)]
fn is_first_name(metadata: &std::fs::Metadata, seen: &mut BTreeSet<(u64, u64)>) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink() < 2 || seen.insert((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn is_first_name(_metadata: &std::fs::Metadata, _seen: &mut BTreeSet<(u64, u64)>) -> bool {
    true
}

/// Copies a file or folder at the relative path `wanted` from one folder into another; nothing is overwritten and no link is
/// followed; links are copied as links. Returns whether there was something to copy.
///
/// # Errors
/// [`GitError::Io`] if something can't be read or written.
pub fn bring_along(from: &Path, to: &Path, wanted: &Path) -> Result<bool, GitError> {
    let plain = wanted.components().all(|part| matches!(part, Component::Normal(_))) && wanted.components().next().is_some();
    if !plain || has_link_above(from, wanted) || has_link_above(to, wanted) {
        return Ok(false);
    }
    let (source, target) = (from.join(wanted), to.join(wanted));
    if source.symlink_metadata().is_err() {
        return Ok(false);
    }
    let mut waiting = vec![(source, target)];
    while let Some((source, target)) = waiting.pop() {
        copy(&source, &target, &mut waiting).map_err(|error| GitError::Io { path: source, source: error })?;
    }
    Ok(true)
}

/// Copies one file or link; a folder's content is added to `waiting`.
fn copy(source: &Path, target: &Path, waiting: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<()> {
    let kind = source.symlink_metadata()?.file_type();
    let there = target.symlink_metadata();
    if kind.is_dir() {
        if there.as_ref().is_ok_and(|there| !there.is_dir()) {
            return Ok(());
        }
        std::fs::create_dir_all(target)?;
        for entry in std::fs::read_dir(source)? {
            let entry = entry?;
            waiting.push((entry.path(), target.join(entry.file_name())));
        }
        return Ok(());
    }
    if there.is_ok() {
        return Ok(());
    }
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder)?;
    }
    if kind.is_symlink() {
        return copy_link(source, target);
    }
    // Pipes, sockets and devices are not copied.
    if kind.is_file() { std::fs::copy(source, target).map(drop) } else { Ok(()) }
}

#[cfg(unix)]
fn copy_link(source: &Path, target: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(std::fs::read_link(source)?, target)
}

#[cfg(not(unix))]
fn copy_link(_source: &Path, _target: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a folder between `top` and `path` is a link.
pub(crate) fn has_link_above(top: &Path, path: &Path) -> bool {
    let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    above.into_iter().any(|folder| top.join(folder).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()))
}
