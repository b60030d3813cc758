//! Citations of documents that readers do not have: what such a document says is stated in the repository in words, or in
//! `docs/decisions/`.

use super::{Finding, Source};

/// Names of documents outside the repository; each is joined where it would ban this very file.
const ELSEWHERE: [&str; 6] = [
    concat!("RULING", "S"),
    concat!("PEER", "S "),
    concat!("PEER", "S."),
    concat!("HOUSE", ".md"),
    concat!("AGENT-", "CLIS"),
    concat!("RETRIEVAL-", "FACTS"),
];
/// What precedes the number of an outside document.
const NUMBERED: [&str; 2] = [concat!("see", "d 0"), concat!("See", "d 0")];

/// Checks one file.
pub fn check(source: &Source) -> Vec<Finding> {
    let cites = |line: &str| ELSEWHERE.iter().chain(&NUMBERED).find(|name| line.contains(**name));
    let lines = source.text.lines().enumerate();
    let found = lines.filter_map(|(index, line)| cites(line).map(|name| (index + 1, name)));
    found
        .map(|(line, name)| {
            let message = format!("cites a document outside the repository ('{}…'): say it in words, or link docs/decisions/", name.trim());
            Finding::new(source, line, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::planted::{lines, source};
    use super::*;

    #[test]
    fn a_document_that_readers_do_not_have_is_found() {
        let text = format!("/// Why ({} 003.4).\n/// Of {}02.\nlet seeds = seed(0);\nPEERS_PYTHON\n", ELSEWHERE[0], NUMBERED[0]);
        assert_eq!(lines(&check(&source("crates/x/src/a.rs", &text))), [1, 2]);
    }
}
