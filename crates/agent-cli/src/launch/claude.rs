//! Claude Code: `claude -p`.

use super::{Launch, model_option};
use crate::command::AgentSpec;
use crate::permission;
use std::path::Path;

pub(super) fn launch(spec: &AgentSpec, mcp_config: Option<&Path>) -> Launch {
    let mut launch = Launch::default();
    // Partial messages report usage as it arises, not only with the result, which a killed agent never sends.
    launch.add(["-p", "--verbose", "--output-format", "stream-json", "--include-partial-messages", &model_option(&spec.model)]);
    let rules = permission::claude(spec.permissions, &spec.permission_mode, &spec.allowed_tools, &spec.check);
    if !rules.mode.is_empty() {
        launch.add(["--permission-mode", &rules.mode]);
    }
    for (flag, tools) in [("--allowedTools", &rules.allowed), ("--disallowedTools", &rules.denied)] {
        if !tools.is_empty() {
            launch.add([flag]);
            launch.add(tools.iter().map(String::as_str));
        }
    }
    if let Some(config) = mcp_config {
        launch.add(["--mcp-config", &config.to_string_lossy()]);
    }
    if let Some(tool) = &spec.ask_tool {
        launch.add(["--permission-prompt-tool", tool]);
    }
    // Otherwise servers in the person's own settings would be started silently with every iteration.
    launch.add(["--strict-mcp-config"]);
    if let Some(max_usd) = spec.max_usd {
        launch.add(["--max-budget-usd", &max_usd.to_string()]);
    }
    if let Some(schema) = &spec.answer_schema {
        // The program has the model call a tool with these arguments, and its result is their JSON; what does not follow the schema is
        // refused five times, and then the run ends with an error.
        launch.add(["--json-schema", schema]);
    }
    if let Some(retries) = spec.max_retries {
        launch.set("CLAUDE_CODE_MAX_RETRIES", retries.to_string());
    }
    launch
}
