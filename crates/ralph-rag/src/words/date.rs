//! Dates: "5 March 2026", "March 5th, 2026", "05.03.2026" and "2026-03-05" are one day.

use super::{Token, TokenKind, is_listed};

/// The months in English, German, Spanish and French.
const MONTHS: [&str; 12] = [
    "january jan januar enero janvier",
    "february feb februar febrero février",
    "march mar märz marzo mars",
    "april apr abril avril",
    "may mai mayo",
    "june jun juni junio juin",
    "july jul juli julio juillet",
    "august aug agosto août",
    "september sep sept septiembre septembre",
    "october oct oktober octubre octobre",
    "november nov noviembre novembre",
    "december dec dezember diciembre décembre",
];

/// Turns each date into one number, in the form of ISO 8601. Dates with slashes mean different days in different countries, and are left as
/// they are.
pub(super) fn join(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        if let Some((parts, date)) = date_at(&tokens[at..]) {
            let last = &tokens[at + parts - 1];
            let (end, ends_clause) = (last.range.end, last.ends_clause);
            let first = &mut tokens[at];
            (first.lower, first.kind, first.range.end, first.ends_clause) = (date, TokenKind::Number, end, ends_clause);
            tokens.drain(at + 1..at + parts);
        }
        at += 1;
    }
}

/// The date that begins here, and how many tokens it takes.
fn date_at(tokens: &[Token]) -> Option<(usize, String)> {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str());
    let (first, second, third) = (word(0)?, word(1).unwrap_or_default(), word(2).unwrap_or_default());
    let iso = |year: &str, month: usize, day: u8| format!("{year}-{month:02}-{day:02}");
    if let Some((year, month, day)) = dotted(first) {
        return Some((1, iso(year, month, day)));
    }
    if let Some(((day, month), year)) = day_of(first).zip(month_of(second)).zip(year_of(third)) {
        return Some((3, iso(year, month, day)));
    }
    let (parts, day, year) = match day_of(second).zip(year_of(third)) {
        Some((day, year)) => (3, Some(day), year),
        None => (2, None, year_of(second)?),
    };
    let month = month_of(first).filter(|_| !tokens[0].ends_clause)?;
    Some((parts, day.map_or_else(|| format!("{year}-{month:02}"), |day| iso(year, month, day))))
}

/// "05.03.2026".
fn dotted(word: &str) -> Option<(&str, usize, u8)> {
    let mut parts = word.split('.');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    Some((year_of(year)?, month, day_of(day)?)).filter(|_| parts.next().is_none())
}

fn month_of(word: &str) -> Option<usize> {
    MONTHS.iter().position(|names| is_listed(names, word)).map(|at| at + 1)
}

fn day_of(word: &str) -> Option<u8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day) && digits.len() <= 2)
}

fn year_of(word: &str) -> Option<&str> {
    (word.len() == 4 && word.chars().all(|c| c.is_ascii_digit()) && (word.starts_with("19") || word.starts_with("20"))).then_some(word)
}

#[cfg(test)]
mod tests {
    use crate::words::Words;

    #[test]
    fn a_day_has_one_form() {
        let lower = |text: &str| Words::of(text).tokens().iter().map(|token| token.lower.clone()).collect::<Vec<_>>().join(" ");
        for (text, expected) in [
            ("since 5 March 2026, on March 5th, 2026. Then", "since 2026-03-05 on 2026-03-05 then"),
            ("am 5. März 2026 | 05.03.2026 | 2026-03-05 | Mar 5 2026", "am 2026-03-05 2026-03-05 2026-03-05 2026-03-05"),
            ("in May 2026 | you may 5 times | 5 may fail", "in 2026-05 you may 5 times 5 may fail"),
            ("we march. 2026 rows | 3/4/2026 | 1.4.20 | 10.20.2026", "we march 2026 rows 3/4/2026 1.4.20 10.20.2026"),
        ] {
            assert_eq!(lower(text), expected, "{text}");
        }
        let words = Words::of("It froze on 5 March 2026, so wait");
        assert!(words.tokens()[3].ends_clause && words.tokens()[3].range == (12..24), "{words:?}");
    }
}
