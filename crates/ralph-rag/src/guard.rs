//! The guard: contradictions between two similar texts.
//!
//! Similarity by vectors is nearly blind to "not", numbers, names, opposites and order. The guard looks only at the differing words. A hit
//! never makes two texts the same; it can only keep them apart.

mod conditions;
mod denied;
mod foreign;
mod frame;
mod grammar;
mod hedges;
mod idioms;
mod kinds;
mod lost;
mod needs;
mod negation;
mod numbers;
mod opposites;
mod order;
mod parts;
mod quantifiers;
mod senses;
mod siblings;
mod sides;
#[cfg(test)]
mod tests;

use crate::words::{Token, TokenKind, Words, full_name, is_set_otherwise};
use ralph_core::quality::{Hit, HitKind, Piece};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashSet;
use std::ops::Range;

/// Words that, with "to", say that something must be.
const BINDING_TO: [&str; 6] = ["have", "has", "had", "need", "needs", "ought"];

/// What keeps two texts apart: contradictions, or a condition that only one of them states. Symmetric except for which side is named older.
pub fn hits(older: &Words, newer: &Words) -> Vec<Hit> {
    let (a, b) = (View::of(older), View::of(newer));
    let (mut hits, agreed) = between(&a, &b);
    siblings::tell_apart(&mut hits, &a, &b);
    quantifiers::except(&mut hits, &a, &b);
    // Other languages put the parts of a sentence in another order without saying anything else.
    let is_read = || foreign::is_order_read(older, newer) || denied::has_a_preference(&a) && denied::has_a_preference(&b);
    if hits.iter().any(|hit| hit.kind == HitKind::Order) && !is_read() {
        hits.iter_mut().filter(|hit| hit.kind == HitKind::Order).for_each(|hit| hit.kind = HitKind::Other);
    }
    numbers::other_units(&mut hits, &a, &b);
    hits.extend(older.spelled_otherwise(newer).map(|(older, newer)| Hit { kind: HitKind::Other, older, newer }));
    if hits.is_empty() {
        let condition = frame::condition(&a, &b).or_else(|| conditions::turned(&a, &b)).or_else(|| parts::hit(&a, &b));
        let hedged = || hedges::hit(&a, &b).or_else(|| quantifiers::narrowed(&a, &b));
        hits.extend(condition.or_else(hedged).or_else(|| negation::one_sided(&a, &b, &agreed)));
    }
    hits
}

/// Contradictions between two texts, as in [`hits`].
pub(crate) fn contradictions(older: &Words, newer: &Words) -> Vec<Hit> {
    between(&View::of(older), &View::of(newer)).0
}

