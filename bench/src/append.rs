//! An append by `remember`, against a bare insert into an equal table and a synced line of the journal.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use crate::project::{Project, learning, lesson};
use ralph_core::learning::{NewLearning, Verdict};
use rusqlite::{Connection, params};
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write as _;

/// Learnings of a feature before the first measured append, and appends to it: both below the split at 45.
const HELD: u32 = 40;
const APPENDS: u32 = 4;
/// The columns that `remember` fills.
const BARE: &str = "INSERT INTO memories (id, kind, feature_id, text, category, tags, source, task_id, iteration, created, state)
    VALUES (?1, 'learning', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'active')";

/// In turns, on separate projects with the same features and learnings.
pub fn measure(quick: bool) -> Measured {
    let features = if quick { 3 } else { 50 };
    let project = filled(features)?;
    let mut floor = Floor::new(features)?;
    let (mut door_number, mut bare_number) = (features * HELD, features * HELD);
    let (value, floor) = in_turns::<Box<dyn Error>>(
        (features * APPENDS) as usize,
        || {
            door_number += 1;
            let feature = format!("f{}", door_number % features);
            let verdict = project.app.append_feature_learning(&NewLearning::new(&feature, &lesson(door_number)))?.verdict;
            if verdict == Verdict::Added { Ok(()) } else { Err(format!("the verdict is {verdict}").into()) }
        },
        || {
            bare_number += 1;
            floor.append(bare_number)
        },
    )?;
    let name = format!("append through the door, feature with {HELD} to {} learnings", HELD + APPENDS);
    Ok(vec![Figure::new(name, "ms", value, ("bare insert and a synced line", floor), Aim::RatioAtMost(2.5))])
}

/// A project whose features hold remembered learnings.
fn filled(features: u32) -> Result<Project, Box<dyn Error>> {
    let project = Project::new()?;
    for number in 0..features {
        project.feature(&format!("f{number}"))?;
    }
    for number in 0..features * HELD {
        project.app.append_feature_learning(&NewLearning::new(&format!("f{}", number % features), &lesson(number)))?;
    }
    Ok(project)
}

/// The same table with the same rows in a database of its own, and an open journal.
struct Floor {
    connection: Connection,
    journal: File,
    features: u32,
    _project: Project,
}

impl Floor {
    fn new(features: u32) -> Result<Floor, Box<dyn Error>> {
        let project = filled(features)?;
        let connection = Connection::open(project.database())?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // The floor keeps the search index in step too.
        sqlite_db::add_functions(&connection)?;
        let journal = OpenOptions::new().append(true).create(true).open(project.app.paths().memory.join("bare.jsonl"))?;
        Ok(Floor { connection, journal, features, _project: project })
    }

    fn append(&mut self, number: u32) -> Result<(), Box<dyn Error>> {
        let new = learning("f", number);
        let tags = serde_json::to_string(&new.tags)?;
        let feature = number % self.features + 1;
        self.connection.prepare_cached(BARE)?.execute(params![
            new.id,
            feature,
            new.text,
            new.category,
            tags,
            new.source.as_str(),
            new.task_id,
            new.iteration,
            new.created.0
        ])?;
        let mut line = serde_json::to_vec(&new)?;
        line.push(b'\n');
        self.journal.write_all(&line)?;
        self.journal.sync_data()?;
        Ok(())
    }
}
