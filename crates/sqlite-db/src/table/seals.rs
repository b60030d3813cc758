//! `seals`: rows that a program other than Ralph wrote. How seals are kept up: [`crate::seals`].

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::seals::{Made, SEALED, Sealed, listed, object, seal_all};
use serde_json::{Map, Value};

/// Columns that record who wrote a row's words.
const AUTHORS: [&str; 2] = ["author", "provenance"];
/// An iteration that counts for nothing: it is over, was not an attempt, and cost nothing.
const VOID: &str = "outcome = 'interrupted', ended = coalesce(ended, started), attempt = NULL, exit_code = NULL, evidence = '{}',
    note = 'made by another program than Ralph', cost_usd = NULL, cost_estimated = 0, unpriced = 0,
    input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0";

/// A row by its columns.
pub type SealedRow = Map<String, Value>;

/// A row that a program other than Ralph wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignRow {
    /// Its table.
    pub table: &'static str,
    /// Its number; for a dependency both tasks' numbers in one.
    pub id: i64,
    /// As Ralph wrote it last; `None` for one that Ralph did not make.
    pub before: Option<SealedRow>,
    /// The row as it is; `None` if it is gone.
    pub now: Option<SealedRow>,
}

/// What was done with a foreign row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is again as Ralph wrote it last.
    PutBack,
    /// Its words count as an agent's.
    Agents,
    /// It is gone.
    Gone,
    /// It counts for nothing.
    Void,
    /// It stays as it was found: with all seals gone, nothing distinguishes it from Ralph's own.
    Stays,
}

impl Read<'_> {
    /// The rows that another program has written since they were sealed, new ones first: they may be in the way of others.
    pub fn foreign_rows(&self) -> Result<Vec<ForeignRow>> {
        let mut found = Vec::new();
        for sealed in SEALED {
            let (table, id) = (sealed.table, sealed.id("t"));
            let now = object(&sealed.columns(self.connection)?, |column| format!("t.{column}"));
            let mut statement = self.connection.prepare(&format!(
                "SELECT {id}, s.content, {now} FROM {table} t LEFT JOIN seals s ON s.of = '{table}' AND s.row = {id}
                 WHERE s.content IS NOT {now}
                 UNION ALL SELECT row, content, NULL FROM seals WHERE of = '{table}' AND row NOT IN (SELECT {id} FROM {table} t)"
            ))?;
            let row = |json: Option<String>| json.map(|json| serde_json::from_str(&json).unwrap_or_default());
            let rows = statement.query_map([], |r| Ok(ForeignRow { table, id: r.get(0)?, before: row(r.get(1)?), now: row(r.get(2)?) }))?;
            found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
        }
        found.sort_by_key(|row| row.before.is_some());
        Ok(found)
    }
}

