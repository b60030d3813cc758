//! Facts of a `package.json`.

use super::found::{DECLARED, FactKind, FoundFact, from_project, place, quoted};
use super::frameworks::{self, Ecosystem};
use super::json::{below, expression, get, parsed, text, top};
use super::tree::Parsed;
use tree_sitter::Node;

/// Package managers, which all run scripts.
pub(super) const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Keys of required packages, most significant first.
const DEPENDENCIES: [&str; 4] = ["dependencies", "optionalDependencies", "peerDependencies", "devDependencies"];

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let source = expression(source);
    let Some(json) = parsed(&source) else { return Vec::new() };
    let Some(package) = top(&json) else { return Vec::new() };
    let mut found = Vec::new();
    for table in DEPENDENCIES {
        for entry in below(&json, package, table) {
            let Some(version) = text(&json, entry.value) else { continue };
            found.extend(match table {
                "devDependencies" => frameworks::declared_for_a_build(&entry.key, &version, entry.line),
                _ => frameworks::declared(Ecosystem::Node, &entry.key, &version, entry.line),
            });
            found.push(FoundFact::dependency(entry.key, &version, entry.line));
        }
    }
    found.extend(entry_points(path, &json, package));
    found.extend(commands(path, &json, package));
    found
}

fn entry_points(path: &str, json: &Parsed<'_>, package: Node<'_>) -> Vec<FoundFact> {
    let (folder, behind) = place(path);
    let told = |subject: &str, file: &str, line| FoundFact::new(FactKind::EntryPoint, subject, from_project(&folder, file), line, DECLARED);
    let mut found = Vec::new();
    if let Some(bin) = get(json, package, "bin") {
        let name = get(json, package, "name").and_then(|name| text(json, name.value)).unwrap_or_default();
        // A command has the name of its package, without the scope.
        let name = name.rsplit('/').next().unwrap_or_default();
        match text(json, bin.value) {
            Some(file) => found.push(told(name, &file, bin.line)),
            None => found.extend(
                below(json, package, "bin").into_iter().filter_map(|entry| Some(told(&entry.key, &text(json, entry.value)?, entry.line))),
            ),
        }
    }
    let main = ["main", "module"].into_iter().find_map(|key| get(json, package, key));
    if let Some((main, file)) = main.and_then(|main| text(json, main.value).map(|file| (main, file))) {
        found.push(told(&format!("main{behind}"), &file, main.line));
    }
    found
}

fn commands(path: &str, json: &Parsed<'_>, package: Node<'_>) -> Vec<FoundFact> {
    let scripts = below(json, package, "scripts");
    let script = |name: &str| {
        let entry = scripts.iter().find(|entry| entry.key == name)?;
        // The placeholder of `npm init` is not a test.
        text(json, entry.value).filter(|script| !script.trim().is_empty() && !script.contains("no test specified")).map(|_| entry.line)
    };
    let named = get(json, package, "packageManager").and_then(|entry| {
        let named = text(json, entry.value)?;
        let manager = MANAGERS.into_iter().find(|manager| named.split('@').next() == Some(manager))?;
        Some(FoundFact::new(FactKind::Tool, manager, path, entry.line, DECLARED))
    });
    let manager = named.as_ref().map_or("npm", |named| named.subject.as_str());
    let test = script("test").map(|line| command(FactKind::TestCommand, manager, path, line));
    let build = script("build").map(|line| command(FactKind::BuildCommand, manager, path, line));
    test.into_iter().chain(build).chain(named).collect()
}

/// The command that runs a package's script by a package manager.
pub(super) fn command(kind: FactKind, manager: &str, path: &str, line: u32) -> FoundFact {
    let (folder, behind) = place(path);
    let folder = quoted(&folder);
    let at = match (manager, folder.is_empty()) {
        (_, true) => String::new(),
        ("npm", _) => format!(" --prefix {folder}"),
        ("pnpm", _) => format!(" --dir {folder}"),
        (_, _) => format!(" --cwd {folder}"),
    };
    let (what, verb) = match kind {
        FactKind::BuildCommand => ("build", "run build"),
        // bun has a runner of tests of its own.
        _ if manager == "bun" => ("tests", "run test"),
        _ => ("tests", "test"),
    };
    FoundFact::new(kind, format!("{manager} {what}{behind}"), format!("{manager}{at} {verb}"), line, DECLARED)
}
