//! Stemmed words of texts and terms, and their order, for phrases.

use super::super::beside::{AT_ONCE, beside};
use super::super::bytes::{Reader, Writer};
use super::super::fold::{is_mark, is_of_a_word, plain};
use super::super::matches::Matches;
use super::super::stem::stem;
use super::{Lengths, bm25};
use std::cell::LazyCell;
use std::collections::HashMap;

/// Separates the words of the text from those of the terms; no word has this number.
const GAP: u32 = u32::MAX;

/// A passage in which a word occurs, and how often in its text and its terms.
#[derive(Debug, Clone, Copy)]
struct Posting {
    place: u32,
    often: [u16; 2],
}

/// Words of all passages.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    pub lengths: Lengths,
    /// Numbers of stems.
    stems: HashMap<Box<[u8]>, u32>,
    /// Numbers of the stems of known words, so that each is stemmed once.
    met: HashMap<Box<str>, u32>,
    /// Where each stem occurs, in the order of places.
    postings: Vec<Vec<Posting>>,
    /// For each of these, which stems may follow it there: a bit for a sixteenth of all stems. It shows without looking at a passage that
    /// two of its words are not adjacent; looking at most passages with both took longer than scoring the words.
    followers: Vec<Vec<u16>>,
    /// The stems of every passage in their order: text, [`GAP`], terms.
    order: Vec<u32>,
    /// Where each passage begins there.
    begins: Vec<u32>,
}

impl Words {
    pub fn push(&mut self, passage: Option<(u8, &str, &str)>) {
        let place = self.begins.len() as u32;
        let begin = self.order.len();
        self.begins.push(begin as u32);
        let Some((shelf, text, terms)) = passage else { return self.lengths.push(None, 0) };
        let mut counts = [0_u32; 2];
        for (column, text) in [text, terms].into_iter().enumerate() {
            if column == 1 {
                self.order.push(GAP);
            }
            let mut before = None;
            each_word(text, &mut |word| {
                let number = self.number(word);
                if let Some(followers) = before.replace(number).and_then(|before: u32| self.followers[before as usize].last_mut()) {
                    *followers |= bit(number);
                }
                self.order.push(number);
                counts[column] += 1;
                self.count(number, place, column);
            });
        }
        self.lengths.push(Some(shelf), counts[0] + counts[1]);
    }

    /// Writes them into a snapshot.
    pub fn write(&self, bytes: &mut Writer) {
        self.lengths.write(bytes);
        bytes.count(self.postings.len());
        for list in &self.postings {
            super::write_postings(list, bytes, |Posting { place, often: [text, terms] }| {
                (*place, u32::from(*text) | u32::from(*terms) << 16)
            });
        }
        bytes.bytes(self.followers.iter().flatten().flat_map(|followers| followers.to_le_bytes()));
        bytes.texts(self.stems.iter().map(|(stem, number)| (*number, &**stem)));
        bytes.texts(self.met.iter().map(|(word, number)| (*number, &**word)));
        bytes.numbers(&self.order);
        self.begins.iter().for_each(|begin| bytes.number(*begin));
    }

    /// The words of this many passages from a snapshot; `None` if they are incomplete.
    pub fn read(bytes: &mut Reader<'_>, passages: usize) -> Option<Words> {
        let lengths = Lengths::read(bytes, passages)?;
        let posting = |place, often: u32| Posting { place, often: [often as u16, (often >> 16) as u16] };
        let postings = (0..bytes.count()?).map(|_| super::postings(bytes, passages, posting)).collect::<Option<Vec<_>>>()?;
        let followers = |list: &Vec<Posting>| {
            let bits = bytes.take(list.len().checked_mul(2)?)?.as_chunks::<2>().0;
            Some(bits.iter().map(|bits| u16::from_le_bytes(*bits)).collect())
        };
        let followers = postings.iter().map(followers).collect::<Option<_>>()?;
        let known = |number: u32| ((number as usize) < postings.len()).then_some(number);
        let stems = bytes.raw_texts()?.into_iter().map(|(number, stem)| Some((stem.into(), known(number)?))).collect::<Option<_>>()?;
        let met = bytes.texts()?.into_iter().map(|(number, word)| Some((word.into(), known(number)?))).collect::<Option<_>>()?;
        let (order, begins) = (bytes.counted()?, bytes.numbers(passages)?);
        let whole = begins.is_sorted() && begins.last().is_none_or(|last| *last as usize <= order.len());
        whole.then_some(Words { lengths, stems, met, postings, followers, order, begins })
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.met.get(word) {
            return *number;
        }
        let mut stemmed = word.as_bytes().to_vec();
        stem(&mut stemmed);
        let next = self.postings.len() as u32;
        let number = *self.stems.entry(stemmed.into_boxed_slice()).or_insert(next);
        if number == next {
            self.postings.push(Vec::new());
            self.followers.push(Vec::new());
        }
        self.met.insert(word.into(), number);
        number
    }

