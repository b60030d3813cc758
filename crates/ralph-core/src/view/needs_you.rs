//! What needs a person, as one list for the window and the command line.

use crate::errand::ErrandId;
use crate::run::{Question, StopReason};
use crate::task::numbered;
use crate::text::{counted, cut, glance};
use crate::time::Timestamp;
use crate::{RunId, TaskId};
use serde::{Deserialize, Serialize};

/// One thing that needs a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NeedsYou {
    /// A task is blocked.
    BlockedTask {
        /// The task.
        task: TaskId,
        /// Its title.
        title: String,
        /// Name of its feature.
        feature: String,
        /// Why.
        reason: String,
        /// Since when.
        since: Timestamp,
    },
    /// Work on a task is done in a worktree and awaits review.
    InReview {
        /// The task.
        task: TaskId,
        /// Its title.
        title: String,
        /// Name of its feature.
        feature: String,
        /// Why the last merge attempt was refused; `None` = there was none, or it succeeded.
        refused: Option<String>,
        /// What to do about that refusal.
        way_out: Option<String>,
        /// What is being done with the work now, so that a person can only wait: a merge, or an errand.
        under_way: Option<String>,
        /// Since when.
        since: Timestamp,
    },
    /// What an errand proposes awaits review.
    Proposed {
        /// The errand.
        errand: ErrandId,
        /// What it concerns.
        title: String,
        /// Why the last merge attempt was refused; `None` = there was none, or it succeeded.
        refused: Option<String>,
        /// What to do about that refusal.
        way_out: Option<String>,
        /// What is being done with the proposal now, so that a person can only wait: a merge.
        under_way: Option<String>,
        /// Since when.
        since: Timestamp,
    },
    /// A task depends on abandoned tasks: it can't become ready by itself.
    StrandedTask {
        /// The task.
        task: TaskId,
        /// Its title.
        title: String,
        /// Name of its feature.
        feature: String,
        /// The tasks it waits for.
        waiting_on: Vec<TaskId>,
        /// Since when.
        since: Timestamp,
    },
    /// Two learnings contradict each other.
    Conflicts {
        /// The feature.
        feature: String,
        /// Number of pairs.
        count: u32,
    },
    /// Parked learnings.
    Parked {
        /// The feature.
        feature: String,
        /// Number of learnings.
        count: u32,
        /// The task that will make room.
        split_task: Option<TaskId>,
        /// Whether that task waits for a person itself.
        split_waits: bool,
    },
    /// The folder brings along content that nobody has agreed to on this machine.
    Untrusted {
        /// Each item in brief.
        items: Vec<String>,
    },
    /// The last run ended in a way that a person should know about.
    RunStopped {
        /// The run.
        run: RunId,
        /// Why it ended.
        reason: StopReason,
        /// What happened.
        note: String,
        /// When it ended.
        since: Timestamp,
    },
    /// An agent waits for permission to use a tool.
    Question {
        /// The question.
        question: Question,
    },
    /// A notice on what git would run as the person who merges: nothing is merged until it is settled.
    HoldsMerges {
        /// The notice.
        notice: crate::notice::Notice,
    },
    /// Another notice that nobody has settled.
    Notice {
        /// The notice.
        notice: crate::notice::Notice,
    },
}

impl NeedsYou {
    /// Whether a person can act on it now. Parked learnings of a feature with a split task wait for the loop, not for a person, unless that
    /// task does; work with which something is being done waits for the end of that.
    pub fn is_actionable(&self) -> bool {
        !self.is_under_way() && !matches!(self, NeedsYou::Parked { split_task: Some(_), split_waits: false, .. })
    }

    /// Whether it is work with which something is being done.
    pub fn is_under_way(&self) -> bool {
        matches!(self, NeedsYou::InReview { under_way: Some(_), .. } | NeedsYou::Proposed { under_way: Some(_), .. })
    }

