//! Facts of a `Cargo.toml`.

use super::found::{DECLARED, FactKind, FoundFact, OF_WORKSPACE, from_project, place, quoted};
use super::frameworks::{self, Ecosystem};
use super::toml::{self, Manifest, text, text_of};
use toml_edit::{Item, TableLike};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let manifest = Manifest::of(source);
    let mut found = dependencies(&manifest);
    let (folder, behind) = place(path);
    let package = manifest.item(&["package", "name"]).and_then(text_of);
    for bin in manifest.tables("bin") {
        let bin: &dyn TableLike = bin;
        let Some((name, item)) = text(bin, "name").zip(bin.get("name")) else { continue };
        let usual = || if package == Some(name) { "src/main.rs".to_owned() } else { format!("src/bin/{name}.rs") };
        let file = text(bin, "path").map_or_else(usual, str::to_owned);
        found.push(FoundFact::new(FactKind::EntryPoint, name, from_project(&folder, &file), manifest.line_of(item), DECLARED));
    }
    let line_of = |key: &str| manifest.entries(&[]).into_iter().find(|entry| entry.key == key).map(|entry| entry.line);
    let (of_package, workspace) = (line_of("package"), line_of("workspace"));
    if let Some(line) = workspace {
        found.push(FoundFact::new(FactKind::Workspace, "cargo workspace", from_project(&folder, "Cargo.toml"), line, DECLARED));
    }
    if let Some(line) = of_package.or(workspace) {
        // In the folder of a package cargo means that package alone.
        let all = if of_package.and(workspace).is_some() { " --workspace" } else { "" };
        let where_else = if folder.is_empty() { String::new() } else { format!(" --manifest-path {}", quoted(path)) };
        for (kind, verb, subject) in [(FactKind::TestCommand, "test", "cargo tests"), (FactKind::BuildCommand, "build", "cargo build")] {
            found.push(FoundFact::new(kind, format!("{subject}{behind}"), format!("cargo {verb}{all}{where_else}"), line, DECLARED));
        }
    }
    found
}

fn dependencies(manifest: &Manifest) -> Vec<FoundFact> {
    let mut tables: Vec<(Vec<&str>, bool)> = vec![(vec!["workspace", "dependencies"], true)];
    let targets = manifest.entries(&["target"]);
    // Ordinary dependencies take precedence over build and dev dependencies on the same package.
    for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
        let in_use = kind == "dependencies";
        tables.push((vec![kind], in_use));
        tables.extend(targets.iter().map(|target| (vec!["target", target.key, kind], in_use)));
    }
    let mut found = Vec::new();
    for (table, in_use) in tables {
        for entry in manifest.entries(&table) {
            let name = entry.item.as_table_like().and_then(|table| text(table, "package")).unwrap_or(entry.key);
            let version = version(entry.item);
            found.push(FoundFact::dependency(name, &version, entry.line));
            // Packages used only by tests and builds say nothing about the program.
            if in_use {
                found.extend(frameworks::declared(Ecosystem::Rust, name, &version, entry.line));
            }
        }
    }
    found
}

/// The required version; empty for any. A workspace's version is stated by the workspace.
fn version(item: &Item) -> String {
    if let Some(version) = text_of(item) {
        return version.to_owned();
    }
    let Some(table) = item.as_table_like() else { return String::new() };
    let inherited = table.get("workspace").and_then(Item::as_bool) == Some(true);
    toml::source(table).unwrap_or_else(|| if inherited { OF_WORKSPACE } else { "" }.to_owned())
}
