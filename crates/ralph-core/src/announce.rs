//! Desktop notifications while the person is away from the window: each event is announced once, and simultaneous ones are combined.

use crate::NoticeId;
use crate::errand::ErrandId;
use crate::limits;
use crate::run::{QuestionId, Run, StopReason};
use crate::text::one_line;
use crate::time::Timestamp;
use crate::view::NeedsYou;
use crate::visible::visible;
use crate::{RunId, TaskId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum characters of a task's title, so that the line has room for what needs attention.
const TITLE_CHARS: usize = 60;

crate::word_enum! {
    /// When desktop notifications are shown.
    Announce {
        /// Never.
        Never = "never",
        /// Only while the person is away: the window is in the background, or nothing was typed or pointed at in it for five minutes.
        Away = "away",
        /// Always.
        Always = "always",
    }
}

/// Where a click on an announcement leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Destination {
    /// The list of what needs a person.
    NeedsYou,
    /// A run.
    Run {
        /// Its number.
        run: RunId,
    },
}

/// One message for the desktop, as plain text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announcement {
    /// A few words.
    pub title: String,
    /// One line for each thing.
    pub body: String,
    /// Where a click leads.
    pub place: Destination,
}

/// The announceable state of a project at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct ProjectState<'a> {
    /// What needs a person.
    pub needs_you: &'a [NeedsYou],
    /// The run that ended last.
    pub last_ended: Option<&'a Run>,
}

/// Identity of an announceable item.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Blocked(TaskId),
    Stranded(TaskId),
    InReview(TaskId),
    Proposed(ErrandId),
    Conflicts(String),
    Parked(String),
    Untrusted(Vec<String>),
    Stopped(RunId),
    Notice(NoticeId),
    Question(QuestionId),
}

/// Remembers what was announced. State that exists when it is created is not news.
#[derive(Clone, PartialEq, Debug)]
pub struct Announcer {
    /// Each current item with its count.
    standing: BTreeMap<Key, u32>,
    ended: Option<RunId>,
    /// News held back to be combined with what may follow.
    waiting: BTreeMap<Key, String>,
    told: Option<Timestamp>,
}

impl Announcer {
    /// Starts from the current state, which is not announced.
    pub fn new(standing: &ProjectState<'_>) -> Announcer {
        Announcer {
            standing: keyed(standing.needs_you),
            ended: standing.last_ended.map(|run| run.id),
            waiting: BTreeMap::new(),
            told: None,
        }
    }

    /// Whether news is held back to be combined with what may follow.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What is to be announced now. While `silent`, everything counts as seen.
    pub fn hear(&mut self, standing: &ProjectState<'_>, silent: bool, now: Timestamp) -> Vec<Announcement> {
        let keys = keyed(standing.needs_you);
        for item in at_rest(standing.needs_you) {
            let (key, count) = key(item);
            if self.standing.get(&key).is_none_or(|before| *before < count) {
                self.waiting.insert(key, capital(&item.in_words(TITLE_CHARS)));
            }
        }
        // An item that was settled before it was announced needs nobody any more.
        self.waiting.retain(|key, _| keys.contains_key(key));
        self.standing = keys;
        let finished = standing.last_ended.filter(|run| self.ended != Some(run.id));
        self.ended = finished.map(|run| run.id).or(self.ended);
        if silent {
            self.waiting.clear();
            return Vec::new();
        }
        let mut announcements: Vec<Announcement> = finished.filter(|run| is_news(run)).map(finish).into_iter().collect();
        let rests = self.told.is_some_and(|told| told <= now && now.millis_since(told) < limits::ANNOUNCE_PAUSE_MILLIS);
        if !self.waiting.is_empty() && !rests {
            self.told = Some(now);
            announcements.push(group(&std::mem::take(&mut self.waiting).into_values().collect::<Vec<_>>()));
        }
        announcements
    }
}

fn keyed(items: &[NeedsYou]) -> BTreeMap<Key, u32> {
    at_rest(items).map(key).collect()
}

/// Without work that is still being dealt with: its end will be the news.
fn at_rest(items: &[NeedsYou]) -> impl Iterator<Item = &NeedsYou> {
    items.iter().filter(|item| !item.is_under_way())
}

