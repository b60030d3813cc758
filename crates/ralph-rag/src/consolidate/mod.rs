//! Consolidation: which entries are eligible, when a source is due, and the decision on each entry.

mod age;
mod batch;
mod blocks;
mod brief;
mod by_word;
mod extent;
mod faithful;
mod index;
mod learnings_file;
mod leave;
mod marks;
mod order;
mod proposal;
mod refactor;
mod report;
mod requirements;
mod take_back;
#[cfg(test)]
mod tests;
mod trigger;
mod units;
mod warnings;

pub use age::{KnownDays, age};
pub use batch::{Candidates, Meaning, Pairs, TargetStatement};
pub use brief::{again, brief};
pub use extent::too_much;
pub use faithful::{Faithfulness, edited, faithfulness};
pub use index::{INDEX, index, place_of_index, renewed};
pub use learnings_file::{FileEntry, LearningsFile, key_of};
pub use leave::{with_entries, without_entries};
pub use marks::{held, is_same, mark, places, says, statements_of_entries, without_marks_of_entries};
pub use proposal::{Documents, Proposal};
pub use refactor::{Division, Moved, TOO_LONG, divide, links_to_moved, too_long};
pub use report::report;
pub use requirements::faults;
pub use take_back::{Taken, take_back};
pub use trigger::{Source, lines_of, trigger};
pub use units::{Statement, statements};
pub use warnings::warnings;