    /// A one-line description; the title of a task is cut to `title_chars` characters.
    pub fn in_words(&self, title_chars: usize) -> String {
        let words = match self {
            NeedsYou::BlockedTask { task, title, reason, .. } => format!("#{task} {} is blocked: {reason}", cut(title, title_chars)),
            NeedsYou::StrandedTask { task, title, waiting_on, .. } => {
                format!("#{task} {} can't become ready: it waits for {}, given up", cut(title, title_chars), numbered(waiting_on))
            }
            NeedsYou::InReview { task, title, under_way: Some(what), .. } => format!("#{task} {}: {what}", cut(title, title_chars)),
            NeedsYou::InReview { task, title, refused: None, .. } => format!("#{task} {} waits for its review", cut(title, title_chars)),
            NeedsYou::InReview { task, title, refused: Some(why), .. } => {
                format!("#{task} {} could not be merged: {why}", cut(title, title_chars))
            }
            NeedsYou::Proposed { errand, title, under_way: Some(what), .. } => {
                format!("errand {errand}, {}: {what}", cut(title, title_chars))
            }
            NeedsYou::Proposed { errand, title, refused: None, .. } => {
                format!("what errand {errand} proposes waits for its review: {}", cut(title, title_chars))
            }
            NeedsYou::Proposed { errand, title, refused: Some(why), .. } => {
                format!("what errand {errand} proposes, {}, could not be merged: {why}", cut(title, title_chars))
            }
            NeedsYou::Conflicts { feature, count } => format!("{} among {feature}'s learnings", counted(*count, "contradiction")),
            NeedsYou::Parked { feature, count, .. } => {
                format!("{count} of {feature}'s learnings {} for room", if *count == 1 { "waits" } else { "wait" })
            }
            NeedsYou::Untrusted { items } => format!("not agreed to on this machine: {}", items.join(", ")),
            NeedsYou::RunStopped { run, reason: StopReason::Stalled, note, .. } => format!("run {run} stalled: {note}"),
            NeedsYou::RunStopped { run, note, .. } => format!("run {run} ended: {note}"),
            NeedsYou::Question { question: Question { task, title, tool, summary, .. } } => {
                format!("#{task} {} asks: may it use {tool} on {}?", cut(title, title_chars), glance(summary, title_chars))
            }
            NeedsYou::HoldsMerges { notice } => format!("nothing is merged before you have looked: {}", notice.title),
            NeedsYou::Notice { notice } => notice.title.clone(),
        };
        words.replace(['\n', '\r'], " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_waits_for_the_loop_only_while_the_loop_can_take_its_split() {
        let parked = |split_task, split_waits| NeedsYou::Parked { feature: "pay".to_owned(), count: 2, split_task, split_waits };
        let actionable = [(None, false), (Some(9), false), (Some(9), true)].map(|(task, waits)| parked(task, waits).is_actionable());
        assert_eq!(actionable, [true, false, true]);
    }

    #[test]
    fn contradictions_are_counted_as_pairs_not_as_learnings() {
        let conflicts = |count| NeedsYou::Conflicts { feature: "pay".to_owned(), count }.in_words(80);
        assert_eq!(conflicts(1), "1 contradiction among pay's learnings");
        assert_eq!(conflicts(3), "3 contradictions among pay's learnings");
        let parked = |count| NeedsYou::Parked { feature: "pay".to_owned(), count, split_task: None, split_waits: false }.in_words(80);
        assert_eq!([parked(1), parked(2)], ["1 of pay's learnings waits for room", "2 of pay's learnings wait for room"]);
    }

    #[test]
    fn work_with_which_something_goes_on_waits_for_that_and_says_so() {
        let in_review = |under_way: Option<&str>| NeedsYou::InReview {
            task: 3,
            title: "Refund".to_owned(),
            feature: "pay".to_owned(),
            refused: Some("conflict".to_owned()),
            way_out: None,
            under_way: under_way.map(str::to_owned),
            since: Timestamp(1),
        };
        let (idle, merging) = (in_review(None), in_review(Some("it is being merged")));
        assert_eq!((idle.is_actionable(), merging.is_actionable()), (true, false));
        assert_eq!(merging.in_words(80), "#3 Refund: it is being merged");
        let proposed = |under_way: Option<&str>| NeedsYou::Proposed {
            errand: 3,
            title: "Money".to_owned(),
            refused: None,
            way_out: None,
            under_way: under_way.map(str::to_owned),
            since: Timestamp(1),
        };
        let (idle, merging) = (proposed(None), proposed(Some("it is being merged")));
        assert_eq!((idle.is_actionable(), merging.is_actionable()), (true, false));
        assert_eq!(idle.in_words(80), "what errand 3 proposes waits for its review: Money");
        use crate::task::TaskStatus::{Blocked, Done, Draft, InProgress, InReview, Pending};
        let waits = [Draft, Pending, InProgress, Blocked, InReview, Done].map(crate::task::TaskStatus::waits_for_person);
        assert_eq!(waits, [true, false, false, true, true, false]);
    }
}
