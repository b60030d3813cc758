//! Routers that a Go function passes to another, or mounts from another: `users.Register(v1.Group("/users"))`,
//! `r.Mount("/users", users.Routes())`.

use super::super::endpoints::below;
use super::super::found::FoundFact;
use super::super::routers::Mount;
use super::super::tree::{Steps, children, line};
use super::File;
use super::scopes::{Bound, Place, around};
use tree_sitter::Node;

/// The type of a method whose receiver is unknown.
const ANY_TYPE: &str = "?";

/// A function of this package or another: its package, whether that is a folder of the project, and its name.
type Target = (String, bool, String);

impl<'p> File<'p> {
    /// What a call mounts or passes on.
    pub(super) fn note_mount(&mut self, call: Node<'p>) {
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        match self.scopes.method_call(call) {
            Some((receiver, "Mount", _)) if arguments.len() == 2 => {
                if let (Some(path), Some(place)) = (self.scopes.text(arguments[0]), self.scopes.place(receiver)) {
                    self.mount(&Place { path: below(&place.path, &path), ..place }, arguments[1], call);
                }
            }
            Some((receiver, "Handle", _)) if arguments.len() == 2 => {
                if let (Some((path, inner)), Some(place)) = (self.stripped(arguments[1]), self.scopes.place(receiver)) {
                    self.mount(&Place { path: below(&place.path, &path), ..place }, inner, call);
                }
            }
            // `r.Route("/users", users.Routes)`, `r.Group(users.Routes)`
            Some((receiver, "Route" | "Group", _)) => {
                let path = match arguments.as_slice() {
                    [path, _] => self.scopes.text(*path),
                    [_] => Some(String::new()),
                    _ => None,
                };
                let routes = arguments.last().filter(|routes| matches!(routes.kind(), "identifier" | "selector_expression"));
                let target = routes.filter(|routes| self.scopes.text(**routes).is_none()).and_then(|routes| self.target(*routes));
                if let (Some(path), Some((module, exact, name)), Some(place)) = (path, target, self.scopes.place(receiver)) {
                    self.away.push((Place { path: below(&place.path, &path), ..place }, (module, exact, format!("{name}/0")), line(call)));
                }
            }
            _ => {}
        }
        for (at, argument) in arguments.iter().enumerate().filter(|(_, argument)| self.scopes.is_router(**argument)) {
            let function = call.child_by_field_name("function").and_then(|function| self.target(function));
            if let (Some((module, exact, name)), Some(place)) = (function, self.scopes.place(*argument)) {
                self.away.push((place, (module, exact, format!("{name}/{at}")), line(call)));
            }
        }
    }

    /// The prefix and the handler of `http.StripPrefix("/api", api)`.
    pub(super) fn stripped(&self, node: Node<'p>) -> Option<(String, Node<'p>)> {
        let (_, name, arguments) = self.scopes.method_call(node)?;
        let [path, inner] = arguments.as_slice() else { return None };
        (name == "StripPrefix").then_some((self.scopes.text(*path)?, *inner))
    }

    fn mount(&mut self, place: &Place, router: Node<'p>, call: Node<'p>) {
        let made = match router.kind() {
            "identifier" => match self.scopes.bound(self.parsed.says(router), router.start_byte()) {
                Some(Bound::Value(value)) => {
                    if let Some(inner) = self.scopes.place(router).filter(|inner| inner.path.is_empty()) {
                        self.mounts.note(&inner.root, &place.root, place.path.clone());
                    }
                    value
                }
                _ => return,
            },
            _ => router,
        };
        let function = made.child_by_field_name("function").filter(|_| made.kind() == "call_expression");
        if let Some(target) = function.and_then(|function| self.target(function)) {
            self.away.push((place.clone(), target, line(call)));
        }
    }

