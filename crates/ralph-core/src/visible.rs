//! The visible part of a text, and the sequences in it that a terminal would obey.
//!
//! Agents quote what they encounter: colors, titles, links, clipboard commands, characters that change the reading direction.
//! A text is stored and shown without any of these.

use std::borrow::Cow;

/// Bytes of a title, link or clipboard command; a longer one is shown as plain text.
const STRING_BYTES: usize = 4_096;
/// Bytes of a sequence's numbers.
const NUMBERS_BYTES: usize = 64;
/// Bytes that are looked at together for any that is not plain: a processor compares that many at once.
const PLAIN_BYTES: usize = 16;

/// `text` without terminal sequences and invisible characters. Line ends become `\n`; everything else stays, including blanks.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !suspects(text).any(|(_, c)| is_hidden(c) || is_line_end(c)) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let sequence = terminal_sequence(&text[at..]);
        if sequence > 0 {
            at += sequence;
            continue;
        }
        at += c.len_utf8();
        match c {
            '\n' | '\t' => visible.push(c),
            '\r' if text[at..].starts_with('\n') => {}
            _ if is_line_end(c) => visible.push('\n'),
            _ if is_hidden(c) => {}
            _ => visible.push(c),
        }
    }
    Cow::Owned(visible)
}

/// A text as a person must see it before agreeing: what [`visible`] would drop is escaped, since they agree to that as well.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c if is_hidden(c) || is_line_end(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// A JSON document with all hidden characters escaped: equivalent, and safe to print.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    // JSON itself escapes characters below the blank, and a document has no line ends of its own.
    if !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut printable = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_hidden(c) && c != '\n' && c != '\t' {
            let mut units = [0; 2];
            printable.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            printable.push(c);
        }
    }
    Cow::Owned(printable)
}

/// The characters that [`visible`] may change, and those that begin like them, each with its place in bytes. Nearly every text is plain, and
/// all of them are searched: plain text is skipped many bytes at a time.
pub fn suspects(text: &str) -> impl Iterator<Item = (usize, char)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let chunk = &rest[..rest.len().min(PLAIN_BYTES)];
            let is_plain = chunk.iter().fold(true, |all, byte| all & ((b' '..0x7f).contains(byte) | (*byte == b'\n') | (*byte == b'\t')));
            let Some(begin) = (!is_plain).then(|| chunk.iter().position(|byte| may_begin_hidden(*byte))).flatten() else {
                at += chunk.len();
                continue;
            };
            let begin = at + begin;
            at = begin + 1;
            return Some((begin, text[begin..].chars().next()?));
        }
        None
    })
}

/// Whether a character that [`visible`] changes can begin with a byte.
fn may_begin_hidden(byte: u8) -> bool {
    (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0x7f || matches!(byte, 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3)
}

/// Controls, bidirectional marks and overrides, zero-width characters, fillers, variation selectors and tag characters. They can hide
/// a secret from a rule or an instruction from a reader; the cost is that some emoji are no longer joined.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character ends a line on some system.
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}')
}

/// Length in bytes of the terminal sequence at the beginning of a text; 0 if there is none.
pub fn terminal_sequence(text: &str) -> usize {
    let mut characters = text.chars();
    let (kind, start) = match characters.next() {
        Some('\x1b') => match characters.next() {
            Some(second) => (second, 1 + second.len_utf8()),
            None => return 0,
        },
        Some('\u{9b}') => ('[', 2),
        Some('\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => (']', 2),
        _ => return 0,
    };
    let rest = &text.as_bytes()[start..];
    match kind {
        '[' => {
            let numbers = rest.iter().take(NUMBERS_BYTES).take_while(|byte| matches!(byte, b' '..=b'?')).count();
            if rest.get(numbers).is_some_and(|byte| matches!(byte, b'@'..=b'~')) { start + numbers + 1 } else { 0 }
        }
        ']' | 'P' | 'X' | '^' | '_' => string_end(&text[start..]).map_or(0, |end| start + end),
        ' '..='/' if rest.first().is_some_and(|byte| matches!(byte, b'0'..=b'~')) => start + 1,
        '7' | '8' | '=' | '>' | 'c' | 'D' | 'E' | 'H' | 'M' | 'N' | 'O' | 'Z' => start,
        _ => 0,
    }
}

