//! Secrets in the rows of an `INSERT`, where the names of the columns are far from the values: `INSERT INTO users (email, password) VALUES
//! (…)`.

use super::found::Secret;
use super::{tables, value};
use ralph_core::secret::{Promise, promise_of};
use std::ops::Range;

/// Bytes of a list of columns on either side of a name.
const LIST_BYTES: usize = 512;
/// Bytes of the rows that are examined.
const ROWS_BYTES: usize = 4_096;

/// Adds the secrets in columns whose name contains a stem. `stems` are in order.
pub(super) fn search(text: &str, stems: &[Range<usize>], rank: usize, secrets: &mut Vec<Secret>) {
    // Each name may examine the rows again; a text consisting of names must not make that quadratic.
    let mut room = text.len().saturating_mul(4) + 16 * ROWS_BYTES;
    for stem in stems {
        let Some(column) = column(text, stem) else { continue };
        room = room.saturating_sub(ROWS_BYTES);
        if room == 0 {
            break;
        }
        for cell in cells(text, &column) {
            secrets.extend(secret(text, cell, column.promise).map(|range| Secret { range, rule: tables::ID, rank }));
        }
    }
}

/// A column that names a secret.
struct Column {
    promise: Promise,
    index: usize,
    rows: usize,
}

fn column(text: &str, stem: &Range<usize>) -> Option<Column> {
    let from = text.floor_char_boundary(stem.start.saturating_sub(LIST_BYTES));
    let open = from + text[from..stem.start].rfind('(')?;
    let before = &text[text.floor_char_boundary(open.saturating_sub(160))..open];
    if !before.split_whitespace().nth_back(1)?.eq_ignore_ascii_case("into") {
        return None;
    }
    let to = text.floor_char_boundary((stem.end + LIST_BYTES).min(text.len()));
    let close = stem.end + text[stem.end..to].find(')')?;
    let index = text[open..stem.start].matches(',').count();
    let name = text[open + 1..close].split(',').nth(index)?.trim_matches(|c: char| !c.is_alphanumeric());
    // In JSON the end of a line is escaped.
    let rows = text[close + 1..].trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
    let rows = rows.strip_prefix('n').unwrap_or(rows);
    let rows = rows.get(..6).filter(|word| word.eq_ignore_ascii_case("values")).map(|word| text.len() - rows.len() + word.len())?;
    let promise = promise_of(name).filter(|promise| *promise != Promise::Handle)?;
    Some(Column { promise, index, rows })
}

/// The values of a column, as they are written.
fn cells(text: &str, column: &Column) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut index, mut start, mut quoted) = (0_usize, 0, 0, false);
    for (at, byte) in text.bytes().enumerate().skip(column.rows).take(ROWS_BYTES) {
        match byte {
            // A doubled quote in a value neither opens nor closes anything.
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' => {
                depth += 1;
                if depth == 1 {
                    (index, start) = (0, at + 1);
                }
            }
            b',' | b')' if depth == 1 => {
                if index == column.index {
                    found.push(start..at);
                }
                (index, start) = (index + 1, at + 1);
                depth -= usize::from(byte == b')');
            }
            b')' => depth = depth.saturating_sub(1),
            b',' | b' ' | b'\t' | b'\r' | b'\n' | b'\\' | b'n' | b'r' | b't' if depth == 0 => {}
            _ if depth == 0 => break,
            _ => {}
        }
    }
    found
}

/// The secret in a cell: a text in quotes.
fn secret(text: &str, cell: Range<usize>, promise: Promise) -> Option<Range<usize>> {
    let told = &text[cell.clone()];
    let open = told.find('\'')?;
    let inner = told[open + 1..].trim_end().strip_suffix('\'')?;
    let plain = inner.len() >= 4 && !inner.contains(['\n', '\\', '"']) && !value::is_placeholder(inner);
    let secret = match promise {
        Promise::Password => value::is_password(inner, true),
        Promise::Token | Promise::Handle => value::is_random(inner),
    };
    let start = cell.start + open + 1;
    (told[..open].trim().len() <= 1 && plain && secret).then(|| start..start + inner.len())
}
