//! Precision and recall of the facts of real projects, against labels that were made by hand, without the program.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that prints its figures for those who ask with --nocapture")]

use code_facts::{FoundFact, facts, of_project};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A project with its labels.
#[derive(Deserialize)]
struct Labelled {
    project: String,
    files: BTreeMap<String, String>,
    labels: Vec<Label>,
}

#[derive(Deserialize)]
struct Label {
    kind: String,
    subject: String,
    value: String,
    file: String,
    line: u32,
}

/// Identity of a fact: kind, subject, value and file. The value of a command may vary.
type Key = (String, String, String, String);

fn key(kind: &str, subject: &str, value: &str, file: &str) -> Key {
    let subject = if kind.ends_with("_command") { "" } else { subject };
    // A path with handlers in two files of a project has its file appended.
    let subject = subject.split(" in ").next().unwrap_or("");
    (kind.to_owned(), subject.to_owned(), value.to_owned(), file.to_owned())
}

#[derive(Default)]
struct Counts {
    right: usize,
    wrong: usize,
    missing: usize,
    lines: usize,
}

impl Counts {
    fn share(of: usize, all: usize) -> f64 {
        if all == 0 { 1.0 } else { of as f64 / all as f64 }
    }

    fn precision(&self) -> f64 {
        Counts::share(self.right, self.right + self.wrong)
    }

    fn recall(&self) -> f64 {
        Counts::share(self.right, self.right + self.missing)
    }
}

fn measure(labelled: &Labelled, by_kind: &mut BTreeMap<String, Counts>) -> Counts {
    let found: Vec<(&str, Vec<FoundFact>)> = labelled.files.iter().map(|(path, text)| (path.as_str(), facts(path, text))).collect();
    let told = of_project(found.iter().map(|(path, facts)| (*path, facts.as_slice())));
    let told: BTreeMap<Key, u32> =
        told.into_iter().map(|(file, fact)| (key(fact.kind.as_str(), &fact.subject, &fact.value, file), fact.line)).collect();
    let labels: BTreeMap<Key, u32> =
        labelled.labels.iter().map(|label| (key(&label.kind, &label.subject, &label.value, &label.file), label.line)).collect();
    let mut counts = Counts::default();
    let (told_keys, label_keys): (BTreeSet<&Key>, BTreeSet<&Key>) = (told.keys().collect(), labels.keys().collect());
    for key in told_keys.union(&label_keys) {
        let of_kind = by_kind.entry(key.0.clone()).or_default();
        match (told.get(*key), labels.get(*key)) {
            (Some(line), Some(label)) => {
                (counts.right, of_kind.right) = (counts.right + 1, of_kind.right + 1);
                counts.lines += usize::from(line == label);
            }
            (Some(line), None) => {
                (counts.wrong, of_kind.wrong) = (counts.wrong + 1, of_kind.wrong + 1);
                println!("{}: wrong: {key:?}:{line}", labelled.project);
            }
            (None, _) => {
                (counts.missing, of_kind.missing) = (counts.missing + 1, of_kind.missing + 1);
                println!("{}: missing: {key:?}", labelled.project);
            }
        }
    }
    counts
}

fn labelled() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<Labelled> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect();
    found.sort_by(|a, b| a.project.cmp(&b.project));
    found
}

#[test]
fn facts_of_real_projects_are_right_and_complete() {
    let (mut all, mut by_kind) = (Counts::default(), BTreeMap::new());
    let told = |name: &str, counts: &Counts| {
        let Counts { right, wrong, missing, lines } = counts;
        println!(
            "{name}: {right} right ({lines} by line), {wrong} wrong, {missing} missing: {:.3} {:.3}",
            counts.precision(),
            counts.recall()
        );
    };
    for project in labelled() {
        let counts = measure(&project, &mut by_kind);
        told(&project.project, &counts);
        all.right += counts.right;
        all.wrong += counts.wrong;
        all.missing += counts.missing;
        all.lines += counts.lines;
    }
    by_kind.iter().for_each(|(kind, counts)| told(kind, counts));
    told("all", &all);
    assert!(all.precision() >= 0.95, "{:.3}", all.precision());
    assert!(all.recall() >= 0.9, "{:.3}", all.recall());
    assert!(Counts::share(all.lines, all.right) >= 0.95, "of {} right facts {} name the line", all.right, all.lines);
}