/// The contradictions, and the stems that agree although one is denied.
fn between<'v>(a: &'v View<'_>, b: &'v View<'_>) -> (Vec<Hit>, HashSet<&'v str>) {
    let mut hits = Vec::new();
    let (mine, theirs) = (a.only(b), b.only(a));
    hits.extend(names(&mine, &theirs));
    hits.extend(numbers::hit((&mine, a), (&theirs, b)));
    let (denied, denied_there) = (negation::denied(a), negation::denied(b));
    // "Don't forget it" is "remember it".
    let (doubled, doubled_there) = (negation::doubled(a), negation::doubled(b));
    let mut agreed: HashSet<&str> = HashSet::new();
    for one in &mine {
        for other in &theirs {
            let (plain_one, plain_other) = (is_word(one.token), is_word(other.token));
            if is_set_otherwise(&one.token.lower, &other.token.lower) {
                hits.push(Hit { kind: HitKind::Number, older: one.token.lower.clone(), newer: other.token.lower.clone() });
                continue;
            }
            if !(plain_one && plain_other) {
                // "UTC" is a name, "local time" is not.
                let part = || kinds::part_differs((one, a), (other, b)) || kinds::part_differs((other, b), (one, a));
                if kinds::different(&one.stem, &other.stem) || part() {
                    hits.push(Hit { kind: HitKind::Other, older: one.token.lower.clone(), newer: other.token.lower.clone() });
                }
                continue;
            }
            // "Not known" agrees with "unknown".
            let turned = denied.contains(one.stem.as_str()) != denied_there.contains(other.stem.as_str());
            let kind = if opposites::opposite(&one.stem, &other.stem) || opposites::by_ending(&one.token.lower, &other.token.lower) {
                if turned && opposites::exhaust(one, other) {
                    agreed.extend([one.stem.as_str(), other.stem.as_str()]);
                    continue;
                }
                if doubled.contains(one.stem.as_str()) || doubled_there.contains(other.stem.as_str()) {
                    agreed.extend([one.stem.as_str(), other.stem.as_str()]);
                    continue;
                }
                if is_said_otherwise(one, b) && is_said_otherwise(other, a) {
                    continue;
                }
                if grammar::say_the_same((one, a), (other, b)) {
                    agreed.extend([one.stem.as_str(), other.stem.as_str()]);
                    continue;
                }
                // Not to open something is not to close it.
                if turned { HitKind::Other } else { HitKind::Antonym }
            } else if opposites::counterparts(&one.stem, &other.stem) || kinds::different(&one.stem, &other.stem) {
                HitKind::Other
            } else {
                continue;
            };
            hits.push(Hit { kind, older: one.token.lower.clone(), newer: other.token.lower.clone() });
        }
    }
    // Agreement in one part says nothing about the rest: "don't enable it, and never run it", "disable it, and run it".
    hits.extend(negation::hit(a, b, &agreed).or_else(|| needs::hit(a, b)));
    if hits.is_empty() {
        hits.extend(idioms::hit(a, b));
    }
    if hits.is_empty() {
        hits.extend(frame::hits(a, b, &agreed));
    }
    hits.extend(order::hit(a, b));
    hits.extend(quantifiers::hit(a, b));
    hits.extend(quantifiers::ordinal(a, b));
    (hits, agreed)
}

/// Whether a text has another word for a word of grammar: "have to" for "must", "can" for "may".
fn is_said_otherwise(word: &Stemmed<'_>, view: &View<'_>) -> bool {
    let is_said = |at: usize| {
        let token = &view.tokens[at];
        let bound = at.checked_sub(1).is_some_and(|before| BINDING_TO.contains(&view.tokens[before].token.lower.as_str()));
        (token.token.lower != "to" || bound) && senses::alike(&token.stem, &word.stem)
    };
    frame::is_grammar(&word.token.lower) && (0..view.tokens.len()).any(is_said)
}

/// `text` in pieces, with those marked that `other` lacks; `words` are those of `text`. Their concatenation is the text.
pub fn pieces(text: &str, words: &Words, other: &Words) -> Vec<Piece> {
    let (mine, theirs) = (View::of(words), View::of(other));
    let negators = |view: &View<'_>| view.tokens.iter().filter(|t| t.token.kind == TokenKind::Negator).count();
    let negators_differ = negators(&mine) != negators(&theirs);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut push = |part: &str, differs: bool| match pieces.last_mut() {
        _ if part.is_empty() => {}
        Some(last) if last.differs == differs => last.text.push_str(part),
        _ => pieces.push(Piece { text: part.to_owned(), differs }),
    };
    let mut done = 0;
    for t in &mine.tokens {
        let differs = match t.token.kind {
            TokenKind::Negator => negators_differ,
            _ => !theirs.stems.contains(&t.stem),
        };
        push(&text[done..t.token.range.start], false);
        push(&text[t.token.range.clone()], differs);
        done = t.token.range.end;
    }
    push(&text[done..], false);
    pieces
}

/// Whether the rules understand what two texts differ in: they know English.
pub fn can_read(one: &Words, other: &Words) -> bool {
    foreign::can_read(one, other)
}

/// A denial of an entry that words which should say it lack.
pub(crate) fn denial_lost(meant: &Words, said: &Words) -> Option<String> {
    lost::denial(&View::of(meant), &View::of(said))
}

/// A text without double negations: "never without" is "always with".
pub(crate) fn undoubled(text: &str) -> String {
    negation::undoubled(text)
}

/// Whether a text denies anything.
pub(crate) fn denies(words: &Words) -> bool {
    negation::denies(&View::of(words))
}

/// Whether each of two texts affirms what the other denies.
pub(crate) fn trade_denials(one: &Words, other: &Words) -> bool {
    negation::traded(&View::of(one), &View::of(other))
}

