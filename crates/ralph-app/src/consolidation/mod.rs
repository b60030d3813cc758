//! Consolidation: learnings and entries of the learnings file with their ages, and what of them becomes documents.

mod ages;
mod escalate;
mod history;
mod land;
mod preview;
mod report;
mod sources;
mod targets;
