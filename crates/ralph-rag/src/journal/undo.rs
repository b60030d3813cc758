//! How things stood before a decision, so that it can be taken back: the journal still knows.

use super::{Event, Line, replay};
use ralph_core::LearningId;
use ralph_core::learning::LearningState;
use std::collections::BTreeMap;

/// What a commit did to one learning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub learning: LearningId,
    /// Its state before the commit.
    pub before: LearningState,
    /// Its state after it.
    pub after: LearningState,
}

/// An event with the changes that were committed with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What was decided.
    pub event: Event,
    /// Learnings that have another state since.
    pub changes: Vec<Change>,
}

/// The newest event that is `about` the matter, in lines of any number of journals and in any order.
pub fn last_decision(lines: impl IntoIterator<Item = Line>, about: impl Fn(&Event) -> bool) -> Option<Decision> {
    let mut earlier: BTreeMap<String, Line> = lines.into_iter().map(|line| (line.id.clone(), line)).collect();
    let decided = earlier.values().rev().find(|line| about(&line.event))?.clone();
    let later = earlier.split_off(&decided.id);
    let before = replay(earlier.into_values());
    let mut after = before.clone();
    // The lines of one commit have one time; what another clone wrote in between has its own.
    let commit = later.into_values().skip(1).filter(|line| line.at == decided.at).take_while(|line| follows(&line.event));
    for line in commit {
        after.apply(line);
    }
    let changes = before.learnings.into_iter().filter_map(|(id, learning)| {
        let state = after.learnings.get(&id)?.state;
        (state != learning.state).then_some(Change { learning: id, before: learning.state, after: state })
    });
    Some(Decision { event: decided.event, changes: changes.collect() })
}

/// Whether an event only carries out what was decided just before it.
fn follows(event: &Event) -> bool {
    matches!(
        event,
        Event::Retired { .. } | Event::Superseded { .. } | Event::Restored { .. } | Event::Pruned { .. } | Event::KeptApart { .. }
    )
}
