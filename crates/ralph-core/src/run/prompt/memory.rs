//! What a prompt tells from memory, within one budget.
//!
//! Three shares are guaranteed: earlier attempts, learnings, and where the loop stands. What one leaves unused passes on to the others.

use super::{Part, PromptInput, attempts, learnings, status};
use crate::{LearningId, limits};

/// Characters between two parts of a prompt.
pub(super) const SEPARATOR_CHARS: usize = 2;

/// What one share tells.
#[derive(Default)]
pub(super) struct Told {
    pub(super) parts: Vec<Part>,
    /// Learnings that are in the parts.
    pub(super) learnings: Vec<LearningId>,
}

/// Writes the parts of a share within a number of characters, separators included.
type Render = fn(&PromptInput<'_>, usize) -> Told;

/// The shares in the order of their parts, which is also the order in which they may take what the others leave.
const SHARES: [(usize, Render); 3] = [
    (limits::PROMPT_ATTEMPTS_CHARS, attempts::told),
    (limits::PROMPT_LEARNINGS_CHARS, learnings::told),
    (limits::PROMPT_STATUS_CHARS, status::told),
];

/// The memory of a prompt: its parts, the learnings told in them, and those held out.
pub(super) struct Memory {
    pub(super) parts: Vec<Part>,
    pub(super) told: Vec<LearningId>,
    pub(super) withheld: Vec<LearningId>,
}

/// Composes the memory. Without history it is empty.
///
/// Held-out learnings take their room like any others, so that nothing else in the prompt differs.
pub(super) fn memory(input: &PromptInput<'_>) -> Memory {
    let mut told = SHARES.map(|(share, render)| render(input, share));
    for i in 0..SHARES.len() {
        let others: usize = (0..SHARES.len()).filter(|other| *other != i).map(|other| size(&told[other].parts)).sum();
        told[i] = SHARES[i].1(input, limits::PROMPT_MEMORY_CHARS - others);
    }
    let [attempts, learnings, status] = told;
    let (shown, told, withheld) = if input.withhold_learnings {
        (Vec::new(), Vec::new(), learnings.learnings)
    } else {
        (learnings.parts, learnings.learnings, Vec::new())
    };
    Memory { parts: [attempts.parts, shown, status.parts].concat(), told, withheld }
}

/// Characters of some parts with a separator before each.
pub(super) fn size(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.text().chars().count() + SEPARATOR_CHARS).sum()
}

/// Characters that items may take within a part of at most `max_chars`. In `example` the letter `x` stands in their place.
pub(super) fn room_for_items(example: Part, max_chars: usize) -> usize {
    // The end of the last item's line is not shown.
    (max_chars + "x\n".len()).saturating_sub(size(&[example]))
}
