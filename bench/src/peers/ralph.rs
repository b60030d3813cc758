//! Ralph as one of the peers: its store alone, or all of `remember`.

use super::data::Data;
use super::{Answer, HITS};
use crate::figure::millis;
use crate::project::Project;
use ralph_app::{AppError, FreshIndex, Searcher};
use ralph_core::learning::{NewLearning, Verdict};
use ralph_core::recall::{MemoryKind, Reach, Tuning};
use ralph_core::time::Timestamp;
use ralph_rag::recall::{ChannelHits, Question, Scope, TokenQuestion};
use sqlite_db::table::NewPassage;
use sqlite_db::{Db, DbError};
use std::collections::HashMap;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;

/// A passage and its vector, in one transaction of the database.
pub const STORE: &str = "ralph";
/// A remembered learning, then its vector: gate, duplicates, journal and all.
pub const DOOR: &str = "door";
/// A feature holds 50 learnings and asks to be split at 45.
const FEATURES: u32 = 50;

/// Answers on standard output what standard input asks for.
pub fn serve(kind: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut data = Data::open(folder)?;
    let mut store = Store::new(kind == DOOR)?;
    tell(&Answer { name: "Ralph".to_owned(), ..Answer::default() })?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let [what, start, end] = line.split(' ').collect::<Vec<_>>()[..] else { return Err("a line has three words".into()) };
        let mut answer = Answer::default();
        for number in start.parse::<u32>()?..end.parse()? {
            let (text, vector) = data.item(number)?;
            if what == "load" {
                store.add(number, &text, &vector)?;
                continue;
            }
            if what == "add" {
                answer.millis.push(millis(|| store.add(number, &text, &vector))?.0);
                continue;
            }
            let (took, best) = millis(|| store.search(Some(&text), &vector))?;
            answer.millis.push(took);
            answer.best.push(best);
            answer.by_vector.push(millis(|| store.search(None, &vector))?.0);
        }
        answer.index_mib = store.index.bytes() as f64 / f64::from(1 << 20);
        answer.disk_mib = store.disk()? as f64 / f64::from(1 << 20);
        tell(&answer)?;
    }
    Ok(())
}

fn tell(answer: &Answer) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(answer)?)?;
    Ok(out.flush()?)
}

struct Store {
    project: Project,
    db: Db,
    model: String,
    index: FreshIndex,
    /// Item of each passage.
    items: HashMap<i64, u32>,
    through_the_door: bool,
}

impl Store {
    fn new(through_the_door: bool) -> Result<Store, Box<dyn Error>> {
        let project = Project::new()?;
        for number in 0..FEATURES {
            project.feature(&format!("f{number}"))?;
        }
        let model = project.app.index_state()?.model;
        let db = Db::open(&project.database())?;
        Ok(Store { project, db, model, index: FreshIndex::default(), items: HashMap::new(), through_the_door })
    }

    /// Bytes of the database and its log.
    fn disk(&self) -> Result<u64, Box<dyn Error>> {
        let beside = std::fs::read_dir(self.project.database().parent().ok_or("the database has no folder")?)?;
        let mut bytes = 0;
        for entry in beside {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with("ralph.db") {
                bytes += entry.metadata()?.len();
            }
        }
        Ok(bytes)
    }

    fn add(&mut self, number: u32, text: &str, vector: &[f32]) -> Result<(), Box<dyn Error>> {
        let row = if self.through_the_door { self.learn(number, text, vector)? } else { self.store(number, text, vector)? };
        self.items.insert(row, number);
        Ok(())
    }

    fn store(&self, number: u32, text: &str, vector: &[f32]) -> Result<i64, DbError> {
        let passage = NewPassage { source: i64::from(number), ordinal: 0, series: None, created: Timestamp(0), text };
        self.db.writer()?.transaction(|tx| {
            let row = tx.insert_document_passage(&passage)?;
            tx.set_vector(row, &self.model, vector)?;
            Ok(row)
        })
    }

    fn learn(&self, number: u32, text: &str, vector: &[f32]) -> Result<i64, Box<dyn Error>> {
        let feature = format!("f{}", number % FEATURES);
        let verdict = self.project.app.append_feature_learning(&NewLearning::new(&feature, text))?.verdict;
        if verdict != Verdict::Added {
            return Err(format!("the verdict is {verdict} on '{text}'").into());
        }
        // The vector is a commit of its own, as in the product.
        let pending = self.db.read(|r| r.passages_without_vector(&self.model, 1))?;
        let (row, _) = pending.first().ok_or("the learning has no passage")?;
        self.db.writer()?.transaction(|tx| tx.set_vector(*row, &self.model, vector))?;
        Ok(*row)
    }

    /// The whole recall: three full-text statements, the scan, fusion, order, texts of the hits. Without a text, by the vector alone.
    /// Answers the item that comes first.
    fn search(&mut self, text: Option<&str>, vector: &[f32]) -> Result<u32, Box<dyn Error>> {
        let index = &self.db.read(|r| self.index.get(r, &self.model, Reach::Knowledge))?;
        let tuning = Tuning::default();
        let scope = |_: MemoryKind, _: i64, _: Option<u32>, _: bool, _: i64| Scope { weight: 1.0, age_days: Some(3.0), closeness: None };
        let rows: Vec<i64> = self.db.read(|r| {
            let searcher = Searcher { read: r, index, reach: Reach::Knowledge, model: &self.model, tokens: None };
            let found = match text {
                Some(text) => searcher.channel_hits(&Question::of(text, &tuning), Some(vector))?,
                None => ChannelHits { vector: index.near(vector), ..ChannelHits::default() },
            };
            let (hits, _) = searcher.rank(found, &TokenQuestion::default(), &scope, HITS, &tuning);
            let rows: Vec<i64> = hits.iter().flat_map(|hit| hit.rows.iter().copied()).collect();
            std::hint::black_box(r.passage_texts(&rows)?);
            Ok::<_, AppError>(rows)
        })?;
        let best = rows.first().and_then(|row| self.items.get(row));
        best.copied().ok_or_else(|| "nothing was found".into())
    }
}
