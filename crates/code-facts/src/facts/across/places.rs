//! Which file a module or package name refers to.

use super::ending;
use crate::facts::found::folder;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Extensions of the files that a module may be, by the language that names it.
const PYTHON: &[&str] = &["/__init__.py", ".py"];
const RUST: &[&str] = &["/mod.rs", ".rs"];
const SCRIPT: &[&str] =
    &["/index.tsx", "/index.mjs", "/index.ts", "/index.js", ".cts", ".mts", ".tsx", ".jsx", ".cjs", ".mjs", ".ts", ".js", ""];

/// Where a router or a text is looked for: the file or, in Go, the folder, which is a package.
pub(super) fn place(path: &str) -> &str {
    if ending(path) == "go" { folder(path) } else { path }
}

/// The files and folders of a project.
pub(super) struct Places<'f> {
    files: BTreeSet<&'f str>,
    /// Modules by the last part of their paths, each with its file.
    modules: BTreeMap<&'f str, Vec<(&'f str, &'f str)>>,
    /// Folders with Go files, by the last part of their paths.
    folders: BTreeMap<&'f str, BTreeSet<&'f str>>,
}

impl<'f> Places<'f> {
    pub(super) fn of(paths: impl Iterator<Item = &'f str>) -> Places<'f> {
        let mut places = Places { files: BTreeSet::new(), modules: BTreeMap::new(), folders: BTreeMap::new() };
        for path in paths {
            places.files.insert(path);
            if ending(path) == "go" {
                places.folders.entry(last(place(path))).or_default().insert(place(path));
            } else if let Some(module) = endings(path).iter().find_map(|ending| path.strip_suffix(ending)) {
                places.modules.entry(last(module)).or_default().push((module, path));
            }
        }
        places
    }

    /// The place of a module as a file names it: from the root of the project if `exact`, otherwise the end of such a path; among several
    /// the one nearest to the file.
    pub(super) fn named(&self, from: &str, module: &str, exact: bool) -> Option<&'f str> {
        if ending(from) == "go" {
            return self.folder(from, module, exact);
        }
        if exact {
            return endings(from).iter().rev().find_map(|ending| self.files.get(format!("{module}{ending}").as_str()).copied());
        }
        // A module may begin with the name of its package, which is not a folder.
        let inner = module.split_once('/').map(|(_, inner)| inner);
        [Some(module), inner].into_iter().flatten().find_map(|module| {
            let ends = |known: &str| known.strip_suffix(module).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            let fits = |(known, path): &&(&str, &str)| *path != from && ending(path) == ending(from) && ends(known);
            let candidates = self.modules.get(last(module)).into_iter().flatten().filter(fits).map(|(_, path)| *path);
            candidates.max_by_key(|path| (shared(path.split('/'), from.split('/')), Reverse(path.len())))
        })
    }

    /// The folder of a Go package by its path, in which the module's own name is not a folder.
    fn folder(&self, from: &str, package: &str, exact: bool) -> Option<&'f str> {
        let folders = self.folders.get(last(package))?;
        if exact {
            return folders.get(package).copied();
        }
        let fits = |folder: &&str| shared(folder.rsplit('/'), package.rsplit('/'));
        folders.iter().copied().max_by_key(|folder| (fits(folder), shared(folder.split('/'), from.split('/')), Reverse(folder.len())))
    }
}

fn endings(path: &str) -> &'static [&'static str] {
    match ending(path) {
        "py" => PYTHON,
        "rs" => RUST,
        _ => SCRIPT,
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How many leading parts two paths have in common.
fn shared<'a, 'b>(one: impl Iterator<Item = &'a str>, other: impl Iterator<Item = &'b str>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}
