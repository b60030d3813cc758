//! XML manifests, read as far as they are well-formed, with the lines of their elements.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Elements within elements that are noted: manifests have fewer.
const DEEPEST: usize = 32;

/// An element of a manifest.
pub(super) struct Element {
    /// Its name, without the prefix of a namespace.
    pub(super) name: String,
    /// Its own text, trimmed.
    pub(super) text: String,
    /// Its line, from 1.
    pub(super) line: u32,
    attributes: Vec<(String, String)>,
    /// Its place in the order, and that of the element around it.
    at: usize,
    around: Option<usize>,
}

impl Element {
    /// The value of an attribute; names differ in case.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The elements of a manifest, in order.
pub(super) struct Elements(Vec<Element>);

impl Elements {
    pub(super) fn of(source: &str) -> Elements {
        let mut reader = Reader::from_str(source);
        let config = reader.config_mut();
        (config.check_end_names, config.allow_unmatched_ends, config.allow_dangling_amp) = (false, true, true);
        let (mut elements, mut open, mut depth) = (Vec::<Element>::new(), Vec::new(), 0_usize);
        let (mut line, mut counted) = (1_u32, 0);
        loop {
            let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(source.len());
            let Ok(event) = reader.read_event() else { break };
            let is_noted = depth < DEEPEST;
            let mut begin = |start: &BytesStart<'_>| {
                let feeds = source.as_bytes()[counted..at].iter().filter(|byte| **byte == b'\n').count();
                line = line.saturating_add(u32::try_from(feeds).unwrap_or(u32::MAX));
                counted = at;
                elements.push(element(start, line, (elements.len(), open.last().copied())));
                elements.len() - 1
            };
            match event {
                Event::Start(start) => {
                    if is_noted {
                        open.push(begin(&start));
                    }
                    depth += 1;
                }
                Event::Empty(start) if is_noted => drop(begin(&start)),
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    if depth < DEEPEST {
                        open.pop();
                    }
                }
                Event::Text(text) => note(&mut elements, &open, &text.xml10_content()),
                Event::CData(text) => note(&mut elements, &open, &text.xml10_content()),
                Event::Eof => break,
                _ => {}
            }
        }
        elements.iter_mut().for_each(|element| element.text = element.text.trim().to_owned());
        Elements(elements)
    }

    /// The elements at a path of names from the root.
    pub(super) fn at(&self, path: &[&str]) -> impl Iterator<Item = &Element> {
        self.0.iter().filter(move |element| self.is_at(element, path))
    }

    /// The elements of a name, wherever they stand.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.0.iter().filter(move |element| element.name == name)
    }

    /// The elements right within another.
    pub(super) fn within<'e>(&'e self, outer: &'e Element) -> impl Iterator<Item = &'e Element> {
        // What is within stands right behind.
        let is_inner = move |element: &&Element| element.around.is_some_and(|around| around >= outer.at);
        self.0[outer.at + 1..].iter().take_while(is_inner).filter(|element| element.around == Some(outer.at))
    }

    /// The text of an element right within another.
    pub(super) fn text<'e>(&'e self, outer: &'e Element, name: &str) -> Option<&'e str> {
        self.within(outer).find(|element| element.name == name).map(|element| element.text.as_str()).filter(|text| !text.is_empty())
    }

    fn is_at(&self, element: &Element, path: &[&str]) -> bool {
        let mut names = path.iter().rev();
        let mut at = Some(element);
        while let Some(element) = at {
            if names.next() != Some(&element.name.as_str()) {
                return false;
            }
            at = element.around.map(|around| &self.0[around]);
        }
        names.next().is_none()
    }
}

fn element(start: &BytesStart<'_>, line: u32, (at, around): (usize, Option<usize>)) -> Element {
    let attribute = |attribute: quick_xml::events::attributes::Attribute<'_>| {
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
        Some((attribute.key.local_name().into_inner().to_owned(), value.into_owned()))
    };
    let attributes = start.attributes().flatten().filter_map(attribute).collect();
    Element { name: start.local_name().into_inner().to_owned(), text: String::new(), line, attributes, at, around }
}

fn note(elements: &mut [Element], open: &[usize], text: &str) {
    if let Some(element) = open.last().and_then(|at| elements.get_mut(*at)) {
        element.text.push_str(text);
    }
}
