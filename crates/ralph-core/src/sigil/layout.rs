//! The CommonMark structure of a text, as far as sigils need it: code, quotes and list items.
//!
//! HTML is not interpreted, so that sigils, which look like it, are paragraphs: an HTML block would swallow the sigils and fences after
//! it. Only HTML that quotes (comments, `<pre>`, `<code>`, `<blockquote>`) is honored, and only if it is closed.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag as Block};
use std::ops::Range;

/// Columns from which a line is indented code instead of a paragraph's first line.
const CODE_INDENT: usize = 4;
/// Columns from which a line can belong to the list item above it; with fewer it merely continues the item's paragraph.
const ITEM_INDENT: usize = 2;
/// HTML that quotes, and elements for transcripts or examples: how each begins, and how it ends.
const QUOTING_HTML: [(&str, &str); 12] = [
    ("<!--", "-->"),
    ("<pre", "</pre>"),
    ("<code", "</code>"),
    ("<blockquote", "</blockquote>"),
    ("<example", "</example>"),
    ("<examples", "</examples>"),
    ("<function_result", "</function_result>"),
    ("<function_results", "</function_results>"),
    ("<tool_result", "</tool_result>"),
    ("<tool_results", "</tool_results>"),
    ("<transcript", "</transcript>"),
    ("<quote", "</quote>"),
];
/// Quotation marks alone on their lines: the one that opens a quotation, and the one that closes it.
const QUOTING_SIGNS: [(&str, &str); 6] =
    [("\"", "\""), ("\"\"\"", "\"\"\""), ("'''", "'''"), ("\u{201c}", "\u{201d}"), ("\u{201e}", "\u{201c}"), ("\u{ab}", "\u{bb}")];

/// The place of a sigil that does not begin its own line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MisplacedAt {
    /// After words.
    Sentence,
    /// After non-word characters, such as `**` or an invisible character.
    BehindSigns,
    /// Before words on its line.
    BeforeWords,
    /// In a fenced code block.
    Fence,
    /// In indented code.
    Indented,
    /// In backticks.
    InlineCode,
    /// In a block quote.
    Quote,
    /// In the paragraph of a block quote, on a line without its sign.
    LazyQuote,
    /// In a list item.
    ListItem,
    /// In a comment, `<pre>` and the like.
    Html,
    /// In a `<failure-report>`, which it contradicts: a report may quote what it is about.
    Report,
}

impl MisplacedAt {
    /// Description for messages.
    pub(super) fn phrase(self) -> &'static str {
        match self {
            MisplacedAt::Sentence => "stood inside a sentence",
            MisplacedAt::BehindSigns => "did not begin its line",
            MisplacedAt::BeforeWords => "was followed by words on its line",
            MisplacedAt::Fence => "stood in a code fence",
            MisplacedAt::Indented => "was indented by more than three spaces",
            MisplacedAt::InlineCode => "stood in inline code",
            MisplacedAt::Quote => "stood in a quote",
            MisplacedAt::LazyQuote => "stood right below a quote, without an empty line between",
            MisplacedAt::ListItem => "stood in a list item",
            MisplacedAt::Html => "stood in HTML that quotes",
            MisplacedAt::Report => "stood in a <failure-report>",
        }
    }

    /// Whether it is quoted there: then it doesn't end a sigil either. Below a quote it does: a lesson may end with one.
    pub(super) fn quotes(self) -> bool {
        matches!(self, MisplacedAt::Fence | MisplacedAt::InlineCode | MisplacedAt::Quote | MisplacedAt::Html)
    }
}

/// The relevant parts of a text, each list in order and without overlaps.
pub(super) struct Layout {
    code: Vec<(Range<usize>, MisplacedAt)>,
    items: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
    quotes: Vec<Range<usize>>,
    /// Whether the last fence was never closed.
    pub(super) open_fence: bool,
}

impl Layout {
    pub(super) fn of(text: &str) -> Layout {
        let mut layout = Layout { code: Vec::new(), items: Vec::new(), html: Vec::new(), quotes: Vec::new(), open_fence: false };
        let plain = without_markup(text);
        let (mut depth, mut open) = (0_usize, None);
        for (event, range) in Parser::new_ext(&plain, Options::empty()).into_offset_iter() {
            match event {
                Event::Start(Block::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    open = Some(range.clone());
                    layout.code.push((range, MisplacedAt::Fence));
                }
                Event::Start(Block::CodeBlock(CodeBlockKind::Indented)) => layout.code.push((range, MisplacedAt::Indented)),
                Event::Code(_) => layout.code.push((range, MisplacedAt::InlineCode)),
                Event::Start(Block::BlockQuote(_)) if layout.quotes.last().is_none_or(|quote| quote.end <= range.start) => {
                    layout.quotes.push(range);
                }
                Event::Start(Block::Item) => {
                    if depth == 0 {
                        layout.items.push(range);
                    }
                    depth += 1;
                }
                Event::End(pulldown_cmark::TagEnd::Item) => depth -= 1,
                _ => {}
            }
        }
        layout.open_fence = open.is_some_and(|fence| fence.end == plain.len() && !is_closed(&plain[fence]));
        layout.html = quoting_html(text, &layout);
        layout.html.extend(quoting_signs(text, &layout));
        apart(&mut layout.html);
        layout
    }

