//! Which of many groups of words are the most alike, while they merge: only what a merge changes is compared again, since a feature may
//! have thousands of tasks, and its split is written while every other writer waits.

use crate::words::Words;
use std::collections::BTreeMap;

/// Groups by their content words, in their order.
pub(super) struct Groups {
    /// The words of each by number; `None` once it is part of an earlier group.
    words: Vec<Option<Vec<usize>>>,
    /// The groups that have a word, in order, by the word's number.
    holders: Vec<Vec<usize>>,
    /// The later group that each is most similar to, and how much; ties by order.
    partners: Vec<Option<(usize, f64)>>,
}

impl Groups {
    /// Groups of one text each.
    pub fn of(texts: &[Words]) -> Groups {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut words = Vec::with_capacity(texts.len());
        for text in texts {
            let number = |word| {
                let next = numbers.len();
                *numbers.entry(word).or_insert(next)
            };
            words.push(Some(text.content_words().map(number).collect::<Vec<_>>()));
        }
        let mut holders = vec![Vec::new(); numbers.len()];
        for (at, words) in words.iter().enumerate() {
            words.iter().flatten().for_each(|word| holders[*word].push(at));
        }
        let mut groups = Groups { partners: vec![None; words.len()], words, holders };
        for at in 0..groups.words.len() {
            groups.partners[at] = groups.partner(at);
        }
        groups
    }

    /// Merges the most similar pair, ties by order, into its first: returns both. `None` if one group is left.
    pub fn merge(&mut self) -> Option<(usize, usize)> {
        let mut most: Option<(usize, usize, f64)> = None;
        for (first, partner) in self.partners.iter().enumerate() {
            if let Some((second, likeness)) = *partner
                && most.is_none_or(|(.., most)| likeness > most)
            {
                most = Some((first, second, likeness));
            }
        }
        let (first, second, _) = most?;
        for word in self.words[second].take().unwrap_or_default() {
            let holders = &mut self.holders[word];
            holders.retain(|holder| *holder != second);
            if let Err(place) = holders.binary_search(&first) {
                holders.insert(place, first);
                self.words[first].get_or_insert_default().push(word);
            }
        }
        let likeness = self.likeness(first);
        for (at, &alike) in likeness.iter().enumerate() {
            match self.partners[at] {
                Some((partner, _)) if at == first || at == second || partner == first || partner == second => {
                    self.partners[at] = self.partner(at);
                }
                Some((partner, most)) if at < first && (alike > most || alike == most && first < partner) => {
                    self.partners[at] = Some((first, alike));
                }
                _ => {}
            }
        }
        Some((first, second))
    }

    /// The later group that one is most similar to.
    fn partner(&self, at: usize) -> Option<(usize, f64)> {
        self.words[at].as_ref()?;
        let likeness = self.likeness(at);
        let mut best: Option<(usize, f64)> = None;
        for later in (at + 1..self.words.len()).filter(|later| self.words[*later].is_some()) {
            if best.is_none_or(|(_, most)| likeness[later] > most) {
                best = Some((later, likeness[later]));
            }
        }
        best
    }

    /// Jaccard similarity of one group with each, as [`Words::jaccard`].
    #[allow(clippy::cast_precision_loss, reason = "counts of words")]
    fn likeness(&self, at: usize) -> Vec<f64> {
        let size = |at: usize| self.words[at].as_ref().map_or(0, Vec::len);
        let mut shared = vec![0_usize; self.words.len()];
        self.words[at].iter().flatten().flat_map(|word| &self.holders[*word]).for_each(|holder| shared[*holder] += 1);
        let mine = size(at);
        let like = |(other, shared): (usize, usize)| if shared == 0 { 0.0 } else { shared as f64 / (mine + size(other) - shared) as f64 };
        shared.into_iter().enumerate().map(like).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of some common words, in no order.
    fn texts(count: usize) -> Vec<String> {
        let common = ["refund", "ledger", "queue", "worker", "screen", "button", "invoice", "export", "parser", "retry", "token"];
        let word = |number: usize| common[number % common.len()];
        (0..count).map(|n| format!("add the {} to the {} of {} page{}", word(n * 7), word(n * n + 3), word(n / 5), n % 13)).collect()
    }

    /// The same by comparing all pairs each time.
    fn by_all_pairs(texts: &[String]) -> Vec<(usize, usize)> {
        let mut groups: Vec<(usize, String)> = texts.iter().cloned().enumerate().collect();
        let mut merged = Vec::new();
        while groups.len() > 1 {
            let words: Vec<Words> = groups.iter().map(|(_, text)| Words::of(text)).collect();
            let (mut best, mut most) = ((0, 1), -1.0);
            for (a, b) in (0..words.len()).flat_map(|a| (a + 1..words.len()).map(move |b| (a, b))) {
                let likeness = words[a].jaccard(&words[b]);
                if likeness > most {
                    (best, most) = ((a, b), likeness);
                }
            }
            let (second, text) = groups.remove(best.1);
            groups[best.0].1 += &format!(" {text}");
            merged.push((groups[best.0].0, second));
        }
        merged
    }

    #[test]
    fn groups_merge_as_if_all_pairs_were_compared_each_time() {
        for texts in [texts(48), vec![String::new(); 5], ["one two", "three", "four five", "six"].map(str::to_owned).to_vec()] {
            let mut groups = Groups::of(&texts.iter().map(|text| Words::of(text)).collect::<Vec<_>>());
            let merged: Vec<(usize, usize)> = std::iter::from_fn(|| groups.merge()).collect();
            assert_eq!(merged, by_all_pairs(&texts));
        }
    }
}