/// Whether one text denies everything except what the other restricts itself to: "reads no other file", "the only file that it reads".
pub(crate) fn keeps_to(denying: &Words, keeping: &Words) -> bool {
    negation::keeps_to(&View::of(denying), &View::of(keeping))
}

/// Whether a text has a word with a negative meaning, such as "fails".
pub(crate) fn is_negative(words: &Words) -> bool {
    negation::is_negative(&View::of(words))
}

/// Whether a word is one of grammar: which of those is used may depend on how a sentence is built.
pub(crate) fn is_grammar(word: &str) -> bool {
    frame::is_grammar(word)
}

/// Whether a word makes no difference where it is the only extra word.
pub(crate) fn is_weightless(word: &str) -> bool {
    frame::is_weightless(word)
}

/// Whether two stems are opposites.
pub(crate) fn opposite(a: &str, b: &str) -> bool {
    opposites::opposite(a, b)
}

/// Whether one of two stems can be said in place of the other.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    senses::alike(a, b)
}

/// The stem of a lower-case English word.
pub(crate) fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// An ordinary word, not a path, a name or a number: only these have opposites. Clause ends such as "before" do not occur among them.
fn is_word(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Plain | TokenKind::ClauseEnd)
}

/// A token with its stem.
struct Stemmed<'a> {
    token: &'a Token,
    stem: String,
}

/// The words of a text with their stems.
struct View<'a> {
    tokens: Vec<Stemmed<'a>>,
    stems: HashSet<String>,
}

impl<'a> View<'a> {
    fn of(words: &'a Words) -> View<'a> {
        let tokens = words.tokens();
        let stemmed = |(at, token): (usize, &'a Token)| {
            // "30s" and "30 seconds" have the same words.
            let counted = at.checked_sub(1).is_some_and(|before| tokens[before].kind == TokenKind::Number);
            let word = if counted { full_name(&token.lower).unwrap_or(&token.lower) } else { &token.lower };
            let stem = if word.is_ascii() && token.kind != TokenKind::Number { stem(word) } else { word.to_owned() };
            Stemmed { token, stem }
        };
        let tokens: Vec<Stemmed<'a>> = tokens.iter().enumerate().map(stemmed).collect();
        let stems = tokens.iter().filter(|t| t.token.kind != TokenKind::Negator).map(|t| t.stem.clone()).collect();
        View { tokens, stems }
    }

    /// The places of the clause around one.
    fn clause_around(&self, at: usize) -> Range<usize> {
        let from = self.tokens[..at].iter().rposition(|t| t.token.is_clause_end()).map_or(0, |end| end + 1);
        from..self.clause_end(at)
    }

    /// The end of the clause that contains a place.
    fn clause_end(&self, from: usize) -> usize {
        self.tokens[from..].iter().position(|t| t.token.is_clause_end()).map_or(self.tokens.len(), |end| from + end + 1)
    }

    /// Tokens that the other text lacks, without negators.
    fn only(&self, other: &View<'_>) -> Vec<&Stemmed<'a>> {
        self.tokens.iter().filter(|t| t.token.kind != TokenKind::Negator && !other.stems.contains(&t.stem)).collect()
    }
}

/// Each text names a path, an identifier or a name that the other lacks.
fn names(mine: &[&Stemmed<'_>], theirs: &[&Stemmed<'_>]) -> Option<Hit> {
    let list = |side: &[&Stemmed<'_>], there: &[&Stemmed<'_>]| {
        let is_set = |token: &Token| there.iter().any(|other| is_set_otherwise(&token.lower, &other.token.lower));
        words_of(side, |t| t.kind == TokenKind::Exact && !is_set(t))
    };
    let (older, newer) = (list(mine, theirs), list(theirs, mine));
    (!older.is_empty() && !newer.is_empty()).then_some(Hit { kind: HitKind::Other, older, newer })
}

fn words_of(side: &[&Stemmed<'_>], which: impl Fn(&Token) -> bool) -> String {
    side.iter().filter(|t| which(t.token)).map(|t| t.token.lower.as_str()).collect::<Vec<_>>().join(" ")
}
