//! Quantities: a number with its unit, however it is written. "30s" is half of "1 minute", and ten megabytes are not ten gigabytes.

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Time,
    Months,
    Bytes,
    Share,
    Pixels,
}

use super::is_listed;
use Measure::{Bytes, Months, Pixels, Share, Time};

/// Units, the smallest of a measure first: their names, the first of which represents all, what they measure, and how many of the measure's
/// smallest unit they are. A month has no fixed number of days.
const UNITS: [(&str, Measure, f64); 17] = [
    ("ns nanosecond nanoseconds", Time, 1.0),
    ("us µs μs microsecond microseconds", Time, 1e3),
    ("ms msec msecs millisecond milliseconds", Time, 1e6),
    ("s sec secs second seconds", Time, 1e9),
    ("minute min mins minutes", Time, 60e9),
    ("h hr hrs hour hours", Time, 3_600e9),
    ("d day days", Time, 86_400e9),
    ("week weeks", Time, 604_800e9),
    ("month months", Months, 1.0),
    ("year years", Months, 12.0),
    ("byte bytes", Bytes, 1.0),
    ("kb kib kilobyte kilobytes", Bytes, 1_024.0),
    ("mb mib megabyte megabytes", Bytes, 1_048_576.0),
    ("gb gib gigabyte gigabytes", Bytes, 1_073_741_824.0),
    ("tb tib terabyte terabytes", Bytes, 1_099_511_627_776.0),
    ("% percent", Share, 1.0),
    ("px pixel pixels", Pixels, 1.0),
];
/// Words after a number that multiply it; "3x" is three times.
const SCALES: [(&str, f64); 7] =
    [("x", 1.0), ("dozen", 12.0), ("hundred", 1e2), ("k", 1e3), ("thousand", 1e3), ("million", 1e6), ("billion", 1e9)];
/// Words for numbers, so that "three" and "3" are one token. "one" is left out: it is mostly a pronoun.
const NUMBERS: [(&str, &str); 24] = [
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
    ("dozen", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("twice", "2"),
    ("thrice", "3"),
];

/// Halves of a day, after a time, and how they are written.
const HALVES: [(&str, &str); 2] = [("am", "a.m"), ("pm", "p.m")];

/// The half of a day that a word in lower case names.
pub(crate) fn half_of_day(word: &str) -> Option<&'static str> {
    HALVES.iter().find(|(half, dotted)| [*half, *dotted].contains(&word)).map(|(half, _)| *half)
}

/// A time of day: "14:00" and "2pm" are both "2:00" of the second half. Without a half the day has 24 hours.
fn time_of_day(word: &str) -> Option<Quantity> {
    let digits = word.find(|c: char| !(c.is_ascii_digit() || c == ':')).unwrap_or(word.len());
    let (time, half) = (&word[..digits], &word[digits..]);
    let (hour, minutes) = time.split_once(':').unwrap_or((time, "00"));
    let half = half_of_day(half).map(Some).or_else(|| half.is_empty().then_some(None))?;
    let is_time = (half.is_some() || time.contains(':')) && matches!(hour.len(), 1 | 2) && minutes.len() == 2;
    let (hour, minutes) = hour.parse::<u8>().ok().zip(minutes.parse::<u8>().ok()).filter(|_| is_time)?;
    if hour > 23 || minutes > 59 || half.is_some() && !(1..=12).contains(&hour) {
        return None;
    }
    let unit = half.unwrap_or(if hour < 12 { "am" } else { "pm" });
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    Some(Quantity { number: format!("{hour}:{minutes:02}"), unit: Some(unit) })
}

/// The digits of a number in words, in lower case.
pub(crate) fn spelled_number(word: &str) -> Option<&'static str> {
    NUMBERS.iter().find(|(spelled, _)| *spelled == word).map(|(_, digits)| *digits)
}

/// The name that represents all names of a unit, whatever marks are around the word.
pub(crate) fn unit_of(word: &str) -> Option<&'static str> {
    names_of(&word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_lowercase()).map(first)
}

/// The full name of the unit that a word in lower case names.
pub(crate) fn full_name(word: &str) -> Option<&'static str> {
    names_of(word).and_then(|names| names.split(' ').next_back())
}

/// Whether a word in lower case names a number of bytes.
pub(super) fn is_of_bytes(word: &str) -> bool {
    UNITS.iter().any(|(names, measure, _)| *measure == Bytes && is_listed(names, word))
}

fn names_of(word: &str) -> Option<&'static str> {
    UNITS.iter().map(|(names, ..)| *names).find(|names| is_listed(names, word))
}

/// The number that a word begins with, without separators and multiplied by what follows it, and the rest of the word.
pub(crate) fn leading_number(word: &str) -> Option<(String, &str)> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '_'))).unwrap_or(word.len());
    let (number, rest) = word.split_at(end);
    let number = plain(number.trim_end_matches(['.', ',', ':']));
    match scaled(&number, rest) {
        Some(scaled) => Some((scaled, "")),
        None => Some((number, rest)),
    }
}

/// A number with its unit, in one form for every way to write it: "60s" is one minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// Digits as a rule.
    pub(crate) number: String,
    /// The largest unit that gives a whole number.
    pub(crate) unit: Option<&'static str>,
}

