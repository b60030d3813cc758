//! Collects what a running agent says and does, within bounds, until it ends.

use super::claims::Claims;
use super::hooks::{AgentExit, Claim, CutShort};
use super::spending::Spending;
use crate::limits;
use crate::shell_words::refuses_an_option;
use crate::sigil::{Sigils, SpokenPiece, TaskClaim, is_report, pieces};
use crate::signal::{AgentSignal, Ending, McpServerStatus, Usage, limited_model};
use crate::text::cut;
use crate::time::Timestamp;

/// Characters of one denial or remark: one line on screen.
const LINE_CHARS: usize = 200;

/// Characters kept of the provider's reason, of the agent's last words and of a tool's error: more than notes, reports and terminals quote.
const REASON_CHARS: usize = 2_000;
/// Consecutive refusals of a key after which an agent's own retries are hopeless: the first may be a token that is being renewed.
const UNAUTHORIZED_RETRIES: u32 = 2;
/// Failed turns without a tool between them after which an agent's own further turns are hopeless. One that makes room in between, by a turn
/// of its own that succeeds, and fails again has come no further.
const FAILED_TURNS: u32 = 3;

/// How command lines say, in lower case, that they don't know a subcommand.
const UNKNOWN_COMMAND: [&str; 2] = ["unrecognized subcommand", "unknown command"];

/// An agent's output so far.
#[derive(Debug)]
pub(super) struct CollectedOutput {
    claim: Claim,
    /// Why it is being stopped.
    pub(super) cut_short: Option<CutShort>,
    /// Sigils in its own text.
    sigils: Sigils,
    /// Its claims in order.
    claims: Claims,
    /// Its usage.
    spending: Spending,
    /// The last error of a turn, as worded by the agent or the provider.
    reason: String,
    /// The last thing it said apart from sigils.
    last_words: String,
    /// The last result that a tool reported as an error; empty once a tool has worked since.
    last_error: String,
    /// Whether it has said anything in the form of its kind.
    has_spoken: bool,
    /// Consecutive refusals of the key, counting the agent's own retries.
    unauthorized: u32,
    /// The last of them, in the provider's words as far as the agent tells them.
    refusal: String,
    /// Failed turns since a tool was last used, and how the last of them ended.
    failed_turns: (u32, Ending),
    /// Lines and KiB of output that were not read.
    dropped: (u32, u32),
    denials: Vec<String>,
    /// Refused tools as counted by the turns, which may exceed those reported individually.
    denied: usize,
    remarks: Vec<String>,
    turn_completed: bool,
    limit_refused: bool,
    limited_model: Option<String>,
    resets_at: Option<Timestamp>,
}

impl CollectedOutput {
    pub(super) fn new(claim: Claim) -> CollectedOutput {
        CollectedOutput {
            claim,
            cut_short: None,
            sigils: Sigils::default(),
            claims: Claims::default(),
            spending: Spending::default(),
            reason: String::new(),
            last_words: String::new(),
            last_error: String::new(),
            has_spoken: false,
            unauthorized: 0,
            refusal: String::new(),
            failed_turns: (0, Ending::Failed),
            dropped: (0, 0),
            denials: Vec::new(),
            denied: 0,
            remarks: Vec::new(),
            turn_completed: false,
            limit_refused: false,
            limited_model: None,
            resets_at: None,
        }
    }

