//! Knowledge: acts decide purely in `ralph_rag::act`, and one projector stores the results.
//!
//! No other file of the product writes a learning's record, related data, or a journal line.

pub mod calibration;
pub(crate) mod candidate;
mod difference;
pub(crate) mod door;
pub(crate) mod doubts;
mod edited;
pub(crate) mod held;
pub(crate) mod journal;
mod lost_lines;
pub(crate) mod projector;
pub(crate) mod queue;
mod reconcile;
pub(crate) mod remember;
mod review;
pub(crate) mod rules;
pub(crate) mod slice;
pub(crate) mod split;
pub(crate) mod split_task;
pub(crate) mod staged;
mod union;
mod word_keys;
pub(crate) mod work_episode;

pub use difference::JournalDifference;
pub(crate) use journal::file_name as journal_name;
pub(crate) use reconcile::JudgedBeside;
pub use union::Rebuilt;
