//! An append by `remember`, against a bare insert into an equal table and a synced line of the journal.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use crate::project::{Project, learning, lesson};
use ralph_core::learning::{LearningSource, NewLearning, Verdict};
use ralph_core::limits;
use rusqlite::{Connection, params};
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write as _;

/// Learnings of a feature before the first measured append, and appends to it: both below the split at 45.
const HELD: u32 = 40;
const APPENDS: u32 = 4;
/// What was put away in each feature with a long past, and what waits for room in another.
const PUT_AWAY: u32 = 1_000;
const PARKED: u32 = 300;
/// The columns that `remember` fills.
const BARE: &str = "INSERT INTO memories (id, kind, feature_id, text, category, tags, source, task_id, iteration, created, state)
    VALUES (?1, 'learning', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'active')";

/// In turns, on separate projects with the same features and learnings.
pub fn measure(quick: bool) -> Measured {
    let features = if quick { 3 } else { 50 };
    let project = filled(features)?;
    let mut floor = Floor::new(features)?;
    let (mut door_number, mut bare_number) = (features * HELD, features * HELD);
    let (value, floor) = in_turns(
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
    let append = Figure::new(name, "ms", value, ("bare insert and a synced line", floor), Aim::RatioAtMost(2.5));
    Ok(vec![append, beside_much(quick)?])
}

/// An append to a feature with a long past, in a project where others wait for room, against one where nothing was ever put away.
fn beside_much(quick: bool) -> Result<Figure, Box<dyn Error>> {
    let (features, put_away, parked) = if quick { (2, 50, 20) } else { (10, PUT_AWAY, PARKED) };
    let (long, short) = (filled(features)?, filled(features)?);
    let mut number = features * HELD;
    for feature in 0..features {
        for _ in 0..put_away {
            number += 1;
            let added = long.app.append_feature_learning(&NewLearning::new(&format!("f{feature}"), &lesson(number)))?;
            long.app.retire_learning(&added.id)?;
        }
    }
    long.feature("full")?;
    for at in 0..limits::MAX_LEARNINGS + parked {
        number += 1;
        // A person's are never pruned, so that what comes after them waits.
        let new = NewLearning { source: LearningSource::Human, ..NewLearning::new("full", &lesson(number)) };
        if long.app.append_feature_learning(&new).is_ok() != (at < limits::MAX_LEARNINGS) {
            return Err(format!("learning {at} of a full feature is not what it should be").into());
        }
    }
    let first = number;
    let append = |project: &Project, number: u32| -> Result<(), Box<dyn Error>> {
        let new = NewLearning::new(&format!("f{}", number % features), &lesson(number));
        let verdict = project.app.append_feature_learning(&new)?.verdict;
        if verdict == Verdict::Added { Ok(()) } else { Err(format!("the verdict is {verdict}").into()) }
    };
    let (mut one, mut other) = (first, first);
    let (value, floor) = in_turns(
        (features * APPENDS) as usize,
        || {
            one += 1;
            append(&long, one)
        },
        || {
            other += 1;
            append(&short, other)
        },
    )?;
    let name = format!("append beside {put_away} put away in its feature and {parked} parked in another");
    Ok(Figure::new(name, "ms", value, ("the same beside its feature's alone", floor), Aim::RatioAtMost(1.3)))
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
