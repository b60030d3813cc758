//! The processes of this machine, read from `/proc`.

use super::live::Process;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Number and interval of retries for an incomplete environment.
const LOOKS_DURING_EXEC: usize = 5;
const LOAD_TIME: Duration = Duration::from_millis(1);

/// Maximum number of listings, one after the other, to catch processes that started meanwhile.
const LISTINGS: usize = 8;

/// The ids of all processes, unordered.
pub fn pids() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Every process except zombies, unordered. Those that end while being read are skipped.
pub fn living() -> Vec<Process> {
    listed(pids, process)
}

/// The processes that `list` names and `read` can read. One may start another and end after it was listed and before it is read: then
/// neither would be found, so the listing is repeated until nothing new appears.
fn listed(mut list: impl FnMut() -> Vec<u32>, mut read: impl FnMut(u32) -> Option<Process>) -> Vec<Process> {
    let (mut known, mut found) = (HashSet::new(), Vec::new());
    for _ in 0..LISTINGS {
        let new: Vec<u32> = list().into_iter().filter(|pid| known.insert(*pid)).collect();
        if new.is_empty() {
            break;
        }
        found.extend(new.into_iter().filter_map(&mut read));
    }
    found
}

/// One process, unless it has ended.
pub fn process(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, so fields are counted from its end: state is the first.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |index: usize| fields.get(index).copied();
    if matches!(field(0)?, "Z" | "X") {
        return None;
    }
    Some(Process { pid, parent: field(1)?.parse().ok()?, group: field(2)?.parse().ok()?, started: field(19)?.parse().ok()? })
}

/// Ended children of this process that are not reaped yet, with their process groups.
pub fn ended_children() -> Vec<(u32, u32)> {
    let own = std::process::id();
    let ended = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (state, parent, group) = (fields.next()?, fields.next()?.parse::<u32>().ok()?, fields.next()?.parse::<u32>().ok()?);
        (state == "Z" && parent == own).then_some((pid, group))
    };
    pids().into_iter().filter_map(ended).collect()
}

/// The working folder of a process; `None` for one of another user.
pub fn folder(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The name of a process's program, at most 15 bytes.
pub fn name(pid: u32) -> Option<String> {
    Some(fs::read_to_string(format!("/proc/{pid}/comm")).ok()?.trim_end().to_owned())
}

/// The file of a process's program; `None` for one of another user.
pub fn program(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// The parent of each process, including those that have ended but are not reaped yet.
pub fn parents() -> impl Fn(u32) -> Option<u32> {
    |pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    }
}

/// The value of each of `names` in the initial environment of a process; `None` for a process of another user. One that has ended, or is
/// about to, has no values: it hides nothing, and what it leaves behind is found by its group.
pub fn variables<const N: usize>(pid: u32, names: [&str; N]) -> Option<[Option<String>; N]> {
    let environment = environment(&Path::new("/proc").join(pid.to_string()))?;
    let value = |name: &str| {
        let mut entries = environment.split(|&byte| byte == 0);
        let value = entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    Some(names.map(value))
}

/// During an exec a process shows no environment, or part of its previous one, so an unterminated environment
/// is read again. Kernel threads have neither a program nor an environment.
#[allow(clippy::disallowed_methods, reason = "nothing tells when another process has loaded its program")]
fn environment(process: &Path) -> Option<Vec<u8>> {
    let read = || match fs::read(process.join("environ")) {
        Err(fault) if fault.kind() == std::io::ErrorKind::PermissionDenied => None,
        read => Some(read.unwrap_or_default()),
    };
    let mut environment = read()?;
    for _ in 0..LOOKS_DURING_EXEC {
        if environment.ends_with(b"\0") || fs::read_link(process.join("exe")).is_err() {
            break;
        }
        std::thread::sleep(LOAD_TIME);
        environment = read()?;
    }
    Some(environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_takes_the_place_of_one_that_was_listed_is_found() {
        let (mut listings, mut reads) = (0, Vec::new());
        let list = || {
            listings += 1;
            // 3 was started by 2, which then ended; 4 by 3.
            (1..=(listings + 1).min(4)).collect()
        };
        let read = |pid| {
            reads.push(pid);
            (pid != 2 && pid != 3).then_some(Process { pid, parent: 1, group: 1, started: 1 })
        };
        let found: Vec<u32> = listed(list, read).into_iter().map(|process| process.pid).collect();
        assert_eq!((found, reads, listings), (vec![1, 4], vec![1, 2, 3, 4], 4));
        let mut next = 0;
        let endless = listed(
            || {
                next += 1;
                vec![next]
            },
            |pid| Some(Process { pid, parent: 1, group: 1, started: 1 }),
        );
        assert_eq!(endless.len(), LISTINGS);
    }
}
