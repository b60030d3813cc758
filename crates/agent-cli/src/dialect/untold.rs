//! What an agent has used but not reported yet: Codex reports it when a turn ends, OpenCode when a step does. A turn that is cut off before
//! that has an unknown cost, which is not zero.

use ralph_core::signal::{AgentSignal, Usage};

/// Whether the agent has worked since it last reported its usage.
#[derive(Debug, Default)]
pub struct Untold {
    worked: bool,
}

impl Untold {
    /// With the first sign of work, adds to the signals of a line that the usage reported `so_far` is incomplete.
    pub fn hear(&mut self, mut signals: Vec<AgentSignal>, so_far: Usage) -> Vec<AgentSignal> {
        if !self.worked && signals.iter().any(is_work) {
            self.worked = true;
            signals.push(AgentSignal::Spent { model: None, usage: Usage { unpriced: true, ..so_far } });
        }
        signals
    }

    /// Starts over, since usage has been reported or a turn has ended; returns whether something was missing until then.
    pub fn end(&mut self) -> bool {
        std::mem::take(&mut self.worked)
    }
}

fn is_work(signal: &AgentSignal) -> bool {
    matches!(signal, AgentSignal::Text { .. } | AgentSignal::Thinking { .. } | AgentSignal::ToolCall { .. })
}

#[cfg(test)]
mod tests {
    use crate::Dialect;
    use crate::transcript::parse_transcript;
    use ralph_core::run::Spending;

    /// Dollars, and whether something is missing from them.
    fn cost(dialect: Dialect, lines: &[&str]) -> (Option<f64>, bool) {
        let mut spending = Spending::default();
        parse_transcript(dialect, lines.join("\n").as_bytes()).unwrap().iter().for_each(|signal| spending.hear(signal));
        (spending.total().cost_usd, spending.total().lacks_cost())
    }

    #[test]
    fn what_an_agent_did_before_it_was_cut_off_did_not_cost_nothing() {
        let codex = |lines: &[&str]| cost(Dialect::Codex, &[&[r#"{"type":"turn.started"}"#], lines].concat());
        let words = r#"{"type":"item.completed","item":{"type":"agent_message","text":"I begin."}}"#;
        let refused = r#"{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}"#;
        let failed = r#"{"type":"turn.failed","error":{"message":"stream disconnected before completion"}}"#;
        assert_eq!([codex(&[]), codex(&[refused])], [(None, false); 2], "nothing was used");
        assert_eq!([codex(&[words]), codex(&[words, failed])], [(None, true); 2], "it still works, or crashed; its turn failed");
        let opencode = |lines: &[&str]| cost(Dialect::Opencode, lines);
        let words = r#"{"type":"text","part":{"type":"text","text":"I begin."}}"#;
        let step = r#"{"type":"step_finish","part":{"reason":"tool-calls","tokens":{"input":9,"output":1},"cost":0.25}}"#;
        let error = r#"{"type":"error","error":{"name":"APIError","data":{"message":"Overloaded","statusCode":529}}}"#;
        assert_eq!([opencode(&[words, step]), opencode(&[words, step, error])], [(Some(0.25), false); 2]);
        assert_eq!([opencode(&[words, step, words]), opencode(&[words, step, words, error])], [(Some(0.25), true); 2]);
        assert_eq!(opencode(&[words, step, words, step]), (Some(0.5), false), "all of it is told");
        let cut = r#"{"type":"step_finish","part":{"reason":"unknown","tokens":{"input":0,"output":0},"cost":0}}"#;
        assert_eq!(opencode(&[words, step, words, cut]), (Some(0.25), true), "a stream that ended early");
    }
}
