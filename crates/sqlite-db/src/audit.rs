//! Scanning and, on request, replacing every text of a database: all columns of all tables, including those added later.

use crate::backup::{FOLDER, remove_unfinished, replace_copy};
use crate::connection::{Db, Writer};
use crate::error::Result;
use crate::functions::add_functions;
use crate::log::open_sound;
use crate::seals;
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::panic::RefUnwindSafe;
use std::path::Path;
use std::sync::Arc;

/// Findings in the texts of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnAudit {
    /// `table.column`.
    pub place: String,
    /// Number of texts.
    pub texts: u32,
    /// Texts with findings.
    pub affected: u32,
    /// Total findings.
    pub found: u32,
}

/// Counts the findings in a text of a column (`table.column`).
pub type Look<'l> = &'l dyn Fn(&str, &str) -> usize;
/// Removes the findings from a text of a column.
pub type Wash = Arc<dyn Fn(&str, &str) -> String + Send + Sync + RefUnwindSafe>;

impl Db {
    /// Scans every text.
    pub fn audit(&self, look: Look<'_>) -> Result<Vec<ColumnAudit>> {
        self.read(|read| audit(read.connection, look))
    }
}

impl Writer<'_> {
    /// Replaces every text by the result of `wash` in one transaction, then rewrites the file, so that nothing of the old texts is
    /// left in it, in its free pages or in the WAL: not of those either that were changed or deleted before. Returns how many texts
    /// changed.
    pub fn wash(&mut self, wash: &Wash) -> Result<u32> {
        let changed = self.wash_texts(wash)?;
        self.read().connection.execute_batch("VACUUM")?;
        self.checkpoint()?;
        Ok(changed)
    }

    /// Removes what kills left of copies in these folders and their `backups`; `of_evaluation` are those of `eval.db`.
    pub fn remove_unfinished_copies(&self, folders: &[&Path], of_evaluation: bool) {
        for folder in folders {
            remove_unfinished(folder, of_evaluation);
            remove_unfinished(&folder.join(FOLDER), of_evaluation);
        }
    }

    fn wash_texts(&mut self, wash: &Wash) -> Result<u32> {
        self.transaction(|tx| wash_all(tx.connection, wash))
    }
}

/// Scans every text of a copy, which is not changed, with what stands in its log. One that is damaged is refused.
pub fn audit_copy(path: &Path, look: Look<'_>) -> Result<Vec<ColumnAudit>> {
    audit(&open_sound(path)?, look)
}

/// Replaces a copy by a washed one, atomically.
pub fn wash_copy(path: &Path, wash: &Wash) -> Result<()> {
    replace_copy(path, |beside| {
        let mut connection = Connection::open(beside)?;
        connection.pragma_update(None, "journal_mode", "DELETE")?;
        add_functions(&connection)?;
        let transaction = connection.transaction()?;
        wash_all(&transaction, wash)?;
        transaction.commit()?;
        Ok(connection.execute_batch("VACUUM")?)
    })
}

fn audit(connection: &Connection, look: Look<'_>) -> Result<Vec<ColumnAudit>> {
    let mut audits = Vec::new();
    for (table, column) in columns(connection)? {
        let mut statement = connection.prepare(&format!("SELECT {column} FROM {table} WHERE typeof({column}) = 'text'"))?;
        let mut audit = ColumnAudit { place: place(&table, &column), texts: 0, affected: 0, found: 0 };
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let found = u32::try_from(look(&audit.place, row.get_ref(0)?.as_str().unwrap_or_default())).unwrap_or(u32::MAX);
            audit.texts += 1;
            audit.affected += u32::from(found > 0);
            audit.found = audit.found.saturating_add(found);
        }
        audits.push(audit);
    }
    Ok(audits)
}

