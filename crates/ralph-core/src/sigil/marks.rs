//! Which tags form complete sigils, and which of those count.

use super::layout::{Layout, MisplacedAt};
use super::scan::{self, Shape, Sigil, Tag};
use std::ops::Range;

/// The sigils of a text.
pub(super) struct Marks<'a> {
    /// In order.
    pub(super) found: Vec<Mention<'a>>,
    /// Whether a code fence was left open.
    pub(super) open_fence: bool,
}

/// One sigil, or something that looks like one.
pub(super) enum Mention<'a> {
    /// It counts; `end` is the byte after it.
    Mark { tag: Tag<'a>, content: &'a str, end: usize },
    /// A complete one that is only mentioned.
    Misplaced { sigil: Sigil, place: MisplacedAt },
    /// It begins a line but is not closed.
    Unclosed(Sigil),
    /// A closing tag without an opening one.
    Stray(Sigil),
}

/// What is between a tag and the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Nothing more on its line.
    LineEnd,
    /// Blanks, then the next tag on the same line.
    Blank,
    /// Words on the same line.
    Words,
}

/// Finds the sigils of one text.
pub(super) fn read(text: &str) -> Marks<'_> {
    let tags = scan::tags(text);
    if tags.is_empty() {
        // Most texts: no `<`, and nothing that a fence could hide.
        return Marks { found: Vec::new(), open_fence: false };
    }
    let layout = Layout::of(text);
    let places = places(text, &tags, &layout);
    let gaps: Vec<Gap> = (0..tags.len()).map(|i| gap(text, &tags, i)).collect();
    let closers = closers(&tags, &places);
    let endings = endings(&tags, &gaps, &closers);
    let namesakes = namesakes(&tags);
    let walk = Walk {
        text,
        layout: &layout,
        tags: &tags,
        places: &places,
        gaps: &gaps,
        closers: &closers,
        endings: &endings,
        namesakes: &namesakes,
    };
    let found = walk.found();
    Marks { found, open_fence: layout.open_fence }
}

