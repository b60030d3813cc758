//! The statements of a Markdown text: its bullets and paragraphs, each separately, since lessons are compared with lessons, not with
//! whole pages.

use ralph_core::headings::headings;
use ralph_core::unread::{Unread, unread};
use std::ops::Range;

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
    let mut open: Option<Statement> = None;
    let Unread { code, comments } = unread(markdown);
    let mut code = code.into_iter().peekable();
    let mut end = 0;
    for (at, line) in markdown.split_inclusive('\n').enumerate() {
        let begin = end;
        end += line.len();
        while code.peek().is_some_and(|block| block.end <= begin) {
            code.next();
        }
        if code.peek().is_some_and(|block| block.start < end) {
            made.extend(open.take());
            continue;
        }
        let (item, words) = without_bullet(without(&comments, begin..end, markdown).trim());
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
    // "#12" is a number.
    let title = line.trim_start_matches('#');
    let is_title = title.len() < line.len() && (title.is_empty() || title.starts_with(' '));
    (is_title, plain(if is_title { title } else { line }))
}

/// A line of a text without the comments in it, such as the marks of entries.
fn without(comments: &[Range<usize>], line: Range<usize>, text: &str) -> String {
    let first = comments.partition_point(|comment| comment.end <= line.start);
    let mut kept = String::new();
    let mut from = line.start;
    for comment in comments[first..].iter().take_while(|comment| comment.start < line.end) {
        kept.push_str(&text[from..comment.start.max(from)]);
        from = comment.end.min(line.end);
    }
    kept + &text[from..line.end]
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
        let text = "Comments begin with `<!--` here\n\n````\n```sh\nno statement at all\n```\n````\n\n<!-- of several\nlines, so unread -->\n\n#12 is a number\n";
        let found: Vec<(u32, String)> = statements(text).into_iter().map(|s| (s.line, s.text)).collect();
        assert_eq!(found, [(1, "Comments begin with `<!--` here".to_owned()), (12, "#12 is a number".to_owned())]);
    }
}
