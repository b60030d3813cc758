//! Consolidation: learnings and entries of the learnings file with their ages, and which of them move into documents.

mod ages;
mod chosen;
mod compare;
mod desk;
mod documents;
mod escalate;
mod folder;
mod history;
mod judge;
pub(crate) mod land;
mod lost;
mod preview;
mod propose;
mod rejoin;
mod report;
mod review_run;
mod sources;
mod targets;
mod undo;
mod view;
