//! Removes entries that landed in a document from the learnings file.

use super::learnings_file::LearningsFile;
use std::collections::BTreeSet;

/// A learnings file without the entries of some keys. Everything else stays as it is, byte by byte.
pub fn without_entries(text: &str, keys: &BTreeSet<String>) -> String {
    let file = LearningsFile::parse(text);
    let gone: Vec<(u32, u32)> = file
        .entries
        .iter()
        .filter(|entry| keys.contains(&entry.key()))
        .filter_map(|entry| Some((entry.line, *entry.written_lines.last()?)))
        .collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_gone = |at: usize| gone.iter().any(|(first, last)| (*first as usize..=*last as usize).contains(&at));
    let mut kept = String::new();
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
}
