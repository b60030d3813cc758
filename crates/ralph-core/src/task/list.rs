//! Tasks from a list in Markdown, as people write plans.
//!
//! Each outermost item of a list is a task. If the text has boxes (`- [ ]`), only items with an empty box are tasks: the others are goals,
//! notes and the headings of groups. The first line of an item is its title; the rest of it is its description, as written.

use super::{Priority, Task};
use crate::TaskId;
use crate::limits::TITLE_CHARS;
use crate::text::{cut, line_at};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A list to make tasks of.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct TaskList {
    /// Name of the feature of all of them.
    pub feature: String,
    /// The list, in Markdown.
    pub text: String,
    /// Medium when `None`.
    pub priority: Option<Priority>,
    /// Whether each waits for the one before it.
    pub chained: bool,
}

/// An item of a list that becomes a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ListedTask {
    /// The line that it begins on, from 1.
    pub line: u32,
    /// One line.
    pub title: String,
    /// What stands below it.
    pub description: String,
}

/// An item of a list that becomes no task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LeftOut {
    /// The line that it begins on, from 1.
    pub line: u32,
    /// Its first line.
    pub title: String,
    /// Why, in a few words.
    pub why: String,
    /// The task that it is already.
    pub task: Option<TaskId>,
}

/// The tasks that a list becomes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ListedTasks {
    /// The tasks, in the order of the list.
    pub tasks: Vec<ListedTask>,
    /// What will not become a task.
    pub left_out: Vec<LeftOut>,
}

/// The tasks that were created from a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportedTasks {
    /// The new tasks, in the order of the list.
    pub tasks: Vec<Task>,
    /// What did not become a task.
    pub left_out: Vec<LeftOut>,
}

impl ListedTasks {
    /// Reads a list. A text without one gives no tasks.
    pub fn read(text: &str) -> ListedTasks {
        let text = dedented(text.trim_start_matches('\u{feff}'));
        let items = items(&text);
        let boxes = items.iter().any(|item| item.ticked.is_some());
        let mut listed = ListedTasks::default();
        let (mut settled_until, mut ticked_until) = (0, 0);
        for (at, item) in items.iter().enumerate() {
            let Range { start, end } = item.range;
            if start < settled_until {
                continue;
            }
            let line = line_at(&text, start);
            let (title, description) = item.words(&text);
            let holds_boxes = || items[at + 1..].iter().take_while(|other| other.range.start < end).any(|other| other.ticked.is_some());
            let why = match item.ticked {
                // A ticked item includes its details, except for an open box among them.
                None | Some(true) if start < ticked_until => continue,
                // The heading of a group.
                None if boxes && holds_boxes() => continue,
                Some(true) => "ticked",
                None if boxes => "no box, as others have",
                _ if title.is_empty() => "empty",
                _ => {
                    settled_until = end;
                    listed.tasks.push(ListedTask { line, title, description });
                    continue;
                }
            };
            *(if item.ticked == Some(true) { &mut ticked_until } else { &mut settled_until }) = end;
            listed.left_out.push(LeftOut { line, title, why: why.to_owned(), task: None });
        }
        listed
    }
}

/// An item of a list as it is in the text.
struct Item {
    range: Range<usize>,
    /// Where its words begin; `None` = it has none.
    from: Option<usize>,
    /// Whether its box is ticked; `None` = it has none.
    ticked: Option<bool>,
    /// Signs of emphasis, which are left out of a title.
    signs: Vec<Range<usize>>,
}

impl Item {
    /// Title and description. Of a first line that is too long for a title, the title is the beginning, and the description has all of it.
    fn words(&self, text: &str) -> (String, String) {
        let from = self.from.unwrap_or(self.range.end);
        let line_end = text[from..self.range.end].find('\n').map_or(self.range.end, |at| from + at);
        let mut line = String::new();
        let mut at = from;
        for sign in self.signs.iter().filter(|sign| sign.end <= line_end) {
            line.push_str(&text[at..sign.start]);
            at = sign.end;
        }
        line.push_str(&text[at..line_end]);
        let title = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let below = dedented(&text[line_end..self.range.end]).trim().to_owned();
        if matches!(&*title, "[ ]" | "[]" | "[x]" | "[X]") {
            return (String::new(), below);
        }
        if title.chars().count() <= TITLE_CHARS {
            return (title, below);
        }
        let begin = cut(&title, TITLE_CHARS - 1);
        let begin = begin.rfind(' ').filter(|at| *at > begin.len() / 2).map_or(begin, |at| &begin[..at]);
        (format!("{begin}…"), format!("{title}\n\n{below}").trim_end().to_owned())
    }
}

