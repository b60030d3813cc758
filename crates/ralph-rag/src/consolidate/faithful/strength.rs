//! How strongly an entry says what it says: "never" must not become "rarely", nor "sometimes" "always", and no entry may be put where the
//! text calls it wrong.

use super::introduction::sentences;
use crate::guard::denial_lost;
use crate::words::Words;

/// Words weaker than an order or a plain statement.
const HEDGES: [&str; 38] = [
    "rarely",
    "seldom",
    "sometimes",
    "occasionally",
    "usually",
    "mostly",
    "often",
    "generally",
    "typically",
    "normally",
    "ideally",
    "preferably",
    "optionally",
    "optional",
    "maybe",
    "perhaps",
    "possibly",
    "probably",
    "might",
    "allegedly",
    "supposedly",
    "reportedly",
    "apparently",
    "arguably",
    "if possible",
    "where possible",
    "when possible",
    "need not",
    "not always",
    "not necessarily",
    "rumoured",
    "rumored",
    "rumour",
    "believed to",
    "claimed",
    "some say",
    "some people",
    "try to",
];
/// Words for what happens now and then.
const POSSIBLE: [&str; 3] = ["may", "could", "might"];
/// Words for what never happens, or must not.
const NOBODY_MAY: [&str; 6] = ["nobody may", "no one may", "may not", "may never", "must not", "nothing may"];
/// Words of an entry that leave no choice.
const ORDERS: [&str; 8] = ["must", "always", "never", "required", "mandatory", "forbidden", "cannot", "can't"];
/// Other words that leave none.
const AS_STRONG: [&str; 20] = [
    "must",
    "always",
    "never",
    "required",
    "requires",
    "require",
    "mandatory",
    "forbidden",
    "cannot",
    "can't",
    "needs",
    "need",
    "has to",
    "have to",
    "do not",
    "don't",
    "only",
    "impossible",
    "unless",
    "without",
];
/// Words that leave a choice.
const WEAK: [&str; 4] = ["should", "could", "can", "may"];
/// Words that leave out cases, or keep only some.
const EXCEPT: [&str; 7] = ["except", "apart from", "other than", "save for", "only", "solely", "exclusively"];
/// Words that keep only some.
const EXCLUSIVE: [&str; 3] = ["only", "solely", "exclusively"];
/// Other words that keep only some.
const AS_EXCLUSIVE: [&str; 9] = ["only", "solely", "exclusively", "just", "nothing but", "alone", "unless", "single", "except"];
/// Signs of what is wrong or forbidden.
const CROSSES: [char; 8] = ['❌', '❎', '✗', '✘', '✖', '🚫', '⛔', '👎'];
/// Words for all of them, and for some.
const ALL: [&str; 8] = ["all", "every", "each", "any", "always", "everything", "everyone", "whole"];
const SOME: [&str; 10] = ["not all", "not every", "not each", "most", "some", "several", "many", "certain", "partly", "half of"];
/// Words for "some", where a denial holds for some.
const NOT_ALL: [&str; 3] = ["not all", "not every", "not each"];
/// Words for one, and for one among several.
const ONE: [&str; 3] = ["one", "a single", "single"];
const ONE_OF: [&str; 4] = ["one of", "either", "any of", "or"];
/// Words that say that nothing is wrong with something, and other ways to say it.
const ASSURING: [&str; 8] = ["harmless", "safe", "safely", "fine", "unproblematic", "no problem", "not a problem", "no harm"];
const AS_SAFE: [&str; 10] = ["safe", "safely", "can", "may", "harmless", "no harm", "no risk", "without risk", "allowed", "freely"];
/// Other words that order something.
const ONLY_THEN: [&str; 5] = ["only after", "only when", "only once", "only if", "only then"];
/// Words that are followed by an exception.
const EXCEPTING: [&str; 6] = ["except", "unless", "apart from", "save for", "other than", "but not"];
/// How many words after them are searched for the exception.
const EXCEPTED: usize = 5;
/// Words that say that what is beside or below them no longer holds.
const DISCREDIT: [&str; 35] = [
    "outdated",
    "out of date",
    "obsolete",
    "deprecated",
    "superseded",
    "myth",
    "myths",
    "misconception",
    "misconceptions",
    "debunked",
    "disproved",
    "retracted",
    "untrue",
    "mistaken",
    "mistakenly",
    "no longer",
    "not true",
    "used to",
    "is wrong",
    "are wrong",
    "was wrong",
    "were wrong",
    "is false",
    "are false",
    "ignore this",
    "ignore the",
    "ignore these",
    "disregard",
    "not follow",
    "don't follow",
    "bad advice",
    "the opposite",
    "joke",
    "formerly",
    "historical",
];
/// Words by which a line beside entries revokes them. In an entry itself, "an incorrect header" is part of the advice.
const DISCREDIT_BESIDE: [&str; 7] = ["incorrect", "void", "reverted", "hold any more", "hold anymore", "apply any more", "nobody follows"];
/// Headings that say so by themselves.
const DISCREDITING_HEADINGS: [&str; 13] =
    ["wrong", "false", "not so", "archive", "archived", "history", "legacy", "rejected", "invalid", "removed", "trash", "ignore", "old"];
