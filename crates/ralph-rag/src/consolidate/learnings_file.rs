//! The learnings file: a preamble, then `## Title` entries with their bullets, written by people and agents.

use ralph_core::count;
use ralph_core::headings::headings;
use ralph_core::text::line_at;
use ralph_core::unread::unread;
use std::ops::{Range, RangeInclusive};

/// Level of an entry's heading.
const ENTRY_LEVEL: u8 = 2;

/// Content of a learnings file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearningsFile {
    /// Number of lines, including the preamble.
    pub lines: u32,
    /// The first line with a carriage return that no line feed follows. It ends a line for Markdown but not for git, so that nobody knows
    /// whose words are whose: such a file has no entries.
    pub odd_end: Option<u32>,
    /// Where it has no entry, the line of the first item or heading that may be meant as one.
    pub meant: Option<u32>,
    /// Its entries, in order.
    pub entries: Vec<FileEntry>,
}

/// One entry of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// The words of its heading; never empty.
    pub title: String,
    /// The line of its heading, from 1.
    pub line: u32,
    /// Its lines of prose, including the heading's, from 1: blank ones have no age, and lines of code may be copies from older files, whose
    /// date git gives them.
    pub written_lines: Vec<u32>,
    /// Its last line with content, from 1.
    pub last_line: u32,
    /// The text below the heading, without blank lines around it.
    pub body: String,
}

impl LearningsFile {
    /// Parses a file. Headings in code, comments, quotes and lists are ignored; a heading of the first level ends an entry.
    pub fn parse(text: &str) -> LearningsFile {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = count(text.lines().count());
        if let Some(odd) = lone_return(text) {
            return LearningsFile { lines, odd_end: Some(line_at(text, odd)), ..LearningsFile::default() };
        }
        let found = headings(text);
        let code = lines_of_code(text);
        let bounds: Vec<_> = found.iter().filter(|heading| heading.level <= ENTRY_LEVEL).collect();
        let mut file = LearningsFile { lines, ..LearningsFile::default() };
        for (at, heading) in bounds.iter().enumerate().filter(|(_, heading)| heading.level == ENTRY_LEVEL) {
            let end = bounds.get(at + 1).map_or(text.len(), |next| next.at);
            let line = count(text[..heading.at].matches('\n').count()) + 1;
            let part = &text[heading.at..end];
            let lines = part.lines().enumerate().filter(|(_, words)| !words.trim().is_empty());
            let lines: Vec<u32> = lines.map(|(below, _)| line + count(below)).collect();
            let last_line = lines.last().map_or(line, |last| *last);
            let written_lines = lines.into_iter().filter(|line| !code.iter().any(|block| block.contains(line))).collect();
            let title = match heading.words.trim() {
                "" => format!("untitled, line {line}"),
                words => words.to_owned(),
            };
            let body: Vec<&str> = part.lines().skip(heading_lines(part)).collect();
            file.entries.push(FileEntry { title, line, written_lines, last_line, body: body.join("\n").trim().to_owned() });
        }
        if file.entries.is_empty() {
            // The first heading of the first level is that of the file.
            let headings = found.iter().enumerate().filter(|(at, heading)| *at > 0 || heading.level > ENTRY_LEVEL);
            let headings = headings.map(|(_, heading)| line_at(text, heading.at));
            let items = text.lines().enumerate().filter(|(_, line)| is_item(line)).map(|(at, _)| count(at) + 1);
            file.meant = headings.chain(items.filter(|line| !code.iter().any(|block| block.contains(line)))).min();
        }
        file
    }
}

impl FileEntry {
    /// The key in a document's mark for the entry.
    pub fn key(&self) -> String {
        key_of(&self.title, &self.body)
    }
}

/// The key of an entry without an id: the same words always have the same key (FNV-1a, 64 bits).
pub fn key_of(title: &str, body: &str) -> String {
    let words = title.split_whitespace().chain(body.split_whitespace()).flat_map(|word| word.bytes().chain([b' ']));
    let hash = words.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("entry-{hash:016x}")
}

/// The first carriage return that no line feed follows.
fn lone_return(text: &str) -> Option<usize> {
    text.match_indices('\r').map(|(at, _)| at).find(|at| !text[at + 1..].starts_with('\n'))
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let behind =
        line.strip_prefix(['-', '*', '+']).or_else(|| line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')']));
    behind.is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty())
}

/// Lines of a heading: one with `#`; if underlined, its words and the line below them.
fn heading_lines(part: &str) -> usize {
    if part.trim_start().starts_with('#') {
        return 1;
    }
    let underlines = |line: &str| !line.trim().is_empty() && line.trim().bytes().all(|byte| byte == b'-');
    part.lines().position(underlines).map_or(1, |at| at + 1)
}