    fn count(&mut self, number: u32, place: u32, column: usize) {
        let list = &mut self.postings[number as usize];
        if list.last().is_none_or(|last| last.place != place) {
            list.push(Posting { place, often: [0; 2] });
            self.followers[number as usize].push(0);
        }
        if let Some(last) = list.last_mut() {
            last.often[column] = last.often[column].saturating_add(1);
        }
    }

    /// Passages with any of the phrases, with a bonus for the `subject`; occurrences in text and terms count by `weights`, and not at all
    /// for 0.
    pub fn search(&self, phrases: &[String], subject: &[String], weights: [f32; 2]) -> Matches {
        if self.begins.len() < AT_ONCE {
            return self.scored(phrases, subject, weights, || self.adjacent(phrases, subject));
        }
        // Words are scored while another thread looks up where several of them are adjacent, which takes as long.
        std::thread::scope(|threads| self.scored(phrases, subject, weights, beside(threads, || self.adjacent(phrases, subject))))
    }

    fn scored<'p>(
        &self,
        phrases: &[String],
        subject: &[String],
        weights: [f32; 2],
        adjacent: impl FnOnce() -> HashMap<&'p str, Vec<Posting>>,
    ) -> Matches {
        let weigh =
            |posting: &Posting| (posting.place, weights[0] * f32::from(posting.often[0]) + weights[1] * f32::from(posting.often[1]));
        let adjacent = LazyCell::new(adjacent);
        bm25::matches(&self.lengths, phrases, subject, |phrase, scores| match self.numbers(phrase).as_deref() {
            None | Some([]) => {}
            Some([word]) => scores.stands_in(self.postings[*word as usize].iter().map(weigh)),
            Some(_) => scores.stands_in(adjacent.get(phrase).into_iter().flatten().map(weigh)),
        })
    }

    /// Where the phrases of several words occur.
    fn adjacent<'p>(&self, phrases: &'p [String], subject: &'p [String]) -> HashMap<&'p str, Vec<Posting>> {
        let mut found = HashMap::new();
        for phrase in phrases.iter().chain(subject) {
            if let Some(words) = self.numbers(phrase).filter(|words| words.len() > 1) {
                found.entry(phrase.as_str()).or_insert_with(|| self.phrase(&words));
            }
        }
        found
    }

    /// Numbers of a phrase's stems; `None` if one occurs nowhere.
    fn numbers(&self, phrase: &str) -> Option<Vec<u32>> {
        let mut numbers = Some(Vec::new());
        each_word(phrase, &mut |word| match (&mut numbers, self.known(word)) {
            (Some(known), Some(number)) => known.push(number),
            _ => numbers = None,
        });
        numbers
    }

    fn known(&self, word: &str) -> Option<u32> {
        self.met.get(word).copied().or_else(|| {
            let mut stemmed = word.as_bytes().to_vec();
            stem(&mut stemmed);
            self.stems.get(stemmed.as_slice()).copied()
        })
    }

    /// Passages in which the words are adjacent, and how often.
    fn phrase(&self, words: &[u32]) -> Vec<Posting> {
        let mut found = Vec::new();
        let mut by_length = words.to_vec();
        by_length.sort_by_key(|word| self.postings[*word as usize].len());
        let [rarest, other, ..] = by_length[..] else { return found };
        let [first, second, ..] = words[..] else { return found };
        let all = self.postings[other as usize].as_slice();
        let mut next = all;
        for (at, posting) in self.postings[rarest as usize].iter().enumerate() {
            next = skip_to(next, posting.place);
            if next.first().is_none_or(|other| other.place != posting.place) {
                continue;
            }
            let followers = if first == rarest {
                self.followers[first as usize][at]
            } else if first == other {
                self.followers[first as usize][all.len() - next.len()]
            } else {
                u16::MAX
            };
            if followers & bit(second) == 0 {
                continue;
            }
            let often = self.count_phrase(posting.place as usize, words);
            if often != [0; 2] {
                found.push(Posting { place: posting.place, often });
            }
        }
        found
    }

    fn count_phrase(&self, place: usize, words: &[u32]) -> [u16; 2] {
        let end = self.begins.get(place + 1).map_or(self.order.len(), |begin| *begin as usize);
        let order = &self.order[self.begins[place] as usize..end];
        let count = |part: &[u32]| match words {
            // Nearly all phrases are pairs, which are compared some at a time where their length is known.
            [first, second] => part.windows(2).filter(|pair| (pair[0] == *first) & (pair[1] == *second)).count(),
            words => part.windows(words.len()).filter(|part| *part == words).count(),
        };
        // No phrase crosses the gap, and few passages with its words have them side by side.
        let all = count(order);
        if all == 0 {
            return [0; 2];
        }
        let in_text = count(order.split(|number| *number == GAP).next().unwrap_or_default());
        [in_text, all - in_text].map(|often| u16::try_from(often).unwrap_or(u16::MAX))
    }

    pub fn bytes(&self) -> usize {
        let postings: usize = self.postings.iter().map(|list| list.capacity() * size_of::<Posting>() + size_of::<Vec<Posting>>()).sum();
        let followers: usize = self.followers.iter().map(|list| list.capacity() * size_of::<u16>() + size_of::<Vec<u16>>()).sum();
        postings
            + followers
            + (self.order.capacity() + self.begins.capacity()) * size_of::<u32>()
            + (self.stems.len() + self.met.len()) * 48
    }
}