fn wash_all(connection: &Connection, wash: &Wash) -> Result<u32> {
    let plain = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let wash = Arc::clone(wash);
    connection.create_scalar_function("washed", 2, plain, move |context| {
        let text = |at: usize| Ok::<_, rusqlite::Error>(context.get_raw(at).as_str_or_null()?.unwrap_or_default());
        Ok(wash(text(0)?, text(1)?))
    })?;
    // A name and the references to it change one after the other.
    connection.pragma_update(None, "defer_foreign_keys", true)?;
    let mut changed = 0;
    find_by_washed_words(connection)?;
    for (table, column) in columns(connection)? {
        // A text that would collide with another row's key stays; the next scan reports it.
        let sql = format!(
            "UPDATE OR IGNORE {table} SET {column} = washed(?1, {column}) WHERE typeof({column}) = 'text' AND washed(?1, {column}) <> {column}"
        );
        changed += connection.execute(&sql, [place(&table, &column)])?;
    }
    // Words of old texts stay in the segments of an index until these are merged.
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%USING fts5%'")?;
    let indexes: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for index in indexes.iter().map(|name| quoted(name)) {
        connection.execute(&format!("INSERT INTO {index} ({index}) VALUES ('rebuild')"), [])?;
    }
    if changed > 0 {
        seals::seal_all(connection)?;
        forget_derived(connection)?;
    }
    Ok(u32::try_from(changed).unwrap_or(u32::MAX))
}

/// What a text is found by is made of the washed one: the parts of names, in which a secret would stand piece by piece, and its vector, which
/// is made anew. Older copies and the history of retrieval lack the tables.
fn find_by_washed_words(connection: &Connection) -> Result<()> {
    if !is_there(connection, "passages")? {
        return Ok(());
    }
    change_what_is_there(
        connection,
        &[
            ("vectors", "DELETE FROM vectors WHERE passage IN (SELECT row FROM passages WHERE washed('passages.text', text) <> text)"),
            (
                "passages_waiting",
                "INSERT OR IGNORE INTO passages_waiting (passage)
             SELECT row FROM passages WHERE state IN ('active', 'parked') AND washed('passages.text', text) <> text",
            ),
        ],
    )?;
    for (kind, table, beside) in BESIDE {
        let sql = format!(
            "UPDATE passages SET terms = identifier_parts(washed('passages.text', text)) || coalesce(' ' || ({beside}), '')
             WHERE kind = '{kind}' AND (washed('passages.text', text) <> text OR washed('passages.terms', terms) <> terms)"
        );
        change_what_is_there(connection, &[(table, sql.as_str())])?;
    }
    Ok(())
}

/// The terms of a passage of each kind beside those of its text, washed, and the table that has them.
const BESIDE: [(&str, &str, &str); 5] = [
    (
        "learning",
        "memories",
        "SELECT group_concat(washed('memories.tags', value), ' ') FROM memories m, json_each(m.tags) WHERE m.row = passages.source",
    ),
    (
        "document",
        "document_sections",
        "SELECT heading || ' ' || path || ' ' || identifier_parts(path || ' ' || heading)
         FROM (SELECT washed('document_sections.heading', s.heading) AS heading, washed('documents.path', d.path) AS path
               FROM document_sections s JOIN documents d ON d.id = s.document WHERE s.id = passages.source)",
    ),
    (
        "episode",
        "episodes",
        "SELECT group_concat(file || ' ' || identifier_parts(file), ' ')
         FROM (SELECT washed('episodes.files', value) AS file FROM episodes e, json_each(e.files) WHERE e.row = passages.source)",
    ),
    (
        "fact",
        "facts",
        "SELECT kind || ' ' || identifier_parts(kind) || coalesce(' ' || file || ' ' || identifier_parts(file), '')
         FROM (SELECT washed('facts.kind', t.kind) AS kind, CASE WHEN t.file IS NOT NULL THEN washed('facts.file', t.file) END AS file
               FROM facts t WHERE t.row = passages.source)",
    ),
    ("failure_report", "failure_reports", "SELECT error_category FROM failure_reports r WHERE r.iteration_id = passages.source"),
];

fn is_there(connection: &Connection, table: &str) -> Result<bool> {
    let there = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
    Ok(connection.query_row(there, [table], |row| row.get(0))?)
}