/// The lines of each code block of a text, from 1.
fn lines_of_code(text: &str) -> Vec<RangeInclusive<u32>> {
    let lines = |block: Range<usize>| {
        let first = line_at(text, block.start);
        first..=first + count(text[block].lines().count().saturating_sub(1))
    };
    unread(text).code.into_iter().map(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<(String, u32, Vec<u32>, String)> {
        let file = LearningsFile::parse(text);
        file.entries.into_iter().map(|e| (e.title, e.line, e.written_lines, e.body)).collect()
    }

    #[test]
    fn what_is_meant_as_an_entry_where_there_is_none_is_found() {
        for (text, line) in [
            ("- a thing\n- another\n", Some(1)),
            ("# Learnings\n\nKeep.\n\n### One\ntext\n", Some(5)),
            ("# One\ntext\n\n# Two\ntext\n", Some(4)),
            ("# Learnings\n\n1. a thing\n", Some(3)),
            ("# Learnings\n\nKeep what helps, 1.5 times - at least.\n\n```\n- code\n```\n", None),
            ("- kept above\n\n## Entry\n- said\n", None),
            ("", None),
        ] {
            assert_eq!(LearningsFile::parse(text).meant, line, "{text}");
        }
    }

    #[test]
    fn entries_are_the_headings_of_the_second_level() {
        let text = "# Learnings\n\nKeep this.\n\n---\n## One `thing`\n- a\n\n- b\n\n### Deeper\n- c\n\n## Two\n";
        assert_eq!(
            shown(text),
            [
                ("One thing".to_owned(), 6, vec![6, 7, 9, 11, 12], "- a\n\n- b\n\n### Deeper\n- c".to_owned()),
                ("Two".to_owned(), 14, vec![14], String::new())
            ]
        );
        assert_eq!(LearningsFile::parse(text).lines, 14);
    }

    #[test]
    fn only_what_commonmark_calls_a_heading_makes_an_entry() {
        for (text, titles) in [
            ("", &[][..]),
            ("words only\n", &[]),
            ("```\n## no\n```\n~~~\n## no\n~~~\n    ## no\n", &[]),
            ("<!--\n## no\n-->\n\n## yes\n", &["yes"]),
            ("> ## no\n\n- ## no\n\n##no\n\n####### no\n\n\\## no\n", &[]),
            ("Setext\n------\n- a\n\nFirst\n=====\n- not of the entry\n\n## Last ##\n", &["Setext", "Last"]),
            ("---\ntitle: x\n---\n## yes\n", &["yes"]),
            ("\u{feff}## with a mark\n", &["with a mark"]),
            ("##\n- no title\n", &["untitled, line 1"]),
            ("## twice\n- a\n## twice\n- b\n", &["twice", "twice"]),
            ("## a\n```\nopen to the end\n## no\n", &["a"]),
        ] {
            let found: Vec<String> = shown(text).into_iter().map(|(title, ..)| title).collect();
            assert_eq!(found, titles, "{text:?}");
        }
        let setext = shown("Setext\n------\r\n- a\n\nFirst\n=====\n- not of it\n");
        assert_eq!(setext, [("Setext".to_owned(), 1, vec![1, 2, 3], "- a".to_owned())]);
    }

    #[test]
    fn lines_of_code_are_of_the_entry_and_do_not_tell_its_age() {
        let text = "## Pool\n- The pool is made as\n\n```rust\nlet pool = Pool::new();\n\npool.fill();\n```\n\n## Ports\n- a\n\n      indented as code\n";
        let found: Vec<(Vec<u32>, u32)> = LearningsFile::parse(text).entries.into_iter().map(|e| (e.written_lines, e.last_line)).collect();
        assert_eq!(found, [(vec![1, 2], 8), (vec![10, 11], 13)]);
    }

    #[test]
    fn windows_line_ends_change_nothing() {
        let unix = "# L\n\n## One\n- a\n- b\n\n## Two\n- c\n";
        assert_eq!(LearningsFile::parse(unix), LearningsFile::parse(&unix.replace('\n', "\r\n")));
        let key = LearningsFile::parse(unix).entries[0].key();
        assert_eq!(LearningsFile::parse("## Two\n- c\n## One\n\n-  a\n- b").entries[1].key(), key, "it moved");
        assert_ne!(LearningsFile::parse("## One\n- a\n- c").entries[0].key(), key);
    }

    #[test]
    fn what_ends_a_line_for_markdown_alone_leaves_a_file_without_entries() {
        for (text, line) in [
            ("## Seeds\n- Seeds live in db/seeds.sql\r## Ports\n- Port 8080\n", 2),
            ("## Seeds\r- Seeds live in db/seeds.sql\r\r## Ports\r- Port 8080\r", 1),
            ("## Seeds\r\n- Seeds live in db/seeds.sql\r", 2),
            ("## Seeds\r\r\n- Seeds live in db/seeds.sql\r\n", 1),
        ] {
            let file = LearningsFile::parse(text);
            assert_eq!((file.odd_end, file.entries.len()), (Some(line), 0), "{text:?}");
        }
        assert_eq!(LearningsFile::parse("\u{feff}## Seeds\r\n- a\r\n\r\n").odd_end, None);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "(## [a-z]{0,3}|# x|- [a-z ]*|```|---|===|<!--|-->|[ \\t]|\\r?\\n|\\r|> ){0,40}") {
            let file = LearningsFile::parse(&text);
            for entry in &file.entries {
                prop_assert!(entry.written_lines.iter().all(|line| *line >= entry.line && *line <= file.lines));
                prop_assert!(!entry.title.is_empty());
            }
            prop_assert!(file.entries.iter().all(|entry| !entry.written_lines.is_empty() && entry.last_line >= entry.line));
            prop_assert!(file.entries.windows(2).all(|pair| pair[0].last_line < pair[1].line));
            prop_assert!(file.entries.windows(2).all(|pair| pair[0].written_lines.last() < pair[1].written_lines.first()));
        }
    }
}
