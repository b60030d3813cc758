//! The ancestors of this process.

use super::table;
use ralph_core::IterationId;
use std::path::PathBuf;

/// Repeated looks at the ancestors, where one ends at every look: no system starts processes that fast for long.
const LOOKS: usize = 10;

/// What the environment of a process says about whom it works for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The project's folder.
    pub project: Option<PathBuf>,
    /// Its iteration; 0 for what belongs to none, such as an errand, and if the mark can't be read.
    pub iteration: IterationId,
}

impl Mark {
    const NAMES: [&str; 2] = ["RALPH_PROJECT", "RALPH_ITERATION"];

    /// From the values of [`Mark::NAMES`]; `None` for a process that no agent or check started.
    fn of([project, iteration]: [Option<String>; 2]) -> Option<Mark> {
        Some(Mark { project: project.map(PathBuf::from), iteration: iteration?.parse().unwrap_or(0) })
    }
}

/// What is known about the origin of this process. If the system does not report ancestors, only its own mark is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Descent {
    /// Its ancestors, nearest first.
    pub pids: Vec<u32>,
    /// The marks with which its ancestors and it were started, the outermost first: a process may drop or forge those of what it starts,
    /// but not those that it was started with itself.
    pub marks: Vec<Mark>,
    /// One of its ancestors runs the same program, which starts agents and checks and nothing that a person types into.
    pub from_own_program: bool,
}

impl Descent {
    /// That of this process.
    pub fn of_this_process() -> Descent {
        let pids = ancestors();
        let above = pids.iter().rev().filter_map(|&pid| Mark::of(table::variables(pid, Mark::NAMES)?));
        let marks = above.chain(Mark::of(Mark::NAMES.map(|name| std::env::var(name).ok()))).collect();
        let own = table::program(std::process::id());
        let from_own_program = own.is_some() && pids.iter().any(|&pid| table::program(pid) == own);
        Descent { pids, marks, from_own_program }
    }

    /// Whether an agent or a check is behind it, whatever the project.
    pub fn is_of_an_agent(&self) -> bool {
        self.from_own_program || !self.marks.is_empty()
    }
}

/// A parent that ends meanwhile hands its children on to another process, so that the line is looked at again.
fn ancestors() -> Vec<u32> {
    let mut known = Vec::new();
    for _ in 0..LOOKS {
        let whole;
        (known, whole) = line();
        if whole {
            break;
        }
    }
    known
}

/// The ancestors as far as they can be seen, and whether that is all of them.
fn line() -> (Vec<u32>, bool) {
    let mut line = Vec::new();
    let mut pid = std::process::id();
    let parent_of = table::parents();
    loop {
        match parent_of(pid) {
            None => return (line, false),
            Some(parent) if parent == 0 || line.contains(&parent) => return (line, true),
            Some(parent) => {
                line.push(parent);
                pid = parent;
            }
        }
    }
}
