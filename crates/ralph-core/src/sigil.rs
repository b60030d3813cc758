//! Sigils: what an agent says to Ralph in its own text (RULINGS 003.1).
//!
//! All are optional. A malformed one is ignored and noted, never an error, and reading costs linear time whatever the text is.
//! Only the agent's own words belong in here; echoed files and tool results never do.

mod report;
mod scan;

#[cfg(test)]
mod tests;

use crate::{TaskId, limits, text::cut};
use scan::{Shape, Sigil, Tag};

/// What tells an agent of the sigils. Its placeholders are malformed on purpose: an agent that quotes it says nothing by that.
pub const GUIDE: &str = "\
Ralph reads these marks in your own words (not in files or tool output). Before you stop, say how the task ended:
<task-done>ID</task-done> when every acceptance criterion holds; it is then checked.
<task-failed>ID</task-failed> when you can't finish. Empty means this task; the last of these marks counts.
With a failure, tell the next attempt what to avoid (the first two lines are required):
<failure-report>
what_was_tried: …
why_it_failed: …
error_category: …
relevant_files: …, …
stack_trace: …
retry_suggestion: …
</failure-report>
Optional, wherever they fit:
<learning category=\"pitfall\" tags=\"…, …\">…</learning> for one lesson that holds beyond this task, in one to three sentences; repeat for more. \
Categories: pitfall, success_pattern, tool_usage, code_structure, testing_strategy, convention.
<retry-suggestion>…</retry-suggestion> for what the next attempt should do first.
<difficulty-estimate>trivial|easy|moderate|hard|blocked</difficulty-estimate> for how hard the task is: one of the words.
<next-model>…</next-model> for the model that should work next.";

/// Claims that are kept: the last ones, since the last one counts.
const CLAIMS: usize = 100;
/// Learnings that are kept of one iteration: a feature's whole knowledge by default; more is a flood.
const LEARNINGS: usize = limits::MAX_LEARNINGS as usize;
/// Faults that are told one by one.
const FAULTS: usize = 20;
/// Characters of a model name.
const MODEL_CHARS: usize = 100;

crate::word_enum! {
    /// How hard an agent finds a task.
    Difficulty {
        /// A line or two.
        Trivial = "trivial",
        /// Known work.
        Easy = "easy",
        /// Ordinary work.
        Moderate = "moderate",
        /// Needs a strong model.
        Hard = "hard",
        /// Can't be done without something from outside.
        Blocked = "blocked",
    }
}

/// Everything that an agent said to Ralph in one iteration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sigils {
    /// How it says tasks ended, in order; the last 100.
    pub claims: Vec<TaskClaim>,
    /// Lessons, in order; the first 50.
    pub learnings: Vec<LearningSigil>,
    /// Why it failed; the last report counts.
    pub failure_report: Option<FailureReport>,
    /// What the next attempt should do; the last one counts.
    pub retry_suggestion: Option<String>,
    /// How hard it finds the task; the last one counts.
    pub difficulty: Option<Difficulty>,
    /// Model it wishes for the next iteration; the last one counts.
    pub next_model: Option<String>,
    /// What was ignored and why, one sentence each; bounded.
    pub faults: Vec<String>,
}

/// A claim about how a task ended, by sigil or through MCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskClaim {
    /// Done, or failed.
    pub done: bool,
    /// The task; `None` = the current one.
    pub task: Option<TaskId>,
}

/// A lesson in an agent's words; not yet at the door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LearningSigil {
    /// Kind of lesson, if named.
    pub category: Option<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// The lesson.
    pub text: String,
}

/// Why an attempt failed. Fields are cut when read, so that a prompt shows them whole (RULINGS 003.4).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FailureReport {
    /// What was tried; never empty.
    pub what_was_tried: String,
    /// Why it failed; never empty.
    pub why_it_failed: String,
    /// Kind of error, in the agent's words.
    pub error_category: Option<String>,
    /// Files that matter.
    pub relevant_files: Vec<String>,
    /// The trace, or its beginning.
    pub stack_trace: Option<String>,
    /// What to do next time.
    pub retry_suggestion: Option<String>,
}

/// Reads the sigils of an agent's own text.
///
/// Tolerates case, white space, `_` for `-`, self-closing tags and nesting; code fences are the agent's own text too. What stands inside a
/// `<learning>` or `<retry-suggestion>` is text. A tag that is opened again before it is closed was only mentioned.
pub fn parse(text: &str) -> Sigils {
    let tags = scan::tags(text);
    let next = scan::next_of_same_sigil(&tags);
    let mut reader = Reader::default();
    let mut closed_by_earlier = vec![false; tags.len()];
    let mut i = 0;
    while i < tags.len() {
        let tag = &tags[i];
        let mut following = i + 1;
        match tag.shape {
            Shape::Empty => reader.read(tag, ""),
            Shape::Close if closed_by_earlier[i] => {}
            Shape::Close => reader.fault(format!("</{}> closes nothing", tag.sigil.name())),
            Shape::Open => match next[i].filter(|close| tags[*close].shape == Shape::Close) {
                Some(close) => {
                    reader.read(tag, &text[tag.end..tags[close].start]);
                    closed_by_earlier[close] = true;
                    if tag.sigil.holds_free_text() {
                        following = close;
                    }
                }
                None => reader.fault(format!("<{}> is not closed", tag.sigil.name())),
            },
        }
        i = following;
    }
    reader.finish()
}

