//! The tools, one file per noun.

mod features;
mod knowledge;
mod learnings;
mod questions;
mod sources;
mod tasks;

use crate::answer::{self, Part};
use crate::arguments::{self, Arguments, Count, Field, Kind};
use crate::refused::Refused;
use ralph_app::App;
use ralph_core::limits::{MCP_MAX_ROWS, MCP_ROWS};
use rmcp::model::ToolAnnotations;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Context of a call.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) app: Arc<App>,
    /// The call's choice on learning from it.
    pub(crate) auto_learn: Option<bool>,
    /// Minutes that a question waits for its answer.
    pub(crate) ask_minutes: u32,
}

/// One tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// Name for people.
    title: &'static str,
    /// Purpose and use; short, since every agent reads it in every session.
    about: &'static str,
    pub(crate) fields: &'static [Field],
    answer: &'static [Part],
    effect: Effect,
    pub(crate) run: fn(&Session, Arguments) -> Result<Value, Refused>,
}

/// Effect of a tool on the project, by which clients decide whether to ask their person.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Read-only.
    Reads,
    /// Additive, not idempotent.
    Adds,
    /// Replaces values; idempotent.
    Replaces,
}

/// Set of tools offered to a client: each costs every session that loads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Features, tasks and learnings: ten tools.
    #[default]
    Core,
    /// All of them: also search, episodes, facts and documents.
    Full,
}

impl Profile {
    /// Its tools, in the order in which agents need them.
    pub(crate) fn tools(self) -> impl Iterator<Item = &'static Tool> + Clone {
        CORE.iter().chain(if self == Profile::Full { MORE } else { &[] })
    }
}

/// What a client is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offer {
    /// The tools that its model knows about.
    pub profile: Profile,
    /// Minutes that its program may wait for a person's permission; `None` = nobody is asked.
    pub ask_minutes: Option<u32>,
}

impl From<Profile> for Offer {
    fn from(profile: Profile) -> Offer {
        Offer { profile, ask_minutes: None }
    }
}

impl Offer {
    /// Its tools, in the order in which an agent needs them.
    pub(crate) fn tools(self) -> impl Iterator<Item = &'static Tool> + Clone {
        self.profile.tools().chain(if self.ask_minutes.is_some() { ASKING } else { &[] })
    }
}

const ASKING: &[Tool] = &[questions::ASK];

const MORE: &[Tool] = &[
    knowledge::SEARCH,
    knowledge::GET_CONTEXT,
    knowledge::ADD_FACT,
    knowledge::ADD_EPISODE,
    knowledge::UPDATE_MEMORY,
    knowledge::RETIRE_MEMORY,
    learnings::MOVE,
    knowledge::LEARNING_FEEDBACK,
    sources::INGEST_FILE,
    sources::LIST_SOURCES,
    sources::LIST_PROJECTS,
];

const CORE: &[Tool] = &[
    learnings::APPEND,
    learnings::LIST,
    features::LIST,
    features::CREATE,
    features::UPDATE,
    tasks::LIST,
    tasks::GET,
    tasks::CREATE,
    tasks::UPDATE,
    tasks::ADD_COMMENT,
];

impl Tool {
    /// Whether its answer is one text: Claude Code accepts a permission in no other form.
    pub(crate) fn answers_in_text(&self) -> bool {
        self.answer.is_empty()
    }

    /// As `tools/list` shows it.
    pub(crate) fn described(&self) -> rmcp::model::Tool {
        let effects = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::Reads)
            .destructive(self.effect == Effect::Replaces)
            .idempotent(self.effect != Effect::Adds)
            .open_world(false);
        let tool = rmcp::model::Tool::new(self.name, self.about, arguments::schema(self.fields)).with_annotations(effects);
        if self.answers_in_text() { tool } else { tool.with_raw_output_schema(Arc::new(answer::schema(self.answer))) }
    }
}

/// On the tools of the full profile.
pub(crate) const AUTO_LEARN: Field = Field::new("auto_learn", Kind::Flag, "false: learn nothing from this call");
const ROWS: Count = Count { usual: MCP_ROWS, most: MCP_MAX_ROWS };
const LIMIT: Field = Field::new("limit", Kind::Count(ROWS), "rows");
const OFFSET: Field = Field::new("offset", Kind::Number, "rows to skip");

/// The rows of a list in a result.
struct Page {
    limit: usize,
    offset: usize,
}

impl Page {
    fn take(arguments: &mut Arguments) -> Result<Page, Refused> {
        let limit = arguments.take_count(LIMIT.name, ROWS)?;
        let offset = arguments.take::<u32>(OFFSET.name)?.unwrap_or(0);
        let size = |rows: u32| usize::try_from(rows).unwrap_or(usize::MAX);
        Ok(Page { limit: size(limit), offset: size(offset) })
    }

    /// `{name: rows, "more": rows that follow}`.
    fn of<'a, T, L: Serialize>(&self, name: &str, all: &'a [T], row: impl Fn(&'a T) -> L) -> Result<Value, Refused> {
        let rest = all.get(self.offset..).unwrap_or_default();
        let rows = rest.iter().take(self.limit).map(|item| value(row(item))).collect::<Result<Vec<Value>, Refused>>()?;
        Ok(json!({ name: rows, "more": rest.len().saturating_sub(self.limit) }))
    }
}

fn value(answer: impl Serialize) -> Result<Value, Refused> {
    serde_json::to_value(answer).map_err(|error| Refused::argument("answer", error, "report this fault of Ralph"))
}
