//! Quality of recall and of comparing learnings: measured on judged collections and judged pairs, with the product's own search,
//! cleaning, calibration and verdict.
//!
//! **Never here:** SQL, Tauri, a product rule. What is measured is in `ralph-rag` and `ralph-app`; no project is opened or
//! changed.

mod evaluate;
mod metrics;
mod pairs;
mod records;
mod store;

pub use evaluate::{Collection, Evaluation, evaluate};
pub use metrics::Metrics;
pub use pairs::{JudgedPair, judge_pairs};
