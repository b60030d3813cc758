//! Facts of a `go.mod`.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted};
use super::frameworks::{self, Ecosystem};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let mut found = Vec::new();
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
            _ => {}
        }
    }
    found
}

fn commands(path: &str, line: u32) -> Vec<FoundFact> {
    let (folder, behind) = place(path);
    let at = if folder.is_empty() { String::new() } else { format!(" -C {}", quoted(&folder)) };
    let commands = [(FactKind::TestCommand, "test", "go tests"), (FactKind::BuildCommand, "build", "go build")];
    let fact = |(kind, verb, subject)| FoundFact::new(kind, format!("{subject}{behind}"), format!("go {verb}{at} ./..."), line, DECLARED);
    commands.into_iter().map(fact).collect()
}
