//! Feedback: selections among recalled memories, what is learned from them, and their effect on a learning's ranking.

use crate::limits;
use crate::replica::ReplicaId;
use crate::time::Timestamp;
use crate::{LearningId, count};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Whether terms are learned from selections, and whether they count.
    #[derive(Default)]
    FeedbackMode {
        /// Nothing is learned, and feedback has no effect.
        Off = "off",
        /// Terms are learned and evaluated on every question, but never affect the returned ranking.
        #[default]
        Shadow = "shadow",
        /// They count once every gate is open; until then as in shadow mode.
        On = "on",
    }
}

crate::word_enum! {
    /// What somebody did with a memory they were shown.
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
        /// An iteration that was shown it succeeded.
        Succeeded = "succeeded",
    }
}

impl SelectionKind {
    /// Weight as evidence, from −1 to 1. Provisional: set by the effort of each act, not measured.
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

    /// Whether it is strong enough to learn from: a success has many causes, and something that was opened may disappoint.
    pub fn validates(self) -> bool {
        self.weight() >= 0.6
    }
}

crate::word_enum! {
    /// Importance of a learning, by the feedback of people and agents.
    #[derive(Default)]
    Importance {
        /// The initial value.
        #[default]
        Normal = "normal",
        /// Five validations.
        Important = "important",
        /// Ten validations.
        Critical = "critical",
    }
}

impl Importance {
    /// Factor on the score of a learning. Provisional: set, not measured.
    pub fn factor(self) -> f64 {
        match self {
            Importance::Normal => 1.0,
            Importance::Important => 1.05,
            Importance::Critical => 1.1,
        }
    }
}

crate::word_enum! {
    /// Who selects, without a number: the unit of a rollback. In order of precedence.
    SelectionSource {
        /// A person.
        Person = "person",
        /// An agent, started by Ralph or not.
        Agent = "agent",
        /// The loop, from an iteration's outcome.
        Run = "run",
    }
}

crate::word_enum! {
    /// Why learned terms are no longer in force.
    TermsDropped {
        /// A learning holds at most eight; the weakest was evicted.
        Evicted = "evicted",
        /// A person rolled them back.
        RolledBack = "rolled_back",
    }
}

/// A term that leads to a learning because the learning was selected for a question with that term.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearnedTerm {
    /// One word in lower case.
    pub term: String,
    /// When it was last learned.
    pub learnt: Timestamp,
    /// By whose selection: `person`, `run`, `agent` or `agent:ITERATION@REPLICA`.
    pub by: String,
    /// Id of the question.
    pub query: String,
    /// The learning's rank in that answer, from 1.
    pub rank: u32,
}

/// A counted statement on whether a learning helped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Validation {
    /// Whether it helped.
    pub useful: bool,
    /// When.
    pub at: Timestamp,
    /// Whose: `person`, `run`, `agent` or `agent:ITERATION@REPLICA`.
    pub by: String,
    /// The replica it was made in, whose person is another; `None` in old records.
    #[serde(default)]
    pub replica: Option<ReplicaId>,
    /// The question, if it was about one.
    pub query: Option<String>,
}

impl Validation {
    /// Whether it repeats what the same source of the same replica said: about the same question or, unless a person says it about another
    /// question, within a day. `alike` are the ids of questions in the same words, which count as the same question. The agent of an
    /// iteration says it only once, whatever its clock says.
    pub fn repeats(&self, other: &Validation, alike: &[String]) -> bool {
        let by_person = source_of(&self.by) == SelectionSource::Person;
        let in_same_words = || other.query.as_ref().is_some_and(|query| alike.contains(query));
        let same_question = other.query == self.query || !by_person || in_same_words();
        let within_a_day = self.at.distance_millis(other.at) < limits::VALIDATION_APART_MILLIS;
        let question_again = other.query.is_some() && other.query == self.query;
        let same_hand = other.by == self.by && other.replica == self.replica;
        let repeats = question_again || (same_question && within_a_day) || is_of_one_iteration(&self.by);
        same_hand && other.useful == self.useful && repeats
    }
}

/// Whether a source is the agent of one iteration, which ends within hours: what it said counts together, at whatever times it said it.
pub fn is_of_one_iteration(by: &str) -> bool {
    by.starts_with("agent:")
}

