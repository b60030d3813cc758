//! A document in sections: by headings, by definitions, or by paragraphs, each short enough to be shown or embedded completely.

use ralph_core::headings::headings;
use std::ops::Range;

/// Characters of a section: about 450 tokens of prose. A longer one is divided at the end of a paragraph, or else of a line.
const SECTION_CHARS: usize = 1_800;
/// Separator between two headings of a path.
const BELOW: &str = " › ";

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// The headings above it, the outermost first, or the name of what it defines; empty when there are none.
    pub heading: String,
    /// Its first line in the document, from 1.
    pub line: u32,
    /// Its text, without blank lines around it.
    pub text: &'a str,
}

/// A Markdown text by its headings. A heading with only deeper headings below it is not a section: it appears in their paths.
pub fn of_markdown(text: &str) -> Vec<Section<'_>> {
    let found = headings(text);
    let mut sections = Cutter::new(text);
    let first = found.first().map_or(text.len(), |heading| heading.at);
    sections.divide(0..first, "");
    let mut path: Vec<(u8, &str)> = Vec::new();
    for (i, heading) in found.iter().enumerate() {
        let next = found.get(i + 1);
        path.retain(|(level, _)| *level < heading.level);
        path.push((heading.level, &heading.words));
        let range = heading.at..next.map_or(text.len(), |next| next.at);
        let bare = text[range.clone()].trim().lines().count() <= 1;
        if !(bare && next.is_some_and(|next| next.level > heading.level)) {
            let names: Vec<&str> = path.iter().map(|(_, words)| *words).collect();
            sections.divide(range, &names.join(BELOW));
        }
    }
    sections.made
}

/// Any other text by its paragraphs, as many together as fit into a section.
pub fn of_text(text: &str) -> Vec<Section<'_>> {
    let mut sections = Cutter::new(text);
    sections.divide(0..text.len(), "");
    sections.made
}

/// A source file by its pieces: the name and the byte range of each, in order.
pub fn of_pieces<'a>(text: &'a str, pieces: &[(Option<String>, Range<usize>)]) -> Vec<Section<'a>> {
    let mut sections = Cutter::new(text);
    for (name, range) in pieces {
        sections.divide(range.clone(), name.as_deref().unwrap_or_default());
    }
    sections.made
}

/// Builds the sections of a text, in order.
struct Cutter<'a> {
    text: &'a str,
    made: Vec<Section<'a>>,
    /// A byte offset and its line number: lines are counted once, from section to section.
    counted: (usize, u32),
}

impl<'a> Cutter<'a> {
    fn new(text: &'a str) -> Cutter<'a> {
        Cutter { text, made: Vec::new(), counted: (0, 1) }
    }

    /// Adds a range of the text, in order, as one section, or as several when it is long. A text without letters or
    /// digits is skipped.
    fn divide(&mut self, range: Range<usize>, heading: &str) {
        let mut rest = range;
        while !rest.is_empty() {
            let end = rest.start + cut(&self.text[rest.clone()]);
            let part = &self.text[rest.start..end];
            if part.contains(char::is_alphanumeric) {
                let blank: usize = part.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
                let at = rest.start + blank;
                let line = self.line_at(at);
                self.made.push(Section { heading: heading.to_owned(), line, text: self.text[at..end].trim_end() });
            }
            rest.start = end;
        }
    }

    fn line_at(&mut self, at: usize) -> u32 {
        let (from, line) = if self.counted.0 <= at { self.counted } else { (0, 1) };
        let feeds = self.text[from..at].bytes().filter(|byte| *byte == b'\n').count();
        self.counted = (at, line.saturating_add(u32::try_from(feeds).unwrap_or(u32::MAX)));
        self.counted.1
    }
}

/// Length in bytes of the next section of a text.
fn cut(text: &str) -> usize {
    let Some((most, _)) = text.char_indices().nth(SECTION_CHARS) else { return text.len() };
    let head = &text[..most];
    // Not too early: a short paragraph is not a section when the next one is cut anyway.
    let middle = head.floor_char_boundary(most / 2);
    let after = |end: &str| head[middle..].rfind(end).map(|at| middle + at + end.len());
    after("\n\n").or_else(|| after("\n")).or_else(|| after(". ")).or_else(|| after(" ")).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(sections: &'a [Section<'_>]) -> Vec<(&'a str, u32, &'a str)> {
        sections.iter().map(|s| (s.heading.as_str(), s.line, s.text)).collect()
    }

    #[test]
    fn markdown_is_cut_at_its_headings() {
        let text = "Before.\n\n# Guide\n\n## Install\n\nRun it.\n\n### Linux\nUse apt.\n\n## Use\nGo.\n# Last\n";
        assert_eq!(
            shown(&of_markdown(text)),
            [
                ("", 1, "Before."),
                ("Guide › Install", 5, "## Install\n\nRun it."),
                ("Guide › Install › Linux", 9, "### Linux\nUse apt."),
                ("Guide › Use", 12, "## Use\nGo."),
                ("Last", 14, "# Last"),
            ]
        );
    }

    #[test]
    fn long_parts_are_divided_and_each_says_its_line() {
        let paragraph = "A sentence of some words that ends here.\n".repeat(20) + "\n";
        let text = format!("# All\n\n{}", paragraph.repeat(5));
        let sections = of_markdown(&text);
        assert!(sections.len() >= 3, "{}", sections.len());
        for section in &sections {
            assert_eq!(section.heading, "All");
            assert!(section.text.chars().count() <= SECTION_CHARS);
            let line = text.lines().nth(section.line as usize - 1);
            assert_eq!(line, section.text.lines().next(), "the line is that of its first words");
        }
        let whole: String = sections.iter().map(|s| s.text.replace('\n', "")).collect();
        assert_eq!(whole, text.replace('\n', ""), "nothing is lost");
        let one_line = "x".repeat(10_000);
        assert_eq!(of_text(&one_line).iter().map(|s| (s.line, s.text.len())).collect::<Vec<_>>()[..2], [(1, 1_800), (1, 1_800)]);
    }

    #[test]
    fn a_source_is_its_pieces() {
        let text = "use a;\n\n\nfn b() {}\n";
        let sections = of_pieces(text, &[(None, 0..7), (Some("b".into()), 7..text.len())]);
        assert_eq!(shown(&sections), [("", 1, "use a;"), ("b", 4, "fn b() {}")]);
        assert_eq!(of_text(" \n\n--\n"), []);
    }
}
