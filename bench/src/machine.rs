//! How much of the machine other programs use during a measurement, by the counters of Linux.

use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};

/// Percent of all processors from which a figure says more about the others than about Ralph.
pub const BUSY_PCT: f64 = 10.0;

/// Clock ticks of all processors and of this program with all that it started, at one moment.
#[derive(Clone, Copy)]
pub struct Load {
    total: u64,
    busy: u64,
    own: u64,
}

impl Load {
    /// As it is now; `None` where the system has no such counters.
    pub fn now() -> Option<Load> {
        let (total, busy) = processors(&read_to_string("/proc/stat").ok()?)?;
        let mut processes = BTreeMap::new();
        for entry in read_dir("/proc").ok()?.flatten() {
            // Gone already, or no process.
            let stat = read_to_string(entry.path().join("stat")).unwrap_or_default();
            processes.extend(Process::read(&stat).map(|process| (process.id, process)));
        }
        Some(Load { total, busy, own: own(&processes, std::process::id()) })
    }

    /// Percent of all processors that others took between the two.
    pub fn others_pct(self, later: Load) -> f64 {
        let total = later.total.saturating_sub(self.total).max(1);
        let others = later.busy.saturating_sub(self.busy).saturating_sub(later.own.saturating_sub(self.own));
        others as f64 / total as f64 * 100.0
    }
}

/// All ticks and those at work, of the line `cpu user nice system idle iowait irq softirq steal …` (proc_stat(5)).
fn processors(stat: &str) -> Option<(u64, u64)> {
    let ticks: Vec<u64> =
        stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().filter_map(|tick| tick.parse().ok()).take(8).collect();
    let total = ticks.iter().sum();
    let [_, _, _, idle, waiting, ..] = ticks[..] else { return None };
    Some((total, total - idle - waiting))
}

/// What `/proc/PID/stat` says of a process (proc_pid_stat(5)).
#[derive(Debug, PartialEq)]
struct Process {
    id: u32,
    parent: u32,
    /// Its own, and of the children that it waited for.
    ticks: u64,
}

impl Process {
    /// Fields 1, 4 and 14 to 17, counted behind the name, which may hold anything.
    fn read(stat: &str) -> Option<Process> {
        let id = stat.split_whitespace().next()?.parse().ok()?;
        let behind: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
        let ticks = behind.get(11..15)?.iter().filter_map(|tick| tick.parse::<u64>().ok()).sum();
        Some(Process { id, parent: behind.get(1)?.parse().ok()?, ticks })
    }
}

/// Ticks of a process and of those below it that still run.
fn own(processes: &BTreeMap<u32, Process>, id: u32) -> u64 {
    let is_below = |process: &Process| {
        std::iter::successors(Some(process), |above| processes.get(&above.parent).filter(|next| next.id != above.id))
            // What is read one after the other can contradict itself, and must not lead round in a circle.
            .take(64)
            .any(|above| above.id == id)
    };
    processes.values().filter(|process| is_below(process)).map(|process| process.ticks).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_take_is_what_is_neither_idle_nor_own() {
        let stat = |busy: u64, idle: u64| processors(&format!("cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2 3 4\n")).expect("a line");
        let (first, then) = (stat(100, 900), stat(160, 940));
        assert_eq!((first, then), ((1_000, 100), (1_100, 160)));
        let before = Load { total: first.0, busy: first.1, own: 20 };
        let after = Load { total: then.0, busy: then.1, own: before.own + 40 };
        assert_eq!(before.others_pct(after), 20.0);
    }
    #[test]
    fn what_a_program_started_is_its_own_while_it_still_runs() {
        let stats = [
            "1 (init) S 0 1 1 0 -1 0 0 0 0 0 9 9 9 9 20",
            "7 (a) b) R 1 1 1 0 -1 0 0 0 0 0 10 5 2 3 20",
            "8 (peer) R 7 1 1 0 -1 0 0 0 0 0 1 1 0 0 20",
        ];
        let processes: BTreeMap<u32, Process> =
            stats.iter().filter_map(|stat| Process::read(stat)).map(|process| (process.id, process)).collect();
        assert_eq!((own(&processes, 7), own(&processes, 8), own(&processes, 1)), (22, 2, 58));
        assert_eq!(Process::read("no process"), None);
    }
}
