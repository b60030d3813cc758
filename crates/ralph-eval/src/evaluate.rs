//! `ralph eval`: recall, measured on a judged collection in the layout of BEIR (Thakur et al. 2021).
//!
//! The same search as the product's, over a store of its own for each group (a group stands for a project), in a folder that is
//! removed afterwards. Texts are taken whole: past no gate, no dedupe, no cap.

use crate::metrics::{MetricSum, Metrics};
use ralph_app::{AppError, Result, Searcher, index_of};
use ralph_core::recall::{Channel, EvalMode, MemoryKind, Reach, Tuning};
use ralph_core::time::Timestamp;
use ralph_rag::recall::{Index, Question, Ranked, Scope, channel_order, chunks};
use serde::{Deserialize, Deserializer, Serialize};
use sqlite_db::Db;
use sqlite_db::table::NewPassage;
use std::collections::BTreeMap;
use std::path::Path;
use text_embed::{Embedder, Role, Source};

/// Hits per query that are written and measured.
const DEPTH: usize = 100;
/// Texts that are embedded at once, between two words of progress.
const BATCH: usize = 256;

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Evaluation {
    /// The product's own order.
    pub fused: Metrics,
    /// Each channel alone.
    pub channels: BTreeMap<&'static str, Metrics>,
    /// Without joining chunks (MPAB off), to compare with `fused`.
    pub without_mpab: Metrics,
    /// Queries with a relevant document.
    pub queries: u32,
    /// Documents.
    pub documents: u32,
    /// The embedding model.
    pub model: String,
    /// One line per hit: query, document, rank from 1, score.
    #[serde(skip)]
    pub run: String,
}

/// A document or query. Any other key is a label and is not read.
#[derive(Debug, Deserialize)]
struct Record {
    #[serde(rename = "_id", deserialize_with = "word")]
    id: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default, deserialize_with = "some_word")]
    group: Option<String>,
    #[serde(default, deserialize_with = "some_word")]
    session: Option<String>,
    #[serde(default)]
    seq: Option<i64>,
}

/// A name; collections write numbers as well.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Number(serde_json::Number),
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        match word {
            Word::Text(text) => text,
            Word::Number(number) => number.to_string(),
        }
    }
}

fn word<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<String, D::Error> {
    Word::deserialize(from).map(String::from)
}

fn some_word<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<String>, D::Error> {
    Ok(Option::<Word>::deserialize(from)?.map(String::from))
}

impl Record {
    fn whole(&self) -> String {
        format!("{} {}", self.title.as_deref().unwrap_or_default(), self.text.as_deref().unwrap_or_default()).trim().to_owned()
    }

    fn series(&self) -> Option<String> {
        self.session.clone().or_else(|| Some(format!("{}\u{1f}{}", self.group.as_deref()?, self.seq?)))
    }
}

/// Evaluates recall on the collection in `data`. `progress` is told what is being done.
pub fn evaluate(data: &Path, mode: EvalMode, tuning: &Tuning, progress: &dyn Fn(&str)) -> Result<Evaluation> {
    let embedder = &Embedder::new(Source::Bundled);
    embedder.available()?;
    let documents: Vec<Record> = records(&data.join("corpus.jsonl"))?;
    let queries: Vec<Record> = records(&data.join("queries.jsonl"))?;
    let judged = judgements(&data.join("qrels.tsv"))?;
    let mut stores: BTreeMap<Option<String>, Store> = BTreeMap::new();
    let folder = Scratch::new()?;
    let groups: Vec<Option<&str>> = documents.iter().map(|d| if mode == EvalMode::Own { None } else { d.group.as_deref() }).collect();
    let vectors = Vectors::of(&documents, embedder, progress)?;
    let mut by_group: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        by_group.entry(*group).or_default().push(at);
    }
    for (number, (group, members)) in by_group.into_iter().enumerate() {
        let path = folder.0.join(format!("{number}.db"));
        stores.insert(group.map(str::to_owned), Store::fill(&path, &documents, &members, &vectors, embedder.id())?);
    }
    // Without groups in the collection every query searches all of it.
    let whole = mode == EvalMode::Own || stores.keys().all(Option::is_none);
    let search = Search { documents: &documents, mode, tuning, embedder };
    let mut measured = Measured::default();
    for (at, query) in queries.iter().enumerate() {
        if at % 100 == 0 {
            progress(&format!("query {at} of {}", queries.len()));
        }
        let Some(grades) = judged.get(&query.id) else { continue };
        let key = if whole { None } else { query.group.clone() };
        let Some(store) = stores.get(&key) else { continue };
        let relevant = search.relevant(grades, query, store);
        if !relevant.is_empty() {
            measured.add(query, &documents, &relevant, search.ask(store, query)?);
        }
    }
    Ok(measured.finish(documents.len(), embedder.id()))
}

