//! One share of a prompt's memory, and the sizes of its sections.

use super::Part;
use crate::recall::ToldMemory;

/// Characters between two sections of a prompt.
pub(super) const SEPARATOR_CHARS: usize = 2;

/// The content of one share.
#[derive(Default)]
pub(super) struct Share {
    pub(super) parts: Vec<Part>,
    /// Memories included in the sections.
    pub(super) told: Vec<ToldMemory>,
}

/// Characters of some sections with a separator before each.
pub(super) fn size(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.text().chars().count() + SEPARATOR_CHARS).sum()
}

/// Characters available to items within a section of at most `max_chars`. In `example` the letter `x` is a placeholder for them.
pub(super) fn room_for_items(example: Part, max_chars: usize) -> usize {
    // The newline after the last item is not shown.
    (max_chars + "x\n".len()).saturating_sub(size(&[example]))
}