/// Words of a heading that say so, whatever is beside them.
const DISCREDITING_IN_HEADINGS: [&str; 11] = [
    "incorrect",
    "void",
    "reverted",
    "retired",
    "rejected proposals",
    "rejected ideas",
    "abandoned",
    "graveyard",
    "unverified",
    "rumours",
    "jokes",
];

/// Words that begin a heading which forbids what is below it.
const FORBIDDING: [&str; 5] = ["don't", "do not", "never", "no", "not"];
/// Words of a heading below which only denials are advice.
const WARNING: [&str; 10] = [
    "don'ts",
    "what not to",
    "anti pattern",
    "anti patterns",
    "antipatterns",
    "mistakes",
    "bad ideas",
    "bad practices",
    "got wrong",
    "counterexamples",
];

/// How the strength of an entry's words changed, one sentence each without the entry's key; empty = unchanged.
///
/// `all` is the entry with its title and its reason, whose words are known, too.
pub(super) fn changed(entry: &str, said: &str, all: &str) -> Vec<String> {
    let (meant, now, all) = (Plain::of(entry), Plain::of(said), Plain::of(all));
    let mut faults = Vec::new();
    if let Some(denied) = denial_lost(&Words::of(&super::plainly(entry)), &Words::of(&super::plainly(said))) {
        faults.push(format!("says \"{denied}\", which is lost"));
    }
    let hedged = meant.first(&HEDGES).or_else(|| meant.first(&POSSIBLE).filter(|_| meant.first(&NOBODY_MAY).is_none()));
    match (now.news(&HEDGES, &all), hedged) {
        (Some("might"), Some(_)) => {}
        (Some(hedge), _) if meant.first(&HEDGES).is_none() => faults.push(format!("says it without \"{hedge}\"")),
        (None, Some(hedge)) if now.first(&HEDGES).is_none() && now.first(&WEAK).is_none() => {
            faults.push(format!("says it only with \"{hedge}\""));
        }
        _ => {}
    }
    if let (Some(order), Some(weak)) = (meant.first(&ORDERS), now.main().first(&WEAK))
        && now.first(&AS_STRONG).is_none()
    {
        faults.push(format!("says \"{order}\", and not \"{weak}\""));
    }
    // "Must be signed after that" is "signed only after that".
    let restates = ONLY_THEN.iter().any(|words| now.has(words)) && meant.first(&ORDERS).is_some();
    let excepts = |word: &&str| if EXCLUSIVE.contains(word) { !restates } else { !all.has("unless") };
    let open = all.first(&EXCEPT).is_none() && !denies(entry) && meant.first(&["just", "nothing but", "alone"]).is_none();
    if let Some(word) = now.first(&EXCEPT).filter(|_| open).filter(excepts) {
        faults.push(format!("says it without \"{word}\""));
    }
    if let Some(word) = meant.main().first(&EXCLUSIVE).filter(|_| now.first(&AS_EXCLUSIVE).is_none() && !denies(said)) {
        faults.push(format!("says \"{word}\", which is lost"));
    }
    let asks = |text: &str| sentences(text).iter().any(|sentence| sentence.trim_end().ends_with('?'));
    if asks(said) && !asks(entry) {
        faults.push("says it, and does not ask".to_owned());
    }
    if let Some(cross) = said.chars().find(|c| CROSSES.contains(c)).filter(|_| !entry.contains(CROSSES)) {
        faults.push(format!("says it without \"{cross}\""));
    }
    faults.extend(now.exception_beside(&all).map(|exception| format!("says it without \"{exception}\"")));
    let (some, some_now) = (Plain::of(&super::plainly(entry)).first(&SOME), Plain::of(&super::plainly(said)).first(&SOME));
    match (some, some_now) {
        (None, Some(some)) if !all.has(some) => {
            let of_all = meant.first(&ALL).map_or("it of all".to_owned(), |word| format!("\"{word}\""));
            faults.push(format!("says {of_all}, and not \"{some}\""));
        }
        (Some(some), None) if hedged.is_none() && now.first(&HEDGES).is_none() => faults.push(format!("says \"{some}\", which is lost")),
        _ => {}
    }
    if let Some(word) = now.news(&DISCREDIT, &all) {
        faults.push(format!("is not told as \"{word}\""));
    }
    faults.extend(counted(&meant, &now, &all));
    if meant.has("safe to") && now.first(&AS_SAFE).is_none() {
        faults.push("says \"safe to\", which is lost".to_owned());
    }
    if let Some(word) = now.first(&ASSURING).filter(|_| all.first(&ASSURING).is_none() && !denies(entry) && !denies(said)) {
        faults.push(format!("says it without \"{word}\""));
    }
    faults
}

