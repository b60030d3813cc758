//! Comparisons and sums: "at least 5" must not become "at most 5", nor `3 × retry` `3 + retry`, in whatever words.

use super::names::figure;
use crate::guard::{is_grammar, is_weightless, stem};
use crate::words::{is_clause_end, is_listed, is_negator, spelled_number};
use std::ops::Range;

/// How a left side compares to a right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Less,
    AtMost,
    AtLeast,
    More,
    Same,
    Unlike,
}

use Sign::{AtLeast, AtMost, Less, More, Same, Unlike};

/// Signs, and the words for them before the figure; longer ones first.
const BEFORE: [(&str, Sign); 46] = [
    ("no fewer than", AtLeast),
    ("no less than", AtLeast),
    ("not less than", AtLeast),
    ("not fewer than", AtLeast),
    ("no more than", AtMost),
    ("not more than", AtMost),
    ("no longer than", AtMost),
    ("no larger than", AtMost),
    ("no later than", AtMost),
    ("minimum of", AtLeast),
    ("maximum of", AtMost),
    ("at least", AtLeast),
    ("at most", AtMost),
    ("up to", AtMost),
    ("more than", More),
    ("greater than", More),
    ("larger than", More),
    ("bigger than", More),
    ("longer than", More),
    ("higher than", More),
    ("newer than", More),
    ("later than", More),
    ("less than", Less),
    ("fewer than", Less),
    ("smaller than", Less),
    ("shorter than", Less),
    ("lower than", Less),
    ("older than", Less),
    ("earlier than", Less),
    ("over", More),
    ("above", More),
    ("beyond", More),
    ("exceed", More),
    ("exceeds", More),
    ("exceeding", More),
    ("under", Less),
    ("below", Less),
    ("<=", AtMost),
    ("≤", AtMost),
    (">=", AtLeast),
    ("≥", AtLeast),
    ("==", Same),
    ("!=", Unlike),
    ("≠", Unlike),
    ("<", Less),
    (">", More),
];
/// Words for them after the figure: "5 or more".
const BEHIND: [(&str, Sign); 20] = [
    ("at least", AtLeast),
    ("at most", AtMost),
    ("as a minimum", AtLeast),
    ("as a maximum", AtMost),
    ("or more", AtLeast),
    ("or newer", AtLeast),
    ("or later", AtLeast),
    ("or higher", AtLeast),
    ("or above", AtLeast),
    ("or greater", AtLeast),
    ("and newer", AtLeast),
    ("and later", AtLeast),
    ("and above", AtLeast),
    ("and up", AtLeast),
    ("or less", AtMost),
    ("or fewer", AtMost),
    ("or lower", AtMost),
    ("or older", AtMost),
    ("or earlier", AtMost),
    ("or below", AtMost),
];
/// Words around them among which the figure is looked for.
const REACH: usize = 4;
/// Words that state a bound in yet another way, so that none is missed.
const BOUND: &str = "limit limits limited maximum max minimum cap caps capped only exceed exceeds threshold newer older later earlier allow allows \
    accept accepts beyond over above under below more fewer less within until";
/// Signs of sums, each with the words for it.
const SUMS: [(&str, &str); 4] = [
    ("+", "plus sum added add adds"),
    ("-", "minus less subtract subtracted subtracts difference deducted"),
    ("*", "times multiplied multiply multiplies twice double doubled thrice triple product multiple"),
    ("/", "divided divide divides half quarter third per ratio"),
];

/// A word or a sign of a text.
#[derive(Debug)]
struct Part {
    range: Range<usize>,
    lower: String,
    ends_clause: bool,
}

/// Two things that are compared; what a figure is compared with does not matter.
#[derive(Debug)]
struct Comparison {
    left: Option<String>,
    sign: Sign,
    right: String,
    /// As written.
    told: String,
}

/// An operator between two things.
#[derive(Debug)]
struct Sum {
    left: String,
    sign: &'static str,
    right: String,
    told: String,
}

