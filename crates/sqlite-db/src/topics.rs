//! Topics of a write: SQLite itself reports every changed table, including those changed by triggers, and one list maps these to topics.

use crate::error::Result;
use ralph_core::topic::Topic;
use rusqlite::Connection;
use rusqlite::hooks::Action;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The topics of each table. Tables without row ids don't report changes: they change together with one that is listed here, are reported
/// by the code that writes them, or are not visible on any screen.
const TOPICS: &[(&str, &[Topic])] = &[
    ("features", &[Topic::Features]),
    ("disciplines", &[Topic::Disciplines]),
    ("tasks", &[Topic::Tasks]),
    ("task_comments", &[Topic::Tasks, Topic::Worktrees]),
    ("memories", &[Topic::Learnings, Topic::Passages]),
    ("memory_observations", &[Topic::Learnings]),
    ("memory_conflicts", &[Topic::Learnings]),
    ("memory_apart", &[Topic::Learnings]),
    ("memory_put_away", &[Topic::Learnings]),
    ("memory_gate", &[Topic::Learnings]),
    ("memory_reconciled", &[Topic::Learnings]),
    ("memory_acts", &[Topic::Learnings]),
    ("memory_brought_back", &[Topic::Learnings]),
    ("consolidations", &[Topic::Learnings]),
    ("passages", &[Topic::Passages]),
    ("documents", &[Topic::Passages]),
    ("episodes", &[Topic::Passages]),
    ("facts", &[Topic::Passages]),
    ("document_sources", &[Topic::Passages]),
    ("vectors", &[Topic::Passages]),
    ("failure_reports", &[Topic::Iterations, Topic::Passages]),
    ("runs", &[Topic::Runs]),
    ("lanes", &[Topic::Runs]),
    ("detections", &[Topic::Learnings]),
    ("errands", &[Topic::Runs]),
    ("questions", &[Topic::Notices, Topic::Iterations]),
    ("guidance", &[Topic::Iterations, Topic::Runs]),
    ("iterations", &[Topic::Iterations, Topic::Runs]),
    ("iteration_signals", &[Topic::Iterations]),
    ("notices", &[Topic::Notices]),
    ("staged", &[Topic::Learnings]),
    ("worktrees", &[Topic::Worktrees, Topic::Tasks]),
];

/// Topics of the open write transaction.
#[derive(Debug, Clone, Default)]
pub struct TouchedTopics(Arc<Mutex<BTreeSet<Topic>>>);

impl TouchedTopics {
    /// Adds topics.
    pub fn add(&self, topics: &[Topic]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(topics.iter().copied());
    }

    /// Takes all topics, leaving none.
    pub fn take(&self) -> BTreeSet<Topic> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Registers a hook that collects the topics of every row that the connection changes.
pub fn tell(connection: &Connection, touched: &TouchedTopics) -> Result<()> {
    let touched = touched.clone();
    connection.update_hook(Some(move |_: Action, _: &str, table: &str, _: i64| {
        if let Some((_, topics)) = TOPICS.iter().find(|(name, _)| *name == table) {
            touched.add(topics);
        }
    }))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;
    use crate::{Db, DbError, Tx};
    use ralph_core::detection::LearningTotal;
    use ralph_core::errand::{Errand, ErrandKind, ErrandState};
    use ralph_core::feature::Feature;
    use ralph_core::learning::{FeatureLearning, LearningState};
    use ralph_core::run::owner::Owner;
    use ralph_core::signal::Usage;
    use ralph_core::time::Timestamp;
    use std::collections::BTreeMap;

    fn open() -> (tempfile::TempDir, Db) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        (folder, db)
    }

    fn write<T>(db: &Db, f: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        db.writer()?.transaction(f)
    }

    fn feature(name: &str) -> Feature {
        Feature::new(name, Timestamp(1))
    }

    #[test]
    fn topics_come_from_the_tables_that_changed() {
        let (_folder, db) = open();
        let versions = || db.read(|r| r.topic_versions()).expect("reads");
        write(&db, |tx| {
            tx.insert_feature(&feature("pay"))?;
            tx.put_learning(&learning("L1"))?;
            tx.put_learning(&learning("L2"))
        })
        .expect("writes");
        let before = versions();
        write(&db, |tx| tx.insert_conflict(&("L1".into(), "L2".into()))).expect("writes");
        let after = versions();
        let changed: Vec<Topic> = after.keys().copied().filter(|topic| before.get(topic) != after.get(topic)).collect();
        assert_eq!(changed, [Topic::Learnings]);
        let undone: Result<()> = write(&db, |tx| {
            tx.insert_feature(&feature("shop"))?;
            Err(DbError::DiskFull)
        });
        assert!(undone.is_err());
        write(&db, |_| Ok(())).expect("writes nothing");
        assert_eq!(versions(), after, "what was undone changed nothing");
    }

