//! Which parts of a Markdown text are not statements of the text itself: code blocks and comments, as CommonMark reads them.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

const BEGIN: &str = "<!--";
const END: &str = "-->";

/// Byte ranges of a text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// Its code blocks, with their fences. Inline code is part of a sentence, so it is not one.
    pub code: Vec<Range<usize>>,
    /// Its comments outside code; an unclosed one reaches to the end of its block.
    pub comments: Vec<Range<usize>>,
}

/// The code blocks and comments of a text.
pub fn unread(markdown: &str) -> Unread {
    let mut found = Unread::default();
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => found.code.push(range),
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => found.comments.extend(comments(markdown, range)),
            _ => {}
        }
    }
    found
}

/// The comments of a piece of HTML.
fn comments(text: &str, html: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::new(), html.start);
    while let Some(begin) = text[from..html.end].find(BEGIN).map(|at| from + at) {
        let behind = begin + BEGIN.len();
        let end = text[behind..html.end].find(END).map_or(html.end, |at| behind + at + END.len());
        found.push(begin..end);
        from = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_comments_are_those_of_commonmark() {
        for (text, code, comments) in [
            ("", &[][..], &[][..]),
            ("a `<!--` b <!-- c --> d\n", &[], &["<!-- c -->"][..]),
            ("<!-- a --> b <!-- c -->\n", &[], &["<!-- a -->", "<!-- c -->"]),
            ("<!--\n- a <!-- b -->\n\n- c <!-- d -->\n", &[], &["<!--\n- a <!-- b -->", "<!-- d -->"]),
            ("- a <!-- b\n\n- c -->\n", &[], &[]),
            ("````md\n```sh\na <!-- b -->\n```\n````\nc\n", &["````md\n```sh\na <!-- b -->\n```\n````"], &[]),
            ("~~~~\n~~~ is none\n~~~~\na <!-- b -->\n", &["~~~~\n~~~ is none\n~~~~"], &["<!-- b -->"]),
            ("a\n\n    b <!-- c -->\n", &["b <!-- c -->\n"], &[]),
            ("<!-- a\nb\n", &[], &["<!-- a\nb\n"]),
        ] {
            let found = unread(text);
            let words = |ranges: Vec<Range<usize>>| ranges.into_iter().map(|range| &text[range]).collect::<Vec<_>>();
            assert_eq!((words(found.code), words(found.comments)), (code.to_vec(), comments.to_vec()), "{text:?}");
        }
    }
}
