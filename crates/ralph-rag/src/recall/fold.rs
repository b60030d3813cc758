//! Characters as SQLite's full-text tables see them (`unicode61`): what belongs to a word, and which letters are the same.
//!
//! The tables of letters without their marks are SQLite's own (`fts5_unicode2.c`, public domain).

use regex::Regex;
use std::sync::LazyLock;

/// Letters, numbers and private characters outside of ASCII.
static WORD_CHARACTER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}\p{Co}]$").expect("a fixed pattern"));

/// Whether a character belongs to a word.
pub(super) fn is_of_a_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { WORD_CHARACTER.is_match(c.encode_utf8(&mut [0; 4])) }
}

/// Whether a character is a mark on the letter before it, which does not end a word.
pub(super) fn is_mark(c: char) -> bool {
    match u32::from(c) {
        c @ 768..800 => 0x0802_9FDF_u32 >> (c - 768) & 1 == 1,
        c @ 800..=817 => 0x0003_61F8_u32 >> (c - 800) & 1 == 1,
        _ => false,
    }
}

/// The character in lower case.
pub(super) fn lower(c: char) -> char {
    match c {
        _ if c.is_ascii() => c.to_ascii_lowercase(),
        // Letters that fold although they are already in lower case.
        'µ' => 'μ',
        'ſ' => 's',
        'ς' => 'σ',
        _ => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}

/// A letter in lower case without its mark; `None` for a mark alone. A letter with two marks keeps them.
pub(super) fn plain(c: char) -> Option<char> {
    let c = lower(c);
    if c.is_ascii() {
        return Some(c);
    }
    let code = u32::from(c);
    let key = code << 3 | 7;
    let range = RANGES.partition_point(|range| u32::from(*range) <= key).saturating_sub(1);
    let (begin, letter) = (u32::from(RANGES[range]), char::from(LETTERS[range]));
    if letter.is_ascii_uppercase() || code > (begin >> 3) + (begin & 7) {
        return Some(c);
    }
    (letter != '-').then_some(letter)
}

/// First characters of ranges, times eight, and in the lowest three bits how many follow.
const RANGES: [u16; 126] = [
    0, 1797, 1848, 1859, 1891, 1928, 1940, 1995, 2024, 2040, 2060, 2110, 2168, 2206, 2264, 2286, 2344, 2383, 2472, 2488, 2516, 2596, 2668,
    2732, 2782, 2842, 2894, 2954, 2984, 3000, 3028, 3336, 3456, 3696, 3712, 3728, 3744, 3766, 3832, 3896, 3912, 3928, 3944, 3968, 4008,
    4040, 4056, 4106, 4138, 4170, 4202, 4234, 4266, 4296, 4312, 4344, 4408, 4424, 4442, 4472, 4488, 4504, 6148, 6198, 6264, 6280, 6360,
    6429, 6505, 6529, 61448, 61468, 61512, 61534, 61592, 61610, 61642, 61672, 61688, 61704, 61726, 61784, 61800, 61816, 61836, 61880,
    61896, 61914, 61948, 61998, 62062, 62122, 62154, 62184, 62200, 62218, 62252, 62302, 62364, 62410, 62442, 62478, 62536, 62554, 62584,
    62604, 62640, 62648, 62656, 62664, 62730, 62766, 62830, 62890, 62924, 62974, 63032, 63050, 63082, 63118, 63182, 63242, 63274, 63310,
    63368, 63390,
];

/// The letter of each range; a capital where its characters have two marks, `-` where they are marks.
const LETTERS: &[u8; 126] =
    b"-aceinouyyacdeeghijklnorstuuwyzouaiouUAgkoOjgnAaeiorusthaeOoOy--------abCddEeEfghhiIklLlmnOprRrsStuUvwwxyzhtwyaAAAeEEioOOOuUUy";
