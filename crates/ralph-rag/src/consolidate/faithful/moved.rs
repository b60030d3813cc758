//! Whether older lines are still in their places: below the same headings, introduced by the same words, and after the same step. Nobody
//! may change a document's meaning by moving its lines; whether a move does so is for a person to say.

use crate::consolidate::proposal::{Documents, Proposal, changed, cut, fresh};
use crate::consolidate::units::without_bullet;
use ralph_core::consolidation::Divergence;
use ralph_core::headings::headings;
use ralph_core::shown::{Aside, shown};
use ralph_core::text::line_at;
use std::collections::{BTreeMap, BTreeSet};

/// What its place adds to a line's meaning.
#[derive(PartialEq, Eq)]
struct Context<'a> {
    /// The headings above it, the outermost first.
    headings: Vec<String>,
    /// The item that it is below, or the paragraph that introduces its list.
    lead: Option<&'a str>,
    /// The older step, or line of code, before it.
    after: Option<&'a str>,
}

/// A line of a document with words.
struct Place<'a> {
    file: &'a str,
    /// From 1.
    line: u32,
    context: Context<'a>,
}

/// Older lines that are now in a different context, one for each context.
pub(super) fn moved(proposal: &Proposal<'_>) -> Vec<Divergence> {
    // Dividing a document moves its parts below headings of their own.
    if proposal.divided {
        return Vec::new();
    }
    let new = fresh(proposal);
    let (before, after) = (changed(proposal.before, proposal.after), changed(proposal.after, proposal.before));
    let (then, now) = (contexts(&before, &BTreeSet::new()), contexts(&after, &new));
    let mut found = Vec::new();
    for (words, then) in then {
        let Some(now) = now.get(words) else { continue };
        let mut left: Vec<&Place<'_>> = now.iter().collect();
        let mut missed: Vec<&Place<'_>> = Vec::new();
        for was in &then {
            match left.iter().position(|is| is.context == was.context) {
                Some(at) => drop(left.remove(at)),
                None => missed.push(was),
            }
        }
        for (was, is) in missed.into_iter().zip(left) {
            let text = format!("an older line {}: {}", otherwise(&was.context, &is.context), cut(words));
            found.push(Divergence { file: is.file.to_owned(), line: is.line, text, entry: String::new() });
        }
    }
    found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found
}

/// The older words that introduce the list of a new item, at a line of a document.
pub(super) fn older_lead<'a>(text: &'a str, new: &BTreeSet<(&str, u32)>, (file, line): (&str, u32)) -> Option<&'a str> {
    let titles: BTreeSet<u32> = headings(text).into_iter().map(|heading| line_at(text, heading.at)).collect();
    let lines: Vec<&str> = text.lines().collect();
    let own = lines.get(line as usize - 1)?;
    if !is_item(own) && indent(own) == 0 {
        return None;
    }
    let mut at = line;
    loop {
        let (above, words) = lead_of(&lines, &titles, at)?;
        if !new.contains(&(file, above)) {
            return Some(words);
        }
        at = above;
    }
}

fn otherwise(was: &Context<'_>, is: &Context<'_>) -> String {
    if was.headings != is.headings {
        let last = |of: &Context<'_>| of.headings.last().map_or_else(|| "no heading".to_owned(), |heading| format!("\"{}\"", cut(heading)));
        return format!("stands below {} and not below {}", last(is), last(was));
    }
    let told = |words: Option<&str>| words.map_or_else(|| "nothing".to_owned(), |words| format!("\"{}\"", cut(words)));
    if was.lead != is.lead {
        return format!("is led by {} and not by {}", told(is.lead), told(was.lead));
    }
    format!("comes after {} and not after {}", told(is.after), told(was.after))
}

/// The words that introduce the list or the item at a line: of the item that it is below, or of the paragraph above the list.
fn lead_of<'a>(lines: &[&'a str], titles: &BTreeSet<u32>, line: u32) -> Option<(u32, &'a str)> {
    let mut depth = indent(lines.get(line as usize - 1)?);
    for at in (1..line).rev() {
        let words = lines[at as usize - 1];
        if titles.contains(&at) {
            return None;
        }
        if !words.contains(char::is_alphanumeric) {
            continue;
        }
        let (is_item, deep) = (is_item(words), indent(words));
        // What is indented belongs to the item above it.
        if is_item && deep < depth || !is_item && deep == 0 {
            return Some((at, words.trim()));
        }
        if is_item {
            depth = depth.min(deep);
        }
    }
    None
}

