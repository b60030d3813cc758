//! Facts of a `requirements.txt`, and Python's notation of requirements.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted};
use super::frameworks::{self, Ecosystem};

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let (folder, _) = place(path);
    // Lists in a separate folder belong to its parent.
    let folder = folder.strip_suffix("requirements").map_or(folder.as_str(), |above| above.trim_end_matches('/'));
    let mut found = Vec::new();
    let mut continued = false;
    for (line, number) in source.lines().zip(1..) {
        let begins = !std::mem::replace(&mut continued, line.trim_end().ends_with('\\'));
        // The continuation of a line contains its options.
        if begins && let Some((name, version)) = requirement(line) {
            found.extend(frameworks::declared(Ecosystem::Python, name, &version, number));
            found.extend((name == "pytest").then(|| pytest(folder, number)));
            found.push(FoundFact::dependency(name, &version, number));
        }
    }
    found
}

/// The test command of a folder, if pytest is declared.
pub(super) fn pytest(folder: &str, line: u32) -> FoundFact {
    let (behind, value) = if folder.is_empty() {
        (String::new(), "pytest".to_owned())
    } else {
        (format!(" in {folder}"), format!("pytest {}", quoted(folder)))
    };
    FoundFact::new(FactKind::TestCommand, format!("Python tests{behind}"), value, line, DECLARED)
}

/// The name and the version of a requirement by PEP 508; `None` if a line names no package.
pub(super) fn requirement(line: &str) -> Option<(&str, String)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let line = line.trim();
    let line = line.split(" #").next().filter(|line| !line.starts_with('#'))?.trim_end_matches('\\').trim();
    let address = line.strip_prefix("-e ").or_else(|| line.strip_prefix("--editable ")).unwrap_or(line).trim();
    if address.contains("://")
        && !address.starts_with("--")
        && let Some((address, named)) = address.split_once("#egg=")
    {
        let end = named.find(|c: char| !is_name(c)).unwrap_or(named.len());
        return Some((&named[..end], address.to_owned())).filter(|(name, _)| !name.is_empty());
    }
    let length = line.find(|c| !is_name(c)).unwrap_or(line.len());
    let (name, rest) = line.split_at(length);
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1.trim_start(),
        None => rest,
    };
    if let Some(address) = rest.strip_prefix('@') {
        let address = address.split(';').next().unwrap_or("").trim();
        return Some((name, address.to_owned()));
    }
    let version = rest.split(';').next().unwrap_or("").split(" --").next().unwrap_or("").trim();
    let version = version.strip_prefix('(').and_then(|version| version.strip_suffix(')')).unwrap_or(version);
    let is_version = version.is_empty() || version.starts_with(['=', '<', '>', '!', '~']);
    is_version.then(|| (name, version.split_whitespace().collect::<String>().replace(',', ", ")))
}