/// The items of all lists outside of quotes, in their order.
fn items(text: &str) -> Vec<Item> {
    let (mut items, mut open, mut quotes) = (Vec::<Item>::new(), Vec::new(), 0);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TASKLISTS).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes -= 1,
            _ if quotes > 0 => {}
            Event::End(TagEnd::Item) => drop(open.pop()),
            event => {
                if let Some(item) = open.last().map(|at: &usize| &mut items[*at]) {
                    item.from.get_or_insert(range.start);
                    match event {
                        Event::TaskListMarker(ticked) => (item.from, item.ticked) = (Some(range.end), Some(ticked)),
                        Event::Start(Tag::Strong) => item.signs.extend([range.start..range.start + 2, range.end - 2..range.end]),
                        Event::Start(Tag::Emphasis) => item.signs.extend([range.start..range.start + 1, range.end - 1..range.end]),
                        _ => {}
                    }
                }
                if event == Event::Start(Tag::Item) {
                    open.push(items.len());
                    items.push(Item { range, from: None, ticked: None, signs: Vec::new() });
                }
            }
        }
    }
    for item in &mut items {
        item.signs.sort_by_key(|sign| sign.start);
    }
    items
}

/// A text without the indentation that all of its lines share.
fn dedented(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let blank = |line: &&str| !line.trim().is_empty();
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = text.split('\n').filter(blank).map(indent).min().unwrap_or(0);
    text.split('\n').map(|line| line.get(shared..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Titles with their lines, and what is left out with the reason.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let ListedTasks { tasks, left_out } = ListedTasks::read(text);
        let left_out = left_out.iter().map(|item| format!("{} {}: {}", item.line, item.title, item.why));
        (tasks.iter().map(|task| format!("{} {}", task.line, task.title)).collect(), left_out.collect())
    }

    #[test]
    fn every_outermost_item_of_any_list_is_a_task_with_what_stands_below_it() {
        let text = "# Plan\n\nWords.\n\n1. Store refunds\n   in `refunds`.\n\n   - one row each\n     - with a time\n2) Retry\n\n* **Tell** the *customer*, `a**b` and 2 ** 3 ** 4\n";
        assert_eq!(
            read(text),
            (["5 Store refunds", "10 Retry", "12 Tell the customer, `a**b` and 2 ** 3 ** 4"].map(str::to_owned).into(), vec![])
        );
        let tasks = ListedTasks::read(text).tasks;
        assert_eq!(tasks[0].description, "in `refunds`.\n\n- one row each\n  - with a time");
        assert_eq!(tasks[1].description, "");
        let moved = text.replace('\n', "\r\n    ");
        assert_eq!(ListedTasks::read(&format!("\u{feff}    {moved}")), ListedTasks::read(text), "pasted from elsewhere");
    }

    #[test]
    fn where_there_are_boxes_an_open_one_is_a_task_and_nothing_is_left_out_in_silence() {
        let text = "- fast\n- [x] Make the folder\n  - as agreed\n  - [x] with a readme\n  - [ ] and a licence\n- Phase one\n  - [ ] Read lines\n    - [ ] of any length\n    - [x] of UTF-8\n  - [ ]\n";
        let (tasks, left_out) = read(text);
        assert_eq!(tasks, ["5 and a licence", "7 Read lines"]);
        assert_eq!(left_out, ["1 fast: no box, as others have", "2 Make the folder: ticked", "10 : empty"]);
        assert_eq!(ListedTasks::read(text).tasks[1].description, "- [ ] of any length\n- [x] of UTF-8");
    }

    #[test]
    fn what_only_looks_like_a_list_is_none() {
        let none = ["", "Words - no list", "```\n- [ ] an example\n```\n", "> - quoted\n", "---\n", "\u{2022} a\n"];
        assert!(none.iter().all(|text| ListedTasks::read(text) == ListedTasks::default()), "{:?}", none.map(read));
        assert_eq!(read("- \n- b\n"), (vec!["2 b".to_owned()], vec!["1 : empty".to_owned()]));
    }

    #[test]
    fn a_line_too_long_for_a_title_is_whole_in_the_description() {
        let line = format!("{} end", "Wörter ".repeat(40).trim_end());
        let ListedTasks { tasks, .. } = ListedTasks::read(&format!("- [ ] {line}\n  More.\n"));
        assert!(tasks[0].title.ends_with("Wörter…") && tasks[0].title.chars().count() <= TITLE_CHARS, "{}", tasks[0].title);
        assert_eq!(tasks[0].description, format!("{line}\n\nMore."));
        let dense = ListedTasks::read(&format!("- {}", "字".repeat(300))).tasks.remove(0);
        assert_eq!((dense.title.chars().count(), dense.description.chars().count()), (TITLE_CHARS, 300));
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[-*+1.) \\[\\]x\tä>`#\r\n\u{feff}_]{0,60}") {
            let listed = ListedTasks::read(&text);
            proptest::prop_assert!(listed.tasks.iter().all(|task| !task.title.is_empty()));
        }
    }
}
