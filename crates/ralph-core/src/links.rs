//! Links in a Markdown text to neighboring files and headings, as CommonMark reads them.

use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::ops::Range;

/// A link within the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Byte range of its target in the text.
    pub at: Range<usize>,
    /// The linked file, relative to the text's folder, as it is named; empty for a heading of the text itself.
    pub file: String,
    /// The linked heading, as an anchor; `None` for the whole file.
    pub anchor: Option<String>,
}

/// Inline links in order, except those with a scheme or an absolute path.
pub fn links(markdown: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(markdown, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter() {
        let Event::Start(
            Tag::Link { link_type: LinkType::Inline, dest_url, .. } | Tag::Image { link_type: LinkType::Inline, dest_url, .. },
        ) = event
        else {
            continue;
        };
        let away = dest_url.starts_with('/') || dest_url.split(['/', '#', '?']).next().is_some_and(|head| head.contains(':'));
        if away || dest_url.is_empty() {
            continue;
        }
        // The target may be escaped in the text and then can't be located, so such a link is skipped.
        let Some(begin) = markdown[range.clone()].rfind(&*dest_url) else { continue };
        let at = range.start + begin..range.start + begin + dest_url.len();
        let (file, anchor) = dest_url.split_once('#').map_or((&*dest_url, None), |(file, anchor)| (file, Some(anchor)));
        found.push(Link { at, file: decoded(file), anchor: anchor.filter(|a| !a.is_empty()).map(str::to_owned) });
    }
    found
}

/// A path as the target of a link: characters that would end it, or mean something else there, as percent and their code.
pub fn target(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '~' | '+' | '@' | ',' | '=' | '&' | '$' | '!');
    let coded = |c: char| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    path.chars().map(|c| if is_plain(c) { c.to_string() } else { coded(c) }).collect()
}

/// The path that a target names; what is coded wrongly stays as it is.
fn decoded(target: &str) -> String {
    let mut bytes = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| target.to_owned())
}

/// The labels of links such as `[words][label]` whose target is written nowhere in the text.
pub fn undefined(markdown: &str) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    let note = |link: BrokenLink<'_>| {
        labels.insert(link.reference.to_string());
        None
    };
    Parser::new_with_broken_link_callback(markdown, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS, Some(note)).for_each(drop);
    labels
}

/// The anchor of a heading, as forges generate it: lower case, hyphens for blanks, no punctuation.
pub fn anchor(words: &str) -> String {
    let kept = words.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// The anchors of headings in order: the second of equal ones ends with `-1`.
pub fn anchors<'w>(headings: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    let mut made: Vec<String> = Vec::new();
    for words in headings {
        let plain = anchor(words);
        let mut name = plain.clone();
        let mut number = 0;
        while made.contains(&name) {
            number += 1;
            name = format!("{plain}-{number}");
        }
        made.push(name);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_and_headings_are_found_and_others_are_left_alone() {
        let text = "See [a](x.md), ![b](img/y.png \"t\"), [c](../z.md#two-words) and [d](#here).\n[e](https://a.example/x.md) [f](/root) <mailto:a@b.c>\n`[g](no.md)`\n";
        let found: Vec<(&str, String, Option<String>)> = links(text).into_iter().map(|l| (&text[l.at], l.file, l.anchor)).collect();
        let expected = [
            ("x.md", "x.md", None),
            ("img/y.png", "img/y.png", None),
            ("../z.md#two-words", "../z.md", Some("two-words")),
            ("#here", "", Some("here")),
        ];
        assert_eq!(found, expected.map(|(at, file, anchor)| (at, file.to_owned(), anchor.map(str::to_owned))));
    }

    #[test]
    fn a_link_leads_to_a_file_whatever_its_name() {
        for name in ["a b.md", "a(1).md", "../ü/100%.md", "<x>.md", "it's \"so\".md", "a#b?.md", "50%20.md"] {
            let text = format!("- [words]({})\n", target(name));
            assert_eq!(links(&text).into_iter().map(|link| link.file).collect::<Vec<_>>(), [name], "{text}");
        }
        assert_eq!(links("[a](50%.md) [b](<c d.md>)").into_iter().map(|link| link.file).collect::<Vec<_>>(), ["50%.md", "c d.md"]);
        assert_eq!(target("docs/über-uns_2.md"), "docs/über-uns_2.md");
    }

    #[test]
    fn labels_without_a_target_are_found() {
        assert_eq!(undefined("See [a][x], [b][], [c] and [d](e.md).\n\n[b]: b.md\n"), ["c", "x"].map(str::to_owned).into());
        assert_eq!(undefined("`[a]` and\n\n```\n[b]\n```\n"), BTreeSet::new());
    }

    #[test]
    fn anchors_are_those_of_the_forges() {
        assert_eq!(
            anchors(["Two Words", "What's `x_y`?", "Two words", "Größe – 1"]),
            ["two-words", "whats-x_y", "two-words-1", "größe--1"]
        );
    }
}
