//! No circle between the files of a crate: what two files need from each other belongs in a third one below both.
//!
//! An arrow is a path by `crate::` or `super::` in code outside of tests. A file's own children are parts of it, and the root of a crate
//! contains all: paths to either are not arrows.

use super::{Finding, Source};
use std::collections::{BTreeMap, BTreeSet};

/// A module of a crate: the folder of the crate's sources, and the names below it.
type Module = (String, Vec<String>);
type Arrows<'f> = BTreeMap<&'f Module, BTreeSet<&'f Module>>;

/// Checks all Rust files together.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let product = sources.iter().filter(|source| !source.is_test_file());
    let files: BTreeMap<Module, &Source> = product.filter_map(|source| Some((module_of(&source.path)?, source))).collect();
    let arrows: Arrows<'_> = files.iter().map(|(module, source)| (module, arrows_of(module, source, &files))).collect();
    let reach: Arrows<'_> = arrows.keys().map(|module| (*module, reached(module, &arrows))).collect();
    let message = |module: &Module| {
        let others = reach[module].iter().filter(|other| **other != module && reach[*other].contains(module));
        let names: Vec<String> = others.map(|other| other.1.join("/")).collect();
        format!("is in a circle with {}: what they share goes into a file below", names.join(", "))
    };
    let in_a_circle = reach.keys().filter(|module| reach[**module].contains(*module));
    in_a_circle.map(|module| Finding::new(files[*module], 0, message(module))).collect()
}

/// The module of a file; `None` for the root of a crate, its binaries, and files that are not Rust of a crate.
fn module_of(path: &str) -> Option<Module> {
    let (root, file) = path.strip_suffix(".rs")?.split_once("/src/")?;
    let mut names: Vec<String> = file.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| last == "mod") {
        names.pop();
    }
    (!matches!(names.first()?.as_str(), "lib" | "main" | "bin")).then(|| (root.to_owned(), names))
}

fn arrows_of<'f>(module: &Module, source: &Source, files: &'f BTreeMap<Module, &Source>) -> BTreeSet<&'f Module> {
    let code: Vec<&str> = source.code().filter(|(_, _, test)| !test).map(|(_, line, _)| line).collect();
    let mut found = BTreeSet::new();
    for path in paths_of(&code.join("\n")) {
        let (mut base, mut names) = (module.1.clone(), path.as_slice());
        if names.first() == Some(&"crate") {
            (base, names) = (Vec::new(), &names[1..]);
        }
        while names.first() == Some(&"super") {
            base.pop();
            names = &names[1..];
        }
        base.extend(names.iter().map(|name| (*name).to_owned()));
        let known = |length: usize| files.get_key_value(&(module.0.clone(), base[..length].to_vec())).map(|(key, _)| key);
        let target = (1..=base.len()).rev().find_map(known);
        found.extend(target.filter(|target| !target.1.starts_with(&module.1) && !module.1.starts_with(&target.1)));
    }
    found
}

/// The paths by `crate::` and `super::`, each with the names of a list behind it.
fn paths_of(code: &str) -> Vec<Vec<&str>> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            // A re-export says where something else stands; `pub(crate)` is not a path.
            let line = code[..at].rsplit('\n').next().unwrap_or("").trim_start();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') || (line.starts_with("pub") && line.contains("use ")) {
                continue;
            }
            let end = code[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).map_or(code.len(), |length| at + length);
            let first: Vec<&str> = code[at..end].split("::").filter(|name| !name.is_empty()).collect();
            if code[end..].starts_with('{') {
                let list = code[end + 1..].split(['{', '}']).next().unwrap_or("");
                let named = list.split(',').filter_map(|item| item.trim().split([':', ' ']).next()).filter(|name| !name.is_empty());
                paths.extend(named.map(|name| first.iter().copied().chain([name]).collect()));
            } else {
                paths.push(first);
            }
        }
    }
    paths
}

/// The modules that can be reached by one arrow or more.
fn reached<'f>(from: &Module, arrows: &Arrows<'f>) -> BTreeSet<&'f Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&'f Module> = arrows[from].iter().copied().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(&arrows[module]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::planted::source;
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = files.iter().map(|(path, text)| source(path, text)).collect();
        check(&sources).into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn files_that_need_each_other_are_found_and_a_parent_with_its_rooms_is_none() {
        let (a, b, c) = ("crates/x/src/a.rs", "crates/x/src/b.rs", "crates/x/src/c/mod.rs");
        assert_eq!(
            found(&[(a, "use crate::b::B;\n"), (b, "fn f() { super::c::g() }\n"), (c, "use crate::{\n    a,\n    d,\n};\n")]),
            [a, b, c]
        );
        assert_eq!(
            found(&[(a, "use crate::b::B;\n"), (b, "// crate::a\npub use crate::a::A;\n#[cfg(test)]\nmod tests { use crate::a; }\n")]),
            [""; 0]
        );
        let room = "crates/x/src/c/room.rs";
        assert_eq!(
            found(&[(c, "mod room;\nuse room::R;\n"), (room, "use super::C;\nuse crate::a::A;\n"), (a, "use crate::App;\n")]),
            [""; 0]
        );
        assert_eq!(found(&[(room, "use super::wall::W;\n"), ("crates/x/src/c/wall.rs", "use super::room;\n")]).len(), 2);
    }
}