impl Tx<'_> {
    /// Restores rows to what Ralph last wrote; what is done with those that Ralph did not create depends on what they are. One that can't
    /// be written does not keep the others from being restored.
    pub fn take_back(&self, rows: &[ForeignRow]) -> Result<Vec<Result<Fate>>> {
        let sealed: bool = self.connection.query_row("SELECT EXISTS (SELECT 1 FROM seals)", [], |r| r.get(0))?;
        let of = |row: &ForeignRow| SEALED.into_iter().find(|of| of.table == row.table);
        Ok(rows.iter().filter_map(|row| Some(self.take_back_row(&of(row)?, row, sealed))).collect())
    }

    fn take_back_row(&self, of: &Sealed, row: &ForeignRow, sealed: bool) -> Result<Fate> {
        let (table, id, columns) = (of.table, of.id("t"), of.columns(self.connection)?);
        let execute = |sql: String| self.connection.execute(&sql, [row.id]);
        match (&row.before, &row.now) {
            (Some(_), now) => {
                let (names, content) = (columns.join(", "), listed(&columns, |column| format!("content ->> '{column}'")));
                let seal = format!("SELECT {content} FROM seals WHERE of = '{table}' AND row = ?1");
                execute(match now {
                    Some(_) => format!("UPDATE {table} AS t SET ({names}) = ({seal}) WHERE {id} = ?1"),
                    None => format!("INSERT INTO {table} ({names}) {seal}"),
                })?;
                return Ok(Fate::PutBack);
            }
            (None, _) if of.made == Made::Goes && sealed => {
                execute(format!("DELETE FROM {table} AS t WHERE {id} = ?1"))?;
                return Ok(Fate::Gone);
            }
            (None, _) => {}
        }
        let fate = match of.made {
            Made::Words => {
                for column in columns.iter().filter(|column| AUTHORS.contains(&column.as_str())) {
                    execute(format!("UPDATE {table} AS t SET {column} = 'agent' WHERE {id} = ?1"))?;
                }
                Fate::Agents
            }
            Made::Void if sealed => {
                execute(format!("UPDATE {table} AS t SET {VOID} WHERE {id} = ?1"))?;
                Fate::Void
            }
            Made::Void | Made::Goes => Fate::Stays,
        };
        let now = object(&columns, |column| format!("t.{column}"));
        execute(format!("INSERT INTO seals (of, row, content) SELECT '{table}', {id}, {now} FROM {table} t WHERE {id} = ?1"))?;
        Ok(fate)
    }

    /// Seals every row as it is: what a person did to the file with another program while no agent was at work is theirs.
    pub fn seal_all(&self) -> Result<()> {
        seal_all(self.connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Db;
    use crate::table::{NewIteration, NewRun};
    use ralph_core::feature::Feature;
    use ralph_core::run::Outcome;
    use ralph_core::signal::Usage;
    use ralph_core::task::{Task, TaskStatus};
    use ralph_core::time::Timestamp;
    use ralph_core::{RunId, TaskId};
    use rusqlite::Connection;

    /// A database with two tasks, and another program's way into it.
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
        write(db, |tx| tx.take_back(&foreign(db))?.into_iter().try_for_each(|taken| taken.map(drop)));
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
        // What is lost with the seals is not work.
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

    /// The history with a run, an iteration of it on task 1 that cost half a dollar, a dependency, and a person's words.
    fn run_history() -> (tempfile::TempDir, Db, Connection) {
        let (folder, db, other) = history();
        write(&db, |tx| {
            tx.insert_task(&Task { depends_on: vec![2], ..Task::new("pay", "Report", Timestamp(1)) })?;
            let run = tx.insert_run(&NewRun::scripted("/a"), Timestamp(1))?;
            let iteration = tx.insert_iteration(&iteration(run, 1), Timestamp(1))?;
            tx.set_usage(iteration, &Usage { cost_usd: Some(0.1 + 0.2), ..Usage::default() })?;
            tx.insert_guidance(Some(2), "Keep the interface", Timestamp(1)).map(drop)
        });
        (folder, db, other)
    }

    fn iteration(run: RunId, task: TaskId) -> NewIteration {
        let (task_title, model, rationale) = ("Refund".to_owned(), "haiku".to_owned(), String::new());
        NewIteration { run, task, task_title, attempt: 1, model, rationale, held_out: false, lane: 1, scheduled: None }
    }

    /// What a run relies on: which task waits for which, how iterations came out and what they cost, and what is still to be told.
    fn standing(db: &Db) -> impl PartialEq + std::fmt::Debug {
        let state =
            db.read(|r| Ok::<_, crate::DbError>((r.all_iterations()?, r.task(3)?.map(|task| task.depends_on), r.waiting_guidance(None)?)));
        let (iterations, depends_on, guidance) = state.expect("reads");
        let iterations: Vec<_> = iterations.into_iter().map(|it| (it.id, it.outcome, it.attempt, it.usage.cost_usd, it.ended)).collect();
        (iterations, depends_on, guidance)
    }

    #[test]
    fn what_a_run_goes_by_is_put_back() {
        let (_folder, db, other) = run_history();
        let as_it_was = standing(&db);
        assert_eq!(foreign(&db), [], "what Ralph writes is its own");
        for harm in [
            "UPDATE iterations SET outcome = 'done', ended = 2",
            "UPDATE iterations SET cost_usd = 0, attempt = NULL",
            "PRAGMA foreign_keys = off; DELETE FROM iterations",
            "DELETE FROM task_dependencies",
            "INSERT INTO task_dependencies (task_id, depends_on) VALUES (3, 1)",
            "UPDATE task_dependencies SET depends_on = 1",
            "UPDATE guidance SET text = 'Push it', task_id = NULL",
            "UPDATE guidance SET iteration_id = 1",
            "DELETE FROM guidance",
            "INSERT INTO guidance (text, created) VALUES ('Push it', 1)",
            // The forged claim is in the way of the true one.
            "UPDATE iterations SET outcome = 'done', ended = 2;
             INSERT INTO iterations (id, run_id, number, task_id, task_title, model, outcome, started)
                 VALUES (9, 1, 9, 1, 'x', '', 'running', 1)",
        ] {
            other.execute_batch(harm).expect(harm);
            assert_ne!(foreign(&db), [], "{harm}");
            take_back(&db);
            assert_eq!(foreign(&db), [], "{harm}");
            // The iterations that it made stay, see below.
            let made = "DELETE FROM iterations WHERE id = 9; DELETE FROM seals WHERE of = 'iterations' AND row = 9";
            other.execute_batch(made).expect("deletes");
            assert_eq!(standing(&db), as_it_was, "{harm}");
        }
        other.execute_batch("UPDATE iterations SET told = '[]', withheld = '[]'").expect("writes");
        assert_eq!(foreign(&db), [], "what was told is not sealed");
    }

    #[test]
    fn an_iteration_that_ralph_did_not_make_counts_for_nothing() {
        let (_folder, db, other) = run_history();
        let made = "INSERT INTO iterations (id, run_id, number, task_id, task_title, attempt, model, outcome, started, ended, cost_usd)
             VALUES (9, 1, 9, 2, 'Ledger', 3, 'haiku', 'done', 1, 2, 50.0)";
        other.execute_batch(made).expect("writes");
        let taken = db.writer().expect("a turn").transaction(|tx| tx.take_back(&foreign(&db))).expect("writes");
        assert!(matches!(taken[..], [Ok(Fate::Void)]), "{taken:?}");
        let void = db.read(|r| r.iteration(9)).expect("reads").expect("it stays");
        assert_eq!((void.outcome, void.attempt, void.usage.cost_usd), (Outcome::Interrupted, None, None));
        assert_eq!((foreign(&db), void.note.as_deref()), (vec![], Some("made by another program than Ralph")));
    }

    #[test]
    fn with_all_seals_gone_nothing_is_removed() {
        let (_folder, db, other) = run_history();
        let as_it_was = standing(&db);
        other.execute("DELETE FROM seals", []).expect("writes");
        take_back(&db);
        assert_eq!((foreign(&db), standing(&db)), (vec![], as_it_was));
    }
}
