//! How good recall and the comparison of learnings are: measured on judged collections and judged pairs, with the product's own search,
//! cleaning, calibration and verdict.
//!
//! **Never here:** SQL, Tauri, a rule of the product. What is measured stands in `ralph-rag` and `ralph-app`; no project is opened, and
//! none is changed.

mod evaluate;
mod metrics;
mod pairs;
mod records;
mod store;

pub use evaluate::{Collection, Evaluation, evaluate};
pub use metrics::Metrics;
pub use pairs::{JudgedPair, judge_pairs};