fn key(item: &NeedsYou) -> (Key, u32) {
    match item {
        NeedsYou::BlockedTask { task, .. } => (Key::Blocked(*task), 1),
        NeedsYou::StrandedTask { task, .. } => (Key::Stranded(*task), 1),
        NeedsYou::InReview { task, .. } => (Key::InReview(*task), 1),
        NeedsYou::Proposed { errand, .. } => (Key::Proposed(*errand), 1),
        NeedsYou::Conflicts { feature, count } => (Key::Conflicts(feature.clone()), *count),
        NeedsYou::Parked { feature, count, .. } => (Key::Parked(feature.clone()), *count),
        NeedsYou::Untrusted { items } => (Key::Untrusted(items.clone()), 1),
        NeedsYou::RunStopped { run, .. } => (Key::Stopped(*run), 1),
        NeedsYou::HoldsMerges { notice } | NeedsYou::Notice { notice } => (Key::Notice(notice.id), 1),
        NeedsYou::Question { question } => (Key::Question(question.id), 1),
    }
}

/// A run that ended on a person's request is not news to them, and one that needs them is in the needs-you list.
fn is_news(run: &Run) -> bool {
    let asked_for = [StopReason::StoppedNow, StopReason::StoppedAfterIteration];
    !run.stop_reason.is_some_and(|reason| reason.needs_person() || asked_for.contains(&reason))
}

fn group(news: &[String]) -> Announcement {
    let title = if news.len() == 1 { "Something needs you".to_owned() } else { format!("{} things need you", news.len()) };
    let more = news.len().saturating_sub(limits::ANNOUNCED_LINES);
    let mut lines: Vec<String> = news.iter().take(limits::ANNOUNCED_LINES).map(|line| plain(line)).collect();
    lines.extend((more > 0).then(|| format!("and {more} more")));
    Announcement { title, body: lines.join("\n"), place: Destination::NeedsYou }
}

fn finish(run: &Run) -> Announcement {
    let reason = run.stop_reason.map_or_else(|| "ended".to_owned(), |reason| reason.to_string());
    let iterations = run.iterations_in_words();
    Announcement {
        title: format!("Run {} finished", run.id),
        body: plain(&format!("{iterations}, {}: {}", run.cost.in_words(2), run.note.as_deref().unwrap_or(&reason))),
        place: Destination::Run { run: run.id },
    }
}

