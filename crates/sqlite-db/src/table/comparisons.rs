//! `comparisons` of `eval.db`: questions under two configurations.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::evaluation::ShadowRecord;
use rusqlite::{Row, params};

fn read_row(r: &Row<'_>) -> Result<ShadowRecord> {
    Ok(ShadowRecord {
        query: r.get("query")?,
        at: row::time(r, "at")?,
        live: r.get("live")?,
        other: r.get("other")?,
        overlap: r.get("overlap")?,
        tau: r.get("tau")?,
        moved: r.get("moved")?,
        live_mrr: r.get("live_mrr")?,
        other_mrr: r.get("other_mrr")?,
    })
}

impl Read<'_> {
    /// Every comparison, in the order in which the questions were recorded, which may differ from that of the clocks.
    pub fn comparisons(&self) -> Result<Vec<ShadowRecord>> {
        self.connection
            .prepare_cached("SELECT c.* FROM comparisons c LEFT JOIN queries q ON q.id = c.query ORDER BY q.row, c.other")?
            .query_and_then([], read_row)?
            .collect()
    }

    /// Ids of questions, newest first, whose comparison of one of these alternatives with that ranking was made before their answer was
    /// known.
    pub fn compared_without_truth(&self, live: &str, others: &[&str]) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM queries q WHERE EXISTS (SELECT 1 FROM comparisons c WHERE c.query = q.id AND c.live_mrr IS NULL
                 AND c.live = ?1 AND c.other IN (SELECT value FROM json_each(?2))) ORDER BY row DESC",
        )?;
        Ok(statement.query_map(params![live, row::to_json(&others)], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Removes from the comparisons of a question how good they were: its answer is no longer the same.
    pub(super) fn judge_again(&self, query: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE comparisons SET live_mrr = NULL, other_mrr = NULL WHERE query = ?1")?.execute([query])?;
        Ok(())
    }

    /// Stores a comparison, replacing an earlier one of the same question and configuration.
    pub fn put_comparison(&self, of: &ShadowRecord) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO comparisons (query, at, live, other, overlap, tau, moved, live_mrr, other_mrr)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![of.query, of.at.0, of.live, of.other, of.overlap, of.tau, of.moved, of.live_mrr, of.other_mrr])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Domain;
    use crate::{Db, DbError};
    use ralph_core::evaluation::{Label, LabelSource};
    use ralph_core::time::Timestamp;

    fn compared(query: &str, other: &str, mrr: Option<f64>) -> ShadowRecord {
        ShadowRecord {
            query: query.into(),
            at: Timestamp(1),
            live: "now".into(),
            other: other.into(),
            overlap: 1.0,
            tau: None,
            moved: 0.0,
            live_mrr: mrr,
            other_mrr: mrr,
        }
    }

    #[test]
    fn a_comparison_is_judged_again_once_more_is_known_and_what_is_on_trial_comes_newest_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open_domain(&folder.path().join("eval.db"), Domain::Evaluation).expect("opens");
        let write = |act: &dyn Fn(&Tx<'_>) -> Result<()>| db.writer().expect("a turn").transaction(|tx| act(tx)).expect("writes");
        let waiting = || db.read(|r| r.compared_without_truth("now", &["usual"])).expect("reads");
        write(&|tx| {
            for id in ["Q1", "Q2", "Q3"] {
                let sql =
                    "INSERT INTO queries (id, at, origin, text, configuration, arm, micros) VALUES (?1, 1, 'cli', '', '', 'plain', 1)";
                tx.connection.execute(sql, [id])?;
            }
            tx.put_comparison(&compared("Q1", "usual", Some(1.0)))?;
            tx.put_comparison(&compared("Q2", "usual", None))?;
            tx.put_comparison(&compared("Q3", "tried once", None))?;
            tx.put_comparison(&ShadowRecord { live: "before".into(), ..compared("Q3", "usual", None) })
        });
        assert_eq!(waiting(), ["Q2"], "neither another alternative nor an earlier ranking");
        let to_compare = |others: &[&str]| db.read(|r| r.queries_to_compare("now", others, 9)).expect("reads");
        assert_eq!((to_compare(&["usual"]), to_compare(&["tried once"])), (vec!["Q3".to_owned()], vec!["Q2".to_owned(), "Q1".to_owned()]));
        write(&|tx| {
            let (query, memory) = ("Q1".to_owned(), "L1".to_owned());
            tx.put_label(&Label { query, memory, by: LabelSource::Person, relevant: true, at: Timestamp(2) })
        });
        assert_eq!(waiting(), ["Q2", "Q1"]);
        let known = db.read(|r| Ok::<_, DbError>(r.comparisons()?.into_iter().filter(|c| c.live_mrr.is_some()).count()));
        assert_eq!(known.expect("reads"), 0);
    }
}
