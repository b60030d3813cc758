//! `disciplines`: how work is done.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::discipline::Discipline;
use rusqlite::{Row, params};

const COLUMNS: &str = "SELECT name, display_name, persona, conventions, skills, mcp_servers FROM disciplines";

fn read_row(r: &Row<'_>) -> Result<Discipline> {
    Ok(Discipline {
        name: r.get("name")?,
        display_name: r.get("display_name")?,
        persona: r.get("persona")?,
        conventions: r.get("conventions")?,
        skills: row::json(r, "skills")?,
        mcp_servers: row::json(r, "mcp_servers")?,
    })
}

impl Read<'_> {
    /// All disciplines by name.
    pub fn disciplines(&self) -> Result<Vec<Discipline>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} ORDER BY name"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// One discipline.
    pub fn discipline(&self, name: &str) -> Result<Option<Discipline>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE name = ?1"))?;
        statement.query_and_then([name], read_row)?.next().transpose()
    }
}

impl Tx<'_> {
    /// Stores a discipline, replacing one with the same name.
    pub fn put_discipline(&self, discipline: &Discipline) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO disciplines (name, display_name, persona, conventions, skills, mcp_servers) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (name) DO UPDATE SET display_name = ?2, persona = ?3, conventions = ?4, skills = ?5, mcp_servers = ?6",
            )?
            .execute(params![
                discipline.name,
                discipline.display_name,
                discipline.persona,
                discipline.conventions,
                row::to_json(&discipline.skills),
                row::to_json(&discipline.mcp_servers)
            ])?;
        Ok(())
    }
}
