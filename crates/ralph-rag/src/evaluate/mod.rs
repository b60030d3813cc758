//! What recorded questions, selections and labels say: every figure is made of rows, and says how many they were.
//!
//! **Never here:** where rows come from. Times are those that rows hold; chance is an argument.

pub mod channels;
pub mod cycles;
pub mod effects;
pub mod judge;
pub mod orders;
pub mod retrieval;
pub mod trial;
pub mod truth;
