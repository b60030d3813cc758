//! One life of a world: a project of its own, worked on by the real `ralph`, and what became of it.

use super::script::{KNOWS_CAUSE, LOG};
use super::{Arm, World};
use crate::{Running, Sandbox};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The one feature that all work belongs to.
const FEATURE: &str = "shop";
/// Longest that a life may take: a hundred processes, on a machine that has other work too.
const LIMIT: Duration = Duration::from_secs(1_800);

/// What one attempt came to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    /// Was told the lesson and followed it.
    Told,
    /// Avoided the pitfall without being told.
    Luck,
    /// Fell into the pitfall.
    Fell,
    /// Did the wrong thing, because it was told to.
    Misled,
}

impl Event {
    fn of(word: &str) -> Event {
        match word {
            "told" => Event::Told,
            "luck" => Event::Luck,
            "fell" => Event::Fell,
            "misled" => Event::Misled,
            other => panic!("the agent of the world did '{other}'"),
        }
    }

    /// Whether the attempt failed.
    pub fn fails(self) -> bool {
        matches!(self, Event::Fell | Event::Misled)
    }
}

/// One attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which pitfall its task hides.
    pub pitfall: usize,
    /// What it came to.
    pub event: Event,
    /// Whether it failed and left the agent with the cause, which it then handed in as a lesson.
    pub knows_cause: bool,
}

/// A life of a world in one arm.
#[derive(Clone, PartialEq, Debug)]
pub struct Life {
    /// Its attempts in order.
    pub steps: Vec<Step>,
    /// Tasks that are done.
    pub done: usize,
    /// Characters that all its prompts hold from memory: attempts, learnings, status.
    pub memory_chars: usize,
    /// Learnings that are active at the end.
    pub learnings: usize,
}

impl Life {
    /// Attempts that failed as an earlier one had: in the same pitfall, or misled about it again.
    pub fn repeated_failures(&self) -> usize {
        let mut met = BTreeSet::new();
        self.steps.iter().filter(|step| step.event.fails() && !met.insert((step.pitfall, step.event))).count()
    }

    /// Attempts that fell into a pitfall whose lesson had been handed in before, so that they had not been told it.
    pub fn untold(&self) -> usize {
        let mut known = BTreeSet::new();
        let falls_untold = |step: &&Step| {
            let untold = step.event == Event::Fell && known.contains(&step.pitfall);
            known.extend(step.knows_cause.then_some(step.pitfall));
            untold
        };
        self.steps.iter().filter(falls_untold).count()
    }

    /// Attempts in each third of the life, and how many of them were misled.
    pub fn misled_by_thirds(&self) -> [(usize, usize); 3] {
        let mut thirds = [(0, 0); 3];
        for (place, step) in self.steps.iter().enumerate() {
            let third = &mut thirds[place * 3 / self.steps.len()];
            *third = (third.0 + 1, third.1 + usize::from(step.event == Event::Misled));
        }
        thirds
    }
}

impl World {
    /// Runs the world with the real `ralph`: one process per iteration of its agent.
    ///
    /// # Panics
    /// When `ralph` fails, or its account differs from that of the agent.
    pub fn live(&self, arm: Arm) -> Life {
        let sandbox = Sandbox::with_project();
        sandbox.ralph_ok(&["feature", "create", FEATURE, "--max-learnings", "1000"]);
        if arm != Arm::NoMemory {
            self.begin_with_lessons(&sandbox);
        }
        let earlier = learnings(&sandbox);
        let numbers: Vec<u64> = self.tasks.iter().map(|task| create(&sandbox, &task.title, &task.description)).collect();
        play(&sandbox, &self.script(arm, &numbers), &["--max-iterations", &self.size.iterations.to_string()]);
        let pitfalls: BTreeMap<u64, usize> = numbers.iter().zip(&self.tasks).map(|(number, task)| (*number, task.pitfall)).collect();
        let account = account(&sandbox);
        let step = |done: &Done| Step { pitfall: pitfalls[&done.task], event: done.event, knows_cause: done.knows_cause };
        let steps: Vec<Step> = account.iter().map(step).collect();
        let done = self.check(&sandbox, &account);
        assert!(learnings(&sandbox) >= earlier, "nothing is pruned: the cap is far");
        let memory_chars =
            account.iter().map(|done| memory_chars(&sandbox.read(format!(".ralph/db/logs/{}.prompt.md", done.iteration)))).sum();
        Life { steps, done, memory_chars, learnings: learnings(&sandbox) }
    }

    /// The lessons of earlier work, reported as any agent would.
    fn begin_with_lessons(&self, sandbox: &Sandbox) {
        for script in self.earlier_work() {
            create(sandbox, "Write down what is known", "");
            play(sandbox, &script, &["--max-iterations", "1"]);
        }
        assert_eq!(learnings(sandbox), self.distractors.len(), "each lesson of earlier work is kept as one of its own");
    }

