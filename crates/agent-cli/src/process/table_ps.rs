//! The processes of this machine as `ps` lists them, for Unix systems without `/proc`. What `ps` does not show (environments, working
//! folders) is not known here. On Windows the table is empty: a [`job`](super::job) holds the family there.

use super::live::Process;
use std::collections::HashMap;
use std::process::{Command, Stdio};

/// The columns requested for each process, without headings.
const COLUMNS: [&str; 10] = ["-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat=", "-o", "lstart="];
/// As the system names them in its own language.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Not needed: `ps` does not show the working folder of a process.
pub fn pids() -> Vec<u32> {
    Vec::new()
}

/// Every process except zombies; none if `ps` does not answer.
pub fn living() -> Vec<Process> {
    listed(&["-A"]).into_iter().filter_map(|(process, has_ended)| (!has_ended).then_some(process)).collect()
}

/// One process, unless it has ended.
pub fn process(pid: u32) -> Option<Process> {
    let found = listed(&["-p", &pid.to_string()]).into_iter().find(|(process, has_ended)| process.pid == pid && !has_ended);
    found.map(|(process, _)| process)
}

/// The parent of each process, including those that have ended but are not reaped yet.
pub fn parents() -> impl Fn(u32) -> Option<u32> {
    let parents: HashMap<u32, u32> = listed(&["-A"]).into_iter().map(|(process, _)| (process.pid, process.parent)).collect();
    move |pid| parents.get(&pid).copied()
}

/// Not available.
pub fn name(_pid: u32) -> Option<String> {
    None
}

/// Not available.
pub fn folder(_pid: u32) -> Option<std::path::PathBuf> {
    None
}

/// Not available: what `ps` shows may be any text.
pub fn program(_pid: u32) -> Option<std::path::PathBuf> {
    None
}

/// Not available: the system hides the environments of many.
pub fn variables<const N: usize>(_pid: u32, _names: [&str; N]) -> Option<[Option<String>; N]> {
    None
}

/// What `ps` lists of some processes, each with whether it has ended.
fn listed(which: &[&str]) -> Vec<(Process, bool)> {
    if cfg!(windows) {
        return Vec::new();
    }
    // Not found by PATH, which may lead to a program of the project.
    let mut ps = Command::new("/bin/ps");
    ps.args(which).args(COLUMNS).env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::null());
    let Ok(told) = ps.output() else { return Vec::new() };
    String::from_utf8_lossy(&told.stdout).lines().filter_map(read).collect()
}

/// A line such as `  123     1   123 S    Fri Nov 27 20:30:27 2026`.
fn read(line: &str) -> Option<(Process, bool)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let &[pid, parent, group, state, _, month, day, time, year] = fields.as_slice() else { return None };
    let number = |text: &str| text.parse::<u64>().ok();
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let seconds = time.split(':').try_fold(0, |sum, part| Some(sum * 60 + number(part)?))?;
    let started = ((number(year)? * 12 + month) * 32 + number(day)?) * 86_400 + seconds;
    let process = Process { pid: pid.parse().ok()?, parent: parent.parse().ok()?, group: group.parse().ok()?, started };
    Some((process, state.starts_with('Z')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_ps_are_read_as_both_systems_write_them() {
        let started = |year: u64, month: u64, day: u64, seconds: u64| ((year * 12 + month) * 32 + day) * 86_400 + seconds;
        for (line, expected) in [
            ("  123     1   122 Ss+  Fri Nov 27 20:30:27 2026    ", Some((123, 1, 122, started(2026, 10, 27, 73_827), false))),
            ("1 0 1 Z Tue Jan  6 00:00:01 2026", Some((1, 0, 1, started(2026, 0, 6, 1), true))),
            ("1 0 1 S Tue Foo  6 00:00:01 2026", None),
            ("  PID  PPID  PGID STAT STARTED", None),
            ("", None),
        ] {
            let found = read(line).map(|(found, has_ended)| (found.pid, found.parent, found.group, found.started, has_ended));
            assert_eq!(found, expected, "{line}");
        }
        assert!(started(2026, 11, 1, 0) > started(2026, 10, 31, 86_399) && started(2027, 0, 1, 0) > started(2026, 11, 31, 86_399));
    }

    #[test]
    fn a_child_is_listed_with_its_parent_and_group_until_it_has_ended() {
        let mut child = std::process::Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().expect("starts");
        let own = std::process::id();
        let found = living().into_iter().find(|process| process.pid == child.id()).expect("is listed");
        assert_eq!((found.parent, Some(found)), (own, process(child.id())));
        assert_eq!(parents()(child.id()), Some(own));
        drop(child.stdin.take());
        child.wait().expect("ends");
        assert_eq!(process(child.id()), None);
    }
}
