//! `${…}` in a script's texts.

use serde_json::Value;

const NAMES: [&str; 7] = ["task", "title", "feature", "attempt", "iteration", "model", "n"];

/// Their values.
#[derive(Debug, Default)]
pub struct Variables {
    pub task: u32,
    pub title: String,
    pub feature: String,
    pub attempt: u32,
    pub iteration: u32,
    pub model: String,
    /// Count of the innermost `repeat`; 0 outside.
    pub n: u32,
    /// The last answer of an MCP tool.
    pub mcp: Value,
}

impl Variables {
    /// From the marks that every agent gets; what is not set is 0 or empty.
    pub fn from_marks(model: &str, variable: impl Fn(&str) -> Option<String>) -> Variables {
        let number = |name| variable(name).and_then(|value| value.parse().ok()).unwrap_or(0);
        Variables {
            task: number("RALPH_TASK"),
            title: variable("RALPH_TASK_TITLE").unwrap_or_default(),
            feature: variable("RALPH_FEATURE").unwrap_or_default(),
            attempt: number("RALPH_ATTEMPT"),
            iteration: number("RALPH_ITERATION"),
            model: model.to_owned(),
            n: 0,
            mcp: Value::Null,
        }
    }

    /// `text` with every variable replaced by its value, as `write` converts it. A variable without a value is an error.
    pub fn fill(&self, text: &str, write: impl Fn(&str) -> String) -> Result<String, NoValue> {
        let mut filled = String::with_capacity(text.len());
        for part in parts(text) {
            match part {
                Part::Plain(plain) => filled.push_str(plain),
                Part::Name(name) => filled.push_str(&write(&self.value(name).ok_or_else(|| NoValue(name.to_owned()))?)),
            }
        }
        Ok(filled)
    }

    fn value(&self, name: &str) -> Option<String> {
        match name {
            "task" => Some(self.task.to_string()),
            "title" => Some(self.title.clone()),
            "feature" => Some(self.feature.clone()),
            "attempt" => Some(self.attempt.to_string()),
            "iteration" => Some(self.iteration.to_string()),
            "model" => Some(self.model.clone()),
            "n" => Some(self.n.to_string()),
            _ => {
                let pointer = format!("/{}", name.strip_prefix("mcp.")?.replace('.', "/"));
                match self.mcp.pointer(&pointer)? {
                    Value::String(text) => Some(text.clone()),
                    other => Some(other.to_string()),
                }
            }
        }
    }
}

/// A variable that has no value, because no answer holds such a field.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("${{{0}}} has no value: the last answer of an MCP tool holds no such field")]
pub struct NoValue(String);

/// The first name in `text` that is not a variable.
pub fn unknown_name(text: &str) -> Option<&str> {
    parts(text).into_iter().find_map(|part| match part {
        Part::Name(name) if !NAMES.contains(&name) && !name.starts_with("mcp.") => Some(name),
        _ => None,
    })
}

enum Part<'a> {
    Plain(&'a str),
    Name(&'a str),
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        let Some(end) = from.find('}') else { break };
        match before.strip_suffix('$') {
            // `$${x}` is `${x}`.
            Some(before) => parts.extend([Part::Plain(before), Part::Plain(&from[..=end])]),
            None => parts.extend([Part::Plain(before), Part::Name(&from[2..end])]),
        }
        rest = &from[end + 1..];
    }
    parts.push(Part::Plain(rest));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fills_variables_and_leaves_the_rest() {
        let variables = Variables { task: 3, title: "Say \"hi\"".into(), mcp: json!({"id": 7, "a": [{"b": "x"}]}), ..Variables::default() };
        let plain = |text: &str| variables.fill(text, str::to_owned);
        assert_eq!(plain("${task}: ${title} ${mcp.id} ${mcp.a.0.b}").unwrap(), "3: Say \"hi\" 7 x");
        assert_eq!(plain("$5 $${HOME} ${task").unwrap(), "$5 ${HOME} ${task");
        assert_eq!(plain("${mcp.none}"), Err(NoValue("mcp.none".into())));
        assert_eq!(unknown_name("${task} ${mcp.x} $${any} ${taks}"), Some("taks"));
    }
}
