//! A child and all its descendants, whichever session or parent they moved to.

use super::live::Process;
use super::reaper;
use super::table;
use crate::command::RunMarks;
use std::collections::HashSet;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::process::Child;

/// Time for leftovers of a child to end by themselves: an MCP server finishes its write, a dev server closes its port.
const COURTESY: Duration = Duration::from_millis(400);
/// Repetitions of a kill for processes started meanwhile.
const KILL_ROUNDS: usize = 50;
/// The same if waiting in between is impossible.
const DROP_ROUNDS: usize = 5;
const POLL: Duration = Duration::from_millis(10);

/// Whether leftovers are asked to end before they are killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Courtesy {
    /// Asked first.
    Ask,
    /// They were asked before, or have nothing to finish.
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    Interrupt,
    Terminate,
    Kill,
}

/// A child and what it started. Dropping it before [`Family::clear`] kills them all: no process outlives its owner.
#[derive(Debug)]
pub(crate) struct Family {
    leader: u32,
    marks: Option<RunMarks>,
    /// All processes ever seen, so that those reparented after the leader's end are still found.
    known: HashSet<Process>,
    /// Groups of members alone, as of the last look.
    groups: HashSet<u32>,
    /// Start of the leader, in the system's own ticks; `None` if it had ended before it could be read.
    begin: Option<u64>,
    leader_lives: bool,
    cleared: bool,
    /// Whether the system showed which processes are alive at the last look.
    is_seen: bool,
}

impl Family {
    /// The family of a child started by [`super::start`] with `marks` in its environment.
    pub fn of(child: &Child, marks: Option<RunMarks>) -> Family {
        // A child without an id was already waited for: there is nothing to signal.
        let leader = child.id().unwrap_or(0);
        let begin = table::process(leader).map(|process| process.started);
        let (known, groups) = (HashSet::new(), HashSet::new());
        Family { leader, marks, known, groups, begin, leader_lives: leader != 0, cleared: leader == 0, is_seen: false }
    }

    /// Ends what is left after the child ended, or was given up.
    pub async fn clear(&mut self, courtesy: Courtesy) {
        self.leader_lives = false;
        let mut left = self.left();
        if courtesy == Courtesy::Ask && left > 0 {
            self.signal(Signal::Terminate);
            let asked = tokio::time::Instant::now();
            while asked.elapsed() < COURTESY && left > 0 {
                tokio::time::sleep(POLL).await;
                left = self.left();
            }
        }
        for _ in 0..KILL_ROUNDS {
            if left == 0 && self.is_seen {
                break;
            }
            self.signal(Signal::Kill);
            if !self.is_seen {
                break;
            }
            tokio::time::sleep(POLL).await;
            left = self.left();
        }
        self.cleared = true;
    }

    /// Members that are left. Who starts another and ends, again and again, may be missed by one look, and hardly by two.
    fn left(&mut self) -> usize {
        match self.look() {
            0 => self.look(),
            left => left,
        }
    }

    /// Looks for new members; returns the number of live ones, as far as the system shows them.
    pub fn look(&mut self) -> usize {
        if self.leader == 0 {
            // 0 is not a child here, but denotes the kernel among parents and groups.
            return 0;
        }
        let living = table::living();
        // This process is always among them.
        self.is_seen = !living.is_empty();
        let spared = own_line(&living);
        self.known.retain(|process| living.iter().any(|other| (other.pid, other.started) == (process.pid, process.started)));
        let mut pids: HashSet<u32> = self.known.iter().map(|process| process.pid).collect();
        if self.leader_lives {
            pids.insert(self.leader);
        }
        pids.extend(self.begin.map(|begin| reaper::strays(&living, self.leader, begin)).unwrap_or_default());
        let mut grown = true;
        while grown {
            grown = false;
            for process in living.iter().filter(|process| !spared.contains(&process.pid)) {
                let belongs = pids.contains(&process.parent) || pids.contains(&process.pid) || process.group == self.leader;
                if belongs && self.known.insert(*process) {
                    pids.insert(process.pid);
                    grown = true;
                }
            }
        }
        if let Some(marks) = &self.marks {
            let later = living.iter().filter(|process| self.begin.is_none_or(|begin| process.started >= begin));
            let strangers = later.filter(|process| !spared.contains(&process.pid) && !pids.contains(&process.pid));
            let marked: Vec<Process> = strangers.filter(|process| carries(process.pid, marks)).copied().collect();
            self.known.extend(marked);
        }
        self.groups = groups_of(&self.known, &living);
        self.known.len()
    }

