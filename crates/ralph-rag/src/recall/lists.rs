//! Words and fragments of all passages, in memory: what SQLite's full-text tables find, with the same scores, some thirty times faster.
//!
//! A long-lived process asks these lists; one that asks once asks the tables, which need no preparation. Both give the same result, except
//! for fragments of two letters, which only the lists find: they split words alike ([`fold`](super::fold)), stem them alike
//! ([`stem`](super::stem)) and score them with the same BM25.

mod bm25;
mod fragments;
mod words;

use super::bytes::{Reader, Writer};
use super::matches::Matches;
use fragments::Fragments;
use ralph_core::recall::TextIndex;
use words::Words;

/// The text of a passage, and its terms: tags and parts of identifiers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageWords {
    /// The text.
    pub text: String,
    /// Terms.
    pub terms: String,
}

/// Collections that are scored separately, each by its own frequencies, since they have tables of their own: knowledge, and failure
/// reports.
pub(super) const SHELVES: usize = 2;

/// Means "no shelf" in a snapshot.
const NO_SHELF: u8 = u8::MAX;

/// Passages of a collection, and their tokens together.
#[derive(Debug, Clone, Copy, Default)]
struct Shelf {
    passages: u64,
    tokens: u64,
}

/// The lengths of all passages, and where they count. Stored separately, since scoring reads only the lengths, of half of all passages.
#[derive(Debug, Clone, Default)]
struct Lengths {
    /// Tokens of each passage.
    tokens: Vec<u32>,
    /// The collection of each; `None` = the passage is gone, or its text is not known.
    shelf: Vec<Option<u8>>,
    shelves: [Shelf; SHELVES],
}

impl Lengths {
    fn push(&mut self, shelf: Option<u8>, tokens: u32) {
        self.tokens.push(tokens);
        self.shelf.push(shelf);
        if let Some(shelf) = shelf {
            let shelf = &mut self.shelves[usize::from(shelf)];
            shelf.passages += 1;
            shelf.tokens += u64::from(tokens);
        }
    }

    fn remove(&mut self, at: usize) {
        if let Some(shelf) = self.shelf[at].take() {
            let shelf = &mut self.shelves[usize::from(shelf)];
            shelf.passages -= 1;
            shelf.tokens -= u64::from(self.tokens[at]);
        }
    }

    /// The collection of all passages; `None` if there are several, or some passages are gone.
    fn only_shelf(&self) -> Option<usize> {
        self.shelves.iter().position(|shelf| shelf.passages == self.tokens.len() as u64)
    }

    fn write(&self, bytes: &mut Writer) {
        self.tokens.iter().for_each(|tokens| bytes.number(*tokens));
        bytes.bytes(self.shelf.iter().map(|shelf| shelf.unwrap_or(NO_SHELF)));
    }

    fn read(bytes: &mut Reader<'_>, passages: usize) -> Option<Lengths> {
        let tokens = bytes.numbers(passages)?;
        let mut lengths = Lengths::default();
        for (tokens, shelf) in tokens.into_iter().zip(bytes.take(passages)?) {
            let shelf = (*shelf != NO_SHELF).then_some(*shelf);
            if shelf.is_some_and(|shelf| usize::from(shelf) >= SHELVES) {
                return None;
            }
            lengths.push(shelf, tokens);
        }
        Some(lengths)
    }
}

/// Writes a list into a snapshot, as [`postings`] reads it.
fn write_postings<P>(list: &[P], bytes: &mut Writer, pair: impl Fn(&P) -> (u32, u32)) {
    bytes.count(list.len());
    for (place, other) in list.iter().map(pair) {
        bytes.number(place);
        bytes.number(other);
    }
}

/// A list from a snapshot: places of passages, each with another number.
fn postings<P>(bytes: &mut Reader<'_>, passages: usize, posting: impl Fn(u32, u32) -> P) -> Option<Vec<P>> {
    let count = bytes.count()?;
    let pairs = bytes.take(count.checked_mul(8)?)?.as_chunks::<4>().0.as_chunks::<2>().0;
    let read = |[place, other]: &[[u8; 4]; 2]| {
        let place = u32::from_le_bytes(*place);
        ((place as usize) < passages).then(|| posting(place, u32::from_le_bytes(*other)))
    };
    pairs.iter().map(read).collect()
}

/// The lists of all passages, by their places in the index.
#[derive(Debug, Clone, Default)]
pub(super) struct TextLists {
    words: Words,
    fragments: Fragments,
}

impl TextLists {
    /// Writes them into a snapshot.
    pub fn write(&self, bytes: &mut Writer) {
        self.words.write(bytes);
        self.fragments.write(bytes);
    }

    /// The lists of this many passages from a snapshot; `None` if they are incomplete.
    pub fn read(bytes: &mut Reader<'_>, passages: usize) -> Option<TextLists> {
        Some(TextLists { words: Words::read(bytes, passages)?, fragments: Fragments::read(bytes, passages)? })
    }

    /// Adds the next passage, with the number of its shelf, its text and its terms; a passage without text keeps its place and is never
    /// found.
    pub fn push(&mut self, passage: Option<(u8, &str, &str)>) {
        self.words.push(passage);
        self.fragments.push(passage.map(|(shelf, text, _)| (shelf, text)));
    }

    /// Takes a passage out; its place stays.
    pub fn remove(&mut self, at: usize) {
        self.words.lengths.remove(at);
        self.fragments.lengths.remove(at);
    }

    /// Passages that match any of the phrases, with a bonus for the `subject`.
    pub fn search(&self, index: TextIndex, phrases: &[String], subject: &[String]) -> Matches {
        match index {
            // A part of an identifier says less than the same word in prose.
            TextIndex::Words => self.words.search(phrases, subject, [1.0, 0.7]),
            TextIndex::Terms => self.words.search(phrases, subject, [0.0, 1.0]),
            TextIndex::Trigrams => self.fragments.search(phrases, subject),
        }
    }

    /// Approximate bytes that the lists take.
    pub fn bytes(&self) -> usize {
        self.words.bytes() + self.fragments.bytes()
    }
}
