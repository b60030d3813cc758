//! Seals: what Ralph itself last wrote into each row that is a person's. They are kept up to date by triggers that only Ralph's own writing
//! connection has, so a row that differs from its seal was changed behind Ralph's back. Best effort, like everything that keeps an agent
//! from a file of its person: whoever changes the seal as well is believed.

use crate::error::Result;
use rusqlite::Connection;

/// A table with seals.
pub(crate) struct Sealed {
    pub table: &'static str,
    /// The number of a row, by its columns as `$.column`.
    id: &'static str,
    /// Columns that are not sealed; they have defaults.
    except: &'static [&'static str],
    /// What is done with a row that Ralph did not make.
    pub made: Made,
}

/// What is done with a row that another program made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// It stays, and its words count as an agent's.
    Words,
    /// It is removed: it bears nobody's name, and would count as the person's.
    Goes,
    /// It stays, since others refer to it, and counts for nothing.
    Void,
}

impl Sealed {
    const fn words(table: &'static str) -> Sealed {
        Sealed { table, id: "$.id", except: &[], made: Made::Words }
    }

    /// The number of the row that `row` names.
    pub fn id(&self, row: &str) -> String {
        format!("({})", self.id.replace('$', row))
    }

    /// The sealed columns in their order.
    pub fn columns(&self, connection: &Connection) -> Result<Vec<String>> {
        let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
        let rows = statement.query_map([self.table], |r| r.get(0))?;
        let mut columns = rows.collect::<rusqlite::Result<Vec<String>>>()?;
        columns.retain(|column| !self.except.contains(&column.as_str()));
        Ok(columns)
    }
}

/// The tables with seals; a row refers only to rows of earlier tables, and an iteration's among these only to its task.
pub(crate) const SEALED: [Sealed; 7] = [
    Sealed::words("features"),
    Sealed::words("tasks"),
    Sealed::words("task_comments"),
    Sealed::words("notices"),
    // Numbers of tasks have 32 bits.
    Sealed { table: "task_dependencies", id: "$.task_id << 32 | $.depends_on", except: &[], made: Made::Goes },
    // The lists of what was told make up most of a row, and an agent gains nothing by changing them.
    Sealed { table: "iterations", id: "$.id", except: &["told", "withheld"], made: Made::Void },
    Sealed { table: "guidance", id: "$.id", except: &[], made: Made::Goes },
];

/// Seals every row as it stands; nothing in a database without seals.
pub(crate) fn seal_all(connection: &Connection) -> Result<()> {
    if !has_seals(connection)? {
        return Ok(());
    }
    for sealed in SEALED {
        let (table, id) = (sealed.table, sealed.id("t"));
        let now = object(&sealed.columns(connection)?, |column| format!("t.{column}"));
        connection.execute_batch(&format!(
            "INSERT INTO seals (of, row, content) SELECT '{table}', {id}, {now} FROM {table} t WHERE true
             ON CONFLICT (of, row) DO UPDATE SET content = excluded.content WHERE content <> excluded.content;
             DELETE FROM seals WHERE of = '{table}' AND row NOT IN (SELECT {id} FROM {table} t);"
        ))?;
    }
    Ok(())
}

/// From now on, what this connection writes is sealed: a change seals only the columns that it changes, so that nothing another program
/// wrote into others is taken for Ralph's. The triggers are temporary: they exist only for this connection, and are not in the file.
pub(crate) fn keep(connection: &Connection) -> Result<()> {
    if !has_seals(connection)? {
        return Ok(());
    }
    for sealed in SEALED {
        let (table, columns) = (sealed.table, sealed.columns(connection)?);
        let (new, old) = (sealed.id("NEW"), sealed.id("OLD"));
        let made = object(&columns, |column| format!("NEW.{column}"));
        let changed =
            object(&columns, |column| format!("CASE WHEN OLD.{column} IS NEW.{column} THEN content ->> '{column}' ELSE NEW.{column} END"));
        let named = columns.join(", ");
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS {table}_made AFTER INSERT ON main.{table} BEGIN
                 INSERT INTO seals (of, row, content) VALUES ('{table}', {new}, {made})
                 ON CONFLICT (of, row) DO UPDATE SET content = excluded.content;
             END;
             CREATE TEMP TRIGGER IF NOT EXISTS {table}_changed AFTER UPDATE OF {named} ON main.{table} BEGIN
                 UPDATE seals SET content = {changed} WHERE of = '{table}' AND row = {new};
             END;
             CREATE TEMP TRIGGER IF NOT EXISTS {table}_removed AFTER DELETE ON main.{table} BEGIN
                 DELETE FROM seals WHERE of = '{table}' AND row = {old};
             END;"
        ))?;
    }
    Ok(())
}

/// An older schema, or a database of another domain, has none.
fn has_seals(connection: &Connection) -> Result<bool> {
    Ok(connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'seals')", [], |r| r.get(0))?)
}

/// An expression for each column.
pub(crate) fn listed(columns: &[String], value: impl Fn(&str) -> String) -> String {
    columns.iter().map(|column| value(column)).collect::<Vec<_>>().join(", ")
}

/// A row as JSON, always in the same form.
pub(crate) fn object(columns: &[String], value: impl Fn(&str) -> String) -> String {
    format!("json_object({})", listed(columns, |column| format!("'{column}', {}", value(column))))
}
