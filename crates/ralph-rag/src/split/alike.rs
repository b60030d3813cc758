//! Which of many groups of texts are the most similar, while they merge. Only what a merge changes is compared again, since a feature may
//! have thousands of tasks, and its split is written while every other writer waits.
//!
//! Groups are compared by the mean of their texts' cosines: by the words of a whole group the largest one would be the most similar to
//! everything, and would absorb one text after the other, see `docs/measurements.md`.

use super::spoken::parts;
use crate::recall::is_stop_word;
use crate::words::Words;
use std::collections::{BTreeMap, BTreeSet};

/// Similarity of two texts that share nothing, divided by the number of texts of both groups: so the smallest groups join, and none absorbs
/// the rest.
const NOTHING: f64 = 1e-6;

/// Groups of texts, in their order.
pub(super) struct Groups {
    /// The words of each by number; `None` once it is part of an earlier group.
    words: Vec<Option<Vec<usize>>>,
    /// How many texts each has.
    texts: Vec<f64>,
    /// The groups that have a word, in order, by the word's number: each with the word's weight, summed over its texts.
    holders: Vec<Vec<(usize, f64)>>,
    /// The later group that each is most similar to, and how much; ties by order.
    partners: Vec<Option<(usize, f64)>>,
}

impl Groups {
    /// Groups of one text each.
    pub fn of(texts: &[Words]) -> Groups {
        let holders = weighed(texts);
        let mut words = vec![Some(Vec::new()); texts.len()];
        for (word, holders) in holders.iter().enumerate() {
            holders.iter().for_each(|(at, _)| words[*at].get_or_insert_default().push(word));
        }
        let mut groups = Groups { partners: vec![None; texts.len()], texts: vec![1.0; texts.len()], words, holders };
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
        self.texts[first] += self.texts[second];
        for word in self.words[second].take().unwrap_or_default() {
            let holders = &mut self.holders[word];
            let Ok(place) = holders.binary_search_by_key(&second, |(group, _)| *group) else { continue };
            let (_, weight) = holders.remove(place);
            match holders.binary_search_by_key(&first, |(group, _)| *group) {
                Ok(place) => holders[place].1 += weight,
                Err(place) => {
                    holders.insert(place, (first, weight));
                    self.words[first].get_or_insert_default().push(word);
                }
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

    /// Mean cosine of the texts of one group and those of each other.
    fn likeness(&self, at: usize) -> Vec<f64> {
        let mut shared = vec![0.0; self.words.len()];
        for holders in self.words[at].iter().flatten().map(|word| &self.holders[*word]) {
            let Ok(mine) = holders.binary_search_by_key(&at, |(group, _)| *group) else { continue };
            holders.iter().for_each(|(group, weight)| shared[*group] += weight * holders[mine].1);
        }
        let like = |(shared, texts): (f64, &f64)| shared / (self.texts[at] * texts) + NOTHING / (self.texts[at] + texts);
        shared.into_iter().zip(&self.texts).map(like).collect()
    }
}

/// For each word that several texts have those that have it, with its weight: the fewer, the more, and each text has the length 1.
#[allow(clippy::cast_precision_loss, reason = "counts of texts")]
fn weighed(texts: &[Words]) -> Vec<Vec<(usize, f64)>> {
    let mut holders: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        let spoken: BTreeSet<String> = text.content_words().filter(|word| !is_stop_word(word)).flat_map(parts).collect();
        spoken.into_iter().for_each(|word| holders.entry(word).or_default().push(at));
    }
    // A word that only one text has resembles nothing, and would make its text less similar to everything.
    holders.retain(|_, holders| holders.len() > 1);
    let weight = |holders: &[usize]| (texts.len() as f64 / holders.len() as f64).ln();
    let mut lengths = vec![0.0_f64; texts.len()];
    for holders in holders.values() {
        holders.iter().for_each(|at| lengths[*at] += weight(holders).powi(2));
    }
    let of_text = |at: usize, weight: f64| (at, if lengths[at] > 0.0 { weight / lengths[at].sqrt() } else { 0.0 });
    holders.values().map(|holders| holders.iter().map(|at| of_text(*at, weight(holders))).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::stats::SplitMix64;

    /// Texts of some common words, in no order.
    fn texts(count: usize) -> Vec<String> {
        let common = ["refund", "ledger", "queue", "worker", "screen", "button", "invoice", "export", "parser", "retry", "token"];
        let word = |number: usize| common[number % common.len()];
        (0..count).map(|n| format!("add the {} to the {} of {} page{}", word(n * 7), word(n * n + 3), word(n / 5), n % 13)).collect()
    }

    /// Mean cosine of two groups' texts, by the cosines of all pairs.
    fn mean_cosine(words: &[Vec<(usize, f64)>], first: &[usize], second: &[usize]) -> f64 {
        let of = |at: usize, holders: &[(usize, f64)]| holders.iter().find(|(text, _)| *text == at).map_or(0.0, |(_, weight)| *weight);
        let cosine = |a: usize, b: usize| words.iter().map(|holders| of(a, holders) * of(b, holders)).sum::<f64>();
        let sum: f64 = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b))).map(|(a, b)| cosine(a, b)).sum();
        sum / (first.len() * second.len()) as f64 + NOTHING / (first.len() + second.len()) as f64
    }

