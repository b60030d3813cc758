//! Facts of a `pyproject.toml`: by PEP 621, by PEP 735, and in the formats of uv, PDM and Poetry.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted};
use super::frameworks::{self, Ecosystem};
use super::requirements::{pytest, requirement};
use super::toml::{self, Entry, Manifest, text, text_of};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let manifest = Manifest::of(source);
    let mut found = standard(&manifest);
    found.extend(poetry(&manifest));
    for keys in [["project", "scripts"].as_slice(), &["project", "gui-scripts"], &["tool", "poetry", "scripts"]] {
        let script = |entry: Entry<'_>| {
            let value = text_of(entry.item).or_else(|| text(entry.item.as_table_like()?, "callable"))?;
            Some(FoundFact::new(FactKind::EntryPoint, entry.key, value, entry.line, DECLARED))
        };
        found.extend(manifest.entries(keys).into_iter().filter_map(script));
    }
    found.extend(commands(path, &manifest, &found));
    found
}

/// Dependencies as a list of requirements.
fn standard(manifest: &Manifest) -> Vec<FoundFact> {
    let mut found = Vec::new();
    let mut lists: Vec<(_, bool)> = manifest.item(&["project", "dependencies"]).map(|item| (item, true)).into_iter().collect();
    lists.extend(manifest.entries(&["project", "optional-dependencies"]).into_iter().map(|entry| (entry.item, false)));
    lists.extend(manifest.entries(&["dependency-groups"]).into_iter().map(|entry| (entry.item, false)));
    lists.extend(manifest.item(&["tool", "uv", "dev-dependencies"]).map(|item| (item, false)));
    lists.extend(manifest.entries(&["tool", "pdm", "dev-dependencies"]).into_iter().map(|entry| (entry.item, false)));
    for (item, in_use) in lists {
        for (words, line) in manifest.texts(item) {
            let Some((name, version)) = requirement(words) else { continue };
            if in_use {
                found.extend(frameworks::declared(Ecosystem::Python, name, &version, line));
            }
            found.push(FoundFact::dependency(name, &version, line));
        }
    }
    found
}

/// Dependencies as tables.
fn poetry(manifest: &Manifest) -> Vec<FoundFact> {
    let mut tables = vec![(vec!["dependencies"], true), (vec!["dev-dependencies"], false)];
    let groups = manifest.entries(&["tool", "poetry", "group"]);
    tables.extend(groups.iter().map(|group| (vec!["group", group.key, "dependencies"], false)));
    let mut found = Vec::new();
    for (below, in_use) in tables {
        let keys = [vec!["tool", "poetry"], below].concat();
        for Entry { key, item, line } in manifest.entries(&keys).into_iter().filter(|entry| entry.key != "python") {
            // One that differs by Python version is a list: the first is used.
            let first = item.as_array().and_then(|list| list.get(0)?.as_inline_table()?.get("version")?.as_str());
            let version = text_of(item).map(str::to_owned).or_else(|| toml::source(item.as_table_like()?));
            let version = version.or(first.map(str::to_owned)).unwrap_or_default();
            if in_use {
                found.extend(frameworks::declared(Ecosystem::Python, key, &version, line));
            }
            found.push(FoundFact::dependency(key, &version, line));
        }
    }
    found
}

fn commands(path: &str, manifest: &Manifest, found: &[FoundFact]) -> Vec<FoundFact> {
    let (folder, behind) = place(path);
    let mut commands = Vec::new();
    let line = |keys: &[&str]| {
        let (last, before) = keys.split_last()?;
        manifest.entries(before).into_iter().find(|entry| entry.key == *last).map(|entry| entry.line)
    };
    let needed = found.iter().find(|fact| fact.kind == FactKind::Dependency && fact.subject == "pytest").map(|fact| fact.line);
    if let Some(line) = line(&["tool", "pytest"]).or(needed) {
        commands.push(pytest(&folder, line));
    }
    if let Some(line) = line(&["build-system"]) {
        let by_poetry = builds_by_poetry(manifest);
        let folder = quoted(&folder);
        let value = match (by_poetry, folder.is_empty()) {
            (true, true) => "poetry build".to_owned(),
            (true, false) => format!("poetry --directory {folder} build"),
            (false, true) => "python -m build".to_owned(),
            (false, false) => format!("python -m build {folder}"),
        };
        commands.push(FoundFact::new(FactKind::BuildCommand, format!("Python build{behind}"), value, line, DECLARED));
    }
    commands
}

fn builds_by_poetry(manifest: &Manifest) -> bool {
    manifest.item(&["build-system", "build-backend"]).and_then(text_of).is_some_and(|backend| backend.starts_with("poetry"))
}
