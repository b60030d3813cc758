//! What search needs of every passage, in memory: words, vectors, memories, neighbours. Made from rows, disposable.

use super::lists::{PassageWords, TextLists};
use super::matches::Matches;
use super::scope::ScopeOf;
use super::vectors::{Near, Vectors};
use ralph_core::feedback::Feedback;
use ralph_core::recall::{MemoryKind, TextIndex};
use std::collections::{BTreeSet, HashMap};

/// Passages of a neighbour that are looked at.
const LOOKED_AT: usize = 4;

/// A passage to be added to the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its number in the store.
    pub row: i64,
    /// Kind and number of its memory.
    pub memory: (MemoryKind, i64),
    /// Its feature's number.
    pub feature: Option<u32>,
    /// Whether it is active.
    pub active: bool,
    /// Shared by neighbors.
    pub series: Option<String>,
    /// When it was written, in milliseconds since the Unix epoch.
    pub created: i64,
    /// Whether it names a file.
    pub names_a_file: bool,
    /// Whether a person vouched for it or three iterations observed it.
    pub protected: bool,
    /// Feedback on its learning, if any.
    pub feedback: Option<Feedback>,
    /// Its vector of length 1; passages with another dimension than the first count as without one.
    pub vector: Option<Vec<f32>>,
    /// Its text and terms, if the index is to find by them; see [`Index::lists`].
    pub words: Option<PassageWords>,
}

/// A memory in the index.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    pub id: (MemoryKind, i64),
    pub feature: Option<u32>,
    pub active: bool,
    pub created: i64,
    pub names_a_file: bool,
    pub protected: bool,
    pub feedback: Option<Box<Feedback>>,
    /// Positions of its passages, in the order of the text.
    pub passages: Vec<u32>,
    pub before: Option<u32>,
    pub after: Option<u32>,
}

/// All passages, ready for queries.
#[derive(Debug, Default, Clone)]
pub struct Index {
    rows: Vec<i64>,
    memory_of: Vec<u32>,
    pub(super) memories: Vec<Memory>,
    vectors: Vectors,
    /// Words and fragments; `None` = the store's full-text tables are asked.
    lists: Option<TextLists>,
    /// Memories with known feedback.
    told_of: BTreeSet<u32>,
    /// Places of the memories.
    by_id: HashMap<(MemoryKind, i64), u32>,
    /// The newest memory of each series.
    last_of_series: HashMap<String, u32>,
    /// Removed passages that keep their position.
    gone: usize,
}

impl Index {
    /// Builds the index. Passages come in ascending order of rows; within a memory that is the order of its text.
    pub fn build(passages: impl IntoIterator<Item = Passage>) -> Index {
        let mut index = Index::default();
        passages.into_iter().for_each(|passage| index.push(passage));
        index
    }

    /// Applies changes: rows in ascending order, each with its current passage, or `None` if it is gone. Returns whether
    /// that was possible; if not, the index must be rebuilt.
    #[must_use]
    pub fn change(&mut self, changed: Vec<(i64, Option<Passage>)>) -> bool {
        for (row, now) in changed {
            let place = self.position(row).filter(|at| !self.is_gone(*at));
            match (place, now) {
                (None, None) => {}
                (Some(at), None) => self.remove(at),
                (Some(at), Some(passage)) if self.memories[self.memory_of(at)].id == passage.memory => self.replace(at, passage),
                // To be found by its words, it needs them.
                (None, Some(passage)) if self.lists.is_some() && passage.words.is_none() => return false,
                // The order is that of rows.
                (None, Some(passage)) if self.rows.last().is_none_or(|last| row > *last) => self.push(passage),
                _ => return false,
            }
        }
        self.gone <= self.rows.len() / 4
    }

    /// An index of parts that were read together.
    pub(super) fn of_parts(
        rows: Vec<i64>,
        memory_of: Vec<u32>,
        memories: Vec<Memory>,
        last_of_series: HashMap<String, u32>,
        (vectors, lists): (Vectors, Option<TextLists>),
    ) -> Index {
        let known = (0..).zip(&memories).filter(|(_, memory)| !memory.passages.is_empty());
        let by_id: HashMap<(MemoryKind, i64), u32> = known.map(|(at, memory)| (memory.id, at)).collect();
        let told_of = (0..).zip(&memories).filter(|(_, memory)| memory.feedback.is_some()).map(|(at, _)| at).collect();
        let held: usize = memories.iter().map(|memory| memory.passages.len()).sum();
        Index { gone: rows.len() - held.min(rows.len()), rows, memory_of, memories, vectors, lists, told_of, by_id, last_of_series }
    }

