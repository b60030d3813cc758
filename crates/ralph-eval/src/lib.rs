//! Quality of recall and of comparing learnings: measured on judged collections and judged pairs, with the product's own search,
//! cleaning, calibration and verdict.
//!
//! **Never here:** SQL, Tauri, a product rule. What is measured is in `ralph-rag` and `ralph-app`; no project is opened or
//! changed.

mod bootstrap;
mod evaluate;
mod leave_out;
mod metrics;
mod pairs;
mod questions;
mod records;
mod store;

pub use bootstrap::MeanInterval;
pub use evaluate::{Collection, Evaluation, evaluate};
pub use leave_out::{Axis, ConstantFigure, FoldFigure, LeaveOutReport, axes, leave_out};
pub use metrics::Metrics;
pub use pairs::{JudgedPair, judge_pairs};
