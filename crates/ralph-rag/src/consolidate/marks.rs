//! The marks that show that a document contains an entry: `<!-- ralph:KEY -->` at the end of the corresponding words.

use super::batch::TargetStatement;
use super::units::{Statement, statements, without_bullet};
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::consolidation::KnowledgePlace;
use ralph_core::headings::headings;
use ralph_core::text::line_at;
use ralph_core::unread::unread;
use std::collections::BTreeMap;

const BEGIN: &str = "<!-- ralph:";
const END: &str = "-->";

/// One mark of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The entry's key.
    pub key: String,
    /// Its line, from 1.
    pub line: u32,
    /// Whether it ends a line that has words.
    pub at_end: bool,
}

/// The mark of an entry, as written in a document.
pub fn mark(key: &str) -> String {
    format!("{BEGIN}{key} {END}")
}

/// All marks of a document where readers see the words, in order: in code a mark is an example, and nobody reads the words of a comment.
pub fn marks(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    let (mut line, mut from) = (1_u32, 0);
    for at in unread(text).comments {
        let fed = text[from..at.start].matches('\n').count();
        (line, from) = (line.saturating_add(u32::try_from(fed).unwrap_or(u32::MAX)), at.start);
        let Some(key) = key_of(&text[at.clone()]) else { continue };
        let before = text[..at.start].rsplit('\n').next().unwrap_or_default();
        let words = before.rsplit(END).next().unwrap_or(before).contains(char::is_alphanumeric);
        let behind = text[at.end..].split('\n').next().unwrap_or_default().trim();
        let other_marks = behind.is_empty() || behind.starts_with(BEGIN);
        found.push(Mark { key: key.trim().to_owned(), line, at_end: words && other_marks });
    }
    found
}

/// A document without these marks: its words are knowledge, and Ralph's marks are not. Lines stay in their places.
pub fn without_marks_of_entries(text: &str) -> String {
    let (mut plain, mut from) = (String::with_capacity(text.len()), 0);
    for at in unread(text).comments.into_iter().filter(|at| key_of(&text[at.clone()]).is_some()) {
        plain.push_str(text[from..at.start].trim_end_matches(' '));
        from = at.end;
    }
    plain + &text[from..]
}

/// The key in a comment, if it is a mark.
fn key_of(comment: &str) -> Option<&str> {
    comment.strip_prefix(BEGIN)?.strip_suffix(END).filter(|key| !key.contains('\n'))
}

/// The line of each mark in some documents, by key, without its marks.
pub fn held(documents: &BTreeMap<String, String>) -> BTreeMap<String, TargetStatement> {
    let mut found = BTreeMap::new();
    for (file, text) in documents {
        let lines: Vec<&str> = text.lines().collect();
        for Mark { key, line, .. } in marks(text) {
            let words = lines.get(line as usize - 1).map_or("", |line| line.split(BEGIN).next().unwrap_or(line)).trim();
            found.entry(key).or_insert_with(|| TargetStatement { file: file.clone(), line, text: words.to_owned() });
        }
    }
    found
}

/// The statement that ends with each mark in some documents, by key, in the words of the documents.
pub fn statements_of_entries(documents: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for text in documents.values() {
        let (lines, statements): (Vec<&str>, _) = (text.lines().collect(), statements(text));
        for Mark { key, line, .. } in marks(text) {
            let words = lines.get(line as usize - 1).map_or("", |line| line.split(BEGIN).next().unwrap_or(line));
            let (_, words) = without_bullet(words.trim());
            let before = statements.partition_point(|statement| statement.line <= line);
            // A line of only a few words is no statement.
            let statement = before.checked_sub(1).map(|at| &statements[at]).filter(|statement| statement.text.ends_with(&words));
            if let Some(statement) = statement {
                found.entry(key).or_insert_with(|| statement.text.clone());
            }
        }
    }
    found
}

/// Whether two texts say the same in nearly the same words.
pub fn is_same(one: &str, other: &str) -> bool {
    Words::of(one).relation(&Words::of(other)) == Relation::Duplicate
}

