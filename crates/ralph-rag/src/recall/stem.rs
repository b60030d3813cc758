//! The stem of a word as SQLite's full-text tables make it (`porter`; Porter 1980, rule by rule as in `fts5_tokenize.c`), so that an index
//! in memory finds what the tables find.

/// Bytes above which a word is its own stem.
const LONGEST: usize = 64;

/// When a suffix is replaced, by the number of vowels followed by consonants in what precedes it.
#[derive(Clone, Copy, PartialEq)]
enum When {
    One,
    Two,
    TwoAfterSOrT,
}

/// Suffix, its replacement, and when. Only the first suffix that a word ends in is considered.
type Rule = (&'static [u8], &'static [u8], When);

const SECOND: [Rule; 21] = [
    (b"ational", b"ate", When::One),
    (b"tional", b"tion", When::One),
    (b"enci", b"ence", When::One),
    (b"anci", b"ance", When::One),
    (b"izer", b"ize", When::One),
    (b"logi", b"log", When::One),
    (b"bli", b"ble", When::One),
    (b"alli", b"al", When::One),
    (b"entli", b"ent", When::One),
    (b"eli", b"e", When::One),
    (b"ousli", b"ous", When::One),
    (b"ization", b"ize", When::One),
    (b"ation", b"ate", When::One),
    (b"ator", b"ate", When::One),
    (b"alism", b"al", When::One),
    (b"iveness", b"ive", When::One),
    (b"fulness", b"ful", When::One),
    (b"ousness", b"ous", When::One),
    (b"aliti", b"al", When::One),
    (b"iviti", b"ive", When::One),
    (b"biliti", b"ble", When::One),
];
const THIRD: [Rule; 7] = [
    (b"ical", b"ic", When::One),
    (b"ness", b"", When::One),
    (b"icate", b"ic", When::One),
    (b"iciti", b"ic", When::One),
    (b"ful", b"", When::One),
    (b"ative", b"", When::One),
    (b"alize", b"al", When::One),
];
const FOURTH: [Rule; 19] = [
    (b"al", b"", When::Two),
    (b"ance", b"", When::Two),
    (b"ence", b"", When::Two),
    (b"er", b"", When::Two),
    (b"ic", b"", When::Two),
    (b"able", b"", When::Two),
    (b"ible", b"", When::Two),
    (b"ant", b"", When::Two),
    (b"ement", b"", When::Two),
    (b"ment", b"", When::Two),
    (b"ent", b"", When::Two),
    (b"ion", b"", When::TwoAfterSOrT),
    (b"ou", b"", When::Two),
    (b"ism", b"", When::Two),
    (b"ate", b"", When::Two),
    (b"iti", b"", When::Two),
    (b"ous", b"", When::Two),
    (b"ive", b"", When::Two),
    (b"ize", b"", When::Two),
];

/// Stems a lower-case word in place. On bytes, since a doubled byte at the end is removed whatever it belongs to.
pub(super) fn stem(word: &mut Vec<u8>) {
    if word.len() < 3 || word.len() > LONGEST {
        return;
    }
    plural(word);
    past(word);
    if let [before @ .., b'y'] = word.as_slice()
        && has_vowel(before)
    {
        *word.last_mut().expect("it ends in y") = b'i';
    }
    for rules in [&SECOND[..], &THIRD, &FOURTH] {
        apply(word, rules);
    }
    if let [before @ .., b'e'] = word.as_slice()
        && (measure(before) > 1 || (measure(before) == 1 && !is_short(before)))
    {
        word.pop();
    }
    if word.ends_with(b"ll") && measure(&word[..word.len() - 1]) > 1 {
        word.pop();
    }
}

fn plural(word: &mut Vec<u8>) {
    let cut = match word.as_slice() {
        [_, .., b's', b's', b'e', b's'] | [_, .., b'i', b'e', b's'] => 2,
        [.., b'e', b's'] => 1,
        [.., b's', b's'] => 0,
        [.., b's'] => 1,
        _ => 0,
    };
    word.truncate(word.len() - cut);
}