/// The position of each tag; `None` where it begins its own line.
fn places(text: &str, tags: &[Tag<'_>], layout: &Layout) -> Vec<Option<MisplacedAt>> {
    let mut places = Vec::with_capacity(tags.len());
    // Reuses the text before an earlier tag of the same line: rescanning from the line's beginning would take quadratic time.
    let mut earlier = None;
    let mut from = 0;
    for tag in tags {
        let gap = &text[from..tag.start];
        let before = match (gap.rfind('\n'), earlier) {
            (Some(end), _) => &gap[end + 1..],
            (None, Some(earlier)) => earlier,
            (None, None) => gap,
        };
        places.push(layout.place(tag.start, before));
        earlier = Some(if before.trim_start().starts_with('>') { "> x" } else { "x" });
        from = tag.end;
    }
    places
}

fn gap(text: &str, tags: &[Tag<'_>], i: usize) -> Gap {
    let next = tags.get(i + 1).map_or(text.len(), |next| next.start);
    let between = &text[tags[i].end..next];
    let (line, ends) = between.split_once('\n').map_or((between, next == text.len()), |(line, _)| (line, true));
    match (line.trim().is_empty(), ends) {
        (true, true) => Gap::LineEnd,
        (true, false) => Gap::Blank,
        (false, _) => Gap::Words,
    }
}

/// For each opening tag its closing one: the next unquoted one of the same sigil, unless the sigil is opened again before that.
fn closers(tags: &[Tag<'_>], places: &[Option<MisplacedAt>]) -> Vec<Option<usize>> {
    let mut closers = vec![None; tags.len()];
    let mut next: [Option<usize>; Sigil::ALL.len()] = [None; Sigil::ALL.len()];
    for (i, tag) in tags.iter().enumerate().rev() {
        let next = &mut next[tag.sigil as usize];
        let quoted = places[i].is_some_and(MisplacedAt::quotes);
        match tag.shape {
            Shape::Close if quoted => {}
            Shape::Close => *next = Some(i),
            Shape::Open | Shape::Empty => {
                closers[i] = next.filter(|close| tags[*close].shape == Shape::Close && tag.shape == Shape::Open);
                if places[i].is_none() {
                    *next = Some(i);
                }
            }
        }
    }
    closers
}

/// For each tag the next one of the same sigil, quoted or not.
fn namesakes(tags: &[Tag<'_>]) -> Vec<Option<usize>> {
    let mut namesakes = vec![None; tags.len()];
    let mut next = [None; Sigil::ALL.len()];
    for (i, tag) in tags.iter().enumerate().rev() {
        namesakes[i] = next[tag.sigil as usize].replace(i);
    }
    namesakes
}

/// For each tag whether only further sigils follow it on its line.
fn endings(tags: &[Tag<'_>], gaps: &[Gap], closers: &[Option<usize>]) -> Vec<bool> {
    let mut endings = vec![false; tags.len()];
    for i in (0..tags.len()).rev() {
        endings[i] = match gaps[i] {
            Gap::LineEnd => true,
            Gap::Words => false,
            Gap::Blank => match tags[i + 1].shape {
                Shape::Close | Shape::Empty => endings[i + 1],
                Shape::Open => closers[i + 1].is_some_and(|close| endings[close]),
            },
        };
    }
    endings
}

/// Everything known about the tags.
struct Walk<'a, 'b> {
    text: &'a str,
    layout: &'b Layout,
    tags: &'b [Tag<'a>],
    places: &'b [Option<MisplacedAt>],
    gaps: &'b [Gap],
    closers: &'b [Option<usize>],
    endings: &'b [bool],
    namesakes: &'b [Option<usize>],
}

impl<'a> Walk<'a, '_> {
    fn found(&self) -> Vec<Mention<'a>> {
        let mut found = Vec::new();
        let mut used = vec![false; self.tags.len()];
        // The tag that ended the previous sigil, if that began its line.
        let mut before = None;
        // The tag that closes the report around.
        let mut report = 0;
        // The last sigil that counted: a block quote that began in it ended with it.
        let mut last = 0..0;
        let mut i = 0;
        while i < self.tags.len() {
            let tag = self.tags[i];
            let mut following = i + 1;
            if tag.shape == Shape::Close {
                if !used[i] && self.places[i].is_none() {
                    found.push(Mention::Stray(tag.sigil));
                }
            } else if let Some(place) =
                self.place(i, before, &last).or((tag.sigil == Sigil::TaskDone && i < report).then_some(MisplacedAt::Report))
            {
                if let Some(close) = self.whole(i) {
                    used[close] = true;
                    found.push(Mention::Misplaced { sigil: tag.sigil, place });
                }
            } else if let Some(close) = self.end(i) {
                used[close] = true;
                before = Some(close);
                last = tag.start..self.tags[close].end;
                found.push(self.judged(i, close));
                // The content is plain text, whether it counts or not.
                if tag.sigil.holds_free_text() {
                    following = close.max(i + 1);
                }
                if tag.sigil == Sigil::FailureReport {
                    report = close;
                }
            } else {
                found.push(Mention::Unclosed(tag.sigil));
            }
            i = following;
        }
        found
    }

    /// Position of an opening tag. Directly after a sigil at the beginning of the line it also counts as the beginning.
    fn place(&self, i: usize, before: Option<usize>, last: &Range<usize>) -> Option<MisplacedAt> {
        let chained = before.is_some_and(|close| close + 1 == i && self.gaps[close] == Gap::Blank);
        let quote_ended = || self.layout.quote_at(self.tags[i].start).is_some_and(|start| last.contains(&start));
        let place = self.places[i].filter(|place| place.quotes() || !chained)?;
        (place != MisplacedAt::LazyQuote || !quote_ended()).then_some(place)
    }

    /// The tag that closes a sigil.
    fn end(&self, i: usize) -> Option<usize> {
        if self.tags[i].shape == Shape::Empty { Some(i) } else { self.closers[i] }
    }

    fn judged(&self, i: usize, close: usize) -> Mention<'a> {
        let tag = self.tags[i];
        if !self.endings[close] {
            return Mention::Misplaced { sigil: tag.sigil, place: MisplacedAt::BeforeWords };
        }
        let content = if close == i { "" } else { &self.text[tag.end..self.tags[close].start] };
        Mention::Mark { tag, content, end: self.tags[close].end }
    }

    /// The end of a mentioned sigil, however it is quoted; a bare name is not a sigil.
    fn whole(&self, i: usize) -> Option<usize> {
        let quoted = self.namesakes[i].filter(|next| self.tags[*next].shape == Shape::Close);
        if self.tags[i].shape == Shape::Empty { Some(i) } else { quoted.or(self.closers[i]) }
    }
}
