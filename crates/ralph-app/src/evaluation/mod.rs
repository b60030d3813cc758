//! Evaluation: questions, results and selections are recorded beside the project and evaluated.
//!
//! [`recorder`] writes in the background; [`asked`] builds the records; [`feedback`] handles statements of people and agents on
//! their results; [`gates`] are the preconditions of learned terms; [`insights`] are the overall statistics; [`shadow`],
//! [`truth`] and [`judge`] compare configurations and labels.

pub(crate) mod asked;
mod feedback;
pub(crate) mod gates;
pub(crate) mod history;
mod insights;
mod iteration;
mod judge;
pub(crate) mod recorder;
mod rows;
mod shadow;
mod truth;

pub use judge::JudgeOutcome;
pub use shadow::ShadowRun;
