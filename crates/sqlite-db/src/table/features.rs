//! `features`, and all saturations in one pass.

use super::memories::open_conflicts;
use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row::{self, Columns};
use ralph_core::TaskId;
use ralph_core::feature::{Feature, FeatureRow, TaskCounts};
use ralph_core::saturation::{FeatureSaturation, compute_feature_saturation};
use ralph_core::task::TaskStatus;
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};
use std::cmp::Ordering;
use std::collections::HashMap;

const COLUMNS: &str = "SELECT f.id, f.name, f.display_name, f.acronym, f.description, f.architecture, f.boundaries, f.context_files,
    f.knowledge_paths, f.dependencies, p.name AS parent, f.state, f.author, f.by_person, f.max_learnings, f.created, f.updated
    FROM features f LEFT JOIN features p ON p.id = f.parent_id";

fn read_row(r: &Row<'_>) -> Result<Feature> {
    let mut columns = Columns::of(r);
    Ok(Feature {
        id: columns.get("id")?,
        name: columns.get("name")?,
        display_name: columns.get("display_name")?,
        acronym: columns.get("acronym")?,
        description: columns.get("description")?,
        architecture: columns.get("architecture")?,
        boundaries: columns.get("boundaries")?,
        context_files: columns.json("context_files")?,
        knowledge_paths: columns.json("knowledge_paths")?,
        dependencies: columns.json("dependencies")?,
        parent: columns.get("parent")?,
        state: columns.word("state")?,
        author: columns.word("author")?,
        by_person: columns.get("by_person")?,
        max_learnings: columns.get("max_learnings")?,
        created: columns.time("created")?,
        updated: columns.time("updated")?,
    })
}