/// Whether one has become both, or both one of them.
fn counted(meant: &Plain, now: &Plain, all: &Plain) -> Option<String> {
    let one = meant.first(&ONE).filter(|_| now.has("both") && !all.has("both") && now.first(&ONE).is_none());
    let one_of = now.first(&ONE_OF).filter(|word| meant.has("both") && !now.has("both") && !now.has("and") && !all.has(word));
    one.map(|one| format!("says \"{one}\", and not \"both\"")).or_else(|| one_of.map(|of| format!("says \"both\", and not \"{of}\"")))
}

/// Whether a text denies something for some: "not all of them do".
pub(super) fn not_all(words: &Words) -> bool {
    Plain::of_words(words).first(&NOT_ALL).is_some()
}

/// Whether a text says that some do not.
pub(super) fn some_not(words: &Words) -> bool {
    Plain::of_words(words).has("some") && crate::guard::denies(words)
}

/// The words by which a text revokes what is beside it, unless the entries say them, too.
pub(super) fn discredits(text: &str, entries: &str) -> Option<&'static str> {
    Plain::of(text).news(&DISCREDIT, &Plain::of(entries)).or_else(|| takes_back(text, entries))
}

/// The words by which a line that introduces entries revokes them.
pub(super) fn takes_back(text: &str, entries: &str) -> Option<&'static str> {
    Plain::of(text).news(&DISCREDIT_BESIDE, &Plain::of(entries))
}

/// The heading that takes back what an entry says below it.
pub(super) fn discrediting<'h>(headings: &'h [String], entry: &str) -> Option<&'h str> {
    let meant = Plain::of(entry);
    let takes_back = |heading: &&String| {
        let plain = Plain::of(heading);
        let whole = DISCREDITING_HEADINGS.iter().any(|word| plain.0.trim() == *word && !meant.has(word));
        let said = plain.news(&DISCREDIT, &meant).or_else(|| plain.news(&DISCREDITING_IN_HEADINGS, &meant)).is_some();
        let forbids = FORBIDDING.iter().any(|word| plain.0.starts_with(&format!(" {word} "))) || plain.has("avoid");
        let warns = plain.first(&WARNING).is_some();
        let denied = (warns || denies(heading)) && (forbids || warns || !crate::guard::is_negative(&Words::of(entry)));
        whole || said || (denied && !denies(entry))
    };
    headings.iter().find(takes_back).map(String::as_str)
}

fn denies(text: &str) -> bool {
    crate::guard::denies(&Words::of(text))
}

/// A text in lower case, each word between blanks.
pub(super) struct Plain(String);

impl Plain {
    pub(super) fn of(text: &str) -> Plain {
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        let words = lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '≥' | '≤'))).filter(|word| !word.is_empty());
        // A count is exact by itself.
        Plain(format!(" {} ", words.collect::<Vec<_>>().join(" ")).replace(" only once ", " once "))
    }

    fn of_words(words: &Words) -> Plain {
        Plain::of(&words.tokens().iter().map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn has(&self, words: &str) -> bool {
        self.0.contains(&format!(" {words} "))
    }

    pub(super) fn first(&self, of: &[&'static str]) -> Option<&'static str> {
        of.iter().copied().find(|words| self.has(words))
    }

    /// The first of some words that is here but not there.
    pub(super) fn news(&self, of: &[&'static str], there: &Plain) -> Option<&'static str> {
        of.iter().copied().find(|words| self.has(words) && !there.has(words))
    }

    /// An exception that the other text does not mention: "unless you are in a hurry".
    fn exception_beside(&self, there: &Plain) -> Option<String> {
        let known = super::telling(&Words::of(&there.0));
        EXCEPTING.iter().find_map(|word| {
            let (_, behind) = self.0.split_once(&format!(" {word} "))?;
            let behind = behind.split_whitespace().take(EXCEPTED).collect::<Vec<_>>().join(" ");
            let stems = super::telling(&Words::of(&behind));
            (!stems.is_empty() && stems.iter().all(|stem| !known.contains(stem))).then(|| format!("{word} {behind}"))
        })
    }

    /// The words before the first "so that", "so", "else", "or" or "otherwise": what follows is a purpose or a consequence.
    fn main(&self) -> Plain {
        let ends = [" so ", " else ", " or ", " otherwise ", " because ", " since ", " when ", " if "];
        let end = ends.iter().filter_map(|end| self.0.find(end)).min().unwrap_or(self.0.len());
        Plain(format!("{} ", &self.0[..end]))
    }
}
