//! Facts of a `composer.json`.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted, run_in};
use super::frameworks::{self, Ecosystem};
use super::json::{below, expression, parsed, text, top};

/// Runners of tests, as they are installed, with their packages; the first that is required counts.
const RUNNERS: [(&str, &str); 2] = [("pestphp/pest", "vendor/bin/pest"), ("phpunit/phpunit", "vendor/bin/phpunit")];

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let source = expression(source);
    let Some(json) = parsed(&source) else { return Vec::new() };
    let Some(package) = top(&json) else { return Vec::new() };
    let mut found = Vec::new();
    for table in ["require", "require-dev"] {
        // Without a slash it is PHP itself or one of its extensions.
        for entry in below(&json, package, table).into_iter().filter(|entry| entry.key.contains('/')) {
            let Some(version) = text(&json, entry.value) else { continue };
            if table == "require" {
                found.extend(frameworks::declared(Ecosystem::Php, &entry.key, &version, entry.line));
            }
            found.push(FoundFact::dependency(entry.key, &version, entry.line));
        }
    }
    let (folder, behind) = place(path);
    let script = below(&json, package, "scripts").into_iter().find(|entry| entry.key == "test").map(|entry| {
        let at = if folder.is_empty() { String::new() } else { format!(" --working-dir={}", quoted(&folder)) };
        (format!("composer{at} test"), entry.line)
    });
    let runner = || {
        let required = |name: &str| found.iter().find(|fact| fact.kind == FactKind::Dependency && fact.subject == name);
        let (line, program) = RUNNERS.iter().find_map(|(name, program)| Some((required(name)?.line, program)))?;
        Some((run_in(&folder, program), line))
    };
    if let Some((value, line)) = script.or_else(runner) {
        found.push(FoundFact::new(FactKind::TestCommand, format!("PHP tests{behind}"), value, line, DECLARED));
    }
    found
}
