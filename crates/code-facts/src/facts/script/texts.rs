//! String literals of a script, also through constants, including those of other files.

use super::super::found::{FactKind, FoundFact, WRITTEN};
use super::super::holes;
use super::super::tree::{Steps, children, line};
use super::{Module, unescaped};
use tree_sitter::Node;

/// Objects within objects that are followed.
const DEEPEST: usize = 8;

impl<'p> Module<'p> {
    /// `const API = "/api"`, `const config = { api: { prefix: "/api" } }`, `enum Paths { Users = "/users" }`.
    pub(super) fn note_value(&mut self, node: Node<'p>) {
        match node.kind() {
            "variable_declarator" => {
                let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier");
                let (Some(name), Some(value)) = (name, node.child_by_field_name("value")) else { return };
                let around = node.parent().and_then(|declared| declared.parent());
                if around.is_some_and(|around| matches!(around.kind(), "program" | "export_statement")) {
                    self.keep(self.parsed.says(name).to_owned(), value);
                    self.note_object(value, "", DEEPEST);
                }
            }
            "export_statement" => {
                if let Some(value) = node.child_by_field_name("value") {
                    self.note_object(value, "", DEEPEST);
                }
            }
            "assignment_expression" => {
                let Some(value) = node.child_by_field_name("right") else { return };
                let to = self.parsed.field(node, "left");
                match to.strip_prefix("module.exports.").or_else(|| to.strip_prefix("exports.")) {
                    Some(name) => self.keep(name.to_owned(), value),
                    None if to == "module.exports" => self.note_object(value, "", DEEPEST),
                    None => {}
                }
            }
            "enum_assignment" => {
                if let Some(value) = node.child_by_field_name("value") {
                    self.keep(format!(".{}", self.parsed.field(node, "name")), value);
                }
            }
            _ => {}
        }
    }

    fn note_object(&mut self, value: Node<'p>, above: &str, depth: usize) {
        let value = bare(value);
        if value.kind() != "object" || depth == 0 {
            return;
        }
        for pair in children(value).into_iter().filter(|pair| pair.kind() == "pair") {
            if let Some(value) = pair.child_by_field_name("value") {
                let name = format!("{above}.{}", self.parsed.field(pair, "key").trim_matches(['"', '\'']));
                self.note_object(value, &name, depth - 1);
                self.keep(name, value);
            }
        }
    }

    fn keep(&mut self, name: String, value: Node<'p>) {
        self.values.entry(name).and_modify(|known| *known = None).or_insert(Some(value));
    }

    /// The constants that may be parts of paths in other files.
    pub(super) fn stated(&self) -> Vec<FoundFact> {
        let texts =
            self.values.iter().filter_map(|(name, value)| Some((name, self.text_of((*value)?, None, &Steps::default())?, (*value)?)));
        let parts = texts.filter(|(_, text, _)| holes::is_part(text));
        parts.map(|(name, text, value)| FoundFact::new(FactKind::Constant, name, text, line(value), WRITTEN)).collect()
    }

    /// A text that is written out here or, in parts, in other files; the latter `required` or not.
    pub(super) fn text(&self, node: Node<'p>, required: bool) -> Option<String> {
        self.text_of(node, Some(required), &Steps::default())
    }

    fn text_of(&self, node: Node<'p>, required: Option<bool>, steps: &Steps) -> Option<String> {
        steps.take()?;
        let of = |node: Node<'p>| self.text_of(node, required, steps);
        let node = bare(node);
        let said = self.parsed.says(node);
        match node.kind() {
            "string" | "template_string" => {
                let part = |part: &Node<'p>| match part.kind() {
                    "string_fragment" | "escape_sequence" => Some(unescaped(self.parsed.says(*part)).to_owned()),
                    _ => of(*children(*part).first()?),
                };
                children(node).iter().map(part).collect()
            }
            "binary_expression" if self.parsed.field(node, "operator") == "+" => {
                Some(of(node.child_by_field_name("left")?)? + &of(node.child_by_field_name("right")?)?)
            }
            "identifier" => match self.values.get(said) {
                Some(value) => of((*value)?),
                None => {
                    let (module, exact, name) = self.local.get(said)?;
                    Some(holes::hole(module, *exact, name, required?))
                }
            },
            "member_expression" => {
                let mut rests = std::iter::successors(said.split_once('.').map(|(_, rest)| rest), |rest| Some(rest.split_once('.')?.1));
                match rests.find_map(|rest| self.values.get(&format!(".{rest}"))) {
                    Some(value) => of((*value)?),
                    None => self.hole_of(said, required?),
                }
            }
            _ => None,
        }
    }

    /// The place of a text that an object holds.
    fn hole_of(&self, said: &str, required: bool) -> Option<String> {
        let plain = said.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
        let (base, rest) = said.split_once('.').filter(|(base, _)| plain && !matches!(*base, "process" | "req" | "request"))?;
        match self.local.get(base) {
            Some((module, exact, name)) => Some(holes::hole(module, *exact, &format!("{name}.{rest}"), required)),
            None if required => None,
            None => Some(holes::hole("", false, said, required)),
        }
    }
}

/// An expression without what only states its type.
fn bare(mut node: Node<'_>) -> Node<'_> {
    while matches!(node.kind(), "as_expression" | "satisfies_expression" | "parenthesized_expression" | "non_null_expression") {
        match children(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}