    /// Handles one signal. Only the agent's own text is searched for sigils.
    pub(super) fn hear(&mut self, signal: AgentSignal) {
        self.spending.hear(&signal);
        self.has_spoken |= !matches!(signal, AgentSignal::Garbled { .. });
        match signal {
            AgentSignal::Text { text } => {
                self.sigils.hear(&text);
                self.claims.spoken(&mut self.sigils);
                self.keep_words(&text);
            }
            AgentSignal::ToolCall { id, name, summary, .. } => {
                self.failed_turns.0 = 0;
                self.claims.called(id, &name, &summary);
            }
            AgentSignal::ToolResult { id, is_error, summary, exit_code } => {
                self.claims.answered(&id, is_error);
                if is_error && !summary.trim().is_empty() {
                    self.last_error = cut(summary.trim(), REASON_CHARS).to_owned();
                } else if !is_error && exit_code.is_none_or(|code| code == 0) {
                    self.last_error.clear();
                }
            }
            AgentSignal::Started { mcp_servers, .. } => {
                self.turn_completed = false;
                self.note_missing(&mcp_servers);
            }
            AgentSignal::Denied { tool, summary } => {
                if self.denials.len() < limits::LIST_ITEMS {
                    self.denials.push(cut(&format!("{tool}: {summary}"), LINE_CHARS).to_owned());
                }
            }
            // A warning that the limit is near has no effect; a notice that it is over cancels the refusal.
            AgentSignal::RateLimit { rejected, resets_at, limit, .. } => {
                self.limit_refused = rejected;
                self.limited_model = limit.filter(|_| rejected).as_deref().and_then(limited_model).map(str::to_owned);
                self.resets_at = resets_at.filter(|_| rejected);
            }
            AgentSignal::Spent { .. } => self.unauthorized = 0,
            AgentSignal::TurnEnded { ending, text, denials, .. } => self.turn_ended(ending, &text, denials),
            AgentSignal::Retry { status, words, .. } => match status {
                Some(status @ (401 | 403)) => {
                    self.unauthorized += 1;
                    let words = if words.is_empty() { format!("HTTP {status}") } else { words };
                    self.refusal = cut(words.trim(), REASON_CHARS).to_owned();
                }
                _ => self.unauthorized = 0,
            },
            AgentSignal::Dropped { lines, kib } => {
                self.dropped = (self.dropped.0.saturating_add(lines), self.dropped.1.saturating_add(kib));
            }
            AgentSignal::Thinking { .. } | AgentSignal::SubagentText { .. } | AgentSignal::Unknown { .. } | AgentSignal::Garbled { .. } => {
            }
        }
    }

    fn turn_ended(&mut self, ending: Ending, text: &str, denials: u32) {
        // It is being stopped for the turns before: what follows until it is gone changes nothing.
        if self.cut_short == Some(CutShort::KeepsFailing) {
            return;
        }
        if !matches!(ending, Ending::Completed | Ending::Interrupted) {
            self.failed_turns = (self.failed_turns.0.saturating_add(1), ending);
        }
        self.turn_completed = ending == Ending::Completed;
        self.reason = if self.turn_completed { String::new() } else { cut(text.trim(), REASON_CHARS).to_owned() };
        if self.turn_completed {
            self.keep_words(text);
        }
        self.denied = self.denied.saturating_add(denials as usize);
    }

    /// Keeps what a text says beside its sigils, which are read elsewhere; one that is nothing but sigils replaces no words. A report that
    /// can't be parsed counts as words: they are all that is said about the failure.
    fn keep_words(&mut self, text: &str) {
        let words = |piece| match piece {
            SpokenPiece::Prose { text } => Some(text),
            SpokenPiece::Sigil { name, text, .. } => Some(text).filter(|text| name == "failure-report" && !is_report(text)),
        };
        let words = pieces(text).into_iter().filter_map(words).collect::<Vec<_>>().join("\n");
        if words.contains(char::is_alphanumeric) {
            self.last_words = cut(&words, REASON_CHARS).to_owned();
        }
    }

    /// Usage so far, including the open turn.
    pub(super) fn used(&self) -> Usage {
        self.spending.total()
    }

    /// Why further retries or turns by the agent are pointless, if they are: the provider keeps refusing the key, or turn after turn fails.
    pub(super) fn hopeless(&self) -> Option<CutShort> {
        let keeps_failing = self.failed_turns.0 >= FAILED_TURNS;
        let unauthorized = self.unauthorized >= UNAUTHORIZED_RETRIES;
        unauthorized.then_some(CutShort::Unauthorized).or(keeps_failing.then_some(CutShort::KeepsFailing))
    }

    /// A missing MCP server is a note, not a failure.
    fn note_missing(&mut self, servers: &[McpServerStatus]) {
        for server in servers.iter().filter(|server| server.status == "failed").take(limits::LIST_ITEMS) {
            let remark = cut(&format!("MCP server '{}' did not start", server.name), LINE_CHARS).to_owned();
            // Every turn reports its servers again.
            if !self.remarks.contains(&remark) && self.remarks.len() < limits::LIST_ITEMS {
                self.remarks.push(remark);
            }
        }
    }

    /// Whether its last turn ended normally, without an error.
    pub(super) fn turn_completed(&self) -> bool {
        self.turn_completed
    }

    /// The agent never ran: it failed to start, or a stop came first.
    pub(super) fn not_run(mut self, why: CutShort, detail: String) -> (Claim, AgentExit) {
        self.cut_short = self.cut_short.or(Some(why));
        self.exited(Ending::Interrupted, None, detail, Vec::new())
    }

