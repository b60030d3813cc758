//! How good recall and the comparison of learnings are: measured on judged collections and judged pairs, with the product's own search,
//! cleaning, calibration and verdict.
//!
//! **Never here:** SQL, Tauri, a rule of the product. What is measured stands in `ralph-rag` and `ralph-app`; no project is opened, and
//! none is changed.

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
