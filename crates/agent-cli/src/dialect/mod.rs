//! The output of each agent CLI, converted to [`AgentSignal`]s: one file per CLI, one line in, any number of signals out.
//!
//! Parsers use structured events only. Words about limits or errors inside file contents, tool results or the agent's own text
//! have no effect. A parser never fails: a line that is not a JSON object → `Garbled`, an unknown kind → `Unknown`.

mod claude;
mod codex;
mod fields;
mod gemini;
mod opencode;
mod qwen;
mod reason;
mod reset;
mod scripted;
mod spending;
mod untold;

pub use fields::call_summary;
pub(crate) use reason::is_logged_out;

use crate::condense::Condenser;
use crate::lines::Line;
use ralph_core::limits::CONDENSED_LINE_BYTES;
use ralph_core::run::AgentKind;
use ralph_core::signal::AgentSignal;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The line format of an agent CLI.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// Claude Code: `--output-format stream-json`.
    Claude,
    /// Codex: `exec --json`.
    Codex,
    /// OpenCode: `run --format json`.
    Opencode,
    /// Gemini CLI: `-o stream-json`.
    Gemini,
    /// Qwen Code: `-o stream-json`.
    Qwen,
    /// The scripted agent: signals as JSON.
    Scripted,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 6] = [Dialect::Claude, Dialect::Codex, Dialect::Opencode, Dialect::Gemini, Dialect::Qwen, Dialect::Scripted];

    /// The dialect with this name, see [`Dialect::name`].
    pub fn named(name: &str) -> Option<Dialect> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Claude => "claude",
            Dialect::Codex => "codex",
            Dialect::Opencode => "opencode",
            Dialect::Gemini => "gemini",
            Dialect::Qwen => "qwen",
            Dialect::Scripted => "scripted",
        }
    }

    /// The dialect of an agent that a run can start.
    pub fn of(agent: AgentKind) -> Dialect {
        match agent {
            AgentKind::Claude => Dialect::Claude,
            AgentKind::Codex => Dialect::Codex,
            AgentKind::Opencode => Dialect::Opencode,
            AgentKind::Scripted => Dialect::Scripted,
        }
    }
}

/// Fields that no dialect reads: Claude Code repeats a tool's answer there, often most of the line.
const UNREAD: [&str; 1] = ["tool_use_result"];

/// A JSON object without its unread fields, which are skipped while parsing.
struct Object(Map<String, Value>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Object, A::Error> {
        let mut object = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            if UNREAD.contains(&key.as_str()) {
                fields.next_value::<IgnoredAny>()?;
            } else {
                object.insert(key, fields.next_value()?);
            }
        }
        Ok(Object(object))
    }
}

/// The object of a line: parsed strictly, otherwise without characters that JSON parsers reject. Unclosed objects don't count.
fn read(line: &Line<'_>) -> Option<Object> {
    if line.is_cut() {
        return None;
    }
    serde_json::from_slice(line.bytes).ok().or_else(|| {
        let mut lenient = Condenser::new(CONDENSED_LINE_BYTES);
        lenient.push(line.bytes);
        serde_json::from_slice(&lenient.finish().0).ok()
    })
}

/// Parses the lines of one process, in order. Keeps state for later lines: tool calls, the last text, usage so far.
#[derive(Debug)]
pub(crate) struct Parser(State);

#[derive(Debug)]
enum State {
    Claude(claude::Claude),
    Codex(codex::Codex),
    Opencode(opencode::Opencode),
    Gemini(gemini::Gemini),
    Qwen(qwen::Qwen),
    Scripted,
}

impl Parser {
    pub fn new(dialect: Dialect) -> Parser {
        Parser(match dialect {
            Dialect::Claude => State::Claude(claude::Claude::default()),
            Dialect::Codex => State::Codex(codex::Codex::default()),
            Dialect::Opencode => State::Opencode(opencode::Opencode::default()),
            Dialect::Gemini => State::Gemini(gemini::Gemini::default()),
            Dialect::Qwen => State::Qwen(qwen::Qwen::default()),
            Dialect::Scripted => State::Scripted,
        })
    }

    /// The signals of one line. An empty line has none.
    pub fn line(&mut self, line: &Line<'_>) -> Vec<AgentSignal> {
        if line.bytes.iter().all(u8::is_ascii_whitespace) && !line.is_cut() {
            return Vec::new();
        }
        let Some(object) = read(line) else {
            return vec![AgentSignal::Garbled { text: fields::garbled(line) }];
        };
        let mut signals = self.object(object.0);
        if let Some(left_out @ 1..) = line.condensed {
            signals.push(AgentSignal::Dropped { lines: 0, kib: u32::try_from(left_out.div_ceil(1_024)).unwrap_or(u32::MAX) });
        }
        signals
    }

    /// Whether the agent says that something it started works on in the background.
    pub fn works_in_background(&self) -> bool {
        matches!(&self.0, State::Claude(claude) if claude.works_in_background)
    }

    /// Signals completed by the end of output.
    pub fn finish(&mut self) -> Vec<AgentSignal> {
        match &mut self.0 {
            State::Gemini(gemini) => gemini.finish(),
            _ => Vec::new(),
        }
    }

    fn object(&mut self, object: Map<String, Value>) -> Vec<AgentSignal> {
        let line = Value::Object(object);
        match &mut self.0 {
            State::Claude(claude) => claude.line(&line),
            State::Codex(codex) => codex.line(&line),
            State::Opencode(opencode) => opencode.line(&line),
            State::Gemini(gemini) => gemini.line(&line),
            State::Qwen(qwen) => qwen.line(&line),
            State::Scripted => scripted::line(line),
        }
    }
}
