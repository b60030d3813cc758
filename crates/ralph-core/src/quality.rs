//! Quality: how a candidate is judged by itself (the gate) and against existing learnings (reconciliation).

use crate::doubt::Doubt;
use crate::learning::{FeatureLearning, Filled, PutAwayNote};
use crate::replica::IterationRef;
use crate::stats::Proportion;
use crate::time::Timestamp;
use crate::{LearningId, limits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What makes a learning worth keeping, in the same words for everybody who writes or judges one.
pub const GOOD_LEARNING: &str = "\
A good learning can be acted on: it says what to do or to leave, and where.
It gives the cause, so that a reader knows when it holds.
It rests on evidence: a command, a file, an error, a check that failed and then passed.
It is no report of one incident: names of people, dates and the story of a session are left out.
That something came up again and again belongs into it, since that is why it matters.
";

crate::word_enum! {
    /// Kind of contradiction between two similar texts.
    HitKind {
        /// One text denies what the other says.
        Negation = "negation",
        /// They state different numbers.
        Number = "number",
        /// A word of one is an antonym of a word of the other.
        Antonym = "antonym",
        /// The same words in another order, which changes who does what to whom.
        Order = "order",
        /// A different path, identifier or name: another subject.
        Other = "other",
    }
}

/// One contradiction between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Hit {
    /// Its kind.
    pub kind: HitKind,
    /// The words of the older text; empty when only the newer one has any.
    pub older: String,
    /// The words of the newer text.
    pub newer: String,
}

crate::word_enum! {
    /// Relation of a learning to the most similar known one.
    PairVerdict {
        /// It says the same: an observation of the older one.
        Observed = "observed",
        /// It says nearly the same: one new record combines both.
        Merged = "merged",
        /// It says the opposite about the same subject.
        Conflict = "conflict",
        /// It is about a related subject: both are kept and linked.
        Related = "related",
        /// It is about something else.
        Distinct = "distinct",
    }
}

/// The comparison of two texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PairJudgement {
    /// The verdict on the newer one.
    pub verdict: PairVerdict,
    /// Cosine of the vectors, uncalibrated.
    pub cosine: f64,
    /// Calibrated similarity, comparable between models, in 0..=1.
    pub similarity: f64,
    /// Contradictions.
    pub hits: Vec<Hit>,
}

crate::word_enum! {
    /// A part of the gate's second layer, signal density.
    GatePart {
        /// Nouns and terms that name its subject.
        Specifics = "specifics",
        /// Paths, identifiers, codes, numbers.
        Identifiers = "identifiers",
        /// A cause or a reason.
        Cause = "cause",
        /// Something to do or to avoid.
        Action = "action",
        /// Long enough to have content, short enough to be one lesson.
        Length = "length",
        /// Tags other than the category.
        Tags = "tags",
    }
}

crate::word_enum! {
    /// Why a text is not a lesson at all, whatever its density.
    GateFault {
        /// Too few words.
        TooShort = "too_short",
        /// A line that every session produces: "all tests pass", a filled template, a title.
        Boilerplate = "boilerplate",
        /// An agent that declines or asks for more information.
        Refusal = "refusal",
        /// True only at the moment: what was just done, what is still running.
        Transient = "transient",
        /// Text that Ralph itself put into the prompt.
        Injected = "injected",
    }
}

/// Contribution of one part to the density.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateScore {
    /// Which part.
    pub part: GatePart,
    /// Its score, in 0..=1.
    pub score: f64,
    /// Its weight; all weights add up to 1.
    pub weight: f64,
}

/// The gate's report on a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateReport {
    /// Whether it passes.
    pub passed: bool,
    /// Signal density in 0..=1: the weighted sum of the parts.
    pub density: f64,
    /// The required density.
    pub threshold: f64,
    /// Why it is not a lesson at all.
    pub faults: Vec<GateFault>,
    /// The parts of the density.
    pub parts: Vec<GateScore>,
}

crate::word_enum! {
    /// How the gate treats a candidate that does not pass.
    #[derive(Default)]
    GateMode {
        /// It is stored with a warning.
        #[default]
        Warn = "warn",
        /// It is rejected once two weeks of verdicts are recorded: kept as retired, so that a person can restore it.
        Enforce = "enforce",
    }
}

/// The gate's verdict on a stored learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateVerdict {
    /// Which learning.
    pub learning: LearningId,
    /// When.
    pub at: Timestamp,
    /// Its basis.
    pub report: GateReport,
    /// Whether it was rejected, not only warned about.
    pub refused: bool,
    /// A person's decision on a warning: kept (the gate was wrong) or put away. `None`: not decided.
    pub kept: Option<bool>,
}

/// What stands in place of a model where two learnings were compared by their words alone.
pub const BY_WORDS: &str = "words";

/// Relation of a learning to the known ones, by its vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Reconciliation {
    /// Which learning.
    pub learning: LearningId,
    /// The embedding model.
    pub model: String,
    /// The known learning that decided; `None` when none was similar.
    pub other: Option<LearningId>,
    /// The comparison.
    #[serde(flatten)]
    pub judgement: PairJudgement,
    /// The new record that combines both.
    pub made: Option<LearningId>,
    /// Iterations whose observation was transferred.
    pub counted: Vec<IterationRef>,
    /// What one of the two lacked and got from the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "specta", specta(skip))]
    pub filled: Option<Filled>,
    /// When.
    pub at: Timestamp,
}

