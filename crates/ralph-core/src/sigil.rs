//! Sigils: an agent's statements to Ralph in its own text.
//!
//! A sigil counts only at the beginning of its own line, as CommonMark reads the text: inside a sentence, code, a
//! quote or a list item it is only mentioned. All are optional. A malformed or misplaced one is noted, never an error, and parsing
//! takes linear time for any text. Only the agent's own words may be passed in; never echoed files or tool results.

mod layout;
mod marks;
mod pieces;
mod report;
mod scan;

#[cfg(test)]
mod tests;

pub use pieces::{SpokenPiece, pieces};

use crate::text::{cut, is_model_name};
use crate::{TaskId, limits};
use marks::Mention;
use scan::{Sigil, Tag};

/// The explanation of sigils for agents. Its placeholders are malformed on purpose: quoting it states nothing.
pub const GUIDE: &str = "\
Ralph reads these marks in your own words (not in files or tool output). A mark counts only where it begins a line of its own and nothing \
follows it on that line; inside a sentence, a list, a quote or code it says nothing. Before you stop, say how the task ended. \
When every acceptance criterion holds (it is then checked):
<task-done>ID</task-done>
When you can't finish:
<task-failed>ID</task-failed>
Empty means this task; the last of these marks counts. With a failure, tell the next attempt what to avoid (the first two lines are \
required):
<failure-report>
what_was_tried: …
why_it_failed: …
error_category: …
relevant_files: …, …
stack_trace: …
retry_suggestion: …
</failure-report>
Optional, wherever they fit: one lesson that holds beyond this task, in one to three sentences; repeat for more. \
Categories: pitfall, success_pattern, tool_usage, code_structure, testing_strategy, convention.
<learning category=\"pitfall\" tags=\"…, …\">…</learning>
What the next attempt should do first:
<retry-suggestion>…</retry-suggestion>
How hard the task is, in one of the words:
<difficulty-estimate>trivial|easy|moderate|hard|blocked</difficulty-estimate>
The model that should work next:
<next-model>…</next-model>";

/// Newest claims kept, since the last one counts.
const CLAIMS: usize = 100;
/// Learnings kept of one iteration: a feature's whole capacity by default; more is a flood.
const LEARNINGS: usize = limits::MAX_LEARNINGS as usize;
/// Faults listed individually.
const FAULTS: usize = 20;

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

/// Everything that an agent reported to Ralph in one iteration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sigils {
    /// Claims about outcomes of tasks, in order; the last 100.
    pub claims: Vec<TaskClaim>,
    /// Lessons, in order; the first 50.
    pub learnings: Vec<LearningSigil>,
    /// Why it failed; the last report counts.
    pub failure_report: Option<FailureReport>,
    /// Suggestion for the next attempt; the last one counts.
    pub retry_suggestion: Option<String>,
    /// How hard it finds the task; the last one counts.
    pub difficulty: Option<Difficulty>,
    /// Model requested for the next iteration; the last one counts.
    pub next_model: Option<String>,
    /// Attempted claims that did not count, one phrase each, such as `<task-done> stood inside a sentence`; bounded,
    /// without duplicates.
    pub near_misses: Vec<String>,
    /// What else was ignored and why, one phrase each; bounded.
    pub faults: Vec<String>,
    /// Number of further faults.
    untold_faults: usize,
}

/// A claim about the outcome of a task, by sigil or through MCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskClaim {
    /// Done, or failed.
    pub done: bool,
    /// The task; `None` = the current one.
    pub task: Option<TaskId>,
}

/// A lesson in an agent's words, before `remember`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LearningSigil {
    /// Kind of lesson, if named.
    pub category: Option<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// The lesson.
    pub text: String,
}

/// Why an attempt failed. Fields are truncated on parsing, so that a prompt includes them completely.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FailureReport {
    /// What was tried; never empty.
    pub what_was_tried: String,
    /// Why it failed; never empty.
    pub why_it_failed: String,
    /// Kind of error, in the agent's words.
    pub error_category: Option<String>,
    /// Relevant files.
    pub relevant_files: Vec<String>,
    /// The trace, or its beginning.
    pub stack_trace: Option<String>,
    /// What to do next time.
    pub retry_suggestion: Option<String>,
}

/// The sigils of one text.
#[cfg(test)]
pub(crate) fn parse(text: &str) -> Sigils {
    let mut sigils = Sigils::default();
    sigils.hear(text);
    sigils
}

