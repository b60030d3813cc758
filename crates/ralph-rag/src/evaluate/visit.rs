//! How a question in the search field relates to the one before: the field asks at every pause, and a pause while typing is not a question.

use ralph_core::limits;
use ralph_core::recall::RecallQuery;
use ralph_core::time::Timestamp;

/// How a question relates to the one before it in the same field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sequel {
    /// The same again, such as when the screen is redrawn.
    Again,
    /// The one before was on the way to it, and was not a question, unless something in its answer was chosen.
    Instead,
    /// Another question.
    Another,
}

/// How a question relates to the one before, each with its time. Typing on, or narrowing the same words, is one question, however long the
/// pause; if other words follow, the first ones are a question if they were there for a while. A clock that was set back says nothing.
pub fn sequel(before: (&RecallQuery, Timestamp), now: (&RecallQuery, Timestamp)) -> Sequel {
    let ((earlier, at), (later, then)) = (before, now);
    let between = then.millis_since(at);
    if then < at || between >= limits::VISIT_MILLIS || earlier.task != later.task || earlier.origin != later.origin {
        Sequel::Another
    } else if earlier == later {
        Sequel::Again
    } else if later.query.trim().starts_with(earlier.query.trim()) || between < limits::QUESTION_REST_MILLIS {
        Sequel::Instead
    } else {
        Sequel::Another
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> RecallQuery {
        RecallQuery { query: text.to_owned(), limit: 20, ..RecallQuery::default() }
    }

    #[test]
    fn a_pause_while_typing_is_no_question() {
        let of = |earlier: &str, later: &str, between: i64| {
            sequel((&question(earlier), Timestamp(10_000)), (&question(later), Timestamp(10_000 + between)))
        };
        for (earlier, later, between, expected) in [
            ("led", "ledger", 300, Sequel::Instead),
            ("ledger", "ledger lock", 60_000, Sequel::Instead),
            ("ledger ", "ledger lock", 60_000, Sequel::Instead),
            ("ledger lock", "ledger", 300, Sequel::Instead),
            ("ledger lock", "ledger", 5_000, Sequel::Another),
            ("ledgre", "ledger", 1_499, Sequel::Instead),
            ("ledgre", "ledger", 1_500, Sequel::Another),
            ("ledger", "refund", 5_000, Sequel::Another),
            ("ledger", "ledger lock", 600_000, Sequel::Another),
            ("ledger", "ledger", 60_000, Sequel::Again),
            ("ledger", "ledger", 600_000, Sequel::Another),
            ("led", "ledger", -1, Sequel::Another),
        ] {
            assert_eq!(of(earlier, later, between), expected, "{earlier} {later} {between}");
        }
    }

    #[test]
    fn who_narrows_the_same_words_asks_one_question_and_another_task_is_another() {
        let (at, then) = (Timestamp(0), Timestamp(9_000));
        let narrowed = RecallQuery { feature: Some("pay".to_owned()), ..question("ledger") };
        assert_eq!(sequel((&question("ledger"), at), (&narrowed, then)), Sequel::Instead);
        let of_task = RecallQuery { task: Some(3), ..question("ledger") };
        assert_eq!(sequel((&question("ledger"), at), (&of_task, then)), Sequel::Another);
    }
}
