//! `ralph eval`: recall, measured on a judged collection.
//!
//! The same search as the product's, over a separate store for each group (a group represents a project), in a folder that is
//! removed afterwards. Texts are used completely: without gate, deduplication or cap.

use crate::metrics::{MetricSum, Metrics, ndcg_10};
use crate::questions::question_of;
use crate::records::{Record, judgements, records};
use crate::store::{Scratch, Store, Vectors};
use ralph_app::{AppError, Result, Searcher};
use ralph_core::recall::{Channel, EvalMode, MemoryKind, Reach, Tuning};
use ralph_rag::recall::{
    ChannelHits, LateInteraction, Nearness, Question, RankQuery, RankedMemory, Scope, TokenQuestion, asked_part, channel_order, rank,
};
use serde::Serialize;
use sqlite_db::Db;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use text_embed::{Embedder, Source, dot};

/// Hits per query that are reported and measured.
const DEPTH: usize = 100;

/// Results of an evaluation.
#[derive(Debug, Serialize)]
pub struct Evaluation {
    /// The product's own ranking.
    pub fused: Metrics,
    /// Each channel alone.
    pub channels: BTreeMap<&'static str, Metrics>,
    /// Without joining chunks (MPAB off), to compare with `fused`.
    pub without_mpab: Metrics,
    /// Queries with a relevant document.
    pub queries: u32,
    /// Documents.
    pub documents: u32,
    /// Judged documents that the corpus does not hold: they count as never found, except in `prior`, where their time is unknown.
    pub missing: u32,
    /// The embedding model.
    pub model: String,
    /// One line per hit: query, document, rank from 1, score.
    #[serde(skip)]
    pub run: String,
}

/// Evaluates recall on the collection in `data`. Vectors are cached in the folder `keep`, so that another
/// evaluation does not recompute them. `progress` receives the current step.
pub fn evaluate(data: &Path, mode: EvalMode, tuning: &Tuning, keep: Option<&Path>, progress: &dyn Fn(&str)) -> Result<Evaluation> {
    Collection::read(data, mode, keep, progress)?.measure(tuning)
}

/// A judged collection with the hits of each channel for each query.
pub struct Collection {
    mode: EvalMode,
    model: String,
    documents: Vec<Record>,
    /// Judged documents that it does not hold, each with a position behind all that it holds.
    lacking: BTreeMap<String, usize>,
    missing: u32,
    stores: BTreeMap<Option<String>, Store>,
    asked: Vec<EvalQuestion>,
    /// Vectors of the queries, by group and position in time: a document with the same ones belongs to that story.
    stories: HashMap<(Option<String>, Option<i64>), Vec<f32>>,
    _folder: Scratch,
}

/// A query with the hits of the channels.
struct EvalQuestion {
    query: Record,
    store: Option<String>,
    relevant: BTreeMap<usize, u32>,
    found: ChannelHits,
    vector: Vec<f32>,
    tokens: TokenQuestion,
    /// How near the passages compared with it are.
    near: RefCell<HashMap<i64, Option<Nearness>>>,
}

impl Collection {
    /// Reads a collection, builds its stores and runs every query on every channel.
    pub fn read(data: &Path, mode: EvalMode, keep: Option<&Path>, progress: &dyn Fn(&str)) -> Result<Collection> {
        let embedder = Embedder::new(Source::Bundled);
        embedder.available()?;
        let documents: Vec<Record> = records(&data.join("corpus.jsonl"))?;
        let queries: Vec<Record> = records(&data.join("queries.jsonl"))?;
        let judged = judgements(&data.join("qrels.tsv"))?;
        let held: BTreeSet<&str> = documents.iter().map(|document| document.id.as_str()).collect();
        let missing: Vec<&String> = judged.values().flat_map(BTreeMap::keys).filter(|id| !held.contains(id.as_str())).collect();
        let lacking: BTreeSet<&String> = missing.iter().copied().collect();
        let lacking = lacking.into_iter().cloned().zip(documents.len()..).collect();
        let missing = missing.len() as u32;
        let folder = Scratch::new()?;
        let kept = keep.unwrap_or(&folder.0);
        std::fs::create_dir_all(kept).map_err(|source| AppError::io(kept, source))?;
        let kept = Db::open(&kept.join("vectors.db"))?;
        let vectors = Vectors::of(&documents, &embedder, &kept, progress)?;
        let mut by_group: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (at, document) in documents.iter().enumerate() {
            let group = if mode == EvalMode::Own { None } else { document.group.as_deref() };
            by_group.entry(group).or_default().push(at);
        }
        let mut stores: BTreeMap<Option<String>, Store> = BTreeMap::new();
        for (number, (group, members)) in by_group.into_iter().enumerate() {
            let path = folder.0.join(format!("{number}.db"));
            stores.insert(group.map(str::to_owned), Store::fill(&path, &documents, &members, &vectors, embedder.id())?);
        }
        let mut collection = Collection {
            mode,
            model: embedder.id().to_owned(),
            documents,
            lacking,
            missing,
            stores,
            asked: Vec::new(),
            stories: HashMap::new(),
            _folder: folder,
        };
        collection.ask(queries, &judged, (&embedder, &kept), progress)?;
        if collection.asked.is_empty() {
            return Err(AppError::invalid(
                "mode",
                format!("no query qualifies for '{}': none has a document that counts as relevant", mode.as_str()),
                "look at the grades in qrels.tsv, and at group and seq of queries and documents, or take another mode",
            ));
        }
        Ok(collection)
    }

