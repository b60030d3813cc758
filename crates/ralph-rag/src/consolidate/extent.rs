//! How much a proposal may add so that it can still be compared: each new line is compared with every other one.

use super::proposal::{Proposal, added};
use ralph_core::consolidation::Entry;
use ralph_core::text::counted;

/// A size that can be compared in a moment, however large the entries: for such a proposal the checks name the very lines that no entry
/// says.
const COMPARED_ANYWAY: Extent = Extent { lines: 1_000, bytes: 64_000 };
/// Lines and bytes around each entry: headings, introductions, marks.
const BESIDE: Extent = Extent { lines: 20, bytes: 2_000 };
/// How many times its own size an entry's rewording may take. More is a fault in any case.
const MOST_TIMES: usize = 3;
/// Minimum bytes of a broken line: an entry on one long line may become several.
const BROKEN_LINE_BYTES: usize = 24;

/// A size of text.
struct Extent {
    lines: usize,
    bytes: usize,
}

/// What is wrong with a proposal that adds far more than its entries could fill; it is not compared any further.
pub fn too_much(proposal: &Proposal<'_>) -> Option<String> {
    let added = added(proposal.before, proposal.after);
    let bytes = added.iter().map(|(.., line)| line.len()).sum();
    let (adds, most) = (Extent { lines: added.len(), bytes }, most(proposal.batch));
    if adds.lines <= most.lines && adds.bytes <= most.bytes {
        return None;
    }
    let entries = counted(proposal.batch.len(), "entry");
    let (now, enough) = (counted(adds.lines, "line"), counted(most.lines, "line"));
    Some(format!(
        "the proposal adds {now} with {} bytes, too much to be compared: {enough} with {} bytes are enough for {entries}; say them, and nothing else",
        adds.bytes, most.bytes
    ))
}

/// The most that some entries may fill.
fn most(batch: &[Entry]) -> Extent {
    let of = |entry: &Entry| {
        let parts = [entry.title.as_deref(), Some(entry.text.as_str()), entry.reason_given.as_deref()];
        let (lines, bytes) =
            parts.into_iter().flatten().fold((0, 0), |(lines, bytes), part| (lines + part.lines().count(), bytes + part.len()));
        Extent { lines: BESIDE.lines + MOST_TIMES * lines + bytes / BROKEN_LINE_BYTES, bytes: BESIDE.bytes + MOST_TIMES * bytes }
    };
    batch.iter().map(of).fold(COMPARED_ANYWAY, |sum, of| Extent { lines: sum.lines + of.lines, bytes: sum.bytes + of.bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidate::Documents;
    use crate::testing::entry;

    fn found(entries: &[Entry], before: &str, after: &str) -> Option<String> {
        let of = |text: &str| Documents::from([("docs/knowledge/a.md".to_owned(), text.to_owned())]);
        let (before, after) = (of(before), of(after));
        let folder = "docs/knowledge";
        too_much(&Proposal { folder, before: &before, after: &after, changed: &[], batch: entries, divided: false, exists: &|_| true })
    }

    #[test]
    fn only_what_no_entry_could_fill_is_too_much() {
        let short = [entry("Seeds live in the folder db"), entry("Ports above 8000 are taken")];
        let bullets = |count: usize| (0..count).map(|number| format!("- a further line, number {number}\n")).collect::<String>();
        let page = entry(bullets(5_000));
        let shared = bullets(9_000);
        let signs = |count: usize| "\u{5b57}".repeat(count);
        for (entries, before, after, is_too_much) in [
            (&short[..], "", bullets(1_000), false),
            (&short[..], "", bullets(1_200), true),
            // What was there before may be of any size.
            (&short[..], shared.as_str(), format!("{shared}- one more\n"), false),
            (&short[..], "", "- word ".repeat(11_000), true),
            (&[page], "", bullets(5_000), false),
            // Words without spaces, on many lines.
            (&[entry(signs(600))], "", format!("{}\n", signs(20)).repeat(90), false),
        ] {
            let found = found(entries, before, &after);
            assert_eq!(found.is_some(), is_too_much, "{found:?}");
        }
        let told = found(&short, "", &bullets(5_000)).expect("too much");
        assert!(told.starts_with("the proposal adds 5000 lines with ") && told.contains("enough for 2 entries"), "{told}");
    }
}