    /// Compares the agent's account with Ralph's, and returns the number of tasks that are done.
    fn check(&self, sandbox: &Sandbox, account: &[Done]) -> usize {
        let export = sandbox.ralph_ok(&["export"]);
        let rows = export["iterations"].as_array().expect("an export lists iterations");
        for Done { iteration, task, event, .. } in account {
            let row = rows.iter().find(|row| row["id"] == *iteration).expect("each attempt has its row");
            let outcome = if event.fails() { "failed" } else { "done" };
            assert!(row["task"] == *task && row["outcome"] == outcome, "{event:?} in {row}");
        }
        let first = account.first().map_or(u64::MAX, |done| done.iteration);
        let played = rows.iter().filter(|row| row["id"].as_u64() >= Some(first)).count();
        assert_eq!(played, account.len(), "each iteration is one attempt");
        account.iter().filter(|done| !done.event.fails()).count()
    }
}

fn create(sandbox: &Sandbox, title: &str, description: &str) -> u64 {
    let task = sandbox.ralph_ok(&["task", "create", "--feature", FEATURE, "--title", title, "--description", description]);
    task["id"].as_u64().expect("a task has a number")
}

fn play(sandbox: &Sandbox, script: &str, more: &[&str]) {
    sandbox.write(".ralph/world.script", script);
    let args = [&["run", "--agent", "scripted", "--script", ".ralph/world.script"], more].concat();
    let output = Running::start(&mut sandbox.ralph_command(&args), None).wait(LIMIT);
    // Other exit codes are results of a run; these two mean that there was none.
    assert!(!matches!(output.status.code(), None | Some(1 | 2)), "ralph {args:?}: {}\n{}", output.status, output.stderr);
}

fn learnings(sandbox: &Sandbox) -> usize {
    sandbox.ralph_ok(&["learning", "list", "--feature", FEATURE]).as_array().map_or(0, Vec::len)
}

/// What the agent says it did in one iteration.
struct Done {
    iteration: u64,
    task: u64,
    event: Event,
    knows_cause: bool,
}

fn account(sandbox: &Sandbox) -> Vec<Done> {
    let read = |line: &str| {
        let (line, knows_cause) = line.strip_suffix(KNOWS_CAUSE).map_or((line, false), |line| (line, true));
        let mut words = line.split(' ');
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number in the world's log");
        Done { iteration: number(), task: number(), event: Event::of(words.next().unwrap_or_default()), knows_cause }
    };
    sandbox.read(LOG).lines().map(read).collect()
}

/// Characters from the first heading of a prompt's memory to the following part.
fn memory_chars(prompt: &str) -> usize {
    let Some(from) = prompt.find("\n### ") else { return 0 };
    let to = prompt[from..].find("\n# ").map_or(prompt.len(), |length| from + length);
    prompt[from..to].chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(events: &[(usize, Event)]) -> Life {
        let steps = events.iter().map(|(pitfall, event)| Step { pitfall: *pitfall, event: *event, knows_cause: false }).collect();
        Life { steps, done: 0, memory_chars: 0, learnings: 0 }
    }

    #[test]
    fn a_failure_is_repeated_when_its_cause_was_met_before() {
        use Event::{Fell, Luck, Misled, Told};
        for (events, repeated) in [
            (&[(1, Fell), (2, Fell), (1, Luck)][..], 0),
            (&[(1, Fell), (1, Fell), (1, Told), (1, Fell)], 2),
            (&[(1, Fell), (1, Misled), (1, Misled)], 1),
        ] {
            assert_eq!(life(events).repeated_failures(), repeated, "{events:?}");
        }
    }

    #[test]
    fn a_fall_is_untold_when_the_lesson_had_been_handed_in() {
        use Event::{Fell, Misled, Told};
        let mut lived = life(&[(1, Fell), (2, Fell), (1, Told), (1, Fell), (2, Fell), (1, Misled)]);
        lived.steps[0].knows_cause = true;
        assert_eq!(lived.untold(), 1);
    }

    #[test]
    fn thirds_count_every_attempt_once() {
        use Event::{Fell, Misled};
        let of_seven = life(&[(1, Misled), (1, Fell), (1, Fell), (1, Misled), (1, Fell), (1, Fell), (1, Misled)]);
        assert_eq!(of_seven.misled_by_thirds(), [(3, 1), (2, 1), (2, 1)]);
        assert_eq!(life(&[]).misled_by_thirds(), [(0, 0); 3]);
    }

    #[test]
    fn memory_is_what_stands_between_the_task_and_the_report() {
        assert_eq!(memory_chars("# Your task\nx\n\n### Loop Status\nä\n\n# How to report\n"), "\n### Loop Status\nä\n".chars().count());
        assert_eq!(memory_chars("# Your task\nx\n\n# How to report\n"), 0);
    }
}
