//! What is among the words for an entry although the entry does not say it.

use super::introduction::{Topic, is_claim, plain, sentences};
use super::{LEAST_SHARED, Said, telling};
use crate::consolidate::proposal::cut;
use crate::consolidate::units::without_bullet;
use crate::guard::{alike, is_grammar};
use crate::words::Words;
use std::collections::BTreeSet;

/// Sentences and items that say hardly a word of the entry, lines before it that say more than what follows, and repetitions.
pub(super) fn unsaid(said: &Said<'_>, entry: &str, topic: &Topic) -> Vec<String> {
    let (key, meant) = (&said.key, telling(&Words::of(entry)));
    let sentences: Vec<String> = items(&said.text).iter().flat_map(|item| parts(item)).collect();
    let leads: Vec<String> = said.leads.iter().flat_map(|(_, lead)| parts(lead)).collect();
    let is_another = |sentence: &&String| {
        let stems: BTreeSet<String> = telling(&Words::of(sentence)).into_iter().filter(|stem| !is_grammar(stem)).collect();
        let shared = stems.iter().filter(|stem| meant.iter().any(|known| alike(known, stem))).count();
        stems.len() > 1
            && (shared as f64) < LEAST_SHARED * stems.len() as f64
            && !leads.contains(sentence)
            && topic.says_more(sentence).is_some()
    };
    let mut faults: Vec<String> = sentences
        .iter()
        .filter(is_another)
        .map(|sentence| format!("the words of entry {key} do not say that: {}", cut(sentence)))
        .collect();
    let own = Topic::words_of(entry);
    // Before a colon, words that name a part of the text are among its own.
    let foreign = |lead: &str| own.unknown(lead).or_else(|| own.foreign(lead).filter(|_| !lead.trim_end().ends_with(':')));
    for (_, lead) in &said.leads {
        let claim = plain(lead).into_iter().find(|word| is_claim(word) && !own.has(word));
        if let Some(word) = claim.or_else(|| foreign(lead)).filter(|_| topic.says_more(lead).is_some()) {
            faults.push(format!("entry {key} does not say what introduces it (\"{word}\"): {}", cut(lead)));
        }
    }
    if let Some(at) = again(&sentences).filter(|_| again(&parts(entry)).is_none()) {
        faults.push(format!("the words of entry {key} say that twice: {}", cut(&sentences[at])));
    }
    faults
}

/// The items of a text, and what precedes them, each on one line.
fn items(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (is_item, words) in text.lines().map(|line| without_bullet(line.trim())) {
        match found.last_mut() {
            Some(last) if !is_item => *last = format!("{last} {words}"),
            _ => found.push(words),
        }
    }
    found
}

/// The sentences of a line; what follows a colon belongs to what precedes it.
fn parts(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(text) {
        match found.last_mut() {
            Some(last) if last.trim_end().ends_with([':', '-', '–', '—']) => last.push_str(sentence),
            _ => found.push(sentence.to_owned()),
        }
    }
    found
}

/// The position of a sentence that repeats the words of an earlier one.
fn again(sentences: &[String]) -> Option<usize> {
    let stems: Vec<BTreeSet<String>> = sentences.iter().map(|sentence| telling(&Words::of(sentence))).collect();
    (0..stems.len()).find(|at| stems[*at].len() > 1 && stems[..*at].contains(&stems[*at]))
}
