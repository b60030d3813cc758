//! Records and statistics of retrieval. Each figure is computed from rows that can be shown.

mod rows;
mod trial;
mod whole;

pub use rows::{QuestionFilter, QuestionRow, QuestionRows};
pub use trial::{ArmsTrial, Trial, TrialAnswer};
pub use whole::{EffectOrder, EvalInsights, LabelQueue, LearningEffects, LearningEvidence};

use crate::feedback::{LearnedTerm, SelectionKind};
use crate::recall::{Channel, ChannelScore, MemoryKind, RecallOrigin};
use crate::stats::{Comparison, Proportion};
use crate::time::Timestamp;
use crate::{IterationId, LearningId};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Which of two rankings was returned.
    Arm {
        /// Without learned terms.
        Plain = "plain",
        /// With them.
        Learned = "learned",
    }
}

/// A question that recall answered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QueryRecord {
    /// A ULID.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// On whose behalf.
    pub origin: RecallOrigin,
    /// The query, without secrets, truncated.
    pub text: String,
    /// Name of the feature, if the query was limited to one.
    pub feature: Option<String>,
    /// The iteration whose prompt it was made for, or whose agent asked, numbered by this database.
    pub iteration: Option<IterationId>,
    /// Name of the configuration that was in force.
    pub configuration: String,
    /// Which ranking was returned.
    pub arm: Arm,
    /// Whether that was drawn: learned terms counted, and a share of the questions is answered without them.
    pub drawn: bool,
    /// Duration of the search in microseconds.
    pub micros: u32,
    /// What was found.
    pub results: Vec<ResultRecord>,
}

/// A memory among the results of a question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResultRecord {
    /// Its kind.
    pub kind: MemoryKind,
    /// Its id.
    pub memory: String,
    /// Its rank in the answer, from 1; `None` if it appears only in the other ranking.
    pub rank: Option<u32>,
    /// Its rank in the ranking that was not returned, if there was one.
    pub other_rank: Option<u32>,
    /// The score it was ranked by.
    pub score: f64,
    /// Contribution of each channel.
    pub channels: Vec<ChannelScore>,
    /// Learned terms that matched.
    pub terms: Vec<String>,
    /// Whether it was shown to somebody, or included in a prompt.
    pub shown: bool,
}

impl ResultRecord {
    /// The channels that led to it.
    pub fn sources(&self) -> impl Iterator<Item = Channel> {
        self.channels.iter().map(|score| score.channel).filter(|channel| channel.finds())
    }

    /// Whether only this channel led to it.
    pub fn is_found_only_by(&self, channel: Channel) -> bool {
        self.sources().eq([channel])
    }
}

/// Somebody selected a memory, or turned it down.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelectionRecord {
    /// A ULID.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The question, if it is known.
    pub query: Option<String>,
    /// The memory.
    pub memory: String,
    /// What was done.
    pub kind: SelectionKind,
    /// Its weight as evidence.
    pub weight: f64,
    /// Who did.
    pub by: String,
    /// The memory's rank in the answer.
    pub rank: Option<u32>,
    /// Channels that had found it.
    pub channels: Vec<Channel>,
    /// Whether it counted.
    pub counted: bool,
}

crate::word_enum! {
    /// Origin of a relevance label.
    LabelSource {
        /// A person.
        Person = "person",
        /// An agent CLI as judge.
        Judge = "judge",
        /// The journals: the story in which a learning was written.
        Synthetic = "synthetic",
        /// Selections.
        Selection = "selection",
    }
}

/// A relevance label for a memory and a question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Label {
    /// Id of the question.
    pub query: String,
    /// Id of the memory.
    pub memory: String,
    /// Who labeled it.
    pub by: LabelSource,
    /// The label.
    pub relevant: bool,
    /// When.
    pub at: Timestamp,
}

/// One question under two configurations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ShadowRecord {
    /// Id of the question.
    pub query: String,
    /// When they were compared.
    pub at: Timestamp,
    /// Name of the configuration in force.
    pub live: String,
    /// Name of the other one.
    pub other: String,
    /// Overlap of the two top tens, in 0..=1.
    pub overlap: f64,
    /// Kendall's tau over shared results, in −1..=1; `None` for fewer than two.
    pub tau: Option<f64>,
    /// Mean rank difference of shared results.
    pub moved: f64,
    /// MRR@5 of the live one; `None` without ground truth.
    pub live_mrr: Option<f64>,
    /// MRR@5 of the other one.
    pub other_mrr: Option<f64>,
}

/// A precondition for learned terms to count: required against measured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Gate {
    /// Which.
    pub name: String,
    /// What is required, in words.
    pub required: String,
    /// What was measured, in words.
    pub measured: String,
    /// Whether it is met.
    pub open: bool,
}

/// A hundred questions and fourteen days: the basis of one evaluation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Cycle {
    /// Its number, from 1.
    pub number: u32,
    /// Questions in it.
    pub queries: u32,
    /// Questions required.
    pub queries_required: u32,
    /// Days of recorded time.
    pub days: f64,
    /// Days required.
    pub days_required: u32,
    /// Its first question.
    pub from: Timestamp,
    /// Its last question so far.
    pub to: Timestamp,
    /// Whether it is complete.
    pub complete: bool,
}

