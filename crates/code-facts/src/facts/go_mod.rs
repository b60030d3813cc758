//! Facts of a `go.mod`.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted};
use super::frameworks::{self, Ecosystem};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let mut found = Vec::new();
    let mut replaced = Vec::new();
    let mut block: Option<&str> = None;
    for (line, number) in source.lines().zip(1..) {
        let (code, remark) = line.split_once("//").unwrap_or((line, ""));
        let mut words = code.split_whitespace();
        let first = words.next();
        let verb = match (block, first) {
            (_, None) => continue,
            (Some(_), Some(")")) => {
                block = None;
                continue;
            }
            (Some(verb), Some(_)) => {
                words = code.split_whitespace();
                verb
            }
            (None, Some(verb)) if code.trim_end().ends_with('(') => {
                block = Some(verb.trim_end_matches('('));
                continue;
            }
            (None, Some(verb)) => verb,
        };
        match verb {
            "module" => found.extend(commands(path, number)),
            // Indirect dependencies are stated by others.
            "require" if !remark.trim_start().starts_with("indirect") => {
                let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
                let name = name.trim_matches('"');
                found.extend(frameworks::declared(Ecosystem::Go, name, version, number));
                found.push(FoundFact::dependency(name, version, number));
            }
            "replace" => replaced.extend(replacement(&words.collect::<Vec<_>>())),
            _ => {}
        }
    }
    for (name, version, by) in replaced {
        let framework = frameworks::name_of(Ecosystem::Go, name);
        let of_module = |fact: &&mut FoundFact| match fact.kind {
            FactKind::Dependency => fact.subject == name,
            kind => kind == FactKind::Framework && Some(fact.subject.as_str()) == framework,
        };
        for fact in found.iter_mut().filter(of_module).filter(|fact| version.is_none_or(|version| fact.value == version)) {
            fact.value.clone_from(&by);
        }
    }
    found
}

/// A module, the version that is replaced if only that is, and another module with its version in its place: `a v1.0.0 => b v1.2.0`. One
/// in a folder is the project's own.
fn replacement<'l>(words: &[&'l str]) -> Option<(&'l str, Option<&'l str>, String)> {
    let at = words.iter().position(|word| *word == "=>")?;
    match (&words[..at], &words[at + 1..]) {
        ([name, version @ ..], [by, taken]) => Some((*name, version.first().copied(), format!("{by}@{taken}"))),
        _ => None,
    }
}

fn commands(path: &str, line: u32) -> Vec<FoundFact> {
    let (folder, behind) = place(path);
    let at = if folder.is_empty() { String::new() } else { format!(" -C {}", quoted(&folder)) };
    let commands = [(FactKind::TestCommand, "test", "go tests"), (FactKind::BuildCommand, "build", "go build")];
    let fact = |(kind, verb, subject)| FoundFact::new(kind, format!("{subject}{behind}"), format!("go {verb}{at} ./..."), line, DECLARED);
    commands.into_iter().map(fact).collect()
}
