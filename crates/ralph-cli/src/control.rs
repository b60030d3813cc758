//! `ralph stop`, `pause` and `resume`: steering a run from another terminal.

use crate::output::{Answered, Output};
use clap::Args;
use ralph_app::App;
use ralph_core::run::RunControl;
use ralph_core::view::CommandError;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How long `stop` waits for the run to be over: the stop ladder takes less than 5 s, a check's end as much again.
const STOP_PATIENCE: Duration = Duration::from_secs(20);
/// How often it looks.
const STOP_LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
pub struct StopArgs {
    /// After the current iteration instead.
    #[arg(long)]
    after: bool,
}

/// Stops the active run, whoever started it, and waits until it is over.
pub async fn stop(app: &Arc<App>, args: &StopArgs, output: Output) -> Result<ExitCode, CommandError> {
    let run = app.control_run(if args.after { RunControl::StopAfter } else { RunControl::StopNow })?;
    if args.after {
        output.answer(&run, || format!("run {} ends after this iteration", run.id));
        return Ok(ExitCode::SUCCESS);
    }
    let asked = tokio::time::Instant::now();
    let mut look = tokio::time::interval(STOP_LOOK);
    loop {
        look.tick().await;
        // Also ends a run whose process is gone.
        app.active_run()?;
        let run = app.run(run.id)?.run;
        if run.ended.is_some() {
            output.answer(&run, || crate::run::ended(&run));
            return Ok(ExitCode::SUCCESS);
        }
        if asked.elapsed() > STOP_PATIENCE {
            return Err(CommandError {
                code: "run_active".to_owned(),
                message: format!("run {} was asked to stop, but its process {} does not answer", run.id, run.owner_pid),
                hint: format!("end process {} by hand; `ralph status` then frees its task", run.owner_pid),
                data: None,
            });
        }
    }
}

/// Pauses the active run, or lets it go on.
pub fn control(app: &App, wish: RunControl, output: Output) -> Answered {
    let run = app.control_run(wish)?;
    output.answer(&run, || format!("run {}: {}", run.id, if wish == RunControl::None { "goes on" } else { "pauses after this iteration" }));
    Ok(())
}