fn past(word: &mut Vec<u8>) {
    let before = |cut: usize| &word[..word.len() - cut];
    let cut = if word.len() > 3 && word.ends_with(b"eed") {
        if measure(before(3)) > 0 {
            word.pop();
        }
        return;
    } else if word.len() > 2 && word.ends_with(b"ed") && has_vowel(before(2)) {
        2
    } else if word.len() > 3 && word.ends_with(b"ing") && has_vowel(before(3)) {
        3
    } else {
        return;
    };
    word.truncate(word.len() - cut);
    if word.len() > 2 && [b"at", b"bl", b"iz"].iter().any(|end| word.ends_with(*end)) {
        word.push(b'e');
        return;
    }
    match word.as_slice() {
        [.., a, b] if a == b && !is_vowel(*b, false) && !matches!(b, b'l' | b's' | b'z') => {
            word.pop();
        }
        whole if measure(whole) == 1 && is_short(whole) => word.push(b'e'),
        _ => {}
    }
}

/// Looks at the first suffix that the word ends in.
fn apply(word: &mut Vec<u8>, rules: &[Rule]) {
    let [.., last, _] = word.as_slice() else { return };
    let last = *last;
    let ends = |(suffix, ..): &&Rule| suffix[suffix.len() - 2] == last && word.len() > suffix.len() && word.ends_with(suffix);
    let Some((suffix, by, when)) = rules.iter().find(ends) else { return };
    let before = &word[..word.len() - suffix.len()];
    let holds = match when {
        When::One => measure(before) > 0,
        When::Two => measure(before) > 1,
        When::TwoAfterSOrT => matches!(before.last(), Some(b's' | b't')) && measure(before) > 1,
    };
    if holds {
        word.truncate(word.len() - suffix.len());
        word.extend_from_slice(by);
    }
}

fn is_vowel(byte: u8, after_consonant: bool) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u') || (after_consonant && byte == b'y')
}

fn has_vowel(word: &[u8]) -> bool {
    word.iter().enumerate().any(|(at, byte)| is_vowel(*byte, at > 0))
}

/// How often vowels are followed by consonants, counted to two.
fn measure(word: &[u8]) -> u32 {
    let (mut found, mut consonant, mut vowels) = (0, false, false);
    for byte in word {
        consonant = !is_vowel(*byte, consonant);
        if consonant && vowels {
            found += 1;
            if found == 2 {
                break;
            }
        }
        vowels = !consonant;
    }
    found
}

/// Whether a word ends in consonant, vowel, consonant, the last none of w, x and y.
fn is_short(word: &[u8]) -> bool {
    if matches!(word.last(), None | Some(b'w' | b'x' | b'y')) {
        return false;
    }
    let (mut mask, mut consonant) = (0_u8, false);
    for byte in word {
        consonant = !is_vowel(*byte, consonant);
        mask = mask << 1 | u8::from(consonant);
    }
    mask & 7 == 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_porter_s() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("feed", "feed"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("filing", "file"),
            ("happy", "happi"),
            ("relational", "relat"),
            ("sensibiliti", "sensibl"),
            ("triplicate", "triplic"),
            ("hopefulness", "hope"),
            ("adoption", "adopt"),
            ("controlling", "control"),
            ("retry", "retri"),
            ("is", "is"),
            ("übungen", "übungen"),
        ] {
            let mut word = word.as_bytes().to_vec();
            stem(&mut word);
            assert_eq!(String::from_utf8(word).unwrap(), expected);
        }
    }

    #[test]
    fn a_long_word_is_its_own_stem() {
        let mut word = [b"x".repeat(60), b"running".to_vec()].concat();
        let whole = word.clone();
        stem(&mut word);
        assert_eq!(word, whole);
    }
}
