//! The message of a provider that refuses the key: the agent reports it only when it gives up, which takes minutes.

use super::{AgentEvent, start};
use crate::command::AgentSpec;
use ralph_core::run::AgentKind;
use ralph_core::signal::{AgentSignal, Ending};
use std::time::Duration;

/// The question; it is not answered while the key is refused.
const QUESTION: &str = "Say OK.";
/// Timeout of the answer: a stop waits no longer.
const PATIENCE: Duration = Duration::from_secs(4);
/// Dollar limit of an answer, in case the key is accepted after all.
const DOLLARS: f64 = 0.01;

/// Asks once more, without tools and retries, and returns why the key is refused, in the provider's words. Agents whose retries can't be
/// switched off would only be refused for longer: `None`.
pub async fn ask_why_refused(spec: AgentSpec) -> Option<String> {
    if matches!(spec.kind, AgentKind::Codex | AgentKind::Opencode) {
        return None;
    }
    let spec = AgentSpec {
        prompt: QUESTION.to_owned(),
        mcp_servers: Vec::new(),
        allowed_tools: Vec::new(),
        max_usd: Some(DOLLARS),
        answer_schema: None,
        max_retries: Some(0),
        ..spec
    };
    let mut agent = start(spec).ok()?;
    let ended = async {
        let mut words = None;
        loop {
            match agent.next().await? {
                AgentEvent::Signal(AgentSignal::TurnEnded { ending: Ending::Authentication, text, .. }) => words = Some(text),
                AgentEvent::Exited(_) => return words,
                AgentEvent::Signal(_) | AgentEvent::Stderr(_) => {}
            }
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.ok()?.filter(|words| !words.is_empty())
}
