//! Names that say nothing, in paths and declarations.

use super::{Finding, Source};

/// Words of a name that tell no reader what the thing is.
const EMPTY_WORDS: &[&str] = &["util", "utils", "helper", "helpers", "manager", "managers", "service", "services", "misc"];

/// What stands before a declared name.
const DECLARATIONS: &[&str] = &["struct ", "enum ", "trait ", "mod ", "fn ", "type ", "class ", "interface ", "function "];

/// Checks one file.
pub fn check(source: &Source) -> Vec<Finding> {
    let way_out = "name the thing after what it knows or does";
    let mut findings = Vec::new();
    if let Some(word) = empty_word(&source.path) {
        findings.push(Finding::new(source, 0, format!("'{word}' in a path: {way_out}")));
    }
    if (source.is_rust() || source.is_script()) && !source.is_generated() {
        for (line, code, _) in source.code() {
            if let Some(word) = declared(code).and_then(empty_word) {
                findings.push(Finding::new(source, line, format!("'{word}' in a name: {way_out}")));
            }
        }
    }
    findings
}

/// The name that a line declares.
fn declared(code: &str) -> Option<&str> {
    let mut rest = code.trim_start();
    for word in ["export ", "default ", "pub(crate) ", "pub(super) ", "pub ", "async ", "const "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = DECLARATIONS.iter().find_map(|word| rest.strip_prefix(word))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end])
}

/// The first empty word of a snake_case, kebab-case or CamelCase name.
fn empty_word(name: &str) -> Option<&'static str> {
    let mut spread = String::new();
    for c in name.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            spread.push(' ');
        }
        spread.extend(c.to_lowercase());
    }
    let words = spread.split(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>();
    EMPTY_WORDS.iter().copied().find(|empty| words.contains(empty))
}

#[cfg(test)]
mod tests {
    use super::super::planted::{lines, source};
    use super::*;

    #[test]
    fn empty_names_are_found_in_paths_and_declarations() {
        for (path, text, expected) in [
            ("crates/a/src/utils.rs", "", vec![0]),
            ("src/lib/date-helpers.ts", "", vec![0]),
            ("src/lib/dates.ts", "export function formatUtil(a) {\n", vec![1]),
            ("crates/a/src/run.rs", "fn a() {}\npub struct RunManager;\n", vec![2]),
            ("crates/a/src/run.rs", "pub(crate) mod helpers {\n", vec![1]),
            ("crates/a/src/run.rs", "pub struct Managed;\nfn utilise() {}\nlet service = 1;\n", vec![]),
            ("docs/a.md", "struct Manager", vec![]),
        ] {
            assert_eq!(lines(&check(&source(path, text))), expected, "{path}: {text}");
        }
    }
}
