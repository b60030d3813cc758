//! TOML manifests, parsed as far as possible, with the lines of their keys.

use toml_edit::{Document, Item, Table, TableLike, Value};

/// Syntax errors that are cut out of a manifest before giving up on the rest.
const FAULTS: usize = 20;

/// A manifest.
pub(super) struct Manifest {
    /// `None` if nothing of it can be parsed.
    document: Option<Document<String>>,
    /// Where its lines end.
    feeds: Vec<usize>,
}

/// An entry of a table: its key, its value, and its line.
pub(super) struct Entry<'m> {
    pub(super) key: &'m str,
    pub(super) item: &'m Item,
    pub(super) line: u32,
}

impl Manifest {
    /// Parses a manifest. An invalid line is treated as empty.
    pub(super) fn of(source: &str) -> Manifest {
        let mut text = source.to_owned();
        for _ in 0..FAULTS {
            let fault = match Document::parse(text.clone()) {
                Ok(document) => {
                    let feeds = document.raw().match_indices('\n').map(|(at, _)| at).collect();
                    return Manifest { document: Some(document), feeds };
                }
                Err(error) => error.span().map_or(0, |span| span.start),
            };
            if !without_line(&mut text, fault) {
                break;
            }
        }
        Manifest { document: None, feeds: Vec::new() }
    }

    /// The table below some keys; `None` if there is none.
    pub(super) fn table(&self, keys: &[&str]) -> Option<&dyn TableLike> {
        let mut table: &dyn TableLike = self.document.as_ref()?.as_table();
        for key in keys {
            table = table.get(key)?.as_table_like()?;
        }
        Some(table)
    }

    /// The value below some keys.
    pub(super) fn item(&self, keys: &[&str]) -> Option<&Item> {
        let (last, before) = keys.split_last()?;
        self.table(before)?.get(last)
    }

    /// The entries of a table, in order; none if it does not exist.
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

    /// The strings of a list, each with its line.
    pub(super) fn texts<'m>(&self, item: &'m Item) -> Vec<(&'m str, u32)> {
        let values = item.as_array().into_iter().flatten();
        values.filter_map(|value| Some((value.as_str()?, self.line(value.span()?.start)))).collect()
    }

    /// The line of an item.
    pub(super) fn line_of(&self, item: &Item) -> u32 {
        self.line(item.span().map_or(0, |span| span.start))
    }

    /// The tables of a list such as `[[bin]]`.
    pub(super) fn tables<'m>(&'m self, key: &str) -> Vec<&'m Table> {
        let item = self.document.as_ref().and_then(|document| document.as_table().get(key));
        item.and_then(Item::as_array_of_tables).into_iter().flatten().collect()
    }

    fn line(&self, at: usize) -> u32 {
        u32::try_from(self.feeds.partition_point(|feed| *feed < at)).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// The string below a key of a table.
pub(super) fn text<'m>(table: &'m dyn TableLike, key: &str) -> Option<&'m str> {
    table.get(key).and_then(Item::as_str)
}

/// Where a table says that a package comes from: a version, else a repository with the revision in it, or an address.
pub(super) fn source(table: &dyn TableLike) -> Option<String> {
    let of_repository = |address: &str| match ["tag", "branch", "rev"].into_iter().find_map(|key| text(table, key)) {
        Some(taken) => format!("{address}#{taken}"),
        None => address.to_owned(),
    };
    let address = || text(table, "git").map(of_repository).or_else(|| text(table, "url").map(str::to_owned));
    text(table, "version").map(str::to_owned).or_else(address)
}

/// The value of a string.
pub(super) fn text_of(item: &Item) -> Option<&str> {
    item.as_value().and_then(Value::as_str)
}

/// Empties the line around an offset; returns false if nothing is left to remove.
fn without_line(text: &mut String, at: usize) -> bool {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut start = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let mut end = text[at..].find('\n').map_or(text.len(), |feed| at + feed);
    // An error reported at the end of a text belongs to the last non-blank line.
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
