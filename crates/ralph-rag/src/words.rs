//! Words of a short text, as the duplicate rule sees them.
//!
//! A path, an identifier, a name or a number is one token and is *exact*: two texts that differ in one are about
//! different things, however alike the rest is. Losing a lesson is worse than keeping two.

use std::collections::{BTreeMap, BTreeSet};

/// Words that turn what follows in their clause around.
const NEGATORS: [&str; 14] =
    ["not", "no", "never", "none", "nor", "neither", "cannot", "without", "avoid", "unless", "except", "instead", "rather", "forbid"];

/// Words that end a clause, and with it the reach of a negator.
const CLAUSE_ENDS: [&str; 14] =
    ["but", "because", "since", "so", "as", "when", "if", "while", "which", "that", "until", "otherwise", "then", "and"];

/// Pairs that say the opposite of each other about the same subject.
const ANTONYMS: [(&str, &str); 33] = [
    ("before", "after"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("allow", "deny"),
    ("allow", "forbid"),
    ("allowed", "denied"),
    ("include", "exclude"),
    ("true", "false"),
    ("on", "off"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("increase", "decrease"),
    ("first", "last"),
    ("open", "close"),
    ("start", "stop"),
    ("add", "remove"),
    ("push", "pull"),
    ("required", "optional"),
    ("safe", "unsafe"),
    ("mutable", "immutable"),
    ("public", "private"),
    ("left", "right"),
    ("top", "bottom"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("older", "newer"),
    ("oldest", "newest"),
    ("faster", "slower"),
    ("more", "less"),
    ("more", "fewer"),
    ("up", "down"),
    ("ascending", "descending"),
    ("passes", "fails"),
];

/// Words for numbers, so that "three" and "3" are one token. "one" is left out: it is mostly a pronoun.
const NUMBERS: [(&str, &str); 13] = [
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("hundred", "100"),
];

/// The words of one text.
#[derive(Debug, Default, Clone)]
pub struct Words {
    /// Every token, lower case, negators left out.
    all: BTreeSet<String>,
    /// Tokens that count for Jaccard: longer than two characters, or exact.
    content: BTreeSet<String>,
    /// Paths, identifiers, names and numbers.
    exact: BTreeSet<String>,
    /// For each token whether it stands affirmed, negated, or both.
    stance: BTreeMap<String, Stance>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Stance {
    affirmed: bool,
    negated: bool,
}

/// How two texts relate by their words alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They say the same.
    Duplicate,
    /// They say the opposite about the same subject.
    Opposite,
    /// They say different things.
    Distinct,
}

/// Jaccard similarity above which two texts are about the same (issue: lexical dedupe).
pub const SAME_SUBJECT_JACCARD: f64 = 0.7;

impl Words {
    /// Reads the words of `text`.
    pub fn of(text: &str) -> Words {
        let mut words = Words::default();
        let mut negated = false;
        let mut sentence_start = true;
        let plain_quotes = text.replace(['\u{2019}', '\u{2018}'], "'");
        for raw in plain_quotes.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '—' | '–' | '|'))
        {
            let quoted = raw.contains('`');
            let token = raw.trim_matches(|c: char| matches!(c, '`' | '\'' | ',' | ';' | ':' | '.' | '!' | '?' | '*' | '<' | '>'));
            if token.is_empty() {
                negated &= raw.is_empty();
                continue;
            }
            let lower = token.to_lowercase();
            let is_negator = !quoted && (NEGATORS.contains(&lower.as_str()) || lower.ends_with("n't"));
            if is_negator {
                negated = !negated;
            } else if !quoted && CLAUSE_ENDS.contains(&lower.as_str()) {
                negated = false;
                words.all.insert(lower);
            } else {
                words.insert(token, lower, quoted, sentence_start, negated);
            }
            let last = raw.trim_end_matches(['`', '\'', '*']).chars().last().unwrap_or(' ');
            if matches!(last, ',' | ';' | ':' | '.' | '!' | '?') {
                negated = false;
            }
            sentence_start = matches!(last, '.' | '!' | '?' | ':');
        }
        words
    }

    fn insert(&mut self, token: &str, lower: String, quoted: bool, sentence_start: bool, negated: bool) {
        let lower = NUMBERS.iter().find(|(word, _)| *word == lower).map_or(lower, |(_, digits)| (*digits).to_owned());
        let exact = quoted || is_exact(token) || lower.bytes().all(|b| b.is_ascii_digit()) || (!sentence_start && is_name(token));
        if exact {
            self.exact.insert(lower.clone());
        }
        if exact || lower.chars().count() > 2 {
            self.content.insert(lower.clone());
        }
        let stance = self.stance.entry(lower.clone()).or_default();
        stance.affirmed |= !negated;
        stance.negated |= negated;
        self.all.insert(lower);
    }

    /// Jaccard similarity of the content words, in 0..=1; 0 when both are empty.
    pub fn jaccard(&self, other: &Words) -> f64 {
        let shared = self.content.intersection(&other.content).count();
        let either = self.content.len() + other.content.len() - shared;
        if either == 0 { 0.0 } else { shared as f64 / either as f64 }
    }

    /// The most telling words, at most `count`: paths, identifiers, names and numbers first, then the longest.
    pub fn telling(&self, count: usize) -> Vec<String> {
        let mut words: Vec<&String> = self.content.iter().collect();
        words.sort_by(|a, b| (self.exact.contains(*b), b.len(), *a).cmp(&(self.exact.contains(*a), a.len(), *b)));
        words.into_iter().take(count).cloned().collect()
    }

    /// How many content words both texts share: plain ones, and exact ones (paths, identifiers, names, numbers).
    pub fn shared(&self, other: &Words) -> (usize, usize) {
        let both: Vec<&String> = self.content.intersection(&other.content).collect();
        let exact = both.iter().filter(|t| self.exact.contains(**t) || other.exact.contains(**t)).count();
        (both.len() - exact, exact)
    }

    /// Whether one text names a path, identifier, name or number that the other does not contain at all.
    pub fn names_differ(&self, other: &Words) -> bool {
        self.exact.iter().any(|t| !other.all.contains(t)) || other.exact.iter().any(|t| !self.all.contains(t))
    }

    /// Whether the texts take opposite sides: a shared word is affirmed in one and negated in the other, or antonyms stand against each other.
    pub fn opposes(&self, other: &Words) -> bool {
        let turned = self.stance.iter().any(|(word, mine)| {
            self.content.contains(word)
                && other.stance.get(word).is_some_and(|theirs| {
                    (mine.affirmed && !mine.negated && theirs.negated && !theirs.affirmed)
                        || (mine.negated && !mine.affirmed && theirs.affirmed && !theirs.negated)
                })
        });
        turned || self.antonyms_against(other).next().is_some()
    }

    /// The antonym pairs of which each text holds one side: mine, theirs.
    fn antonyms_against<'a>(&'a self, other: &'a Words) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
        let both_ways = ANTONYMS.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        both_ways.filter(|(mine, theirs)| self.has_only(mine, theirs, other))
    }

    /// Jaccard similarity of the subject: antonyms that stand against each other are what is said, not what it is about.
    fn subject_jaccard(&self, other: &Words) -> f64 {
        let (mut mine, mut theirs) = (self.clone(), other.clone());
        for (a, b) in self.antonyms_against(other) {
            mine.content.remove(a);
            theirs.content.remove(b);
        }
        mine.jaccard(&theirs)
    }

    /// `mine` here and not there, `theirs` there and not here.
    fn has_only(&self, mine: &str, theirs: &str, other: &Words) -> bool {
        self.all.contains(mine) && !self.all.contains(theirs) && other.all.contains(theirs) && !other.all.contains(mine)
    }

    /// The content words that occur most often in `text` (the text these words are of), at most `count`, most frequent first.
    pub fn frequent(&self, text: &str, count: usize) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let lower = text.to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '-')) {
            let word = word.trim_matches(['.', '-']);
            if word.chars().count() > 3 && self.content.contains(word) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        words.into_iter().take(count).map(|(word, _)| word.to_owned()).collect()
    }

    /// How two texts relate.
    pub fn relation(&self, other: &Words) -> Relation {
        if self.content.is_empty() && other.content.is_empty() {
            return if self.all == other.all { Relation::Duplicate } else { Relation::Distinct };
        }
        if self.subject_jaccard(other) <= SAME_SUBJECT_JACCARD || self.names_differ(other) {
            return Relation::Distinct;
        }
        if self.opposes(other) { Relation::Opposite } else { Relation::Duplicate }
    }
}

