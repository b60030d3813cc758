//! The headings of a Markdown text, as CommonMark reads them.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A heading that belongs to the text itself, not to a quote or a list in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Byte at which its line begins, behind a line feed: a carriage return alone ends a line for CommonMark, and for nobody who counts
    /// lines.
    pub at: usize,
    /// 1 to 6.
    pub level: u8,
    /// Its text, without markers.
    pub words: String,
}

/// All headings, in order.
pub fn headings(markdown: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    let (mut within, mut open) = (0_usize, false);
    // Front matter ends with a line that would otherwise be read as a setext heading.
    for (event, range) in Parser::new_ext(markdown, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::Item) => within += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => within = within.saturating_sub(1),
            Event::Start(Tag::Heading { level, .. }) if within == 0 => {
                let at = markdown[..range.start].rfind('\n').map_or(0, |feed| feed + 1);
                found.push(Heading { at, level: level as u8, words: String::new() });
                open = true;
            }
            Event::End(TagEnd::Heading(_)) => open = false,
            Event::Text(words) | Event::Code(words) if open => {
                if let Some(heading) = found.last_mut() {
                    heading.words.push_str(&words);
                }
            }
            Event::SoftBreak if open => {
                if let Some(heading) = found.last_mut() {
                    heading.words.push(' ');
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_those_of_commonmark() {
        for (markdown, expected) in [
            ("", &[][..]),
            ("no heading\n#none\n    # code\n", &[]),
            ("---\ntitle: x\n---\n# One `two`\ntext\n\n## *Three* ##\n", &[(17, 1, "One two"), (35, 2, "Three")]),
            ("Title\n=====\n\nSub\n---\n", &[(0, 1, "Title"), (13, 2, "Sub")]),
            ("```\n# no\n```\n> # quoted\n\n- # item\n\n# yes\n", &[(35, 1, "yes")]),
            ("<!--\n# no\n-->\n\n# yes\r\n", &[(15, 1, "yes")]),
        ] {
            let found = headings(markdown);
            let found: Vec<(usize, u8, &str)> = found.iter().map(|h| (h.at, h.level, h.words.as_str())).collect();
            assert_eq!(found, expected, "{markdown:?}");
        }
    }
}
