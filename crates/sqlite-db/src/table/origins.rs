//! Provenance of words: computed from `events`, never stored with the knowledge, so that clones have the same rows. A line of one's own that
//! is no JSON says nothing, as everywhere; of lines from elsewhere there is none, since their index refuses it.

use crate::connection::Read;
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use ralph_core::feature::WORD_FIELDS;
use ralph_core::learning::BY_PERSON;
use ralph_core::replica::ReplicaId;
use rusqlite::Row;
use std::collections::{BTreeMap, BTreeSet};

/// Items with words from outside, and the replica named in the line; a line can name any replica, or none.
pub type Outside = BTreeMap<String, Option<ReplicaId>>;

fn pair(r: &Row<'_>) -> rusqlite::Result<(String, Option<ReplicaId>)> {
    Ok((r.get(0)?, r.get(1)?))
}

impl Read<'_> {
    /// Learnings whose words came in a line that this database did not write.
    pub fn outside_learnings(&self) -> Result<Outside> {
        let found = |event: &str| -> Result<Outside> {
            let mut statement = self.connection.prepare_cached(
                "SELECT json_extract(line, '$.learning.id'), json_extract(line, '$.replica') FROM events
                 WHERE NOT own AND json_extract(line, '$.event') = ?1 AND json_extract(line, '$.learning.id') IS NOT NULL",
            )?;
            Ok(statement.query_map([event], pair)?.collect::<rusqlite::Result<_>>()?)
        };
        let mut outside = found("learned")?;
        // A move carries the whole record, which may be one of this database's own.
        let mut moved = found("moved_in")?;
        moved.retain(|id, _| !outside.contains_key(id));
        if !moved.is_empty() {
            let ids: Vec<&LearningId> = moved.keys().collect();
            let mut statement = self.connection.prepare_cached(
                "SELECT DISTINCT json_extract(line, '$.learning.id') FROM events
                 WHERE own AND json_valid(line) AND json_extract(line, '$.event') = 'learned'
                     AND json_extract(line, '$.learning.id') IN (SELECT value FROM json_each(?1))",
            )?;
            let own = statement.query_map([row::to_json(&ids)], |r| r.get(0))?.collect::<rusqlite::Result<Vec<LearningId>>>()?;
            moved.retain(|id, _| !own.contains(id));
        }
        outside.extend(moved);
        // A staged lesson keeps its id when it lands, whoever finds the branch merged.
        let mut statement = self.connection.prepare_cached("SELECT id, json_extract(line, '$.replica'), worktree_id FROM staged")?;
        for found in statement.query_map([], |r| Ok((pair(r)?, r.get::<_, Option<u32>>(2)?)))? {
            match found? {
                ((id, _), Some(_)) => drop(outside.remove(&id)),
                ((id, replica), None) => drop(outside.insert(id, replica)),
            }
        }
        Ok(outside)
    }

    /// Episodes and facts whose words came in a line that this database did not write.
    pub fn outside_memories(&self) -> Result<Outside> {
        // Separate statements, so that the index of such lines is used.
        let mut outside = Outside::new();
        for sql in [
            "SELECT json_extract(line, '$.episode.id'), json_extract(line, '$.replica') FROM events
             WHERE NOT own AND json_extract(line, '$.event') = 'episode' AND json_extract(line, '$.episode.id') IS NOT NULL",
            "SELECT json_extract(line, '$.fact.id'), json_extract(line, '$.replica') FROM events
             WHERE NOT own AND json_extract(line, '$.event') = 'fact' AND json_extract(line, '$.fact.id') IS NOT NULL",
        ] {
            let mut statement = self.connection.prepare_cached(sql)?;
            for found in statement.query_map([], pair)? {
                let (id, replica) = found?;
                outside.insert(id, replica);
            }
        }
        Ok(outside)
    }

    /// Learnings that a person reviewed, and episodes and facts that a person restored, by lines that this database wrote: any other line
    /// can name a person, too.
    pub fn vouched_for(&self) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT json_extract(line, '$.learning') FROM events
             WHERE own AND json_valid(line) AND json_extract(line, '$.event') = 'reviewed' AND json_extract(line, '$.by') = '{BY_PERSON}'
             UNION SELECT json_extract(line, '$.memory') FROM events
             WHERE own AND json_valid(line) AND json_extract(line, '$.event') = 'memory_returned'
                 AND NOT coalesce(json_extract(line, '$.by_rule'), 0)"
        ))?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Features whose current words were first written by a line from another database.
    pub fn outside_features(&self) -> Result<Outside> {
        // Most projects have none, and the statement below takes SQLite longer to compile than the rest of a look at the features.
        let brought = "SELECT EXISTS (SELECT 1 FROM events WHERE NOT own AND json_extract(line, '$.event') = 'feature')";
        if !self.connection.prepare_cached(brought)?.query_row([], |r| r.get::<_, bool>(0))? {
            return Ok(Outside::new());
        }
        // A list is stored as JSON.
        let kept = |field: &str| if field == "context_files" { "json(f.context_files)".to_owned() } else { format!("f.{field}") };
        let same = WORD_FIELDS.map(|field| format!("json_extract(e.line, '$.feature.{field}') = {}", kept(field))).join(" AND ");
        let words = WORD_FIELDS.map(|field| format!("'{field}'")).join(", ");
        let mut statement = self.connection.prepare_cached(&format!(
            "WITH brought AS (SELECT DISTINCT feature FROM events WHERE NOT own AND json_extract(line, '$.event') = 'feature'),
             first AS (
                 SELECT f.name, (
                     SELECT e.id FROM events e
                     WHERE e.feature = b.feature AND json_valid(e.line) AND json_extract(e.line, '$.event') = 'feature' AND {same}
                         AND (json_extract(e.line, '$.changed') IS NULL OR EXISTS (
                             SELECT 1 FROM json_each(e.line, '$.changed') WHERE value IN ({words})))
                     ORDER BY e.id LIMIT 1) AS event
                 FROM brought b JOIN features f ON f.name = b.feature)
             SELECT first.name, json_extract(e.line, '$.replica') FROM first LEFT JOIN events e ON e.id = first.event
             WHERE NOT coalesce(e.own, 0)"
        ))?;
        Ok(statement.query_map([], pair)?.collect::<rusqlite::Result<_>>()?)
    }
}

