//! For tests that start a run.

use ralph_core::run::{AgentKind, RunLimits, RunRequest};

/// A run of the scripted agent by the project's `play.script`, of as many iterations.
pub(crate) fn played(max_iterations: Option<u32>) -> RunRequest {
    RunRequest {
        agent: AgentKind::Scripted,
        model: None,
        agent_path: None,
        script: Some("play.script".into()),
        task: None,
        limits: RunLimits { max_iterations, max_minutes: None, max_usd: None },
        check: None,
        strategy: None,
        hold_out: None,
        workers: None,
        in_place: None,
        permissions: None,
        checkout: None,
    }
}
