//! What is unused: dependencies of a crate, packages of the screen, files of the screen and what they export.

use super::{Finding, Source};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Dependencies that no line mentions, each with its reason.
const UNNAMED: &[(&str, &str)] = &[];
/// Packages whose program is called by another name.
const PROGRAMS: &[(&str, &str)] =
    &[("@biomejs/biome", "biome "), ("@tauri-apps/cli", "tauri"), ("typescript", "tsc "), ("vite", "vite"), ("vitest", "vitest ")];

/// Checks the workspace as `cargo metadata` reports it, and the screen.
pub fn check(sources: &[Source], metadata: &Value) -> Vec<Finding> {
    let mut findings = crates(sources, metadata);
    findings.extend(packages(sources));
    findings.extend(files(sources));
    findings.extend(exports(sources));
    findings
}

/// A dependency is used when some file of its crate names it.
fn crates(sources: &[Source], metadata: &Value) -> Vec<Finding> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let mut findings = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let manifest = manifest.strip_prefix(root).unwrap_or(manifest).trim_start_matches(['/', '\\']).replace('\\', "/");
        let folder = manifest.trim_end_matches("Cargo.toml");
        let rust = |wanted: &dyn Fn(&str) -> bool| sources.iter().filter(|s| s.is_rust() && wanted(&s.path)).collect::<Vec<&Source>>();
        let mut own = rust(&|path| path.starts_with(folder));
        let elsewhere: Vec<String> = own.iter().flat_map(|source| included(source)).collect();
        own.extend(rust(&|path| elsewhere.iter().any(|other| other == path)));
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["rename"].as_str().or(dependency["name"].as_str()).unwrap_or_default();
            let word = used.replace('-', "_");
            let named = own.iter().any(|source| names(&source.text, &word));
            if !named && !UNNAMED.contains(&(name, used)) {
                let message = format!("{used} is used by no line of {name}: remove it");
                findings.push(Finding { path: manifest.clone(), line: 0, message });
            }
        }
    }
    findings
}

/// Files of other crates that a file includes by `#[path]`.
fn included(source: &Source) -> Vec<String> {
    let paths = source.text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]"));
    paths.filter_map(|path| target(&source.path, &format!("./{path}"))).collect()
}

/// Whether the text contains the word as a whole.
fn names(text: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(part_of_name) && !text[at + word.len()..].starts_with(part_of_name))
}

/// A package is used when it is imported somewhere, or its program is called in `package.json`.
fn packages(sources: &[Source]) -> Vec<Finding> {
    let Some(manifest) = sources.iter().find(|source| source.path == "package.json") else { return Vec::new() };
    let Ok(package) = serde_json::from_str::<Value>(&manifest.text) else {
        return vec![Finding::new(manifest, 0, "is not JSON")];
    };
    let scripts = package["scripts"].to_string();
    let importers = |source: &&Source| source.is_script() || source.path.ends_with(".css") || source.path.ends_with(".html");
    let quoted: BTreeSet<&str> = sources.iter().filter(importers).flat_map(|source| literals(&source.text)).collect();
    let called = |name: &str| PROGRAMS.iter().any(|(package, program)| *package == name && scripts.contains(program));
    let imported =
        |name: &str| quoted.iter().any(|text| text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    let all = ["dependencies", "devDependencies"].into_iter().filter_map(|kind| package[kind].as_object()).flatten();
    // Types are used by the compiler.
    let unused = all.map(|(name, _)| name).filter(|name| !name.starts_with("@types/") && !called(name) && !imported(name));
    unused.map(|name| Finding::new(manifest, 0, format!("{name} is imported nowhere: remove it"))).collect()
}

/// A file of the screen is used if it can be reached by imports from an entry point or a test.
fn files(sources: &[Source]) -> Vec<Finding> {
    let screen: Vec<&Source> = sources.iter().filter(|s| s.path.starts_with("src/") && s.is_script()).collect();
    let is_entry = |source: &Source| source.path.ends_with(".html") || source.path == "vite.config.ts";
    let is_test = |path: &str| path.contains(".test.");
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&Source> = sources.iter().filter(|source| is_entry(source)).collect();
    // A file reached only from tests is dead, unless it is part of the tests.
    let tests: Vec<&Source> =
        screen.iter().copied().filter(|source| is_test(&source.path) || source.path.starts_with("src/test/")).collect();
    while let Some(source) = open.pop() {
        for literal in literals(&source.text) {
            let target = target(&source.path, literal);
            let ends = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"];
            let found = screen.iter().find(|file| ends.iter().any(|end| file.path.strip_suffix(end) == target.as_deref()));
            if let Some(file) = found
                && reached.insert(&file.path)
            {
                open.push(file);
            }
        }
    }
    let dead = screen.iter().filter(|file| !reached.contains(file.path.as_str()) && !tests.iter().any(|test| test.path == file.path));
    // Types that exist only in declarations are found by the compiler.
    dead.filter(|file| !file.path.ends_with(".d.ts"))
        .map(|file| Finding::new(file, 0, "is imported by nothing that the window loads: remove it"))
        .collect()
}

/// What a file of the screen exports is named in another one.
fn exports(sources: &[Source]) -> Vec<Finding> {
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_script()) {
        for word in source.text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            named.entry(word).or_default().insert(&source.path);
        }
    }
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src/") && source.is_script() && !source.is_generated()) {
        for (line, text, _) in source.code() {
            let Some(name) = exported(text) else { continue };
            if named.get(name).is_none_or(|files| files.len() < 2) {
                findings.push(Finding::new(source, line, format!("{name} is named in no other file: remove its `export`")));
            }
        }
    }
    findings
}