    /// Position of something at byte `at` whose line begins with `before`; `None` when it begins its own line.
    pub(super) fn place(&self, at: usize, before: &str) -> Option<MisplacedAt> {
        if let Some(place) = self.code_at(at) {
            return Some(place);
        }
        if holds(&self.html, at) {
            return Some(MisplacedAt::Html);
        }
        let signs = before.trim_start_matches([' ', '\t']);
        let indent = &before[..before.len() - signs.len()];
        if !signs.is_empty() {
            return Some(beside(signs));
        }
        match indent.len() {
            columns if columns >= ITEM_INDENT && holds(&self.items, at) => Some(MisplacedAt::ListItem),
            columns if columns >= CODE_INDENT || indent.contains('\t') => Some(MisplacedAt::Indented),
            _ if holds(&self.quotes, at) => Some(MisplacedAt::LazyQuote),
            _ => None,
        }
    }

    /// Where the block quote begins that holds byte `at`.
    pub(super) fn quote_at(&self, at: usize) -> Option<usize> {
        let next = self.quotes.partition_point(|quote| quote.end <= at);
        self.quotes.get(next).map(|quote| quote.start).filter(|start| *start <= at)
    }

    fn code_at(&self, at: usize) -> Option<MisplacedAt> {
        let next = self.code.partition_point(|(range, _)| range.end <= at);
        self.code.get(next).filter(|(range, _)| range.start <= at).map(|(_, place)| *place)
    }
}

fn holds(ranges: &[Range<usize>], at: usize) -> bool {
    ranges.get(ranges.partition_point(|range| range.end <= at)).is_some_and(|range| range.start <= at)
}

/// How the characters before something on its line position it.
fn beside(signs: &str) -> MisplacedAt {
    let bullet = |rest: &str| {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let marked = if number.len() < rest.len() { number.strip_prefix(['.', ')']) } else { rest.strip_prefix(['-', '+', '*']) };
        marked.is_some_and(|content| content.starts_with([' ', '\t']) && content.trim().is_empty())
    };
    if signs.starts_with('>') {
        MisplacedAt::Quote
    } else if bullet(signs) {
        MisplacedAt::ListItem
    } else if signs.contains(char::is_alphanumeric) {
        MisplacedAt::Sentence
    } else {
        MisplacedAt::BehindSigns
    }
}

/// The text, with the same byte length, without the characters that could form HTML or a link. A carriage return that ends no line becomes
/// a blank: nothing begins a line after it.
fn without_markup(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for i in 0..bytes.len() {
        match bytes[i] {
            b'<' | b'[' | b']' | b'&' => bytes[i] = b'x',
            b'\r' if bytes.get(i + 1) != Some(&b'\n') => bytes[i] = b' ',
            _ => {}
        }
    }
    String::from_utf8(bytes).expect("one ASCII character took the place of another")
}

/// Whether the last line of a fenced block is a fence of the same kind, at least as long as the first, and not the first itself.
fn is_closed(block: &str) -> bool {
    let bare = |line: &str| line.trim_matches([' ', '\t', '>', '\r', '\n']).to_owned();
    let Some((first, rest)) = block.split_once('\n') else { return false };
    let sign = if first.trim_start().starts_with('~') { '~' } else { '`' };
    let length = first.trim_start().chars().take_while(|c| *c == sign).count();
    let last = bare(rest.trim_end().rsplit('\n').next().unwrap_or_default());
    last.len() >= length && last.chars().all(|c| c == sign)
}

/// Closed HTML that quotes, where it begins a line outside code.
fn quoting_html(text: &str, layout: &Layout) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    if !text.contains('<') {
        return found;
    }
    let lower = text.to_ascii_lowercase();
    // A kind that is not closed once is never closed later, so its end is not searched for again.
    let mut open_forever = [false; QUOTING_HTML.len()];
    let mut at = 0;
    for line in lower.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start_matches(' ').len();
        let begins = &lower[start..at + line.len()];
        at += line.len();
        let known = found.last().is_some_and(|range| range.end > start);
        let Some(kind) = QUOTING_HTML.iter().position(|(open, _)| is_tag(begins, open)) else { continue };
        if known || open_forever[kind] || layout.code_at(start).is_some() {
            continue;
        }
        match lower[start..].find(QUOTING_HTML[kind].1) {
            Some(end) => found.push(start..start + end + QUOTING_HTML[kind].1.len()),
            None => open_forever[kind] = true,
        }
    }
    found
}

/// Closed quotations whose marks are alone on their lines, outside code.
fn quoting_signs(text: &str, layout: &Layout) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        if line.len() > 3 || layout.code_at(start).is_some() {
            continue;
        }
        match open {
            Some((begin, close)) if line == close => {
                found.push(begin..at);
                open = None;
            }
            Some(_) => {}
            None => open = QUOTING_SIGNS.iter().find(|(sign, _)| *sign == line).map(|(_, close)| (start, *close)),
        }
    }
    found
}

/// In order and without overlaps.
fn apart(ranges: &mut Vec<Range<usize>>) {
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
}

fn is_tag(line: &str, open: &str) -> bool {
    let whole = |rest: &str| open == "<!--" || rest.starts_with(|c: char| c == '>' || c.is_ascii_whitespace());
    line.strip_prefix(open).is_some_and(whole)
}
