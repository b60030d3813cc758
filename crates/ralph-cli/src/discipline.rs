//! `ralph discipline`: how work is done.

use crate::output::{Answered, Output, table};
use clap::{Args, Subcommand};
use ralph_app::App;
use ralph_core::discipline::{Discipline, DisciplinePatch, McpServer};

/// What to do with disciplines.
#[derive(Debug, Subcommand)]
pub enum DisciplineCommand {
    /// Disciplines by name.
    List,
    /// One discipline.
    Show { name: String },
    /// Change a discipline, or create one; fields that are not given stay.
    Set {
        name: String,
        #[command(flatten)]
        fields: DisciplineFields,
    },
}

#[derive(Debug, Args)]
pub struct DisciplineFields {
    /// Name for people.
    #[arg(long)]
    display_name: Option<String>,
    /// Who the agent is while it works.
    #[arg(long)]
    persona: Option<String>,
    /// Rules for the work, one per line.
    #[arg(long)]
    conventions: Option<String>,
    /// Skills the agent may use (comma-separated or repeated); "" for none.
    #[arg(long, value_delimiter = ',')]
    skills: Option<Vec<String>>,
    /// An MCP server, as NAME=COMMAND with spaces between arguments, or as JSON with name, command and args (repeat for several; "" for
    /// none).
    #[arg(long = "mcp-server", value_name = "SERVER", value_parser = server)]
    mcp_servers: Option<Vec<NamedServer>>,
}

/// A server, or none.
#[derive(Debug, Clone)]
struct NamedServer(Option<McpServer>);

/// Why a text does not describe a server.
#[derive(Debug, thiserror::Error)]
enum ServerFault {
    #[error("write NAME=COMMAND")]
    NoName,
    #[error("there is no command after '='")]
    NoCommand,
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

fn server(text: &str) -> Result<NamedServer, ServerFault> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(NamedServer(None));
    }
    if text.starts_with('{') {
        return Ok(NamedServer(Some(serde_json::from_str(text)?)));
    }
    let (name, command) = text.split_once('=').ok_or(ServerFault::NoName)?;
    let mut words = command.split_whitespace().map(str::to_owned);
    let command = words.next().ok_or(ServerFault::NoCommand)?;
    Ok(NamedServer(Some(McpServer { name: name.trim().to_owned(), command, args: words.collect() })))
}

/// Runs `ralph discipline`.
pub fn discipline(app: &App, command: DisciplineCommand, output: Output) -> Answered {
    match command {
        DisciplineCommand::List => {
            let all = app.disciplines()?;
            let row = |d: &Discipline| vec![d.name.clone(), d.display_name.clone(), d.persona.clone()];
            output
                .answer(&all, || table(&all.iter().map(row).collect::<Vec<_>>(), "no disciplines: `ralph discipline set NAME` makes one"));
        }
        DisciplineCommand::Show { name } => {
            let one = app.discipline(&name)?;
            output.answer(&one, || in_words(&one));
        }
        DisciplineCommand::Set { name, fields } => {
            let DisciplineFields { display_name, persona, conventions, skills, mcp_servers } = fields;
            let mcp_servers = mcp_servers.map(|servers| servers.into_iter().filter_map(|server| server.0).collect());
            let one = app.set_discipline(&name, &DisciplinePatch { display_name, persona, conventions, skills, mcp_servers })?;
            output.answer(&one, || in_words(&one));
        }
    }
    Ok(())
}

fn in_words(discipline: &Discipline) -> String {
    let Discipline { name, display_name, persona, conventions, skills, mcp_servers } = discipline;
    let conventions = conventions.lines().map(|line| format!("- {line}"));
    let skills = (!skills.is_empty()).then(|| format!("skills: {}", skills.join(", ")));
    let servers = mcp_servers.iter().map(|s| format!("MCP server {}: {} {}", s.name, s.command, s.args.join(" ")));
    let head = [format!("{display_name} ({name})"), persona.clone()];
    head.into_iter().chain(conventions).chain(skills).chain(servers).collect::<Vec<_>>().join("\n")
}
