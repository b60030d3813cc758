//! What the tests of tables and files have in common.

use crate::Db;
use crate::place::beside;
use ralph_core::learning::FeatureLearning;
use ralph_core::time::Timestamp;
use std::path::Path;

/// An active learning of the feature `pay`, by an agent.
pub fn learning(id: &str) -> FeatureLearning {
    FeatureLearning { category: "pitfall".into(), ..FeatureLearning::new(id, "pay", format!("lesson {id}"), Timestamp(1)) }
}

/// Puts at `path` what a killed process that had the database open would leave: its file, and the log.
pub fn copy_of_killed(db: &Db, path: &Path) {
    for ending in ["", "-wal"] {
        std::fs::copy(beside(db.path(), ending), beside(path, ending)).expect("copies");
    }
}
