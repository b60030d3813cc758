//! Conflict of a merge: what the two sides did to a file, so that git can't decide what becomes of it.

use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// What the two sides did to a file.
    ConflictKind {
        /// Both changed the same lines.
        SameLines = "same_lines",
        /// Both added it, with different contents.
        BothAdded = "both_added",
        /// The base deleted it, and the work changed it.
        DeletedInBase = "deleted_in_base",
        /// The work deleted it, and the base changed it.
        DeletedInWork = "deleted_in_work",
        /// Both renamed it, to different names.
        Renamed = "renamed",
        /// Both changed it, and it has no lines.
        Binary = "binary",
        /// Both changed something else about it, such as what kind of thing it is.
        Other = "other",
    }
}

/// A file that a merge can't decide on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FileConflict {
    /// Relative to the root of the repository.
    pub path: String,
    /// What the two sides did to it.
    pub how: ConflictKind,
}

impl FileConflict {
    /// The file and what the two sides did to it.
    pub fn in_words(&self, base: &str, branch: &str) -> String {
        let how = match self.how {
            ConflictKind::SameLines => "the same lines changed on both sides".to_owned(),
            ConflictKind::BothAdded => "both added it".to_owned(),
            ConflictKind::DeletedInBase => format!("deleted in '{base}', changed in '{branch}'"),
            ConflictKind::DeletedInWork => format!("changed in '{base}', deleted in '{branch}'"),
            ConflictKind::Renamed => "renamed differently".to_owned(),
            ConflictKind::Binary => "binary, changed on both sides".to_owned(),
            ConflictKind::Other => "changed on both sides".to_owned(),
        };
        format!("{}: {how}", self.path)
    }
}

/// What a base and a branch did to the files between them, in one line.
pub fn in_words(base: &str, branch: &str, conflicts: &[FileConflict]) -> String {
    if conflicts.iter().all(|conflict| conflict.how == ConflictKind::SameLines) {
        let paths: Vec<&str> = conflicts.iter().map(|conflict| conflict.path.as_str()).collect();
        return format!("'{base}' and '{branch}' changed the same lines of {}", paths.join(", "));
    }
    let each: Vec<String> = conflicts.iter().map(|conflict| conflict.in_words(base, branch)).collect();
    format!("'{base}' and '{branch}' contradict each other: {}", each.join("; "))
}
