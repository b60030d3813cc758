//! The agent's claims in the order it made them: some as sigils, some through Ralph's MCP server.
//!
//! The server knows which claims were made, the agent's output when. Where both report the same number, they are paired in order;
//! otherwise those through MCP come first, since the sigils after them are the latest.

use crate::sigil::{Sigils, TaskClaim};
use std::collections::VecDeque;

/// Newest claims kept, since the last one counts.
const KEPT: usize = 200;
/// Unanswered calls that are remembered.
const OPEN_CALLS: usize = 100;

/// Claims in order of arrival.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// `None` is a claim through MCP, of which only the position is known.
    heard: VecDeque<Option<TaskClaim>>,
    /// Ids of calls that may turn out to be claims.
    open_calls: Vec<String>,
}

impl Claims {
    /// Takes the claims from a text just received.
    pub(super) fn spoken(&mut self, sigils: &mut Sigils) {
        for claim in sigils.claims.drain(..) {
            self.add(Some(claim));
        }
    }

    /// A tool was called.
    pub(super) fn called(&mut self, id: String, name: &str, summary: &str) {
        if self.open_calls.len() < OPEN_CALLS && is_claim(name, summary) {
            self.open_calls.push(id);
        }
    }

    /// A tool answered: a claim counts once the server has accepted it.
    pub(super) fn answered(&mut self, id: &str, is_error: bool) {
        if let Some(place) = self.open_calls.iter().position(|open| open == id) {
            self.open_calls.remove(place);
            if !is_error {
                self.add(None);
            }
        }
    }

    fn add(&mut self, claim: Option<TaskClaim>) {
        if self.heard.len() == KEPT {
            self.heard.pop_front();
        }
        self.heard.push_back(claim);
    }

    /// All claims; `through_mcp` holds those that the server recorded, in order.
    pub(super) fn in_order(self, through_mcp: Vec<TaskClaim>) -> Vec<TaskClaim> {
        if self.heard.iter().filter(|claim| claim.is_none()).count() == through_mcp.len() {
            let mut through_mcp = through_mcp.into_iter();
            return self.heard.into_iter().filter_map(|claim| claim.or_else(|| through_mcp.next())).collect();
        }
        through_mcp.into_iter().chain(self.heard.into_iter().flatten()).collect()
    }
}

/// Whether a call claims an outcome of a task, judging by its one-line summary. Agents name tools differently: `mcp__ralph__update_task`,
/// `ralph_update_task`.
fn is_claim(name: &str, summary: &str) -> bool {
    let own = name == "update_task" || (name.ends_with("_update_task") && name.contains("ralph"));
    let arguments: String = summary.chars().filter(|c| !c.is_whitespace()).collect();
    own && (arguments.contains("\"status\":\"done\"") || arguments.contains("\"status\":\"failed\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(done: bool) -> TaskClaim {
        TaskClaim { done, task: None }
    }

    /// Sigils and calls in order, merged with what the server recorded.
    fn order(events: &[&str], through_mcp: &[bool]) -> Vec<bool> {
        let mut claims = Claims::default();
        for (i, event) in events.iter().enumerate() {
            match *event {
                "call" => claims.called(i.to_string(), "mcp__ralph__update_task", "{\"id\": 7, \"status\": \"done\"}"),
                "answer" => claims.answered(&(i - 1).to_string(), false),
                "refusal" => claims.answered(&(i - 1).to_string(), true),
                words => {
                    let mut sigils = Sigils::default();
                    sigils.hear(words);
                    claims.spoken(&mut sigils);
                }
            }
        }
        claims.in_order(through_mcp.iter().map(|done| claim(*done)).collect()).iter().map(|claim| claim.done).collect()
    }

    #[test]
    fn claims_stand_in_the_order_in_which_they_were_made() {
        assert_eq!(order(&["<task-failed/>", "call", "answer"], &[true]), [false, true]);
        assert_eq!(order(&["call", "answer", "<task-failed/>"], &[true]), [true, false]);
        assert_eq!(order(&["call", "answer", "<task-failed/>", "call", "answer"], &[false, true]), [false, false, true]);
        assert_eq!(order(&["call", "refusal", "<task-failed/>"], &[]), [false]);
    }

    #[test]
    fn where_the_order_is_not_known_words_come_last() {
        assert_eq!(order(&["<task-failed/>"], &[true]), [true, false]);
        assert_eq!(order(&["<task-failed/>", "call", "answer"], &[true, true]), [true, true, false]);
    }

    #[test]
    fn calls_of_other_tools_and_about_other_things_are_no_claims() {
        for (name, summary, is) in [
            ("mcp__ralph__update_task", r#"{"status":"done"}"#, true),
            ("ralph_update_task", r#"{ "status" : "failed" }"#, true),
            ("update_task", r#"{"status":"done"}"#, true),
            ("mcp__jira__update_task", r#"{"status":"done"}"#, false),
            ("mcp__ralph__update_task", r#"{"status":"pending"}"#, false),
            ("mcp__ralph__get_task", r#"{"status":"done"}"#, false),
        ] {
            assert_eq!(is_claim(name, summary), is, "{name} {summary}");
        }
    }

    #[test]
    fn a_flood_keeps_the_last_claims() {
        let mut claims = Claims::default();
        let mut sigils = Sigils::default();
        for i in 0..1_000 {
            sigils.hear(if i == 999 { "<task-failed/>" } else { "<task-done/>" });
            claims.spoken(&mut sigils);
            claims.called(i.to_string(), "update_task", r#"{"status":"done"}"#);
        }
        assert_eq!(claims.open_calls.len(), OPEN_CALLS);
        let all = claims.in_order(Vec::new());
        assert_eq!((all.len(), all.last().map(|claim| claim.done)), (KEPT, Some(false)));
    }
}
