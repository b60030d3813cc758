//! Manifests in TOML, read as far as they can be, with the lines of their keys.

use toml_edit::{Document, Item, Table, TableLike, Value};

/// Faults that are cut out of a manifest before the rest is given up.
const FAULTS: usize = 20;

/// A manifest.
pub(super) struct Manifest {
    /// `None` where nothing of it can be read.
    document: Option<Document<String>>,
}

/// An entry of a table: its key, what stands there, and its line.
pub(super) struct Entry<'m> {
    pub(super) key: &'m str,
    pub(super) item: &'m Item,
    pub(super) line: u32,
}

impl Manifest {
    /// Reads a manifest. A line at fault is passed over, as if it were empty.
    pub(super) fn of(source: &str) -> Manifest {
        let mut text = source.to_owned();
        for _ in 0..FAULTS {
            let fault = match Document::parse(text.clone()) {
                Ok(document) => return Manifest { document: Some(document) },
                Err(error) => error.span().map_or(0, |span| span.start),
            };
            if !without_line(&mut text, fault) {
                break;
            }
        }
        Manifest { document: None }
    }

    /// The table below some keys; `None` where there is none.
    pub(super) fn table(&self, keys: &[&str]) -> Option<&dyn TableLike> {
        let mut table: &dyn TableLike = self.document.as_ref()?.as_table();
        for key in keys {
            table = table.get(key)?.as_table_like()?;
        }
        Some(table)
    }

    /// What stands below some keys.
    pub(super) fn item(&self, keys: &[&str]) -> Option<&Item> {
        let (last, before) = keys.split_last()?;
        self.table(before)?.get(last)
    }

    /// The entries of a table, in order; none where there is no such table.
    pub(super) fn entries(&self, keys: &[&str]) -> Vec<Entry<'_>> {
        self.table(keys).map_or_else(Vec::new, |table| self.entries_of(table))
    }

    pub(super) fn entries_of<'m>(&self, table: &'m dyn TableLike) -> Vec<Entry<'m>> {
        let entry = |(key, item): (&'m str, &'m Item)| {
            let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
            Entry { key, item, line: self.line(span.map_or(0, |span| span.start)) }
        };
        table.iter().map(entry).collect()
    }

    /// The texts of a list, each with its line.
    pub(super) fn texts<'m>(&self, item: &'m Item) -> Vec<(&'m str, u32)> {
        let values = item.as_array().into_iter().flatten();
        values.filter_map(|value| Some((value.as_str()?, self.line(value.span()?.start)))).collect()
    }

    /// The line of something that is there.
    pub(super) fn line_of(&self, item: &Item) -> u32 {
        self.line(item.span().map_or(0, |span| span.start))
    }

    /// The tables of a list such as `[[bin]]`.
    pub(super) fn tables<'m>(&'m self, key: &str) -> Vec<&'m Table> {
        let item = self.document.as_ref().and_then(|document| document.as_table().get(key));
        item.and_then(Item::as_array_of_tables).into_iter().flatten().collect()
    }

    fn line(&self, at: usize) -> u32 {
        let before = self.document.as_ref().and_then(|document| document.raw().get(..at)).unwrap_or("");
        u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// The text below a key of a table.
pub(super) fn text<'m>(table: &'m dyn TableLike, key: &str) -> Option<&'m str> {
    table.get(key).and_then(Item::as_str)
}

/// The text of a value.
pub(super) fn text_of(item: &Item) -> Option<&str> {
    item.as_value().and_then(Value::as_str)
}

/// Empties the line around a place; false where nothing is left to take.
fn without_line(text: &mut String, at: usize) -> bool {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut start = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let mut end = text[at..].find('\n').map_or(text.len(), |feed| at + feed);
    // A fault that is told at the end of a text is of the last line that says something.
    while text[start..end].trim().is_empty() {
        if start == 0 {
            return false;
        }
        end = start - 1;
        start = text[..end].rfind('\n').map_or(0, |feed| feed + 1);
    }
    text.replace_range(start..end, "");
    true
}
