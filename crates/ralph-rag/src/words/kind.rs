//! What a token is: a number, something exact, or an ordinary word.

use super::{Quantity, TokenKind, is_clause_end, is_negator};

/// The places of a switch.
const SWITCHES: [&str; 6] = ["true", "false", "on", "off", "enabled", "disabled"];

/// Whether two tokens set one thing to different numbers, or to different places of a switch: "DEBUG=0", "DEBUG=1".
pub(crate) fn is_set_otherwise(one: &str, other: &str) -> bool {
    let is_value = |value: &str| SWITCHES.contains(&value) || Quantity::read(value).is_some() || is_number(value);
    let (Some((name, one)), Some((same, other))) = (one.split_once('='), other.split_once('=')) else { return false };
    name == same && !name.is_empty() && one != other && is_value(one) && is_value(other)
}

/// What a token is; `quoted` if it is in backticks.
pub(super) fn kind_of(token: &str, lower: &str, quoted: bool, sentence_start: bool) -> TokenKind {
    if !quoted && is_negator(lower) {
        return TokenKind::Negator;
    }
    if !quoted && is_clause_end(lower) {
        return TokenKind::ClauseEnd;
    }
    if Quantity::read(lower).is_some() || is_number(lower) {
        return TokenKind::Number;
    }
    // In code, too, a switch is no name: what is `true` is not `false`.
    if SWITCHES.contains(&lower) {
        return TokenKind::Plain;
    }
    if quoted || is_exact(token) || (!sentence_start && is_name(token)) { TokenKind::Exact } else { TokenKind::Plain }
}

/// Whether a text is a sentence entirely in capitals, which then do not indicate a name.
pub(super) fn is_shouted(text: &str) -> bool {
    // As many words may be a name.
    const NAME: usize = 3;
    let mut letters = text.chars().filter(|c| c.is_alphabetic()).peekable();
    let in_capitals = letters.peek().is_some() && letters.all(char::is_uppercase);
    in_capitals && !text.contains('`') && text.split_whitespace().count() > NAME
}

/// The same text in small letters, each of as many bytes: places in one are places in the other.
pub(super) fn in_small_letters(text: &str) -> String {
    let small = |c: char| c.to_lowercase().next().filter(|small| c.to_lowercase().len() == 1 && small.len_utf8() == c.len_utf8());
    text.chars().map(|c| small(c).unwrap_or(c)).collect()
}

/// Whether a token is a number: digits with at most a sign or letter before ("v18", "$5") and a unit of three letters after.
fn is_number(lower: &str) -> bool {
    let digits = lower.trim_start_matches(['v', '$', '€', '£', '~', '#', '+', '-', '=', '<', '>', '≤', '≥']);
    if lower.len() - digits.len() > 4 || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '_' | '-' | '/'));
    unit.chars().count() <= 3 && unit.chars().all(|c| c.is_alphabetic() || c == '%')
}

/// Whether a token is a path, an identifier or a number by its shape.
fn is_exact(token: &str) -> bool {
    let mut previous = ' ';
    let mut alphanumeric = false;
    for c in token.chars() {
        if c.is_ascii_digit() || matches!(c, '*' | '/' | '\\' | '_' | '@' | '#' | '$' | '=' | '-' | '.' | ':' | '+' | '%' | '&') {
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
/// Words in capitals only for emphasis are not names.
fn is_name(token: &str) -> bool {
    const EMPHASIS: [&str; 10] = ["ALWAYS", "MUST", "ONLY", "ALL", "DO", "USE", "AND", "OR", "I", "IMPORTANT"];
    token.chars().next().is_some_and(char::is_uppercase) && !EMPHASIS.contains(&token)
}

#[cfg(test)]
mod tests {
    use crate::words::Words;

    #[test]
    fn in_a_sentence_in_capitals_no_word_is_a_name() {
        let exact = |text: &str| Words::of(text).exact_words().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(exact("NEVER MOCK THE SYSTEM CLOCK IN TESTS!"), "");
        assert_eq!(exact("SET LOCK_TIMEOUT TO 3 BEFORE MIGRATING"), "3 lock_timeout");
        assert_eq!(exact("ÄNDERE NIE DIE UHR IN ÜBERGABETESTS"), "");
        assert_eq!(exact("НИКОГДА НЕ МЕНЯЙ ЧАСЫ В ТЕСТАХ"), "");
        assert_eq!(exact("在 DB 中 先 锁定 表"), "db", "a name among words without capitals");
        assert_eq!((exact("Use ALTER TABLE"), exact("Call `SET ROLE`")), ("alter table".to_owned(), "role set".to_owned()));
    }
}