/// The comparisons and sums of a text.
pub(super) struct Formulas {
    comparisons: Vec<Comparison>,
    sums: Vec<Sum>,
    words: Vec<String>,
    /// Whether something else is denied besides them.
    denies: bool,
    /// The text without their signs and the words for them.
    pub(super) rest: String,
}

impl Formulas {
    pub(super) fn of(text: &str) -> Formulas {
        let parts = parts(text);
        let mut found = Formulas { comparisons: Vec::new(), sums: Vec::new(), words: Vec::new(), denies: false, rest: String::new() };
        let mut gone: Vec<Range<usize>> = Vec::new();
        for at in 0..parts.len() {
            if gone.last().is_some_and(|last| parts[at].range.start < last.end) {
                continue;
            }
            let before = || compared(text, &parts, at, number);
            let behind = || compared_behind(text, &parts, at);
            let words = || compared(text, &parts, at, |word| Some(word.to_owned()));
            if let Some((comparison, ranges)) = before().or_else(behind).or_else(words) {
                found.comparisons.push(comparison);
                gone.extend(ranges.into_iter().flatten());
            } else if let Some(sum) = sum(text, &parts, at) {
                found.sums.push(sum);
                gone.push(parts[at].range.clone());
            }
        }
        gone.sort_by_key(|range| range.start);
        let left = || parts.iter().filter(|part| !gone.iter().any(|range| range.contains(&part.range.start)));
        found.denies = left().any(|part| is_negator(&part.lower));
        found.words = parts.iter().map(|part| part.lower.clone()).collect();
        let mut from = 0;
        for range in gone {
            found.rest.push_str(text.get(from..range.start).unwrap_or_default());
            from = from.max(range.end);
        }
        found.rest.push_str(&text[from..]);
        found
    }

    fn has_any(&self, listed: &str) -> bool {
        self.words.iter().any(|word| is_listed(listed, word))
    }
}

/// What became of the comparisons and sums of an entry, one sentence each without the entry's key.
pub(super) fn changed(entry: &str, said: &str) -> Vec<String> {
    let (meant, now) = (Formulas::of(entry), Formulas::of(said));
    let mut faults: Vec<String> = meant.comparisons.iter().filter_map(|comparison| comparison_lost(comparison, &meant, &now)).collect();
    let has_figure = |figure: &str| meant.words.iter().any(|word| number(word).as_deref() == Some(figure));
    let added =
        now.comparisons.iter().filter(|one| has_figure(&one.right) && !meant.comparisons.iter().any(|other| one.right == other.right));
    faults.extend(added.filter(|_| !meant.has_any(BOUND)).map(|one| format!("says {} without \"{}\"", one.right, one.told)));
    faults.extend(meant.sums.iter().filter_map(|sum| sum_lost(sum, &now)));
    faults
}

fn comparison_lost(meant: &Comparison, entry: &Formulas, said: &Formulas) -> Option<String> {
    let about: Vec<(&Comparison, Sign)> = said.comparisons.iter().filter_map(|now| Some((now, meant.seen_in(now)?))).collect();
    if about.iter().any(|(_, sign)| *sign == meant.sign) {
        return None;
    }
    match about.first() {
        // "Refuses more than 5", "does not accept more than 5": what is denied is compared the other way round.
        Some(_) if entry.denies != said.denies => None,
        Some((now, _)) => Some(format!("says \"{}\", and not \"{}\"", meant.told, now.told)),
        // "Over" and "above" are also used for places and choices.
        None if !is_figure(&meant.right) && meant.told.starts_with(char::is_alphabetic) => None,
        None if said.has_any(BOUND) || said.comparisons.iter().any(|now| now.sign == meant.sign) => None,
        None => Some(format!("says \"{}\", which is lost", meant.told)),
    }
}

impl Comparison {
    /// The sign of another comparison of the same things, in this one's order.
    fn seen_in(&self, other: &Comparison) -> Option<Sign> {
        if is_figure(&self.right) || is_figure(&other.right) {
            return (self.right == other.right).then_some(other.sign);
        }
        let same = |one: &Option<String>, other: &str| one.as_ref().is_some_and(|one| stem(one) == stem(other));
        if same(&other.left, self.left.as_deref()?) && stem(&self.right) == stem(&other.right) {
            return Some(other.sign);
        }
        (same(&self.left, &other.right) && same(&other.left, &self.right)).then(|| mirrored(other.sign))
    }
}