    fn signal(&self, signal: Signal) {
        if signal == Signal::Interrupt {
            // Only the agent itself: it ends its own subprocesses, and reports how far it came.
            send(self.leader, signal);
            return;
        }
        // Once the leader has ended the number of its group may be another's, unless members still hold it.
        if self.leader_lives || !self.is_seen {
            send_to_group(self.leader, signal);
        }
        for process in &self.known {
            send(process.pid, signal);
        }
        if signal == Signal::Kill {
            // Reaches all of a group at once: who starts another and ends, again and again, is never where it was last seen.
            self.groups.iter().for_each(|group| send_to_group(*group, signal));
        }
    }
}

/// The groups that hold members and nobody else.
fn groups_of(members: &HashSet<Process>, living: &[Process]) -> HashSet<u32> {
    let members: HashSet<u32> = members.iter().map(|process| process.pid).collect();
    let (own, others): (Vec<&Process>, Vec<&Process>) = living.iter().partition(|process| members.contains(&process.pid));
    let of_others: HashSet<u32> = others.into_iter().map(|process| process.group).collect();
    own.into_iter().map(|process| process.group).filter(|group| !of_others.contains(group)).collect()
}

impl Drop for Family {
    fn drop(&mut self) {
        if !self.cleared {
            self.look();
            self.signal(Signal::Kill);
            for _ in 0..DROP_ROUNDS {
                if self.look() == 0 {
                    break;
                }
                self.signal(Signal::Kill);
            }
        }
        reaper::ended(self.leader, |pid| send(pid, Signal::Kill));
    }
}

/// The stop ladder: interrupt, terminate, kill, with `step` between them. Returns once the whole family has ended.
pub(crate) async fn stop(child: &mut Child, family: &mut Family, step: Duration) -> io::Result<ExitStatus> {
    // Processes listed now are found later too, when their parent is gone and they are in a separate session.
    family.look();
    family.signal(Signal::Interrupt);
    if let Ok(status) = tokio::time::timeout(step, child.wait()).await {
        family.clear(Courtesy::Ask).await;
        return status;
    }
    family.look();
    family.signal(Signal::Terminate);
    if let Ok(status) = tokio::time::timeout(step, child.wait()).await {
        family.clear(Courtesy::None).await;
        return status;
    }
    family.look();
    family.signal(Signal::Kill);
    child.start_kill()?;
    let status = child.wait().await;
    family.clear(Courtesy::None).await;
    status
}

fn carries(pid: u32, marks: &RunMarks) -> bool {
    table::variables(pid, RunMarks::OWN) == Some(marks.own())
}

/// This process and its ancestors: a Ralph running below another Ralph's agent must not end itself.
pub(super) fn own_line(living: &[Process]) -> HashSet<u32> {
    let mut line = HashSet::new();
    let mut pid = std::process::id();
    while line.insert(pid) {
        match living.iter().find(|process| process.pid == pid) {
            Some(process) => pid = process.parent,
            None => break,
        }
    }
    line
}

#[cfg(unix)]
fn number(signal: Signal) -> rustix::process::Signal {
    match signal {
        Signal::Interrupt => rustix::process::Signal::INT,
        Signal::Terminate => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
    }
}

/// A process already gone needs no signal; one of another user can't be signaled.
#[cfg(unix)]
pub(super) fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, number(signal));
    }
}

#[cfg(unix)]
fn send_to_group(leader: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, number(signal));
    }
}

/// Windows has no signals: the first step ends the leader with all that its job holds. Others are not known.
#[cfg(windows)]
pub(super) fn send(pid: u32, _signal: Signal) {
    super::job::end(pid);
}

#[cfg(windows)]
fn send_to_group(leader: u32, signal: Signal) {
    send(leader, signal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_with_somebody_else_is_not_signalled_as_a_whole() {
        let process = |pid, group| Process { pid, parent: 1, group, started: 1 };
        let living = [process(2, 2), process(3, 2), process(4, 4), process(5, 4), process(6, 6)];
        let members = HashSet::from([process(2, 2), process(3, 2), process(4, 4), process(9, 9)]);
        assert_eq!(groups_of(&members, &living), HashSet::from([2]));
    }
}
