//! Characters that are invisible or change how others are shown, and blanks at the edges.

use ralph_core::visible::visible;

/// Removes invisible characters, normalizes line ends to `\n` and unusual blanks to spaces, trims line ends, and keeps at most one empty
/// line in a row. Tabs and indentation stay. Idempotent.
pub(super) fn normalise(text: &str) -> String {
    let plain: String = visible(text).chars().map(|c| if c.is_whitespace() && c != '\n' && c != '\t' { ' ' } else { c }).collect();
    let mut tidy = String::with_capacity(plain.len());
    let mut empty_lines = 0;
    for line in plain.trim().lines().map(str::trim_end) {
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
