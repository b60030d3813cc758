//! What is recorded of retrieval, and what is said of it. Each figure is made of rows that can be shown.

mod whole;

pub use whole::{EvalInsights, LabelQueue};

use crate::feedback::{LearnedTerm, SelectionKind};
use crate::recall::{Channel, ChannelScore, MemoryKind, RecallOrigin};
use crate::stats::{Comparison, Interval, Proportion};
use crate::time::Timestamp;
use crate::{IterationId, LearningId};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Which of two orders was answered.
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
    /// What was asked, without secrets, cut.
    pub text: String,
    /// Name of the feature, if only one was asked.
    pub feature: Option<String>,
    /// The iteration whose prompt it was made for, by the number of this database.
    pub iteration: Option<IterationId>,
    /// Name of the configuration that was in force.
    pub configuration: String,
    /// Which order was answered.
    pub arm: Arm,
    /// Microseconds that the search took.
    pub micros: u32,
    /// What was found.
    pub results: Vec<ResultRecord>,
}

/// A memory among what a question found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResultRecord {
    /// What it is.
    pub kind: MemoryKind,
    /// Its id.
    pub memory: String,
    /// Its place in the answer, from 1; none where it stands only in the other order.
    pub rank: Option<u32>,
    /// Its place in the order that was not answered, where there was one.
    pub other_rank: Option<u32>,
    /// What it was ordered by.
    pub score: f64,
    /// Each channel's part.
    pub channels: Vec<ChannelScore>,
    /// Learned terms that matched.
    pub terms: Vec<String>,
    /// Whether it was shown to somebody, or told to an agent.
    pub shown: bool,
}

/// Somebody chose a memory, or turned it down.
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
    /// How much it says.
    pub weight: f64,
    /// Who did.
    pub by: String,
    /// The memory's place in the answer.
    pub rank: Option<u32>,
    /// Channels that had found it.
    pub channels: Vec<Channel>,
    /// Whether it counted.
    pub counted: bool,
}

crate::word_enum! {
    /// Who says whether a memory answers a question.
    LabelSource {
        /// A person.
        Person = "person",
        /// An agent CLI as judge.
        Judge = "judge",
        /// The journals: the story that a learning was written in.
        Synthetic = "synthetic",
        /// Selections.
        Selection = "selection",
    }
}

/// Whether a memory answers a question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Label {
    /// Id of the question.
    pub query: String,
    /// Id of the memory.
    pub memory: String,
    /// Who says it.
    pub by: LabelSource,
    /// What is said.
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
    /// Share of the first ten that both have, in 0..=1.
    pub overlap: f64,
    /// Kendall's tau over what both have, in −1..=1; none where both share fewer than two.
    pub tau: Option<f64>,
    /// Mean places that what both have moved.
    pub moved: f64,
    /// MRR@5 of the live one; none where no truth is known.
    pub live_mrr: Option<f64>,
    /// MRR@5 of the other one.
    pub other_mrr: Option<f64>,
}

/// A condition under which learned terms may count: what is required beside what was measured.
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

/// A hundred questions and fourteen days: what one evaluation rests on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Cycle {
    /// Which, from 1.
    pub number: u32,
    /// Questions in it.
    pub queries: u32,
    /// Questions that it needs.
    pub queries_required: u32,
    /// Days of recorded time.
    pub days: f64,
    /// Days that it needs.
    pub days_required: u32,
    /// Its first question.
    pub from: Timestamp,
    /// Its last question so far.
    pub to: Timestamp,
    /// Whether it is over.
    pub complete: bool,
}

/// How good the answers were, as far as selections tell.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Retrieval {
    /// Questions.
    pub queries: u32,
    /// Those of which is known what answers them.
    pub judged: u32,
    /// Mean reciprocal rank of the first relevant one among the first five.
    pub mrr_5: Option<f64>,
    /// Share with a relevant one among the first ten.
    pub hit_10: Option<f64>,
    /// Mean place of what was selected.
    pub selection_rank: Option<f64>,
}

/// Retrieval within a week of recorded time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RetrievalWeek {
    /// Its first day's midnight in UTC.
    pub from: Timestamp,
    /// How good.
    pub retrieval: Retrieval,
}

