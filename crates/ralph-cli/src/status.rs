//! `ralph status`: what runs now, and what needs a person.

use crate::output::{Answered, Output};
use ralph_app::App;
use ralph_core::view::{Overview, ProjectInfo};
use serde::Serialize;

#[derive(Serialize)]
struct Status {
    project: ProjectInfo,
    #[serde(flatten)]
    overview: Overview,
}

/// Answers `ralph status`.
pub fn status(app: &App, output: Output) -> Answered {
    app.active_run()?;
    let status = Status { project: app.project(), overview: app.overview()? };
    output.answer(&status, || {
        let o = &status.overview;
        let run = o.active_run.as_ref().map_or_else(
            || "no run".to_owned(),
            |r| format!("run {} is {}, iteration {}, ${:.2}", r.id, r.state, r.iterations, r.cost_usd),
        );
        format!(
            "{}\n{run}\n{} features, {} open tasks, {} learnings, {} need you",
            status.project.path,
            o.features,
            o.open_tasks,
            o.learnings,
            o.needs_you.len()
        )
    });
    Ok(())
}
