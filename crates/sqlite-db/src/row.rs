//! Reading columns: enums by word, lists from JSON, times from milliseconds.
//!
//! By name where rows are few; through [`Columns`] where they are many.

use crate::error::{DbError, Result};
use ralph_core::cost::Cost;
use ralph_core::time::Timestamp;
use rusqlite::Row;
use rusqlite::types::FromSql;
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
    from_json(column, &value)
}

/// A value from the JSON text of a column.
pub fn from_json<T: DeserializeOwned>(column: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| unreadable(column, text))
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

/// A cost, of columns with the names of its fields.
pub fn cost(row: &Row<'_>) -> rusqlite::Result<Cost> {
    Ok(Cost {
        cost_usd: row.get("cost_usd")?,
        estimated_usd: row.get("estimated_usd")?,
        errands_usd: row.get("errands_usd")?,
        unpriced: row.get("unpriced")?,
    })
}

/// A value as the JSON text of its column.
pub fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("rows hold only strings, numbers, lists and plain structs")
}

/// Reads the columns of a row in the order of its query. A look-up by name compares with each column's name, which for a row of
/// twenty costs more than all its values.
pub struct Columns<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> Columns<'r, 's> {
    pub fn of(row: &'r Row<'s>) -> Columns<'r, 's> {
        Columns { row, next: 0 }
    }

    /// The next column, which must have this name.
    pub fn get<T: FromSql>(&mut self, column: &'static str) -> Result<T> {
        debug_assert_eq!(self.row.as_ref().column_name(self.next).ok(), Some(column), "columns are read in the order of their query");
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    pub fn word<T: FromStr>(&mut self, column: &'static str) -> Result<T> {
        let value: String = self.get(column)?;
        T::from_str(&value).map_err(|_| unreadable(column, &value))
    }

    pub fn json<T: DeserializeOwned>(&mut self, column: &'static str) -> Result<T> {
        let value: String = self.get(column)?;
        serde_json::from_str(&value).map_err(|_| unreadable(column, &value))
    }

    pub fn json_opt<T: DeserializeOwned>(&mut self, column: &'static str) -> Result<Option<T>> {
        let value: Option<String> = self.get(column)?;
        value.map(|v| serde_json::from_str(&v).map_err(|_| unreadable(column, &v))).transpose()
    }

    pub fn time(&mut self, column: &'static str) -> Result<Timestamp> {
        Ok(Timestamp(self.get(column)?))
    }

    pub fn time_opt(&mut self, column: &'static str) -> Result<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>(column)?.map(Timestamp))
    }
}

fn unreadable(column: &'static str, value: &str) -> DbError {
    DbError::Unreadable { column, value: ralph_core::text::cut(value, 80).to_owned() }
}