/// What is written about a feature besides its name and the time of its creation, by column: one list for new and for changed ones.
fn written(feature: &Feature) -> [(&'static str, Value); 14] {
    [
        ("display_name", feature.display_name.clone().into()),
        ("acronym", feature.acronym.clone().into()),
        ("description", feature.description.clone().into()),
        ("architecture", feature.architecture.clone().into()),
        ("boundaries", feature.boundaries.clone().into()),
        ("context_files", row::to_json(&feature.context_files).into()),
        ("knowledge_paths", row::to_json(&feature.knowledge_paths).into()),
        ("dependencies", row::to_json(&feature.dependencies).into()),
        (PARENT, feature.parent.clone().into()),
        ("state", feature.state.as_str().to_owned().into()),
        ("author", feature.author.as_str().to_owned().into()),
        ("by_person", feature.by_person.into()),
        ("max_learnings", feature.max_learnings.into()),
        ("updated", feature.updated.0.into()),
    ]
}

/// The column that holds a row number, where a feature has a name.
const PARENT: &str = "parent_id";

/// How the value with this number is written into a column.
fn place(column: &str, number: usize) -> String {
    if column == PARENT { format!("(SELECT id FROM features WHERE name = ?{number})") } else { format!("?{number}") }
}

/// A feature with the counts for its saturation.
struct Counted {
    id: u32,
    name: String,
    archived: bool,
    cap: u32,
    prunable: u32,
    protected: u32,
}

/// The order of names in the database (`COLLATE NOCASE`).
fn nocase(a: &str, b: &str) -> Ordering {
    a.bytes().map(|byte| byte.to_ascii_lowercase()).cmp(b.bytes().map(|byte| byte.to_ascii_lowercase()))
}

impl Read<'_> {
    /// All features by name, the archived ones last.
    pub fn features(&self) -> Result<Vec<Feature>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} ORDER BY f.state = 'archived', f.name"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// One feature; the name is case-insensitive.
    pub fn feature(&self, name: &str) -> Result<Option<Feature>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE f.name = ?1"))?;
        statement.query_and_then([name], read_row)?.next().transpose()
    }

    /// Features split from `parent`, by name.
    pub fn children(&self, parent: &str) -> Result<Vec<Feature>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE p.name = ?1 ORDER BY f.name"))?;
        statement.query_and_then([parent], read_row)?.collect()
    }

    /// Saturation of every feature in the order of [`Read::features`]: each active learning is counted once, by a covering index.
    /// `default_cap` is the project's.
    pub fn saturations(&self, default_cap: u32) -> Result<Vec<FeatureSaturation>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id, name, coalesce(max_learnings, ?1), state = 'archived' FROM features ORDER BY id")?;
        let rows = statement.query_map([default_cap], |r| {
            Ok(Counted { id: r.get(0)?, name: r.get(1)?, cap: r.get(2)?, archived: r.get(3)?, prunable: 0, protected: 0 })
        })?;
        let mut features = rows.collect::<rusqlite::Result<Vec<Counted>>>()?;
        // Joined and sorted here: SQLite would first write the counts to a table, index it, and look up each feature in it by name.
        self.count_learnings(
            &mut features,
            "SELECT feature_id, count(*) FROM memories INDEXED BY memories_prunable
             WHERE kind = 'learning' AND state = 'active' AND NOT protected GROUP BY feature_id ORDER BY feature_id",
            |feature, count| feature.prunable = count,
        )?;
        self.count_learnings(
            &mut features,
            "SELECT feature_id, count(*) FROM memories INDEXED BY memories_protected
             WHERE kind = 'learning' AND state = 'active' AND protected GROUP BY feature_id ORDER BY feature_id",
            |feature, count| feature.protected = count,
        )?;
        features.sort_unstable_by(|a, b| a.archived.cmp(&b.archived).then_with(|| nocase(&a.name, &b.name)));
        Ok(features.iter().map(|f| compute_feature_saturation(&f.name, f.prunable + f.protected, f.protected, f.cap)).collect())
    }

    /// Assigns each count to its feature; both are ordered by row number.
    fn count_learnings(&self, features: &mut [Counted], query: &str, set: impl Fn(&mut Counted, u32)) -> Result<()> {
        let mut statement = self.connection.prepare_cached(query)?;
        let mut place = 0;
        for row in statement.query_map([], |r| Ok((r.get::<_, u32>(0)?, r.get::<_, u32>(1)?)))? {
            let (id, count) = row?;
            while features.get(place).is_some_and(|feature| feature.id < id) {
                place += 1;
            }
            if let Some(feature) = features.get_mut(place).filter(|feature| feature.id == id) {
                set(feature, count);
            }
        }
        Ok(())
    }

    /// Saturation of one feature by its row number: the hot path of `remember`.
    pub fn saturation_of(&self, feature: &Feature, default_cap: u32) -> Result<FeatureSaturation> {
        let (prunable, protected): (u32, u32) = self
            .connection
            .prepare_cached(
                "SELECT (SELECT count(*) FROM memories INDEXED BY memories_prunable
                         WHERE feature_id = ?1 AND kind = 'learning' AND state = 'active' AND NOT protected),
                        (SELECT count(*) FROM memories INDEXED BY memories_protected
                         WHERE feature_id = ?1 AND kind = 'learning' AND state = 'active' AND protected)",
            )?
            .query_row([feature.id], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(compute_feature_saturation(&feature.name, prunable + protected, protected, feature.max_learnings.unwrap_or(default_cap)))
    }

    /// Every feature with its counts: seven queries, whatever their number.
    pub fn feature_rows(&self, default_cap: u32) -> Result<Vec<FeatureRow>> {
        let saturations = self.saturations(default_cap)?;
        let mut outside = self.outside_features()?;
        let mut rows: Vec<FeatureRow> = self
            .features()?
            .into_iter()
            .zip(saturations)
            .map(|(feature, saturation)| {
                let brought = outside.remove(&feature.name);
                FeatureRow {
                    feature,
                    tasks: TaskCounts::default(),
                    saturation,
                    parked_count: 0,
                    review_count: 0,
                    split_task: None,
                    outside: brought.is_some(),
                    outside_replica: brought.flatten(),
                }
            })
            .collect();
        // Features are ordered for people; the counts by row number.
        let place: HashMap<u32, usize> = rows.iter().enumerate().map(|(i, r)| (r.feature.id, i)).collect();
        self.add_task_counts(&mut rows, &place)?;
        self.add_learning_counts(&mut rows, &place)?;
        Ok(rows)
    }

    fn add_task_counts(&self, rows: &mut [FeatureRow], place: &HashMap<u32, usize>) -> Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT feature_id, status, count(*), max(CASE WHEN kind = 'split' AND status IN ({}) THEN id END)
             FROM tasks GROUP BY feature_id, status",
            super::tasks::open_statuses()
        ))?;
        let found = statement
            .query_map([], |r| Ok((r.get::<_, u32>(0)?, r.get::<_, String>(1)?, r.get::<_, u32>(2)?, r.get::<_, Option<TaskId>>(3)?)))?;
        for row in found {
            let (feature, status, count, split) = row?;
            let Some(target) = place.get(&feature).and_then(|i| rows.get_mut(*i)) else { continue };
            if let Ok(status) = status.parse::<TaskStatus>() {
                *target.tasks.of(status) = count;
            }
            target.split_task = target.split_task.or(split);
        }
        Ok(())
    }

    fn add_learning_counts(&self, rows: &mut [FeatureRow], place: &HashMap<u32, usize>) -> Result<()> {
        let mut statement = self.connection.prepare_cached(concat!(
            "SELECT feature_id, count(*), 0 FROM memories WHERE kind = 'learning' AND state = 'parked' GROUP BY feature_id
             UNION ALL
             SELECT feature_id, 0, count(*) FROM ",
            open_conflicts!(),
            " GROUP BY feature_id"
        ))?;
        let found = statement.query_map([], |r| Ok((r.get::<_, u32>(0)?, r.get::<_, u32>(1)?, r.get::<_, u32>(2)?)))?;
        for row in found {
            let (feature, parked, conflicts) = row?;
            if let Some(target) = place.get(&feature).and_then(|i| rows.get_mut(*i)) {
                target.parked_count += parked;
                target.review_count += conflicts;
            }
        }
        Ok(())
    }
}

