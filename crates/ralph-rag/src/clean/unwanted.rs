//! A text that a person wants gone although no rule knows it as a secret: a password of an unknown form, the name of a customer.

use super::json::each_string;
use ralph_core::text::cut;
use regex::Regex;

/// Id of its mark.
pub(super) const ID: &str = "taken-out";
const MARK: &str = "[redacted:taken-out]";
/// Fewer characters occur in many words.
const SHORTEST: usize = 6;
/// Characters that its pattern may have.
const LONGEST: usize = 2_000;
/// Number of characters by which a piece of it is recognized where a text was cut.
const PIECE: usize = 10;
/// The mark where something was left out of a text.
const LEFT_OUT: char = '…';

/// Such a text. Its words are found in any case, whatever blanks are between them, and also where the end of a longer text was cut off.
#[derive(Debug)]
pub struct UnwantedText {
    whole: Regex,
    /// How it begins and ends; `None` if it is too short to be known by a piece.
    ends: Option<(Regex, Regex)>,
    /// In small letters, with single blanks.
    plain: String,
}

/// Why a text can't be removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnwantedFault {
    /// It would be found in the midst of other words.
    #[error("it has fewer than {SHORTEST} characters, which many words hold")]
    Short,
    /// Its pattern would be too large.
    #[error("it has more than {LONGEST} characters")]
    Long,
}

impl UnwantedText {
    /// A text as the person gives it.
    ///
    /// # Errors
    /// [`UnwantedFault`] if it is too short or too long to be searched for.
    pub fn of(text: &str) -> Result<UnwantedText, UnwantedFault> {
        let plain = plain(text);
        let chars: Vec<char> = plain.chars().collect();
        if chars.iter().filter(|c| !c.is_whitespace()).count() < SHORTEST {
            return Err(UnwantedFault::Short);
        }
        if chars.len() > LONGEST {
            return Err(UnwantedFault::Long);
        }
        let pattern = |chars: &[char]| pattern(&chars.iter().collect::<String>()).ok_or(UnwantedFault::Long);
        let ends = if chars.len() > PIECE { Some((pattern(&chars[..PIECE])?, pattern(&chars[chars.len() - PIECE..])?)) } else { None };
        Ok(UnwantedText { whole: pattern(&chars)?, ends, plain })
    }

    /// A text without it, and how often it was there.
    pub fn taken_out(&self, text: &str) -> (String, usize) {
        let mut count = self.whole.find_iter(text).count();
        let mut text = if count > 0 { self.whole.replace_all(text, MARK).into_owned() } else { text.to_owned() };
        // After a part was removed the rest is examined again, except for the mark, which may itself be a part of the unwanted text.
        while let Some((from, to)) = self.piece(&text).filter(|(from, to)| &text[*from..*to] != MARK) {
            text.replace_range(from..to, MARK);
            count += 1;
        }
        (text, count)
    }

    /// The same for one or many JSON documents, whose keys, times and ids stay.
    pub fn taken_out_of_json(&self, json: &str) -> (String, usize) {
        each_string(json, |string, is_key| if is_key || is_form(string) { (string.to_owned(), 0) } else { self.taken_out(string) })
    }

    /// Whether it is one word in lower case, like the names of states and kinds.
    pub fn may_be_a_word_of_ours(&self) -> bool {
        self.plain.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
    }

    /// Whether a text is this one and nothing else.
    pub fn is(&self, text: &str) -> bool {
        plain(text) == self.plain
    }

    /// Where its beginning or its end is found, the rest having been cut off.
    fn piece(&self, text: &str) -> Option<(usize, usize)> {
        let (first, last) = self.ends.as_ref()?;
        let begins = first.find_iter(text).find_map(|found| {
            let rest = &text[found.start()..];
            let end = rest.find(LEFT_OUT).unwrap_or(rest.len());
            let end = rest[..end].trim_end().len();
            self.plain.starts_with(&plain(&rest[..end])).then_some((found.start(), found.start() + end))
        });
        begins.or_else(|| {
            last.find_iter(text).find_map(|found| {
                let before = &text[..found.end()];
                let start = before.rfind(LEFT_OUT).map_or(0, |at| at + LEFT_OUT.len_utf8());
                let start = start + (before[start..].len() - before[start..].trim_start().len());
                self.plain.ends_with(&plain(&before[start..])).then_some((start, found.end()))
            })
        })
    }
}

fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a text in any case, with any blanks between them.
fn pattern(text: &str) -> Option<Regex> {
    let words: Vec<String> = text.split_whitespace().map(regex::escape).collect();
    Regex::new(&format!("(?i){}", words.join(r"\s+"))).ok()
}

/// An id, a time or a digest: no words.
fn is_form(string: &str) -> bool {
    let is_time = || cut(string, 11).ends_with('T') && string.ends_with('Z') && string.bytes().next().is_some_and(|b| b.is_ascii_digit());
    let is_id = || string.len() == 26 && string.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let is_digest = || string.len() >= 32 && string.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_time() || is_id() || is_digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(given: &str) -> UnwantedText {
        UnwantedText::of(given).expect("can be searched for")
    }

    #[test]
    fn a_text_goes_in_any_case_across_lines_and_where_its_rest_was_cut_off() {
        let unwanted = text("Erika Mustermann,  Lindenweg 7");
        for (said, left, count) in [
            ("Ask Erika Mustermann, Lindenweg 7 first", format!("Ask {MARK} first"), 1),
            ("ERIKA MUSTERMANN,\n  lindenweg 7", MARK.to_owned(), 1),
            ("Refund for Erika Muster…", format!("Refund for {MARK}…"), 1),
            ("Refund for Erika Mustermann, L", format!("Refund for {MARK}"), 1),
            ("…mann, Lindenweg 7 paid", format!("…{MARK} paid"), 1),
            ("Erika Muster paid", "Erika Muster paid".to_owned(), 0),
            ("", String::new(), 0),
        ] {
            assert_eq!(unwanted.taken_out(said), (left, count), "{said}");
        }
        assert_eq!(text("Тайный Склад").taken_out("тайный склад на Невском").0, format!("{MARK} на Невском"));
        assert_eq!(text(&format!("{MARK} and more")).taken_out(&format!("{MARK} an")).0, MARK, "a mark is not taken out for ever");
    }

    #[test]
    fn documents_stay_documents() {
        let line = r#"{"at":"2026-11-28T05:56:40.919Z","id":"01M8GBQA249WBHEHENXDR1196Y","2026-11":["on 2026-11 \"x\"\nend"]}"#;
        let (washed, count) = text("2026-11").taken_out_of_json(line);
        assert_eq!((count, washed), (1, line.replace("on 2026-11", &format!("on {MARK}"))));
    }

    #[test]
    fn what_would_be_found_everywhere_is_refused() {
        assert_eq!(UnwantedText::of(" a b c d\t").err(), Some(UnwantedFault::Short));
        assert_eq!(UnwantedText::of(&"x".repeat(LONGEST + 1)).err(), Some(UnwantedFault::Long));
        assert!(text("in_progress").may_be_a_word_of_ours() && !text("in progress").may_be_a_word_of_ours());
    }
}
