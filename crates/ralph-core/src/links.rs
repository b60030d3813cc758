//! Links in a Markdown text to neighboring files and headings, as CommonMark reads them.

use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::ops::Range;

/// A link within the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Byte range of its target in the text.
    pub at: Range<usize>,
    /// The linked file, as it is named: relative to the text's folder, or to the project if it begins with `/`; empty for a heading of the
    /// text itself.
    pub file: String,
    /// The linked heading, as an anchor; `None` for the whole file.
    pub anchor: Option<String>,
}

/// Links in order, except those with a scheme: inline ones, the definitions of others, and those of HTML.
pub fn links(markdown: &str) -> Vec<Link> {
    let parser = Parser::new_ext(markdown, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
    let definitions = parser.reference_definitions().iter();
    let mut targets: Vec<(Range<usize>, String)> = definitions
        .filter_map(|(_, definition)| {
            Some((behind(markdown, definition.span.clone(), "]:", &definition.dest)?, definition.dest.to_string()))
        })
        .collect();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(
                Tag::Link { link_type: LinkType::Inline, dest_url, .. } | Tag::Image { link_type: LinkType::Inline, dest_url, .. },
            ) => targets.extend(behind(markdown, range, "](", &dest_url).map(|at| (at, dest_url.into_string()))),
            Event::Html(_) | Event::InlineHtml(_) => {
                targets.extend(of_html(markdown, range).into_iter().map(|at| (at.clone(), markdown[at].to_owned())));
            }
            _ => {}
        }
    }
    targets.sort_by_key(|(at, _)| at.start);
    targets.dedup();
    targets.retain(|(_, target)| {
        let away = target.starts_with("//") || target.split(['/', '#', '?']).next().is_some_and(|head| head.contains(':'));
        !away && !target.is_empty()
    });
    let link = |(at, target): (Range<usize>, String)| {
        let (file, anchor) = target.split_once('#').map_or((target.as_str(), None), |(file, anchor)| (file, Some(anchor)));
        Link { at, file: decoded(file), anchor: anchor.filter(|a| !a.is_empty()).map(str::to_owned) }
    };
    targets.into_iter().map(link).collect()
}

/// Where a target stands in a link, behind the end of its words. It may be escaped there and then can't be located: such a link is skipped.
fn behind(markdown: &str, link: Range<usize>, end_of_words: &str, target: &str) -> Option<Range<usize>> {
    let begin = link.start + markdown[link.clone()].rfind(end_of_words)? + end_of_words.len();
    let at = begin + markdown[begin..link.end].find(target)?;
    Some(at..at + target.len())
}

/// The targets of links in a piece of HTML.
fn of_html(markdown: &str, html: Range<usize>) -> Vec<Range<usize>> {
    const NAME: &str = "href=";
    let value = |at: usize| {
        let quote = markdown[at..html.end].chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let begin = at + quote.len_utf8();
        Some(begin..begin + markdown[begin..html.end].find(quote)?)
    };
    markdown[html.clone()].match_indices(NAME).filter_map(|(at, _)| value(html.start + at + NAME.len())).collect()
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
        let code = behind.get(..2).filter(|code| *first == b'%' && code.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
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
        let text = "See [a](x.md), ![b](img/y.png \"t\"), [c](../z.md#two-words) and [d](#here).\n[e](https://a.example/x.md) [f](/root.md) [g](//host/x) <mailto:a@b.c>\n`[h](no.md)`\n\n[i]: i.md#x \"i.md#x\"\n\n<a class='b' href=\"#j\">j</a> <a href='k.md'>[l](l.md \"l.md\")</a>\n";
        let found: Vec<(&str, String, Option<String>)> = links(text).into_iter().map(|l| (&text[l.at], l.file, l.anchor)).collect();
        let expected = [
            ("x.md", "x.md", None),
            ("img/y.png", "img/y.png", None),
            ("../z.md#two-words", "../z.md", Some("two-words")),
            ("#here", "", Some("here")),
            ("/root.md", "/root.md", None),
            ("i.md#x", "i.md", Some("x")),
            ("#j", "", Some("j")),
            ("k.md", "k.md", None),
            ("l.md", "l.md", None),
        ];
        assert_eq!(found, expected.map(|(at, file, anchor)| (at, file.to_owned(), anchor.map(str::to_owned))));
        assert!(links(text).iter().all(|link| text[..link.at.start].ends_with(['(', '"', '\'', ' '])), "no title is taken for a target");
    }

    #[test]
    fn a_link_leads_to_a_file_whatever_its_name() {
        for name in ["a b.md", "a(1).md", "../ü/100%.md", "<x>.md", "it's \"so\".md", "a#b?.md", "50%20.md"] {
            let text = format!("- [words]({})\n", target(name));
            assert_eq!(links(&text).into_iter().map(|link| link.file).collect::<Vec<_>>(), [name], "{text}");
        }
        let files = |text| links(text).into_iter().map(|link| link.file).collect::<Vec<_>>();
        assert_eq!(files("[a](50%.md) [b](<c d.md>) [c](50%+5.md)"), ["50%.md", "c d.md", "50%+5.md"]);
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