/// The lines of documents by their words, each with its context; those in `new` don't count as a step before another one.
fn contexts<'a>(documents: &'a Documents, new: &BTreeSet<(&str, u32)>) -> BTreeMap<&'a str, Vec<Place<'a>>> {
    let mut found: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
    for (file, text) in documents {
        let of: BTreeMap<u32, (u8, String)> =
            headings(text).into_iter().map(|heading| (line_at(text, heading.at), (heading.level, heading.words))).collect();
        let (titles, lines): (BTreeSet<u32>, Vec<&str>) = (of.keys().copied().collect(), text.lines().collect());
        let mut above: Vec<(u8, String)> = Vec::new();
        let mut steps: Vec<(usize, &str)> = Vec::new();
        for ((line, words), shown) in (1..).zip(&lines).zip(shown(text)) {
            let code = shown.asides.contains(&Aside::Code);
            if let Some((level, title)) = of.get(&line) {
                above.retain(|(other, _)| other < level);
                above.push((*level, title.clone()));
                steps.clear();
                continue;
            }
            if !words.contains(char::is_alphanumeric) {
                continue;
            }
            let (item, deep) = (!code && is_item(words), indent(words));
            let (ordered, is_new) = (code || is_numbered(words), new.contains(&(file.as_str(), line)));
            if !is_new && !code && !item && deep == 0 {
                steps.clear();
            }
            steps.retain(|(other, _)| code || *other <= deep);
            let after = steps.iter().rev().find(|(other, _)| code || *other == deep).filter(|_| ordered).map(|(_, words)| *words);
            if ordered && !is_new {
                steps.retain(|(other, _)| *other != deep);
                steps.push((deep, words.trim()));
            }
            let lead = if item { lead_of(&lines, &titles, line).map(|(_, words)| words) } else { None };
            let headings = above.iter().map(|(_, title)| title.clone()).collect();
            found.entry(words.trim()).or_default().push(Place { file, line, context: Context { headings, lead, after } });
        }
    }
    found
}

fn indent(words: &str) -> usize {
    words.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn is_item(words: &str) -> bool {
    without_bullet(words.trim()).0
}

fn is_numbered(words: &str) -> bool {
    words.trim().starts_with(|c: char| c.is_ascii_digit()) && is_item(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &str = "# Ops\n\n## Staging\n\n- Logs hold whole requests\n- The `DEBUG` flag is on\n\n## Production\n\n\
        - Requests are sampled at 1 percent\n\n## Migration\n\n1. Stop the workers\n2. Run `make migrate`\n3. Start the workers\n\n\
        Never do this on Friday:\n\n- Deploy to production\n\nIt is fine at any time:\n\n- Deploy to staging\n\n```sh\nmake clean\nmake all\n```\n";

    fn found(now: &str) -> Vec<String> {
        let file = |text: &str| Documents::from([("docs/knowledge/ops.md".to_owned(), text.to_owned())]);
        let (before, after) = (file(OPS), file(now));
        let proposal = Proposal {
            folder: "docs/knowledge",
            before: &before,
            after: &after,
            changed: &[],
            batch: &[],
            divided: false,
            exists: &|_| true,
        };
        moved(&proposal).into_iter().map(|of| format!("{}: {}", of.line, of.text)).collect()
    }

    #[test]
    fn lines_that_are_moved_are_put_before_a_person() {
        let swapped = |one: &str, other: &str| OPS.replace(one, "@@").replace(other, one).replace("@@", other);
        let whole = "- Logs hold whole requests\n";
        for (name, now, told) in [
            (
                "to production",
                OPS.replace(whole, "").replace("- Requests are", &format!("{whole}- Requests are")),
                "stands below \"Production\" and not below \"Staging\"",
            ),
            ("the heading goes", OPS.replace("## Staging\n\n", "") + "\n## Staging\n", "stands below \"Ops\" and not below \"Staging\""),
            (
                "a heading comes",
                OPS.replace(whole, &format!("{whole}\n## Refunds\n\n")),
                "stands below \"Refunds\" and not below \"Staging\"",
            ),
            ("steps", swapped("1. Stop the workers\n", "2. Run `make migrate`\n"), "comes after \"2. Run `make migrate`\""),
            ("code", swapped("make clean\n", "make all\n"), "comes after \"make all\""),
            (
                "lists",
                swapped("- Deploy to production", "- Deploy to staging"),
                "is led by \"It is fine at any time:\" and not by \"Never do this on Friday:\"",
            ),
        ] {
            let found = found(&now);
            assert!(found.iter().any(|found| found.contains(told)), "{name}: {found:#?}");
        }
    }

    #[test]
    fn what_is_added_around_them_moves_nothing() {
        for now in [
            OPS.to_owned(),
            format!("{OPS}\n## Refunds\n\n- Retry refunds\n"),
            OPS.replace("- The `DEBUG`", "- Retry refunds\n- The `DEBUG`"),
            OPS.replace("2. Run", "1. Wait for the queue\n2. Run"),
        ] {
            assert_eq!(found(&now), Vec::<String>::new(), "{now}");
        }
    }

    #[test]
    fn a_new_item_is_led_by_the_older_words_above_its_list() {
        let text = OPS.replace("- Deploy to production\n", "- Deploy to production\n- Retry refunds\n  with a key\n");
        let line = u32::try_from(text.lines().position(|line| line == "  with a key").unwrap_or(0) + 1).unwrap_or(1);
        let new = BTreeSet::from([("a.md", line), ("a.md", line - 1)]);
        assert_eq!(older_lead(&text, &new, ("a.md", line)), Some("Never do this on Friday:"));
        assert_eq!(older_lead(OPS, &BTreeSet::new(), ("a.md", 5)), None, "a heading is another matter");
    }
}
