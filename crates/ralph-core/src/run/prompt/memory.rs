//! The memory sections of a prompt, within one budget.
//!
//! Three shares are guaranteed: earlier attempts, knowledge, and the loop's status. What one leaves unused goes to the others.

use super::share::{Share, size};
use super::{Part, PromptInput, attempts, learnings, others, status};
use crate::limits;
use crate::recall::ToldMemory;

/// Renders the sections of a share within a number of characters, separators included.
type Render = fn(&PromptInput<'_>, usize) -> Share;

/// The shares in the order of their sections, which is also the order in which they may use what others leave.
const SHARES: [(usize, Render); 3] = [
    (limits::PROMPT_ATTEMPTS_CHARS, attempts::told),
    (limits::PROMPT_KNOWLEDGE_CHARS, knowledge),
    (limits::PROMPT_STATUS_CHARS, status::told),
];

/// Learnings first; memories of other kinds get what is left.
fn knowledge(input: &PromptInput<'_>, max_chars: usize) -> Share {
    let learnings = learnings::told(input, max_chars);
    let others = others::told(input, max_chars.saturating_sub(size(&learnings.parts)));
    Share { parts: [learnings.parts, others.parts].concat(), told: [learnings.told, others.told].concat() }
}

/// The memory of a prompt: its sections, the memories included in them, and those held out.
pub(super) struct PromptMemory {
    pub(super) parts: Vec<Part>,
    pub(super) told: Vec<ToldMemory>,
    pub(super) withheld: Vec<ToldMemory>,
}

/// Composes the memory. Without history it is empty.
///
/// Held-out knowledge uses up its budget as usual, so that nothing else in the prompt differs.
pub(super) fn memory(input: &PromptInput<'_>) -> PromptMemory {
    let mut told = SHARES.map(|(share, render)| render(input, share));
    for i in 0..SHARES.len() {
        let others: usize = (0..SHARES.len()).filter(|other| *other != i).map(|other| size(&told[other].parts)).sum();
        told[i] = SHARES[i].1(input, limits::PROMPT_MEMORY_CHARS - others);
    }
    let [attempts, knowledge, status] = told;
    let (shown, told, withheld) =
        if input.withhold_learnings { (Vec::new(), Vec::new(), knowledge.told) } else { (knowledge.parts, knowledge.told, Vec::new()) };
    PromptMemory { parts: [attempts.parts, shown, status.parts].concat(), told, withheld }
}