    /// The agent's process has exited.
    pub(super) fn exited(
        mut self,
        ending: Ending,
        exit_code: Option<i32>,
        detail: String,
        mcp_claims: Vec<TaskClaim>,
    ) -> (Claim, AgentExit) {
        let usage = self.used();
        let (ending, cut_short) = match self.cut_short {
            Some(CutShort::KeepsFailing) => (self.failed_turns.1, None),
            // Another attempt would tell it the same.
            None if ending == Ending::Crashed && !self.has_spoken && is_usage_error(&detail) => (ending, Some(CutShort::NotStarted)),
            None if ending == Ending::PromptRefused => (ending, Some(CutShort::NotStarted)),
            other => (ending, other),
        };
        if let (lines, kib @ 1..) = self.dropped {
            let lines = if lines > 0 { format!(", with {lines} whole lines,") } else { String::new() };
            self.remarks.push(format!("{kib} KiB of its output{lines} were passed over: there was too much of it"));
        }
        if self.denied > self.denials.len() {
            self.denials.push(format!("refused tool calls that were only counted: {}", self.denied - self.denials.len()));
        }
        let exit = AgentExit {
            ending,
            exit_code,
            detail: match cut_short {
                Some(CutShort::Unauthorized) => with_reason(self.refusal, &detail),
                _ => with_reason(detail, &self.reason),
            },
            last_words: self.last_words,
            last_error: self.last_error,
            cut_short,
            turn_completed: self.turn_completed,
            limit_refused: self.limit_refused,
            limited_model: self.limited_model,
            resets_at: self.resets_at,
            claims: self.claims.in_order(mcp_claims),
            sigils: self.sigils,
            usage,
            model: self.spending.model().map(str::to_owned),
            denials: self.denials,
            remarks: self.remarks,
        };
        (self.claim, exit)
    }
}

/// Whether a command line did not know what it was told: another version, or another program.
fn is_usage_error(detail: &str) -> bool {
    let lower = detail.to_lowercase();
    refuses_an_option(&lower) || UNKNOWN_COMMAND.iter().any(|words| lower.contains(words))
}

