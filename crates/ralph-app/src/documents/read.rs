//! Reading one file as a document: whether it changed, and its sections.

use super::find::reason;
use crate::files::ProjectFiles;
use crate::secrets::wash;
use code_facts::{Language, pieces};
use ralph_core::limits;
use ralph_core::text::hex;
use ralph_core::time::Timestamp;
use ralph_rag::consolidate::without_marks_of_entries;
use ralph_rag::document::{Section, of_markdown, of_pieces, of_text};
use sha2::{Digest as _, Sha256};
use sqlite_db::table::{DocumentRow, NewSection};
use std::borrow::Cow;
use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Version of the sectioning; incremented to read all files again.
const RULES: u32 = 2;
/// Milliseconds after a change in which a file is read again by the next scan: two changes within the resolution of the file system
/// are indistinguishable.
const TICK_MILLIS: u64 = 2_000;

/// Result of reading a file.
pub(super) enum Reading {
    /// Unchanged, by length and time.
    Unchanged,
    /// Unchanged, by content.
    Same {
        /// Length and modification time.
        stamp: String,
    },
    /// New content.
    New {
        /// Length and modification time.
        stamp: String,
        /// Digest of the content.
        digest: String,
        /// In order.
        sections: Vec<NewSection>,
    },
    /// Unusable, with the reason.
    Skipped(String),
}

/// Reads a file of the project as far as needed.
pub(super) fn read(files: ProjectFiles<'_>, root: &Path, path: &str, known: Option<&DocumentRow>, now: Timestamp) -> Reading {
    let place = root.join(path);
    let metadata = match files.metadata(&place) {
        Ok(Some(metadata)) => metadata,
        Ok(None) => return Reading::Skipped("there is no such file".to_owned()),
        Err(fault) => return Reading::Skipped(reason(&fault)),
    };
    let stamp = stamp_of(&metadata, now);
    if known.is_some_and(|row| !stamp.is_empty() && row.stamp == stamp) {
        return Reading::Unchanged;
    }
    let bytes = match files.read(&place, limits::DOCUMENT_BYTES) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Reading::Skipped("there is no such file".to_owned()),
        Err(fault) => return Reading::Skipped(reason(&fault)),
    };
    let digest = format!("{RULES}:{}", hex(&Sha256::digest(&bytes)));
    if known.is_some_and(|row| row.digest == digest) {
        return Reading::Same { stamp };
    }
    match text_of(&bytes) {
        Err(reason) => Reading::Skipped(reason.to_owned()),
        Ok(text) => match sections(path, text) {
            none if none.is_empty() => Reading::Skipped("it holds no words".to_owned()),
            sections => Reading::New { stamp, digest, sections },
        },
    }
}

/// Length and modification time; empty if that might not reveal the next change.
pub(crate) fn stamp_of(metadata: &Metadata, now: Timestamp) -> String {
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let Some(changed) = changed else { return String::new() };
    let millis = i64::try_from(changed.as_millis()).unwrap_or(i64::MAX);
    if now.millis_since(Timestamp(millis)) <= TICK_MILLIS {
        return String::new();
    }
    format!("{RULES}:{}:{}", metadata.len(), changed.as_nanos())
}

fn text_of(bytes: &[u8]) -> Result<&str, &'static str> {
    if bytes.contains(&0) {
        return Err("it is binary");
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is binary, or no text in UTF-8")?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The sections of a text without secrets, each with its line in the file.
fn sections(path: &str, text: &str) -> Vec<NewSection> {
    let visible = ralph_core::visible::visible(text);
    let ending = Path::new(path).extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let is_markdown = matches!(ending.as_deref(), Some("md" | "markdown" | "mdx"));
    let visible = if is_markdown { Cow::Owned(without_marks_of_entries(&visible)) } else { visible };
    let clean = wash::text(&visible);
    let found: Vec<Section<'_>> = match is_markdown {
        true => of_markdown(&clean),
        false => match Language::of(path).and_then(|language| pieces(language, &clean)) {
            Some(pieces) => {
                let pieces: Vec<_> = pieces.into_iter().map(|piece| (piece.name, piece.bytes)).collect();
                of_pieces(&clean, &pieces)
            }
            None => of_text(&clean),
        },
    };
    let lines = Lines::of(&visible, &clean);
    let section = |s: Section<'_>| NewSection { line: lines.in_file(s.line), heading: s.heading, text: s.text.to_owned() };
    found.into_iter().map(section).collect()
}

/// Maps lines of the cleaned text to lines of the file: a multi-line key leaves only one line.
struct Lines {
    /// Number of identical lines at the beginning.
    same: usize,
    /// Number of lines missing after that.
    missing: usize,
}

impl Lines {
    fn of(file: &str, washed: &str) -> Lines {
        let (in_file, in_washed) = (file.lines().count(), washed.lines().count());
        if in_file <= in_washed {
            return Lines { same: usize::MAX, missing: 0 };
        }
        let same = file.lines().zip(washed.lines()).take_while(|(a, b)| a == b).count();
        // Of several keys only the last is considered: a line number that is slightly too large is still close.
        Lines { same: same + 1, missing: in_file - in_washed }
    }

    fn in_file(&self, line: u32) -> u32 {
        if line as usize <= self.same { line } else { line.saturating_add(u32::try_from(self.missing).unwrap_or(u32::MAX)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_cut_by_what_it_is() {
        let shown =
            |path: &str, text: &str| -> Vec<(u32, String)> { sections(path, text).into_iter().map(|s| (s.line, s.heading)).collect() };
        assert_eq!(shown("a/README.MD", "# A\r\nx\r\n\r\n## B\r\ny\r\n"), [(1, "A".into()), (4, "A › B".into())]);
        assert_eq!(shown("a.py", "import os\n\ndef refund():\n    pass\n"), [(1, String::new()), (3, "refund".into())]);
        assert_eq!(shown("notes.txt", "# A\nx\n\n## B\ny\n"), [(1, String::new())]);
        let marked =
            sections("docs/money.md", "# Money\n\n- Prices are integers <!-- ralph:01M8 -->\n\n## Ports\n- 8080 <!-- ralph:01M9 -->\n");
        let texts: Vec<(u32, &str)> = marked.iter().map(|s| (s.line, s.text.as_str())).collect();
        assert_eq!(texts, [(1, "# Money\n\n- Prices are integers"), (5, "## Ports\n- 8080")], "nobody is told the marks of entries");
        assert!(text_of(b"a\0b").is_err() && text_of(b"\xff\xfe").is_err());
        assert_eq!(text_of("\u{feff}x".as_bytes()), Ok("x"));
    }

    #[test]
    fn sections_hold_no_secrets_and_still_name_their_lines() {
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----\n", "MIIEowIBAAKCAQEAx0y\n".repeat(20));
        let text = format!("# Before\nwords\n\n{key}\n# After\nwords\n");
        let sections = sections("keys.md", &text);
        assert!(sections.iter().all(|s| !s.text.contains("MIIE")), "{sections:?}");
        let after = sections.iter().find(|s| s.heading == "After").expect("a section");
        assert_eq!(text.lines().nth(after.line as usize - 1), Some("# After"));
    }
}
