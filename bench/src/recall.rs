//! Recall over many memories, against the statements and the scan that it is made of; and against ten times fewer memories.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use crate::project::Project;
use ralph_app::{AppError, FreshIndex, Searcher, Snapshot, index_of, learn_words};
use ralph_core::recall::{MemoryKind, Reach, Tuning};
use ralph_core::stats::SplitMix64;
use ralph_core::time::Timestamp;
use ralph_rag::recall::{Index, Question, Scope, TokenQuestion};
use sqlite_db::table::NewPassage;
use sqlite_db::{Db, DbError};
use std::error::Error;
use std::path::PathBuf;
use text_embed::{Embedder, Role, Source};

const DIMENSION: usize = 384;
const MODEL: &str = "bench";
const HITS: usize = 10;
/// Words of a question whose vector is made, and questions that are made at once for its floor.
const ASKED: usize = 10;
const AT_ONCE: usize = 16;
const QUESTION: &str = "Why does the refund retry in src/payments/refund_table.rs wait for the webhook of the provider?";
const WORDS: [&str; 40] = [
    "refund",
    "retry",
    "webhook",
    "provider",
    "payment",
    "invoice",
    "ledger",
    "cache",
    "index",
    "migration",
    "schema",
    "queue",
    "worker",
    "timeout",
    "parser",
    "token",
    "session",
    "cookie",
    "header",
    "router",
    "layout",
    "button",
    "dialog",
    "fixture",
    "snapshot",
    "release",
    "branch",
    "commit",
    "lock",
    "thread",
    "buffer",
    "stream",
    "socket",
    "certificate",
    "secret",
    "quota",
    "report",
    "export",
    "import",
    "locale",
];

/// 10,000 and 100,000 memories with their vectors; the question's own vector is given.
pub fn measure(quick: bool) -> Measured {
    let small = Filled::new(if quick { 1_000 } else { 10_000 })?;
    let large = Filled::new(if quick { 10_000 } else { 100_000 })?;
    let rounds = if quick { 5 } else { 31 };
    let (value, parts) = in_turns(rounds, || small.recall(), || small.parts())?;
    let (of_large, of_small) = in_turns(rounds, || large.recall(), || small.recall())?;
    let (started, read) = in_turns(rounds.min(9), || large.start(), || large.read_rows())?;
    let (scan, _) = in_turns(rounds, || small.scan(), || Ok(()))?;
    let name = |count: u32| format!("recall over {count} memories, without the embedding");
    Ok(vec![
        Figure::new(name(small.count), "ms", value.clone(), ("what its channels find, without the order", parts), Aim::RatioAtMost(2.0)),
        Figure::new(name(large.count), "ms", of_large, (&*format!("the same over {}", small.count), of_small), Aim::RatioAtMost(4.0)),
        Figure::new(
            format!("one recall over {} memories by a process that begins, from its snapshot", large.count),
            "ms",
            started,
            ("its rows read", read),
            Aim::ValueAtMost(150.0),
        ),
        Figure::new(format!("of which the scan of {} vectors", small.count), "ms", scan, ("the whole", value), Aim::None),
        question_vector(rounds)?,
    ])
}

/// What a question costs before any search: its vector, by the model that comes with Ralph, once that is in memory.
fn question_vector(rounds: usize) -> Result<Figure, Box<dyn Error>> {
    let embedder = Embedder::new(Source::Bundled);
    let mut chance = SplitMix64(ASKED as u64);
    let mut question = || (0..ASKED).map(|_| WORDS[chance.index(WORDS.len())]).collect::<Vec<_>>().join(" ");
    let (one, many): (Vec<String>, Vec<String>) = ((0..=rounds).map(|_| question()).collect(), (0..AT_ONCE).map(|_| question()).collect());
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut next = one.iter();
    let mut asked = || {
        let question = next.next().ok_or("no question is left")?;
        std::hint::black_box(embedder.embed(&[question], Role::Query)?);
        Ok(())
    };
    // The first one reads the model.
    asked()?;
    let (alone, together) = in_turns(rounds, asked, || {
        std::hint::black_box(embedder.embed(&many, Role::Query)?);
        Ok(())
    })?;
    let each = together.map(|millis| millis / AT_ONCE as f64);
    let name = format!("the vector of a question of {ASKED} words");
    Ok(Figure::new(name, "ms", alone, (&*format!("each of {AT_ONCE} at once"), each), Aim::ValueAtMost(10.0)))
}