fn sum_lost(meant: &Sum, said: &Formulas) -> Option<String> {
    let ordered = matches!(meant.sign, "-" | "/");
    let straight = said.sums.iter().find(|now| now.left == meant.left && now.right == meant.right);
    let turned = said.sums.iter().find(|now| now.left == meant.right && now.right == meant.left);
    match (straight, turned) {
        (Some(now), _) if now.sign == meant.sign => None,
        (_, Some(now)) if now.sign == meant.sign && !ordered => None,
        (Some(now), _) | (_, Some(now)) => Some(format!("says \"{}\", and not \"{}\"", meant.told, now.told)),
        (None, None) => {
            let words = SUMS.iter().find(|(sign, _)| *sign == meant.sign).map_or("", |(_, words)| words);
            let there = said.has_any(words) || said.sums.iter().any(|now| now.sign == meant.sign);
            (!there).then(|| format!("says \"{}\", which is lost", meant.told))
        }
    }
}

/// The parts of a text that state a comparison: its words, and what denies it.
type Taken = [Option<Range<usize>>; 2];

/// A comparison whose sign begins at a part, and the parts of the text that state it; `right` says whether a word can be its right side.
fn compared(text: &str, parts: &[Part], at: usize, right: impl Fn(&str) -> Option<String>) -> Option<(Comparison, Taken)> {
    let (len, sign) = BEFORE.iter().find_map(|(words, sign)| Some((begins(&parts[at..], words)?, *sign)))?;
    let (last, negator) = (&parts[at + len - 1], negator_before(parts, at));
    let behind = parts[at + len..].iter().take(REACH).filter(|part| !last.ends_clause && says(&part.lower));
    let (behind, right) = behind.into_iter().find_map(|part| Some((part, right(&part.lower)?)))?;
    let sign = if negator.is_some() { denied(sign) } else { sign };
    let told = text[parts[at].range.start..behind.range.end].to_owned();
    let said = parts[at].range.start..last.range.end;
    if is_figure(&right) {
        return Some((Comparison { left: None, sign, right, told }, [Some(said), negator.map(|at| parts[at].range.clone())]));
    }
    let left = parts[..at].iter().rev().take_while(|part| !part.ends_clause).find(|part| says(&part.lower))?;
    let is_word = last.lower.contains(char::is_alphabetic);
    let comparison = match number(&left.lower).filter(|_| !is_word) {
        Some(number) => Comparison { left: None, sign: mirrored(sign), right: number, told },
        None => Comparison { left: Some(left.lower.clone()), sign, right, told },
    };
    // "Below the limit" may also be a place.
    Some((comparison, [(!is_word).then_some(said), None]))
}

/// A comparison whose words follow its figure.
fn compared_behind(text: &str, parts: &[Part], at: usize) -> Option<(Comparison, Taken)> {
    let (len, sign) = BEHIND.iter().find_map(|(words, sign)| Some((begins(&parts[at..], words)?, *sign)))?;
    let figure = parts[..at].iter().rev().take(REACH).find(|part| number(&part.lower).is_some())?;
    let end = parts[at + len - 1].range.end;
    let told = text[figure.range.start..end].to_owned();
    let comparison = Comparison { left: None, sign, right: number(&figure.lower)?, told };
    Some((comparison, [Some(parts[at].range.start..end), None]))
}

fn sum(text: &str, parts: &[Part], at: usize) -> Option<Sum> {
    let operator = |part: &Part| match part.lower.as_str() {
        "×" | "*" => Some("*"),
        "÷" | "/" => Some("/"),
        "−" | "-" => Some("-"),
        "+" => Some("+"),
        _ => None,
    };
    let sign = operator(&parts[at])?;
    let (left, right) = (parts.get(at.checked_sub(1)?)?, parts.get(at + 1)?);
    let is_operand = |part: &Part| part.lower.contains(char::is_alphanumeric);
    // Between words, a dash or a slash belongs to the sentence.
    let near = |at: Option<usize>| at.and_then(|at| parts.get(at)).is_some_and(|part| operator(part).is_some() || part.lower == "=");
    let in_formula = matches!(sign, "+" | "*") || near(at.checked_sub(2)) || near(Some(at + 2));
    (is_operand(left) && is_operand(right) && in_formula).then(|| Sum {
        left: left.lower.clone(),
        sign,
        right: right.lower.clone(),
        told: text[left.range.start..right.range.end].to_owned(),
    })
}