impl Quantity {
    pub(crate) fn of(number: &str, unit: Option<&'static str>) -> Quantity {
        let of = |unit: &str| UNITS.iter().find(|(names, ..)| first(names) == unit);
        let Some(((_, measure, size), number)) = unit.and_then(of).zip(number.parse::<f64>().ok()) else {
            return Quantity { number: number.to_owned(), unit };
        };
        let total = number * size;
        let of_measure = || UNITS.iter().filter(|(_, of, _)| of == measure);
        let whole = of_measure().rev().find(|(_, _, size)| (total / size).fract() == 0.0).or_else(|| of_measure().next());
        let (names, _, size) = whole.unwrap_or(&UNITS[0]);
        Quantity { number: (total / size).to_string(), unit: Some(first(names)) }
    }

    /// A word that is a number; `None` if it is not one, or is not understood. The letter of a version says nothing about its number.
    pub(super) fn read(lower: &str) -> Option<Quantity> {
        if let Some(digits) = spelled_number(lower) {
            return Some(Quantity::of(digits, None));
        }
        if let Some((tens, ones)) = lower.split_once('-').and_then(|(tens, ones)| spelled_number(tens).zip(spelled_number(ones))) {
            let both = (tens.len() == 2 && tens.ends_with('0') && ones.len() == 1).then(|| format!("{}{ones}", &tens[..1]));
            return both.map(|number| Quantity::of(&number, None));
        }
        if let Some(time) = time_of_day(lower) {
            return Some(time);
        }
        let (number, rest) = leading_number(lower.trim_start_matches(['v', '~']))?;
        // A hyphen may precede the unit, as in "30-second".
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        let unit = unit_of(rest).filter(|_| rest.chars().all(|c| c.is_alphabetic() || c == '%'));
        (rest.is_empty() || unit.is_some()).then(|| Quantity::of(&number, unit))
    }

    /// A number, as from [`Quantity::read`], together with the next word, if that is a unit or multiplies it.
    pub(super) fn joined(number: &str, behind: &str) -> Option<Quantity> {
        let number = if number == "one" { "1" } else { number };
        if !number.chars().all(|c| c.is_ascii_digit() || c == '.') || number.parse::<f64>().is_err() {
            return None;
        }
        if let Some(half) = half_of_day(behind) {
            return time_of_day(&format!("{number}{half}"));
        }
        let scaled = scaled(number, behind).map(|number| Quantity::of(&number, None));
        scaled.or_else(|| Some(Quantity::of(number, Some(unit_of(behind)?))))
    }
}

/// The name that represents all names of a unit.
fn first(names: &'static str) -> &'static str {
    names.split(' ').next().unwrap_or_default()
}

fn scaled(number: &str, scale: &str) -> Option<String> {
    let (_, times) = SCALES.iter().find(|(word, _)| *word == scale)?;
    number.parse::<f64>().ok().map(|number| (number * times).to_string())
}

/// Digits without separators of thousands and without a zero fraction. With several points it is a version.
fn plain(number: &str) -> String {
    let mut groups = number.split('.').next().unwrap_or_default().split(',');
    let grouped = groups.next().is_some_and(|first| first.len() <= 3) && groups.all(|group| group.len() == 3);
    let separates = |c: char| c == '_' || c == ',' && grouped;
    let digits: String = number.chars().filter(|c| !separates(*c)).collect();
    match digits.split_once('.') {
        Some((whole, fraction)) if fraction.chars().all(|c| c == '0') => whole.to_owned(),
        _ => digits,
    }
}

#[cfg(test)]
mod tests {
    use crate::words::Words;

    #[test]
    fn one_quantity_has_one_form_and_another_has_another() {
        let lower = |text: &str| Words::of(text).tokens().iter().map(|token| token.lower.clone()).collect::<Vec<_>>().join(" ");
        for (text, expected) in [
            ("5MB | 5 MB | 5 megabytes | 5,120 KB", "5 mb 5 mb 5 megabytes 5 mb"),
            ("500ms | 500 ms | 0.5 s | 30s | 30 seconds", "500 ms 500 ms 500 ms 30 s 30 seconds"),
            ("a 30-second wait | 60 seconds | one minute | 24h | one day", "a 30 s wait 1 minute 1 minute 1 d 1 day"),
            ("10% | 10 percent | 12 months | 1 year", "10 % 10 percent 1 year 1 year"),
            ("2.5 % | 2.5 px | 1.5 months | 0.5 ns", "2.5 % 2.5 px 1.5 months 0.5 ns"),
            ("10k | 10_000 | 10,000 | 10 thousand | two hundred", "10000 10000 10000 10000 200"),
            ("1.5 million | 1,500,000 | 1.0 | 3x | three | twenty-five", "1500000 1500000 1 3 3 25"),
            ("v3.12 | 3.12 | v1.4.2 | 1.80 | 80,4433", "3.12 3.12 1.4.2 1.80 80,4433"),
            ("2 pm | 2pm | 14:00 | 2 p.m. | 2:00 pm | 02:00", "2:00 pm 2:00 pm 2:00 pm 2:00 pm 2:00 pm 2:00 am"),
            ("0:30 | 12:30 am | 12:30 | 13 pm | 1:1 | 25:00", "12:30 am 12:30 am 12:30 pm 13 pm 1:1 25:00"),
            ("has zero retries | there are no retries | zero values count | zero", "has no retries there are no retries 0 values count 0"),
            ("try 3, seconds count | one of us | -5 s | 5th", "try 3 seconds count one of us -5 s 5th"),
        ] {
            assert_eq!(lower(text), expected, "{text}");
        }
    }
}
