//! A table of the file whose keys are the fields of a value; omitted keys keep their defaults.

use super::fault::ConfigFault;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table, Value};

/// Reads the table `name`.
///
/// # Errors
/// What is wrong, with the key.
pub(super) fn read<T: Default + Serialize + DeserializeOwned>(path: &Path, name: &'static str, item: &Item) -> Result<T, ConfigFault> {
    let fault = |fault: String| ConfigFault::Value { path: path.to_owned(), key: name, fault };
    let table = item.as_table().ok_or_else(|| fault(format!("must be a table of its own, below a line [{name}]")))?;
    let defaults = written(&T::default());
    // One key at a time, so that an error can name its key.
    for (key, value) in table {
        if let Some(wrong) = defaults.get(key).and_then(Item::as_value).and_then(|default| kind_fault(default, value)) {
            return Err(fault(format!("{key}: {wrong}")));
        }
        let mut alone = Table::new();
        alone.insert(key, value.clone());
        value_of::<T>(alone).map_err(|error| {
            let wrong = error.message().trim_end().replace('\n', " ");
            fault(if wrong.contains(&format!("`{key}`")) { wrong } else { format!("{key}: {wrong}") })
        })?;
    }
    value_of(table.clone()).map_err(|error| fault(error.message().to_owned()))
}

/// The keys of such a table.
pub(super) fn keys_of<T: Default + Serialize>() -> Vec<String> {
    written(&T::default()).iter().map(|(key, _)| key.to_owned()).collect()
}

/// A value as its table.
fn written<T: Serialize>(value: &T) -> Table {
    toml_edit::ser::to_document(value).map(|document| document.as_table().clone()).unwrap_or_default()
}

fn value_of<T: DeserializeOwned>(table: Table) -> Result<T, toml_edit::de::Error> {
    toml_edit::de::from_str(&DocumentMut::from(table).to_string())
}

/// The kind of value that is required, if a value's kind differs from the default's.
fn kind_fault(default: &Value, item: &Item) -> Option<&'static str> {
    let (is_right, wanted) = match default {
        Value::Float(_) => (item.is_float() || item.is_integer(), "must be a number"),
        Value::Integer(_) => {
            (item.as_integer().is_some_and(|number| u32::try_from(number).is_ok()), "must be a whole number from 0 to 4294967295")
        }
        Value::Boolean(_) => (item.is_bool(), "must be true or false"),
        Value::String(_) => (item.is_str(), "must be a text in quotes"),
        _ => (true, ""),
    };
    (!is_right).then_some(wanted)
}
