//! Tools for features.

use super::{Effect, LIMIT, OFFSET, Page, Session, Tool, value};
use crate::answer::{Part, Shape};
use crate::arguments::{Arguments, Field, Kind};
use crate::refused::Refused;
use ralph_core::TaskId;
use ralph_core::feature::{FeaturePatch, FeatureRow, FeatureState, NewFeature};
use ralph_core::limits::MCP_SUMMARY_CHARS;
use ralph_core::saturation::SaturationLevel;
use ralph_core::text::cut;
use serde::Serialize;
use serde_json::Value;

const DESCRIPTION: Field = Field::new("description", Kind::Text, "what it is for");
const ARCHITECTURE: Field = Field::new("architecture", Kind::Text, "how it is built");
const BOUNDARIES: Field = Field::new("boundaries", Kind::Text, "what does and does not belong to it");
const CONTEXT_FILES: Field = Field::new("context_files", Kind::Texts, "paths to read first");
const KNOWLEDGE_PATHS: Field = Field::new("knowledge_paths", Kind::Texts, "paths of its documents");
const DEPENDENCIES: Field = Field::new("dependencies", Kind::Texts, "features it builds on");
const ACRONYM: Field = Field::new("acronym", Kind::Text, "");
const MAX_LEARNINGS: Field = Field::new("max_learnings", Kind::Number, "own cap, 5 to 1000; 0 = the project's");

const NAME: Part = Part::new("name", Shape::Text);
const STATE: Part = Part::new("state", Shape::Text);
const FEATURE: &[Part] = &[NAME, STATE, Part::new("parent", Shape::Text).or_null()];
const LINE: &[Part] = &[
    NAME,
    STATE,
    Part::new("open_tasks", Shape::Number),
    Part::new("saturation", Shape::Object(FILL)),
    Part::new("split_task", Shape::Number),
];
/// A feature's saturation.
pub(super) const FILL: &[Part] = &[Part::new("saturation_pct", Shape::Number)];

pub(super) const LIST: Tool = Tool {
    name: "list_features",
    title: "List features",
    about: "Features with state, fill of their knowledge and number of open tasks. Use it to find the feature that a task or learning belongs to.",
    fields: &[LIMIT, OFFSET],
    answer: &[Part::new("features", Shape::Objects(LINE)), Part::new("more", Shape::Number)],
    effect: Effect::Reads,
    run: list,
};

pub(super) const CREATE: Tool = Tool {
    name: "create_feature",
    title: "Make a feature",
    about: "Make a feature: a scope of work with knowledge of its own. Use it for work that no feature covers, or with parent for each child when splitting a feature.",
    fields: &[
        Field::new("name", Kind::Text, "unique, unchanging: letters, digits, - _ .").required(),
        Field::new("display_name", Kind::Text, "").required(),
        DESCRIPTION,
        Field::new("parent", Kind::Text, "feature it is split from"),
        ARCHITECTURE,
        BOUNDARIES,
        CONTEXT_FILES,
        KNOWLEDGE_PATHS,
        DEPENDENCIES,
        ACRONYM,
        MAX_LEARNINGS,
    ],
    answer: FEATURE,
    effect: Effect::Adds,
    run: create,
};

pub(super) const UPDATE: Tool = Tool {
    name: "update_feature",
    title: "Change a feature",
    about: "Change the given fields of a feature; lists are replaced. Use it when its description, boundaries or files are no longer true.",
    fields: &[
        Field::new("name", Kind::Text, "which feature").required(),
        Field::new("display_name", Kind::Text, ""),
        DESCRIPTION,
        ARCHITECTURE,
        BOUNDARIES,
        CONTEXT_FILES,
        KNOWLEDGE_PATHS,
        DEPENDENCIES,
        ACRONYM,
        Field::new("state", Kind::Word(|| vec![FeatureState::Active.as_str(), FeatureState::Archived.as_str()]), ""),
        MAX_LEARNINGS,
    ],
    answer: FEATURE,
    effect: Effect::Replaces,
    run: update,
};

#[derive(Serialize)]
struct FeatureLine<'a> {
    name: &'a str,
    display_name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    state: FeatureState,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    saturation: Fill,
    open_tasks: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    split_task: Option<TaskId>,
}

/// `FeatureSaturation` without the fields already in the row.
#[derive(Serialize)]
struct Fill {
    learnings_count: u32,
    max_learnings: u32,
    protected_count: u32,
    saturation_pct: u32,
    level: SaturationLevel,
}

fn line(row: &FeatureRow) -> FeatureLine<'_> {
    let (feature, fill, tasks) = (&row.feature, &row.saturation, &row.tasks);
    FeatureLine {
        name: &feature.name,
        display_name: &feature.display_name,
        description: cut(&feature.description, MCP_SUMMARY_CHARS),
        state: feature.state,
        parent: feature.parent.as_deref(),
        saturation: Fill {
            learnings_count: fill.learnings_count,
            max_learnings: fill.max_learnings,
            protected_count: fill.protected_count,
            saturation_pct: fill.saturation_pct,
            level: fill.level,
        },
        open_tasks: tasks.open(),
        split_task: row.split_task,
    }
}

fn list(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let page = Page::take(&mut arguments)?;
    page.of("features", &session.app.feature_rows()?, line)
}

fn create(session: &Session, arguments: Arguments) -> Result<Value, Refused> {
    value(session.app.create_feature(&arguments.rest::<NewFeature>()?)?)
}

fn update(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let name: String = arguments.take_required("name")?;
    value(session.app.update_feature(&name, &arguments.rest::<FeaturePatch>()?)?)
}
