//! Collects what a running agent says and does, within bounds, until it ends.

use super::claims::Claims;
use super::hooks::{AgentExit, Claim, CutShort};
use crate::limits;
use crate::sigil::{Sigils, TaskClaim};
use crate::signal::{AgentSignal, Ending, McpServerStatus, Usage};
use crate::text::cut;
use crate::time::Timestamp;

/// Characters of one denial or remark: one line on screen.
const LINE_CHARS: usize = 200;

/// What an agent said and did so far.
#[derive(Debug)]
pub(super) struct Collected {
    claim: Claim,
    /// Why it is being stopped.
    pub(super) cut_short: Option<CutShort>,
    /// What it said in its own text.
    sigils: Sigils,
    /// Its claims in their order.
    claims: Claims,
    usage: Usage,
    denials: Vec<String>,
    /// Refused tools by the turns' own count, which may know of more than were told one by one.
    denied: usize,
    remarks: Vec<String>,
    turn_completed: bool,
    limit_refused: bool,
    resets_at: Option<Timestamp>,
}

impl Collected {
    pub(super) fn new(claim: Claim) -> Collected {
        Collected {
            claim,
            cut_short: None,
            sigils: Sigils::default(),
            claims: Claims::default(),
            usage: Usage::default(),
            denials: Vec::new(),
            denied: 0,
            remarks: Vec::new(),
            turn_completed: false,
            limit_refused: false,
            resets_at: None,
        }
    }

    /// Takes one signal. Only the agent's own text is kept for sigils.
    pub(super) fn hear(&mut self, signal: AgentSignal) {
        match signal {
            AgentSignal::Text { text } => {
                self.sigils.hear(&text);
                self.claims.spoken(&mut self.sigils);
            }
            AgentSignal::ToolCall { id, name, summary, .. } => self.claims.called(id, &name, &summary),
            AgentSignal::ToolResult { id, is_error, .. } => self.claims.answered(&id, is_error),
            AgentSignal::Started { mcp_servers, .. } => {
                self.turn_completed = false;
                self.note_missing(&mcp_servers);
            }
            AgentSignal::Denied { tool, summary } => {
                if self.denials.len() < limits::LIST_ITEMS {
                    self.denials.push(cut(&format!("{tool}: {summary}"), LINE_CHARS).to_owned());
                }
            }
            // A warning that the limit is near has no effect; that it is over takes the refusal back.
            AgentSignal::RateLimit { rejected, resets_at, .. } => {
                self.limit_refused = rejected;
                self.resets_at = resets_at.filter(|_| rejected);
            }
            AgentSignal::TurnEnded { ending, usage, denials, .. } => {
                self.turn_completed = ending == Ending::Completed;
                self.usage.add(&usage);
                self.denied = self.denied.saturating_add(denials as usize);
            }
            AgentSignal::Thinking { .. }
            | AgentSignal::SubagentText { .. }
            | AgentSignal::Retry { .. }
            | AgentSignal::Unknown { .. }
            | AgentSignal::Garbled { .. } => {}
        }
    }

    /// A missing MCP server is a note, not a failure.
    fn note_missing(&mut self, servers: &[McpServerStatus]) {
        for server in servers.iter().filter(|server| server.status == "failed").take(limits::LIST_ITEMS) {
            let remark = cut(&format!("MCP server '{}' did not start", server.name), LINE_CHARS).to_owned();
            // Every turn tells its servers again.
            if !self.remarks.contains(&remark) && self.remarks.len() < limits::LIST_ITEMS {
                self.remarks.push(remark);
            }
        }
    }

    /// Whether its last turn ended by itself, without an error.
    pub(super) fn turn_completed(&self) -> bool {
        self.turn_completed
    }

    /// The agent never ran: it could not be started, or a stop came first.
    pub(super) fn not_run(mut self, why: CutShort, detail: String) -> (Claim, AgentExit) {
        self.cut_short = self.cut_short.or(Some(why));
        self.exited(Ending::Interrupted, None, detail, Vec::new())
    }

    /// The agent's process is gone.
    pub(super) fn exited(
        mut self,
        ending: Ending,
        exit_code: Option<i32>,
        detail: String,
        mcp_claims: Vec<TaskClaim>,
    ) -> (Claim, AgentExit) {
        if self.denied > self.denials.len() {
            self.denials.push(format!("refused tool calls that were only counted: {}", self.denied - self.denials.len()));
        }
        let exit = AgentExit {
            ending,
            exit_code,
            detail,
            cut_short: self.cut_short,
            turn_completed: self.turn_completed,
            limit_refused: self.limit_refused,
            resets_at: self.resets_at,
            claims: self.claims.in_order(mcp_claims),
            sigils: self.sigils,
            usage: self.usage,
            denials: self.denials,
            remarks: self.remarks,
        };
        (self.claim, exit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::hooks::testing;
    use super::*;

    #[test]
    fn a_flood_is_bounded_in_memory() {
        let mut work = Collected::new(testing::ctx("").claim);
        let server = |i: usize| McpServerStatus { name: i.to_string(), status: "failed".to_owned() };
        for i in 0..5_000 {
            work.hear(AgentSignal::Text { text: "ä".repeat(512) });
            work.hear(AgentSignal::Denied { tool: "Bash".to_owned(), summary: "x".repeat(1_000) });
            work.hear(AgentSignal::Started { session: None, model: None, mcp_servers: vec![server(i), server(0)] });
        }
        assert_eq!((work.denials.len(), work.remarks.len()), (limits::LIST_ITEMS, limits::LIST_ITEMS));
        assert!(work.denials.iter().all(|denial| denial.chars().count() <= LINE_CHARS));
    }
}
