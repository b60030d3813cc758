//! What is so in a project, of what its files state: one value for each subject.

use super::found::{ANY, DECLARED, FactKind, FoundFact};
use super::frameworks;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The facts of a project, of the files that state any, each with its file. Of what several state the surest holds, then what stands
/// higher up, then the first by its path. What is merely imported is told only where no manifest says what is needed, and where
/// it is no module of the project itself.
pub fn of_project<'f>(files: impl IntoIterator<Item = (&'f str, &'f [FoundFact])>) -> Vec<(&'f str, FoundFact)> {
    let files: BTreeMap<&str, &[FoundFact]> = files.into_iter().collect();
    let declares = |manifests: &[&str]| {
        let is_one = |path: &str| manifests.iter().any(|end| path.rsplit('/').next().is_some_and(|name| name.ends_with(end)));
        files.iter().any(|(path, facts)| is_one(path) && facts.iter().any(|fact| fact.kind == FactKind::Dependency))
    };
    let (python, node) = (declares(&["pyproject.toml", ".txt"]), declares(&["package.json"]));
    let own = own_modules(files.keys().copied());
    let holds = |path: &str, fact: &FoundFact| match &fact.imported {
        None => true,
        Some(module) if path.ends_with(".py") => !python && !own.contains(module.as_str()),
        Some(_) => !node,
    };
    let mut facts: Vec<(&str, &FoundFact)> = Vec::new();
    for (path, found) in &files {
        facts.extend(found.iter().filter(|fact| holds(path, fact)).map(|fact| (*path, fact)));
    }
    // By thousandths: confidences are constants with few digits.
    let sure = |fact: &FoundFact| Reverse((fact.confidence * 1_000.0).round() as u32);
    facts.sort_by_key(|(path, fact)| (fact.kind, key(&fact.subject), sure(fact), path.matches('/').count(), *path, fact.line));
    let told: BTreeSet<&str> =
        facts.iter().filter(|(_, fact)| fact.kind == FactKind::Framework).map(|(_, fact)| fact.subject.as_str()).collect();
    let is_part = |fact: &FoundFact| {
        let whole = frameworks::whole_of(&fact.subject).is_some_and(|whole| told.contains(whole));
        fact.kind == FactKind::Framework && fact.value == ANY && fact.confidence < DECLARED && whole
    };
    let mut taken = BTreeSet::new();
    let mut held = Vec::new();
    for (path, fact) in facts.iter().filter(|(_, fact)| !is_part(fact)) {
        if let Some(subject) = subjects(path, fact).into_iter().find(|subject| taken.insert((fact.kind, key(subject)))) {
            held.push((*path, FoundFact { subject, ..(*fact).clone() }));
        }
    }
    held
}

/// What a fact is told about, if that is not taken: an endpoint that another file states as well is told with its place, since what stands before
/// its path is told elsewhere.
fn subjects(path: &str, fact: &FoundFact) -> Vec<String> {
    let FoundFact { subject, value, .. } = fact;
    let mut subjects = vec![subject.clone()];
    if fact.kind == FactKind::Endpoint {
        subjects.extend([format!("{subject} in {path}"), format!("{subject} in {path} ({value})")]);
    }
    subjects
}

/// The same subject in other letters is the same.
fn key(subject: &str) -> String {
    subject.to_ascii_lowercase()
}

/// Modules of Python that the project holds itself: its files, and the folders on the way to them.
fn own_modules<'f>(paths: impl Iterator<Item = &'f str>) -> BTreeSet<&'f str> {
    let python = paths.filter_map(|path| path.strip_suffix(".py"));
    python.flat_map(|path| path.split('/')).collect()
}
