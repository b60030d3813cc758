//! `documents`, their sections, and the files and folders that a person ingested. Derived from files: only the list of ingested
//! paths is a source of truth.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::time::Timestamp;
use rusqlite::params;

/// A document as of its last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRow {
    /// Its number.
    pub id: i64,
    /// The file, relative to the project, with `/`.
    pub path: String,
    /// The one feature whose `knowledge_paths` name it.
    pub feature_id: Option<u32>,
    /// Length and modification time of the file; empty when it must be read again.
    pub stamp: String,
    /// Digest of its content.
    pub digest: String,
    /// When it was read.
    pub read: Timestamp,
    /// Number of its sections.
    pub sections: u32,
}

/// A document to store, replacing what was read from the same file before.
#[derive(Debug, Clone, Copy)]
pub struct NewDocument<'a> {
    /// The file, relative to the project, with `/`.
    pub path: &'a str,
    /// The one feature whose `knowledge_paths` name it.
    pub feature_id: Option<u32>,
    /// Length and modification time of the file.
    pub stamp: &'a str,
    /// Digest of its content.
    pub digest: &'a str,
    /// When it was read.
    pub read: Timestamp,
    /// In file order.
    pub sections: &'a [NewSection],
}

/// A section to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSection {
    /// First line in the file, from 1.
    pub line: u32,
    /// Headings above it, or the name of what it defines.
    pub heading: String,
    /// Its text.
    pub text: String,
}

impl Read<'_> {
    /// All documents by path.
    pub fn documents(&self) -> Result<Vec<DocumentRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT d.id, d.path, d.feature_id, d.stamp, d.digest, d.read,
                 (SELECT count(*) FROM document_sections s WHERE s.document = d.id) AS sections
             FROM documents d ORDER BY d.path",
        )?;
        let rows = statement.query_and_then([], |r| {
            Ok(DocumentRow {
                id: r.get("id")?,
                path: r.get("path")?,
                feature_id: r.get("feature_id")?,
                stamp: r.get("stamp")?,
                digest: r.get("digest")?,
                read: row::time(r, "read")?,
                sections: r.get("sections")?,
            })
        })?;
        rows.collect()
    }

    /// The files and folders that a person ingested, relative to the project.
    pub fn document_sources(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached("SELECT path FROM document_sources ORDER BY path")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Adds a file or folder that a person ingests.
    pub fn add_document_source(&self, path: &str, now: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO document_sources (path, added) VALUES (?1, ?2)")?
            .execute(params![path, now.0])?;
        Ok(())
    }

    /// Removes one. The next scan finds that its documents are no longer needed.
    pub fn remove_document_source(&self, path: &str) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM document_sources WHERE path = ?1")?.execute([path])?;
        Ok(())
    }

    /// Stores a document with its sections, replacing what was read from the file before.
    pub fn put_document(&self, document: &NewDocument<'_>) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM documents WHERE path = ?1")?.execute([document.path])?;
        self.connection
            .prepare_cached("INSERT INTO documents (path, feature_id, stamp, digest, read) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![document.path, document.feature_id, document.stamp, document.digest, document.read.0])?;
        let id = self.connection.last_insert_rowid();
        let mut section_row =
            self.connection.prepare_cached("INSERT INTO document_sections (document, line, heading) VALUES (?1, ?2, ?3)")?;
        let mut passage_row = self.connection.prepare_cached(
            "INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
             VALUES ('document', ?1, ?2, 'active', ?3, ?4, ?6 || ' ' || ?5 || ' ' || identifier_parts(?5 || ' ' || ?6 || ' ' || ?4), names_a_file(?4))",
        )?;
        for section in document.sections {
            section_row.execute(params![id, section.line, section.heading])?;
            let source = self.connection.last_insert_rowid();
            passage_row.execute(params![source, document.feature_id, document.read.0, section.text, document.path, section.heading])?;
        }
        Ok(())
    }

    /// Updates the stamp and the feature of a file whose content is unchanged.
    pub fn set_document(&self, id: i64, stamp: &str, feature_id: Option<u32>) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE documents SET stamp = ?2, feature_id = ?3 WHERE id = ?1")?
            .execute(params![id, stamp, feature_id])?;
        Ok(())
    }

    /// Removes a document with its sections.
    pub fn remove_document(&self, id: i64) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM documents WHERE id = ?1")?.execute([id])?;
        Ok(())
    }
}
