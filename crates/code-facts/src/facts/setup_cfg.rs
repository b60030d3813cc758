//! Facts of a `setup.cfg` of setuptools.

use super::found::{DECLARED, FactKind, FoundFact, place};
use super::frameworks::{self, Ecosystem};
use super::requirements::{pytest, requirement};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let mut found = Vec::new();
    let (mut section, mut key) = ("", "");
    for (line, number) in source.lines().zip(1..) {
        let said = line.trim();
        if said.is_empty() || said.starts_with(['#', ';']) {
            continue;
        }
        // What belongs to a key follows it, or stands indented below.
        let value = if line.starts_with([' ', '\t']) {
            said
        } else if let Some(name) = said.strip_prefix('[').and_then(|said| said.strip_suffix(']')) {
            (section, key) = (name.trim(), "");
            continue;
        } else {
            let (name, value) = said.split_once('=').unwrap_or((said, ""));
            key = name.trim();
            value.trim()
        };
        match (section, key) {
            ("options", "install_requires") => found.extend(needed(value, number, true)),
            ("options", "setup_requires" | "tests_require") | ("options.extras_require", _) => found.extend(needed(value, number, false)),
            ("options.entry_points", "console_scripts" | "gui_scripts") => {
                let script = value.split_once('=').map(|(name, target)| (name.trim(), target.trim()));
                found.extend(script.map(|(name, target)| FoundFact::new(FactKind::EntryPoint, name, target, number, DECLARED)));
            }
            _ => {}
        }
    }
    let needed = found.iter().find(|fact| fact.kind == FactKind::Dependency && fact.subject == "pytest").map(|fact| fact.line);
    found.extend(needed.map(|line| pytest(&place(path).0, line)));
    found
}

/// The requirement of a line, and the framework that it is.
fn needed(line: &str, number: u32, in_use: bool) -> Vec<FoundFact> {
    let Some((name, version)) = requirement(line) else { return Vec::new() };
    let framework = frameworks::declared(Ecosystem::Python, name, &version, number).filter(|_| in_use);
    framework.into_iter().chain([FoundFact::dependency(name, &version, number)]).collect()
}
