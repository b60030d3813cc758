//! Seals: what Ralph itself wrote last of each row that is a person's. Triggers of its own writing connection keep them up, which no other
//! program has: a row that differs from its seal was changed behind Ralph's back. Best effort, like all that keeps an agent from a file of
//! its person: whoever changes the seal as well is believed.

use crate::error::Result;
use rusqlite::Connection;

/// The tables with seals; a row refers to rows of earlier tables only.
pub(crate) const SEALED: [&str; 4] = ["features", "tasks", "task_comments", "notices"];

/// Seals every row as it stands; nothing in a database without seals.
pub(crate) fn seal_all(connection: &Connection) -> Result<()> {
    if !has_seals(connection)? {
        return Ok(());
    }
    for table in SEALED {
        let now = object(&columns(connection, table)?, |column| format!("t.{column}"));
        connection.execute_batch(&format!(
            "INSERT INTO seals (of, row, content) SELECT '{table}', t.id, {now} FROM {table} t WHERE true
             ON CONFLICT (of, row) DO UPDATE SET content = excluded.content WHERE content <> excluded.content;
             DELETE FROM seals WHERE of = '{table}' AND row NOT IN (SELECT id FROM {table});"
        ))?;
    }
    Ok(())
}

/// From now on, what this connection writes is sealed: of a change only the columns that it changes, so that it takes nothing for Ralph's
/// that another program wrote beside it. The triggers are temporary: they exist for this connection alone, and the file does not have them.
pub(crate) fn keep(connection: &Connection) -> Result<()> {
    if !has_seals(connection)? {
        return Ok(());
    }
    for table in SEALED {
        let columns = columns(connection, table)?;
        let made = object(&columns, |column| format!("NEW.{column}"));
        let changed =
            object(&columns, |column| format!("CASE WHEN OLD.{column} IS NEW.{column} THEN content ->> '{column}' ELSE NEW.{column} END"));
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS {table}_made AFTER INSERT ON main.{table} BEGIN
                 INSERT INTO seals (of, row, content) VALUES ('{table}', NEW.id, {made})
                 ON CONFLICT (of, row) DO UPDATE SET content = excluded.content;
             END;
             CREATE TEMP TRIGGER IF NOT EXISTS {table}_changed AFTER UPDATE ON main.{table} BEGIN
                 UPDATE seals SET content = {changed} WHERE of = '{table}' AND row = NEW.id;
             END;
             CREATE TEMP TRIGGER IF NOT EXISTS {table}_removed AFTER DELETE ON main.{table} BEGIN
                 DELETE FROM seals WHERE of = '{table}' AND row = OLD.id;
             END;"
        ))?;
    }
    Ok(())
}

/// An older schema, or a database of another domain, has none.
fn has_seals(connection: &Connection) -> Result<bool> {
    Ok(connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'seals')", [], |r| r.get(0))?)
}

/// The columns of a table in their order.
pub(crate) fn columns(connection: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
    let rows = statement.query_map([table], |r| r.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// An expression for each column.
pub(crate) fn listed(columns: &[String], value: impl Fn(&str) -> String) -> String {
    columns.iter().map(|column| value(column)).collect::<Vec<_>>().join(", ")
}

/// A row as JSON, always in the same form.
pub(crate) fn object(columns: &[String], value: impl Fn(&str) -> String) -> String {
    format!("json_object({})", listed(columns, |column| format!("'{column}', {}", value(column))))
}
