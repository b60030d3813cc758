//! What an interrupted iteration left that was not an attempt: it did not fail, and its work exists.

use super::bounds::{line_list, squeezed};
use super::{Part, PromptInput, fence};
use crate::run::Outcome;
use crate::text::cut;

/// Characters of each list: once the agent knows what to look for, it looks itself.
const LINE_CHARS: usize = 400;
/// Characters of the reason, with the word that the agent left.
const NOTE_CHARS: usize = 800;

/// An iteration that was not an attempt and left something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutShortWork {
    /// Its outcome.
    pub outcome: Outcome,
    /// The reason, and what its agent had said.
    pub note: String,
    /// Its commits, newest first: short hash and subject.
    pub commits: Vec<String>,
    /// Files it changed.
    pub changed_files: Vec<String>,
}

pub(super) fn part(input: &PromptInput<'_>) -> Option<Part> {
    let work = input.cut_short?;
    let mut told = format!("{}: {}", work.outcome, squeezed(&work.note, NOTE_CHARS));
    for (label, list) in [("commits", &work.commits), ("files", &work.changed_files)] {
        if !list.is_empty() {
            told.push_str(&format!("\n{label}: {}", cut(&line_list(list), LINE_CHARS)));
        }
    }
    Some(Part {
        name: "cut_short",
        heading: "# What is there already".to_owned(),
        origin: "the iteration before this one".to_owned(),
        body: format!(
            "The last try at this task was cut short. See what of its work holds before you begin, and go on from there.\n{}",
            fence::fenced(&told)
        ),
    })
}
