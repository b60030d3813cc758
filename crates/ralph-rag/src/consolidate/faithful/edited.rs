//! A proposal that changed after it was checked: whoever changed it, its words are compared again, for a person to decide.

use super::{Faithfulness, body, faithfulness};
use crate::consolidate::blocks::blocks;
use crate::consolidate::proposal::{Proposal, added};
use ralph_core::consolidation::Divergence;
use std::collections::BTreeSet;

/// Where a proposal that was changed after its check may say something other than its entries: entries in words that were not checked, and
/// everything that an agent would be told of.
pub fn edited(checked: &Proposal<'_>, now: &Proposal<'_>) -> Vec<Divergence> {
    let changed: BTreeSet<(&str, u32)> = added(checked.after, now.after).into_iter().map(|(file, line, _)| (file, line)).collect();
    let said = |key: &str| now.batch.iter().find(|entry| entry.key == key).map_or("", |entry| body(entry).trim()).to_owned();
    let (blocks, _) = blocks(now.before, now.after);
    let reworded = blocks.iter().filter(|block| block.lines.iter().any(|(line, _)| changed.contains(&(block.file, *line))));
    let mut found: Vec<Divergence> = reworded
        .map(|block| Divergence {
            file: block.file.to_owned(),
            line: block.lines.last().map_or(1, |(line, _)| *line),
            text: format!("the words of entry {} were changed since they were checked", block.key),
            entry: said(&block.key),
        })
        .collect();
    let known: BTreeSet<String> = faithfulness(checked).faults.iter().map(|fault| placed(fault).2.to_owned()).collect();
    let Faithfulness { faults, divergences } = faithfulness(now);
    let faults = faults.iter().map(|fault| placed(fault)).filter(|(.., text)| !known.contains(*text));
    found.extend(faults.map(|(file, line, text)| {
        let of = now.batch.iter().find(|entry| text.split([' ', ':']).any(|word| word == entry.key));
        Divergence { file: file.to_owned(), line, text: text.to_owned(), entry: of.map_or(String::new(), |entry| said(&entry.key)) }
    }));
    found.extend(divergences);
    found
}

/// The parts of a fault: the document, the line, and what is wrong there.
fn placed(fault: &str) -> (&str, u32, &str) {
    let (place, text) = fault.split_once(": ").unwrap_or(("", fault));
    let at = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) = at.unwrap_or((place, 1));
    (file, line, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidate::Documents;
    use crate::testing::entry;
    use ralph_core::consolidation::Entry;

    const CHECKED: &str =
        "# Refunds\n\n- Always retry refunds after a timeout <!-- ralph:a -->\n- Books close at midnight <!-- ralph:b -->\n";

    fn found(now: &str) -> Vec<(u32, String, String)> {
        let of = |key: &str, text: &str| Entry { key: key.into(), text: text.into(), ..entry("") };
        let batch = [of("a", "Always retry refunds after a timeout"), of("b", "The books close at midnight")];
        let file = |text: &str| Documents::from([("docs/knowledge/refunds.md".to_owned(), text.to_owned())]);
        let (before, checked, now) = (Documents::new(), file(CHECKED), file(now));
        let proposal = |after| Proposal {
            folder: "docs/knowledge",
            before: &before,
            after,
            changed: &[],
            batch: &batch,
            divided: false,
            exists: &|_| true,
        };
        edited(&proposal(&checked), &proposal(&now)).into_iter().map(|of| (of.line, of.text, of.entry)).collect()
    }

    #[test]
    fn words_that_are_changed_after_the_check_are_compared_again() {
        assert_eq!(found(CHECKED), []);
        let turned = found(&CHECKED.replace("Always", "Never"));
        assert!(turned.iter().all(|(line, _, entry)| *line == 3 && entry == "Always retry refunds after a timeout"), "{turned:#?}");
        assert!(turned[0].1.contains("entry a were changed since"), "{turned:#?}");
        assert!(turned.len() > 1, "what was turned around is named: {turned:#?}");
        let [(5, text, entry)] = &found(&format!("{CHECKED}- Nobody checked this\n"))[..] else { panic!("a lesson that nobody learnt") };
        assert!(text.contains("no entry says that") && entry.is_empty(), "{text}");
        assert_eq!(found(&CHECKED.replace("- Always retry refunds after a timeout <!-- ralph:a -->\n", "")), [], "less says nothing else");
    }
}
