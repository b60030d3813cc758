//! Knowledge: what comes in, what becomes of it, and the journal that it can be made from again.

pub(crate) mod journal;
mod queue;
mod rebuild;
mod reconcile;
pub(crate) mod remember;
mod review;
pub(crate) mod split;

pub use rebuild::Rebuilt;
