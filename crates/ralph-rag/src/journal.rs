//! The journal: every change of knowledge as one versioned JSON line, and the way back from lines to knowledge.
//!
//! The journal is the source of truth (RULINGS 000.7). Ids are globally unique and grow with time, so lines of two clones
//! merge by line; replay sorts and dedupes by id, and skips, by name, what it can't read.

use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{ConflictChoice, FeatureLearning, JournalEntry, LearningState};
use ralph_core::run::Outcome;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, LearningId, TaskId, text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the line format that this program writes.
pub const VERSION: u32 = 1;

/// One line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Version of the format.
    pub v: u32,
    /// ULID: unique over all clones, growing within one database.
    pub id: String,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What can happen to a feature's knowledge.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The feature was made or one of its fields changed: the whole record.
    Feature {
        /// The record.
        feature: Box<FeatureRecord>,
    },
    /// A learning was stored: active, or parked when there was no room.
    Learned {
        /// The whole record.
        learning: Box<FeatureLearning>,
    },
    /// A known learning was met again.
    Observed {
        /// The known one.
        learning: LearningId,
        /// In which iteration.
        iteration: Option<u32>,
        /// Whether it counted: a distinct iteration.
        counted: bool,
    },
    /// Someone reviewed a learning.
    Reviewed {
        /// Which.
        learning: LearningId,
        /// Who.
        by: String,
    },
    /// Gave its place to another.
    Pruned {
        /// Which.
        learning: LearningId,
        /// To whom.
        for_learning: LearningId,
    },
    /// Put away by a person.
    Retired {
        /// Which.
        learning: LearningId,
    },
    /// Active again.
    Restored {
        /// Which.
        learning: LearningId,
    },
    /// No longer active for want of room.
    Parked {
        /// Which.
        learning: LearningId,
    },
    /// Replaced by a newer one.
    Superseded {
        /// Which.
        learning: LearningId,
        /// By which.
        by: LearningId,
    },
    /// Two learnings contradict each other.
    Conflict {
        /// The one that was there.
        older: LearningId,
        /// The one that came.
        newer: LearningId,
    },
    /// A person decided a conflict.
    ConflictResolved {
        /// The one that was there.
        older: LearningId,
        /// The one that came.
        newer: LearningId,
        /// The decision.
        choice: ConflictChoice,
    },
    /// Left for another feature with its task.
    MovedOut {
        /// Which.
        learning: LearningId,
        /// Name of the feature it went to.
        to: String,
    },
    /// Came from another feature with its task.
    MovedIn {
        /// The whole record as it is here.
        learning: Box<FeatureLearning>,
        /// Name of the feature it came from.
        from: String,
    },
    /// An iteration on one of the feature's tasks ended.
    Iteration {
        /// Its number.
        iteration: IterationId,
        /// Its task.
        task: TaskId,
        /// What became of it.
        outcome: Outcome,
        /// Model.
        model: String,
        /// Learnings that were in its prompt: they were used.
        told: Vec<LearningId>,
    },
}

/// A feature without what is only this database's own (its row number).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the fields are those of `Feature`")]
pub struct FeatureRecord {
    pub name: String,
    pub display_name: String,
    pub acronym: String,
    pub description: String,
    pub architecture: String,
    pub boundaries: String,
    pub context_files: Vec<String>,
    pub knowledge_paths: Vec<String>,
    pub dependencies: Vec<String>,
    pub parent: Option<String>,
    pub state: FeatureState,
    pub max_learnings: Option<u32>,
    pub created: Timestamp,
    pub updated: Timestamp,
}

impl Default for FeatureRecord {
    fn default() -> Self {
        FeatureRecord {
            name: String::new(),
            display_name: String::new(),
            acronym: String::new(),
            description: String::new(),
            architecture: String::new(),
            boundaries: String::new(),
            context_files: Vec::new(),
            knowledge_paths: Vec::new(),
            dependencies: Vec::new(),
            parent: None,
            state: FeatureState::Active,
            max_learnings: None,
            created: Timestamp::default(),
            updated: Timestamp::default(),
        }
    }
}

