//! Agents at work, for whatever purpose: their output as it arrives, and their transcripts.

pub(crate) mod hearing;
mod recorded;
pub(crate) mod transcript;

pub use recorded::parse_transcript;