/// Quality of the answers, as far as selections show it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Retrieval {
    /// Questions.
    pub queries: u32,
    /// Questions with known relevant memories.
    pub judged: u32,
    /// Mean reciprocal rank of the first relevant result within the top five.
    pub mrr_5: Option<f64>,
    /// Share of questions with a relevant result in the top ten.
    pub hit_10: Option<f64>,
    /// Mean rank of selected results.
    pub selection_rank: Option<f64>,
}

/// Retrieval within a week of recorded time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RetrievalWeek {
    /// Midnight UTC of its first day.
    pub from: Timestamp,
    /// Quality of the answers.
    pub retrieval: Retrieval,
}

/// Contribution of a channel.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChannelShare {
    /// Top-ten results that it found.
    pub found: u32,
    /// Those found by no other channel.
    pub exclusive: u32,
    /// Exclusive contribution rate: `exclusive` over all top-ten results.
    pub exclusive_rate: f64,
    /// Selected results that it found.
    pub selected: u32,
    /// MRR@5 over judged questions without its contribution; `None` when there are none.
    pub mrr_5_without: Option<f64>,
}

/// A learned term with its effect.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearnedTermRow {
    /// The learning that it leads to.
    pub learning: LearningId,
    /// The term.
    #[serde(flatten)]
    pub term: LearnedTerm,
    /// Remaining strength, from 1 down to 0 at the end of its lifetime.
    pub strength: f64,
    /// Questions for which it brought the learning into the top ten, or would have.
    pub added: u32,
    /// Selections of the learning since, for questions with this term.
    pub confirmed: u32,
    /// Whether the results it adds are never selected.
    pub noise: bool,
}

/// An attempt for which there were learnings.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldAttempt {
    /// Its iteration.
    pub iteration: IterationId,
    /// Whether they were withheld, as a control group.
    pub held_out: bool,
    /// Percent of attempts that its run holds out: it is comparable with those of runs that hold out the same share; 0 without a hold-out.
    pub hold_out: u32,
    /// Whether it completed the task.
    pub done: bool,
    /// Learnings that were included, or withheld.
    pub learnings: Vec<LearningId>,
    /// Why it failed, if it did and the reason is known.
    pub failure: Option<String>,
}

/// Measured effect of a learning on the attempts that were shown it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningEffect {
    /// Which.
    pub learning: LearningId,
    /// Beginning of its text.
    pub text: String,
    /// Attempts that were shown it.
    pub shown: u32,
    /// Those that succeeded.
    pub succeeded: u32,
    /// Those that failed.
    pub failed: u32,
    /// Those that failed at what it warns of: the failure names what the learning names.
    pub failed_as_warned: u32,
    /// Attempts that were shown it and did not fail at that, counted only where some attempt did.
    pub avoided: u32,
    /// Attempts it was withheld from.
    pub withheld: Proportion,
    /// Success rate with it against that without.
    pub effect: Comparison,
    /// Whether a harmful effect was measured.
    pub harmful: bool,
}

/// Agreement of two labellers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Agreement {
    /// Pairs labeled by both.
    pub pairs: u32,
    /// Pairs required.
    pub pairs_required: u32,
    /// Share with the same label; `None` without pairs.
    pub agreement: Option<f64>,
    /// Cohen's kappa: agreement beyond chance; `None` where chance alone explains all of it.
    pub kappa: Option<f64>,
    /// Whether the judge's labels count.
    pub counts: bool,
}

/// Ground truth: which memories answer which questions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GroundTruth {
    /// A: pairs from journals.
    pub synthetic: u32,
    /// B: pairs from selections.
    pub selections: u32,
    /// C: pairs that an agent judged.
    pub judged: u32,
    /// Pairs that a person labeled.
    pub labelled: u32,
    /// Agreement of the judge with the person.
    pub agreement: Agreement,
    /// Pairs that the two labeled differently.
    pub disagreements: Vec<LabelledPair>,
    /// Pairs awaiting a person's label, most useful first.
    pub next: Vec<LabelledPair>,
    /// Retrieval over the synthetic questions, measured now.
    pub synthetic_retrieval: Option<Retrieval>,
}

/// A question and a memory, to label or compare.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LabelledPair {
    /// Id of the question.
    pub query: String,
    /// The question.
    pub question: String,
    /// Id of the memory.
    pub memory: String,
    /// Its text.
    pub text: String,
    /// The judge's label, if any.
    pub judge: Option<bool>,
    /// The person's label, if any.
    pub person: Option<bool>,
}

/// How much is recorded, and how much was dropped.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecordedCounts {
    /// Questions.
    pub queries: u32,
    /// Results of them.
    pub results: u32,
    /// Selections.
    pub selections: u32,
    /// Labels.
    pub labels: u32,
    /// Comparisons.
    pub comparisons: u32,
    /// Records dropped because the queue was full or writing failed.
    pub dropped: u32,
}
