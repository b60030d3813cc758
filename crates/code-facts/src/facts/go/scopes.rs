//! What a name in a Go file refers to where it is used: variables, parameters, and the routers behind them.

use super::super::endpoints::below;
use super::super::tree::{Parsed, children};
use std::collections::BTreeMap;
use std::ops::Range;
use tree_sitter::Node;

/// Steps from name to name that are followed, and nested expressions: more is a circle.
const DEEPEST: usize = 8;
/// Bindings of one name that are looked at.
const MOST: usize = 500;
/// Packages' functions that make a router.
const MAKERS: &[&str] = &["New", "NewRouter", "NewMux", "NewServeMux", "Default", "Classic"];
/// Types of routers, without their packages.
const ROUTERS: &[&str] =
    &["Engine", "RouterGroup", "IRouter", "IRoutes", "Router", "Mux", "ServeMux", "Echo", "Group", "App", "Namespace", "Routes"];

/// What a name refers to.
#[derive(Clone, Copy)]
pub(super) enum Bound<'p> {
    Value(Node<'p>),
    /// The parameter of a function, by its place in the list; `None` for a method's receiver.
    Parameter {
        function: Node<'p>,
        place: Option<usize>,
        kind: Node<'p>,
    },
}

struct Binding<'p> {
    at: usize,
    scope: Range<usize>,
    to: Bound<'p>,
}

/// The names of a file.
pub(super) struct Scopes<'p> {
    parsed: &'p Parsed<'p>,
    names: BTreeMap<&'p str, Vec<Binding<'p>>>,
}

/// A router: the one that it ends up on within its function, and its path below that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) root: String,
    pub(super) path: String,
}