/// The position of a negator before a part in its clause.
fn negator_before(parts: &[Part], at: usize) -> Option<usize> {
    let clause = (0..at).rev().take_while(|at| !parts[*at].ends_clause && !is_clause_end(&parts[*at].lower));
    clause.into_iter().find(|at| is_negator(&parts[*at].lower))
}

fn begins(parts: &[Part], words: &str) -> Option<usize> {
    let len = words.split(' ').count();
    (parts.len() >= len && words.split(' ').zip(parts).all(|(word, part)| part.lower == word)).then_some(len)
}

/// Whether a word can be one side of a comparison.
fn says(word: &str) -> bool {
    number(word).is_some() || word.contains(char::is_alphanumeric) && !is_grammar(word) && !is_weightless(word)
}

fn number(word: &str) -> Option<String> {
    match word {
        "one" | "once" | "single" => Some("1".to_owned()),
        _ => spelled_number(word).map(str::to_owned).or_else(|| figure(word, "").map(|figure| figure.number)),
    }
}

fn is_figure(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn denied(sign: Sign) -> Sign {
    match sign {
        Less => AtLeast,
        AtMost => More,
        AtLeast => Less,
        More => AtMost,
        Same => Unlike,
        Unlike => Same,
    }
}

fn mirrored(sign: Sign) -> Sign {
    match sign {
        Less => More,
        AtMost => AtLeast,
        AtLeast => AtMost,
        More => Less,
        sign => sign,
    }
}

/// The words and signs of a text.
fn parts(text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut from = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = from;
        from += word.len();
        let word = word.trim_end();
        let mut at = start;
        for piece in pieces(word) {
            let edge = |c: char| matches!(c, '`' | '\'' | '"' | '(' | ')' | '[' | ']' | ',' | ';' | ':' | '.' | '?' | '“' | '”');
            let plain = piece.trim_matches(edge);
            let plain = if plain.len() > 1 { plain.trim_matches('*') } else { plain };
            let begin = at + piece.find(plain).unwrap_or_default();
            at += piece.len();
            if !plain.is_empty() {
                let ends_clause = piece.ends_with([',', ';', ':', '.', '!', '?', ')']);
                found.push(Part { range: begin..begin + plain.len(), lower: plain.to_lowercase(), ends_clause });
            }
        }
    }
    found
}

/// A word cut around the signs in it: `a<b`, `>=18`, `3*retry`.
fn pieces(word: &str) -> Vec<&str> {
    let arrow = ["->", "=>", "<-", "</", "/>", "<!"].iter().any(|arrow| word.contains(arrow)) || word.contains('<') && word.contains('>');
    let cut = |at: usize, len: usize| {
        let (before, rest) = word.split_at(at);
        let (sign, after) = rest.split_at(len);
        [before, sign, after].into_iter().filter(|piece| !piece.is_empty()).collect()
    };
    if arrow {
        return vec![word];
    }
    if let Some((at, sign)) = ["<=", ">=", "==", "!=", "≤", "≥", "≠", "×", "÷"].iter().find_map(|sign| Some((word.find(sign)?, sign)))
    {
        return cut(at, sign.len());
    }
    let within = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    for (at, sign) in word.match_indices(['<', '>', '+', '*']) {
        let (before, after) = (word[..at].chars().next_back(), word[at + 1..].chars().next());
        let compares =
            matches!(sign, "<" | ">") && before.is_none_or(|c| matches!(c, '`' | '(')) && after.is_some_and(|c| c.is_ascii_digit());
        if compares || within(before) && within(after) {
            return cut(at, 1);
        }
    }
    vec![word]
}
