//! Undoing a consolidation by its marks, where later changes are so close that they can't be separated by lines alone.

use super::blocks::{Block, Loose, blocks};
use super::marks::marks;
use super::proposal::Documents;
use super::units::without_bullet;
use ralph_core::headings::headings;
use ralph_core::text::line_at;
use std::collections::{BTreeMap, BTreeSet};

/// Documents of one consolidation at three times.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    /// Before it.
    pub before: &'a Documents,
    /// After it.
    pub after: &'a Documents,
    /// As they are now.
    pub now: &'a Documents,
}

/// The documents as they are now without the words of a consolidation. What was added only for entries goes, too: headings and files
/// without any other words.
///
/// # Errors
/// The files in which the words of an entry have been changed since: a person has to say what is left of them.
pub fn take_back(taken: &Taken<'_>) -> Result<Documents, Vec<String>> {
    let (said, loose) = blocks(taken.before, taken.after);
    let mut gone: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut changed: BTreeSet<String> = BTreeSet::new();
    let mut standing: BTreeMap<String, Vec<(&str, u32)>> = BTreeMap::new();
    for (file, text) in taken.now {
        marks(text).into_iter().for_each(|mark| standing.entry(mark.key).or_default().push((file, mark.line)));
    }
    for block in &said {
        // If its mark is gone, somebody has already taken it out.
        let Some(places) = standing.get(&block.key) else { continue };
        let found = places.iter().filter_map(|(file, line)| Some((*file, lines_of(block, &taken.now[*file], *line)?)));
        let found: Vec<(&str, Vec<u32>)> = found.collect();
        if found.is_empty() {
            changed.extend(places.iter().map(|(file, _)| (*file).to_owned()));
        }
        // In other words another clone has written it: that stays.
        found.into_iter().for_each(|(file, lines)| gone.entry(file).or_default().extend(lines));
    }
    if !changed.is_empty() {
        return Err(changed.into_iter().collect());
    }
    let mut documents = taken.now.clone();
    for (file, gone) in gone {
        let text = without(&taken.now[file], gone, &loose);
        let empty = !text.lines().any(|line| line.contains(char::is_alphanumeric));
        if empty && !taken.before.contains_key(file) {
            documents.remove(file);
        } else {
            documents.insert(file.to_owned(), text);
        }
    }
    Ok(documents)
}

/// The lines of a block as it is now, with its mark on a line; `None` if they have changed. What introduced its list item may be gone.
fn lines_of(block: &Block<'_>, text: &str, mark: u32) -> Option<Vec<u32>> {
    let item = block.lines.iter().rposition(|(_, line)| without_bullet(line.trim()).0).unwrap_or(0);
    let needed = block.lines.len() - item;
    let mut wanted = block.lines.iter().rev().map(|(_, line)| line.trim());
    let all: Vec<&str> = text.lines().take(mark as usize).collect();
    let mut found = Vec::new();
    let mut next = wanted.next();
    for (at, line) in all.iter().enumerate().rev() {
        let Some(words) = next else { break };
        if line.trim() == words {
            found.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
            next = wanted.next();
        } else if line.contains(char::is_alphanumeric) {
            break;
        }
    }
    (found.len() >= needed).then_some(found)
}