/// Collects what is read, within bounds.
#[derive(Default)]
struct Reader {
    sigils: Sigils,
    untold_faults: usize,
}

impl Reader {
    fn read(&mut self, tag: &Tag<'_>, content: &str) {
        let trimmed = content.trim();
        match tag.sigil {
            Sigil::TaskDone | Sigil::TaskFailed => self.claim(tag.sigil, trimmed),
            Sigil::Learning => self.learning(tag.attributes, trimmed),
            Sigil::FailureReport => match report::parse(content) {
                Ok(report) => self.sigils.failure_report = Some(report),
                Err(fault) => self.fault(format!("<failure-report> {fault}")),
            },
            Sigil::RetrySuggestion if says_something(trimmed) => {
                self.sigils.retry_suggestion = Some(cut(trimmed, limits::REPORT_SUGGESTION_CHARS).to_owned());
            }
            Sigil::RetrySuggestion => self.fault("<retry-suggestion> is empty".to_owned()),
            Sigil::DifficultyEstimate => match trimmed.to_ascii_lowercase().parse() {
                Ok(difficulty) => self.sigils.difficulty = Some(difficulty),
                Err(fault) => self.fault(format!("<difficulty-estimate> {fault}")),
            },
            Sigil::NextModel if is_model_name(trimmed) => self.sigils.next_model = Some(trimmed.to_owned()),
            Sigil::NextModel => self.fault(format!("<next-model> '{}' is no model name", cut(trimmed, 40))),
        }
    }

    fn claim(&mut self, sigil: Sigil, content: &str) {
        // Another sigil may be nested in it; the id stands before that.
        let id = content.split('<').next().unwrap_or_default().trim();
        match read_task_id(id) {
            Ok(task) => {
                if self.sigils.claims.len() == CLAIMS {
                    self.sigils.claims.remove(0);
                }
                self.sigils.claims.push(TaskClaim { done: sigil == Sigil::TaskDone, task });
            }
            Err(()) => self.fault(format!("<{}> '{}' is no task id", sigil.name(), cut(id, 40))),
        }
    }

    fn learning(&mut self, attributes: &str, text: &str) {
        if !says_something(text) {
            return self.fault("<learning> is empty".to_owned());
        }
        if self.sigils.learnings.len() == LEARNINGS {
            return self.fault(format!("<learning> is more than the {LEARNINGS} that one iteration may give"));
        }
        let category = scan::attribute(attributes, "category").map(|c| cut(c.trim(), limits::TAG_CHARS).to_owned());
        self.sigils.learnings.push(LearningSigil {
            category: category.filter(|c| !c.is_empty()),
            tags: read_list(scan::attribute(attributes, "tags").unwrap_or_default(), limits::LEARNING_TAGS, limits::TAG_CHARS),
            text: text.to_owned(),
        });
    }

    fn fault(&mut self, fault: String) {
        if self.sigils.faults.len() < FAULTS {
            self.sigils.faults.push(fault);
        } else {
            self.untold_faults += 1;
        }
    }

    fn finish(mut self) -> Sigils {
        if self.untold_faults > 0 {
            self.sigils.faults.push(format!("and {} more", self.untold_faults));
        }
        self.sigils
    }
}

/// Whether a text holds more than punctuation, such as the guide's placeholder.
fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Reads `7`, `#7`, `task 7` or `7: what was done`; nothing means the current task.
fn read_task_id(text: &str) -> Result<Option<TaskId>, ()> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = match text.get(..4) {
        Some(word) if word.eq_ignore_ascii_case("task") => text[4..].trim_start(),
        _ => text,
    };
    let number = number.strip_prefix('#').unwrap_or(number);
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    if number[end..].starts_with(char::is_alphanumeric) {
        return Err(());
    }
    number[..end].parse().map(Some).map_err(|_| ())
}

/// Splits a list at commas and line ends; entries are trimmed, cut and counted.
fn read_list(text: &str, max_items: usize, max_chars: usize) -> Vec<String> {
    let items = text.split([',', '\n']).map(|item| item.trim().trim_start_matches("- ").trim());
    items.filter(|item| says_something(item)).take(max_items).map(|item| cut(item, max_chars).to_owned()).collect()
}

/// Whether it can be handed to an agent as a model's name: one word that is no option.
fn is_model_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.len() <= MODEL_CHARS
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/@[]".contains(c))
}
