//! How much of the machine other programs use during a measurement, by the counters of Linux.

use std::fs::read_to_string;

/// Percent of all processors from which a figure says more about the others than about Ralph.
pub const BUSY_PCT: f64 = 10.0;

/// Clock ticks of all processors and of this program with its children, at one moment.
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
        Some(Load { total, busy, own: own(&read_to_string("/proc/self/stat").ok()?)? })
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

/// Ticks of the process and of the children that it waited for: fields 14 to 17 (proc_pid_stat(5)), counted behind the name, which may
/// hold anything.
fn own(stat: &str) -> Option<u64> {
    let behind = &stat[stat.rfind(')')? + 1..];
    Some(behind.split_whitespace().skip(11).take(4).filter_map(|tick| tick.parse::<u64>().ok()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_take_is_what_is_neither_idle_nor_own() {
        let stat = |busy: u64, idle: u64| processors(&format!("cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2 3 4\n")).expect("a line");
        let (first, then) = (stat(100, 900), stat(160, 940));
        assert_eq!((first, then), ((1_000, 100), (1_100, 160)));
        let before = Load { total: first.0, busy: first.1, own: own("7 (a) b) R 1 1 1 0 -1 0 0 0 0 0 10 5 2 3 20").expect("ticks") };
        let after = Load { total: then.0, busy: then.1, own: before.own + 40 };
        assert_eq!((before.own, before.others_pct(after)), (20, 20.0));
    }
}
