//! `questions`: agents' requests for permission. One waits while nobody has answered, its time is not over and its iteration runs.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::run::{Leave, Question, QuestionId};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, RunId};
use rusqlite::{Row, params};

const COLUMNS: &str = "SELECT q.id, i.run_id, q.iteration_id, i.task_id, i.task_title, q.tool, q.summary, q.asked, q.until, q.answer,
    q.answered, q.by_person FROM questions q JOIN iterations i ON i.id = q.iteration_id";

fn read_row(r: &Row<'_>) -> Result<Question> {
    Ok(Question {
        id: r.get("id")?,
        run: r.get("run_id")?,
        iteration: r.get("iteration_id")?,
        task: r.get("task_id")?,
        title: r.get("task_title")?,
        tool: r.get("tool")?,
        summary: r.get("summary")?,
        asked: row::time(r, "asked")?,
        until: row::time(r, "until")?,
        answer: row::word_opt(r, "answer")?,
        answered: row::time_opt(r, "answered")?,
        by_person: r.get("by_person")?,
    })
}

impl Read<'_> {
    /// The questions that wait at a time, the oldest first.
    pub fn waiting_questions(&self, now: Timestamp) -> Result<Vec<Question>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{COLUMNS} WHERE q.answer IS NULL AND q.until > ?1 AND i.ended IS NULL ORDER BY q.id"))?;
        statement.query_and_then([now.0], read_row)?.collect()
    }

    /// One question.
    pub fn question(&self, id: QuestionId) -> Result<Option<Question>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE q.id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// How many of a run's newest questions, in a row, no person answered.
    pub fn unanswered_in_a_row(&self, run: RunId) -> Result<u32> {
        let mut statement = self.connection.prepare_cached(
            "SELECT COUNT(*) FROM questions q JOIN iterations i ON i.id = q.iteration_id
             WHERE i.run_id = ?1 AND q.answer = 'no' AND q.by_person = 0 AND q.id > COALESCE(
                 (SELECT MAX(q.id) FROM questions q JOIN iterations i ON i.id = q.iteration_id WHERE i.run_id = ?1 AND q.by_person = 1), 0)",
        )?;
        Ok(statement.query_row([run], |r| r.get(0))?)
    }
}

impl Tx<'_> {
    /// Asks, and returns the number.
    pub fn insert_question(
        &self,
        iteration: IterationId,
        tool: &str,
        summary: &str,
        asked: Timestamp,
        until: Timestamp,
    ) -> Result<QuestionId> {
        self.connection
            .prepare_cached("INSERT INTO questions (iteration_id, tool, summary, asked, until) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![iteration, tool, summary, asked.0, until.0])?;
        Ok(QuestionId::try_from(self.connection.last_insert_rowid()).unwrap_or(QuestionId::MAX))
    }

    /// Answers a question that has no answer yet; returns whether it had none.
    pub fn answer_question(&self, id: QuestionId, answer: Leave, by_person: bool, at: Timestamp) -> Result<bool> {
        let mut statement = self
            .connection
            .prepare_cached("UPDATE questions SET answer = ?2, by_person = ?3, answered = ?4 WHERE id = ?1 AND answer IS NULL")?;
        Ok(statement.execute(params![id, answer.as_str(), by_person, at.0])? > 0)
    }
}
