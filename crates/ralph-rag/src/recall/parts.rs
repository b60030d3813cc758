//! Which parts of a text a question is about: a section of a document holds many lessons, and a prompt has room for some of them.

use super::question::spoken_words;
use super::stop_words::is_stop_word;
use crate::guard::stem;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The parts of a text that share words with a question, each without blank lines around it, those that share most first: a word that few
/// parts have weighs more. Parts are list items, headings and paragraphs. Empty if no word is shared.
pub fn nearest_parts(question: &str, text: &str) -> Vec<Range<usize>> {
    let asked = stems(question);
    let parts = parts(text);
    let shared: Vec<BTreeSet<String>> =
        parts.iter().map(|part| stems(&text[part.clone()]).intersection(&asked).cloned().collect()).collect();
    let mut having: BTreeMap<&String, usize> = BTreeMap::new();
    shared.iter().flatten().for_each(|word| *having.entry(word).or_default() += 1);
    let weight = |words: &BTreeSet<String>| words.iter().map(|word| 1.0 / having[word] as f64).sum::<f64>();
    let mut found: Vec<(f64, Range<usize>)> = shared.iter().map(weight).zip(parts).filter(|(weight, _)| *weight > 0.0).collect();
    // Equal ones stay in their order.
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    found.into_iter().map(|(_, part)| part).collect()
}

fn stems(text: &str) -> BTreeSet<String> {
    spoken_words(text).into_iter().filter(|word| !is_stop_word(word)).map(|word| stem(&word)).collect()
}

/// The parts of a text: a blank line ends one, and an item or a heading begins one.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut open, mut end) = (false, 0);
    for line in text.split_inclusive('\n') {
        let begin = end;
        end += line.len();
        let words = line.trim();
        if words.is_empty() {
            open = false;
            continue;
        }
        let to = begin + line.trim_end().len();
        let begins = words.starts_with(['-', '*', '+', '#', '|']) || words.starts_with(|c: char| c.is_ascii_digit());
        match found.last_mut().filter(|_| open && !begins) {
            Some(part) => part.end = to,
            None => found.push(begin..to),
        }
        // What follows a heading is another part.
        open = !words.starts_with('#');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &str = "# Money\n\n- Refunds use the clock of the provider,\n  which has another zone\n- Refunds carry a key\n\n\
        Tax for Norway comes from `vat_no.yml`.\nFinance edits it.\n\n## Payouts\n1. The bank refuses files without line ends\n";

    fn nearest(question: &str) -> Vec<&'static str> {
        nearest_parts(question, SECTION).into_iter().map(|part| &SECTION[part]).collect()
    }

    #[test]
    fn what_shares_rare_words_with_the_question_comes_first() {
        let zone = "- Refunds use the clock of the provider,\n  which has another zone";
        assert_eq!(nearest("In which zone are refunds?"), [zone, "- Refunds carry a key"]);
        assert_eq!(
            nearest("The file of the Norwegian tax, vat_no.yml"),
            ["Tax for Norway comes from `vat_no.yml`.\nFinance edits it.", "1. The bank refuses files without line ends"]
        );
        assert_eq!(nearest("Payout of money"), ["# Money", "## Payouts"]);
        assert_eq!((nearest("Where is the cache?"), nearest("")), (vec![], vec![]));
        assert_eq!(nearest_parts("x", ""), Vec::<Range<usize>>::new());
    }

    #[test]
    fn parts_hold_every_word_once_and_in_order() {
        for text in [SECTION, "one line", "\n\n\n", "a\r\n\r\n- b\r\nc\r\n", "ä\n# ö\nü"] {
            let found = parts(text);
            assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start), "{text:?}");
            let told: String = found.iter().map(|part| text[part.clone()].split_whitespace().collect::<String>()).collect();
            assert_eq!(told, text.split_whitespace().collect::<String>());
        }
    }
}