/// What all queries of an evaluation share.
struct Search<'a> {
    documents: &'a [Record],
    mode: EvalMode,
    tuning: &'a Tuning,
    embedder: &'a Embedder,
}

/// Positions of documents, best first.
type Order = Vec<usize>;

/// What one query found.
struct Answer {
    fused: Vec<Ranked>,
    without_mpab: Order,
    channels: Vec<(Channel, Order)>,
}

impl Search<'_> {
    /// The documents that a query should find, by position, with their grades.
    fn relevant(&self, grades: &BTreeMap<String, u32>, query: &Record, store: &Store) -> BTreeMap<usize, u32> {
        let wanted = |grade: u32| match self.mode {
            EvalMode::Own => grade == 2,
            EvalMode::Prior => grade == 1,
            EvalMode::All => grade > 0,
        };
        let found = grades.iter().filter(|(_, grade)| wanted(**grade)).filter_map(|(id, grade)| Some((*store.by_id.get(id)?, *grade)));
        found.filter(|(at, _)| self.mode != EvalMode::Prior || self.documents[*at].seq < query.seq).collect()
    }

    fn ask(&self, store: &Store, query: &Record) -> Result<Answer> {
        let text = query.whole();
        let question = Question::of(&text, self.tuning);
        let vector = self.embedder.embed(&[&text], Role::Query)?.pop();
        let scope = |_: MemoryKind, source: i64, _: Option<u32>, _: bool, _: i64| {
            let open = Scope { weight: 1.0, age_days: None };
            if self.mode != EvalMode::Prior {
                return open;
            }
            match (self.documents[source as usize].seq, query.seq) {
                (Some(seq), Some(now)) if seq < now => Scope { age_days: Some((now - seq) as f64), ..open },
                _ => Scope { weight: 0.0, ..open },
            }
        };
        store.db.read(|r| {
            let searcher = Searcher { read: r, index: &store.index, reach: Reach::Knowledge };
            let found = searcher.channel_hits(&question, vector.as_deref())?;
            let flat = Tuning { chunk_bonus: 0.0, ..*self.tuning };
            let alone = |channel| {
                let order = channel_order(&store.index, &found, channel, &scope, DEPTH);
                (channel, order.into_iter().map(|(_, source)| source as usize).collect())
            };
            Ok(Answer {
                channels: [Channel::Lexical, Channel::Trigram, Channel::Trigger, Channel::Vector].map(alone).into(),
                without_mpab: order(&searcher.rank(found.clone(), &scope, DEPTH, false, &flat).0),
                fused: searcher.rank(found, &scope, DEPTH, false, self.tuning).0,
            })
        })
    }
}

fn order(hits: &[Ranked]) -> Order {
    hits.iter().map(|hit| hit.source as usize).collect()
}

/// Sums over queries.
#[derive(Default)]
struct Measured {
    fused: MetricSum,
    without_mpab: MetricSum,
    channels: BTreeMap<&'static str, MetricSum>,
    run: String,
}

impl Measured {
    fn add(&mut self, query: &Record, documents: &[Record], relevant: &BTreeMap<usize, u32>, answer: Answer) {
        for (place, hit) in answer.fused.iter().enumerate() {
            let document = &documents[hit.source as usize].id;
            self.run.push_str(&format!("{}\t{document}\t{}\t{:.6}\n", query.id, place + 1, hit.score.total));
        }
        self.fused.add(&order(&answer.fused), relevant);
        self.without_mpab.add(&answer.without_mpab, relevant);
        for (channel, order) in answer.channels {
            self.channels.entry(channel.as_str()).or_default().add(&order, relevant);
        }
    }

