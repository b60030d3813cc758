//! `code_files`: manifests and sources that state facts themselves, as of their last read.

use crate::connection::{Read, Tx};
use crate::error::Result;
use rusqlite::params;

/// A file that can state facts, as of its last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// Relative to the project, with `/`.
    pub path: String,
    /// Length and modification time; empty when it must be read again.
    pub stamp: String,
    /// Digest of its content.
    pub digest: String,
    /// Its facts, as a JSON array.
    pub facts: String,
    /// Why it is skipped.
    pub skipped: Option<String>,
}

impl Read<'_> {
    /// All files by path.
    pub fn code_files(&self) -> Result<Vec<CodeFile>> {
        let mut statement = self.connection.prepare_cached("SELECT path, stamp, digest, facts, skipped FROM code_files ORDER BY path")?;
        let file = |r: &rusqlite::Row<'_>| {
            Ok(CodeFile {
                path: r.get("path")?,
                stamp: r.get("stamp")?,
                digest: r.get("digest")?,
                facts: r.get("facts")?,
                skipped: r.get("skipped")?,
            })
        };
        statement.query_and_then([], file)?.collect()
    }
}

impl Tx<'_> {
    /// Stores a file, replacing what was read from it before.
    pub fn put_code_file(&self, file: &CodeFile) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO code_files (path, stamp, digest, facts, skipped) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.prepare_cached(sql)?.execute(params![file.path, file.stamp, file.digest, file.facts, file.skipped])?;
        Ok(())
    }

    /// Deletes a file's row.
    pub fn remove_code_file(&self, path: &str) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM code_files WHERE path = ?1")?.execute([path])?;
        Ok(())
    }
}
