//! Tools for learnings.

use super::features::FILL;
use super::{AUTO_LEARN, Effect, LIMIT, OFFSET, Page, Session, Tool, value};
use crate::answer::{Part, Shape};
use crate::arguments::{Arguments, Field, Kind};
use crate::refused::Refused;
use ralph_core::TaskId;
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState, NewLearning};
use ralph_core::limits::{LEARNING_TEXT_CHARS, MCP_MAX_ROWS};
use serde::Serialize;
use serde_json::{Value, json};

const LINE: &[Part] = &[
    Part::new("id", Shape::Text),
    Part::new("feature", Shape::Text),
    Part::new("text", Shape::Text),
    Part::new("hit_count", Shape::Number),
];

pub(super) const APPEND: Tool = Tool {
    name: "append_feature_learning",
    title: "Keep a lesson",
    about: "Keep one lesson for the next agents on a feature. Use it the moment you find out something that cost you time and is not plain from the code. \
One lesson per call, specific, with file names or commands. The verdict says what happened: added, observed (known already), conflict (contradicts a known one; a person decides), put_away (somebody put it away) or refused.",
    fields: &[
        Field::new("feature", Kind::Text, "").required(),
        Field::new("text", Kind::Text, "one to three sentences").at_most(LEARNING_TEXT_CHARS).required(),
        Field::new("reason", Kind::Text, "why it holds"),
        Field::new("category", Kind::Text, "pitfall, success_pattern, tool_usage, code_structure, testing_strategy, convention"),
        Field::new("tags", Kind::Texts, "files, identifiers, error codes"),
        Field::new("task_id", Kind::Number, "in a run your own"),
        Field::new("iteration", Kind::Number, "ignored"),
        Field::new("source", Kind::Word(sources), "agent if not given"),
    ],
    answer: &[
        Part::new("verdict", Shape::Text),
        Part::new("id", Shape::Text),
        Part::new("pruned", Shape::Texts),
        Part::new("conflicts_with", Shape::Texts),
        Part::new("saturation", Shape::Object(FILL)),
        Part::new("split_task", Shape::Number).or_null(),
    ],
    effect: Effect::Adds,
    run: append,
};

pub(super) const LIST: Tool = Tool {
    name: "list_learnings",
    title: "List learnings",
    about: "Learnings of one feature or of all, oldest first, or the 200 best matches of a query. Use it when puzzled, and before work on a feature other than your task's own, whose learnings you were given.",
    fields: &[
        Field::new("feature", Kind::Text, ""),
        Field::new("query", Kind::Text, "an error, a file or a question"),
        Field::new("state", Kind::Word(|| LearningState::ALL.iter().map(|state| state.as_str()).collect()), "active if not given"),
        LIMIT,
        OFFSET,
    ],
    answer: &[Part::new("learnings", Shape::Objects(LINE)), Part::new("more", Shape::Number)],
    effect: Effect::Reads,
    run: list,
};

pub(super) const MOVE: Tool = Tool {
    name: "move_learning",
    title: "Move a lesson",
    about: "Move a learning to the feature that it belongs to; without room it waits there as parked. `ralph learning undo` takes it back. In a run a person decides.",
    fields: &[Field::new("id", Kind::Text, "").required(), Field::new("to", Kind::Text, "the feature's name").required(), AUTO_LEARN],
    answer: &[Part::new("id", Shape::Text), Part::new("feature", Shape::Text), Part::new("state", Shape::Text)],
    effect: Effect::Replaces,
    run: move_learning,
};

/// An agent can't write as a person: what a person writes is never pruned.
fn sources() -> Vec<&'static str> {
    vec![LearningSource::Agent.as_str(), LearningSource::Auto.as_str()]
}

#[derive(Serialize)]
struct LearningLine<'a> {
    id: &'a str,
    feature: &'a str,
    text: &'a str,
    category: &'a str,
    source: LearningSource,
    hit_count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<TaskId>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    conflicts_with: &'a [String],
    /// Known only on the agent's own branch, until that is merged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    staged: bool,
}

fn append(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let source: Option<LearningSource> = arguments.take("source")?;
    let mut new: NewLearning = arguments.rest()?;
    session.app.sign(&mut new, source)?;
    value(session.app.append_feature_learning(&new)?)
}

fn move_learning(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let (id, to): (String, String) = (arguments.take_required("id")?, arguments.take_required("to")?);
    let moved = session.app.move_learning(&id, &to)?;
    Ok(json!({"id": moved.id, "feature": moved.feature, "state": moved.state}))
}

fn list(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let page = Page::take(&mut arguments)?;
    let state = arguments.take("state")?.unwrap_or(LearningState::Active);
    let feature: Option<String> = arguments.take("feature")?;
    // A query without words leaves nothing out.
    let query = arguments.take::<String>("query")?.filter(|query| !query.trim().is_empty());
    let learnings = match &query {
        None => session.app.learnings(feature.as_deref(), &[state])?,
        Some(query) => session.app.matching_learnings(query, feature.as_deref(), state, MCP_MAX_ROWS)?,
    };
    // Staged learnings of the agent's own branch are active there, and nowhere else.
    let staged = if state == LearningState::Active { session.app.staged_on_own_branch(feature.as_deref())? } else { Vec::new() };
    let staged = staged.into_iter().filter(|learning| query.as_deref().is_none_or(|query| has_word_of(&learning.text, query)));
    let all: Vec<(bool, FeatureLearning)> =
        staged.map(|learning| (true, learning)).chain(learnings.into_iter().map(|learning| (false, learning))).collect();
    page.of("learnings", &all, |(staged, learning)| LearningLine { staged: *staged, ..line(learning) })
}

/// Whether a text contains a word of a question, one of a letter or two as a whole word. Few are staged on one branch, so they need no
/// ranking.
fn has_word_of(text: &str, query: &str) -> bool {
    let (text, query) = (text.to_lowercase(), query.to_lowercase());
    let words = |of| str::split(of, |c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words(&query).any(|word| if word.len() > 2 { text.contains(word) } else { words(&text).any(|other| other == word) })
}

fn line(learning: &FeatureLearning) -> LearningLine<'_> {
    LearningLine {
        id: &learning.id,
        feature: &learning.feature,
        text: &learning.text,
        category: &learning.category,
        source: learning.source,
        hit_count: learning.hit_count,
        task_id: learning.task_id,
        conflicts_with: &learning.conflicts_with,
        staged: false,
    }
}

#[cfg(test)]
mod tests {
    use super::has_word_of;

    #[test]
    fn a_short_word_is_looked_for_as_a_whole_word() {
        let text = "CI caches crates by Cargo.lock; go 1.22 builds the agent";
        for (query, found) in [("CI", true), ("ci?", true), ("is it go", true), ("a", false), ("ar", false), ("carg", true), ("?!", false)]
        {
            assert_eq!(has_word_of(text, query), found, "{query}");
        }
    }
}
