//! `ralph status`: what runs now, and what needs a person.

use crate::output::{Answered, Output};
use ralph_app::App;
use ralph_core::run::owner::Recovery;
use ralph_core::view::{Overview, ProjectInfo};
use serde::Serialize;

#[derive(Serialize)]
struct Status {
    project: ProjectInfo,
    #[serde(flatten)]
    overview: Overview,
    recovery: Recovery,
    read_only: bool,
}

/// Answers `ralph status`.
pub fn status(app: &App, output: Output) -> Answered {
    app.active_run()?;
    let status = Status { project: app.project(), overview: app.overview()?, recovery: app.recovery(), read_only: app.is_read_only() };
    output.answer(&status, || {
        let o = &status.overview;
        let run = o.active_run.as_ref().map_or_else(
            || "no run".to_owned(),
            |r| format!("run {} is {}, iteration {}, ${:.2}", r.id, r.state, r.iterations, r.cost_usd),
        );
        let skipped = match (status.read_only, status.recovery) {
            (true, _) => "\nthe project is read-only: nothing can be changed here",
            (false, Recovery::Skipped) => "\nanother process is writing: what dead runs hold is freed later",
            (false, Recovery::Done) => "",
        };
        format!(
            "{}\n{run}{skipped}\n{} features, {} open tasks, {} learnings, {} need you",
            status.project.path,
            o.features,
            o.open_tasks,
            o.learnings,
            o.needs_you.len()
        )
    });
    Ok(())
}
