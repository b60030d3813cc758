//! What a recall takes longer because it is recorded: the product's own recall, recorded and not, in turns.
//!
//! Not recorded is what the window asks again within a visit. The recorded side asks several times in a row, so that a recall also meets the
//! writing of the one before.

use crate::Measured;
use crate::figure::{Aim, Figure, Samples, millis};
use crate::project::{Project, learning};
use crate::recall::vector;
use ralph_core::evaluation::QuestionFilter;
use ralph_core::recall::{RecallOrigin, RecallQuery};
use ralph_core::stats::SplitMix64;
use sqlite_db::{Db, DbError};
use std::error::Error;

/// Learnings of a feature, far from its cap.
const OF_A_FEATURE: u32 = 40;
/// Recalls in a row of one side.
const IN_A_ROW: usize = 100;
const QUESTION: &str = "Why does the test reloads_7 fail with a stale value of the cache in src/mod7.rs?";

/// 1,000 learnings with vectors.
pub fn measure(quick: bool) -> Measured {
    let (count, rounds) = if quick { (200, 2) } else { (1_000, 12) };
    let project = filled(count)?;
    let (mut recorded, mut bare) = (Vec::new(), Vec::new());
    // The first recalls read the index, and learn its words.
    for origin in [RecallOrigin::Person, RecallOrigin::Cli, RecallOrigin::Person, RecallOrigin::Cli] {
        ask(&project, origin)?;
    }
    for round in 0..rounds {
        for recording in [round % 2 == 0, round % 2 != 0] {
            let (origin, side) = if recording { (RecallOrigin::Cli, &mut recorded) } else { (RecallOrigin::Person, &mut bare) };
            for _ in 0..IN_A_ROW {
                side.push(millis(|| ask(&project, origin))?.0);
            }
            project.app.finish_recording();
        }
    }
    let rows = project.app.question_rows(&QuestionFilter::default())?.total as usize;
    if rows != recorded.len() + 3 {
        return Err(format!("{rows} questions are recorded instead of {}", recorded.len() + 3).into());
    }
    let (recorded, bare) = (Samples::from(recorded), Samples::from(bare));
    let [with, without] = [&recorded, &bare].map(|side| side.quantile(0.95));
    let name = format!("recall over {count} learnings, recorded");
    let late = format!("{name}: what the slowest twentieth takes longer");
    Ok(vec![
        Figure::new(name, "ms", recorded, ("the same, not recorded", bare), Aim::RatioAtMost(1.03)),
        Figure::new(late, "ms", with - without, ("that twentieth, not recorded", without), Aim::ValueAtMost(15.0)),
    ])
}

fn ask(project: &Project, origin: RecallOrigin) -> Result<(), Box<dyn Error>> {
    let request = RecallQuery { query: QUESTION.to_owned(), limit: 20, origin, ..RecallQuery::default() };
    let found = project.app.recall(&request)?.hits.len();
    if found > 0 { Ok(()) } else { Err("nothing was found".into()) }
}

fn filled(count: u32) -> Result<Project, Box<dyn Error>> {
    let project = Project::new()?;
    for feature in 0..count.div_ceil(OF_A_FEATURE) {
        project.feature(&format!("f{feature}"))?;
    }
    let (model, mut chance) = (project.app.index_state()?.model, SplitMix64(u64::from(count)));
    let db = Db::open(&project.database())?;
    db.writer()?.transaction(|tx| {
        for number in 0..count {
            tx.put_learning(&learning(&format!("f{}", number / OF_A_FEATURE), number))?;
        }
        for (row, _) in tx.passages_without_vector(&model, count)? {
            tx.set_vector(row, &model, &vector(&mut chance))?;
        }
        Ok::<_, DbError>(())
    })?;
    Ok(project)
}