/// Capitalizes the first letter.
fn capital(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Desktops interpret parts of the body as markup, and it contains agents' words.
fn plain(line: &str) -> String {
    let harmless = |c| match c {
        '<' => '‹',
        '>' => '›',
        '&' => '＆',
        c => c,
    };
    one_line(&visible(line), limits::ANNOUNCED_CHARS).chars().map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Cost;
    use crate::run::{AgentKind, RunControl, RunLimits, RunState};
    use crate::strategy::Strategy;

    fn blocked(task: TaskId, title: &str) -> NeedsYou {
        NeedsYou::BlockedTask {
            task,
            title: title.to_owned(),
            feature: "shop".to_owned(),
            reason: "three attempts failed".to_owned(),
            since: Timestamp(0),
        }
    }

    fn hear(announcer: &mut Announcer, needs_you: &[NeedsYou], seconds: i64) -> Vec<Announcement> {
        announcer.hear(&ProjectState { needs_you, last_ended: None }, false, Timestamp(seconds * 1_000))
    }

    fn announcer(needs_you: &[NeedsYou]) -> Announcer {
        Announcer::new(&ProjectState { needs_you, last_ended: None })
    }

    fn run(id: RunId) -> Run {
        Run {
            id,
            agent: AgentKind::Scripted,
            model: String::new(),
            strategy: Strategy::Fixed,
            hold_out: 0,
            task: None,
            limits: RunLimits { max_iterations: None, max_minutes: None, max_usd: None },
            check: None,
            state: RunState::Running,
            control: RunControl::None,
            waiting_until: None,
            stop_reason: None,
            note: None,
            iterations: 1,
            uncounted: 0,
            cost: Cost { cost_usd: 0.5, ..Cost::default() },
            started: Timestamp(0),
            ended: None,
            owner_pid: 1,
            workers: 1,
        }
    }

    #[test]
    fn work_is_announced_once_nothing_goes_on_with_it() {
        let in_review = |under_way: Option<&str>| NeedsYou::InReview {
            task: 3,
            title: "Refund".to_owned(),
            feature: "shop".to_owned(),
            refused: None,
            way_out: None,
            under_way: under_way.map(str::to_owned),
            since: Timestamp(0),
        };
        let mut announcer = announcer(&[]);
        assert_eq!(hear(&mut announcer, &[in_review(Some("errand 1 is at work"))], 1), []);
        assert_eq!(hear(&mut announcer, &[in_review(None)], 100).len(), 1);
    }

    #[test]
    fn what_stands_at_the_beginning_is_no_news_and_nothing_is_told_twice() {
        let mut announcer = announcer(&[blocked(1, "a")]);
        assert_eq!(hear(&mut announcer, &[blocked(1, "a")], 0), []);
        let both = [blocked(1, "a"), blocked(2, "b")];
        let told = hear(&mut announcer, &both, 1);
        assert_eq!((told.len(), told[0].title.as_str(), told[0].place), (1, "Something needs you", Destination::NeedsYou));
        assert!(told[0].body.starts_with("#2 b is blocked"), "{}", told[0].body);
        assert_eq!(hear(&mut announcer, &both, 100), []);
        // An item that was settled and reappears is a new item.
        assert_eq!(hear(&mut announcer, &[], 200), []);
        assert_eq!(hear(&mut announcer, &[blocked(2, "b")], 300).len(), 1);
    }

    #[test]
    fn what_comes_soon_after_waits_and_is_told_together() {
        let mut announcer = announcer(&[]);
        assert_eq!(hear(&mut announcer, &[blocked(1, "a")], 0).len(), 1);
        let five: Vec<NeedsYou> = (1..=5).map(|task| blocked(task, "a")).collect();
        assert_eq!(hear(&mut announcer, &five[..3], 2), []);
        assert_eq!(hear(&mut announcer, &five, 4), []);
        assert!(announcer.waits());
        let told = hear(&mut announcer, &five[1..], 60);
        assert_eq!((told.len(), told[0].title.as_str()), (1, "4 things need you"));
        assert!(told[0].body.ends_with("and 1 more"), "{}", told[0].body);
        assert!(!announcer.waits());
    }

    #[test]
    fn counts_are_news_when_they_grow_and_what_was_settled_meanwhile_is_not_told() {
        let parked = |count| NeedsYou::Parked { feature: "shop".to_owned(), count, split_task: None, split_waits: false };
        let mut announcer = announcer(&[parked(3)]);
        assert_eq!(hear(&mut announcer, &[parked(2)], 0), []);
        assert_eq!(hear(&mut announcer, &[parked(3)], 1).len(), 1);
        assert_eq!(hear(&mut announcer, &[parked(3), blocked(1, "a")], 2), []);
        assert_eq!(hear(&mut announcer, &[parked(3)], 90), []);
    }

    #[test]
    fn a_person_who_looks_has_seen_it() {
        let mut announcer = announcer(&[]);
        let items = [blocked(1, "a")];
        let standing = ProjectState { needs_you: &items, last_ended: None };
        assert_eq!(announcer.hear(&standing, true, Timestamp(0)), []);
        assert_eq!(announcer.hear(&standing, false, Timestamp(1)), []);
    }

    #[test]
    fn a_run_that_finished_is_told_apart_and_one_that_needs_a_person_is_not_told_twice() {
        let mut announcer = announcer(&[]);
        let mut run = run(4);
        let items = [blocked(1, "a")];
        let told = announcer.hear(&ProjectState { needs_you: &items, last_ended: None }, false, Timestamp(0));
        assert_eq!(told.len(), 1, "it still runs");
        run.state = RunState::Ended;
        run.stop_reason = Some(StopReason::NothingReady);
        let told = announcer.hear(&ProjectState { needs_you: &items, last_ended: Some(&run) }, false, Timestamp(1));
        assert_eq!((told.len(), told[0].place), (1, Destination::Run { run: 4 }));
        assert!(told[0].body.starts_with("1 iteration, $0.50"), "{}", told[0].body);
        let again = announcer.hear(&ProjectState { needs_you: &items, last_ended: Some(&run) }, false, Timestamp(2));
        assert_eq!(again, []);
    }

    #[test]
    fn an_agent_s_words_are_no_markup() {
        let mut announcer = announcer(&[]);
        let told = hear(&mut announcer, &[blocked(1, "<a href='x'>&lt;\u{202e}\u{1b}[31mred")], 0);
        assert!(told[0].body.starts_with("#1 ‹a href='x'›＆lt;red is blocked"), "{}", told[0].body);
    }
}