/// All feedback on a learning.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct Feedback {
    /// Terms learned for it, oldest first.
    pub terms: Vec<LearnedTerm>,
    /// Validations, oldest first.
    pub validations: Vec<Validation>,
    /// Its importance.
    pub importance: Importance,
    /// When it was last promoted.
    pub promoted: Option<Timestamp>,
}

impl Feedback {
    /// Whether there is no feedback.
    pub fn is_empty(&self) -> bool {
        *self == Feedback::default()
    }

    /// The validations that count, oldest first. One statement of one source about several learnings is still one statement after they were
    /// merged.
    pub fn counted(&self) -> Vec<&Validation> {
        let mut by_time: Vec<&Validation> = self.validations.iter().collect();
        by_time.sort_by_key(|said| said.at);
        let mut counted: Vec<&Validation> = Vec::new();
        for said in by_time {
            if !counted.iter().any(|other| said.repeats(other, &[])) {
                counted.push(said);
            }
        }
        counted
    }

    /// Positive validations that count.
    pub fn useful(&self) -> u32 {
        count(self.counted().into_iter().filter(|v| v.useful).count())
    }

    /// Negative validations that count.
    pub fn not_useful(&self) -> u32 {
        count(self.counted().into_iter().filter(|v| !v.useful).count())
    }
}

/// The source of a selection, from the selector's name.
pub fn source_of(by: &str) -> SelectionSource {
    match by.split(':').next().unwrap_or_default() {
        "agent" => SelectionSource::Agent,
        "run" => SelectionSource::Run,
        _ => SelectionSource::Person,
    }
}

/// A selection, as submitted.
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

/// Result of a selection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SelectionOutcome {
    /// Id of the selection.
    pub id: String,
    /// The learning.
    pub learning: LearningId,
    /// What was done with it.
    pub kind: SelectionKind,
    /// Who is taken to have made it.
    pub by: String,
    /// Its rank in the question's answer, from 1; `None` if the question is unknown or did not find it.
    pub rank: Option<u32>,
    /// Whether it counts; repeating the same statement counts once.
    pub counted: bool,
    /// Terms learned from it.
    pub learnt: Vec<String>,
    /// Terms evicted for them.
    pub evicted: Vec<String>,
    /// Why nothing was learned, where something could have been.
    pub not_learnt: Option<String>,
    /// Importance of the learning now.
    pub importance: Importance,
    /// Factor that feedback applies to its score now; 1 = no effect.
    pub factor: f64,
}

/// Result of a rollback.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Rollback {
    /// Affected learnings.
    pub learnings: Vec<LearningId>,
    /// Terms rolled back.
    pub terms: u32,
    /// Validations rolled back.
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
    fn one_word_of_one_hand_counts_once_for_a_learning_that_several_were_merged_into() {
        let said = |useful, at, by: &str, query: Option<&str>| {
            let (by, query) = (by.to_owned(), query.map(str::to_owned));
            Validation { useful, at: Timestamp(at), by, replica: Some("R".into()), query }
        };
        let of = |validations: Vec<Validation>| {
            let feedback = Feedback { validations, ..Feedback::default() };
            (feedback.useful(), feedback.not_useful())
        };
        let hour = 3_600_000;
        assert_eq!(of((0..5).map(|n| said(true, n, "person", Some("Q"))).collect()), (1, 0), "five hits of one question");
        assert_eq!(of((0..5).map(|n| said(false, n, "person", Some("Q"))).collect()), (0, 1));
        assert_eq!(of(vec![said(true, 0, "person", Some("Q")), said(false, 1, "person", Some("Q"))]), (1, 1));
        assert_eq!(of(vec![said(true, 0, "person", Some("Q")), said(true, 1, "person", Some("P"))]), (2, 0));
        assert_eq!(of(vec![said(true, 0, "agent:1@R", Some("Q")), said(true, 99 * hour, "agent:1@R", Some("P"))]), (1, 0));
        let apart = |times: [i64; 3]| of(times.map(|at| said(true, at * hour, "person", None)).to_vec());
        assert_eq!((apart([0, 20, 30]), apart([30, 20, 0]), apart([0, 25, 50])), ((2, 0), (2, 0), (3, 0)), "whatever the order");
    }

    #[test]
    fn who_selects_is_told_by_the_name_alone() {
        for (by, source) in [("person", "person"), ("agent", "agent"), ("agent:17@R", "agent"), ("run", "run")] {
            assert_eq!(source_of(by).as_str(), source);
        }
    }
}
