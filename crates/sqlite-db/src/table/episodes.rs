//! `episodes`: what iterations did.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::memory::{Episode, LessonType};
use ralph_core::{MemoryId, TaskId};
use rusqlite::{Row, params};

/// An episode with its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeVector {
    /// Which.
    pub id: MemoryId,
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
}

const COLUMNS: &str = "SELECT e.id, f.name AS feature, e.lesson, e.lesson_type, e.confidence, e.source, e.task_id, e.iteration, e.replica,
    e.seen, e.files, e.created, e.kept, e.withdrawn FROM episodes e LEFT JOIN features f ON f.id = e.feature_id";

fn read_row(r: &Row<'_>) -> Result<Episode> {
    Ok(Episode {
        id: r.get("id")?,
        feature: r.get("feature")?,
        lesson: r.get("lesson")?,
        lesson_type: row::word(r, "lesson_type")?,
        confidence: r.get("confidence")?,
        source: row::word(r, "source")?,
        task_id: r.get("task_id")?,
        iteration: r.get("iteration")?,
        replica: r.get("replica")?,
        seen: row::json(r, "seen")?,
        files: row::json(r, "files")?,
        created: row::time(r, "created")?,
        kept: r.get("kept")?,
        withdrawn: row::json_opt(r, "withdrawn")?,
    })
}

impl Read<'_> {
    /// Episodes, oldest first: all of them, or those of a feature (by row number) and of the project.
    pub fn episodes(&self, feature_id: Option<u32>) -> Result<Vec<Episode>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{COLUMNS} WHERE ?1 IS NULL OR e.feature_id IS NULL OR e.feature_id = ?1 ORDER BY e.created, e.id"))?;
        statement.query_and_then([feature_id], read_row)?.collect()
    }

    /// Episodes by their ids, unordered; unknown ids are skipped.
    pub fn episodes_by_id(&self, ids: &[MemoryId]) -> Result<Vec<Episode>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE e.id IN (SELECT value FROM json_each(?1))"))?;
        statement.query_and_then([row::to_json(&ids)], read_row)?.collect()
    }

    /// Episodes that a person put away, of all features and of the project, unordered.
    pub fn episodes_put_away(&self) -> Result<Vec<Episode>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE e.withdrawn ->> 'because' = 'person'"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// Active episodes of a feature (by row number), or of the project, unordered.
    pub fn active_episodes(&self, feature_id: Option<u32>) -> Result<Vec<Episode>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE e.feature_id IS ?1 AND e.withdrawn IS NULL"))?;
        statement.query_and_then([feature_id], read_row)?.collect()
    }

    /// Active episodes about failures, of all features and of the project, unordered.
    pub fn active_failures(&self) -> Result<Vec<Episode>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE e.withdrawn IS NULL AND e.lesson_type = ?1"))?;
        statement.query_and_then([LessonType::Failure.as_str()], read_row)?.collect()
    }

    /// Episodes of a feature (by row number), in any state, that record work on a task of any replica.
    pub fn episodes_of_task(&self, task: TaskId, feature_id: u32) -> Result<Vec<MemoryId>> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM episodes WHERE task_id = ?1 AND feature_id = ?2")?;
        Ok(statement.query_map([task, feature_id], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Episodes that have not been compared yet and have a vector of the model, oldest first, at most `most`.
    pub fn episodes_to_compare(&self, model: &str, most: u32) -> Result<Vec<MemoryId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT e.id FROM episodes e JOIN passages p ON p.kind = 'episode' AND p.source = e.row
             JOIN vectors v ON v.passage = p.row AND v.model = ?1
             WHERE e.compared = 0 AND e.withdrawn IS NULL AND NOT EXISTS (
                 SELECT 1 FROM journal_files j LEFT JOIN features f ON f.name = j.feature
                 WHERE j.newer IS NOT NULL AND f.id IS e.feature_id)
             ORDER BY e.created, e.id LIMIT ?2",
        )?;
        let ids = statement.query_map(params![model, most], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(ids)
    }

    /// Active episodes of the same home as one, itself among them, with their vectors of the model, oldest first.
    pub fn episodes_beside(&self, id: &str, model: &str) -> Result<Vec<EpisodeVector>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT e.id, v.vector FROM episodes own JOIN episodes e ON e.feature_id IS own.feature_id AND e.withdrawn IS NULL
             JOIN passages p ON p.kind = 'episode' AND p.source = e.row JOIN vectors v ON v.passage = p.row AND v.model = ?2
             WHERE own.id = ?1 ORDER BY e.created, e.id",
        )?;
        let rows = statement.query_and_then(params![id, model], |r| {
            let vector = super::passages::floats(r.get_ref("vector")?.as_blob().unwrap_or_default());
            Ok(EpisodeVector { id: r.get("id")?, vector })
        })?;
        rows.collect()
    }
}

impl Tx<'_> {
    /// Remembers that an episode was compared with those before it.
    pub fn set_episode_compared(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE episodes SET compared = 1 WHERE id = ?1")?.execute([id])?;
        Ok(())
    }

    /// Stores the feature of a known episode that has moved: it is searched there now, and has yet to be compared with those there.
    fn move_episode(&self, episode: &Episode) -> Result<()> {
        let moved = self
            .connection
            .prepare_cached(
                "UPDATE episodes SET feature_id = f.id, compared = 0 FROM (SELECT (SELECT id FROM features WHERE name = ?2) AS id) f
                 WHERE episodes.id = ?1 AND feature_id IS NOT f.id",
            )?
            .execute(params![episode.id, episode.feature])?;
        if moved > 0 {
            self.connection
                .prepare_cached(
                    "UPDATE passages SET feature_id = e.feature_id FROM episodes e WHERE e.id = ?1 AND passages.kind = 'episode'
                     AND passages.source = e.row",
                )?
                .execute([&episode.id])?;
        }
        Ok(())
    }

    /// Stores an episode, new or changed. The words of a known one stay.
    pub fn put_episode(&self, episode: &Episode) -> Result<()> {
        let withdrawn = episode.withdrawn.as_ref().map(row::to_json);
        let seen = row::to_json(&episode.seen);
        self.move_episode(episode)?;
        let changed = self
            .connection
            .prepare_cached("UPDATE episodes SET withdrawn = ?2, confidence = ?3, seen = ?4, kept = ?5 WHERE id = ?1")?
            .execute(params![episode.id, withdrawn, episode.confidence, seen, episode.kept])?;
        if changed > 0 {
            return Ok(());
        }
        self.connection
            .prepare_cached(
                "INSERT INTO episodes (id, feature_id, lesson, lesson_type, confidence, source, task_id, iteration, replica, files, created,
                     withdrawn, seen, kept)
                 VALUES (?1, (SELECT id FROM features WHERE name = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?
            .execute(params![
                episode.id,
                episode.feature,
                episode.lesson,
                episode.lesson_type.as_str(),
                episode.confidence,
                episode.source.as_str(),
                episode.task_id,
                episode.iteration,
                episode.replica,
                row::to_json(&episode.files),
                episode.created.0,
                withdrawn,
                seen,
                episode.kept
            ])?;
        Ok(())
    }
}
