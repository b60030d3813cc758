//! Fragments of words: a text is found by any part of a name, as by SQLite's table of trigrams, and by words of two letters, which that table
//! lacks.
//!
//! A fragment in a query has only letters, digits and `_`, so it lies within one run of such characters. Runs repeat as words do:
//! the runs that contain a fragment are looked up by their trigrams, and the passages by the runs.

use super::super::bytes::{Reader, Writer};
use super::super::fold::lower;
use super::super::matches::Matches;
use super::{Lengths, bm25};
use std::collections::HashMap;

/// Bytes of the shortest run that can contain a requested fragment: four letters, or two Chinese ones.
const SHORTEST: usize = 4;

/// A passage in which a run occurs, and how often.
#[derive(Debug, Clone, Copy)]
struct Posting {
    place: u32,
    often: u32,
}

/// Runs of all passages.
#[derive(Debug, Clone, Default)]
pub(super) struct Fragments {
    pub lengths: Lengths,
    numbers: HashMap<Box<str>, u32>,
    runs: Vec<Box<str>>,
    /// Where each run occurs, in the order of places.
    postings: Vec<Vec<Posting>>,
    /// Runs by the trigrams of their bytes, each once, in ascending order.
    by_trigram: HashMap<[u8; 3], Vec<u32>>,
}

impl Fragments {
    pub fn push(&mut self, passage: Option<(u8, &str)>) {
        let place = self.lengths.tokens.len() as u32;
        let Some((shelf, text)) = passage else { return self.lengths.push(None, 0) };
        // The tables count the trigrams of a text.
        self.lengths.push(Some(shelf), (text.chars().count() as u32).saturating_sub(2));
        let folded: String = text.chars().map(lower).collect();
        for run in folded.split(|c: char| !is_of_a_run(c)).filter(|run| run.len() >= SHORTEST) {
            let number = self.number(run) as usize;
            let list = &mut self.postings[number];
            match list.last_mut().filter(|last| last.place == place) {
                Some(last) => last.often += 1,
                None => list.push(Posting { place, often: 1 }),
            }
        }
    }

    /// Writes them into a snapshot.
    pub fn write(&self, bytes: &mut Writer) {
        self.lengths.write(bytes);
        bytes.texts((0..).zip(self.runs.iter().map(|run| &**run)));
        for list in &self.postings {
            super::write_postings(list, bytes, |posting| (posting.place, posting.often));
        }
        bytes.count(self.by_trigram.len());
        for (trigram, runs) in &self.by_trigram {
            bytes.bytes(trigram.iter().copied());
            bytes.numbers(runs);
        }
    }

    /// The runs of this many passages from a snapshot; `None` if they are incomplete.
    pub fn read(bytes: &mut Reader<'_>, passages: usize) -> Option<Fragments> {
        let lengths = Lengths::read(bytes, passages)?;
        let runs: Vec<Box<str>> = bytes.texts()?.into_iter().map(|(_, run)| run.into()).collect();
        let numbers = runs.iter().cloned().zip(0..).collect();
        let posting = |place, often| Posting { place, often };
        let postings = runs.iter().map(|_| super::postings(bytes, passages, posting)).collect::<Option<_>>()?;
        let trigrams = bytes.count()?;
        let trigram = |_| Some((*bytes.take(3)?.first_chunk()?, bytes.counted()?));
        let by_trigram: HashMap<[u8; 3], Vec<u32>> = (0..trigrams).map(trigram).collect::<Option<_>>()?;
        let whole = by_trigram.values().flatten().all(|run| (*run as usize) < runs.len());
        whole.then_some(Fragments { lengths, numbers, runs, postings, by_trigram })
    }

    fn number(&mut self, run: &str) -> u32 {
        if let Some(number) = self.numbers.get(run) {
            return *number;
        }
        let number = self.runs.len() as u32;
        self.runs.push(run.into());
        self.numbers.insert(run.into(), number);
        self.postings.push(Vec::new());
        for trigram in run.as_bytes().windows(3) {
            let list = self.by_trigram.entry([trigram[0], trigram[1], trigram[2]]).or_default();
            if list.last() != Some(&number) {
                list.push(number);
            }
        }
        number
    }

    /// Passages with any of the fragments, with a bonus for the `subject`.
    pub fn search(&self, fragments: &[String], subject: &[String]) -> Matches {
        bm25::matches(&self.lengths, fragments, subject, |fragment, scores| {
            let fragment: String = fragment.chars().map(lower).collect();
            let mut holding: Vec<(u32, u32)> = self.holding(&fragment).collect();
            let length = |(number, _): &(u32, u32)| self.postings[*number as usize].len();
            let longest = (0..holding.len()).max_by_key(|at| length(&holding[*at])).map(|at| holding.swap_remove(at));
            let found = |(number, often): (u32, u32)| {
                self.postings[number as usize].iter().map(move |posting| (posting.place, (posting.often * often) as f32))
            };
            match longest {
                None => {}
                Some(only) if holding.is_empty() => scores.stands_in(found(only)),
                // Several runs may occur in one passage.
                Some(longest) => {
                    let of_others = holding.iter().map(length).sum();
                    scores.stands_in_all(found(longest), holding.into_iter().flat_map(found), of_others);
                }
            }
        })
    }

    /// Runs that hold a fragment, and how often.
    fn holding<'s>(&'s self, fragment: &'s str) -> impl Iterator<Item = (u32, u32)> + 's {
        let lists = fragment.as_bytes().windows(3).map(|t| self.by_trigram.get(&[t[0], t[1], t[2]]).map_or(&[][..], Vec::as_slice));
        let rarest = lists.min_by_key(|list| list.len()).unwrap_or_default();
        rarest.iter().map(|number| (*number, count(&self.runs[*number as usize], fragment))).filter(|(_, often)| *often > 0)
    }

    pub fn bytes(&self) -> usize {
        let postings: usize = self.postings.iter().map(|list| list.capacity() * size_of::<Posting>() + size_of::<Vec<Posting>>()).sum();
        let trigrams: usize = self.by_trigram.values().map(|list| list.capacity() * size_of::<u32>() + 32).sum();
        postings + trigrams + self.runs.len() * 96
    }
}

/// Whether a character can be part of a requested fragment.
fn is_of_a_run(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How often a fragment occurs in a run.
fn count(run: &str, fragment: &str) -> u32 {
    let (run, fragment) = (run.as_bytes(), fragment.as_bytes());
    if run == fragment {
        return 1;
    }
    run.windows(fragment.len().max(1)).filter(|part| *part == fragment).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_counted_wherever_it_begins() {
        assert_eq!(count("refundtable", "table"), 1);
        assert_eq!(count("aaaaaa", "aaaa"), 3);
        assert_eq!(count("abc", "abcd"), 0);
        let mut fragments = Fragments::default();
        fragments.push(Some((0, "The refundTable of refund_table.rs")));
        fragments.push(Some((0, "nothing here")));
        fragments.push(None);
        let found = |fragment: &str| fragments.search(&[fragment.to_owned()], &[]).hits().map(|(place, _)| place).collect::<Vec<_>>();
        assert_eq!(found("fundtab"), [0]);
        assert_eq!(found("d_tab"), [0]);
        assert_eq!(found("thin"), [1]);
        assert_eq!(found("tables"), Vec::<u32>::new());
    }
}
