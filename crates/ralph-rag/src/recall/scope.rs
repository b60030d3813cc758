//! How a memory stands to a question, apart from its words.

use ralph_core::recall::MemoryKind;

/// How a memory stands to the question, apart from its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scope {
    /// 1 for the feature itself; 0 leaves the memory out.
    pub weight: f64,
    /// Active days since it was written; `None` = not known, which has no effect.
    pub age_days: Option<f64>,
    /// Cosine of the question and the story it was learnt in; `None` = not known, which has no effect.
    pub closeness: Option<f64>,
}

/// How a memory stands to the question: from its kind, its number in the store, its feature, whether it is active, when it was written.
pub type ScopeOf<'a> = dyn Fn(MemoryKind, i64, Option<u32>, bool, i64) -> Scope + 'a;
