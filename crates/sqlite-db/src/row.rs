//! Reading columns: enums by word, lists from JSON, times from milliseconds.

use crate::error::{DbError, Result};
use ralph_core::time::Timestamp;
use rusqlite::Row;
use serde::de::DeserializeOwned;
use std::str::FromStr;

pub fn word<T: FromStr>(row: &Row<'_>, column: &'static str) -> Result<T> {
    let value: String = row.get(column)?;
    T::from_str(&value).map_err(|_| unreadable(column, &value))
}

pub fn word_opt<T: FromStr>(row: &Row<'_>, column: &'static str) -> Result<Option<T>> {
    let value: Option<String> = row.get(column)?;
    value.map(|v| T::from_str(&v).map_err(|_| unreadable(column, &v))).transpose()
}

pub fn json<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> Result<T> {
    let value: String = row.get(column)?;
    serde_json::from_str(&value).map_err(|_| unreadable(column, &value))
}

pub fn json_opt<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> Result<Option<T>> {
    let value: Option<String> = row.get(column)?;
    value.map(|v| serde_json::from_str(&v).map_err(|_| unreadable(column, &v))).transpose()
}

pub fn time(row: &Row<'_>, column: &'static str) -> Result<Timestamp> {
    Ok(Timestamp(row.get(column)?))
}

pub fn time_opt(row: &Row<'_>, column: &'static str) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}

/// A value as the JSON text of its column.
pub fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("rows hold only strings, numbers, lists and plain structs")
}

fn unreadable(column: &'static str, value: &str) -> DbError {
    DbError::Unreadable { column, value: ralph_core::text::cut(value, 80).to_owned() }
}
