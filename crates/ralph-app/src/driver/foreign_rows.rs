//! Rows that an agent wrote into the database directly, which Ralph's tools would not have allowed: reverted, and reported as evidence.

use crate::app::App;
use ralph_core::limits;
use ralph_core::text::one_line;
use serde_json::Value;
use sqlite_db::table::{Fate, ForeignRow};

/// Characters shown of a value.
const VALUE_CHARS: usize = 80;
/// What is said about a row that Ralph did not make.
const MADE: &str = "made by another program than Ralph";
/// Columns that only say when a row was written.
const TIMES: [&str; 2] = ["created", "updated"];

impl App {
    /// Takes back what a program other than Ralph wrote into rows that are the person's, each in brief.
    pub(crate) fn take_back_rows(&self) -> Vec<String> {
        let found = self.db.read(|r| r.foreign_rows()).unwrap_or_else(|fault| {
            tracing::warn!("the rows of the database could not be compared with their seals: {fault}");
            Vec::new()
        });
        if found.is_empty() {
            return Vec::new();
        }
        let became: Vec<Became> = match self.write(|tx| Ok(tx.take_back(&found)?)) {
            Ok(fates) => {
                fates.into_iter().map(|fate| fate.map_or_else(|fault| Became::Stuck(fault.to_string()), Became::Settled)).collect()
            }
            Err(fault) => found.iter().map(|_| Became::Stuck(fault.to_string())).collect(),
        };
        let mut told: Vec<String> = found.iter().zip(became).take(limits::LIST_ITEMS).map(|(row, became)| in_words(row, became)).collect();
        if let more @ 1.. = found.len() - told.len() {
            told.push(format!("db/ralph.db: {more} more rows"));
        }
        told
    }
}

/// What became of a row that was to be reverted.
enum Became {
    Settled(Fate),
    /// Why it could not be.
    Stuck(String),
}

/// What was done to a row, and whether it succeeded.
fn in_words(row: &ForeignRow, became: Became) -> String {
    let done = match (&row.before, &row.now) {
        (Some(before), Some(now)) => {
            let moved = now.iter().filter(|(column, value)| !TIMES.contains(&column.as_str()) && before.get(*column) != Some(*value));
            let moved: Vec<String> =
                moved.map(|(column, value)| format!("{column} was {}, became {}", short(before.get(column)), short(Some(value)))).collect();
            if moved.is_empty() { "changed".to_owned() } else { moved.join("; ") }
        }
        (Some(_), None) => "removed".to_owned(),
        (None, now) => {
            let words = now.as_ref().and_then(|now| ["title", "name", "text", "task_title"].iter().find_map(|column| now.get(*column)));
            words.map_or_else(|| MADE.to_owned(), |words| format!("{MADE}: {}", short(Some(words))))
        }
    };
    let then = match became {
        Became::Settled(Fate::PutBack) => "put back".to_owned(),
        Became::Settled(Fate::Agents) => "its words count as an agent's".to_owned(),
        Became::Settled(Fate::Gone) => "taken out again".to_owned(),
        Became::Settled(Fate::Void) => "it counts for nothing".to_owned(),
        Became::Settled(Fate::Stays) => "it stays".to_owned(),
        Became::Stuck(fault) => format!("it can't be put back: {fault}"),
    };
    format!("db/ralph.db, {}: {done}; {then}", name(row))
}

/// What a row is called.
fn name(row: &ForeignRow) -> String {
    match row.table {
        // Its number names both tasks.
        "task_dependencies" => format!("task {}, dependency on task {}", row.id >> 32, row.id & i64::from(u32::MAX)),
        table => format!("{} {}", table.trim_end_matches('s').replace('_', " "), row.id),
    }
}

fn short(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "empty".to_owned(),
        Some(Value::String(text)) => format!("\"{}\"", one_line(text, VALUE_CHARS)),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sqlite_db::table::SealedRow;

    #[test]
    fn what_an_agent_wrote_into_the_database_is_told_by_what_stood_there_and_what_it_became() {
        let columns = |row: Value| row.as_object().cloned();
        let row = |status: &str, title: &str, updated: i64| {
            columns(json!({ "id": 3, "status": status, "title": title, "updated": updated, "blocked_reason": null }))
        };
        let told = |before: Option<SealedRow>, now, fault: Option<&str>| {
            let fate = if before.is_some() { Fate::PutBack } else { Fate::Agents };
            in_words(
                &ForeignRow { table: "tasks", id: 3, before, now },
                fault.map_or(Became::Settled(fate), |fault| Became::Stuck(fault.to_owned())),
            )
        };
        let (old, new) = (row("pending", "Ledger", 1), row("done", "Evil\nwords", 2));
        for (told, expected) in [
            (
                told(old.clone(), new, None),
                "status was \"pending\", became \"done\"; title was \"Ledger\", became \"Evil words\"; put back",
            ),
            (told(old.clone(), row("pending", "Ledger", 2), None), "changed; put back"),
            (told(old.clone(), None, Some("no room")), "removed; it can't be put back: no room"),
            (told(None, old, None), "made by another program than Ralph: \"Ledger\"; its words count as an agent's"),
        ] {
            assert_eq!(told, format!("db/ralph.db, task 3: {expected}"));
        }
    }

    #[test]
    fn rows_that_are_no_texts_are_told_by_what_they_are() {
        let row = |table, id, row: Value| ForeignRow { table, id, before: None, now: row.as_object().cloned() };
        let dependency = row("task_dependencies", (3 << 32) | 2, json!({ "task_id": 3, "depends_on": 2 }));
        let guidance = row("guidance", 4, json!({ "text": "Push it" }));
        let iteration = row("iterations", 9, json!({ "task_title": "Ledger" }));
        for (row, fate, expected) in [
            (dependency, Fate::Gone, "task 3, dependency on task 2: made by another program than Ralph; taken out again"),
            (guidance, Fate::Gone, "guidance 4: made by another program than Ralph: \"Push it\"; taken out again"),
            (iteration, Fate::Void, "iteration 9: made by another program than Ralph: \"Ledger\"; it counts for nothing"),
        ] {
            assert_eq!(in_words(&row, Became::Settled(fate)), format!("db/ralph.db, {expected}"));
        }
    }
}
