//! Quality: what the door says about a candidate by itself (the gate) and against what is known (reconciliation).

use crate::doubt::Doubt;
use crate::learning::{FeatureLearning, PutAwayNote};
use crate::replica::IterationRef;
use crate::stats::Proportion;
use crate::time::Timestamp;
use crate::{LearningId, limits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What makes a learning worth keeping, said the same way to everybody who writes or judges one.
pub const GOOD_LEARNING: &str = "\
A good learning can be acted on: it says what to do or to leave, and where.
It gives the cause, so that a reader knows when it holds.
It rests on evidence: a command, a file, an error, a check that failed and then passed.
It is no report of one incident: names of people, dates and the story of a session are left out.
That something came up again and again belongs into it, since that is why it matters.
";

crate::word_enum! {
    /// What stands against each other in two texts that look alike.
    HitKind {
        /// One text denies what the other says.
        Negation = "negation",
        /// They give different numbers.
        Number = "number",
        /// A word of one says the opposite of a word of the other.
        Antonym = "antonym",
        /// The same words stand in another order, so that who does what to whom changes.
        Order = "order",
        /// A different path, identifier or name: another subject.
        Other = "other",
    }
}

/// One thing that stands against each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Hit {
    /// What kind.
    pub kind: HitKind,
    /// The words of the older text; empty when only the newer one has something.
    pub older: String,
    /// The words of the newer text.
    pub newer: String,
}

crate::word_enum! {
    /// How a learning stands to the known one that is most like it.
    PairVerdict {
        /// It says the same: an observation of the older one.
        Observed = "observed",
        /// It says nearly the same: one new record says both.
        Merged = "merged",
        /// It says the opposite about the same subject.
        Conflict = "conflict",
        /// It is about something near: both are kept and linked.
        Related = "related",
        /// It is about something else.
        Distinct = "distinct",
    }
}

/// A pair of texts as the door sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PairJudgement {
    /// What the door does with the newer one.
    pub verdict: PairVerdict,
    /// Cosine of the vectors, as the model gives it.
    pub cosine: f64,
    /// The same, calibrated so that it means the same for every model, in 0..=1.
    pub similarity: f64,
    /// What stands against each other.
    pub hits: Vec<Hit>,
}

crate::word_enum! {
    /// A part of the gate's second layer, the signal density.
    GatePart {
        /// Nouns and terms that say what it is about.
        Specifics = "specifics",
        /// Paths, identifiers, codes, numbers.
        Identifiers = "identifiers",
        /// A cause or a reason.
        Cause = "cause",
        /// Something to do or to leave.
        Action = "action",
        /// Long enough to say something, short enough to be one lesson.
        Length = "length",
        /// Tags that are more than the category.
        Tags = "tags",
    }
}

crate::word_enum! {
    /// Why a text is no lesson at all, whatever its density.
    GateFault {
        /// Too few words.
        TooShort = "too_short",
        /// A line that every session produces: "all tests pass", a filled template, a title.
        Boilerplate = "boilerplate",
        /// An agent that declines or asks for more.
        Refusal = "refusal",
        /// True only now: what was just done, what is still running.
        Transient = "transient",
        /// Text that Ralph itself put into the prompt.
        Injected = "injected",
    }
}

/// One part's share of the density.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateScore {
    /// Which part.
    pub part: GatePart,
    /// How much of it there is, in 0..=1.
    pub score: f64,
    /// What it counts; all weights together are 1.
    pub weight: f64,
}

/// What the gate says about a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateReport {
    /// Whether it passes.
    pub passed: bool,
    /// Signal density in 0..=1: the weighted sum of the parts.
    pub density: f64,
    /// The density that is needed.
    pub threshold: f64,
    /// Why it is no lesson at all.
    pub faults: Vec<GateFault>,
    /// The parts of the density.
    pub parts: Vec<GateScore>,
}

crate::word_enum! {
    /// What the gate does with a candidate that does not pass.
    #[derive(Default)]
    GateMode {
        /// It is stored all the same, with a warning.
        #[default]
        Warn = "warn",
        /// It is refused, once two weeks of verdicts are recorded: kept as retired, so that a person can restore it.
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
    /// What it rests on.
    pub report: GateReport,
    /// Whether it was refused rather than only warned of.
    pub refused: bool,
    /// What a person said about a warning: kept (the gate was wrong) or put away. `None`: nobody yet.
    pub kept: Option<bool>,
}

/// How a learning stands to what was known, by its vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Reconciliation {
    /// Which learning.
    pub learning: LearningId,
    /// The embedding model.
    pub model: String,
    /// The known learning that decided; `None` when nothing was like it.
    pub other: Option<LearningId>,
    /// What was found.
    #[serde(flatten)]
    pub judgement: PairJudgement,
    /// The new record that says both.
    pub made: Option<LearningId>,
    /// Iterations whose observation was handed on.
    pub counted: Vec<IterationRef>,
    /// When.
    pub at: Timestamp,
}

