//! Evaluation: what was asked, found and chosen is recorded beside the project, and what follows from it is told.
//!
//! [`recorder`] writes off the path of whoever asks; [`asked`] says what there is to record; [`feedback`] is what people and agents say of
//! what they found; [`gates`] are the conditions under which learned terms count; [`insights`] is what all of it comes to; [`shadow`],
//! [`truth`] and [`judge`] compare configurations and labels.

pub(crate) mod asked;
mod feedback;
pub(crate) mod gates;
pub(crate) mod history;
mod insights;
mod iteration;
mod judge;
pub(crate) mod recorder;
mod shadow;
mod truth;

pub use judge::JudgeOutcome;
pub use shadow::ShadowRun;
