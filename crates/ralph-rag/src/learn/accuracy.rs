//! Accuracy of the rules on the labeled sessions of `accuracy/sessions.txt`, and on those of `accuracy/later.txt`, which came after the
//! rules.

use super::*;
use ralph_core::memory::LessonType;
use ralph_core::stats::{Proportion, wilson};
use ralph_core::time::Timestamp;
use serde_json::{Value, json};

const SESSIONS: &str = include_str!("accuracy/sessions.txt");
const LATER: &str = include_str!("accuracy/later.txt");
const TOOLCHAINS: &str = include_str!("accuracy/toolchains.txt");

#[derive(Default)]
struct Session {
    name: String,
    /// Type and words of each expected lesson.
    wanted: Vec<(String, Vec<String>)>,
    operations: Vec<Operation>,
}

fn sessions(text: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            sessions.push(Session { name: name.to_owned(), ..Session::default() });
            continue;
        }
        let Some(session) = sessions.last_mut() else { continue };
        if let Some(want) = line.strip_prefix("want ") {
            if let Some((lesson_type, words)) = want.split_once(": ") {
                session.wanted.push((lesson_type.to_owned(), words.split(" | ").map(str::to_owned).collect()));
            }
        } else if let Some(said) = line.strip_prefix("  ") {
            if let Some(error) = session.operations.last_mut().and_then(|operation| operation.error.as_mut()) {
                *error = format!("{error}{}{said}", if error.is_empty() { "" } else { "\n" });
            }
        } else if let Some((tool, with)) = line.split_once(' ') {
            session.operations.push(operation(tool, with));
        }
    }
    sessions
}

fn operation(tool: &str, with: &str) -> Operation {
    let (tool, error) = tool.strip_suffix('!').map_or((tool, None), |tool| (tool, Some(String::new())));
    let arguments: Value = match tool {
        "Bash" => json!({ "command": with }),
        "Read" | "Edit" | "Write" => json!({ "file_path": with }),
        _ => serde_json::from_str(with).unwrap_or_else(|_| json!({ "pattern": with })),
    };
    Operation { error, ..Operation::of(tool, arguments, Timestamp(1)) }
}

/// Lessons that mode `moderate` stores for a session.
fn told(session: &Session) -> Vec<(LessonType, String)> {
    let settings = AutomaticLearning { mode: LearningMode::Moderate, ..AutomaticLearning::of_a_new_project() };
    let mut tracker = Tracker::default();
    let mut found: Vec<Detection> = session.operations.iter().cloned().filter_map(|o| tracker.track_operation(o)).collect();
    found.extend(tracker.finish());
    let learnt = found.iter().filter(|detection| should_auto_learn(&settings, detection.kind));
    learnt.filter_map(lesson_of).collect()
}

/// Lessons that were stated, correctly stated, expected, and found.
#[derive(Default, Debug)]
struct Counts {
    told: u32,
    right: u32,
    wanted: u32,
    found: u32,
}

impl Counts {
    fn precision(&self) -> f64 {
        f64::from(self.right) / f64::from(self.told.max(1))
    }

    fn recall(&self) -> f64 {
        f64::from(self.found) / f64::from(self.wanted.max(1))
    }
}

fn count(sessions: &[&Session]) -> (Counts, Vec<String>) {
    let (mut counts, mut faults) = (Counts::default(), Vec::new());
    for session in sessions {
        let told = told(session);
        let says = |(lesson_type, words): &(String, Vec<String>), (as_type, lesson): &(LessonType, String)| {
            lesson_type == as_type.as_str() && words.iter().all(|word| lesson.contains(word.as_str()))
        };
        counts.told += u32::try_from(told.len()).unwrap_or(u32::MAX);
        counts.wanted += u32::try_from(session.wanted.len()).unwrap_or(u32::MAX);
        for lesson in &told {
            let right = session.wanted.iter().any(|wanted| says(wanted, lesson));
            counts.right += u32::from(right);
            if !right {
                faults.push(format!("{}: told {lesson:?}", session.name));
            }
        }
        for wanted in &session.wanted {
            let found = told.iter().any(|lesson| says(wanted, lesson));
            counts.found += u32::from(found);
            if !found {
                faults.push(format!("{}: missed {wanted:?}", session.name));
            }
        }
    }
    (counts, faults)
}

#[test]
fn rules_alone_are_precise_and_find_most_of_what_is_worth_telling() {
    let (all, later) = (sessions(SESSIONS), sessions(LATER));
    let empty = |sessions: &[Session]| sessions.iter().filter(|session| session.wanted.is_empty()).count();
    assert_eq!((all.len(), empty(&all), later.len(), empty(&later)), (60, 30, 20, 10));
    let number = |session: &Session| session.name.split(' ').next().and_then(|word| word.parse::<u32>().ok()).expect("a number");
    let (aside, fitted): (Vec<&Session>, Vec<&Session>) = all.iter().partition(|session| number(session).is_multiple_of(3));
    let later: Vec<&Session> = later.iter().collect();
    for (name, part, precision, recall) in [("fitted", &fitted, 0.85, 0.7), ("held aside", &aside, 0.85, 0.7), ("later", &later, 0.85, 0.7)]
    {
        let (counts, faults) = count(part);
        let interval = |successes: u32, trials: u32| {
            let interval = wilson(Proportion { successes, trials });
            format!("{:.2} to {:.2}", interval.low, interval.high)
        };
        println!(
            "{name}: precision {:.2} ({}), recall {:.2} ({}), {counts:?}\n{}",
            counts.precision(),
            interval(counts.right, counts.told),
            counts.recall(),
            interval(counts.found, counts.wanted),
            faults.join("\n")
        );
        assert!(counts.precision() >= precision && counts.recall() >= recall, "{name}: {counts:?}\n{}", faults.join("\n"));
    }
}

#[test]
fn sessions_of_other_toolchains_are_told_as_labelled() {
    let all = sessions(TOOLCHAINS);
    let (counts, faults) = count(&all.iter().collect::<Vec<_>>());
    assert!(faults.is_empty() && counts.wanted > 30, "{counts:?}\n{}", faults.join("\n"));
}
