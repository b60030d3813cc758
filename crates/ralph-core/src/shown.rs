//! What a reader sees of each line of a Markdown text, as CommonMark shows it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// How the words of a line are set apart from what the text itself says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aside {
    /// In a quote: the words of somebody else.
    Quote,
    /// In a code block: an example.
    Code,
    /// Struck through: no longer meant.
    Struck,
    /// Between `<details>` and `</details>`: shown only when somebody opens it.
    Folded,
    /// Next to HTML, which a reader sees as a browser renders it.
    Markup,
}

/// One line of a text, as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownLine {
    /// Its visible words; inline code is in backticks, the target of a link in parentheses behind its words.
    pub words: String,
    /// How they are set apart.
    pub asides: Vec<Aside>,
}

/// The lines of a text, the first one at 0. Comments, metadata, footnotes (shown elsewhere, or nowhere), definitions of links and
/// alternative texts of images have no words.
pub fn shown(markdown: &str) -> Vec<ShownLine> {
    let mut page = Page { starts: starts(markdown), lines: vec![ShownLine::default(); markdown.lines().count()], ..Page::default() };
    let options =
        Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        match event {
            Event::Start(tag) => page.begin(tag),
            Event::End(tag) => page.end(tag, range.end),
            Event::Text(words) => page.say(range.start, &words),
            Event::Code(words) => page.say(range.start, &format!("`{words}`")),
            Event::SoftBreak | Event::HardBreak => page.say(range.start, " "),
            Event::Html(html) | Event::InlineHtml(html) => page.markup(range.start, &html),
            _ => {}
        }
    }
    page.lines
}

/// The byte at which each line begins.
fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The lines so far, and what is open around the next words.
#[derive(Default)]
struct Page {
    starts: Vec<usize>,
    lines: Vec<ShownLine>,
    quotes: usize,
    code: usize,
    struck: usize,
    folded: usize,
    /// Images, metadata and footnotes, whose words are not shown there.
    unseen: usize,
    links: Vec<String>,
}

impl Page {
    fn begin(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::CodeBlock(_) => self.code += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Image { .. } | Tag::MetadataBlock(_) | Tag::FootnoteDefinition(_) => self.unseen += 1,
            Tag::Link { dest_url, .. } => self.links.push(dest_url.into_string()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, at: usize) {
        match tag {
            TagEnd::BlockQuote(_) => self.quotes -= 1,
            TagEnd::CodeBlock => self.code -= 1,
            TagEnd::Strikethrough => self.struck -= 1,
            TagEnd::Image | TagEnd::MetadataBlock(_) | TagEnd::FootnoteDefinition => self.unseen -= 1,
            // Cells stand apart.
            TagEnd::TableCell => self.say(at.saturating_sub(1), " | "),
            TagEnd::Link => {
                let target = self.links.pop().unwrap_or_default();
                self.say(at.saturating_sub(1), &format!(" ({target})"));
            }
            _ => {}
        }
    }

    /// Adds words that begin at a byte, each on its own line.
    fn say(&mut self, at: usize, words: &str) {
        if self.unseen > 0 {
            return;
        }
        let first = self.line_of(at);
        let asides = [(self.quotes, Aside::Quote), (self.code, Aside::Code), (self.struck, Aside::Struck), (self.folded, Aside::Folded)];
        for (below, words) in words.split('\n').enumerate() {
            let Some(line) = self.lines.get_mut(first + below) else { return };
            line.words.push_str(words);
            if !words.trim().is_empty() {
                asides.iter().filter(|(open, _)| *open > 0).for_each(|(_, aside)| note(line, *aside));
            }
        }
    }

    fn markup(&mut self, at: usize, html: &str) {
        let plain = without_comments(html).to_ascii_lowercase();
        if plain.contains('<') {
            let first = self.line_of(at);
            let with_words = html.split('\n').enumerate().filter(|(_, words)| !words.trim().is_empty());
            for below in with_words.map(|(below, _)| below) {
                if let Some(line) = self.lines.get_mut(first + below) {
                    note(line, Aside::Markup);
                }
            }
        }
        self.folded += plain.matches("<details").count();
        self.folded = self.folded.saturating_sub(plain.matches("</details").count());
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }
}

fn note(line: &mut ShownLine, aside: Aside) {
    if !line.asides.contains(&aside) {
        line.asides.push(aside);
    }
}

/// HTML without its comments; an open one reaches to the end.
fn without_comments(html: &str) -> String {
    let (mut kept, mut rest) = (String::new(), html);
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as `words|asides`.
    fn lines(markdown: &str) -> Vec<String> {
        shown(markdown).into_iter().map(|line| format!("{}|{:?}", line.words.trim(), line.asides)).collect()
    }

    #[test]
    fn each_line_says_what_a_reader_sees_of_it_and_where() {
        for (markdown, expected) in [
            ("", &[][..]),
            ("# One *two*\n\n- three `four`\n  five <!-- six -->\n", &["One two|[]", "|[]", "three `four`|[]", "five|[]"]),
            ("> said\n\nmeant\n", &["said|[Quote]", "|[]", "meant|[]"]),
            ("```\na\nb\n```\n\n    c\n", &["|[]", "a|[Code]", "b|[Code]", "|[]", "|[]", "c|[Code]"]),
            ("~~gone~~ here\n", &["gone here|[Struck]"]),
            (
                "<details>\n\n- within\n\n</details>\n\n- without\n",
                &["|[Markup]", "|[]", "within|[Folded]", "|[]", "|[Markup]", "|[]", "without|[]"],
            ),
            ("a `<b>` and <b>c</b>\n", &["a `<b>` and c|[Markup]"]),
            ("[see](x.md \"title\") ![alt](y.png)\n\n[z]: x.md \"hidden\"\n", &["see (x.md)|[]", "|[]", "|[]"]),
            ("---\nhidden: yes\n---\n\nwords\r\n", &["|[]", "|[]", "|[]", "|[]", "words|[]"]),
            ("words[^1]\n\n[^1]: below\n", &["words|[]", "|[]", "|[]"]),
            ("<!--\nhidden\n-->\nwords\n", &["|[]", "|[]", "|[]", "words|[]"]),
        ] {
            assert_eq!(lines(markdown), expected, "{markdown:?}");
        }
    }
}
