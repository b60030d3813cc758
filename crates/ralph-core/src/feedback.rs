//! Feedback: what was selected of what recall found, what is learnt from that, and what it does to a learning's place.

use crate::LearningId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Whether terms are learnt from selections, and whether they count.
    #[derive(Default)]
    FeedbackMode {
        /// Nothing is learnt, and no feedback has an effect.
        Off = "off",
        /// Terms are learnt and tried beside every question; the order that is answered never follows them.
        #[default]
        Shadow = "shadow",
        /// They count, as soon as every gate is open; until then as in the shadow.
        On = "on",
    }
}

crate::word_enum! {
    /// What somebody did with a memory that they were shown or told.
    SelectionKind {
        /// A person opened it.
        Opened = "opened",
        /// A person copied it.
        Copied = "copied",
        /// An agent named its id in its own words.
        Cited = "cited",
        /// Somebody said that it helped.
        Useful = "useful",
        /// Somebody said that it did not.
        NotUseful = "not_useful",
        /// An iteration succeeded that was told it.
        Succeeded = "succeeded",
    }
}

impl SelectionKind {
    /// How much it says, from −1 to 1. Provisional: set by what each act costs whoever does it, not measured.
    pub fn weight(self) -> f64 {
        match self {
            SelectionKind::Opened => 0.3,
            SelectionKind::Copied => 0.6,
            SelectionKind::Cited => 0.7,
            SelectionKind::Useful => 1.0,
            SelectionKind::NotUseful => -1.0,
            SelectionKind::Succeeded => 0.1,
        }
    }

    /// Whether it is strong enough to learn from: a success has many causes, and who opens something may be disappointed.
    pub fn validates(self) -> bool {
        self.weight() >= 0.6
    }
}

crate::word_enum! {
    /// How much stands behind a learning by what people and agents said of it.
    #[derive(Default)]
    Importance {
        /// As it came.
        #[default]
        Normal = "normal",
        /// Five validations.
        Important = "important",
        /// Ten.
        Critical = "critical",
    }
}

crate::word_enum! {
    /// Who selects, without a number: what a rollback names.
    SelectionSource {
        /// A person.
        Person = "person",
        /// An agent, at work for Ralph or not.
        Agent = "agent",
        /// The loop, by how an iteration ended.
        Run = "run",
    }
}

crate::word_enum! {
    /// Why learned terms are no longer in force.
    TermsDropped {
        /// A learning holds eight; the weakest made room.
        Evicted = "evicted",
        /// A person took them back.
        RolledBack = "rolled_back",
    }
}

/// A term by which a learning is found since somebody chose it for a question that had the term.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearnedTerm {
    /// One word in lower case.
    pub term: String,
    /// When it was learnt last.
    pub learnt: Timestamp,
    /// By whose selection: `person`, `run`, `agent` or `agent:ITERATION@REPLICA`.
    pub by: String,
    /// Id of the question.
    pub query: String,
    /// The learning's place there, from 1.
    pub rank: u32,
}

/// Somebody's word about a learning, as far as it counts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Validation {
    /// Whether it helped.
    pub useful: bool,
    /// When.
    pub at: Timestamp,
    /// Whose.
    pub by: String,
    /// For which question, if for one.
    pub query: Option<String>,
}

/// What is known of a learning by feedback.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct Feedback {
    /// Terms that it was learnt by, oldest first.
    pub terms: Vec<LearnedTerm>,
    /// What was said of it, oldest first.
    pub validations: Vec<Validation>,
    /// How much stands behind it.
    pub importance: Importance,
    /// When it was promoted last.
    pub promoted: Option<Timestamp>,
}

impl Feedback {
    /// Whether nothing was ever said.
    pub fn is_empty(&self) -> bool {
        *self == Feedback::default()
    }

    /// Those who said that it helped.
    pub fn useful(&self) -> u32 {
        u32::try_from(self.validations.iter().filter(|v| v.useful).count()).unwrap_or(u32::MAX)
    }

    /// Those who said that it did not.
    pub fn not_useful(&self) -> u32 {
        u32::try_from(self.validations.iter().filter(|v| !v.useful).count()).unwrap_or(u32::MAX)
    }
}

/// The source of a selection by the name of who selected.
pub fn source_of(by: &str) -> SelectionSource {
    match by.split(':').next().unwrap_or_default() {
        "agent" => SelectionSource::Agent,
        "run" => SelectionSource::Run,
        _ => SelectionSource::Person,
    }
}

/// A selection, as it is handed in.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NewSelection {
    /// The learning.
    pub learning: LearningId,
    /// What was done with it.
    pub kind: SelectionKind,
    /// Id of the question that found it: `query` of a recall's answer.
    pub query: Option<String>,
}

/// What came of a selection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SelectionOutcome {
    /// Id of the selection.
    pub id: String,
    /// The learning.
    pub learning: LearningId,
    /// What was done with it.
    pub kind: SelectionKind,
    /// Who is taken for having done it.
    pub by: String,
    /// Its place in the question's answer, from 1; none where the question is not known or did not find it.
    pub rank: Option<u32>,
    /// Whether it counts; the same word by the same hand counts once.
    pub counted: bool,
    /// Terms that were learnt by it.
    pub learnt: Vec<String>,
    /// Terms that made room for them.
    pub evicted: Vec<String>,
    /// Why nothing was learnt, where something might have been.
    pub not_learnt: Option<String>,
    /// How much stands behind the learning now.
    pub importance: Importance,
    /// By what feedback multiplies its score now; 1 = no effect.
    pub factor: f64,
}

/// What a rollback took back.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Rollback {
    /// Learnings that lost something.
    pub learnings: Vec<LearningId>,
    /// Terms that were taken back.
    pub terms: u32,
    /// Words about learnings that were taken back.
    pub validations: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weak_selection_teaches_nothing() {
        let teaching: Vec<&str> = SelectionKind::ALL.iter().filter(|k| k.validates()).map(|k| k.as_str()).collect();
        assert_eq!(teaching, ["copied", "cited", "useful"]);
        assert!(SelectionKind::ALL.iter().all(|k| (-1.0..=1.0).contains(&k.weight())));
    }

    #[test]
    fn who_selects_is_told_by_the_name_alone() {
        for (by, source) in [("person", "person"), ("agent", "agent"), ("agent:17@R", "agent"), ("run", "run")] {
            assert_eq!(source_of(by).as_str(), source);
        }
    }
}