impl Sigils {
    /// Adds the sigils of one text by the agent, parsed as its own document, so that a fence left open in it hides nothing in the next.
    ///
    /// Tolerates case, white space, `_` for `-`, self-closing tags and nesting. The content of `<learning>` or `<retry-suggestion>`
    /// is plain text. A tag that is opened again before it is closed was only mentioned.
    pub fn hear(&mut self, text: &str) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let heard = cut_bytes(text, limits::AGENT_TEXT_BYTES);
        if heard.len() < text.len() {
            self.fault(format!("only the first {} MiB of a text of {} bytes were read", limits::AGENT_TEXT_BYTES >> 20, text.len()));
        }
        let reading = marks::read(heard);
        for found in reading.found {
            match found {
                Mention::Mark { tag, content, .. } => self.read(&tag, content),
                Mention::Misplaced { sigil, place } => self.misplaced(sigil, &format!("<{}> {}", sigil.name(), place.phrase())),
                Mention::Unclosed(sigil) => self.misplaced(sigil, &format!("<{}> is not closed", sigil.name())),
                Mention::Stray(sigil) => self.fault(format!("</{}> closes nothing", sigil.name())),
            }
        }
        if reading.open_fence {
            self.fault("a code fence was not closed, and hides what follows it in its text".to_owned());
        }
    }

    /// What was ignored besides the near misses, plus the number of faults not listed.
    pub fn told_faults(&self) -> impl Iterator<Item = String> + '_ {
        let more = (self.untold_faults > 0).then(|| format!("and {} more", self.untold_faults));
        self.faults.iter().cloned().chain(more)
    }

    fn read(&mut self, tag: &Tag<'_>, content: &str) {
        let trimmed = content.trim();
        match tag.sigil {
            Sigil::TaskDone | Sigil::TaskFailed => self.claim(tag, trimmed),
            Sigil::Learning => self.learning(tag.attributes, trimmed),
            Sigil::FailureReport => match report::parse(content) {
                Ok(report) => self.failure_report = Some(report),
                Err(fault) => self.fault(format!("<failure-report> {fault}")),
            },
            Sigil::RetrySuggestion if says_something(trimmed) => {
                self.retry_suggestion = Some(cut(trimmed, limits::REPORT_SUGGESTION_CHARS).to_owned());
            }
            Sigil::RetrySuggestion => self.fault("<retry-suggestion> is empty".to_owned()),
            Sigil::DifficultyEstimate => match trimmed.to_ascii_lowercase().parse() {
                Ok(difficulty) => self.difficulty = Some(difficulty),
                Err(fault) => self.fault(format!("<difficulty-estimate> {fault}")),
            },
            Sigil::NextModel if is_model_name(trimmed) => self.next_model = Some(trimmed.to_owned()),
            Sigil::NextModel => self.fault(format!("<next-model> '{}' is not a model name", cut(trimmed, 40))),
        }
    }

    fn claim(&mut self, tag: &Tag<'_>, content: &str) {
        let sigil = tag.sigil;
        // Another sigil may be nested in it, after the id.
        let id = content.split('<').next().unwrap_or_default().trim();
        // As some write it: `<task-done id="7"/>`.
        let named = || ["id", "task"].iter().find_map(|name| scan::attribute(tag.attributes, name));
        let id = if id.is_empty() { named().unwrap_or_default().trim() } else { id };
        match read_task_id(id) {
            Ok(task) => {
                if self.claims.len() == CLAIMS {
                    self.claims.remove(0);
                }
                self.claims.push(TaskClaim { done: sigil == Sigil::TaskDone, task });
            }
            Err(()) => self.misplaced(sigil, &format!("<{}> '{}' is not a task id", sigil.name(), cut(id, 40))),
        }
    }

    fn learning(&mut self, attributes: &str, text: &str) {
        if !says_something(text) {
            return self.fault("<learning> is empty".to_owned());
        }
        if self.learnings.len() == LEARNINGS {
            return self.fault(format!("<learning> is more than the {LEARNINGS} that one iteration may give"));
        }
        let category = scan::attribute(attributes, "category").map(|c| cut(c.trim(), limits::TAG_CHARS).to_owned());
        self.learnings.push(LearningSigil {
            category: category.filter(|c| !c.is_empty()),
            tags: read_list(scan::attribute(attributes, "tags").unwrap_or_default(), limits::LEARNING_TAGS, limits::TAG_CHARS),
            text: text.to_owned(),
        });
    }

    fn fault(&mut self, fault: String) {
        if self.faults.len() < FAULTS {
            self.faults.push(fault);
        } else {
            self.untold_faults += 1;
        }
    }

    /// Records an ignored sigil: as a near miss, or as a fault.
    fn misplaced(&mut self, sigil: Sigil, phrase: &str) {
        let list = if sigil.is_claim() { &mut self.near_misses } else { &mut self.faults };
        match list.len() {
            _ if list.iter().any(|told| told == phrase) => {}
            FAULTS.. => self.untold_faults += 1,
            _ => list.push(phrase.to_owned()),
        }
    }
}

/// The first `max` bytes of a text, reduced to a character boundary.
fn cut_bytes(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// Whether the content of a `<failure-report>` says what is required of one.
pub(crate) fn is_report(content: &str) -> bool {
    report::parse(content).is_ok()
}

/// Byte ranges of all sigil tags in a text, in order, whether they count or not.
pub fn tags(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    scan::tags(text).into_iter().map(|tag| tag.start..tag.end)
}

/// Whether a text contains more than punctuation, such as the guide's placeholder.
fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Parses `7`, `#7`, `task 7` or `7: what was done`; an empty text means the current task.
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

/// Splits a list at commas and line ends; entries are trimmed, truncated and limited in number.
fn read_list(text: &str, max_items: usize, max_chars: usize) -> Vec<String> {
    let items = text.split([',', '\n']).map(|item| item.trim().trim_start_matches("- ").trim());
    items.filter(|item| says_something(item)).take(max_items).map(|item| cut(item, max_chars).to_owned()).collect()
}
