//! Functions that SQLite lacks.

use crate::error::Result;
use ralph_core::identifier;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};

/// Those of the triggers that maintain the index of passages: any writing connection needs them.
pub fn add_functions(connection: &Connection) -> Result<()> {
    add(connection, "identifier_parts", identifier::identifier_parts)?;
    add(connection, "names_a_file", identifier::names_a_file)
}

/// Those of filters. SQLite's own `lower` knows only the letters of ASCII.
pub(crate) fn add_filters(connection: &Connection) -> Result<()> {
    add(connection, "lowercase", str::to_lowercase)
}

/// A function of one text; NULL counts as the empty text.
fn add<T: rusqlite::ToSql + 'static>(connection: &Connection, name: &str, of: fn(&str) -> T) -> Result<()> {
    let plain = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    let called = move |context: &Context<'_>| Ok(of(context.get_raw(0).as_str_or_null()?.unwrap_or_default()));
    Ok(connection.create_scalar_function(name, 1, plain, called)?)
}
