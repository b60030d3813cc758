//! Relation of a memory to a question, apart from its words.

use ralph_core::recall::MemoryKind;

/// Relation of a memory to the question, apart from its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scope {
    /// 1 for the feature itself; 0 excludes the memory.
    pub weight: f64,
    /// Active days since it was written; `None` = unknown, no effect.
    pub age_days: Option<f64>,
    /// Cosine of the question and the story it was learned in; `None` = unknown, no effect.
    pub closeness: Option<f64>,
}

/// Computes the scope of a memory from its kind, its number, its feature, whether it is active, and when it was written.
pub type ScopeOf<'a> = dyn Fn(MemoryKind, i64, Option<u32>, bool, i64) -> Scope + 'a;
