//! Rows that an agent wrote into the database by itself, past all that Ralph's tools allow it: taken back, and told as evidence.

use crate::app::App;
use ralph_core::limits;
use ralph_core::text::one_line;
use serde_json::Value;
use sqlite_db::table::ForeignRow;

/// Characters shown of a value.
const VALUE_CHARS: usize = 80;
/// Columns that only say when a row was written.
const TIMES: [&str; 2] = ["created", "updated"];

impl App {
    /// Takes back what another program than Ralph wrote into rows that are the person's, each in brief.
    pub(crate) fn take_back_rows(&self) -> Vec<String> {
        let found = self.db.read(|r| r.foreign_rows()).unwrap_or_else(|fault| {
            tracing::warn!("the rows of the database could not be compared with their seals: {fault}");
            Vec::new()
        });
        if found.is_empty() {
            return Vec::new();
        }
        let took = self.write(|tx| Ok(found.iter().map(|row| tx.take_back(row).err().map(|fault| fault.to_string())).collect()));
        let faults: Vec<Option<String>> = took.unwrap_or_else(|fault| vec![Some(fault.to_string()); found.len()]);
        let mut told: Vec<String> = found.iter().zip(faults).take(limits::LIST_ITEMS).map(|(row, fault)| in_words(row, fault)).collect();
        if let more @ 1.. = found.len() - told.len() {
            told.push(format!("db/ralph.db: {more} more rows"));
        }
        told
    }
}

/// What was done to a row, and what became of that.
fn in_words(row: &ForeignRow, fault: Option<String>) -> String {
    let noun = row.table.trim_end_matches('s').replace('_', " ");
    let (done, then) = match (&row.before, &row.now) {
        (Some(before), Some(now)) => {
            let moved = now.iter().filter(|(column, value)| !TIMES.contains(&column.as_str()) && before.get(*column) != Some(*value));
            let moved: Vec<String> =
                moved.map(|(column, value)| format!("{column} was {}, became {}", short(before.get(column)), short(Some(value)))).collect();
            (if moved.is_empty() { "changed".to_owned() } else { moved.join("; ") }, "put back")
        }
        (Some(_), None) => ("removed".to_owned(), "put back"),
        (None, now) => {
            let words = now.as_ref().and_then(|now| ["title", "name", "text"].iter().find_map(|column| now.get(*column)));
            (format!("made by another program than Ralph: {}", short(words)), "its words count as an agent's")
        }
    };
    let then = fault.map_or_else(|| then.to_owned(), |fault| format!("it can't be put back: {fault}"));
    format!("db/ralph.db, {noun} {}: {done}; {then}", row.id)
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
            in_words(&ForeignRow { table: "tasks", id: 3, before, now }, fault.map(str::to_owned))
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
}