    #[test]
    fn the_end_of_an_errand_is_told_to_those_who_show_what_waits_for_review() {
        let (_folder, db) = open();
        let told = || db.read(|r| r.topic_versions()).expect("reads").get(&Topic::Worktrees).copied().unwrap_or_default();
        let errand = Errand {
            id: 0,
            kind: ErrandKind::Consolidate,
            state: ErrandState::Running,
            task: None,
            run: None,
            title: "Write".to_owned(),
            agent: None,
            model: String::new(),
            folder: String::new(),
            max_usd: None,
            max_minutes: 1,
            answer: String::new(),
            note: None,
            usage: Usage::default(),
            started: Timestamp(1),
            ended: None,
        };
        let id = write(&db, |tx| tx.insert_errand(&errand, &Owner::default())).expect("begins");
        write(&db, |tx| tx.beat_errand(id, &Usage::default(), Timestamp(2))).expect("beats");
        assert_eq!(told(), 0, "nothing waits while it is at work");
        write(&db, |tx| tx.end_errand(id, ErrandState::Done, "", None, Timestamp(3))).expect("ends");
        assert_eq!(told(), 1);
        write(&db, |tx| tx.fail_errand(id, "it does not hold")).expect("fails");
        assert_eq!(told(), 2);
    }

    #[test]
    fn no_table_is_listed_whose_changes_sqlite_does_not_report() {
        let (_folder, db) = open();
        let reports = "SELECT wr = 0 FROM pragma_table_list WHERE schema = 'main' AND name = ?1";
        for (table, _) in TOPICS {
            let reports = db.read(|r| Ok::<_, DbError>(r.connection.query_row(reports, [table], |row| row.get::<_, bool>(0))?));
            assert!(reports.expect("a table"), "{table} has no row ids");
        }
    }

    #[test]
    fn counts_of_a_day_are_told_of_though_sqlite_reports_none_of_them() {
        let (_folder, db) = open();
        let told = || db.read(|r| r.topic_versions()).expect("reads").get(&Topic::Learnings).copied().unwrap_or_default();
        write(&db, |tx| tx.count_learning(1, LearningTotal::Operations, 3)).expect("counts");
        assert_eq!(told(), 1);
        write(&db, |tx| tx.set_audit_day(1, &BTreeMap::from([("memories".to_owned(), 2)]))).expect("counts");
        assert_eq!(told(), 2);
    }

    #[test]
    fn learnings_are_found_by_their_keys_in_every_state() {
        let (_folder, db) = open();
        let id = write(&db, |tx| {
            let id = tx.insert_feature(&feature("pay"))?;
            for (name, keys, state) in [("L1", [1, 2, 3], LearningState::Active), ("L2", [2, 3, 4], LearningState::Retired)] {
                tx.put_learning(&FeatureLearning { state, ..learning(name) })?;
                tx.insert_keys(name, &keys)?;
            }
            Ok(id)
        })
        .expect("writes");
        let near = |keys: &[i64], all| db.read(|r| r.learnings_near(id, keys, all, 10)).expect("reads");
        assert_eq!(near(&[2, 4], true), ["L2"]);
        assert_eq!(near(&[1, 2, 3], false), ["L1", "L2"], "those that have most come first");
        assert_eq!(near(&[9], false), Vec::<String>::new());
        let there = write(&db, |tx| {
            let there = tx.insert_feature(&feature("shop"))?;
            tx.put_learning(&FeatureLearning { feature: "shop".into(), ..learning("L1") })?;
            Ok(there)
        })
        .expect("moves");
        assert_eq!(near(&[2, 4], false), ["L2"], "what moved is found where it is now");
        assert_eq!(db.read(|r| r.learnings_near(there, &[1, 3], true, 10)).expect("reads"), ["L1"]);
        let in_all = |keys: &[i64], all| {
            let mut found = db.read(|r| r.learnings_near_in(&[id, there], keys, all, 1)).expect("reads");
            found.sort();
            found
        };
        assert_eq!(
            (in_all(&[2, 3], true), in_all(&[4], true)),
            (vec!["L1".to_owned(), "L2".to_owned()], vec!["L2".to_owned()]),
            "one of each"
        );
        write(&db, |tx| tx.renew_keys(2, &[("L2".to_owned(), vec![7])])).expect("renews");
        assert_eq!((near(&[2, 3], false), near(&[7], true)), (vec![], vec!["L2".to_owned()]));
        assert_eq!(db.read(|r| r.keys_version()).expect("reads"), Some(2));
    }
}