/// Whether a token is a path, an identifier or a number by its shape.
fn is_exact(token: &str) -> bool {
    let mut previous = ' ';
    let mut alphanumeric = false;
    for c in token.chars() {
        if c.is_ascii_digit() || matches!(c, '/' | '\\' | '_' | '@' | '#' | '$' | '=' | '-' | '.' | ':' | '+' | '%' | '&') {
            return true;
        }
        if c.is_uppercase() && previous.is_lowercase() {
            return true;
        }
        alphanumeric |= c.is_alphanumeric();
        previous = c;
    }
    !alphanumeric
}

/// Whether a token in the middle of a sentence is a proper name or an abbreviation: it starts with a capital letter.
/// Words written in capitals for emphasis only are no names.
fn is_name(token: &str) -> bool {
    const EMPHASIS: [&str; 10] = ["ALWAYS", "MUST", "ONLY", "ALL", "DO", "USE", "AND", "OR", "I", "IMPORTANT"];
    token.chars().next().is_some_and(char::is_uppercase) && !EMPHASIS.contains(&token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(a: &str, b: &str) -> Relation {
        let (a, b) = (Words::of(a), Words::of(b));
        let forth = a.relation(&b);
        assert_eq!(forth, b.relation(&a), "the relation is symmetric");
        forth
    }

    #[test]
    fn the_same_lesson_in_other_case_or_with_small_words_changed_is_a_duplicate() {
        for (a, b) in [
            ("Run the migrations before the tests", "run the migrations before the tests."),
            ("Refund windows are compared in the provider time zone", "Refund windows get compared in the provider time zone"),
            ("Never mock the system clock in tests", "never mock the system clock in the tests"),
            ("Always run CI before merging", "always run ci before merging"),
            ("Retry refunds three times with backoff", "Retry refunds 3 times with backoff"),
            ("Send the notification after the payment settles", "Send a notification after the payment settles"),
            ("Do not use mocks here because they hide failures", "Don't use mocks here since they hide failures"),
        ] {
            assert_eq!(relation(a, b), Relation::Duplicate, "{a} | {b}");
        }
    }

    #[test]
    fn different_paths_identifiers_names_and_numbers_are_never_duplicates() {
        for (a, b) in [
            ("Settings are read from config.ts at start-up of the server", "Settings are read from settings.ts at start-up of the server"),
            ("Retry refunds 3 times with exponential backoff", "Retry refunds 5 times with exponential backoff"),
            ("Retry refunds two times with exponential backoff", "Retry refunds four times with exponential backoff"),
            ("Call getUser before any request to the server", "Call getAdmin before any request to the server"),
            ("The file src/db/read.rs holds all the queries", "The file src/db/write.rs holds all the queries"),
            ("Webhooks from Stripe are retried for three days", "Webhooks from Adyen are retried for three days"),
            ("The endpoint answers GET requests with a redirect", "The endpoint answers POST requests with a redirect"),
            ("Pass `alpha` to the builder of the index", "Pass `beta` to the builder of the index"),
            ("Tests need the port 8080 to be free", "Tests need the port to be free"),
        ] {
            assert_eq!(relation(a, b), Relation::Distinct, "{a} | {b}");
        }
    }

    #[test]
    fn opposite_polarity_is_a_conflict() {
        for (a, b) in [
            ("Never mock the clock in tests", "Mock the clock in tests"),
            ("Use pnpm, never npm", "Use npm, never pnpm"),
            ("Do not run the migrations by hand", "Run the migrations by hand"),
            ("The cache can be shared between workers", "The cache can't be shared between workers"),
            ("Run the migrations before the tests", "Run the migrations after the tests"),
            ("Always enable the query cache here", "Always disable the query cache here"),
            ("Use tabs instead of spaces in makefiles", "Use spaces instead of tabs in makefiles"),
        ] {
            assert_eq!(relation(a, b), Relation::Opposite, "{a} | {b}");
        }
    }

    #[test]
    fn notification_is_no_negation() {
        let words = Words::of("Notification settings are nothing but noted");
        assert!(words.stance.values().all(|s| !s.negated), "{words:?}");
    }

    #[test]
    fn empty_and_wordless_texts_do_not_panic() {
        assert_eq!(relation("", ""), Relation::Duplicate);
        assert_eq!(relation("...", "!!!"), Relation::Duplicate);
        assert_eq!(relation("a b", "a c"), Relation::Distinct);
        assert_eq!(relation("", "Use the clock"), Relation::Distinct);
    }
}
