//! Introductions name what follows and say nothing about it. A line without a mark that gives an order, makes a claim or sets a condition
//! would be a lesson that nobody learnt, or would change those beside it.

use crate::consolidate::proposal::Proposal;
use crate::guard::{is_grammar, is_weightless, stem};
use crate::words::{Words, is_listed};
use ralph_core::headings::headings;
use std::collections::BTreeSet;

/// Beginnings of a sentence that introduces, after an article.
const HEADS: &str = "notes|what|how|why|where|lessons|learnings|things|rules|facts|tips|hints|pitfalls|conventions|details|overview|summary\
    |background|introduction|guide|about|everything about|everything on|all about|all that|all we|more about|more on\
    |for more|this is about|this section|this document|this page|this file|this chapter|this part|this list|this guide\
    |these are|these notes|these lessons|these rules|these sections|these pages|these documents|these entries|these points\
    |following|here is|here are|below|see|read";
/// Words before them.
const ARTICLES: [&str; 8] = ["the", "a", "an", "our", "some", "few", "also", "more"];
/// Words of introductions, besides function words: they name the parts of a text, and what it does.
const VOCABULARY: &str = "notes note what how why where lessons lesson learnt learned learn learnings things thing rules rule facts tips \
    hints pitfalls conventions details overview summary background introduction guide about everything more section sections \
    document documents page pages file files chapter part parts list lists point points entry entries here below above \
    follow follows following see also read know known knowing worth run running runs use using work works working do doing \
    done go goes project code team repository suite test tests service module cover covers describe describes collect \
    collects explain explains tell tells gather gathers contain contains name names topic topics subject related together \
    order first further next each";
/// Words that order, claim, or set a condition.
const CLAIMS: &str = "must always never only should shall ought cannot not no none nor except unless if need needs required \
    mandatory forbidden avoid instead solely exclusively may might";
/// Those of them that deny: a heading above a denial may say so.
const DENYING: &str = "never cannot not no none nor avoid instead";

/// Bytes that two stems of one word share: "serve" and "server".
const FAMILY: usize = 4;

/// What introductions may be about: the words of the entries and the documents.
pub(super) struct Topic {
    stems: BTreeSet<String>,
}

impl Topic {
    pub(super) fn of(proposal: &Proposal<'_>) -> Topic {
        let entries =
            proposal.batch.iter().flat_map(|entry| [entry.title.as_deref(), Some(entry.text.as_str()), entry.reason_given.as_deref()]);
        let titles = proposal.after.values().flat_map(|text| headings(text)).map(|heading| heading.words);
        let mut topic = Topic { stems: BTreeSet::new() };
        entries.flatten().for_each(|text| topic.add(text));
        titles.for_each(|title| topic.add(&title));
        for (file, text) in proposal.before {
            topic.add(text);
            topic.add(file);
        }
        proposal.after.keys().for_each(|file| topic.add(file));
        topic
    }

    /// The words of some text.
    pub(super) fn words_of(text: &str) -> Topic {
        let mut topic = Topic { stems: BTreeSet::new() };
        topic.add(text);
        topic
    }

    fn add(&mut self, text: &str) {
        self.stems.extend(plain(text).iter().map(|word| stem(word)));
    }

    fn knows(&self, word: &str) -> bool {
        is_listed(VOCABULARY, word) || self.has_family(word)
    }

    fn has_family(&self, word: &str) -> bool {
        let stem = stem(word);
        let family = |known: &String| stem.len().min(known.len()) >= FAMILY && (known.starts_with(&stem) || stem.starts_with(known));
        self.stems.contains(&stem) || self.stems.iter().any(family)
    }

    /// Whether a word, as written, is one of these.
    pub(super) fn has(&self, word: &str) -> bool {
        self.stems.contains(&stem(word))
    }

    /// The first word of a text that says something and is not one of these.
    pub(super) fn unknown(&self, text: &str) -> Option<String> {
        plain(text).into_iter().find(|word| says(word) && !self.knows(word))
    }

    /// The same, whatever else introductions say.
    pub(super) fn foreign(&self, text: &str) -> Option<String> {
        plain(text).into_iter().find(|word| says(word) && !self.has_family(word))
    }

    /// Why a text is more than an introduction.
    pub(super) fn says_more(&self, text: &str) -> Option<String> {
        sentences(text).into_iter().find_map(|sentence| {
            let words = plain(sentence);
            if let Some(claim) = words.iter().find(|word| is_claim(word)) {
                return Some(format!("says a lesson that no entry says (\"{claim}\"), where only introductions may stand"));
            }
            if let Some(word) = self.unknown(sentence) {
                return Some(format!("is about something else (\"{word}\"): an introduction names what its entries are about"));
            }
            let begins = words.iter().skip_while(|word| ARTICLES.contains(&word.as_str())).cloned().collect::<Vec<_>>().join(" ") + " ";
            let introduces = HEADS.split('|').any(|head| begins.strip_prefix(head).is_some_and(|rest| rest.starts_with(' ')));
            (!introduces && !words.is_empty())
                .then(|| "belongs to no entry, and introduces none as \"Notes on …\" or \"How …\" would".to_owned())
        })
    }
}

/// What a heading says beyond naming what is below it, unless the entries say it, too.
pub(super) fn heading_says(heading: &str, entries: &str) -> Option<String> {
    let (words, meant) = (plain(heading.trim_start_matches('#')), plain(entries));
    let denied = crate::guard::denies(&Words::of(entries));
    let claim = words.iter().find(|word| is_claim(word) && !meant.contains(word) && !(denied && is_denial(word)));
    if let Some(claim) = claim {
        return Some(format!("\"{claim}\""));
    }
    let topic = Topic::words_of(entries);
    if let Some(word) = heading.split_once(": ").and_then(|(_, behind)| topic.unknown(behind)) {
        return Some(format!("\"{word}\""));
    }
    // "Disable the cache" is an order, "Inside the cache" and "Disabling the cache" are not.
    let orders = match &words[..] {
        [verb, article, ..] => {
            matches!(article.as_str(), "the" | "a" | "an" | "all" | "any" | "every" | "each" | "your" | "this" | "these")
                && says(verb)
                && !verb.ends_with("ing")
                && !is_listed(VOCABULARY, verb)
        }
        _ => false,
    };
    (orders && !topic.knows(&words[0])).then(|| format!("\"{} {}\"", words[0], words[1]))
}

/// Whether a text orders, claims, or sets a condition.
pub(super) fn is_claim(word: &str) -> bool {
    is_listed(CLAIMS, word) || word.ends_with("n't")
}

fn is_denial(word: &str) -> bool {
    is_listed(DENYING, word) || word.ends_with("n't")
}

fn says(word: &str) -> bool {
    !is_grammar(word) && !is_weightless(word) && !ARTICLES.contains(&word) && word.contains(char::is_alphabetic)
}

/// The sentences of a text, and the parts after a colon or a dash.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let ends = |part: &str| part.ends_with(['.', ';', '!', '?', ':', '…']) || matches!(part, "-" | "–" | "—");
    let (mut found, mut from, mut to) = (Vec::new(), 0, 0);
    for part in text.split_inclusive(char::is_whitespace) {
        to += part.len();
        if ends(part.trim()) {
            found.push(&text[from..to]);
            from = to;
        }
    }
    found.push(&text[from..]);
    found.retain(|sentence| sentence.contains(char::is_alphanumeric));
    found
}

/// The words of a text in lower case; code, paths and names are one word each.
pub(super) fn plain(text: &str) -> Vec<String> {
    Words::of(text).tokens().iter().map(|token| token.lower.clone()).collect()
}
