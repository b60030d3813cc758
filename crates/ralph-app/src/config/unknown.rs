//! Keys of the file that belong to no setting, as when one is misspelt.

use super::fault::ConfigFault;
use super::{RECALL, automatic_learning, keys, parse, table};
use ralph_core::recall::Tuning;
use ralph_core::settings::{AutomaticLearning, Settings};
use ralph_core::text::{nearest, on_one_line};
use std::fmt::{self, Display, Formatter};
use std::path::Path;

/// A key or a table that belongs to no setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    key: String,
    /// What was probably meant, in words.
    meant: Option<String>,
}

impl Display for UnknownKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&on_one_line(&self.key))?;
        self.meant.as_ref().map_or(Ok(()), |meant| write!(f, " (did you mean {meant}?)"))
    }
}

/// The keys and tables of a text that belong to no setting. They stay in the file and have no effect: a newer Ralph may know them.
pub fn unknown_keys(path: &Path, text: &str) -> Result<Vec<UnknownKey>, ConfigFault> {
    let document = parse(path, text)?;
    let mut settings = Settings::default();
    let known: Vec<&str> = keys(&mut settings).iter().map(|(key, _)| *key).chain([RECALL, automatic_learning::TABLE]).collect();
    let unknown = document.iter().map(|(key, _)| key).filter(|key| !known.contains(key));
    Ok(unknown.map(|key| UnknownKey { key: key.to_owned(), meant: meant_by(key, &known) }).collect())
}

/// What somebody who wrote this key probably meant: a key of a table, written above that table's header, or one with a similar spelling.
fn meant_by(key: &str, known: &[&str]) -> Option<String> {
    let of_tables = [(RECALL, table::keys_of::<Tuning>()), (automatic_learning::TABLE, table::keys_of::<AutomaticLearning>())];
    let of_a_table = of_tables.iter().find(|(_, keys)| keys.iter().any(|known| known == key));
    of_a_table.map(|(table, _)| format!("the one below [{table}]")).or_else(|| nearest(key, known.iter().copied()).map(str::to_owned))
}
