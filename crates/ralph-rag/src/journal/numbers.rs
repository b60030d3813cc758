//! Numbers of tasks and iterations in lines. They mean something only together with the database that assigned them.

use super::{Event, Knowledge, Line};
use ralph_core::replica::{IterationRef, ReplicaId};
use ralph_core::{IterationId, TaskId};

/// More than any project assigns. A greater number was made up, and would leave too few for the future.
const GREATEST: u32 = 1_000_000_000;

/// The greatest numbers of a task and of an iteration that a database assigned, according to lines and knowledge; 0 if there is none. After
/// a restoration from an older copy the task and the iteration may no longer exist.
pub fn numbers_of<'l>(replica: &ReplicaId, known: &Knowledge, lines: impl Iterator<Item = &'l Line>) -> (TaskId, IterationId) {
    let (mut tasks, mut iterations) = (Vec::new(), Vec::new());
    let learnings = known.learnings.values().map(|l| (&l.replica, l.task_id, l.iteration));
    let episodes = known.episodes.values().map(|e| (&e.replica, e.task_id, e.iteration));
    let facts = known.facts.values().map(|f| (&f.replica, f.task_id, f.iteration));
    for (_, task, iteration) in learnings.chain(episodes).chain(facts).filter(|(of, ..)| of.as_ref() == Some(replica)) {
        tasks.extend(task);
        iterations.extend(iteration);
    }
    let seen = known.observations.iter().filter(|(_, seen)| seen.replica.as_ref() == Some(replica));
    iterations.extend(seen.map(|(_, IterationRef { iteration, .. })| *iteration));
    for line in lines.filter(|line| line.replica.as_ref() == Some(replica)) {
        match &line.event {
            Event::Iteration { iteration, task, .. } => {
                tasks.push(*task);
                iterations.push(*iteration);
            }
            Event::Thinned { task, .. } => tasks.push(*task),
            _ => {}
        }
    }
    let greatest = |numbers: Vec<u32>| numbers.into_iter().filter(|number| *number <= GREATEST).max().unwrap_or(0);
    (greatest(tasks), greatest(iterations))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::replay;
    use crate::testing::learning;
    use ralph_core::learning::FeatureLearning;
    use ralph_core::run::Outcome;
    use ralph_core::time::Timestamp;

    #[test]
    fn only_the_numbers_of_the_database_itself_count_and_none_that_was_made_up() {
        let line = |number: u32, replica: &str, event| Line {
            v: 2,
            id: format!("{number:0>26}"),
            at: Timestamp(1),
            offset: None,
            replica: Some(replica.to_owned()),
            act: None,
            event,
        };
        let learned = |number: u32, replica: &str, task_id: u32, iteration: u32| {
            let of = FeatureLearning {
                task_id: Some(task_id),
                iteration: Some(iteration),
                replica: Some(replica.to_owned()),
                ..learning(format!("L{number}"), "Sums are in cents")
            };
            line(number, replica, Event::Learned { learning: Box::new(of), gate: None })
        };
        let ended = |number: u32, replica: &str, task: u32, iteration: u32| {
            line(number, replica, Event::Iteration { iteration, task, outcome: Outcome::Done, model: "m".into(), told: Vec::new() })
        };
        let lines =
            [learned(1, "A", 3, 5), ended(2, "A", 2, 9), learned(3, "B", 70, 70), ended(4, "B", 80, 80), ended(5, "A", u32::MAX, 4)];
        let known = replay(lines.clone());
        let of = |replica: &str| numbers_of(&replica.to_owned(), &known, lines.iter());
        assert_eq!((of("A"), of("B"), of("C")), ((3, 9), (80, 80), (0, 0)));
    }
}