impl<'p> Scopes<'p> {
    pub(super) fn of(parsed: &'p Parsed<'p>) -> Scopes<'p> {
        let mut scopes = Scopes { parsed, names: BTreeMap::new() };
        parsed.nodes().for_each(|node| scopes.note(node));
        scopes.names.values_mut().for_each(|bindings| bindings.sort_by_key(|binding| binding.at));
        scopes
    }

    fn note(&mut self, node: Node<'p>) {
        match node.kind() {
            "assignment_statement" if self.parsed.field(node, "operator") != "=" => {}
            "short_var_declaration" | "assignment_statement" => {
                let names = node.child_by_field_name("left").map_or_else(Vec::new, children);
                let values = node.child_by_field_name("right").map_or_else(Vec::new, children);
                self.note_values(node, &names, &values);
            }
            "var_spec" | "const_spec" => {
                let mut cursor = node.walk();
                let names: Vec<Node<'p>> = node.children_by_field_name("name", &mut cursor).collect();
                let values = node.child_by_field_name("value").map_or_else(Vec::new, children);
                self.note_values(node, &names, &values);
            }
            "function_declaration" | "method_declaration" | "func_literal" => self.note_parameters(node),
            _ => {}
        }
    }

    fn note_values(&mut self, at: Node<'p>, names: &[Node<'p>], values: &[Node<'p>]) {
        // It is known from the end of its statement on: `api := api.Group("/x")`. What belongs to no function is known everywhere.
        let (scope, at) = around(at, &["block"]).map_or((0..usize::MAX, 0), |block| (block.byte_range(), at.end_byte()));
        for (name, value) in names.iter().zip(values).filter(|(name, _)| name.kind() == "identifier") {
            let binding = Binding { at, scope: scope.clone(), to: Bound::Value(*value) };
            self.names.entry(self.parsed.says(*name)).or_default().push(binding);
        }
    }

    fn note_parameters(&mut self, function: Node<'p>) {
        let mut place = 0;
        for (field, is_receiver) in [("receiver", true), ("parameters", false)] {
            for declared in function.child_by_field_name(field).map_or_else(Vec::new, children) {
                let Some(kind) = declared.child_by_field_name("type") else { continue };
                let mut cursor = declared.walk();
                let names: Vec<Node<'p>> = declared.children_by_field_name("name", &mut cursor).collect();
                for name in &names {
                    let to = Bound::Parameter { function, place: (!is_receiver).then_some(place), kind };
                    let binding = Binding { at: function.start_byte(), scope: function.byte_range(), to };
                    self.names.entry(self.parsed.says(*name)).or_default().push(binding);
                    place += usize::from(!is_receiver);
                }
                place += usize::from(names.is_empty() && !is_receiver);
            }
        }
    }

    /// What a name refers to at a place of the file.
    pub(super) fn bound(&self, name: &str, at: usize) -> Option<Bound<'p>> {
        let bindings = self.names.get(name)?;
        let known = &bindings[..bindings.partition_point(|binding| binding.at <= at)];
        known.iter().rev().take(MOST).find(|binding| binding.scope.contains(&at)).map(|binding| binding.to)
    }

    /// A text that is written out here, also through constants.
    pub(super) fn text(&self, node: Node<'p>) -> Option<String> {
        self.text_within(node, DEEPEST)
    }

    fn text_within(&self, node: Node<'p>, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let said = self.parsed.says(node);
        match node.kind() {
            "interpreted_string_literal" => Some(said.strip_prefix('"')?.strip_suffix('"')?.to_owned()),
            "raw_string_literal" => Some(said.strip_prefix('`')?.strip_suffix('`')?.to_owned()),
            "parenthesized_expression" => self.text_within(*children(node).first()?, depth),
            "binary_expression" if self.parsed.field(node, "operator") == "+" => {
                let side = |name: &str| self.text_within(node.child_by_field_name(name)?, depth);
                Some(side("left")? + &side("right")?)
            }
            "identifier" => match self.bound(said, node.start_byte())? {
                Bound::Value(value) => self.text_within(value, depth),
                Bound::Parameter { .. } => None,
            },
            _ => None,
        }
    }

    /// The receiver, the name and the arguments of a method call.
    pub(super) fn method_call(&self, call: Node<'p>) -> Option<(Node<'p>, &'p str, Vec<Node<'p>>)> {
        let function = call.child_by_field_name("function").filter(|function| function.kind() == "selector_expression")?;
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        Some((function.child_by_field_name("operand")?, self.parsed.field(function, "field"), arguments))
    }

    /// The router that an expression is; `None` where its path is unknown.
    pub(super) fn place(&self, node: Node<'p>) -> Option<Place> {
        self.place_within(node, DEEPEST)
    }

    fn place_within(&self, node: Node<'p>, depth: usize) -> Option<Place> {
        let depth = depth.checked_sub(1)?;
        let unknown = || Place { root: self.function_of(node), path: String::new() };
        match node.kind() {
            "identifier" => {
                let name = self.parsed.says(node);
                match self.bound(name, node.start_byte()) {
                    None => Some(unknown()),
                    Some(Bound::Value(value)) => match self.place_within(value, depth) {
                        Some(place) => Some(place),
                        // A router whose path is unknown does not count as made here.
                        None if self.is_grouped(value) => None,
                        None => Some(self.made(value)),
                    },
                    Some(Bound::Parameter { place: None, .. }) => Some(unknown()),
                    Some(Bound::Parameter { function, place: Some(place), .. }) if function.kind() != "func_literal" => {
                        Some(Place { root: format!("{}/{place}", self.name_of(function)), path: String::new() })
                    }
                    Some(Bound::Parameter { function, .. }) => self.within(function, depth).unwrap_or_else(|| Some(unknown())),
                }
            }
            "unary_expression" => self.place_within(node.child_by_field_name("operand")?, depth),
            "parenthesized_expression" => self.place_within(*children(node).first()?, depth),
            "selector_expression" if self.parsed.field(node, "field") == "RouterGroup" => {
                self.place_within(node.child_by_field_name("operand")?, depth)
            }
            "selector_expression" => Some(unknown()),
            "call_expression" => {
                let (receiver, name, arguments) = self.method_call(node)?;
                match name {
                    "Group" | "Route" | "PathPrefix" if arguments.first().is_some_and(|first| first.kind() != "func_literal") => {
                        let path = self.text(arguments[0])?;
                        let place = self.place_within(receiver, depth)?;
                        Some(Place { path: below(&place.path, &path), ..place })
                    }
                    "Group" | "With" | "Use" | "Subrouter" | "StrictSlash" | "Methods" | "Host" | "Headers" | "Schemes" => {
                        self.place_within(receiver, depth)
                    }
                    _ => self.is_made(node).then(|| self.made(node)),
                }
            }
            _ => None,
        }
    }

    /// The router that a function literal is passed: `r.Route("/users", func(r chi.Router) { … })`. The outer `None`: it is not passed one.
    fn within(&self, literal: Node<'p>, depth: usize) -> Option<Option<Place>> {
        let call = literal.parent().filter(|list| list.kind() == "argument_list")?.parent()?;
        let (receiver, name, arguments) = self.method_call(call)?;
        match (name, arguments.as_slice()) {
            ("Route", [path, ..]) => Some(
                self.text(*path)
                    .zip(self.place_within(receiver, depth))
                    .map(|(path, place)| Place { path: below(&place.path, &path), ..place }),
            ),
            ("Group", [only]) if *only == literal => Some(self.place_within(receiver, depth)),
            _ => None,
        }
    }

    /// A router that is made here.
    fn made(&self, value: Node<'p>) -> Place {
        Place { root: format!("{}.{}", self.function_of(value), value.start_byte()), path: String::new() }
    }

    /// Whether an expression is a router below another.
    fn is_grouped(&self, node: Node<'p>) -> bool {
        self.method_call(node).is_some_and(|(_, name, _)| matches!(name, "Group" | "Route" | "PathPrefix" | "With" | "Use" | "Subrouter"))
    }

    /// Whether a value is a router that a package makes: `chi.NewRouter()`.
    pub(super) fn is_made(&self, value: Node<'p>) -> bool {
        self.method_call(value).is_some_and(|(package, name, _)| {
            MAKERS.contains(&name) && package.kind() == "identifier" && self.bound(self.parsed.says(package), value.start_byte()).is_none()
        })
    }

    /// Whether an argument is a router.
    pub(super) fn is_router(&self, node: Node<'p>) -> bool {
        match node.kind() {
            "call_expression" => self.is_grouped(node),
            "unary_expression" => node.child_by_field_name("operand").is_some_and(|inner| self.is_router(inner)),
            "selector_expression" => self.parsed.field(node, "field") == "RouterGroup",
            "identifier" => match self.bound(self.parsed.says(node), node.start_byte()) {
                Some(Bound::Value(value)) => self.is_grouped(value) || self.is_made(value),
                Some(Bound::Parameter { kind, .. }) => {
                    let name = self.parsed.says(kind).rsplit(['.', '*']).next().unwrap_or("");
                    ROUTERS.contains(&name)
                }
                None => false,
            },
            _ => false,
        }
    }

    /// The name of the function that a node is in, a method's below its type; empty outside of all functions.
    pub(super) fn function_of(&self, node: Node<'p>) -> String {
        around(node, &["function_declaration", "method_declaration"]).map_or_else(String::new, |function| self.name_of(function))
    }

    fn name_of(&self, function: Node<'p>) -> String {
        let name = self.parsed.field(function, "name");
        let receiver = function.child_by_field_name("receiver").and_then(|list| children(list).first().copied());
        match receiver.and_then(|receiver| receiver.child_by_field_name("type")) {
            Some(kind) => format!("{}.{name}", self.type_name(kind)),
            None => name.to_owned(),
        }
    }

    /// A type's name, without its package, pointer and parameters.
    pub(super) fn type_name(&self, kind: Node<'p>) -> &'p str {
        let said = self.parsed.says(kind).trim_start_matches(['*', '&']);
        let said = said.split(['[', '{']).next().unwrap_or("");
        said.rsplit('.').next().unwrap_or("")
    }
}

/// The nearest node of some kinds around another.
pub(super) fn around<'p>(mut node: Node<'p>, kinds: &[&str]) -> Option<Node<'p>> {
    loop {
        node = node.parent()?;
        if kinds.contains(&node.kind()) {
            return Some(node);
        }
    }
}
