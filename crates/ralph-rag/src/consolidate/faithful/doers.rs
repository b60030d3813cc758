//! Who does what to whom, in plain words: "the importer calls the exporter" has become "the exporter calls the importer".
//!
//! Sentences may be rebuilt, and then the guard finds no two of the same shape to compare; so names are compared by their roles.

use super::coverage::{is_word, says, tells};
use crate::consolidate::units::statements;
use crate::guard::stem;
use crate::words::{Token, TokenKind, Words, is_listed};
use std::collections::BTreeSet;

/// Mutual words: each side does the same to the other.
const MUTUAL: &str = "differ equal conflict match share disagree meet interfere collide agree overlap correspond";
/// Words that begin another clause; after "which" and "that" the clause before them continues.
const CLAUSES: &str = "but because since so as when if while until otherwise then and unless or hence therefore where once";
const PREPOSITIONS: &str = "to of in on at by for from with within inside into onto over under through via against between before after until \
    without during than";
const ARTICLES: &str = "the a an its our their this these those every each any all";
/// Words after which something happens to what precedes them.
const PASSIVE: &str = "is are was were be been being gets get got";
/// Words before the verb among which they are looked for.
const PASSIVE_WITHIN: usize = 3;
/// Words of a clause beyond which nothing is compared: no sentence is that long.
const MAX_WORDS: usize = 40;

/// What something does, and how another thing relates to that.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Deed {
    one: String,
    does: String,
    other: String,
    passive: bool,
    preposition: Option<String>,
}

impl Deed {
    fn turned(&self) -> Deed {
        Deed { one: self.other.clone(), other: self.one.clone(), ..self.clone() }
    }

    /// Whether both are done by the same thing to the same thing, in whatever form.
    fn is(&self, other: &Deed) -> bool {
        (&self.one, &self.does, &self.other) == (&other.one, &other.does, &other.other)
    }
}

/// What the rewording reverses, without the entry's key.
pub(super) fn turned(entry: &str, said: &str) -> Option<String> {
    let (meant, now) = (Clauses::of(entry), Clauses::of(said));
    let (deeds, there) = (meant.deeds(), now.deeds());
    let turned = deeds.iter().find(|deed| {
        deed.one != deed.other && !is_listed(MUTUAL, &deed.does) && !there.iter().any(|now| now.is(deed)) && there.contains(&deed.turned())
    });
    if let Some(deed) = turned {
        let [one, does, other] = [&deed.one, &deed.does, &deed.other].map(|stem| meant.word(stem));
        return Some(format!("says that \"{one}\" stands before \"{does}\" and \"{other}\" behind it, and not the other way round"));
    }
    let (owned, owned_now) = (meant.owned(), now.owned());
    owned.iter().find_map(|(thing, owner)| {
        if owned_now.contains(&(thing.clone(), owner.clone())) {
            return None;
        }
        let (_, other) =
            owned_now.iter().find(|(now, other)| now == thing && meant.have(other) && !owned.contains(&(other.clone(), now.clone())))?;
        let [thing, owner, other] = [thing, owner, other].map(|stem| meant.word(stem));
        Some(format!("says \"{thing} of {owner}\", and not \"{thing} of {other}\""))
    })
}

/// The clauses of a text.
struct Clauses(Vec<Vec<Token>>);

impl Clauses {
    fn of(text: &str) -> Clauses {
        let statements = statements(text);
        let words = match &statements[..] {
            [] => vec![Words::of(text)],
            some => some.iter().map(|statement| Words::of(&statement.text)).collect(),
        };
        let begins = |token: &Token| is_word(token) && is_listed(CLAUSES, &token.lower);
        let of_words = |words: &Words| -> Vec<Vec<Token>> {
            words.tokens().chunk_by(|one, next| !one.ends_clause && !begins(next)).map(<[Token]>::to_vec).collect()
        };
        Clauses(words.iter().flat_map(of_words).filter(|clause| clause.len() <= MAX_WORDS).collect())
    }

    fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.0.iter().flatten()
    }

    fn have(&self, of: &str) -> bool {
        self.tokens().any(|token| is_named(token) && stem(&token.lower) == of)
    }

    /// The word of a stem, as written.
    fn word(&self, of: &str) -> String {
        self.tokens().find(|token| stem(&token.lower) == of).map_or_else(|| of.to_owned(), |token| token.lower.clone())
    }

    fn deeds(&self) -> BTreeSet<Deed> {
        self.0.iter().flat_map(|clause| (0..clause.len()).flat_map(move |at| deeds_of(clause, at))).collect()
    }

    /// Things with what they belong to, as far as the word "of" says so.
    fn owned(&self) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        for clause in &self.0 {
            for at in 1..clause.len().saturating_sub(1) {
                if clause[at].lower == "of" && is_named(&clause[at - 1]) {
                    let behind = clause[at + 1..].iter().take_while(|token| !is_listed(PREPOSITIONS, &token.lower));
                    found.extend(behind.take(3).find(|token| is_named(token)).map(|of| (stem(&clause[at - 1].lower), stem(&of.lower))));
                }
            }
        }
        found
    }
}

/// The words on both sides of a word that may be a verb.
fn deeds_of(clause: &[Token], at: usize) -> Vec<Deed> {
    let verb = &clause[at];
    let is_noun = at > 0
        && is_word(&clause[at - 1])
        && (is_listed(ARTICLES, &clause[at - 1].lower) || is_listed(PREPOSITIONS, &clause[at - 1].lower));
    if !says(verb) || is_noun {
        return Vec::new();
    }
    let form = ["ed", "en", "n", "t"].iter().any(|end| verb.lower.ends_with(end));
    let passive = form && clause[at.saturating_sub(PASSIVE_WITHIN)..at].iter().any(|token| is_listed(PASSIVE, &token.lower));
    let before: Vec<String> = clause[..at].iter().filter(|token| is_named(token)).map(|token| stem(&token.lower)).collect();
    let (mut found, mut preposition, mut beside) = (Vec::new(), None, true);
    for token in &clause[at + 1..] {
        if is_word(token) && is_listed(PREPOSITIONS, &token.lower) {
            (preposition, beside) = (Some(token.lower.clone()), true);
        } else if is_named(token) {
            // Adjacent words name one thing.
            preposition = preposition.filter(|_| beside);
            let deed = |one: &String| Deed {
                one: one.clone(),
                does: stem(&verb.lower),
                other: stem(&token.lower),
                passive,
                preposition: preposition.clone(),
            };
            found.extend(before.iter().map(deed));
            beside = true;
        } else {
            beside &= is_listed(ARTICLES, &token.lower);
        }
    }
    found
}

/// Whether a word names something; numbers are compared on their own.
fn is_named(token: &Token) -> bool {
    token.kind == TokenKind::Exact || tells(token)
}