impl From<&Feature> for FeatureRecord {
    fn from(f: &Feature) -> Self {
        FeatureRecord {
            name: f.name.clone(),
            display_name: f.display_name.clone(),
            acronym: f.acronym.clone(),
            description: f.description.clone(),
            architecture: f.architecture.clone(),
            boundaries: f.boundaries.clone(),
            context_files: f.context_files.clone(),
            knowledge_paths: f.knowledge_paths.clone(),
            dependencies: f.dependencies.clone(),
            parent: f.parent.clone(),
            state: f.state,
            max_learnings: f.max_learnings,
            created: f.created,
            updated: f.updated,
        }
    }
}

impl From<FeatureRecord> for Feature {
    fn from(f: FeatureRecord) -> Self {
        Feature {
            id: 0,
            name: f.name,
            display_name: f.display_name,
            acronym: f.acronym,
            description: f.description,
            architecture: f.architecture,
            boundaries: f.boundaries,
            context_files: f.context_files,
            knowledge_paths: f.knowledge_paths,
            dependencies: f.dependencies,
            parent: f.parent,
            state: f.state,
            max_learnings: f.max_learnings,
            created: f.created,
            updated: f.updated,
        }
    }
}

impl Event {
    /// The word in the line.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Feature { .. } => "feature",
            Event::Learned { .. } => "learned",
            Event::Observed { .. } => "observed",
            Event::Reviewed { .. } => "reviewed",
            Event::Pruned { .. } => "pruned",
            Event::Retired { .. } => "retired",
            Event::Restored { .. } => "restored",
            Event::Parked { .. } => "parked",
            Event::Superseded { .. } => "superseded",
            Event::Conflict { .. } => "conflict",
            Event::ConflictResolved { .. } => "conflict_resolved",
            Event::MovedOut { .. } => "moved_out",
            Event::MovedIn { .. } => "moved_in",
            Event::Iteration { .. } => "iteration",
        }
    }
}

impl Line {
    /// The line as it is written, without the line feed.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("events hold only strings, numbers and lists")
    }

    /// The line as the screen shows it.
    pub fn entry(&self) -> JournalEntry {
        let (learning, summary) = self.summary();
        JournalEntry { id: self.id.clone(), at: self.at, event: self.event.name().to_owned(), learning, summary }
    }

    fn summary(&self) -> (Option<LearningId>, String) {
        match &self.event {
            Event::Feature { feature } => (
                None,
                format!("Feature '{}' is {}, parent {}", feature.display_name, feature.state, feature.parent.as_deref().unwrap_or("none")),
            ),
            Event::Learned { learning } => {
                (Some(learning.id.clone()), format!("{} ({}): {}", learning.state, learning.source, text::cut(&learning.text, 160)))
            }
            Event::Observed { learning, iteration, counted } => {
                let place = iteration.map_or_else(|| "outside an iteration".to_owned(), |i| format!("in iteration {i}"));
                (Some(learning.clone()), format!("Seen again {place}{}", if *counted { "" } else { ", not counted" }))
            }
            Event::Reviewed { learning, by } => (Some(learning.clone()), format!("Reviewed by {by}")),
            Event::Pruned { learning, for_learning } => (Some(learning.clone()), format!("Pruned for {for_learning}")),
            Event::Retired { learning } => (Some(learning.clone()), "Retired".to_owned()),
            Event::Restored { learning } => (Some(learning.clone()), "Restored".to_owned()),
            Event::Parked { learning } => (Some(learning.clone()), "Parked for want of room".to_owned()),
            Event::Superseded { learning, by } => (Some(learning.clone()), format!("Superseded by {by}")),
            Event::Conflict { older, newer } => (Some(newer.clone()), format!("Contradicts {older}")),
            Event::ConflictResolved { older, newer, choice } => (Some(newer.clone()), format!("Conflict with {older} decided: {choice}")),
            Event::MovedOut { learning, to } => (Some(learning.clone()), format!("Moved to '{to}' with its task")),
            Event::MovedIn { learning, from } => {
                (Some(learning.id.clone()), format!("Came from '{from}' with its task: {}", text::cut(&learning.text, 160)))
            }
            Event::Iteration { iteration, task, outcome, model, .. } => {
                (None, format!("Iteration {iteration} on #{task} with {model}: {outcome}"))
            }
        }
    }
}