impl Read<'_> {
    /// Whether a person skipped the split task of a feature, and its saturation has been critical since.
    pub fn split_skipped(&self, feature_id: u32) -> Result<bool> {
        let mut statement = self.connection.prepare_cached("SELECT split_skipped FROM features WHERE id = ?1")?;
        Ok(statement.query_row([feature_id], |r| r.get(0))?)
    }
}

impl Tx<'_> {
    /// Records, or clears, that a person skipped the split task of a feature.
    pub fn set_split_skipped(&self, feature_id: u32, skipped: bool) -> Result<()> {
        self.connection.prepare_cached("UPDATE features SET split_skipped = ?2 WHERE id = ?1")?.execute(params![feature_id, skipped])?;
        Ok(())
    }

    /// Stores a new feature and returns its row number. A taken name is a unique violation.
    pub fn insert_feature(&self, feature: &Feature) -> Result<u32> {
        let written = written(feature);
        let columns = written.each_ref().map(|(column, _)| *column).join(", ");
        let places: Vec<String> = written.iter().zip(3..).map(|((column, _), number)| place(column, number)).collect();
        let sql = format!("INSERT INTO features (name, created, {columns}) VALUES (?1, ?2, {})", places.join(", "));
        let identity = [feature.name.clone().into(), feature.created.0.into()];
        self.connection.prepare_cached(&sql)?.execute(params_from_iter(identity.into_iter().chain(written.map(|(_, value)| value))))?;
        Ok(u32::try_from(self.connection.last_insert_rowid()).unwrap_or(u32::MAX))
    }

    /// Stores every field of an existing feature, identified by name in any case: two clones may have made it, and the first of them
    /// counts.
    pub fn write_feature(&self, feature: &Feature) -> Result<()> {
        let written = written(feature);
        let places: Vec<String> =
            written.iter().zip(3..).map(|((column, _), number)| format!("{column} = {}", place(column, number))).collect();
        let sql = format!("UPDATE features SET name = ?1, created = ?2, {} WHERE name = ?1", places.join(", "));
        let identity: [Value; 2] = [feature.name.clone().into(), feature.created.0.into()];
        self.connection.prepare_cached(&sql)?.execute(params_from_iter(identity.into_iter().chain(written.map(|(_, value)| value))))?;
        Ok(())
    }
}
