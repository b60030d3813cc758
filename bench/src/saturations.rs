//! All saturations, against a bare grouped count over the same rows.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use crate::project::{Project, learning};
use ralph_core::feature::Feature;
use ralph_core::time::Timestamp;
use rusqlite::{Connection, OpenFlags};
use sqlite_db::{Db, DbError};
use std::error::Error;

/// Learnings that each feature holds.
const LEARNINGS: u32 = 50;
/// The least that answers "how many learnings has each feature": one pass over an index, no names, no protected ones. Every row here
/// is an active learning; to ask for them only would be slower.
const BARE: &str = "SELECT feature_id, count(*) FROM memories GROUP BY feature_id";

/// For 1,000 and for 10,000 features.
pub fn measure(quick: bool) -> Measured {
    let mut figures = Vec::new();
    for features in if quick { vec![1_000] } else { vec![1_000, 10_000] } {
        let project = Project::new()?;
        fill(&project, features)?;
        let bare = Connection::open_with_flags(project.database(), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        let (value, floor) = in_turns(
            if quick { 5 } else { 21 },
            || same(project.app.get_feature_saturations()?.len(), features),
            || same(count(&bare)?.len(), features),
        )?;
        let name = format!("all saturations, {features} features × {LEARNINGS} learnings");
        figures.push(Figure::new(name, "ms", value, ("bare grouped count", floor), Aim::RatioAtMost(1.5)));
    }
    Ok(figures)
}

fn count(bare: &Connection) -> rusqlite::Result<Vec<(u32, u32)>> {
    let mut statement = bare.prepare_cached(BARE)?;
    statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
}

fn same(found: usize, features: u32) -> Result<(), Box<dyn Error>> {
    if found == features as usize { Ok(()) } else { Err(format!("{found} features instead of {features}").into()) }
}

/// Rows by the ordinary writers of the database, in one commit.
fn fill(project: &Project, features: u32) -> Result<(), Box<dyn Error>> {
    let db = Db::open(&project.database())?;
    db.writer()?.transaction(|tx| {
        for number in 0..features {
            // Names out of the order of the rows, as people make them.
            let name = format!("feature-{:05}", number.wrapping_mul(7_919) % 100_003);
            tx.insert_feature(&feature(&name))?;
            for place in 0..LEARNINGS {
                tx.put_learning(&learning(&name, number * LEARNINGS + place))?;
            }
        }
        Ok::<_, DbError>(())
    })?;
    Ok(())
}

fn feature(name: &str) -> Feature {
    Feature { description: "A scope of work.".to_owned(), ..Feature::new(name, Timestamp(1_700_000_000_000)) }
}
