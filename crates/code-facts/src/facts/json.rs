//! JSON manifests, parsed as far as possible, with the lines of their keys. The grammar of JavaScript is lenient where others give up.

use super::tree::{Parsed, children, line};
use crate::Language;
use tree_sitter::Node;

/// An entry of an object.
pub(super) struct Entry<'t> {
    pub(super) key: String,
    pub(super) value: Node<'t>,
    pub(super) line: u32,
}

/// A text as an expression, so that it is not a block, with everything closed that a cut left open. Its lines are unchanged.
pub(super) fn expression(source: &str) -> String {
    let (mut open, mut quoted, mut escaped) = (Vec::new(), false, false);
    for c in source.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            // No string spans lines.
            '"' | '\n' => quoted = c == '"' && !quoted,
            '{' if !quoted => open.push('}'),
            '[' if !quoted => open.push(']'),
            '}' | ']' if !quoted => drop(open.pop()),
            _ => {}
        }
    }
    let closing: String = quoted.then_some('"').into_iter().chain(open.into_iter().rev()).collect();
    format!("({source}{closing}\n)")
}

pub(super) fn parsed(expression: &str) -> Option<Parsed<'_>> {
    Parsed::of(Language::JavaScript, expression)
}

/// The outermost object.
pub(super) fn top<'t>(json: &'t Parsed<'_>) -> Option<Node<'t>> {
    json.nodes().find(|node| node.kind() == "object")
}

/// The entries of an object, in order; none for anything else.
pub(super) fn entries<'t>(json: &Parsed<'_>, object: Node<'t>) -> Vec<Entry<'t>> {
    let pairs = children(object).into_iter().filter(|node| node.kind() == "pair");
    let entry = |pair: Node<'t>| {
        let key = pair.child_by_field_name("key")?;
        Some(Entry { key: text(json, key)?, value: pair.child_by_field_name("value")?, line: line(key) })
    };
    pairs.filter_map(entry).collect()
}

/// The entries below a key of an object.
pub(super) fn below<'t>(json: &Parsed<'_>, object: Node<'t>, key: &str) -> Vec<Entry<'t>> {
    get(json, object, key).map_or_else(Vec::new, |entry| entries(json, entry.value))
}

/// The entry of a key.
pub(super) fn get<'t>(json: &Parsed<'_>, object: Node<'t>, key: &str) -> Option<Entry<'t>> {
    entries(json, object).into_iter().find(|entry| entry.key == key)
}

/// The value of a string.
pub(super) fn text(json: &Parsed<'_>, node: Node<'_>) -> Option<String> {
    if node.kind() == "string" { serde_json::from_str(json.says(node)).ok() } else { None }
}
