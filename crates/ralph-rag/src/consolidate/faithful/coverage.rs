//! What an entry says but its rewording leaves out: a condition, a reason, or the thing named after an article or a preposition. And what
//! a rewording that keeps close to its entry adds to it: another place or time, an order, a doubt.
//!
//! Other words are allowed, and nobody knows for certain which of them stand for which. So what is found here is for a person to compare.

use super::wording::Wording;
use crate::consolidate::units::statements;
use crate::guard::{alike, is_grammar, is_weightless, stem};
use crate::words::{Token, TokenKind, Words, is_listed, spelled_number};
use std::collections::BTreeSet;
use std::ops::Range;

/// Words that begin a condition, and those that begin a reason or a consequence.
const CONDITIONS: &str = "if when unless only before after until while once whenever except without during";
const REASONS: &str = "because since so hence therefore";
/// Words that are followed by the name of a thing.
const NAMING: &str = "the a an its our their this that these those every each any all of in on for from with by at during inside within into \
    onto through against between without";
/// Words that begin another place, time or means.
const PLACING: &str = "in on for from with at during inside within into onto against between under of";
/// Words that others replace so often that no person is asked about them: "seeds live in", "seeds belong in".
const LIGHT: &str = "need get take give put keep make let say call want cause come set apply way mean note find happen live lie stay contain \
    stand hold prefer leave reach carry belong become bring require case part time kind reason order really simply usual usually mostly \
    thing something file sure work point help ensure provide try first last such same other second least most more less again missing exist";
/// Words that say how something is done, without naming anything.
const MANNERS: [(&str, &str); 6] =
    [("by", "hand"), ("by", "default"), ("on", "purpose"), ("at", "once"), ("for", "example"), ("in", "general")];
/// Leading letters that two forms of one word share: "tenant" and "tenancy" share enough, "add" and "address" don't.
const FAMILY: usize = 4;

/// What `said` leaves out of an entry, one sentence each without the entry's key.
pub(super) fn left_out(entry: &str, said: &str) -> Vec<String> {
    let there = Stems::of(said);
    let statements = statements(entry);
    let texts: Vec<&str> = match &statements[..] {
        [] => vec![entry],
        some => some.iter().map(|statement| statement.text.as_str()).collect(),
    };
    texts.into_iter().flat_map(|text| left_out_of(text, &there)).collect()
}

/// What `said` adds to an entry, one sentence each without the entry's key; `all` is the entry with its title and its reason. Only if it
/// keeps the entry's wording, since a rebuilt sentence has other words anyway. A single word is no statement, and a meaningful word between
/// the entry's words may only connect them in another way ("is solved by").
pub(super) fn added(wording: &Wording, all: &str, said: &str) -> Vec<String> {
    let (known, words) = (Stems::of(all), Words::of(said));
    let tokens = words.tokens();
    let is_sign = |at: &usize| !tokens[*at].lower.contains(char::is_alphanumeric);
    let without_bullet = |range: Range<usize>| (range.clone().find(|at| !is_sign(at)).unwrap_or(range.end))..range.end;
    let says_more = |range: &Range<usize>| {
        let news = tokens[range.clone()].iter().filter(|token| tells(token) && !known.have(token)).count();
        let is_between = range.end < tokens.len() && !(0..range.start).all(|at| is_sign(&at));
        let joins = is_between && !is_listed(PLACING, &tokens[range.start].lower);
        range.len() > 1 && news > usize::from(joins)
    };
    let told = |range: Range<usize>| said.get(tokens[range.start].range.start..tokens[range.end - 1].range.end);
    wording
        .additions()
        .into_iter()
        .map(without_bullet)
        .filter(says_more)
        .filter_map(told)
        .map(|told| format!("does not say \"{told}\""))
        .collect()
}

fn left_out_of(text: &str, there: &Stems) -> Vec<String> {
    let words = Words::of(text);
    let mut found = Vec::new();
    for part in parts(words.tokens()) {
        let told = part.first().zip(part.last()).and_then(|(first, last)| text.get(first.range.start..last.range.end));
        if let Some(told) = told.filter(|_| is_left_out(part, there)) {
            found.push(format!("says \"{told}\", which is lost"));
            continue;
        }
        let named = part.windows(2).filter(|pair| names(&pair[0], &pair[1]) && !there.have(&pair[1]));
        found.extend(named.map(|pair| format!("says \"{}\", which is lost", &text[pair[1].range.clone()])));
    }
    found
}

/// The parts of a statement: clauses, conditions and reasons.
fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let begins = |token: &Token| is_word(token) && (is_listed(CONDITIONS, &token.lower) || is_listed(REASONS, &token.lower));
    tokens.chunk_by(|one, next| !one.ends_clause && !begins(next)).collect()
}

/// Whether hardly any word of a part is said again. Names in it are compared separately.
fn is_left_out(part: &[Token], there: &Stems) -> bool {
    let telling: Vec<&Token> = part.iter().filter(|token| tells(token)).collect();
    if part.iter().any(|token| matches!(token.kind, TokenKind::Exact | TokenKind::Number)) || telling.is_empty() {
        return false;
    }
    let (gone, all) = (telling.iter().filter(|token| !there.have(token)).count(), telling.len());
    let first = part[0].lower.as_str();
    match (is_listed(CONDITIONS, first), is_listed(REASONS, first)) {
        // "Before trying again" is "before a retry".
        (true, _) if all == 1 && matches!(first, "before" | "after" | "once" | "without") && is_verb(&telling[0].lower) => false,
        (true, _) => 2 * gone >= all,
        (_, true) => 2 * gone > all,
        _ => all > 1 && gone == all,
    }
}

fn is_verb(word: &str) -> bool {
    word.ends_with("ing") || word.ends_with("ed")
}

/// Whether a word names something after another one.
fn names(before: &Token, token: &Token) -> bool {
    is_word(before) && is_listed(NAMING, &before.lower) && tells(token) && !MANNERS.contains(&(before.lower.as_str(), token.lower.as_str()))
}

/// An ordinary word, whatever it does in its sentence.
pub(super) fn is_word(token: &Token) -> bool {
    !matches!(token.kind, TokenKind::Exact | TokenKind::Number)
}

/// Whether a word says something that the rewording has to say as well.
pub(super) fn tells(token: &Token) -> bool {
    says(token) && !is_light(&token.lower)
}

/// Whether a word has a meaning of its own.
pub(super) fn says(token: &Token) -> bool {
    let word = token.lower.as_str();
    token.kind == TokenKind::Plain
        && !is_grammar(word)
        && !is_weightless(word)
        && word.chars().count() > 2
        && word != "twice"
        && spelled_number(word).is_none()
}

fn is_light(word: &str) -> bool {
    let stem_of = stem(word);
    LIGHT.split_whitespace().any(|light| light == word || stem(light) == stem_of)
}

/// The stems of a text, including those within its names.
struct Stems(BTreeSet<String>);

impl Stems {
    fn of(text: &str) -> Stems {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| word.chars().count() > 2);
        Stems(words.map(stem).collect())
    }

    /// Whether a word is among them, or one that can stand for it.
    fn have(&self, token: &Token) -> bool {
        let one = stem(&token.lower);
        let family = |other: &String| one.len().min(other.len()) >= FAMILY && (one.starts_with(other.as_str()) || other.starts_with(&one));
        self.0.contains(&one) || self.0.iter().any(|other| family(other) || alike(&one, other))
    }
}
