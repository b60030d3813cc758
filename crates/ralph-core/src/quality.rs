//! Quality: what the door says about a candidate by itself (the gate) and against what is known (reconciliation).

use serde::{Deserialize, Serialize};

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
    /// How a learning stands to the known one that is most like it (RULINGS 002.2).
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