    /// `return r`: what a function makes is what its callers mount.
    pub(super) fn note_return(&mut self, node: Node<'p>) {
        let literal = around(node, &["func_literal", "function_declaration", "method_declaration"]);
        if literal.is_none_or(|function| function.kind() == "func_literal") {
            return;
        }
        let mut open = children(node);
        open.reverse();
        while let Some(node) = open.pop() {
            if node.kind() == "identifier" {
                let made = self.scopes.bound(self.parsed.says(node), node.start_byte());
                if let Some(place) = self.scopes.place(node).filter(|place| matches!(made, Some(Bound::Value(_))) && place.path.is_empty())
                {
                    let function = self.scopes.function_of(node);
                    if place.root.starts_with(&format!("{function}.")) {
                        self.mounts.note(&place.root, &function, String::new());
                        return;
                    }
                }
            } else if matches!(node.kind(), "expression_list" | "call_expression" | "argument_list") {
                open.extend(children(node).into_iter().rev());
            }
        }
    }

    /// The function that an expression names, if it may be one of the project's.
    fn target(&self, function: Node<'p>) -> Option<Target> {
        self.target_within(function, &Steps::default())
    }

    fn target_within(&self, function: Node<'p>, steps: &Steps) -> Option<Target> {
        steps.take()?;
        match function.kind() {
            "identifier" => Some((self.folder.clone(), true, self.parsed.says(function).to_owned())),
            "selector_expression" => {
                let (operand, name) = (function.child_by_field_name("operand")?, self.parsed.field(function, "field"));
                match self.package(operand) {
                    Some(package) => Some((package.to_owned(), false, name.to_owned())),
                    None => {
                        let (module, exact, kind) = self.type_of(operand, steps).unwrap_or_default();
                        let kind = if kind.is_empty() { ANY_TYPE } else { &kind };
                        Some((module, exact, format!("{kind}.{name}")))
                    }
                }
            }
            _ => None,
        }
    }

    /// The path of the package that a name refers to.
    fn package(&self, node: Node<'p>) -> Option<&str> {
        let name = self.parsed.says(node);
        let is_package = node.kind() == "identifier" && self.scopes.bound(name, node.start_byte()).is_none();
        self.packages.get(name).filter(|_| is_package).map(String::as_str)
    }

    /// Package and name of a value's type, as far as this file shows them.
    fn type_of(&self, node: Node<'p>, steps: &Steps) -> Option<Target> {
        steps.take()?;
        let inner = match node.kind() {
            "unary_expression" => node.child_by_field_name("operand")?,
            "parenthesized_expression" => *children(node).first()?,
            "identifier" => match self.scopes.bound(self.parsed.says(node), node.start_byte())? {
                Bound::Value(value) if value.kind() != "identifier" => value,
                Bound::Value(_) => return None,
                Bound::Parameter { kind, .. } => return self.named_type(kind),
            },
            _ => node,
        };
        match inner.kind() {
            "composite_literal" => self.named_type(inner.child_by_field_name("type")?),
            "unary_expression" | "parenthesized_expression" if inner != node => self.type_of(inner, steps),
            "call_expression" => {
                let (module, exact, name) = self.target_within(inner.child_by_field_name("function")?, steps)?;
                // By the usual name of a type's constructor.
                Some((module, exact, name.strip_prefix("New")?.to_owned()))
            }
            _ => None,
        }
    }

    fn named_type(&self, kind: Node<'p>) -> Option<Target> {
        let said = self.parsed.says(kind).trim_start_matches('*');
        let name = self.scopes.type_name(kind).to_owned();
        match said.split_once('.') {
            Some((package, _)) => Some((self.packages.get(package)?.clone(), false, name)),
            None => Some((self.folder.clone(), true, name)),
        }
    }

    /// The routers of other functions that this file mounts or passes on.
    pub(super) fn mounted_away(&mut self) -> Vec<FoundFact> {
        let away = std::mem::take(&mut self.away);
        away.into_iter()
            .map(|(place, (module, exact, name), line)| {
                let path = below(&self.mounts.prefix(&place.root, &|_| String::new()), &place.path);
                let on = self.mounts.root(&place.root).to_owned();
                FoundFact::mount(&path, Mount { module, exact, name, on, replaces: false }, line)
            })
            .collect()
    }
}
