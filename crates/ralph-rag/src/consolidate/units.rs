//! The statements of a Markdown text: its bullets and paragraphs, each on its own, since lessons are compared with lessons, not with
//! pages of them.

use ralph_core::headings::headings;

/// Minimum words of a statement.
const LEAST_WORDS: usize = 3;

/// One statement of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its first line, from 1.
    pub line: u32,
    /// Its words on one line, without markers.
    pub text: String,
}

/// The statements of a text, in order. Code is excluded; headings with content are included.
pub fn statements(markdown: &str) -> Vec<Statement> {
    let titles: Vec<usize> = headings(markdown).iter().map(|heading| markdown[..heading.at].matches('\n').count()).collect();
    let mut made: Vec<Statement> = Vec::new();
    let (mut open, mut fence): (Option<Statement>, Option<&str>) = (None, None);
    for (at, line) in markdown.lines().enumerate() {
        let words = line.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark)) {
            fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
            made.extend(open.take());
            continue;
        }
        if fence.is_some() {
            continue;
        }
        let (item, words) = without_bullet(&without_comments(words));
        let is_rule = words.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '|' | ':' | ' '));
        if item || is_rule || titles.contains(&at) {
            made.extend(open.take());
        }
        if is_rule {
            continue;
        }
        match &mut open {
            Some(statement) => {
                statement.text.push(' ');
                statement.text.push_str(&words);
            }
            None => open = Some(Statement { line: u32::try_from(at + 1).unwrap_or(u32::MAX), text: words }),
        }
        if titles.contains(&at) {
            made.extend(open.take());
        }
    }
    made.extend(open);
    made.retain(|statement| statement.text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count() >= LEAST_WORDS);
    made
}

/// Whether a line begins an item or a heading, and its words.
pub(super) fn without_bullet(line: &str) -> (bool, String) {
    let plain = |words: &str| words.replace("**", "").trim().to_owned();
    if let Some(words) = ["- ", "* ", "+ "].into_iter().find_map(|bullet| line.strip_prefix(bullet)) {
        return (true, plain(words.strip_prefix("[ ] ").or_else(|| words.strip_prefix("[x] ")).unwrap_or(words)));
    }
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < line.len()
        && let Some(words) = number.strip_prefix(". ").or_else(|| number.strip_prefix(") "))
    {
        return (true, plain(words));
    }
    (line.starts_with('#'), plain(line.trim_start_matches('#')))
}

/// A line without inline comments, such as the marks of entries.
pub(super) fn without_comments(line: &str) -> String {
    let mut rest = line;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_and_paragraphs_are_statements_and_code_is_none() {
        let text = "# Guide to the tests\n\nRun them\nwith one thread. <!-- ralph:01H -->\n\n- **Never** mock the clock\n  since they lie\n- two words\n1. Seed the database first\n\n```\nnot a statement here\n```\n---\n| a | b |\n";
        let found: Vec<(u32, String)> = statements(text).into_iter().map(|s| (s.line, s.text)).collect();
        let expected = [
            (1, "Guide to the tests"),
            (3, "Run them with one thread."),
            (6, "Never mock the clock since they lie"),
            (9, "Seed the database first"),
        ];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
        assert_eq!(statements(""), []);
    }
}