    fn ask(
        &mut self,
        queries: Vec<Record>,
        judged: &BTreeMap<String, BTreeMap<String, u32>>,
        (embedder, kept): (&Embedder, &Db),
        progress: &dyn Fn(&str),
    ) -> Result<()> {
        // Without groups in the collection every query searches all of it.
        let whole = self.mode == EvalMode::Own || self.stores.keys().all(Option::is_none);
        let count = queries.len();
        for (at, query) in queries.into_iter().enumerate() {
            if at % 100 == 0 {
                progress(&format!("query {at} of {count}"));
            }
            let key = if whole { None } else { query.group.clone() };
            let Some(store) = self.stores.get(&key) else { continue };
            let relevant = judged.get(&query.id).map(|grades| self.relevant(grades, &query, store)).unwrap_or_default();
            if relevant.is_empty() && self.mode != EvalMode::Prior {
                continue;
            }
            let text = query.whole();
            let text = asked_part(&text);
            let Some((vector, tokens)) = question_of(embedder, kept, &text)? else { continue };
            if self.mode == EvalMode::Prior {
                self.stories.insert((query.group.clone(), query.seq), vector.clone());
            }
            if relevant.is_empty() {
                continue;
            }
            let mut question = Question::of(&text, &Tuning::default());
            question.names_alone |= question.spelt && embedder.gives_tokens();
            let found = store.db.read(|r| {
                let searcher = Searcher { read: r, index: &store.index, reach: Reach::Knowledge, model: embedder.id(), tokens: None };
                searcher.channel_hits(&question, Some(&vector))
            })?;
            self.asked.push(EvalQuestion { query, store: key, relevant, found, vector, tokens, near: RefCell::default() });
        }
        Ok(())
    }

    /// The documents relevant to a query, by position, with their grades.
    fn relevant(&self, grades: &BTreeMap<String, u32>, query: &Record, store: &Store) -> BTreeMap<usize, u32> {
        let wanted = |grade: u32| match self.mode {
            EvalMode::Own => grade == 2,
            EvalMode::Prior => grade == 1,
            EvalMode::All => grade > 0,
        };
        let place = |id: &String| store.by_id.get(id).or_else(|| self.lacking.get(id)).copied();
        let found = grades.iter().filter(|(_, grade)| wanted(**grade)).filter_map(|(id, grade)| Some((place(id)?, *grade)));
        let is_earlier = |at: usize| self.documents.get(at).is_some_and(|document| document.seq < query.seq);
        found.filter(|(at, _)| self.mode != EvalMode::Prior || is_earlier(*at)).collect()
    }

    /// Ranks with these weights and computes the metrics.
    pub fn measure(&self, tuning: &Tuning) -> Result<Evaluation> {
        let tuning = self.tuning(tuning);
        let mut measured = MetricSums::default();
        for asked in &self.asked {
            measured.add(&asked.query, &self.documents, &asked.relevant, self.answer(asked, &tuning)?);
        }
        Ok(Evaluation { missing: self.missing, ..measured.finish(self.documents.len(), &self.model) })
    }

    /// The weights as this mode uses them. In `self` the relevant documents are defined by what defines a document's neighbours, so the
    /// neighbours would give them away, and so would the story.
    fn tuning(&self, tuning: &Tuning) -> Tuning {
        let own = Tuning { neighbour_before: 0.0, neighbour_after: 0.0, provenance: 0.0, ..*tuning };
        if self.mode == EvalMode::Own { own } else { *tuning }
    }

    /// The group of each question, in the order of [`Collection::of_each`].
    pub fn groups(&self) -> Vec<Option<&str>> {
        self.asked.iter().map(|asked| asked.query.group.as_deref()).collect()
    }

