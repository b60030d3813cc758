//! One share of a prompt's memory, and how large parts are.

use super::Part;
use crate::recall::ToldMemory;

/// Characters between two parts of a prompt.
pub(super) const SEPARATOR_CHARS: usize = 2;

/// What one share tells.
#[derive(Default)]
pub(super) struct Share {
    pub(super) parts: Vec<Part>,
    /// Memories that are in the parts.
    pub(super) told: Vec<ToldMemory>,
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