    #[test]
    fn groups_merge_as_if_all_pairs_were_compared_each_time() {
        for texts in [texts(24), vec![String::new(); 5], ["one two", "three", "four five", "six"].map(str::to_owned).to_vec()] {
            let words: Vec<Words> = texts.iter().map(|text| Words::of(text)).collect();
            let (mut groups, weighed) = (Groups::of(&words), weighed(&words));
            let mut members: Vec<Vec<usize>> = (0..texts.len()).map(|at| vec![at]).collect();
            for _ in 1..texts.len() {
                let alike = |a: usize, b: usize| mean_cosine(&weighed, &members[a], &members[b]);
                let left: Vec<usize> = (0..members.len()).filter(|at| !members[*at].is_empty()).collect();
                let pairs = left.iter().flat_map(|a| left.iter().filter(move |b| a < b).map(move |b| (*a, *b)));
                let most = pairs.map(|(a, b)| alike(a, b)).fold(0.0, f64::max);
                let (first, second) = groups.merge().expect("several are left");
                assert!(first < second && most - alike(first, second) < 1e-9, "{most} {}", alike(first, second));
                let taken = std::mem::take(&mut members[second]);
                members[first].extend(taken);
            }
            assert_eq!(groups.merge(), None);
        }
    }

    #[test]
    fn of_texts_that_share_nothing_none_takes_in_the_others() {
        let texts: Vec<Words> = (0..9).map(|n| Words::of(&format!("alone{n}"))).collect();
        let mut groups = Groups::of(&texts);
        (0..6).for_each(|_| assert!(groups.merge().is_some()));
        let sizes = groups.words.iter().zip(&groups.texts).filter(|(words, _)| words.is_some()).map(|(_, texts)| *texts);
        assert!(sizes.clone().count() == 3 && sizes.fold(0.0, f64::max) < 5.0);
    }

    #[test]
    fn three_subjects_become_three_groups_however_many_words_they_share_and_however_long_their_texts_are() {
        let mut chance = SplitMix64(5);
        let mut sentence = |subject: usize| {
            let own: String = (0..5).map(|_| format!("subject{subject}word{} ", chance.index(30))).collect();
            own + &(0..5).map(|_| format!("common{} ", chance.index(20))).collect::<String>()
        };
        let texts: Vec<String> = (0..18).map(|at| (0..=at * 7 % 4).map(|_| sentence(at % 3)).collect()).collect();
        let mut groups = Groups::of(&texts.iter().map(|text| Words::of(text)).collect::<Vec<_>>());
        for _ in 3..texts.len() {
            let (first, second) = groups.merge().expect("several are left");
            assert_eq!(first % 3, second % 3, "{:?}", groups.texts);
        }
    }
}
