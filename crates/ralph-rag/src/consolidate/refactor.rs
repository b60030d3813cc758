//! Divides a document that has grown too long by its headings: no line is lost, and links follow what moved.

use super::proposal::{Documents, dead_links, resolve};
use ralph_core::headings::{Heading, headings};
use ralph_core::links::{Link, anchor, anchors, links, target, undefined};
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines above which a document is divided.
pub const TOO_LONG: usize = 400;
/// Maximum lines of a part, where the headings allow it.
const MOST: usize = 300;
/// Minimum lines of a part, where the headings allow it.
const LEAST: usize = 100;

/// The old place of headings, as a document and an anchor, and the new one.
pub type Moved = BTreeMap<(String, String), (String, String)>;

/// Documents after the division, and problems to report to a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Division {
    /// Every document.
    pub documents: Documents,
    /// Each document that was divided, with its parts; the first keeps its name.
    pub parts: BTreeMap<String, Vec<String>>,
    /// Each heading that has another place now, as a document and an anchor: the old place, and the new one.
    pub moved: Moved,
    /// Notes for a person: a document without headings to divide it at, a broken link.
    pub told: Vec<String>,
}

/// What is reported about documents that are too long, before anything is done with them.
pub fn too_long(documents: &Documents) -> Vec<String> {
    let counted = documents.iter().map(|(file, text)| (file, text.lines().count())).filter(|(_, lines)| *lines > TOO_LONG);
    let told =
        |(file, lines)| format!("{file} has {lines} lines, more than {TOO_LONG}: it is divided by its headings before entries go in");
    counted.map(told).collect()
}

/// Divides every document that is too long, by its headings of the first two levels, and what is still too long by those of the third.
/// Lines stay as they are and in their order, except for the targets of links to what moved.
pub fn divide(documents: &Documents) -> Division {
    let mut divided = Division { documents: documents.clone(), ..Division::default() };
    for (file, text) in documents.iter().filter(|(_, text)| text.lines().count() > TOO_LONG) {
        let ranges = groups(text);
        if ranges.len() < 2 {
            divided.told.push(format!("{file}: {} lines, and no headings to divide it by", text.lines().count()));
            continue;
        }
        let mut names = Vec::new();
        for (at, range) in ranges.iter().enumerate() {
            let part = &text[range.clone()];
            let name = if at == 0 { file.clone() } else { free_name(file, part, &divided.documents) };
            divided.documents.insert(name.clone(), part.to_owned());
            names.push(name);
        }
        if let Some(longest) = ranges.iter().map(|range| lines_of(text, range)).max().filter(|lines| *lines > TOO_LONG) {
            divided.told.push(format!("{file}: a part of {longest} lines has no headings to divide it by"));
        }
        divided.parts.insert(file.clone(), names);
    }
    mend(documents, &mut divided);
    divided
}

/// The ranges of the parts of a text, in order; their concatenation is the text.
fn groups(text: &str) -> Vec<Range<usize>> {
    let found = headings(text);
    let mut pieces = cut_at(&found, 2, 0..text.len());
    let deeper = |piece: Range<usize>| if lines_of(text, &piece) > MOST { cut_at(&found, 3, piece) } else { vec![piece] };
    pieces = with_titles(text, &found, pieces.into_iter().flat_map(deeper).collect());
    let sizes: Vec<usize> = pieces.iter().map(|piece| lines_of(text, piece)).collect();
    parts(&sizes).into_iter().map(|part| pieces[part.start].start..pieces[part.end - 1].end).collect()
}

