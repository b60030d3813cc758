//! Many writers, one feature: every verdict is true, nothing is lost, and the split task exists once.

use journeys::{McpClient, assert_sound, feature, id_of, journal, learn, learnings, lesson, list, saturation, text};
use ralph_testkit::{Output, Running, Sandbox, wait_until};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const WRITERS: usize = 8;
const APPENDS: usize = 200;
/// Every few appends a writer adds a lesson of its own; the others are common to all writers: eight lessons, since the writers' own ones
/// take two of the ten places.
const OWN_EVERY: usize = 5;
/// Lessons of a person that exist beforehand: with the shared ones, which the person endorses meanwhile, they fill the feature.
const PERSONS: usize = 42;
const SHARED: usize = 10;
const SHARED_LESSONS: [usize; 8] = [0, 1, 2, 3, 5, 6, 7, 8];

/// What writers were told: verdicts with their learning, and the learnings that were parked.
#[derive(Default)]
struct Told {
    added: Vec<String>,
    observed: Vec<String>,
    pruned: Vec<String>,
    parked: Vec<String>,
    split_tasks: BTreeSet<u64>,
}

impl Told {
    fn take(&mut self, answer: Result<Value, Value>) {
        match answer {
            Ok(answer) => {
                let id = text(&answer["id"]);
                match answer["verdict"].as_str() {
                    Some("added" | "conflict") => self.added.push(id),
                    Some("observed") => self.observed.push(id),
                    _ => panic!("no verdict: {answer}"),
                }
                self.pruned.extend(list(answer["pruned"].clone()).iter().map(text));
                self.split_tasks.extend(answer["split_task"].as_u64());
            }
            Err(error) => {
                assert_eq!(error["code"], "knowledge_full", "{error}");
                // The message ends with the id of what was parked: `(ID)`.
                let message = text(&error["message"]);
                let id = message.rsplit('(').next().and_then(|rest| rest.split(')').next()).unwrap_or_default();
                self.parked.push(id.to_owned());
            }
        }
    }

    fn join(mut self, other: Told) -> Told {
        self.added.extend(other.added);
        self.observed.extend(other.observed);
        self.pruned.extend(other.pruned);
        self.parked.extend(other.parked);
        self.split_tasks.extend(other.split_tasks);
        self
    }
}

/// The call that a writer makes as its `index`th.
fn append(writer: usize, index: usize) -> Value {
    let own = index % OWN_EVERY == OWN_EVERY - 1;
    let number = if own { 1_000 * (writer + 1) + index } else { index % SHARED };
    json!({"feature": "pay", "text": lesson(number), "task_id": writer + 1})
}

/// Compares what writers were told with what is stored.
fn assert_true(sandbox: &Sandbox, told: &Told, appends: usize) {
    assert_eq!(told.added.len() + told.observed.len() + told.parked.len(), appends, "every append was answered");
    let stored: BTreeMap<String, Value> = learnings(sandbox, "pay", "all").into_iter().map(|l| (text(&l["id"]), l)).collect();
    let state = |id: &String| stored.get(id).map_or_else(|| panic!("{id} was acknowledged and is lost"), |l| text(&l["state"]));
    let new: BTreeSet<&String> = told.added.iter().chain(&told.parked).collect();
    assert_eq!(new.len(), told.added.len() + told.parked.len(), "no id was given twice");
    assert_eq!(new, stored.keys().collect(), "what is stored is what was accepted");
    for id in &told.observed {
        state(id);
    }
    let in_state = |wanted: &str| stored.keys().filter(|id| state(id) == wanted).cloned().collect::<BTreeSet<_>>();
    // A pruned learning that is said again returns, as an observation of itself.
    let back: BTreeSet<String> =
        journal(sandbox, "pay").iter().filter(|line| line["event"] == "restored").map(|line| text(&line["learning"])).collect();
    let pruned: BTreeSet<String> = told.pruned.iter().cloned().collect();
    assert!(in_state("pruned").is_subset(&pruned), "whoever was pruned was told of");
    assert!(pruned.iter().all(|id| state(id) == "pruned" || back.contains(id)), "and is pruned, or came back");
    assert_eq!(in_state("parked"), told.parked.iter().cloned().collect());
    let active = in_state("active").len();
    assert_eq!(active + in_state("pruned").len() + told.parked.len(), stored.len());
    assert_eq!(saturation(sandbox, "pay")["learnings_count"], active);

    let splits = list(sandbox.ralph_ok(&["task", "list"])).into_iter().filter(|task| task["kind"] == "split").collect::<Vec<_>>();
    assert_eq!(splits.len(), 1, "exactly one split task");
    assert_eq!(told.split_tasks, BTreeSet::from([id_of(&splits[0])]));

    let lines = journal(sandbox, "pay");
    let mut ids = BTreeSet::new();
    let twice: Vec<(usize, &Value)> = lines.iter().enumerate().filter(|(_, line)| !ids.insert(text(&line["id"]))).collect();
    assert!(twice.is_empty(), "each event stands in the journal of {} lines once: {twice:?}", lines.len());
    let count = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert_eq!((count("learned"), count("observed"), count("pruned")), (stored.len(), told.observed.len(), told.pruned.len()));
    let order: Vec<String> = lines.iter().map(|line| text(&line["id"])).collect();
    assert!(order.is_sorted(), "the journal keeps the order of commits");
    assert_sound(sandbox);
}

