//! For tests that start a run.

use crate::app::App;
use crate::clock::Clock;
use crate::files::Readers;
use crate::runs::PreparedRun;
use ralph_core::run::{AgentKind, RunLimits, RunRequest};
use std::sync::Arc;
use tempfile::TempDir;

/// A run prepared in a new project, whose agent is done at once.
pub(crate) async fn prepared() -> (TempDir, Arc<App>, PreparedRun) {
    let folder = tempfile::tempdir().expect("a folder");
    let app = Arc::new(App::init(folder.path(), Clock::system()).expect("a project"));
    let script = app.paths.root.join("play.script");
    app.paths.files().write(&script, b"done\n", Readers::Anyone).expect("writes");
    let prepared = app.start_run(&played(None)).await.expect("starts: is `ralph` built beside the tests?");
    (folder, app, prepared)
}

/// A run of the scripted agent with the project's `play.script`, of this many iterations.
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