/// Vectors reveal something about a text, and an index has its words. Both are made anew from the texts that still exist; older copies and
/// the history of retrieval lack these tables.
fn forget_derived(connection: &Connection) -> Result<()> {
    change_what_is_there(
        connection,
        &[
            ("kept_vectors", "DELETE FROM kept_vectors"),
            ("token_vectors", "DELETE FROM token_vectors"),
            // A snapshot of an index without its mark is passed over.
            ("meta", "DELETE FROM meta WHERE key GLOB 'index_of_*'"),
            // Whoever holds an index in memory is further behind than the known changes reach, and reads everything.
            (
                "passage_changes",
                "INSERT INTO passage_changes (passage) VALUES (0);
             DELETE FROM passage_changes WHERE version < (SELECT max(version) FROM passage_changes)",
            ),
        ],
    )
}

/// Executes each statement whose table there is.
fn change_what_is_there(connection: &Connection, changes: &[(&str, &str)]) -> Result<()> {
    for (table, change) in changes {
        if is_there(connection, table)? {
            connection.execute_batch(change)?;
        }
    }
    Ok(())
}

/// Every stored column of every table, quoted. An index's internal tables contain no text of their own, nor do seals.
fn columns(connection: &Connection) -> Result<Vec<(String, String)>> {
    let mut statement = connection.prepare(
        "SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name <> 'seals' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.hidden = 0
         ORDER BY t.name, c.cid",
    )?;
    let rows = statement.query_map([], |row| Ok((quoted(&row.get::<_, String>(0)?), quoted(&row.get::<_, String>(1)?))))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn place(table: &str, column: &str) -> String {
    format!("{table}.{column}").replace('"', "")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::BackupReason;

    const FOUND: &str = "swordfish-4711";

    fn look(_: &str, text: &str) -> usize {
        text.matches(FOUND).count()
    }

    fn wash() -> Wash {
        Arc::new(|_: &str, text: &str| text.replace(FOUND, "[gone]"))
    }

    fn holds(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                found.extend(holds(&entry.path()));
            } else if std::fs::read(entry.path()).expect("reads").windows(FOUND.len()).any(|bytes| bytes == FOUND.as_bytes()) {
                found.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        found
    }

    #[test]
    fn what_was_deleted_before_is_in_no_free_page_of_a_washed_database() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        let mut writer = db.writer().expect("a turn");
        let fill = format!("INSERT INTO meta (key, value) VALUES ('x', '{FOUND}, and more'); UPDATE meta SET value = '' WHERE key = 'x'");
        writer.transaction::<_, crate::DbError>(|tx| Ok(tx.connection.execute_batch(&fill)?)).expect("fills");
        writer.checkpoint().expect("into the file");
        assert_eq!(holds(folder.path()).len(), 1);
        assert_eq!(writer.wash(&wash()).expect("washes"), 0);
        drop(writer);
        assert_eq!(holds(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_washed_database_holds_nothing_of_it_in_any_page_or_copy() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        let fill = format!(
            "INSERT INTO features (id, name, display_name, description, context_files, state, created, updated)
             VALUES (1, 'pay', 'Pay', 'uses {FOUND}', '[\"a/{FOUND}\"]', 'active', 1, 1);
             INSERT INTO tasks (feature_id, title, description, status, priority, provenance, kind, position, created, updated)
             VALUES (1, 't {FOUND}', '', 'pending', 1, 'human', 'work', 0, 1, 1);
             INSERT INTO memories (id, kind, feature_id, text, source, created, state)
             VALUES ('L1', 'learning', 1, 'Log in with `{FOUND}` first', 'agent', 1, 'active'), ('L2', 'learning', 1, '{FOUND}', 'agent', 1, 'active'),
                 ('L3', 'learning', 1, 'Sums are cents', 'agent', 1, 'active');
             INSERT INTO vectors (passage, model, vector, hash) SELECT row, 'm', zeroblob(8), x'02' FROM passages WHERE text LIKE 'Log in%';
             INSERT INTO vectors (passage, model, vector, hash) SELECT row, 'm', zeroblob(8), x'03' FROM passages WHERE text LIKE 'Sums%';
             DELETE FROM memories WHERE id = 'L2';
             INSERT INTO documents (id, path, stamp, digest, read) VALUES (1, 'docs/vault.md', '', '', 1);
             INSERT INTO document_sections (id, document, line, heading) VALUES (1, 1, 1, 'Gates of {FOUND}'), (2, 1, 2, 'Keys');
             INSERT INTO passages (kind, source, state, created, text, terms, names_a_file)
             VALUES ('document', 1, 'active', 1, 'Knock.', 'Gates of {FOUND} docs/vault.md docs vault md swordfish 4711', 0),
                 ('document', 2, 'active', 1, 'Say `{FOUND}`.', 'Keys docs/vault.md docs vault md swordfish 4711', 0);
             INSERT INTO facts (id, kind, subject, value, confidence, source, file, created)
             VALUES ('F1', 'login', 'door', '`{FOUND}`', 1, 'human', 'src/door.rs', 1);
             INSERT INTO meta (key, value) VALUES ('x', '{FOUND}');
             INSERT INTO kept_vectors (hash, model, vector) VALUES (x'01', 'm', zeroblob(8));
             INSERT INTO token_vectors (hash, model, tokens) VALUES (x'01', 'm', zeroblob(128));"
        );
        let mut writer = db.writer().expect("a turn");
        writer.transaction::<_, crate::DbError>(|tx| Ok(tx.connection.execute_batch(&fill)?)).expect("fills");
        let copy = writer.backup(folder.path(), BackupReason::Regular).expect("copies");
        assert!(holds(folder.path()).len() >= 2);
        let found: Vec<(String, u32)> =
            db.audit(&look).expect("audits").into_iter().filter(|c| c.found > 0).map(|c| (c.place, c.found)).collect();
        assert!(found.contains(&("features.description".to_owned(), 1)) && found.contains(&("meta.value".to_owned(), 1)), "{found:?}");
        assert!(audit_copy(&copy, &look).expect("audits").iter().any(|c| c.found > 0));

        assert!(writer.wash(&wash()).expect("washes") >= 5);
        let time = || copy.metadata().and_then(|found| found.modified()).expect("has a time");
        let made = time() - std::time::Duration::from_secs(86_400);
        std::fs::File::options().write(true).open(&copy).and_then(|file| file.set_modified(made)).expect("a copy of yesterday");
        wash_copy(&copy, &wash()).expect("washes the copy");
        assert_eq!(time(), made, "it is no newer state than before");
        drop(writer);
        assert_eq!(holds(folder.path()), Vec::<String>::new());
        assert!(db.audit(&look).expect("audits").iter().all(|column| column.found == 0));
        let kept = "SELECT (SELECT count(*) FROM kept_vectors) + (SELECT count(*) FROM token_vectors)";
        let left: u32 = db.read::<_, crate::DbError>(|r| Ok(r.connection.query_row(kept, [], |row| row.get(0))?)).expect("counts");
        assert_eq!(left, 0, "nor what was made of it");
        let vectors = "SELECT (SELECT group_concat(hex(hash)) FROM vectors),
            (SELECT group_concat(text) FROM passages WHERE row IN (SELECT passage FROM passages_waiting))";
        let left: (String, String) = db
            .read::<_, crate::DbError>(|r| Ok(r.connection.query_row(vectors, [], |row| Ok((row.get(0)?, row.get(1)?)))?))
            .expect("reads");
        assert_eq!(left.0, "03", "its vector is made anew, and no other one");
        assert!(left.1.contains("Log in with `[gone]` first") && !left.1.contains("Sums"), "{}", left.1);
        let pieces = "SELECT count(*) FROM passages WHERE terms LIKE '%4711%'";
        let left: u32 = db.read::<_, crate::DbError>(|r| Ok(r.connection.query_row(pieces, [], |row| row.get(0))?)).expect("counts");
        assert_eq!(left, 0, "nor its pieces");
        // The full-text index follows: new words are found, old ones are not.
        let hits = |word: &str| -> u32 {
            let sql = "SELECT count(*) FROM knowledge_fts WHERE knowledge_fts MATCH ?1";
            db.read::<_, crate::DbError>(|r| Ok(r.connection.query_row(sql, [word], |row| row.get(0))?)).expect("searches")
        };
        assert_eq!((hits("gone"), hits("swordfish")), (4, 0));
        assert_eq!(
            (hits("gates"), hits("keys"), hits("vault"), hits("login"), hits("src")),
            (1, 1, 2, 1, 1),
            "and by what stands beside them"
        );
        assert!(crate::look_at_copy(&copy).is_ok());
    }
}
