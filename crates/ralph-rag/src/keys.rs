//! Keys: finding equal and opposite texts by an index instead of comparing with everything known.

use crate::words::Words;

/// Version of the rules about words that keys are made from; incrementing it recomputes all keys.
pub const VERSION: u32 = 4;

/// Percentage of the content words that are looked up, and how many are added: two texts that differ in at most three words of ten, plus a
/// pair of opposites, share one of them.
const SHARE_PERCENT: usize = 30;
const EXTRA: usize = 4;

/// The keys under which a text is stored: a number for each of its words.
pub fn of(text: &str) -> Vec<i64> {
    of_words(&Words::of(text))
}

/// The same of a text whose words were read already.
pub fn of_words(words: &Words) -> Vec<i64> {
    sorted(words.distinct().map(number).collect())
}

/// The keys to look up a text by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryKeys {
    /// The keys.
    pub keys: Vec<i64>,
    /// Whether a text must have all of them: then they are paths, identifiers, names and numbers, without which the subject differs.
    /// Otherwise it must have one, and those with the most come first.
    pub all: bool,
}

/// The keys shared by every text that says the same as this one, or the opposite.
pub fn wanted(text: &str) -> QueryKeys {
    wanted_by(&Words::of(text))
}

/// The same of a text whose words were read already.
pub fn wanted_by(words: &Words) -> QueryKeys {
    let exact: Vec<i64> = words.exact_words().map(number).collect();
    if !exact.is_empty() {
        return QueryKeys { keys: sorted(exact), all: true };
    }
    let content = words.by_length();
    if content.is_empty() {
        // Words without content are compared verbatim.
        return QueryKeys { keys: of_words(words), all: true };
    }
    let count = (content.len() * SHARE_PERCENT).div_ceil(100) + EXTRA;
    QueryKeys { keys: sorted(content.into_iter().take(count).map(number).collect()), all: false }
}

fn sorted(mut keys: Vec<i64>) -> Vec<i64> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// FNV-1a: the same in every version and on every machine, since it is stored.
fn number(word: &str) -> i64 {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    i64::from_ne_bytes(hash.to_ne_bytes())
}

#[cfg(test)]
impl QueryKeys {
    /// Whether a text with these keys is worth comparing: what the database answers.
    pub(crate) fn is_met_by(&self, keys: &[i64]) -> bool {
        let has = |key: &i64| keys.binary_search(key).is_ok();
        if self.all { self.keys.iter().all(has) } else { self.keys.iter().any(has) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relation::Relation;

    fn found(a: &str, b: &str) -> bool {
        wanted(a).is_met_by(&of(b))
    }

    #[test]
    fn what_says_the_same_or_the_opposite_is_found() {
        for (a, b) in [
            ("Never mock the clock in tests", "Mock the clock in tests"),
            ("Use pnpm, never npm", "Use npm, never pnpm"),
            ("Refunds use the provider clock", "refunds use the provider clock."),
            ("All of it", "all  of it"),
            ("Retry the upload three times before giving up", "Retry the upload 3 times before giving up"),
        ] {
            assert!(found(a, b) && found(b, a), "{a} | {b}");
        }
        assert!(!found("Sums are kept in cents", "The linter wants sorted imports"));
        assert!(!found("Reload the cache of m1.rs after a change", "Reload the cache of m2.rs after a change"), "another name");
    }

    /// Whoever changes how words are read increments the version, and writes the new sum here.
    #[test]
    fn the_keys_of_a_version_stay() {
        let texts = crate::calibrate::pairs().iter().flat_map(|pair| [pair.a, pair.b]);
        let more =
            ["At 14:00 or 2 pm it has zero retries", "60 seconds, v3.12, 5,120 KB and 10 thousand rows in src/db/read.rs", "a dozen"];
        let sum = texts.chain(more).flat_map(of).fold(0_i64, |sum, key| sum.rotate_left(1) ^ key);
        assert_eq!((VERSION, sum), (4, -2_981_697_483_580_020_988));
    }

    /// No two of the shipped texts that are equal or opposite by their words miss each other.
    #[test]
    fn no_related_pair_of_the_shipped_texts_is_missed() {
        let texts: Vec<&str> = crate::calibrate::pairs().iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let words: Vec<Words> = texts.iter().map(|text| Words::of(text)).collect();
        let stored: Vec<Vec<i64>> = texts.iter().map(|text| of(text)).collect();
        let mut related = 0;
        for (a, text) in texts.iter().enumerate() {
            let wanted = wanted(text);
            for b in (0..texts.len()).filter(|b| *b != a) {
                if words[a].relation(&words[b]) != Relation::Distinct {
                    related += 1;
                    assert!(wanted.is_met_by(&stored[b]), "{text} | {}", texts[b]);
                }
            }
        }
        assert!(related > 20, "the texts reach both relations: {related}");
    }
}
