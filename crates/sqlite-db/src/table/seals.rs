//! `seals`: rows that another program than Ralph wrote. How they are kept up: [`crate::seals`].

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::seals::{SEALED, columns, listed, object, seal_all};
use serde_json::{Map, Value};

/// Columns that tell who wrote a row's words.
const AUTHORS: [&str; 2] = ["author", "provenance"];

/// A row by its columns.
pub type SealedRow = Map<String, Value>;

/// A row that another program than Ralph wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignRow {
    /// Its table.
    pub table: &'static str,
    /// Its number.
    pub id: i64,
    /// As Ralph wrote it last; `None` for one that Ralph did not make.
    pub before: Option<SealedRow>,
    /// As it stands; `None` for one that is gone.
    pub now: Option<SealedRow>,
}

impl Read<'_> {
    /// The rows that another program wrote since they were sealed.
    pub fn foreign_rows(&self) -> Result<Vec<ForeignRow>> {
        let mut found = Vec::new();
        for table in SEALED {
            let now = object(&columns(self.connection, table)?, |column| format!("t.{column}"));
            let mut statement = self.connection.prepare(&format!(
                "SELECT t.id, s.content, {now} FROM {table} t LEFT JOIN seals s ON s.of = '{table}' AND s.row = t.id
                 WHERE s.content IS NOT {now}
                 UNION ALL SELECT row, content, NULL FROM seals WHERE of = '{table}' AND row NOT IN (SELECT id FROM {table})"
            ))?;
            let row = |json: Option<String>| json.map(|json| serde_json::from_str(&json).unwrap_or_default());
            let rows = statement.query_map([], |r| Ok(ForeignRow { table, id: r.get(0)?, before: row(r.get(1)?), now: row(r.get(2)?) }))?;
            found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
        }
        Ok(found)
    }
}

impl Tx<'_> {
    /// Writes a row as Ralph wrote it last. The words of one that Ralph did not make count as an agent's from now on.
    pub fn take_back(&self, row: &ForeignRow) -> Result<()> {
        let ForeignRow { table, id, before, now } = row;
        let columns = columns(self.connection, table)?;
        let (names, sealed) = (columns.join(", "), listed(&columns, |column| format!("content ->> '{column}'")));
        let seal = format!("FROM seals WHERE of = '{table}' AND row = ?1");
        match (before, now) {
            (Some(_), Some(_)) => {
                self.connection.execute(&format!("UPDATE {table} SET ({names}) = (SELECT {sealed} {seal}) WHERE id = ?1"), [id])?;
            }
            (Some(_), None) => {
                self.connection.execute(&format!("INSERT INTO {table} ({names}) SELECT {sealed} {seal}"), [id])?;
            }
            (None, _) => {
                let authors = columns.iter().filter(|column| AUTHORS.contains(&column.as_str()));
                for column in authors {
                    self.connection.execute(&format!("UPDATE {table} SET {column} = 'agent' WHERE id = ?1"), [id])?;
                }
                let now = object(&columns, |column| format!("t.{column}"));
                let seal = format!("INSERT INTO seals (of, row, content) SELECT '{table}', t.id, {now} FROM {table} t WHERE t.id = ?1");
                self.connection.execute(&seal, [id])?;
            }
        }
        Ok(())
    }

    /// Seals every row as it stands: what a person did to the file with another program while no agent was at work is theirs.
    pub fn seal_all(&self) -> Result<()> {
        seal_all(self.connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Db;
    use ralph_core::feature::Feature;
    use ralph_core::task::{Task, TaskStatus};
    use ralph_core::time::Timestamp;
    use rusqlite::Connection;

    /// A database with two tasks, and the way of another program into it.
    fn history() -> (tempfile::TempDir, Db, Connection) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        let db = Db::open(&path).expect("opens");
        write(&db, |tx| {
            tx.insert_feature(&Feature::new("pay", Timestamp(1)))?;
            for title in ["Refund", "Ledger"] {
                tx.insert_task(&Task::new("pay", title, Timestamp(1)))?;
            }
            Ok(())
        });
        (folder, db, Connection::open(path).expect("opens"))
    }

    fn write(db: &Db, f: impl FnOnce(&Tx<'_>) -> Result<()>) {
        db.writer().expect("a turn").transaction(f).expect("writes");
    }

    fn foreign(db: &Db) -> Vec<ForeignRow> {
        db.read(|r| r.foreign_rows()).expect("reads")
    }

    fn take_back(db: &Db) {
        write(db, |tx| foreign(db).iter().try_for_each(|row| tx.take_back(row)));
    }

    fn tasks(db: &Db) -> Vec<(String, TaskStatus, String)> {
        let tasks = db.read(|r| r.tasks(&Default::default())).expect("reads");
        tasks.into_iter().map(|task| (task.title, task.status, task.author.to_string())).collect()
    }

    #[test]
    fn what_another_program_wrote_is_found_and_taken_back() {
        let (_folder, db, other) = history();
        let as_they_were = tasks(&db);
        assert_eq!(foreign(&db), [], "what Ralph writes is its own");
        for harm in [
            "UPDATE tasks SET status = 'done', title = 'Evil' WHERE id = 2",
            "DELETE FROM tasks WHERE id = 1",
            "UPDATE features SET max_learnings = 5, boundaries = 'none'",
        ] {
            other.execute(harm, []).expect(harm);
            assert_eq!(foreign(&db).len(), 1, "{harm}");
            take_back(&db);
            assert_eq!((foreign(&db), tasks(&db)), (vec![], as_they_were.clone()), "{harm}");
        }
        assert_eq!(db.read(|r| r.feature("pay")).expect("reads").map(|feature| feature.max_learnings), Some(None));
    }

    #[test]
    fn a_change_by_ralph_does_not_vouch_for_what_stood_beside_it() {
        let (_folder, db, other) = history();
        other.execute("UPDATE tasks SET title = 'Evil' WHERE id = 2", []).expect("writes");
        write(&db, |tx| tx.set_task_status(2, TaskStatus::InProgress, None, Timestamp(2)));
        take_back(&db);
        assert_eq!(tasks(&db)[1], ("Ledger".to_owned(), TaskStatus::InProgress, "human".to_owned()));
    }

    #[test]
    fn words_that_ralph_did_not_store_are_no_person_s() {
        let (_folder, db, other) = history();
        let made = "INSERT INTO tasks (id, feature_id, title, provenance, position, created, updated)
             VALUES (9, 1, 'Obey', 'human', 9, 1, 1)";
        other.execute(made, []).expect("writes");
        assert_eq!(foreign(&db).iter().map(|row| (row.id, row.before.is_none())).collect::<Vec<_>>(), [(9, true)]);
        take_back(&db);
        let made = ("Obey".to_owned(), TaskStatus::Pending, "agent".to_owned());
        assert_eq!((foreign(&db), tasks(&db).contains(&made)), (vec![], true));
        // What is lost with the seals is no work.
        other.execute("DELETE FROM seals", []).expect("writes");
        take_back(&db);
        assert_eq!((foreign(&db), tasks(&db).len()), (vec![], 3));
    }

    #[test]
    fn a_person_s_own_change_of_the_file_is_sealed() {
        let (_folder, db, other) = history();
        other.execute("UPDATE tasks SET title = 'Mine' WHERE id = 2", []).expect("writes");
        write(&db, |tx| tx.seal_all());
        assert_eq!((foreign(&db), &*tasks(&db)[1].0), (vec![], "Mine"));
    }
}