#[cfg(test)]
mod tests {
    use crate::table::EventLine;
    use crate::{Db, DbError};
    use ralph_core::feature::Feature;
    use ralph_core::time::Timestamp;
    use serde_json::{Value, json};

    fn line(id: &str, event: Value) -> EventLine {
        let mut line = event;
        line["id"] = json!(id);
        line["replica"] = json!("B");
        EventLine { id: id.to_owned(), feature: "pay".to_owned(), line: line.to_string() }
    }

    fn opened() -> (tempfile::TempDir, Db) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        (folder, db)
    }

    fn feature(description: &str) -> Value {
        json!({"event": "feature", "feature": {"name": "pay", "display_name": "pay", "description": description,
            "architecture": "", "boundaries": "", "context_files": []}})
    }

    #[test]
    fn words_are_from_outside_unless_a_line_of_ones_own_brought_them() {
        let (_folder, db) = opened();
        let learned = |id: &str| json!({"event": "learned", "learning": {"id": id}});
        let moved = |id: &str| json!({"event": "moved_in", "learning": {"id": id}, "from": "shop"});
        let outside = || db.read(|r| r.outside_learnings()).expect("reads").into_iter().collect::<Vec<_>>();
        let mut writer = db.writer().expect("writes");
        let mut add = |own: bool, event: EventLine| {
            writer.transaction(|tx| if own { tx.insert_event(&event) } else { tx.take_event(&event).map(drop) }).expect("a line");
        };
        add(true, line("01", learned("ours")));
        add(false, line("02", moved("ours")));
        add(false, line("03", learned("theirs")));
        add(true, line("04", moved("theirs")));
        add(false, line("05", json!({"event": "reviewed", "learning": "ours", "by": "human"})));
        add(false, line("06", moved("moved alone")));
        assert_eq!(outside(), [("moved alone".to_owned(), Some("B".to_owned())), ("theirs".to_owned(), Some("B".to_owned()))]);
        // The same line again, from a file: it still belongs to this database.
        add(false, line("01", learned("ours")));
        assert_eq!(outside().len(), 2);
    }

    #[test]
    fn a_line_that_is_damaged_hides_none_of_the_others() {
        let (_folder, db) = opened();
        let mut writer = db.writer().expect("writes");
        let mut add = |own: bool, event: EventLine| {
            writer.transaction(|tx| if own { tx.insert_event(&event) } else { tx.take_event(&event).map(drop) }).expect("a line");
        };
        add(true, EventLine { id: "00".into(), feature: "pay".into(), line: "{\"event\":\"learned\"".into() });
        add(true, line("01", json!({"event": "learned", "learning": {"id": "ours"}, "offset": 60})));
        add(false, line("02", json!({"event": "moved_in", "learning": {"id": "ours"}, "from": "shop"})));
        add(true, line("03", json!({"event": "reviewed", "learning": "ours", "by": "human"})));
        add(false, line("04", feature("Obey")));
        writer
            .transaction(|tx| tx.insert_feature(&Feature { description: "Obey".into(), ..Feature::new("pay", Timestamp(1)) }))
            .expect("a row");
        drop(writer);
        let (outside, vouched) = db.read(|r| Ok::<_, DbError>((r.outside_learnings()?, r.vouched_for()?))).expect("reads");
        assert_eq!((outside.len(), vouched.len()), (0, 1));
        let (features, offsets) = db.read(|r| Ok::<_, DbError>((r.outside_features()?, r.learned_offsets()?))).expect("reads");
        assert_eq!((features.len(), offsets.get("ours")), (1, Some(&60)));
    }

    #[test]
    fn a_person_vouches_by_a_line_of_ones_own_only() {
        let (_folder, db) = opened();
        let reviewed = |id: &str, by: &str| json!({"event": "reviewed", "learning": id, "by": by});
        let returned = |id: &str, by_rule: bool| json!({"event": "memory_returned", "memory": id, "by_rule": by_rule});
        let mut writer = db.writer().expect("writes");
        for (own, event) in [
            (true, line("01", reviewed("ours", "human"))),
            (true, line("02", reviewed("an agent's", "agent"))),
            (false, line("03", reviewed("theirs", "human"))),
            (true, line("04", json!({"event": "memory_returned", "memory": "restored"}))),
            (true, line("05", returned("by a rule", true))),
            (false, line("06", returned("restored elsewhere", false))),
        ] {
            writer.transaction(|tx| if own { tx.insert_event(&event) } else { tx.take_event(&event).map(drop) }).expect("a line");
        }
        drop(writer);
        let vouched: Vec<String> = db.read(|r| r.vouched_for()).expect("reads").into_iter().collect();
        assert_eq!(vouched, ["ours", "restored"]);
    }

    #[test]
    fn a_feature_s_words_are_those_of_whoever_said_them_first() {
        let (_folder, db) = opened();
        let outside = || !db.read(|r| r.outside_features()).expect("reads").is_empty();
        let mut writer = db.writer().expect("writes");
        let mut says = |own: bool, id: &str, words: &str| {
            let event = line(id, feature(words));
            let row = Feature { description: words.to_owned(), ..Feature::new("pay", Timestamp(1)) };
            writer
                .transaction(|tx| {
                    if own { tx.insert_event(&event) } else { tx.take_event(&event).map(drop) }?;
                    if tx.feature("pay")?.is_none() {
                        tx.insert_feature(&row)?;
                    }
                    tx.write_feature(&row)
                })
                .expect("a line");
        };
        says(true, "01", "Payments");
        assert!(!outside());
        says(false, "02", "Obey");
        assert!(outside());
        // Another field is changed here: the words remain from outside.
        says(true, "03", "Obey");
        assert!(outside());
        says(true, "04", "Payments of invoices");
        assert!(!outside());
    }
}
