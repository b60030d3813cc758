//! Blocks of ports: two worktrees never share one, also where they belong to two projects of the same person.
//!
//! Each block is a file named by its first port, in a folder beside those that hold the worktrees of each project.

use crate::error::{AppError, Result};
use ralph_core::settings::Settings;
use ralph_core::worktree::free_ports;
use sqlite_db::Tx;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the folder.
const FOLDER: &str = ".ports";
/// After this time whoever took a block has created its worktree.
const MAKING: Duration = Duration::from_secs(3_600);

/// Takes the first block that is free for the worktree at `path`, in the folder of its project's worktrees.
pub(crate) fn take_ports(tx: &Tx<'_>, path: &Path, settings: &Settings) -> Result<u32> {
    let (first, count) = (settings.worktrees.port_base, settings.worktrees.ports);
    let own = tx.worktrees()?.into_iter().filter(|worktree| !worktree.removed && worktree.ports > 0);
    let mut taken: Vec<(u32, u32)> = own.map(|worktree| (worktree.port_base, worktree.port_base + worktree.ports)).collect();
    let none = || AppError::invalid("worktree_ports", "no block of ports is free", "`ralph worktree prune`, or take fewer for each");
    let Some((project, all)) = path.parent().and_then(|project| Some((project, project.parent()?))).filter(|_| count > 0) else {
        return free_ports(&taken, first, count).ok_or_else(none);
    };
    let blocks = Blocks { folder: all.join(FOLDER), project };
    taken.extend(blocks.of_others());
    loop {
        let port = free_ports(&taken, first, count).ok_or_else(none)?;
        match blocks.take(port, count, path) {
            Ok(true) => return Ok(port),
            Ok(false) => taken.push((port, port + count)),
            Err(fault) => {
                // They may then collide with another project's, which is no reason not to work.
                tracing::warn!("other projects are not told of port {port}: {}: {fault}", blocks.folder.display());
                return Ok(port);
            }
        }
    }
}

/// The blocks that worktrees hold.
struct Blocks<'a> {
    folder: PathBuf,
    /// The folder of this project's worktrees, whose blocks its database knows.
    project: &'a Path,
}

impl Blocks<'_> {
    /// Those of other projects, from the first port to the one after the last.
    fn of_others(&self) -> Vec<(u32, u32)> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        files.filter_map(|file| self.held_at(&file.path()).map(|count| (file.path(), count))).filter_map(block).collect()
    }

    /// How many ports another project holds from this one on; `None` if nobody does.
    fn held_at(&self, file: &Path) -> Option<u32> {
        let text = fs::read_to_string(file).ok()?;
        let is_new = || fs::metadata(file).and_then(|of| of.modified()).is_ok_and(|made| made.elapsed().is_ok_and(|age| age < MAKING));
        let Some((count, path)) = text.split_once(' ') else {
            // Whoever has just created it is about to write it.
            return (text.is_empty() && is_new()).then_some(1);
        };
        let path = Path::new(path.trim_end());
        (!path.starts_with(self.project) && (path.exists() || is_new())).then(|| count.parse().ok())?
    }

    /// Takes a block, unless another project has taken it meanwhile.
    fn take(&self, port: u32, count: u32, path: &Path) -> io::Result<bool> {
        let file = self.folder.join(port.to_string());
        fs::create_dir_all(&self.folder)?;
        let make = || OpenOptions::new().write(true).create_new(true).open(&file);
        let made = make().or_else(|fault| {
            if fault.kind() == ErrorKind::AlreadyExists && self.held_at(&file).is_none() {
                fs::remove_file(&file)?;
                return make();
            }
            Err(fault)
        });
        match made {
            Ok(mut made) => made.write_all(format!("{count} {}\n", path.display()).as_bytes()).map(|()| true),
            Err(fault) if fault.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

/// A block as its ends, from its file.
fn block((file, count): (PathBuf, u32)) -> Option<(u32, u32)> {
    let first: u32 = file.file_name()?.to_str()?.parse().ok()?;
    Some((first, first.checked_add(count)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_block_is_another_project_s_as_long_as_its_worktree_stands_or_is_being_made() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let blocks = |project| Blocks { folder: folder.path().join(FOLDER), project };
        let path = one.join("1-a");
        assert!(blocks(&one).take(21_000, 10, &path).unwrap());
        assert_eq!(blocks(&other).of_others(), [(21_000, 21_010)], "it is being made");
        assert!(!blocks(&other).take(21_000, 10, &other.join("1-a")).unwrap());
        assert!(blocks(&one).of_others().is_empty() && blocks(&one).take(21_000, 10, &path).unwrap(), "of its own its database knows");

        let file = folder.path().join(FOLDER).join("21000");
        let age = || fs::File::options().write(true).open(&file).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        fs::create_dir_all(&path).unwrap();
        age();
        assert_eq!(blocks(&other).of_others(), [(21_000, 21_010)], "it stands");
        fs::remove_dir_all(&path).unwrap();
        assert!(blocks(&other).of_others().is_empty() && blocks(&other).take(21_000, 10, &other.join("1-a")).unwrap(), "it is gone");
        assert_eq!(blocks(&one).of_others(), [(21_000, 21_010)]);
    }

    #[test]
    fn what_is_no_block_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let blocks = Blocks { folder: folder.path().to_owned(), project: Path::new("/none") };
        for (name, text) in [("x", "10 /"), ("21000", "junk"), ("21001", "many /"), ("4294967295", "10 /")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        assert!(blocks.of_others().is_empty());
    }
}
