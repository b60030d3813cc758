//! The values of a Kubernetes Secret, whatever their keys: everything below `data:` and `stringData:`.

mod in_json;

use super::found::Secret;
use super::value;
use std::ops::Range;

/// Id of the rule.
pub(super) const ID: &str = "manifest-secret";
/// Bytes on either side of its kind that are examined.
const MANIFEST_BYTES: usize = 4_096;
/// The keys below which everything is secret.
const DATA: [&str; 2] = ["data", "stringData"];
/// Markers of a value that follows in the lines below.
const BLOCKS: [&str; 6] = ["|", ">", "|-", ">-", "|+", ">+"];

/// Adds the values of manifests that are a Secret. `stems` are in order.
pub(super) fn search(text: &str, stems: &[Range<usize>], rank: usize, secrets: &mut Vec<Secret>) {
    let mut searched = 0;
    for stem in stems.iter().filter(|stem| &text[(*stem).clone()] == "Secret") {
        // Each manifest is examined once; a text consisting of its first lines must not make that quadratic.
        if stem.start < searched {
            continue;
        }
        let (end, values) = match manifest(text, stem) {
            Some(manifest) => (manifest.end, values(text, &manifest)),
            None => match in_json::values(text, stem, searched) {
                Some(found) => found,
                None => continue,
            },
        };
        searched = end;
        secrets.extend(values.into_iter().map(|range| Secret { range, rule: ID, rank }));
    }
}

/// A manifest, and how its lines end.
struct Manifest {
    start: usize,
    end: usize,
    breaks: &'static str,
}

/// The manifest around a line `kind: Secret`.
fn manifest(text: &str, stem: &Range<usize>) -> Option<Manifest> {
    let from = text.floor_char_boundary(stem.start.saturating_sub(MANIFEST_BYTES));
    let to = text.floor_char_boundary((stem.end + MANIFEST_BYTES).min(text.len()));
    // In JSON the end of a line is escaped, and in JSON within JSON twice.
    let breaks =
        ["\n", "\\n", "\\\\n"].into_iter().find(|breaks| text[stem.end..to].trim_start_matches(['\r', '"', '\'']).starts_with(breaks))?;
    if !text[from..stem.start].trim_end_matches(['"', '\'']).ends_with("kind: ") {
        return None;
    }
    let apart = format!("{breaks}---");
    let start = text[from..stem.start].rfind(&apart).map_or(from, |at| from + at + apart.len());
    let end = text[stem.end..to].find(&apart).map_or(to, |at| stem.end + at);
    Some(Manifest { start, end, breaks })
}

/// The values below the keys of a manifest for what is secret.
fn values(text: &str, manifest: &Manifest) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = manifest.start;
    // The indentation of the key for what is secret, and of the key of a value that follows in the lines below.
    let (mut data, mut block): (Option<usize>, Option<usize>) = (None, None);
    for line in text[manifest.start..manifest.end].split_inclusive(manifest.breaks) {
        let start = at;
        at += line.len();
        let told = line.strip_suffix(manifest.breaks).unwrap_or(line).trim_end();
        let indent = told.len() - told.trim_start_matches(' ').len();
        let words = &told[indent..];
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        if words.strip_suffix(':').is_some_and(|key| DATA.contains(&key)) {
            (data, block) = (Some(indent), None);
        } else if data.is_some_and(|key| indent <= key) {
            (data, block) = (None, None);
        } else if block.is_some_and(|key| indent > key) {
            found.extend(secret(words, start + indent));
        } else if let Some((key, value)) = words.split_once(": ").filter(|_| data.is_some()) {
            let value_at = start + indent + key.len() + 2 + (value.len() - value.trim_start().len());
            let value = value.trim();
            block = BLOCKS.contains(&value).then_some(indent);
            found.extend(secret(value, value_at));
        }
    }
    found
}

/// The value at a position, without its quotes, if there is one.
fn secret(value: &str, at: usize) -> Option<Range<usize>> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\');
    let opened = value.len() - value.trim_start_matches(is_quote).len();
    let inner = &value[opened..];
    let inner = &inner[..inner.find(is_quote).unwrap_or(inner.len())];
    let is_said = inner.len() >= 4 && !value::is_placeholder(inner) && !value::is_reference(inner);
    is_said.then_some(at + opened..at + opened + inner.len())
}
