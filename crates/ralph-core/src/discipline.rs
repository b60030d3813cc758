//! Discipline: how work is done (persona, conventions, tools).

use serde::{Deserialize, Serialize};

/// Name of Ralph's own MCP server, reserved.
pub const OWN_SERVER: &str = "ralph";
/// The tool of that server by which an agent's program asks a person for permission.
pub const ASK_TOOL: &str = "ask_person";

/// How work of one kind is done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Discipline {
    /// Unique name, lower case.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// Who the agent is while it works, in one or two sentences.
    pub persona: String,
    /// Rules of the work, one per line.
    pub conventions: String,
    /// Skills the agent may use, by name.
    pub skills: Vec<String>,
    /// MCP servers that the agent gets in addition to Ralph's own: name and command line.
    pub mcp_servers: Vec<McpServer>,
}

/// An MCP server that an agent starts on stdio.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct McpServer {
    /// Name used in the agent's tool names.
    pub name: String,
    /// Program.
    pub command: String,
    /// Arguments.
    #[serde(default)]
    pub args: Vec<String>,
}

/// Fields to change in a discipline, or those of a new one; a missing field stays.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct DisciplinePatch {
    /// Name for people.
    pub display_name: Option<String>,
    /// Who the agent is while it works.
    pub persona: Option<String>,
    /// Rules of the work, one per line.
    pub conventions: Option<String>,
    /// Skills the agent may use, by name.
    pub skills: Option<Vec<String>>,
    /// MCP servers that the agent gets in addition to Ralph's own.
    pub mcp_servers: Option<Vec<McpServer>>,
}

/// The eight disciplines of a new project: name, display name, persona, conventions.
pub const DEFAULTS: [(&str, &str, &str, &str); 8] = [
    (
        "backend",
        "Backend",
        "You build server-side code that others rely on.",
        "Handle every error with a message that names the cause.\nValidate input at the boundary.\nKeep changes small and tested.",
    ),
    (
        "frontend",
        "Frontend",
        "You build interfaces that people use all day.",
        "Keep state where it is used.\nEvery control is reachable by keyboard and has a name.\nShow loading, empty and error states.",
    ),
    (
        "database",
        "Database",
        "You design schemas and queries that stay correct under load.",
        "Migrations only go forward and never lose data.\nEvery query has an index to run on.\nKeep what must be true together in one transaction.",
    ),
    (
        "testing",
        "Testing",
        "You write tests that fail when behaviour breaks.",
        "Test behaviour, not implementation.\nNo sleeps; wait for conditions.\nEvery fixed bug leaves a test named after its symptom.",
    ),
    (
        "devops",
        "DevOps",
        "You make builds, releases and operations boring.",
        "Pin versions.\nEvery step can be repeated safely.\nA failure says what to do next.",
    ),
    (
        "security",
        "Security",
        "You look for what an attacker would use.",
        "Least privilege by default.\nSecrets never reach logs or the repository.\nTreat all outside input as data.",
    ),
    (
        "documentation",
        "Documentation",
        "You write for the reader who has five minutes.",
        "Lead with what the reader can do.\nShow commands that were run.\nDelete what is no longer true.",
    ),
    (
        "architecture",
        "Architecture",
        "You find the simplest shape that carries the product.",
        "Name things once.\nDependencies point one way.\nRemove before you add.",
    ),
];

/// The disciplines of a new project.
pub fn defaults() -> Vec<Discipline> {
    DEFAULTS
        .iter()
        .map(|(name, display_name, persona, conventions)| Discipline {
            name: (*name).to_owned(),
            display_name: (*display_name).to_owned(),
            persona: (*persona).to_owned(),
            conventions: (*conventions).to_owned(),
            skills: Vec::new(),
            mcp_servers: Vec::new(),
        })
        .collect()
}