/// Whether documents say an entry without its mark: in the `words` that were before the mark, or in its own.
pub fn says(documents: &BTreeMap<String, String>, words: Option<&str>, entry: &str) -> bool {
    let is_line = |line: &str| words.is_some_and(|words| line.split(BEGIN).next().unwrap_or(line).trim() == words && !words.is_empty());
    let meant = Words::of(entry);
    let means = |statement: Statement| Words::of(&statement.text).relation(&meant) == Relation::Duplicate;
    documents.values().any(|text| text.lines().any(is_line) || statements(text).into_iter().any(means))
}

/// The place of each mark in some documents: the file, and the headings above it.
pub fn places(documents: &BTreeMap<String, String>) -> BTreeMap<String, KnowledgePlace> {
    let mut found = BTreeMap::new();
    for (file, text) in documents {
        let titles: Vec<(u32, u8, String)> = headings(text).into_iter().map(|h| (line_at(text, h.at), h.level, h.words)).collect();
        for mark in marks(text) {
            let mut path: Vec<(u8, &str)> = Vec::new();
            for (_, level, words) in titles.iter().take_while(|(line, ..)| *line <= mark.line) {
                path.retain(|(above, _)| above < level);
                path.push((*level, words));
            }
            let heading = path.iter().map(|(_, words)| *words).collect::<Vec<_>>().join(" › ");
            found.entry(mark.key).or_insert(KnowledgePlace { file: file.clone(), heading });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_said_with_and_without_its_mark() {
        let documents = BTreeMap::from([(
            "docs/a.md".to_owned(),
            "# A

- Windows close in the zone of the provider
"
            .to_owned(),
        )]);
        let entry = "Refund windows are compared in the provider time zone";
        assert!(says(&documents, Some("- Windows close in the zone of the provider"), entry));
        assert!(!says(&documents, Some("- Windows close"), entry) && !says(&documents, Some(""), entry) && !says(&documents, None, entry));
        assert!(says(&documents, None, "Windows close in the zone of the provider"));
        assert!(!says(&documents, None, "Windows never close in the zone of the provider"));
    }

    #[test]
    fn a_mark_is_found_with_its_place() {
        let text = "# All\n\n## Clocks\n- Never mock the clock <!-- ralph:01A -->\n- two <!-- ralph:B --> <!-- ralph:C -->\n<!-- ralph:D -->\n- <!-- ralph:E --> words\n";
        let found: Vec<(String, u32, bool)> = marks(text).into_iter().map(|m| (m.key, m.line, m.at_end)).collect();
        let expected = [("01A", 4, true), ("B", 5, true), ("C", 5, false), ("D", 6, false), ("E", 7, false)];
        assert_eq!(found, expected.map(|(key, line, at_end)| (key.to_owned(), line, at_end)));
        assert_eq!(marks(&format!("words {}", mark("K")))[0].key, "K");
        for unread in
            ["```\n- words <!-- ralph:A -->\n```\n", "<!--\n- words <!-- ralph:A -->\n", "words <!-- more\nwords <!-- ralph:A -->\n"]
        {
            let keys: Vec<String> = marks(&format!("{unread}- read <!-- ralph:B -->\n")).into_iter().map(|mark| mark.key).collect();
            assert_eq!(keys, ["B"], "{unread}");
        }
        // Text about comments and fences does not open any.
        for said in ["- Comments begin with `<!--` here\n", "````md\n```sh\nmake\n```\n````\n", "~~~~\n~~~ is the fence\n~~~~\n"] {
            let found = marks(&format!("{said}- read <!-- ralph:B -->\n"));
            assert!(found.len() == 1 && found[0].at_end && found[0].line == line_at(said, said.len()), "{said}: {found:?}");
        }
        let plain = "# All\n\n## Clocks\n- Never mock the clock\n- two\n\n- words\n";
        assert_eq!(without_marks_of_entries(text), plain);
        let example = "- as in `<!-- ralph:A -->` <!-- a comment -->\n```\n<!-- ralph:A -->\n```\n";
        assert_eq!(without_marks_of_entries(example), example);
        let places = places(&[("docs/a.md".to_owned(), text.to_owned())].into());
        assert_eq!(places["01A"], KnowledgePlace { file: "docs/a.md".into(), heading: "All › Clocks".into() });
    }
}
