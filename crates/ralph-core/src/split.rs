//! The split of a feature: what is required before its task can be closed. The only place of this rule.

use crate::text::listed;
use crate::{LearningId, TaskId, limits};
use serde::{Deserialize, Serialize};

/// Progress of a split.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SplitProgress {
    /// Child features that are not archived.
    pub children: u32,
    /// Open tasks still in the parent, except the split task itself.
    pub open_tasks: Vec<TaskId>,
}

/// A group of a feature's tasks and learnings that share words: a candidate for one child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SplitCluster {
    /// Its most frequent words.
    pub about: Vec<String>,
    /// Its tasks.
    pub tasks: Vec<TaskId>,
    /// Its active learnings.
    pub learnings: Vec<LearningId>,
}

/// The split of a feature as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SplitView {
    /// Its progress.
    pub progress: SplitProgress,
    /// What is left to do before it can be closed, in words; empty when complete.
    pub left: String,
    /// Clusters of the remaining tasks and the learnings.
    pub clusters: Vec<SplitCluster>,
}

impl SplitProgress {
    /// Whether the split task can be closed. Learnings may stay in the parent as its history; open work may not.
    pub fn is_complete(&self) -> bool {
        self.children >= limits::SPLIT_CHILDREN && self.open_tasks.is_empty()
    }

    /// What is left to do, in words; empty when complete.
    pub fn left(&self) -> String {
        let mut left = Vec::new();
        if self.children < limits::SPLIT_CHILDREN {
            let has = if self.children == 1 { "1 child feature".to_owned() } else { format!("{} child features", self.children) };
            left.push(format!("it has {has} and needs at least {}", limits::SPLIT_CHILDREN));
        }
        if !self.open_tasks.is_empty() {
            const SHOWN: usize = 10;
            let tasks: Vec<String> = self.open_tasks.iter().map(|task| format!("#{task}")).collect();
            left.push(format!("open tasks are still in it: {}", listed(&tasks, SHOWN)));
        }
        left.join(", and ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_is_complete_with_two_children_and_no_open_task_left() {
        let progress = |children, open_tasks: &[TaskId]| SplitProgress { children, open_tasks: open_tasks.to_vec() };
        assert!(progress(2, &[]).is_complete());
        assert_eq!(progress(2, &[]).left(), "");
        assert!(!progress(1, &[]).is_complete());
        assert!(!progress(3, &[7]).is_complete());
        let left = progress(0, &[7, 9]).left();
        assert!(left.contains("0 child features") && left.contains("#7, #9"), "{left}");
    }
}