/// What a channel brings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChannelShare {
    /// Results among first tens that it found.
    pub found: u32,
    /// Those that no other channel found.
    pub exclusive: u32,
    /// The latter over all results among first tens: its exclusive contribution rate.
    pub exclusive_rate: f64,
    /// Selected results that it found.
    pub selected: u32,
    /// MRR@5 over judged questions without what it contributed; none without any.
    pub mrr_5_without: Option<f64>,
}

/// A learned term with what came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearnedTermRow {
    /// The learning that it leads to.
    pub learning: LearningId,
    /// The term.
    #[serde(flatten)]
    pub term: LearnedTerm,
    /// How strong it still is, from 1 down to 0 after its time to live.
    pub strength: f64,
    /// Questions for which it brought the learning among the first ten, or would have.
    pub added: u32,
    /// Selections of the learning since, for questions with this term.
    pub confirmed: u32,
    /// Whether it brings what nobody selects.
    pub noise: bool,
}

/// What a learning did for those who were told it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningEffect {
    /// Which.
    pub learning: LearningId,
    /// Its beginning.
    pub text: String,
    /// Attempts that were told it.
    pub shown: u32,
    /// Those that succeeded.
    pub succeeded: u32,
    /// Those that failed.
    pub failed: u32,
    /// Those that failed over what it warns of: the failure names what it names.
    pub failed_as_warned: u32,
    /// Attempts that were told it and did not fail over that, of those where it was at stake: some attempt did.
    pub avoided: u32,
    /// Attempts from which it was withheld.
    pub withheld: Proportion,
    /// The share of success with it against that without.
    pub effect: Comparison,
    /// Whether an effect was measured, and it is a bad one.
    pub harmful: bool,
}

/// What may be done with an alternative after its trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum TrialAnswer {
    /// Two weeks in a row it was not worse.
    Promote,
    /// Too little is known.
    Wait,
    /// It is worse.
    RollBack,
}

/// An alternative tried beside the configuration in force.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Trial {
    /// Name of the alternative.
    pub other: String,
    /// Questions that were compared.
    pub queries: u32,
    /// Those of which is known what answers them.
    pub judged: u32,
    /// Mean overlap of the first ten.
    pub overlap: f64,
    /// Mean of Kendall's tau.
    pub tau: Option<f64>,
    /// MRR@5, the alternative's less the live one's.
    pub mrr_delta: Option<f64>,
    /// Its 95 % interval by bootstrap over questions.
    pub interval: Option<Interval>,
    /// Weeks in a row, up to the last, in which it was not worse.
    pub weeks_not_worse: u32,
    /// Judged questions that are still needed.
    pub queries_needed: u32,
    /// What follows.
    pub answer: TrialAnswer,
}

/// How far two who label agree.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Agreement {
    /// Pairs that both labelled.
    pub pairs: u32,
    /// Pairs that are needed.
    pub pairs_required: u32,
    /// Share that both labelled alike; none without pairs.
    pub agreement: Option<f64>,
    /// Cohen's kappa: agreement beyond chance; none where chance alone explains all of it.
    pub kappa: Option<f64>,
    /// Whether the judge counts.
    pub counts: bool,
}

/// What is known of which memories answer which questions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GroundTruth {
    /// A: pairs from journals.
    pub synthetic: u32,
    /// B: pairs from selections.
    pub selections: u32,
    /// C: pairs that an agent judged.
    pub judged: u32,
    /// Pairs that a person labelled.
    pub labelled: u32,
    /// How far the judge agrees with the person.
    pub agreement: Agreement,
    /// Pairs that both labelled, and not alike.
    pub disagreements: Vec<LabelledPair>,
    /// Pairs that wait for a person's label, most useful first.
    pub next: Vec<LabelledPair>,
    /// Retrieval over the synthetic questions, asked now.
    pub synthetic_retrieval: Option<Retrieval>,
}

/// A question and a memory, to be labelled or compared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LabelledPair {
    /// Id of the question.
    pub query: String,
    /// What was asked.
    pub question: String,
    /// Id of the memory.
    pub memory: String,
    /// What it says.
    pub text: String,
    /// What the judge said, if it did.
    pub judge: Option<bool>,
    /// What the person said, if they did.
    pub person: Option<bool>,
}

/// What is recorded, and how much was not.
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
    /// Records that found no place in the queue, or could not be written.
    pub dropped: u32,
}
