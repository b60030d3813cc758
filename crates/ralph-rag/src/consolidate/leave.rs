//! Entries leave the learnings file once they have landed in a document, and return to it when that is undone.

use super::learnings_file::LearningsFile;
use std::collections::BTreeSet;

/// A learnings file without the entries of some keys. Everything else stays as it is, byte by byte.
pub fn without_entries(text: &str, keys: &BTreeSet<String>) -> String {
    let (order_mark, text) = apart(text);
    let file = LearningsFile::parse(text);
    let gone: Vec<(u32, u32)> =
        file.entries.iter().filter(|entry| keys.contains(&entry.key())).map(|entry| (entry.line, entry.last_line)).collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_gone = |at: usize| gone.iter().any(|(first, last)| (*first as usize..=*last as usize).contains(&at));
    let mut kept = order_mark.to_owned();
    let mut behind_gone = false;
    for (at, line) in lines.iter().enumerate() {
        if is_gone(at + 1) {
            behind_gone = true;
        } else if !(behind_gone && line.trim().is_empty()) {
            // Blank lines that separated an entry from the next are removed with it.
            kept.push_str(line);
            behind_gone = false;
        }
    }
    kept
}

/// A learnings file with entries from an earlier text of it put back in their places: after the nearest preceding entry that is still
/// there. Those that are there stay as they are.
pub fn with_entries(text: &str, earlier: &str, keys: &BTreeSet<String>) -> String {
    let (order_mark, text) = apart(text);
    let (mut text, earlier) = (text.to_owned(), apart(earlier).1);
    let lines: Vec<&str> = earlier.split_inclusive('\n').collect();
    let then = LearningsFile::parse(earlier).entries;
    for (at, entry) in then.iter().enumerate().filter(|(_, entry)| keys.contains(&entry.key())) {
        let now = LearningsFile::parse(&text).entries;
        if now.iter().any(|other| other.key() == entry.key()) {
            continue;
        }
        let words = lines[entry.line as usize - 1..(entry.last_line as usize).min(lines.len())].concat();
        let before = then[..at].iter().rev().find_map(|before| now.iter().find(|other| other.key() == before.key()));
        let behind = then[at + 1..].iter().find_map(|behind| now.iter().find(|other| other.key() == behind.key()));
        let place = match (before, behind, now.first()) {
            (Some(before), ..) => before.last_line as usize,
            (None, Some(behind), _) => behind.line as usize - 1,
            (None, None, Some(first)) => first.line as usize - 1,
            (None, None, None) => usize::MAX,
        };
        text = inserted(&text, place, words.trim_end());
    }
    order_mark.to_owned() + &text
}

/// The byte order mark that a file may begin with, and its text: the mark belongs to the file, whichever entry comes first.
fn apart(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// A text with a paragraph inserted after this many of its lines, between blank lines, with the text's line ends.
fn inserted(text: &str, behind: usize, words: &str) -> String {
    let feed = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (head, tail) = lines.split_at(behind.min(lines.len()));
    let (head, tail) = (head.concat(), tail.concat());
    let head = head.trim_end_matches(['\n', '\r']);
    let gap = if head.is_empty() { String::new() } else { feed.repeat(2) };
    let tail = tail.trim_start_matches(['\n', '\r']);
    let end = if tail.is_empty() { feed.to_owned() } else { feed.repeat(2) };
    let words = words.replace("\r\n", "\n").replace('\n', feed);
    format!("{head}{gap}{words}{end}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidate::key_of;

    #[test]
    fn only_what_landed_leaves() {
        let text = "# L\r\n\r\nKeep.\r\n\r\n## One\r\n- a\r\n\r\n- b\r\n\r\n## Two\r\n- c\r\n\r\n# Other\r\n\r\n## Three\r\n- d";
        let keys = |of: &[(&str, &str)]| of.iter().map(|(title, body)| key_of(title, body)).collect::<BTreeSet<String>>();
        assert_eq!(without_entries(text, &keys(&[])), text);
        let expected = "# L\r\n\r\nKeep.\r\n\r\n## Two\r\n- c\r\n\r\n# Other\r\n\r\n";
        assert_eq!(without_entries(text, &keys(&[("One", "- a - b"), ("Three", "- d")])), expected);
        assert_eq!(
            without_entries(text, &keys(&[("One", "- a\n- b"), ("Two", "- c"), ("Three", "- d")])),
            "# L\r\n\r\nKeep.\r\n\r\n# Other\r\n\r\n"
        );
    }

    #[test]
    fn the_mark_of_byte_order_stays_at_the_beginning() {
        let text = "\u{feff}## One\r\n- a\r\n\r\n## Two\r\n- b\r\n";
        let keys: BTreeSet<String> = [key_of("One", "- a")].into();
        let left = without_entries(text, &keys);
        assert_eq!(left, "\u{feff}## Two\r\n- b\r\n");
        assert_eq!(with_entries(&left, text, &keys), text);
    }

    #[test]
    fn no_word_leaves_a_file_whose_lines_nobody_can_tell() {
        let text = "## Seeds\n- Seeds live in db/seeds.sql\r## Ports\n- Port 8080\n\n## Cache\n- c\n";
        let keys: BTreeSet<String> = [key_of("Seeds", ""), key_of("Ports", "- Port 8080"), key_of("Cache", "- c")].into();
        assert_eq!(without_entries(text, &keys), text);
        let old = "## Seeds\r- Seeds live in db/seeds.sql\r\r## Ports\r- Port 8080\r";
        assert_eq!(without_entries(old, &[key_of("Seeds", ""), key_of("Ports", "")].into()), old);
    }

    #[test]
    fn what_returns_stands_where_it_was() {
        let text = "# L\n\nKeep.\n\n## One\n- a\n\n## Two\n- b\n\n## Three\n- c\n";
        let key = |title: &str, body: &str| key_of(title, body);
        let all = [key("One", "- a"), key("Two", "- b"), key("Three", "- c")];
        for gone in [&all[..1], &all[1..2], &all[2..], &all[..2], &all[1..], &all[..]] {
            let keys: BTreeSet<String> = gone.iter().cloned().collect();
            let left = without_entries(text, &keys);
            assert_eq!(with_entries(&left, text, &keys), text, "{gone:?}");
            assert_eq!(with_entries(text, text, &keys), text, "what is there stays");
        }
        // Another entry left later, and one came.
        let two: BTreeSet<String> = [key("Two", "- b")].into();
        let now = "# L\n\nKeep.\n\n## Three\n- c\n\n## New\n- d\n";
        assert_eq!(with_entries(now, text, &two), "# L\n\nKeep.\n\n## Two\n- b\n\n## Three\n- c\n\n## New\n- d\n");
        assert_eq!(with_entries("", text, &two), "## Two\n- b\n");
        assert_eq!(with_entries("# L\r\n", text, &two), "# L\r\n\r\n## Two\r\n- b\r\n");
    }
}