/// A range cut before each of its headings down to a level.
fn cut_at(found: &[Heading], deepest: u8, within: Range<usize>) -> Vec<Range<usize>> {
    let begins = found.iter().filter(|heading| heading.level <= deepest && heading.at > within.start && heading.at < within.end);
    let cuts: Vec<usize> = std::iter::once(within.start).chain(begins.map(|heading| heading.at)).chain([within.end]).collect();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Pieces, none of which is only the title of what follows: it would end one part, and the next part would begin without it.
fn with_titles(text: &str, found: &[Heading], pieces: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let level = |at: usize| found.iter().find(|heading| heading.at == at).map(|heading| heading.level);
    let is_of_document = |level: u8| level == 1 && found.iter().filter(|heading| heading.level == 1).count() == 1;
    let leads = |title: &Range<usize>, next: &Range<usize>| {
        let above = level(title.start).zip(level(next.start)).is_some_and(|(title, below)| title < below && !is_of_document(title));
        above && lines_of(text, title) < LEAST && lines_of(text, &(title.start..next.end)) <= TOO_LONG
    };
    let mut kept: Vec<Range<usize>> = Vec::new();
    for piece in pieces.into_iter().rev() {
        match kept.last_mut().filter(|next| leads(&piece, next)) {
            Some(next) => next.start = piece.start,
            None => kept.push(piece),
        }
    }
    kept.reverse();
    kept
}

fn lines_of(text: &str, range: &Range<usize>) -> usize {
    text[range.clone()].lines().count()
}

/// The division into parts of pieces with these numbers of lines: the one with the fewest lines out of bounds, and among those the most
/// even one.
fn parts(sizes: &[usize]) -> Vec<Range<usize>> {
    let all: usize = sizes.iter().sum();
    let wanted = all.div_ceil(all.div_ceil(MOST).max(1));
    let outside = |lines: usize| match lines {
        ..LEAST => LEAST - lines,
        LEAST..=MOST => 0,
        // A document that has to be divided again is no solution.
        _ if lines > TOO_LONG => all + lines,
        _ => lines - MOST,
    };
    // For each number of pieces the best division: its lines outside, its unevenness, and where its last part begins.
    let mut best: Vec<(usize, usize, usize)> = vec![(0, 0, 0)];
    for end in 1..=sizes.len() {
        let (mut lines, mut found) = (0, (usize::MAX, usize::MAX, 0));
        for start in (0..end).rev() {
            lines += sizes[start];
            if lines > TOO_LONG && start + 1 < end {
                break;
            }
            let (worse, uneven, _) = best[start];
            found = found.min((worse + outside(lines), uneven + lines.abs_diff(wanted).pow(2), start));
        }
        best.push(found);
    }
    let mut parts = Vec::new();
    let mut end = sizes.len();
    while end > 0 {
        let start = best[end].2;
        parts.push(start..end);
        end = start;
    }
    parts.reverse();
    parts
}

/// An unused name for a part: from its document and its first heading.
fn free_name(file: &str, part: &str, taken: &Documents) -> String {
    let stem = file.strip_suffix(".md").unwrap_or(file);
    let words = headings(part).first().map(|h| anchor(&h.words)).filter(|words| !words.is_empty()).unwrap_or_else(|| "part".to_owned());
    let words: String = words.chars().take(60).collect();
    let plain = format!("{stem}-{words}.md");
    let numbered = (2..).map(|number| format!("{stem}-{words}-{number}.md"));
    std::iter::once(plain).chain(numbered).find(|name| !taken.contains_key(name)).unwrap_or_default()
}

/// Updates links to headings that moved. Those that can't be updated are reported.
fn mend(before: &Documents, divided: &mut Division) {
    let mut moved = Moved::new();
    let named = |text: &str| anchors(headings(text).iter().map(|h| h.words.as_str()).collect::<Vec<_>>());
    for (file, parts) in &divided.parts {
        let now: Vec<(String, String)> =
            parts.iter().flat_map(|part| named(&divided.documents[part]).into_iter().map(|a| (part.clone(), a))).collect();
        moved.extend(named(&before[file]).into_iter().zip(now).map(|(then, now)| ((file.clone(), then), now)));
    }
    let origin: BTreeMap<&String, &String> =
        divided.parts.iter().flat_map(|(file, parts)| parts.iter().map(move |part| (part, file))).collect();
    let mut mended = BTreeMap::new();
    for (file, text) in &divided.documents {
        let from = origin.get(file).map_or(file, |origin| *origin);
        let new = following(text, (from, file), &moved);
        if new != *text {
            mended.insert(file.clone(), new);
        }
    }
    divided.documents.extend(mended);
    divided.moved = moved.into_iter().filter(|(then, now)| then != now).collect();
    let dead = dead_links(&divided.documents, &|_| true).into_iter();
    let earlier = dead_links(before, &|_| true);
    let new = dead.filter(|(file, target)| !earlier.contains(&(origin.get(file).map_or(file, |o| *o).clone(), target.clone())));
    let told: Vec<String> = new.map(|(file, target)| format!("{file}: the link to {target} leads nowhere")).collect();
    divided.told.extend(told);
    for (part, file) in &origin {
        let missing = undefined(&divided.documents[*part]).into_iter().filter(|label| !undefined(&before[*file]).contains(label));
        divided.told.extend(missing.map(|label| format!("{part}: what [{label}] leads to is written in another part of {file}")));
    }
}

/// A text that moved from one file to another, with its links to headings that moved.
pub(super) fn following(text: &str, (from, file): (&str, &str), moved: &Moved) -> String {
    let mut new = text.to_owned();
    for link in links(text).into_iter().rev() {
        let Some(linked) = resolve(from, &link.file) else { continue };
        let Some((to, anchor)) = link.anchor.as_ref().and_then(|anchor| moved.get(&(linked, anchor.clone()))) else { continue };
        let way = match link.file.starts_with('/') {
            _ if to == file => String::new(),
            true => format!("/{}", target(to)),
            false => target(&relative(file, to)),
        };
        new.replace_range(link.at, &format!("{way}#{anchor}"));
    }
    new
}

/// Links of other files to headings that a division moved. A division must not change those files, so a person is told.
pub fn links_to_moved(divided: &Division, others: &Documents) -> Vec<String> {
    let told = |(file, text): (&String, &String)| {
        let moved = |link: Link| {
            let (to, anchor) = divided.moved.get(&(resolve(file, &link.file)?, link.anchor?))?;
            Some(format!("{file}: the link to {} leads nowhere: its heading is in {to}#{anchor} now", &text[link.at]))
        };
        links(text).into_iter().filter_map(moved).collect::<Vec<_>>()
    };
    others.iter().flat_map(told).collect()
}

/// The relative path from one file to another, both relative to the project.
pub(super) fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let shared = from[..from.len() - 1].iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(from.len() - 1 - shared);
    format!("{up}{}", to[shared..].join("/"))
}