#[test]
fn eight_servers_append_two_hundred_learnings_each() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let mut before = Told::default();
    for number in 0..PERSONS {
        before.take(Ok(learn(&sandbox, "pay", &lesson(100_000 + number), &[])));
    }
    let told = std::thread::scope(|scope| {
        let writers = (0..WRITERS).map(|writer| {
            let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
            scope.spawn(move || {
                let mut told = Told::default();
                for index in 0..APPENDS {
                    told.take(client.call("append_feature_learning", &append(writer, index)));
                }
                client.close();
                told
            })
        });
        let writers = writers.collect::<Vec<_>>();
        wait_until("something gave way", Duration::from_secs(60), || (!learnings(&sandbox, "pay", "pruned").is_empty()).then_some(()));
        for number in SHARED_LESSONS {
            before.take(Ok(learn(&sandbox, "pay", &lesson(number), &[])));
        }
        writers.into_iter().map(|writer| writer.join().expect("a writer")).fold(before, Told::join)
    });
    let counts = (told.added.len(), told.observed.len(), told.pruned.len(), told.parked.len());
    eprintln!("added, observed, pruned, parked: {counts:?}");
    assert!(!told.parked.is_empty() && !told.pruned.is_empty() && !told.observed.is_empty(), "every verdict must be met: {counts:?}");
    assert_true(&sandbox, &told, PERSONS + SHARED_LESSONS.len() + WRITERS * APPENDS);
    assert_eq!(saturation(&sandbox, "pay")["protected_count"], 50);
    let before = learnings(&sandbox, "pay", "all");
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(learnings(&sandbox, "pay", "all"), before, "the journals tell the same");
}

#[test]
fn separate_command_lines_wait_for_each_other() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--max-learnings", "20"]);
    let told = std::thread::scope(|scope| {
        let writers = (0..WRITERS).map(|writer| {
            scope.spawn({
                let sandbox = &sandbox;
                move || write_by_command_line(sandbox, writer)
            })
        });
        let writers = writers.collect::<Vec<_>>();
        writers.into_iter().map(|writer| writer.join().expect("a writer")).fold(Told::default(), Told::join)
    });
    assert_true(&sandbox, &told, WRITERS * 10);
}

fn write_by_command_line(sandbox: &Sandbox, writer: usize) -> Told {
    let mut told = Told::default();
    for index in 0..10 {
        let source = if index % 3 == 0 { "human" } else { "auto" };
        let (text, iteration) = (lesson(if index == 1 { 1 } else { 100 * (writer + 1) + index }), writer.to_string());
        let args = ["learning", "add", "--feature", "pay", "--source", source, "--iteration", &iteration, "--text", &text];
        let output: Output = Running::start(&mut sandbox.ralph_command(&args), None).wait(Duration::from_secs(60));
        told.take(if output.status.success() { Ok(output.json()) } else { Err(output.error()) });
    }
    told
}

#[test]
fn eight_processes_make_the_same_feature_once() {
    let sandbox = Sandbox::with_project();
    let starts =
        (0..WRITERS).map(|_| Running::start(&mut sandbox.ralph_command(&["feature", "create", "pay", "--display-name", "Pay"]), None));
    let outputs = starts.collect::<Vec<_>>().into_iter().map(|running| running.wait(Duration::from_secs(60))).collect::<Vec<_>>();
    let (made, refused): (Vec<_>, Vec<_>) = outputs.into_iter().partition(|output| output.status.success());
    assert_eq!(made.len(), 1);
    assert!(refused.iter().all(|output| output.error()["code"] == "exists"), "{refused:?}");
    assert_eq!(list(sandbox.ralph_ok(&["feature", "list"])).len(), 1);
    assert_sound(&sandbox);
}

#[test]
fn eight_processes_open_a_new_project_at_once() {
    let sandbox = Sandbox::new();
    let starts = (0..WRITERS).map(|_| Running::start(&mut sandbox.ralph_command(&["init"]), None));
    for running in starts.collect::<Vec<_>>() {
        let output = running.wait(Duration::from_secs(60));
        assert!(output.status.success(), "{output:?}");
    }
    feature(&sandbox, "pay", &[]);
    assert_sound(&sandbox);
}

#[test]
fn the_doctor_finds_no_damage_in_what_is_being_written() {
    const AHEAD: usize = 300;
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--max-learnings", "1000"]);
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
    for number in 0..AHEAD {
        client.send_call("append_feature_learning", &json!({"feature": "pay", "text": lesson(number)}));
    }
    for _ in 0..8 {
        assert_sound(&sandbox);
    }
    for _ in 0..AHEAD {
        client.answer().expect("an answer");
    }
    assert_sound(&sandbox);
}
