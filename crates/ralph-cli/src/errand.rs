//! `ralph errand`: agent runs that belong to no task.

use crate::number;
use crate::output::{Answered, Output, table};
use clap::{Args, Subcommand};
use ralph_app::App;
use ralph_core::errand::{Errand, ErrandAgent, ErrandId};
use ralph_core::run::AgentKind;
use serde::Serialize;

/// Who does an errand.
#[derive(Debug, Args)]
pub struct ErrandAgentArgs {
    /// The agent; the project's by default.
    #[arg(long)]
    agent: Option<AgentKind>,
    /// Its model; what the project has for such work by default.
    #[arg(long)]
    model: Option<String>,
    /// Script of the scripted agent.
    #[arg(long, value_name = "FILE")]
    script: Option<String>,
}

impl From<&ErrandAgentArgs> for ErrandAgent {
    fn from(args: &ErrandAgentArgs) -> ErrandAgent {
        ErrandAgent { agent: args.agent, model: args.model.clone(), script: args.script.clone() }
    }
}

/// What to do with errands.
#[derive(Debug, Subcommand)]
pub enum ErrandCommand {
    /// The newest errands, newest first.
    List,
    /// One errand with its answer.
    Show {
        #[arg(value_parser = number::errand)]
        id: ErrandId,
    },
    /// Stop an errand in progress.
    Stop {
        #[arg(value_parser = number::errand)]
        id: ErrandId,
    },
}

/// An errand with the paths of its files.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    errand: Errand,
    prompt: String,
    transcript: String,
}

/// Runs `ralph errand`.
pub fn errand(app: &App, command: &ErrandCommand, output: Output) -> Answered {
    match command {
        ErrandCommand::List => {
            let errands = app.errands()?;
            output.answer(&errands, || table(&errands.iter().map(row).collect::<Vec<_>>(), "no errands"));
        }
        ErrandCommand::Show { id } => {
            let place = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
            let shown =
                Shown { errand: app.errand(*id)?, prompt: place(app.errand_prompt(*id, 1)), transcript: place(app.errand_log(*id)) };
            output.answer(&shown, || format!("{}\n\n{}", row(&shown.errand).join("  "), shown.errand.answer));
        }
        ErrandCommand::Stop { id } => {
            let errand = app.stop_errand(*id)?;
            output.answer(&errand, || {
                if errand.ended.is_some() { format!("errand {id} is over") } else { format!("errand {id} is asked to stop") }
            });
        }
    }
    Ok(())
}

fn row(errand: &Errand) -> Vec<String> {
    let about = errand.task.map_or_else(String::new, |task| format!("#{task}"));
    let cost = ralph_core::text::known_dollars(errand.usage.cost_usd, errand.usage.lacks_cost(), 2).unwrap_or_default();
    let note = errand.note.as_ref().unwrap_or(&errand.title);
    vec![errand.id.to_string(), errand.kind.to_string(), about, errand.state.to_string(), cost, note.clone()]
}
