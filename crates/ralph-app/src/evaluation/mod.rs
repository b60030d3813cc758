//! Evaluation: questions, results and selections are recorded beside the project and evaluated.
//!
//! Recall records its questions in the background, see [`crate::recall::recorder`]; [`feedback`] handles what people and agents say about
//! the results; [`gates`] are the preconditions of learned terms; [`insights`] are the overall statistics; [`shadow`],
//! [`truth`] and [`judge`] compare configurations and labels.

pub(crate) mod feedback;
pub(crate) mod gates;
pub(crate) mod history;
mod insights;
mod iteration;
mod judge;
mod rows;
mod shadow;
mod truth;

pub use judge::JudgeOutcome;
pub use shadow::ShadowRun;