    fn finish(self, documents: usize, model: &str) -> Evaluation {
        Evaluation {
            fused: self.fused.means(),
            without_mpab: self.without_mpab.means(),
            channels: self.channels.into_iter().map(|(name, sum)| (name, sum.means())).collect(),
            queries: self.fused.queries(),
            documents: documents as u32,
            model: model.to_owned(),
            run: self.run,
        }
    }
}

/// One group's store, filled and indexed.
struct Store {
    db: Db,
    index: Index,
    by_id: BTreeMap<String, usize>,
}

impl Store {
    fn fill(path: &Path, documents: &[Record], members: &[usize], vectors: &Vectors, model: &str) -> Result<Store> {
        let db = Db::open(path)?;
        db.writer()?.transaction(|tx| -> Result<()> {
            for at in members {
                let document = &documents[*at];
                let (text, series) = (document.whole(), document.series());
                for (ordinal, (chunk, vector)) in chunks(&text).into_iter().zip(&vectors.0[*at]).enumerate() {
                    let row = tx.insert_document_passage(&NewPassage {
                        source: *at as i64,
                        ordinal: ordinal as u32,
                        series: series.as_deref(),
                        created: Timestamp(0),
                        text: chunk,
                    })?;
                    tx.set_vector(row, model, vector)?;
                }
            }
            Ok(())
        })?;
        let index = db.read(|r| index_of(r, model, Reach::Knowledge))?;
        Ok(Store { db, index, by_id: members.iter().map(|at| (documents[*at].id.clone(), *at)).collect() })
    }
}

/// The vectors of every document's chunks.
struct Vectors(Vec<Vec<Vec<f32>>>);

impl Vectors {
    fn of(documents: &[Record], embedder: &Embedder, progress: &dyn Fn(&str)) -> Result<Vectors> {
        let texts: Vec<String> = documents.iter().map(Record::whole).collect();
        let pieces: Vec<(usize, &str)> =
            texts.iter().enumerate().flat_map(|(at, text)| chunks(text).into_iter().map(move |c| (at, c))).collect();
        // Texts of like length together: a batch is as slow as its longest.
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|at| pieces[*at].1.len());
        let mut made: Vec<Option<Vec<f32>>> = vec![None; pieces.len()];
        for (number, batch) in order.chunks(BATCH).enumerate() {
            progress(&format!("embedding {} of {} texts", number * BATCH, pieces.len()));
            let vectors = embedder.embed(&batch.iter().map(|at| pieces[*at].1).collect::<Vec<_>>(), Role::Document)?;
            for (at, vector) in batch.iter().zip(vectors) {
                made[*at] = Some(vector);
            }
        }
        let mut vectors = vec![Vec::new(); documents.len()];
        for ((at, _), vector) in pieces.iter().zip(made) {
            vectors[*at].push(vector.unwrap_or_default());
        }
        Ok(Vectors(vectors))
    }
}

/// A folder that goes with its owner.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let path = std::env::temp_dir().join(format!("ralph-eval-{}-{}", std::process::id(), ulid::Ulid::generate()));
        std::fs::create_dir_all(&path).map_err(|source| AppError::io(&path, source))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!("{} is left behind: {error}", self.0.display());
        }
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|source| AppError::io(path, source))
}

fn records(path: &Path) -> Result<Vec<Record>> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| serde_json::from_str(line).map_err(|e| fault(path, number, &e.to_string()))).collect()
}

/// Judgements by query; a first line that holds no grade is a heading.
fn judgements(path: &Path) -> Result<BTreeMap<String, BTreeMap<String, u32>>> {
    let text = read(path)?;
    let mut judged: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        // TREC's layout has an unused second column.
        let (query, document, grade) = match fields[..] {
            [query, document, grade] => (query, document, grade),
            [query, _, document, grade] => (query, document, grade),
            _ => return Err(fault(path, number, "needs query, document and grade, divided by tabs")),
        };
        match grade.trim().parse::<u32>() {
            Ok(grade) => drop(judged.entry(query.to_owned()).or_default().insert(document.to_owned(), grade)),
            Err(_) if number == 0 => {}
            Err(_) => return Err(fault(path, number, "the grade must be a whole number from 0")),
        }
    }
    Ok(judged)
}

fn fault(path: &Path, number: usize, fault: &str) -> AppError {
    AppError::invalid(
        "data",
        format!("{} line {}: {fault}", path.display(), number + 1),
        "see BEIR's layout: corpus.jsonl, queries.jsonl, qrels.tsv",
    )
}