/// A learning that was put away, and what was said of it since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutAway {
    /// When.
    pub at: Timestamp,
    /// Who: `human`, or `gate`.
    pub by: String,
    /// Iterations that said it again.
    pub again: BTreeSet<IterationRef>,
    /// Whether a person, asked once more, left it away: nobody is asked again.
    pub answered: bool,
}

impl PutAway {
    /// Whether so many iterations have said it again that a person is asked once more.
    pub fn asks_again(&self) -> bool {
        !self.answered && self.again.len() >= limits::ASKING_AGAIN
    }
}

/// A learning that a person put away and that several iterations said again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SaidAgain {
    /// The learning.
    pub learning: FeatureLearning,
    /// Who put it away, and when.
    pub put_away: PutAwayNote,
    /// How many distinct iterations said it again.
    pub iterations: u32,
}

/// What is known of a learning's quality.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningQuality {
    /// Which learning.
    pub learning: LearningId,
    /// The gate's verdict; `None` for what came in before there was a gate, and for what Ralph itself merged.
    pub gate: Option<GateVerdict>,
    /// `None` = pending.
    pub reconciliation: Option<Reconciliation>,
}

/// A part of a text that is shown side by side with another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Piece {
    /// The words; the pieces of a text, one after the other, are the text.
    pub text: String,
    /// Whether the other text does not have them.
    pub differs: bool,
}

/// Two learnings that a person decides between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewPair {
    /// The one that was there first.
    pub older: FeatureLearning,
    /// The one that came later.
    pub newer: FeatureLearning,
    /// The older text in pieces.
    pub older_text: Vec<Piece>,
    /// The newer text in pieces.
    pub newer_text: Vec<Piece>,
    /// How the newer one stands to the older: conflict, or observed and merged where both are protected.
    pub verdict: PairVerdict,
    /// Calibrated similarity; `None` as long as only their words were compared.
    pub similarity: Option<f64>,
    /// What stands against each other.
    pub hits: Vec<Hit>,
}

/// A learning that the gate warned of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateWarning {
    /// The learning.
    pub learning: FeatureLearning,
    /// The verdict with its parts.
    pub verdict: GateVerdict,
}

/// What Ralph did by itself and a person can undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AutomaticAct {
    /// Why.
    pub reconciliation: Reconciliation,
    /// The newer learning.
    pub learning: FeatureLearning,
    /// The known one.
    pub other: FeatureLearning,
    /// The new record that says both, after a merge.
    pub made: Option<FeatureLearning>,
    /// The newer text in pieces.
    pub learning_text: Vec<Piece>,
    /// The known text in pieces.
    pub other_text: Vec<Piece>,
}

/// Where the gate stands: it may enforce after two weeks of recorded verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GateStanding {
    /// What the settings ask for.
    pub mode: GateMode,
    /// When the first verdict was recorded.
    pub since: Option<Timestamp>,
    /// From when on it may enforce.
    pub enforces_from: Option<Timestamp>,
    /// Whether it refuses now.
    pub enforcing: bool,
    /// Candidates that did not pass, of those that were judged.
    pub flagged: Proportion,
    /// Of those flagged that a person decided about, the ones the person kept: the false rejections.
    pub false_rejections: Proportion,
}

/// What waits for a person, and what may be undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewQueue {
    /// Pairs to decide, the newest first.
    pub pairs: Vec<ReviewPair>,
    /// Learnings that wait for room.
    pub parked: Vec<FeatureLearning>,
    /// Learnings that the gate warned of and nobody has decided about, the newest first.
    pub warnings: Vec<GateWarning>,
    /// What Ralph did by itself, the newest first, at most 50.
    pub acts: Vec<AutomaticAct>,
    /// What was put away and said again by several iterations, the newest first.
    pub said_again: Vec<SaidAgain>,
    /// Learnings that an agent which reviewed them holds for wrong, or wants a person for, the newest review first.
    pub doubts: Vec<Doubt>,
    /// Where the gate stands.
    pub gate: GateStanding,
}

/// What one round of reconciliation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReconcileRound {
    /// Counted as an observation of a known one.
    pub observed: u32,
    /// Put into one with a known one.
    pub merged: u32,
    /// Contradicted a known one.
    pub conflicts: u32,
    /// Kept and linked.
    pub related: u32,
    /// About something else.
    pub distinct: u32,
    /// Of these, pairs that wait for a person because what would give way is protected.
    pub for_review: u32,
    /// Learnings that still wait.
    pub left: u32,
}

impl std::ops::AddAssign for ReconcileRound {
    /// Several rounds as one: what happened adds up, what waits is the last one's.
    fn add_assign(&mut self, next: ReconcileRound) {
        self.observed += next.observed;
        self.merged += next.merged;
        self.conflicts += next.conflicts;
        self.related += next.related;
        self.distinct += next.distinct;
        self.for_review += next.for_review;
        self.left = next.left;
    }
}
