//! Statistics of recorded questions, selections and labels: every figure is computed from rows and reports their number.
//!
//! **Never here:** the source of the rows. Times come from the rows; randomness is an argument.

pub mod arms;
pub mod channels;
pub mod cycles;
pub mod effects;
pub mod judge;
pub mod orders;
pub mod retrieval;
pub mod rows;
pub mod trial;
pub mod truth;
pub mod visit;