/// A text without some lines, without headings and introductions that were there only for them, and without the blank lines between them.
fn without(text: &str, mut gone: BTreeSet<u32>, loose: &[Loose<'_>]) -> String {
    let is_loose = |line: &str| loose.iter().any(|loose| loose.text.trim() == line.trim());
    let is_loose_heading = |line: &str| loose.iter().any(|loose| loose.is_heading && loose.text.trim() == line.trim());
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let titles: Vec<(u32, u8)> = headings(text).iter().map(|heading| (line_at(text, heading.at), heading.level)).collect();
    // The innermost first, so that an outer one may be empty by then.
    for (place, (begin, level)) in titles.iter().enumerate().rev() {
        let end = titles[place + 1..].iter().find(|(_, other)| other <= level).map_or(u32::MAX, |(line, _)| *line);
        let heading = lines.get(*begin as usize - 1).copied().unwrap_or_default();
        let within = |at: &u32| *at > *begin && *at < end;
        let had = gone.iter().any(within);
        let section = lines.iter().enumerate().map(|(at, line)| (u32::try_from(at + 1).unwrap_or(u32::MAX), *line));
        let left: Vec<(u32, &str)> =
            section.filter(|(at, line)| within(at) && !gone.contains(at) && line.contains(char::is_alphanumeric)).collect();
        if had && is_loose_heading(heading) && left.iter().all(|(_, line)| is_loose(line)) {
            gone.insert(*begin);
            gone.extend(left.into_iter().map(|(at, _)| at));
        }
    }
    let mut kept = String::new();
    let mut behind_gone = false;
    for (at, line) in lines.iter().enumerate() {
        let blank = line.trim().is_empty();
        if gone.contains(&u32::try_from(at + 1).unwrap_or(u32::MAX)) {
            behind_gone = true;
        } else if !(blank && behind_gone && (kept.is_empty() || kept.ends_with("\n\n") || kept.ends_with("\n\r\n"))) {
            kept.push_str(line);
            behind_gone = behind_gone && blank;
        }
    }
    // Blank lines before what is gone from the end.
    let ended = kept.trim_end_matches(['\n', '\r']).len();
    if behind_gone && kept[ended..].matches('\n').count() > 1 {
        let end = kept[ended..].find('\n').map_or(kept.len(), |feed| ended + feed + 1);
        kept.truncate(end);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Documents {
        Documents::from([("k/a.md".to_owned(), text.to_owned())])
    }

    fn back(before: &str, after: &str, now: &str) -> Result<String, Vec<String>> {
        let (before, after, now) = (of(before), of(after), of(now));
        take_back(&Taken { before: &before, after: &after, now: &now }).map(|mut documents| documents.remove("k/a.md").unwrap_or_default())
    }

    const BEFORE: &str = "# A\n\n- old\n";
    const AFTER: &str = "# A\n\n- old\n- first one <!-- ralph:1 -->\n\n## B\n\nAbout this.\n\n- second\n  one <!-- ralph:2 -->\n";

    #[test]
    fn what_came_later_stays_and_what_was_there_for_it_alone_goes() {
        for (now, expected) in [
            (AFTER.to_owned(), BEFORE.to_owned()),
            // Each with a later entry beside it.
            (AFTER.replace("- first", "- later <!-- ralph:3 -->\n- first"), "# A\n\n- old\n- later <!-- ralph:3 -->\n".to_owned()),
            (format!("{AFTER}- later <!-- ralph:3 -->\n"), "# A\n\n- old\n\n## B\n\n- later <!-- ralph:3 -->\n".to_owned()),
            // Somebody took one out, and moved the other.
            ("# A\n\n- second\n  one <!-- ralph:2 -->\n- old\n".to_owned(), BEFORE.to_owned()),
        ] {
            assert_eq!(back(BEFORE, AFTER, &now).as_deref(), Ok(expected.as_str()), "{now}");
        }
        assert_eq!(back(BEFORE, AFTER, &AFTER.replace("- second", "- another")), Err(vec!["k/a.md".to_owned()]));
        // Another clone has written the same entry into a document of its own.
        let now = Documents::from([
            ("k/a.md".to_owned(), AFTER.to_owned()),
            ("k/z.md".to_owned(), "# Z\n\n- first <!-- ralph:1 -->\n".to_owned()),
        ]);
        let left = take_back(&Taken { before: &of(BEFORE), after: &of(AFTER), now: &now });
        assert_eq!(left, Ok(Documents::from([("k/a.md".to_owned(), BEFORE.to_owned()), ("k/z.md".to_owned(), now["k/z.md"].clone())])));
        let (none, after) = (Documents::new(), of("# N\n\n- one <!-- ralph:1 -->\n"));
        assert_eq!(take_back(&Taken { before: &none, after: &after, now: &after }), Ok(none.clone()), "a file for it alone goes");
    }
}