/// Knowledge as the journals tell it.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Knowledge {
    /// Features by name.
    pub features: BTreeMap<String, Feature>,
    /// Learnings by id, each with its feature.
    pub learnings: BTreeMap<LearningId, FeatureLearning>,
    /// Iterations that observed a learning.
    pub observations: BTreeSet<(LearningId, u32)>,
    /// Conflicts that no person has decided: older, newer.
    pub open_conflicts: BTreeSet<(LearningId, LearningId)>,
    /// The greatest event id.
    pub last_event: Option<String>,
}

/// What could not be read, told to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedLine {
    /// File name of the journal.
    pub file: String,
    /// Line number from 1.
    pub line: u32,
    /// What is wrong with it.
    pub fault: String,
}

/// Reads the lines of one journal. A torn last line, like any other that can't be read, is skipped and told.
pub fn parse(file: &str, bytes: &[u8]) -> (Vec<Line>, Vec<SkippedLine>) {
    let mut lines = Vec::new();
    let mut skipped = Vec::new();
    for (index, raw) in bytes.split(|b| *b == b'\n').enumerate() {
        if raw.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Line>(raw) {
            Ok(line) if line.v <= VERSION => lines.push(line),
            Ok(line) => skipped.push(skip(file, index, format!("version {} is newer than {VERSION}", line.v))),
            Err(error) => skipped.push(skip(file, index, error.to_string())),
        }
    }
    (lines, skipped)
}

fn skip(file: &str, index: usize, fault: String) -> SkippedLine {
    SkippedLine { file: file.to_owned(), line: u32::try_from(index + 1).unwrap_or(u32::MAX), fault }
}

/// Replays events of any number of journals, in any order, into knowledge. Each event counts once.
pub fn replay(lines: impl IntoIterator<Item = Line>) -> Knowledge {
    let sorted: BTreeMap<String, Line> = lines.into_iter().map(|l| (l.id.clone(), l)).collect();
    let mut knowledge = Knowledge::default();
    for (id, line) in sorted {
        knowledge.apply(line);
        knowledge.last_event = Some(id);
    }
    knowledge
}

impl Knowledge {
    fn apply(&mut self, line: Line) {
        let at = line.at;
        match line.event {
            Event::Feature { feature } => {
                self.features.insert(feature.name.clone(), Feature::from(*feature));
            }
            Event::Learned { learning } => {
                self.observations.extend(learning.iteration.map(|i| (learning.id.clone(), i)));
                self.learnings.insert(learning.id.clone(), *learning);
            }
            Event::MovedIn { learning, .. } => {
                self.learnings.insert(learning.id.clone(), *learning);
            }
            // The other side of the move carries the record.
            Event::MovedOut { .. } => {}
            Event::Observed { learning, iteration, counted } => {
                if counted {
                    self.observations.extend(iteration.map(|i| (learning.clone(), i)));
                    self.change(&learning, |l| l.hit_count += 1);
                }
            }
            Event::Reviewed { learning, by } => self.change(&learning, |l| {
                l.reviewed_by = Some(by);
                l.review_count += 1;
            }),
            Event::Pruned { learning, .. } => self.set_state(&learning, LearningState::Pruned),
            Event::Retired { learning } => self.set_state(&learning, LearningState::Retired),
            Event::Restored { learning } => self.change(&learning, |l| {
                l.state = LearningState::Active;
                l.superseded_by = None;
            }),
            Event::Parked { learning } => self.set_state(&learning, LearningState::Parked),
            Event::Superseded { learning, by } => self.change(&learning, |l| {
                l.state = LearningState::Superseded;
                l.superseded_by = Some(by);
            }),
            Event::Conflict { older, newer } => {
                self.open_conflicts.insert((older, newer));
            }
            Event::ConflictResolved { older, newer, .. } => {
                self.open_conflicts.remove(&(older, newer));
            }
            Event::Iteration { told, .. } => {
                for id in told {
                    self.change(&id, |l| l.last_used = Some(at));
                }
            }
        }
    }

