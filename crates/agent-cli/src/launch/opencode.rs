//! OpenCode: `opencode run --format json`, with its servers and rules in a variable that it merges over the person's settings.

use super::{Launch, model_option, named_model};
use crate::command::{AgentSpec, McpServerSpec};
use crate::permission::{DENIED, rights};
use ralph_core::permission::PermissionProfile;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// Instructions for agents in a folder.
const INSTRUCTIONS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Milliseconds that a server may take to start.
const SERVER_MILLIS: u32 = 30_000;
/// Folders of OpenCode's own, for outputs that are too long for the model.
const OWN_FOLDERS: [&str; 2] = ["~/.local/share/opencode/tool-output/*", "/tmp/opencode/*"];

pub(super) fn launch(spec: &AgentSpec) -> Launch {
    let mut launch = Launch::default();
    launch.add(["run", "--format", "json"]);
    if let Some(model) = named_model(spec) {
        launch.add([model_option(model).as_str()]);
    }
    // With the folder's own settings its instructions would be left out, too.
    let instructions = INSTRUCTIONS.map(|name| spec.cwd.join(name).to_string_lossy().into_owned());
    let config = Config { autoupdate: false, share: "disabled", instructions, permission: permissions(spec), mcp: servers(spec) };
    launch.set("OPENCODE_CONFIG_CONTENT", serde_json::to_string(&config).expect("texts, flags and tables of them"));
    // What the folder brings along (servers, rules that allow more) must not apply to a run. Plugins are loaded all the same, and wait for
    // agreement.
    launch.set("OPENCODE_DISABLE_PROJECT_CONFIG", "1");
    launch
}

/// The settings of one invocation.
#[derive(Serialize)]
struct Config {
    autoupdate: bool,
    share: &'static str,
    instructions: [String; 2],
    permission: Rules,
    mcp: Value,
}

/// Rules in their order: the last that matches decides.
struct Rules(Vec<(String, Rule)>);

#[derive(Serialize)]
#[serde(untagged)]
enum Rule {
    Word(&'static str),
    Rules(Rules),
}

impl Serialize for Rules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(pattern, rule)| (pattern, rule)))
    }
}

fn servers(spec: &AgentSpec) -> Value {
    let server = |server: &McpServerSpec| {
        let marks = spec.marks.variables().into_iter().chain(server.env.iter().cloned());
        let environment: Map<String, Value> = marks.map(|(name, value)| (name, value.into())).collect();
        let command: Vec<String> =
            std::iter::once(server.command.to_string_lossy().into_owned()).chain(server.args.iter().cloned()).collect();
        json!({ "type": "local", "command": command, "environment": environment, "enabled": true, "timeout": SERVER_MILLIS })
    };
    spec.mcp_servers.iter().map(|known| (known.name.clone(), server(known))).collect::<Map<_, _>>().into()
}

/// Rules without "ask": `opencode run` can't ask, and ends the whole turn at a question that nobody answers.
fn permissions(spec: &AgentSpec) -> Rules {
    let rights = rights(spec.permissions, &spec.allowed_tools, &spec.check);
    let word = |allowed: bool| Rule::Word(if allowed { "allow" } else { "deny" });
    let named = |name: &str, rule: Rule| (name.to_owned(), rule);
    let mut bash = vec![named("*", word(rights.commands.is_none()))];
    bash.extend(rights.commands.iter().flatten().map(|command| (format!("{command}*"), word(true))));
    bash.extend(DENIED.iter().map(|command| (format!("{command}*"), word(false))));
    let mut outside = vec![named("*", word(spec.permissions == PermissionProfile::Unattended))];
    outside.extend(OWN_FOLDERS.map(|folder| named(folder, word(true))));
    let mut rules = vec![
        named("*", word(true)),
        named("bash", Rule::Rules(Rules(bash))),
        named("external_directory", Rule::Rules(Rules(outside))),
        named("webfetch", word(rights.web)),
        named("websearch", word(rights.web)),
        named("question", word(false)),
    ];
    if spec.max_usd.is_some() {
        // It does not report the cost of subagents, so a limit in dollars would not hold.
        rules.push(named("task", word(false)));
    }
    Rules(rules)
}
