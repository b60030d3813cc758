//! The tool by which an agent's own program asks a person's leave. It is offered in runs alone, and models are not told of it.

use super::{Effect, Session, Tool};
use crate::arguments::{Arguments, Field, Kind};
use crate::refused::Refused;
use ralph_app::LeaveOutcome;
use serde_json::{Value, json};

/// What a tool is used on, by the names that agents give it: the first that is there is shown.
const ON: [&str; 9] = ["command", "file_path", "notebook_path", "path", "url", "query", "pattern", "description", "prompt"];

pub(super) const ASK: Tool = Tool {
    name: ralph_core::discipline::ASK_TOOL,
    title: "Ask for leave",
    about: "Asks the person whether a tool may be used.",
    fields: &[
        Field::new("tool_name", Kind::Text, "").required(),
        Field::new("input", Kind::Object, ""),
        Field::new("tool_use_id", Kind::Text, ""),
    ],
    answer: &[],
    effect: Effect::Adds,
    run: ask,
};

fn ask(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let tool = arguments.take_required::<String>("tool_name")?;
    let input = arguments.take::<Value>("input")?.unwrap_or_else(|| json!({}));
    let _ = arguments.take::<String>("tool_use_id")?;
    Ok(match session.app.ask_person(&tool, &summary(&input), session.ask_minutes)? {
        LeaveOutcome::Allowed => json!({ "behavior": "allow", "updatedInput": input }),
        LeaveOutcome::Denied(why) => json!({ "behavior": "deny", "message": why }),
    })
}

fn summary(input: &Value) -> String {
    let named = ON.iter().find_map(|name| input[*name].as_str());
    named.map_or_else(|| input.to_string(), str::to_owned)
}
