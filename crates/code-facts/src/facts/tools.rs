//! Tools that run the commands of a folder and of those below it. Files of theirs show by their names alone that they are used.

use super::found::{DECLARED, FactKind, FoundFact, IMPLIED, folder, folders_up, quoted};
use std::collections::{BTreeMap, BTreeSet};

/// Lock files of package managers, and wrappers that fetch their build tool, with what they run.
const BY_FILE: &[(&str, &str)] = &[
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("mvnw", "mvnw"),
    ("gradlew", "gradlew"),
];

/// The tool that a file shows by its name.
pub(super) fn of_file(name: &str) -> Option<&'static str> {
    BY_FILE.iter().find(|(file, _)| *file == name).map(|(_, tool)| *tool)
}

/// The fact of such a file.
pub(super) fn fact(tool: &str, path: &str) -> FoundFact {
    FoundFact::new(FactKind::Tool, tool, path, 1, IMPLIED)
}

/// A wrapper as a word of a shell command at the root of the project.
pub(super) fn in_folder(wrapper: &str, folder: &str) -> String {
    if folder.is_empty() { format!("./{wrapper}") } else { quoted(&format!("{folder}/{wrapper}")) }
}

/// The tools of a project by folder.
pub(super) struct Tools<'f>(BTreeMap<&'f str, Vec<&'f FoundFact>>);

impl<'f> Tools<'f> {
    pub(super) fn of_files(files: &BTreeMap<&'f str, &'f [FoundFact]>) -> Tools<'f> {
        let mut tools: BTreeMap<&str, Vec<&FoundFact>> = BTreeMap::new();
        for (path, facts) in files {
            tools.entry(folder(path)).or_default().extend(facts.iter().filter(|fact| fact.kind == FactKind::Tool));
        }
        Tools(tools)
    }

    /// Which of some tools runs the commands of a file, and its folder: the nearest, and among those of one folder the one that a
    /// manifest names. Where lock files of several lie side by side, nobody knows which is in use.
    pub(super) fn of(&self, path: &'f str, among: &[&str]) -> Option<(&'f str, &'f str)> {
        for at in folders_up(path) {
            let here = || self.0.get(at).into_iter().flatten().filter(|fact| among.contains(&fact.subject.as_str()));
            let named = |is_named: bool| -> BTreeSet<&'f str> {
                here().filter(|fact| (fact.confidence >= DECLARED) == is_named).map(|fact| fact.subject.as_str()).collect()
            };
            let (named, shown) = (named(true), named(false));
            if let Some(tools) = [named, shown].into_iter().find(|tools| !tools.is_empty()) {
                return tools.first().filter(|_| tools.len() == 1).map(|tool| (*tool, at));
            }
        }
        None
    }
}