/// Length in bytes of a control string including its terminator.
fn string_end(rest: &str) -> Option<usize> {
    for (at, c) in rest.char_indices().take_while(|(at, _)| *at <= STRING_BYTES) {
        match c {
            '\x07' | '\u{9c}' => return Some(at + c.len_utf8()),
            '\x1b' => return rest[at..].starts_with("\x1b\\").then_some(at + 2),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_gone_and_the_layout_stays() {
        for (given, expected) in [
            ("\x1b[31mred\x1b[0m  two  blanks\n\n\n\n  end  ", "red  two  blanks\n\n\n\n  end  "),
            ("\x1b]52;c;Y2F0\x07copied", "copied"),
            ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\u{9d}0;title\u{9c}a\u{9b}2Jb", "ab"),
            ("\x1bP+q544e\x1b\\dcs \x1b(Bset \x1bcreset", "dcs set reset"),
            ("user\u{202e}nimda\u{202c} a\u{200b}b", "usernimda ab"),
            ("50%\r60%\r\n\x08\x07done\x7f", "50%\n60%\ndone"),
            ("\x1b", ""),
            ("\x1b[", "["),
            ("\x1b]52;c;never ended", "]52;c;never ended"),
            ("\x1b\x1b[31m[32mnested", "[32mnested"),
            ("plain, naïve 日本語 🦀\t|", "plain, naïve 日本語 🦀\t|"),
        ] {
            assert_eq!(visible(given), expected, "{given:?}");
            assert_eq!(visible(&visible(given)), expected, "{given:?} twice");
        }
    }

    #[test]
    fn no_hidden_character_is_passed_over_wherever_it_stands() {
        let changes = |c: &char| !matches!(c, '\n' | '\t') && (is_hidden(*c) || is_line_end(*c));
        for (number, c) in ('\0'..=char::MAX).filter(changes).enumerate() {
            let before = "plain→ä\t".repeat(number % 40);
            let text = format!("{before}{c}{}", "\nplain".repeat(number % 7));
            assert!(suspects(&text).any(|found| found == (before.len(), c)), "{c:?} behind {} bytes", before.len());
        }
        assert_eq!(suspects("plain\n\tä 日本 🦀").map(|(at, _)| at).collect::<Vec<_>>(), [17]);
    }

    #[test]
    fn a_printed_document_is_the_same_document() {
        let document = serde_json::json!({ "text": "a\u{202e}b\u{9b}2J\u{7f}\x1b[31m\u{e0041}\n", "plain": "naïve 🦀" });
        let json = document.to_string();
        let printable = printable_json(&json);
        assert!(!printable.chars().any(is_hidden), "{printable:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printable).expect("JSON"), document);
        assert!(matches!(printable_json("{\"a\":1}"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_hides_from_the_person_who_is_asked() {
        for (given, shown) in [
            ("ok\n\u{1b}[2K\u{202e}x\u{200b}\r", "ok\n\\u{1b}[2K\\u{202e}x\\u{200b}\\u{d}"),
            ("cargo\u{3164}test \u{2800} \u{fe0f}\u{180e}", "cargo\\u{3164}test \\u{2800} \\u{fe0f}\\u{180e}"),
            ("one\u{2028}two\tblank", "one\\u{2028}two\tblank"),
        ] {
            assert_eq!(escaped(given), shown, "{given:?}");
        }
        let drops = |c: &char| !matches!(c, '\n' | '\t') && *visible(&c.to_string()) != c.to_string();
        for c in ('\0'..=char::MAX).filter(drops) {
            assert_eq!(escaped(&c.to_string()), c.escape_unicode().to_string());
        }
    }
}
