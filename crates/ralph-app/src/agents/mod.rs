//! Agents at work, whatever for: their output as it is heard, and their transcripts.

pub(crate) mod hearing;
mod recorded;
pub(crate) mod transcript;

pub use recorded::parse_transcript;
