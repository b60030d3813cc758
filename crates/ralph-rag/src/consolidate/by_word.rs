//! The most similar of many texts, by the words in common.

use crate::words::Words;
use std::collections::HashMap;
use std::ops::Range;

/// Texts that one is compared with more closely: those that share the most words.
const NEAR: usize = 16;

/// Texts by their content words: a text is compared only with those, among thousands, that share a word with it.
pub(super) struct ByWord<'w> {
    places: HashMap<&'w str, Vec<usize>>,
    /// Content words of each.
    counts: Vec<usize>,
    /// Words that each shares with the one compared; zeros in between.
    shared: Vec<usize>,
}

impl<'w> ByWord<'w> {
    pub fn of(texts: impl Iterator<Item = &'w Words>) -> ByWord<'w> {
        let (mut places, mut counts): (HashMap<&str, Vec<usize>>, _) = (HashMap::new(), Vec::new());
        for (at, words) in texts.enumerate() {
            words.content_words().for_each(|word| places.entry(word).or_default().push(at));
            counts.push(words.content_words().count());
        }
        ByWord { places, shared: vec![0; counts.len()], counts }
    }

    /// The indices of those with the highest Jaccard similarity, except `own` and those that share no word; ties in order.
    pub fn nearest(&mut self, words: &Words, own: &Range<usize>) -> Vec<usize> {
        let (mut met, mut count) = (Vec::new(), 0);
        for word in words.content_words() {
            count += 1;
            for at in self.places.get(word).into_iter().flatten().filter(|at| !own.contains(at)) {
                if self.shared[*at] == 0 {
                    met.push(*at);
                }
                self.shared[*at] += 1;
            }
        }
        let like = |at: usize| self.shared[at] as f64 / (count + self.counts[at] - self.shared[at]) as f64;
        let mut near: Vec<(f64, usize)> = met.iter().map(|at| (like(*at), *at)).collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if near.len() > NEAR {
            near.select_nth_unstable_by(NEAR, order);
            near.truncate(NEAR);
        }
        near.sort_unstable_by(order);
        met.into_iter().for_each(|at| self.shared[at] = 0);
        near.into_iter().map(|(_, at)| at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by comparing with each.
    fn slowly(words: &Words, all: &[Words], own: &Range<usize>) -> Vec<usize> {
        let others = all.iter().enumerate().filter(|(at, _)| !own.contains(at));
        let mut near: Vec<(f64, usize)> = others.map(|(at, other)| (words.jaccard(other), at)).filter(|(like, _)| *like > 0.0).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        near.into_iter().take(NEAR).map(|(_, at)| at).collect()
    }

    #[test]
    fn the_nearest_are_those_that_a_comparison_with_each_finds() {
        const SUBJECTS: [&str; 9] = ["cache", "parser", "queue", "index", "token", "ledger", "socket", "mirror", "lantern"];
        let text = |n: usize| {
            let word = |step: usize| SUBJECTS[(n * step + n / 7) % SUBJECTS.len()];
            format!("The {} of src/{}.rs waits for the {} when {} reads it {n}.", word(1), word(2), word(5), word(7))
        };
        let all: Vec<Words> = (0..200).map(|n| Words::of(&text(n))).chain([Words::of(""), Words::of("unlike anything")]).collect();
        let mut by_word = ByWord::of(all.iter());
        for (at, words) in all.iter().enumerate() {
            let own = at..(at + 1 + at % 3).min(all.len());
            assert_eq!(by_word.nearest(words, &own), slowly(words, &all, &own), "text {at}");
        }
    }
}
