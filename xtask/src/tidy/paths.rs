//! Paths in the map of the repository: every one exists.

use super::{Finding, Source};

/// The document that tells where things are.
const MAP: &str = "ARCHITECTURE.md";
/// Its section about that.
const SECTION: &str = "## Where things are";
/// Ends of the names that are paths, beside folders.
const ENDS: [&str; 6] = [".rs", ".ts", ".tsx", ".js", ".tsv", "/"];

/// Checks the rows of that section. A path is given from the root, or relative to a folder of the last such path in its row.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(map) = sources.iter().find(|source| source.path == MAP) else { return Vec::new() };
    let exists = |path: &str| {
        let path = path.trim_end_matches('/');
        sources.iter().any(|source| source.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    let mut findings = Vec::new();
    let lines = map.text.lines().enumerate().skip_while(|(_, line)| *line != SECTION).skip(1);
    for (index, line) in lines.take_while(|(_, line)| !line.starts_with("## ")) {
        let mut folder = String::new();
        for path in line.split('`').skip(1).step_by(2).filter(|path| is_path(path)).flat_map(spelled_out) {
            if exists(&path) {
                folder = path;
            } else if !above(&folder).any(|folder| exists(&format!("{folder}/{path}"))) {
                let message = format!("'{path}' is neither in the repository nor beside '{folder}': write the whole path");
                findings.push(Finding::new(map, index + 1, message));
            }
        }
    }
    findings
}

/// Whether what stands in a code span is meant as a path of the repository; `.ralph/` and `refs/ralph/` are of projects.
fn is_path(span: &str) -> bool {
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "_-./{},".contains(c));
    plain && ENDS.iter().any(|end| span.ends_with(end)) && !span.starts_with('.') && !span.starts_with("refs/")
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn spelled_out(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((each, after)) = rest.split_once('}') else { return vec![path.to_owned()] };
    each.split(',').map(|one| format!("{before}{one}{after}")).collect()
}

/// A path, and the folders that it is in below its crate.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path.trim_end_matches('/')), |path| path.rsplit_once('/').map(|(folder, _)| folder))
        .take_while(|path| path.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::super::planted::{lines, source};
    use super::*;

    #[test]
    fn a_path_of_the_map_that_leads_nowhere_is_found() {
        let map = "| z | `gone/` |\n\
                   ## Where things are\n\
                   | a | `crates/x/src/act/one.rs`, `two.rs`; and `mod.rs`, `act/` |\n\
                   | b | `crates/x/src/{lib,gone}.rs` |\n\
                   | c | `crates/x/src/act/one.rs`, told by `driver/three.rs` |\n\
                   | d | `crates/y/src/driver/`, `three.rs`, `.ralph/`, `refs/ralph/`, `App::x` |\n\
                   ## Invariants\n\
                   | f | `crates/z/src/lib.rs` |\n";
        let there = ["crates/x/src/act/one.rs", "crates/x/src/act/two.rs", "crates/x/src/mod.rs", "crates/x/src/lib.rs"];
        let mut sources: Vec<Source> = there.iter().map(|path| source(path, "")).collect();
        sources.push(source("crates/y/src/driver/three.rs", ""));
        sources.push(source(MAP, map));
        assert_eq!(lines(&check(&sources)), [4, 5]);
    }
}
