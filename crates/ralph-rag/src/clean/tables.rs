//! Tables with a header that names a secret: the cells below it, in Markdown and in separated values.

use super::found::Secret;
use super::value;
use ralph_core::secret::{Promise, promise_of};
use std::ops::Range;

/// Id of the rule.
pub(super) const ID: &str = "table-cell";
/// Bytes of a header line that are examined.
const HEADER_BYTES: usize = 1_024;
/// Bytes below a header that are examined.
const TABLE_BYTES: usize = 4_096;

/// Adds the secrets in columns whose header contains a stem. `stems` are in order.
pub(super) fn search(text: &str, stems: &[Range<usize>], rank: usize, secrets: &mut Vec<Secret>) {
    // Each header may examine what is below it; a text consisting of headers must not make that quadratic.
    let mut room = text.len().saturating_mul(4) + 16 * TABLE_BYTES;
    for stem in stems {
        let Some(header) = header(text, stem) else { continue };
        room = room.saturating_sub(TABLE_BYTES);
        if room == 0 {
            break;
        }
        for range in cells(text, &header) {
            secrets.push(Secret { range, rule: ID, rank });
        }
    }
}

/// A cell of a header line that names a secret.
struct Header {
    promise: Promise,
    separator: &'static str,
    column: usize,
    columns: usize,
    end: usize,
    breaks: &'static str,
}

fn header(text: &str, stem: &Range<usize>) -> Option<Header> {
    let from = text.floor_char_boundary(stem.start.saturating_sub(HEADER_BYTES));
    let to = text.floor_char_boundary((stem.end + HEADER_BYTES).min(text.len()));
    // In JSON the end of a line is escaped.
    let breaks = if text[stem.end..to].contains('\n') { "\n" } else { "\\n" };
    let start = from + text[from..stem.start].rfind(breaks).map_or(0, |at| at + breaks.len());
    let start = if breaks == "\n" { start } else { start.max(from + text[from..stem.start].rfind('"').map_or(0, |at| at + 1)) };
    let end = stem.end + text[stem.end..to].find(breaks)?;
    let line = text[start..end].trim_end_matches('\\');
    let separator = ["|", "\t", "\\t", ",", ";"].into_iter().find(|separator| line.contains(separator))?;
    let column = text[start..stem.start].matches(separator).count();
    let cells: Vec<&str> = line.split(separator).collect();
    let name = cells.get(column)?.trim().trim_matches(['"', '\'', '`', '*', '_', '\\']);
    let words = |cell: &&str| cell.len() <= 40 && cell.chars().all(|c| c.is_alphanumeric() || " _-\"'`*().#\r\\".contains(c));
    if cells.len() < 2 || !cells.iter().all(words) {
        return None;
    }
    let promise = promise_of(name).filter(|promise| *promise != Promise::Handle)?;
    Some(Header { promise, separator, column, columns: cells.len(), end, breaks })
}

/// The cells below a header that contain secrets.
fn cells(text: &str, header: &Header) -> Vec<Range<usize>> {
    let mut at = header.end + header.breaks.len();
    let below = &text[at..text.floor_char_boundary((at + TABLE_BYTES).min(text.len()))];
    let mut found = Vec::new();
    for line in below.split_inclusive(header.breaks) {
        let told = line.strip_suffix(header.breaks).unwrap_or(line).split('"').next().unwrap_or(line);
        let cells: Vec<&str> = if header.breaks == "\n" { line.trim_end() } else { told }.split(header.separator).collect();
        // The line below a header in Markdown and in psql.
        let is_rule = !told.is_empty() && told.trim().bytes().all(|b| matches!(b, b'-' | b'+' | b'|' | b':' | b' ' | b'\\'));
        if cells.len() != header.columns || is_rule {
            if !is_rule {
                break;
            }
            at += line.len();
            continue;
        }
        let start = at + cells[..header.column].iter().map(|cell| cell.len() + header.separator.len()).sum::<usize>();
        let cell = cells[header.column];
        let inner = cell.trim().trim_matches(['"', '\'', '`', '*', '\\']);
        let secret = !value::is_placeholder(inner)
            && match header.promise {
                Promise::Password => value::is_told_password(inner),
                Promise::Token | Promise::Handle => value::is_told_token(inner),
            };
        if secret {
            let start = start + cell.find(inner).unwrap_or(0);
            found.push(start..start + inner.len());
        }
        at += line.len();
    }
    found
}
