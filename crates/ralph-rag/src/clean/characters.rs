//! Characters that a reader does not see or that change how others are shown, and blanks at the edges.

use regex::Regex;
use std::sync::LazyLock;

/// Terminal sequences: colours, cursor moves, titles and links. Removed whole, not just their first character.
static TERMINAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\x1b\[|\u{9b})[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\)")
        .expect("a constant pattern, compiled in every test")
});

/// Removes what is invisible, makes line ends `\n` and odd blanks plain ones, trims line ends, and keeps at most one empty line in a
/// row. Tabs and indentation stay. Doing it twice changes nothing.
pub(super) fn normalise(text: &str) -> String {
    let text = TERMINAL.replace_all(text, "");
    let mut visible = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' => visible.push('\n'),
            '\n' | '\t' => visible.push(c),
            _ if is_invisible(c) => {}
            _ if c.is_whitespace() => visible.push(' '),
            _ => visible.push(c),
        }
    }
    let mut tidy = String::with_capacity(visible.len());
    let mut empty_lines = 0;
    for line in visible.trim().lines().map(str::trim_end) {
        empty_lines = if line.is_empty() { empty_lines + 1 } else { 0 };
        if empty_lines <= 1 {
            if !tidy.is_empty() {
                tidy.push('\n');
            }
            tidy.push_str(line);
        }
    }
    tidy
}

/// Controls, bidirectional marks and overrides, zero-width characters, fillers, variation selectors and tag characters. They can hide
/// a secret from a rule or an instruction from a reader; what is lost is the joining of some emoji.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::normalise;

    #[test]
    fn leaves_only_what_a_reader_sees() {
        for (given, expected) in [
            ("a\0b\u{7}c", "abc"),
            ("one\r\ntwo\rthree\u{2028}four", "one\ntwo\nthree\nfour"),
            ("\tif x {\n\t\ty\n\t}", "if x {\n\t\ty\n\t}"),
            ("\u{202e}evil\u{202c} \u{200b}zero\u{feff}", "evil zero"),
            ("\x1b[31mred\x1b[0m \x1b]0;title\x07plain", "red plain"),
            ("a\u{a0}b\u{3000}c", "a b c"),
            ("  edge  \n\n\n\n  kept indent \n\n", "edge\n\n  kept indent"),
            ("tag\u{e0041}\u{e0042}", "tag"),
            ("", ""),
            ("\n \t\u{200b}\n", ""),
            ("naïve 日本語 🦀", "naïve 日本語 🦀"),
        ] {
            let once = normalise(given);
            assert_eq!(once, expected, "{given:?}");
            assert_eq!(normalise(&once), once, "{given:?} twice");
        }
    }
}