/// The name that a line exports as it defines it.
fn exported(line: &str) -> Option<&str> {
    let defined = line.strip_prefix("export ")?;
    let kinds = ["const ", "function ", "async function ", "class ", "type ", "interface "];
    let name = kinds.into_iter().find_map(|kind| defined.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

/// The path of an import from the root; `None` for a package.
fn target(from: &str, literal: &str) -> Option<String> {
    if let Some(rest) = literal.strip_prefix("@/") {
        return Some(format!("src/{rest}"));
    }
    if let Some(rest) = literal.strip_prefix("/src/") {
        return Some(format!("src/{rest}"));
    }
    if !literal.starts_with("./") && !literal.starts_with("../") {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in literal.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The text between double quotes.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('"').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::super::planted::source;
    use super::*;
    use serde_json::json;

    fn paths(findings: &[Finding]) -> Vec<(&str, &str)> {
        findings.iter().map(|f| (f.path.as_str(), f.message.split(' ').next().unwrap_or_default())).collect()
    }

    #[test]
    fn a_dependency_that_no_line_names_is_found() {
        let metadata = json!({"workspace_root": "/w", "packages": [{"name": "x", "manifest_path": "/w/crates/x/Cargo.toml", "dependencies": [
            {"name": "serde"}, {"name": "serde-json"}, {"name": "long-name", "rename": "short"}, {"name": "other"}, {"name": "sha2"},
        ]}]});
        let own = source(
            "crates/x/src/lib.rs",
            "#[path = \"../../y/build.rs\"]\nmod b;\nuse serde_json::Value;\nuse short as s;\nlet other_thing = 1;\n",
        );
        let not_own = source("crates/xy/src/lib.rs", "use serde::Serialize;\nuse other::X;\n");
        let shared = source("crates/y/build.rs", "use sha2::Digest;\n");
        assert_eq!(paths(&check(&[own, not_own, shared], &metadata)), [("crates/x/Cargo.toml", "serde"), ("crates/x/Cargo.toml", "other")]);
    }

    #[test]
    fn packages_and_files_that_nothing_imports_are_found() {
        let manifest = json!({"scripts": {"check": "biome check ."}, "dependencies": {"react": "1", "clsx": "1", "dead": "1"},
            "devDependencies": {"@biomejs/biome": "1", "@types/node": "1"}});
        let sources = [
            source("package.json", &manifest.to_string()),
            source("index.html", "<script src=\"/src/app/main.tsx\">"),
            source("src/app/main.tsx", "import { a } from \"react/jsx\";\nimport \"@/lib/one\";\nimport x from \"../ui/two\";"),
            source("src/lib/one.ts", "import \"clsx\";"),
            source("src/ui/two.tsx", ""),
            source("src/ui/two.test.tsx", "import \"./three\";"),
            source("src/ui/three.tsx", ""),
            source("src/test/setup.ts", ""),
        ];
        let found = check(&sources, &json!({}));
        assert_eq!(paths(&found), [("package.json", "dead"), ("src/ui/three.tsx", "is")]);
    }

    #[test]
    fn what_is_exported_for_nobody_is_found() {
        let sources = [
            source(
                "src/a.ts",
                "export const USED = 1;\nexport type Own = { a: 1 };\nexport async function own() {}\nconst kept: Own = own();",
            ),
            source("src/b.tsx", "import { USED } from \"./a\";\nexport { x } from \"./c\";\nexport function Shown<T>() {}"),
            source("tests/window/c.mjs", "import { Shown } from \"../../src/b\";"),
            source("src/ipc/bindings.ts", "export type Wire = 1;"),
        ];
        assert_eq!(paths(&exports(&sources)), [("src/a.ts", "Own"), ("src/a.ts", "own")]);
    }
}
