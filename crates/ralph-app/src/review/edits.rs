//! Edits in a worktree during its merge: by the check, or by somebody who looks at the result. A merge ends with what was committed, so
//! they are saved separately.

use crate::app::App;
use crate::error::Result;
use git_repo::Repo;
use ralph_core::limits::NAMED_FILES;
use ralph_core::worktree::Worktree;
use std::fmt;

/// Edits that were saved.
#[derive(Clone)]
pub(super) struct KeptEdits {
    /// The snapshot that holds them.
    pub name: String,
    files: Vec<String>,
}

impl fmt::Display for KeptEdits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, name) = (self.files.join(", "), &self.name);
        write!(f, "what was changed in its worktree meanwhile ({files}) is kept, and `ralph snapshot restore {name}` brings it back")
    }
}

impl App {
    /// Saves what differs in a worktree from the merge result that is checked out there, and protects what somebody committed on top of it.
    pub(super) fn keep_edits(&self, worktree: &Worktree, own: &Repo) -> Result<Option<KeptEdits>> {
        let landing = self.db.read(|r| r.worktree(worktree.id))?.and_then(|worktree| worktree.landing);
        let Some(landing) = landing.filter(|_| own.is_amid_operation().ok() == Some(false)) else { return Ok(None) };
        if own.branch()?.is_none() {
            let head = own.head()?;
            // If git did not get as far as a result, the differences are its own.
            if head.as_ref() == Some(&landing.from) {
                return Ok(None);
            }
            if let Some(head) = head.filter(|head| ![&landing.to, &landing.tip].contains(&&Some(head.clone()))) {
                own.hold(&head)?;
            }
        }
        self.keep_differences(worktree, own)
    }

    /// Keeps aside what differs in a worktree from the commit that is checked out there.
    pub(super) fn keep_differences(&self, worktree: &Worktree, own: &Repo) -> Result<Option<KeptEdits>> {
        let files = own.uncommitted_tracked(NAMED_FILES)?;
        if files.is_empty() {
            return Ok(None);
        }
        let kept = KeptEdits { name: own.keep(&own.snapshot()?, &self.snapshot_name(worktree.work)?)?.name, files };
        tracing::warn!("{}: {kept}", worktree.path);
        Ok(Some(kept))
    }
}