/// The provider's reason, plus how the process ended where that adds information.
fn with_reason(detail: String, reason: &str) -> String {
    match (detail.is_empty(), reason.is_empty() || detail.contains(reason)) {
        (_, true) => detail,
        (true, false) => reason.to_owned(),
        (false, false) => format!("{reason} ({detail})"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hooks::testing;
    use super::*;

    #[test]
    fn a_flood_is_bounded_in_memory() {
        let mut work = CollectedOutput::new(testing::ctx("").claim);
        let server = |i: usize| McpServerStatus { name: i.to_string(), status: "failed".to_owned() };
        for i in 0..5_000 {
            work.hear(AgentSignal::Text { text: "ä".repeat(512) });
            work.hear(AgentSignal::Denied { tool: "Bash".to_owned(), summary: "x".repeat(1_000) });
            work.hear(AgentSignal::Started { session: None, model: None, mcp_servers: vec![server(i), server(0)] });
        }
        assert_eq!((work.denials.len(), work.remarks.len()), (limits::LIST_ITEMS, limits::LIST_ITEMS));
        assert!(work.denials.iter().all(|denial| denial.chars().count() <= LINE_CHARS));
    }

    fn exit(signals: Vec<AgentSignal>, ending: Ending, detail: &str) -> AgentExit {
        let mut work = CollectedOutput::new(testing::ctx("").claim);
        signals.into_iter().for_each(|signal| work.hear(signal));
        work.exited(ending, None, detail.to_owned(), Vec::new()).1
    }

    fn spent(usd: f64) -> AgentSignal {
        AgentSignal::Spent { model: Some("opus".to_owned()), usage: Usage { output_tokens: 1, cost_usd: Some(usd), ..Usage::default() } }
    }

    fn turn(ending: Ending, text: &str, usd: Option<f64>) -> AgentSignal {
        AgentSignal::TurnEnded { ending, text: text.to_owned(), usage: Usage { cost_usd: usd, ..Usage::default() }, denials: 0 }
    }

    #[test]
    fn a_turn_costs_what_its_result_says_and_without_one_what_was_counted() {
        for (signals, usd) in [
            (vec![spent(0.1), spent(0.3)], 0.3),
            (vec![spent(0.3), turn(Ending::Completed, "", Some(0.25))], 0.25),
            (vec![spent(0.3), turn(Ending::Completed, "", Some(0.25)), spent(0.5)], 0.75),
            (vec![spent(0.3), turn(Ending::Interrupted, "", Some(0.0))], 0.3),
            (vec![spent(0.3), turn(Ending::Failed, "", None), turn(Ending::Completed, "", Some(0.25))], 0.55),
        ] {
            let exit = exit(signals, Ending::Crashed, "");
            assert!((exit.usage.cost_usd.unwrap_or(0.0) - usd).abs() < 1e-9, "{:?} {usd}", exit.usage);
            assert_eq!(exit.model.as_deref(), Some("opus"));
        }
    }

    #[test]
    fn a_program_that_does_not_know_its_arguments_was_not_started() {
        let usage = "It ended with exit code 2 and without a result: error: unexpected argument '--json' found";
        let help = || AgentSignal::Garbled { text: "Usage: codex [OPTIONS]".to_owned() };
        let spoke = || AgentSignal::Started { session: None, model: None, mcp_servers: Vec::new() };
        for (signals, ending, detail, cut_short) in [
            (vec![], Ending::Crashed, usage, Some(CutShort::NotStarted)),
            (vec![help()], Ending::Crashed, "Unknown argument: format", Some(CutShort::NotStarted)),
            (vec![], Ending::Crashed, "node: bad option: --json", Some(CutShort::NotStarted)),
            (vec![spoke()], Ending::Crashed, usage, None),
            (vec![], Ending::Interrupted, usage, None),
            (vec![], Ending::Crashed, "It ended with exit code 1 and without a result: out of memory", None),
            (vec![spoke()], Ending::PromptRefused, "not on sundays", Some(CutShort::NotStarted)),
        ] {
            assert_eq!(exit(signals, ending, detail).cut_short, cut_short, "{ending} {detail}");
        }
    }

    #[test]
    fn the_last_words_and_the_last_error_of_a_tool_are_kept() {
        let text = |text: &str| AgentSignal::Text { text: text.to_owned() };
        let result =
            |is_error, summary: &str| AgentSignal::ToolResult { id: String::new(), is_error, summary: summary.to_owned(), exit_code: None };
        for (signals, words, error) in [
            (vec![text("First."), text("I give up.\n<task-failed>7</task-failed>")], "I give up.", ""),
            (vec![text("I give up."), text("<task-failed/>"), turn(Ending::Completed, "<task-failed/>", None)], "I give up.", ""),
            (vec![text("<failure-report>it broke; c.rs is gone</failure-report>\n<task-failed/>")], "it broke; c.rs is gone", ""),
            (vec![text("No.\n<failure-report>\nwhat_was_tried: x\nwhy_it_failed: y\n</failure-report>")], "No.", ""),
            (vec![text("Looking."), turn(Ending::Completed, "The crate is not there.", None)], "The crate is not there.", ""),
            (vec![text("Looking."), turn(Ending::Failed, "API Error", None)], "Looking.", ""),
            (vec![result(true, "error[E0432]"), result(true, " ")], "", "error[E0432]"),
            (vec![result(true, "cat: nowhere.txt: No such file"), result(false, "ok")], "", ""),
        ] {
            let exit = exit(signals, Ending::Completed, "");
            assert_eq!((exit.last_words.as_str(), exit.last_error.as_str()), (words, error));
        }
        let flood = exit(vec![text(&"ä ".repeat(100_000)), result(true, &"x".repeat(100_000))], Ending::Completed, "");
        assert!(flood.last_words.chars().count() <= REASON_CHARS && flood.last_error.len() <= REASON_CHARS);
    }

    #[test]
    fn the_provider_s_reason_and_what_was_passed_over_reach_the_iteration() {
        let reason = "There's an issue with the selected model (opus-9).";
        let signals = || vec![turn(Ending::Failed, reason, None), AgentSignal::Dropped { lines: 3, kib: 7 }];
        assert_eq!(exit(signals(), Ending::Failed, "").detail, reason);
        assert_eq!(exit(signals(), Ending::Crashed, "It was killed.").detail, format!("{reason} (It was killed.)"));
        assert_eq!(exit(vec![turn(Ending::Completed, "done", None)], Ending::Completed, "").detail, "");
        let refused = |status, words: &str| AgentSignal::Retry { attempt: 1, status: Some(status), delay_ms: 0, words: words.to_owned() };
        for (signals, detail) in
            [(vec![refused(403, "Country not supported")], "Country not supported"), (vec![refused(401, "")], "HTTP 401")]
        {
            let mut work = CollectedOutput::new(testing::ctx("").claim);
            signals.into_iter().for_each(|signal| work.hear(signal));
            work.cut_short = Some(CutShort::Unauthorized);
            assert_eq!(work.exited(Ending::Interrupted, None, String::new(), Vec::new()).1.detail, detail);
        }
        let over = "7 KiB of its output, with 3 whole lines, were passed over: there was too much of it";
        assert_eq!(exit(signals(), Ending::Failed, "").remarks, [over]);
    }
}