struct Filled {
    db: Db,
    index: Index,
    asked: Vec<f32>,
    question: Question,
    count: u32,
    /// A snapshot of the index, as a process before left it.
    snapshot: PathBuf,
    _project: Project,
}

impl Filled {
    fn new(count: u32) -> Result<Filled, Box<dyn Error>> {
        let project = Project::new()?;
        let db = Db::open(&project.database())?;
        let mut chance = SplitMix64(u64::from(count));
        db.writer()?.transaction(|tx| {
            for number in 0..count {
                let text = text(&mut chance, number);
                let passage = NewPassage { source: i64::from(number), ordinal: 0, series: None, created: Timestamp(0), text: &text };
                let row = tx.insert_document_passage(&passage)?;
                tx.set_vector(row, MODEL, &vector(&mut chance))?;
            }
            Ok::<_, DbError>(())
        })?;
        let index = db.read(|r| {
            let mut index = index_of(r, MODEL, Reach::Knowledge)?;
            learn_words(r, Reach::Knowledge, &mut index)?;
            Ok::<_, AppError>(index)
        })?;
        let question = Question::of(QUESTION, &Tuning::default());
        let mut fresh = FreshIndex::default();
        db.read(|r| fresh.get(r, MODEL, Reach::Knowledge))?;
        let snapshot = project.root().join("index.bin");
        std::fs::write(&snapshot, fresh.snapshot("bench").ok_or("there is no index")?)?;
        Ok(Filled { asked: vector(&mut chance), db, index, question, count, snapshot, _project: project })
    }

    fn scan(&self) -> Result<(), Box<dyn Error>> {
        self.index.near(&self.asked).map(|_| ()).ok_or_else(|| "no vectors".into())
    }

    fn parts(&self) -> Result<(), Box<dyn Error>> {
        self.db.read(|r| {
            Searcher { read: r, index: &self.index, reach: Reach::Knowledge, model: MODEL, tokens: None }
                .channel_hits(&self.question, Some(&self.asked))?;
            Ok(())
        })
    }

    /// What a process does that asks once.
    fn start(&self) -> Result<(), Box<dyn Error>> {
        let mut fresh = FreshIndex::default();
        fresh.begin(Snapshot::of(&std::fs::read(&self.snapshot)?).ok_or("the snapshot can't be read")?);
        let index = self.db.read(|r| fresh.get(r, MODEL, Reach::Knowledge))?;
        self.ask(&index)
    }

    fn read_rows(&self) -> Result<(), Box<dyn Error>> {
        std::hint::black_box(self.db.read(|r| index_of(r, MODEL, Reach::Knowledge))?);
        Ok(())
    }

    fn recall(&self) -> Result<(), Box<dyn Error>> {
        self.ask(&self.index)
    }

    fn ask(&self, index: &Index) -> Result<(), Box<dyn Error>> {
        let scope = |_: MemoryKind, _: i64, _: Option<u32>, _: bool, _: i64| Scope { weight: 1.0, age_days: Some(3.0), closeness: None };
        let hits = self.db.read(|r| {
            let searcher = Searcher { read: r, index, reach: Reach::Knowledge, model: MODEL, tokens: None };
            let found = searcher.channel_hits(&self.question, Some(&self.asked))?;
            Ok::<_, AppError>(searcher.rank(found, &TokenQuestion::default(), &scope, HITS, &Tuning::default()).0)
        })?;
        if hits.len() == HITS { Ok(()) } else { Err(format!("{} hits instead of {HITS}", hits.len()).into()) }
    }
}

/// About the length of a learning; one in eight names a file.
fn text(chance: &mut SplitMix64, number: u32) -> String {
    let mut words: Vec<&str> = (0..18).map(|_| WORDS[chance.index(WORDS.len())]).collect();
    let file = format!("src/{}/{}_{}.rs", words[0], words[1], number % 97);
    if number.is_multiple_of(8) {
        words.push(&file);
    }
    words.join(" ")
}

/// A random vector of the length that the product's own model gives.
pub fn vector(chance: &mut SplitMix64) -> Vec<f32> {
    let raw: Vec<f32> = (0..DIMENSION).map(|_| (chance.next_u64() >> 40) as f32 / (1u64 << 24) as f32 - 0.5).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.into_iter().map(|x| x / length).collect()
}