    /// nDCG@10 of each question.
    pub fn of_each(&self, tuning: &Tuning) -> Result<Vec<f64>> {
        let tuning = self.tuning(tuning);
        self.asked.iter().map(|asked| Ok(ndcg_10(&order(&self.ranked(asked, &tuning)?), &asked.relevant))).collect()
    }

    /// The same for each channel alone.
    pub fn channels_of_each(&self) -> Result<Vec<(&'static str, Vec<f64>)>> {
        let of = |channel: Channel| {
            let alone = |asked: &EvalQuestion| {
                let Some(store) = self.stores.get(&asked.store) else { return 0.0 };
                ndcg_10(&self.alone(store, asked, channel), &asked.relevant)
            };
            (channel.as_str(), self.asked.iter().map(alone).collect())
        };
        Ok(ALONE.map(of).into())
    }

    /// How a document relates to a question.
    fn scope(&self, asked: &EvalQuestion, source: i64) -> Scope {
        let open = Scope { weight: 1.0, age_days: None, closeness: None };
        if self.mode != EvalMode::Prior {
            return open;
        }
        let document = &self.documents[source as usize];
        match (document.seq, asked.query.seq) {
            (Some(seq), Some(now)) if seq < now => {
                let story = self.stories.get(&(document.group.clone(), document.seq));
                Scope { age_days: Some((now - seq) as f64), closeness: story.map(|story| dot(story, &asked.vector)), ..open }
            }
            _ => Scope { weight: 0.0, ..open },
        }
    }

    fn answer(&self, asked: &EvalQuestion, tuning: &Tuning) -> Result<Answer> {
        let Some(store) = self.stores.get(&asked.store) else { return Ok(Answer::default()) };
        let flat = Tuning { chunk_bonus: 0.0, ..*tuning };
        Ok(Answer {
            channels: ALONE.map(|channel| (channel, self.alone(store, asked, channel))).into(),
            without_mpab: order(&self.ranked(asked, &flat)?),
            fused: self.ranked(asked, tuning)?,
        })
    }

    fn alone(&self, store: &Store, asked: &EvalQuestion, channel: Channel) -> Order {
        let scope = |_: MemoryKind, source: i64, _: Option<u32>, _: bool, _: i64| self.scope(asked, source);
        let order = channel_order(&store.index, &asked.found, channel, &scope, DEPTH);
        order.into_iter().map(|(_, source)| source as usize).collect()
    }

    fn ranked(&self, asked: &EvalQuestion, tuning: &Tuning) -> Result<Vec<RankedMemory>> {
        let Some(store) = self.stores.get(&asked.store) else { return Ok(Vec::new()) };
        let scope = |_: MemoryKind, source: i64, _: Option<u32>, _: bool, _: i64| self.scope(asked, source);
        store.db.read(|r| {
            let searcher = Searcher { read: r, index: &store.index, reach: Reach::Knowledge, model: &self.model, tokens: None };
            let late = |rows: &[i64]| asked.nearness(rows, |new| searcher.nearness(&asked.tokens, new));
            let query = RankQuery {
                found: asked.found.clone(),
                late: Some(LateInteraction { near: &late, tokens: asked.tokens.tokens() }),
                scope: &scope,
                limit: DEPTH,
                diverse: None,
                learned: None,
            };
            Ok(rank(&store.index, &query, tuning).0)
        })
    }
}

/// Channels that are measured alone.
const ALONE: [Channel; 4] = [Channel::Lexical, Channel::Trigram, Channel::Trigger, Channel::Vector];

impl EvalQuestion {
    /// How near texts are to the question; what has been compared once is not compared again under other weights.
    fn nearness(&self, rows: &[i64], compare: impl Fn(&[i64]) -> Vec<Option<Nearness>>) -> Vec<Option<Nearness>> {
        let mut near = self.near.borrow_mut();
        let new: Vec<i64> = rows.iter().copied().filter(|row| !near.contains_key(row)).collect();
        let found = compare(&new);
        near.extend(new.into_iter().zip(found));
        rows.iter().map(|row| near.get(row).cloned().flatten()).collect()
    }
}

/// Positions of documents, best first.
type Order = Vec<usize>;

/// Result of one query.
#[derive(Default)]
struct Answer {
    fused: Vec<RankedMemory>,
    without_mpab: Order,
    channels: Vec<(Channel, Order)>,
}

fn order(hits: &[RankedMemory]) -> Order {
    hits.iter().map(|hit| hit.source as usize).collect()
}

/// Sums over queries.
#[derive(Default)]
struct MetricSums {
    fused: MetricSum,
    without_mpab: MetricSum,
    channels: BTreeMap<&'static str, MetricSum>,
    run: String,
}

impl MetricSums {
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
            missing: 0,
            model: model.to_owned(),
            run: self.run,
        }
    }
}