/// A learning that was put away, and its repetitions since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutAway {
    /// When.
    pub at: Timestamp,
    /// Who: `human`, or `gate`.
    pub by: String,
    /// Iterations that said it again.
    pub again: BTreeSet<IterationRef>,
    /// Whether a person was asked again and left it away: nobody is asked after that.
    pub answered: bool,
}

impl PutAway {
    /// Whether enough iterations have repeated it to ask a person again.
    pub fn asks_again(&self) -> bool {
        !self.answered && self.again.len() >= limits::ASKING_AGAIN
    }
}

/// A learning that a person put away and several iterations repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SaidAgain {
    /// The learning.
    pub learning: FeatureLearning,
    /// Who put it away, and when.
    pub put_away: PutAwayNote,
    /// Number of distinct iterations that repeated it.
    pub iterations: u32,
}

/// Quality records of a learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningQuality {
    /// Which learning.
    pub learning: LearningId,
    /// The gate's verdict; `None` for learnings older than the gate, and for those merged by Ralph.
    pub gate: Option<GateVerdict>,
    /// `None` = pending.
    pub reconciliation: Option<Reconciliation>,
}

/// A segment of a text shown side by side with another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Piece {
    /// Its words; the concatenation of all pieces is the text.
    pub text: String,
    /// Whether the other text lacks them.
    pub differs: bool,
}

/// Two learnings for a person to decide between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewPair {
    /// The one that was there first.
    pub older: FeatureLearning,
    /// The one that came later.
    pub newer: FeatureLearning,
    /// The older text, segmented.
    pub older_text: Vec<Piece>,
    /// The newer text, segmented.
    pub newer_text: Vec<Piece>,
    /// Relation of the newer one to the older: conflict, or observed and merged where both are protected.
    pub verdict: PairVerdict,
    /// Calibrated similarity; `None` while only their words were compared.
    pub similarity: Option<f64>,
    /// Contradictions.
    pub hits: Vec<Hit>,
}

/// A learning that the gate warned about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateWarning {
    /// The learning.
    pub learning: FeatureLearning,
    /// The gate's verdict.
    pub verdict: GateVerdict,
}

/// An automatic act, which a person can undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AutomaticAct {
    /// Its basis.
    pub reconciliation: Reconciliation,
    /// The newer learning.
    pub learning: FeatureLearning,
    /// The known one.
    pub other: FeatureLearning,
    /// The new record that combines both, after a merge.
    pub made: Option<FeatureLearning>,
    /// The newer text, segmented.
    pub learning_text: Vec<Piece>,
    /// The known text, segmented.
    pub other_text: Vec<Piece>,
}

/// State of the gate: it may enforce after two weeks of recorded verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateStanding {
    /// The configured mode.
    pub mode: GateMode,
    /// When the first verdict was recorded.
    pub since: Option<Timestamp>,
    /// When it may start to enforce.
    pub enforces_from: Option<Timestamp>,
    /// Whether it rejects now.
    pub enforcing: bool,
    /// Candidates that did not pass, out of those judged.
    pub flagged: Proportion,
    /// Flagged candidates that a person kept, out of those a person decided on: the false rejections.
    pub false_rejections: Proportion,
}

/// How many rows of each bounded list of the review queue are not listed: they appear once those before them are decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewMore {
    /// Warnings of the gate.
    pub warnings: u32,
    /// Automatic acts.
    pub acts: u32,
    /// Put-away learnings that were repeated.
    pub said_again: u32,
    /// Learnings that are doubted.
    pub doubts: u32,
}

/// What awaits a person, and what can be undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewQueue {
    /// Pairs to decide, newest first.
    pub pairs: Vec<ReviewPair>,
    /// Parked learnings.
    pub parked: Vec<FeatureLearning>,
    /// Undecided warnings of the gate, newest first.
    pub warnings: Vec<GateWarning>,
    /// Automatic acts, newest first.
    pub acts: Vec<AutomaticAct>,
    /// Put-away learnings that several iterations repeated, newest first.
    pub said_again: Vec<SaidAgain>,
    /// Learnings that a reviewing agent considers wrong or refers to a person, newest review first.
    pub doubts: Vec<Doubt>,
    /// What these lists leave out.
    pub more: ReviewMore,
    /// State of the gate.
    pub gate: GateStanding,
}

/// Result of one round of reconciliation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReconcileRound {
    /// Counted as an observation of a known one.
    pub observed: u32,
    /// Merged with a known one.
    pub merged: u32,
    /// Contradicted a known one.
    pub conflicts: u32,
    /// Kept and linked.
    pub related: u32,
    /// Unrelated to known ones.
    pub distinct: u32,
    /// Of these, pairs left to a person because the learning that would be replaced is protected.
    pub for_review: u32,
    /// Learnings still pending.
    pub left: u32,
    /// Episodes that were compared.
    pub episodes: u32,
    /// Of these, pairs that said the same, so that one gave way.
    pub episodes_replaced: u32,
}

impl std::ops::AddAssign for ReconcileRound {
    /// Several rounds as one: counts add up, `left` is that of the last one.
    fn add_assign(&mut self, next: ReconcileRound) {
        self.observed += next.observed;
        self.merged += next.merged;
        self.conflicts += next.conflicts;
        self.related += next.related;
        self.distinct += next.distinct;
        self.for_review += next.for_review;
        self.left = next.left;
        self.episodes += next.episodes;
        self.episodes_replaced += next.episodes_replaced;
    }
}
