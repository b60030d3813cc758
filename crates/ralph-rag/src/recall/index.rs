//! Everything that fusion needs of every passage, in memory: vectors, memories, neighbors. Built from rows, disposable.

use ralph_core::feedback::Feedback;
use ralph_core::recall::MemoryKind;
use simsimd::SpatialSimilarity as _;
use std::collections::HashMap;

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
    dimension: usize,
    /// Row-major; zeros where a passage has no vector, which gives cosine 0.
    matrix: Vec<f32>,
    with_vector: Vec<bool>,
    /// Indices of the memories.
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
                // Positions follow the order of rows.
                (None, Some(passage)) if self.rows.last().is_none_or(|last| row > *last) => self.push(passage),
                _ => return false,
            }
        }
        self.gone <= self.rows.len() / 4
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
        self.rows.push(passage.row);
        self.memory_of.push(memory);
        self.push_vector(passage.vector);
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
        let vector = self.usable(passage.vector);
        self.with_vector[at] = vector.is_some();
        let place = &mut self.matrix[at * self.dimension..][..self.dimension];
        match vector {
            Some(vector) => place.copy_from_slice(&vector),
            None => place.fill(0.0),
        }
    }

    fn remove(&mut self, at: usize) {
        let number = self.memory_of(at);
        self.gone += 1;
        self.with_vector[at] = false;
        self.matrix[at * self.dimension..][..self.dimension].fill(0.0);
        let entry = &mut self.memories[number];
        entry.passages.retain(|passage| *passage as usize != at);
        if !entry.passages.is_empty() {
            return;
        }
        let (id, before, after) = (entry.id, entry.before.take(), entry.after.take());
        self.by_id.remove(&id);
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

    /// The vector, if it is comparable with the others; the first one determines the dimension.
    fn usable(&mut self, vector: Option<Vec<f32>>) -> Option<Vec<f32>> {
        let vector = vector.filter(|v| !v.is_empty() && v.iter().all(|x| x.is_finite()))?;
        if self.dimension == 0 {
            self.dimension = vector.len();
            self.matrix.resize(self.dimension * self.with_vector.len(), 0.0);
        }
        (vector.len() == self.dimension).then_some(vector)
    }

    fn push_vector(&mut self, vector: Option<Vec<f32>>) {
        match self.usable(vector) {
            Some(vector) => {
                self.matrix.extend_from_slice(&vector);
                self.with_vector.push(true);
            }
            None => {
                self.matrix.resize(self.matrix.len() + self.dimension, 0.0);
                self.with_vector.push(false);
            }
        }
    }

    /// Number of passages.
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

    /// Number of passages with a vector.
    pub fn vectors(&self) -> usize {
        self.with_vector.iter().filter(|v| **v).count()
    }

    /// Bytes used by the vectors.
    pub fn bytes(&self) -> usize {
        self.matrix.len() * size_of::<f32>()
    }

    /// Position of a row of the store.
    pub(super) fn position(&self, row: i64) -> Option<usize> {
        // Rows are mostly dense, so that the guess is nearly always right.
        let guess = usize::try_from(row - self.rows.first()?).ok()?;
        if self.rows.get(guess) == Some(&row) { Some(guess) } else { self.rows.binary_search(&row).ok() }
    }

    /// Row of the store at a position.
    pub(super) fn row(&self, position: usize) -> i64 {
        self.rows[position]
    }

    pub(super) fn memory_of(&self, position: usize) -> usize {
        self.memory_of[position] as usize
    }

    /// The vector of a passage.
    pub(super) fn vector(&self, position: usize) -> Option<&[f32]> {
        self.with_vector[position].then(|| &self.matrix[position * self.dimension..][..self.dimension])
    }

    /// Cosine of every passage with `query`; `None` without vectors or for another dimension. Exact: 10,000 passages take less than
    /// a millisecond.
    pub fn cosines(&self, query: &[f32]) -> Option<Vec<f32>> {
        if self.dimension == 0 || query.len() != self.dimension {
            return None;
        }
        Some(self.matrix.chunks_exact(self.dimension).map(|v| f32::dot(v, query).map_or(0.0, |d| d as f32)).collect())
    }
}
