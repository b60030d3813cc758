//! `staged` and `landed`: lessons learned on branches, and which of them were remembered.

use crate::connection::{Read, Tx};
use crate::error::Result;
use ralph_core::LearningId;
use ralph_core::learning::StagedStanding;
use ralph_core::topic::Topic;
use ralph_core::worktree::WorktreeId;
use rusqlite::params;
use std::collections::BTreeSet;

/// A staged lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedRow {
    /// Id of its line.
    pub id: LearningId,
    /// The worktree it was learned in; `None` if it was another clone's.
    pub worktree: Option<WorktreeId>,
    /// The line without its line feed.
    pub line: String,
    /// Its state.
    pub standing: StagedStanding,
}

impl Read<'_> {
    /// Lessons staged in a worktree, in order; in all of them without one.
    pub fn staged(&self, worktree: Option<WorktreeId>) -> Result<Vec<StagedRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT s.id, s.worktree_id, s.line, EXISTS (SELECT 1 FROM landed l WHERE l.id = s.id), coalesce(w.state = 'discarded', 0)
             FROM staged s LEFT JOIN worktrees w ON w.id = s.worktree_id WHERE ?1 IS NULL OR s.worktree_id = ?1 ORDER BY s.id",
        )?;
        let rows = statement.query_map([worktree], |r| {
            let standing = match (r.get(3)?, r.get(4)?) {
                (true, _) => StagedStanding::Landed,
                (false, true) => StagedStanding::Dropped,
                (false, false) => StagedStanding::Waiting,
            };
            Ok(StagedRow { id: r.get(0)?, worktree: r.get(1)?, line: r.get(2)?, standing })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Lessons remembered after their branch was merged.
    pub fn landed(&self) -> Result<BTreeSet<LearningId>> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM landed")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether a staged lesson was remembered.
    pub fn has_landed(&self, id: &str) -> Result<bool> {
        Ok(self.connection.prepare_cached("SELECT 1 FROM landed WHERE id = ?1")?.exists([id])?)
    }
}

impl Tx<'_> {
    /// Stores the line of a staged lesson; an existing one stays.
    pub fn insert_staged(&self, id: &str, worktree: Option<WorktreeId>, line: &str) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO staged (id, worktree_id, line) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING")?
            .execute(params![id, worktree, line])?;
        Ok(())
    }

    /// Records that a staged lesson was remembered.
    pub fn insert_landed(&self, id: &str) -> Result<()> {
        self.touch(Topic::Learnings);
        self.connection.prepare_cached("INSERT INTO landed (id) VALUES (?1) ON CONFLICT (id) DO NOTHING")?.execute([id])?;
        Ok(())
    }
}