    fn set_state(&mut self, id: &str, state: LearningState) {
        self.change(id, |l| l.state = state);
    }

    /// An event about a learning whose journal is missing changes nothing: half a clone is still readable.
    fn change(&mut self, id: &str, change: impl FnOnce(&mut FeatureLearning)) {
        if let Some(learning) = self.learnings.get_mut(id) {
            change(learning);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::learning::LearningSource;

    fn learning(id: &str) -> Box<FeatureLearning> {
        Box::new(FeatureLearning {
            id: id.into(),
            feature: "pay".into(),
            text: "Refunds use the provider clock".into(),
            reason: None,
            category: "pitfall".into(),
            tags: vec!["src/refund.rs".into()],
            source: LearningSource::Agent,
            task_id: Some(7),
            iteration: Some(1),
            created: Timestamp(1_000),
            last_used: None,
            hit_count: 1,
            reviewed_by: None,
            review_count: 0,
            state: LearningState::Active,
            superseded_by: None,
            conflicts_with: vec![],
        })
    }

    fn line(id: &str, event: Event) -> Line {
        Line { v: VERSION, id: id.into(), at: Timestamp(5_000), event }
    }

    #[test]
    fn a_line_reads_like_this() {
        let line = line("01", Event::Observed { learning: "L1".into(), iteration: Some(4), counted: true });
        insta::assert_snapshot!(line.to_json(), @r#"{"v":1,"id":"01","at":"1970-01-01T00:00:05.000Z","event":"observed","learning":"L1","iteration":4,"counted":true}"#);
    }

    #[test]
    fn replay_is_the_same_in_any_order_and_counts_each_event_once() {
        let lines = vec![
            line("01", Event::Learned { learning: learning("L1") }),
            line("02", Event::Observed { learning: "L1".into(), iteration: Some(2), counted: true }),
            line("03", Event::Observed { learning: "L1".into(), iteration: Some(2), counted: false }),
            line("04", Event::Iteration { iteration: 9, task: 7, outcome: Outcome::Done, model: "sonnet".into(), told: vec!["L1".into()] }),
            line("05", Event::Retired { learning: "L1".into() }),
        ];
        let straight = replay(lines.clone());
        let mut twice: Vec<Line> = lines.iter().rev().cloned().collect();
        twice.extend(lines);
        assert_eq!(replay(twice), straight);
        let result = &straight.learnings["L1"];
        assert_eq!((result.hit_count, result.state, result.last_used), (2, LearningState::Retired, Some(Timestamp(5_000))));
    }

    #[test]
    fn a_move_is_known_from_the_target_alone() {
        let mut moved = learning("L1");
        moved.feature = "refunds".into();
        let knowledge = replay(vec![line("02", Event::MovedIn { learning: moved, from: "pay".into() })]);
        assert_eq!(knowledge.learnings["L1"].feature, "refunds");
    }

    #[test]
    fn torn_binary_and_newer_lines_are_skipped_by_name() {
        let good = line("01", Event::Retired { learning: "L1".into() }).to_json();
        let newer = good.replace("\"v\":1", "\"v\":99");
        let bytes = [good.as_bytes(), b"\n\n\xff\xfe\n", newer.as_bytes(), b"\n", &good.as_bytes()[..30]].concat();
        let (lines, skipped) = parse("pay.jsonl", &bytes);
        assert_eq!(lines.len(), 1);
        assert_eq!(skipped.iter().map(|s| s.line).collect::<Vec<_>>(), [3, 4, 5]);
        assert!(skipped[1].fault.contains("newer"), "{skipped:?}");
    }
}
