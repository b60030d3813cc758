//! "As" that says what something is used as: "run it as root". Before a clause it gives a reason, and ends the clause before it.

use super::{Token, TokenKind, is_listed};

const ARTICLES: [&str; 3] = ["a", "an", "the"];
/// Words before a place or a purpose, which may follow a role.
const PREPOSITIONS: &str = "in on at by for from with without of to under inside within during";
/// Words that begin a clause, or that are a part of one.
const OF_CLAUSES: &str = "it its they them he she we you i this that these those there one as well soon long far much many if though \
    is are was were be been being am has have had do does did will would can could may might must shall should";
/// Words of a role, and of the phrase after it.
const MOST: usize = 2;

/// Has each "as" before a role end no clause.
pub(super) fn join(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        if tokens[at].lower == "as"
            && tokens[at].kind == TokenKind::ClauseEnd
            && !tokens[at].ends_clause
            && leads_to_a_role(&tokens[at + 1..])
        {
            tokens[at].kind = TokenKind::Plain;
        }
    }
}

fn leads_to_a_role(behind: &[Token]) -> bool {
    let end = behind.iter().position(|t| t.kind == TokenKind::ClauseEnd).unwrap_or(behind.len());
    let end = behind[..end].iter().position(|t| t.ends_clause).map_or(end, |last| last + 1);
    let clause = &behind[..end];
    let article = clause.first().filter(|t| ARTICLES.contains(&t.lower.as_str()));
    let phrase = &clause[usize::from(article.is_some())..];
    let (role, rest) = phrase.split_at(phrase.iter().position(|t| is_listed(PREPOSITIONS, &t.lower)).unwrap_or(phrase.len()));
    let is_of_clause = |t: &Token| t.kind == TokenKind::Negator || is_listed(OF_CLAUSES, &t.lower);
    let names = match role {
        [_] => true,
        // "As tests fail", "as caching helps", "as caching helped".
        [first, last] => {
            let is_verb = last.lower.ends_with('s') || last.lower.ends_with("ed");
            let is_plural = first.lower.ends_with('s') && article.is_none();
            last.kind == TokenKind::Exact || !is_verb && !is_plural
        }
        _ => false,
    };
    names && rest.len() <= MOST + 1 && !clause.iter().any(is_of_clause)
}

#[cfg(test)]
mod tests {
    use crate::words::{TokenKind, Words};

    #[test]
    fn a_role_is_no_clause() {
        for (text, expected) in [
            ("It must not be run as root", true),
            ("It must not be run as root.", true),
            ("It must not be started as root in CI", true),
            ("It must not act as owner, as it can drop tables", true),
            ("Do not run it as a service account", true),
            ("Store dates as strings", true),
            ("Write it as plain text", true),
            ("Do not mock the clock as tests fail", false),
            ("Do not mock the clock as a mock lies", false),
            ("Do not mock the clock as mocks hide failures", false),
            ("Do not print the log as it is secret", false),
            ("Do not print the log as the log is public", false),
            ("Do not edit it as code in gen is overwritten", false),
            ("Do not cache it as caching helped nothing", false),
            ("Retry as soon as the lease expires", false),
            ("Keep the lock as long as needed", false),
            ("Pin the clock as well", false),
        ] {
            let words = Words::of(text);
            let first = words.tokens().iter().find(|t| t.lower == "as").map(|t| t.kind == TokenKind::Plain);
            assert_eq!(first, Some(expected), "{text}");
        }
    }
}