    fn push(&mut self, passage: Passage) {
        let at = self.rows.len() as u32;
        let memory = *self.by_id.entry(passage.memory).or_insert(self.memories.len() as u32);
        if memory as usize == self.memories.len() {
            let before = passage.series.and_then(|series| self.last_of_series.insert(series, memory));
            if let Some(before) = before {
                self.memories[before as usize].after = Some(memory);
            }
            self.memories.push(Memory {
                id: passage.memory,
                feature: passage.feature,
                active: passage.active,
                created: passage.created,
                names_a_file: false,
                protected: passage.protected,
                feedback: passage.feedback.map(Box::new),
                passages: Vec::new(),
                before,
                after: None,
            });
        }
        let entry = &mut self.memories[memory as usize];
        entry.passages.push(at);
        entry.names_a_file |= passage.names_a_file;
        if entry.feedback.is_some() {
            self.told_of.insert(memory);
        }
        self.rows.push(passage.row);
        self.memory_of.push(memory);
        self.vectors.push(passage.vector.as_deref());
        if let Some(lists) = &mut self.lists {
            lists.push(passage.words.as_ref().map(|words| (shelf_of(passage.memory.0), words.text.as_str(), words.terms.as_str())));
        }
    }

    /// Builds the lists by which words and fragments are found.
    pub fn lists(&mut self) -> Lists<'_> {
        Lists { index: self, lists: TextLists::default(), at: 0 }
    }

    /// The lists by which words and fragments are found here.
    pub(super) fn text_lists(&self) -> Option<&TextLists> {
        self.lists.as_ref()
    }

    /// Whether words and fragments are found here, and not only in the store's full-text tables.
    pub fn knows_words(&self) -> bool {
        self.lists.is_some()
    }

    /// Passages that match any of the phrases, with a bonus for the question's `subject`. `None` where the index has no lists.
    pub fn search(&self, index: TextIndex, phrases: &[String], subject: &[String]) -> Option<Matches> {
        Some(self.lists.as_ref()?.search(index, phrases, subject))
    }

    /// The store's rows of what matches, and how well.
    pub fn rows_of(&self, found: &Matches) -> impl Iterator<Item = (i64, f32)> {
        found.hits().map(|(at, score)| (self.rows[at as usize], score))
    }

    /// What the store's full-text tables found: rows, and how well each matches. A row newer than the index is skipped.
    pub fn matches(&self, hits: impl IntoIterator<Item = (i64, f64)>) -> Matches {
        Matches::new(hits.into_iter().filter_map(|(row, score)| Some((self.position(row)? as u32, score))))
    }

    /// Replaces a passage; its text and its neighbors never change.
    fn replace(&mut self, at: usize, passage: Passage) {
        let memory = self.memory_of(at);
        let entry = &mut self.memories[memory];
        entry.feature = passage.feature;
        entry.active = passage.active;
        entry.created = passage.created;
        entry.protected = passage.protected;
        entry.feedback = passage.feedback.map(Box::new);
        entry.names_a_file |= passage.names_a_file;
        if entry.feedback.is_some() {
            self.told_of.insert(memory as u32)
        } else {
            self.told_of.remove(&(memory as u32))
        };
        self.vectors.set(at, passage.vector.as_deref());
    }

    fn remove(&mut self, at: usize) {
        let number = self.memory_of(at);
        self.gone += 1;
        self.vectors.set(at, None);
        if let Some(lists) = &mut self.lists {
            lists.remove(at);
        }
        let entry = &mut self.memories[number];
        entry.passages.retain(|passage| *passage as usize != at);
        if !entry.passages.is_empty() {
            return;
        }
        let (id, before, after) = (entry.id, entry.before.take(), entry.after.take());
        self.by_id.remove(&id);
        self.told_of.remove(&(number as u32));
        if let Some(before) = before {
            self.memories[before as usize].after = after;
        }
        match after {
            Some(after) => self.memories[after as usize].before = before,
            // It may be the newest of its series.
            None => self.last_of_series.retain(|_, last| {
                let youngest = *last as usize == number;
                if let (true, Some(before)) = (youngest, before) {
                    *last = before;
                }
                !youngest || before.is_some()
            }),
        }
    }

    fn is_gone(&self, at: usize) -> bool {
        !self.memories[self.memory_of(at)].passages.contains(&(at as u32))
    }

    /// Passages.
    pub fn passages(&self) -> usize {
        self.rows.len() - self.gone
    }

    /// Number of positions; those of removed passages match nothing.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.passages() == 0
    }

    /// Passages of memories with a weight, counted up to `most`.
    pub fn within(&self, scope: &ScopeOf<'_>, most: usize) -> usize {
        let mut found = 0;
        for memory in &self.memories {
            if scope(memory.id.0, memory.id.1, memory.feature, memory.active, memory.created).weight > 0.0 {
                found += memory.passages.len();
            }
            if found >= most {
                return most;
            }
        }
        found
    }

    /// Passages of active memories that have no vector yet.
    pub fn without_vector(&self) -> usize {
        let passages = self.memories.iter().filter(|memory| memory.active).flat_map(|memory| &memory.passages);
        passages.filter(|at| !self.vectors.has(**at as usize)).count()
    }

    /// Passages that have a vector.
    pub fn with_vector(&self) -> usize {
        self.vectors.count()
    }

    /// Approximate bytes that it takes.
    pub fn bytes(&self) -> usize {
        let memories = self.memories.len() * (size_of::<Memory>() + 64) + self.rows.len() * 16;
        memories + self.vectors.bytes() + self.lists.as_ref().map_or(0, TextLists::bytes)
    }

    /// Position of a row of the store.
    pub(super) fn position(&self, row: i64) -> Option<usize> {
        // Rows are mostly dense, so the guess is nearly always right.
        let guess = usize::try_from(row.checked_sub(*self.rows.first()?)?).ok()?;
        if self.rows.get(guess) == Some(&row) { Some(guess) } else { self.rows.binary_search(&row).ok() }
    }

    /// Rows of all places.
    pub(super) fn rows(&self) -> &[i64] {
        &self.rows
    }

    /// Memories of all places.
    pub(super) fn memories_of(&self) -> &[u32] {
        &self.memory_of
    }

    /// The youngest memory of each series.
    pub(super) fn series(&self) -> impl Iterator<Item = (&str, u32)> {
        self.last_of_series.iter().map(|(series, at)| (series.as_str(), *at))
    }

    /// The vectors.
    pub(super) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Row of the store at a position.
    pub(super) fn row(&self, position: usize) -> i64 {
        self.rows[position]
    }

    pub(super) fn memory_of(&self, position: usize) -> usize {
        self.memory_of[position] as usize
    }

    /// Passages of the two memories before one and the two after it; only the beginning of a long one.
    pub(super) fn beside(&self, memory: usize) -> impl Iterator<Item = u32> + '_ {
        let walk = move |step: fn(&Memory) -> Option<u32>| {
            std::iter::successors(step(&self.memories[memory]), move |at| step(&self.memories[*at as usize])).take(2)
        };
        let beside = walk(|m| m.before).chain(walk(|m| m.after));
        beside.flat_map(|at| self.memories[at as usize].passages.iter().copied().take(LOOKED_AT))
    }

    /// The place of a memory.
    pub(super) fn place_of(&self, id: (MemoryKind, i64)) -> Option<usize> {
        self.by_id.get(&id).map(|place| *place as usize)
    }

    /// Memories with known feedback.
    pub(super) fn told_of(&self) -> impl Iterator<Item = usize> + '_ {
        self.told_of.iter().map(|place| *place as usize)
    }

    /// The cosine of two passages; `None` where one has no vector.
    pub(super) fn likeness(&self, a: usize, b: usize) -> Option<f64> {
        self.vectors.between(a, b)
    }

    /// What is near a question by its vector; `None` without vectors or for another dimension. Of up to 50,000 passages all cosines are
    /// computed.
    pub fn near(&self, question: &[f32]) -> Option<Near> {
        self.vectors.near(question)
    }

    /// The cosine of a passage with a question.
    pub(super) fn cosine(&self, near: &Near, position: usize) -> f32 {
        self.vectors.cosine(near, position)
    }
}

/// Lists on their way into an index.
pub struct Lists<'i> {
    index: &'i mut Index,
    lists: TextLists,
    /// The next place.
    at: usize,
}

impl Lists<'_> {
    /// Adds the words of a passage; rows come in ascending order.
    pub fn add(&mut self, row: i64, text: &str, terms: &str) {
        while self.index.rows.get(self.at).is_some_and(|at| *at < row) {
            self.pass();
        }
        if self.index.rows.get(self.at) != Some(&row) || self.index.is_gone(self.at) {
            return;
        }
        let kind = self.index.memories[self.index.memory_of(self.at)].id.0;
        self.lists.push(Some((shelf_of(kind), text, terms)));
        self.at += 1;
    }

    /// From now on the index uses them to find passages.
    pub fn end(mut self) {
        while self.at < self.index.rows.len() {
            self.pass();
        }
        self.index.lists = Some(self.lists);
    }

    fn pass(&mut self) {
        self.lists.push(None);
        self.at += 1;
    }
}

/// Failure reports have full-text tables of their own.
fn shelf_of(kind: MemoryKind) -> u8 {
    u8::from(kind == MemoryKind::FailureReport)
}