/// The bit of a stem among those that follow another.
fn bit(number: u32) -> u16 {
    1 << (number % u16::BITS)
}

/// The rest of a list from a place on, found by doubling steps.
fn skip_to(list: &[Posting], place: u32) -> &[Posting] {
    let mut step = 1;
    while step < list.len() && list[step].place < place {
        step *= 2;
    }
    let (from, to) = (step / 2, list.len().min(step + 1));
    &list[from + list[from..to].partition_point(|posting| posting.place < place)..]
}

/// Calls `tell` with every word of a text, folded.
fn each_word(text: &str, tell: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut inside = false;
    for c in text.chars() {
        if is_of_a_word(c) || (inside && !c.is_ascii() && is_mark(c)) {
            inside = true;
            word.extend(plain(c));
        } else if std::mem::take(&mut inside) {
            tell(&word);
            word.clear();
        }
    }
    if inside {
        tell(&word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_end_where_the_tables_end_them() {
        let of = |text: &str| {
            let mut words = Vec::new();
            each_word(text, &mut |word| words.push(word.to_owned()));
            words
        };
        assert_eq!(
            of("Refund_table.rs, ÉTÉ naïve e\u{301}te Straße ΣΊΣΥΦΟΣ 数据 x²"),
            ["refund", "table", "rs", "ete", "naive", "ete", "straße", "σίσυφοσ", "数据", "x²"]
        );
        assert_eq!(of(" .,-_ \u{301}"), Vec::<String>::new());
    }

    #[test]
    fn a_phrase_is_found_where_its_words_are_adjacent_and_nowhere_else() {
        let mut chance = ralph_core::stats::SplitMix64(23);
        let mut said = |most: usize| (0..chance.index(most)).map(|_| format!("w{}", chance.index(40))).collect::<Vec<_>>();
        let texts: Vec<(Vec<String>, Vec<String>)> = (0..300).map(|_| (said(30), said(6))).collect();
        let mut words = Words::default();
        texts.iter().for_each(|(text, terms)| words.push(Some((0, &text.join(" "), &terms.join(" ")))));
        let mut bytes = Writer(Vec::new());
        words.write(&mut bytes);
        let read = Words::read(&mut Reader(&bytes.0), texts.len()).unwrap();
        let phrases = (0..40).flat_map(|a| [vec![a, (a + 1) % 40], vec![a, a], vec![a, (a * 7) % 40], vec![a, 3, (a + 5) % 40]]);
        let mut met = 0;
        for phrase in phrases.map(|phrase: Vec<usize>| phrase.iter().map(|number| format!("w{number}")).collect::<Vec<_>>()) {
            let often = |said: &[String]| said.windows(phrase.len()).filter(|part| *part == phrase).count() as u16;
            let expected: Vec<(u32, [u16; 2])> = (0..)
                .zip(&texts)
                .map(|(at, (text, terms))| (at, [often(text), often(terms)]))
                .filter(|(_, often)| *often != [0; 2])
                .collect();
            met += expected.len();
            for words in [&words, &read] {
                let numbers = words.numbers(&phrase.join(" ")).unwrap();
                let found: Vec<(u32, [u16; 2])> = words.phrase(&numbers).iter().map(|posting| (posting.place, posting.often)).collect();
                assert_eq!(found, expected, "{phrase:?}");
            }
        }
        assert!(met > 300, "{met}");
    }

    #[test]
    fn a_list_is_skipped_in_steps() {
        let list: Vec<Posting> = (0..100).map(|n| Posting { place: n * 3, often: [1, 0] }).collect();
        for place in 0..310 {
            let rest = skip_to(&list, place);
            assert_eq!(rest.len(), list.iter().filter(|posting| posting.place >= place).count(), "{place}");
        }
        assert!(skip_to(&[], 1).is_empty());
    }
}
