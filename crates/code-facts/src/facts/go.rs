//! Facts of Go code.

use super::endpoints::{ANY_METHOD, below, endpoint, method};
use super::found::{FactKind, FoundFact, INLINE, WRITTEN};
use super::frameworks::{self, Ecosystem};
use super::tree::{Parsed, children, line};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Frameworks whose routers have a method for each HTTP method.
const ROUTERS: &[&str] = &["Gin", "Echo", "Fiber", "chi", "HttpRouter", "Beego"];
/// Frameworks whose second argument is the handler; middleware follows it.
const SECOND_ANSWERS: &[&str] = &["Echo", "chi", "HttpRouter"];

struct File<'p> {
    parsed: &'p Parsed<'p>,
    frameworks: BTreeSet<&'static str>,
    /// Path prefixes of variables.
    prefixes: BTreeMap<&'p str, String>,
    /// Whether the standard library's server is used.
    serves: bool,
}

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let Some(parsed) = Parsed::of(Language::Go, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut file = File { parsed: &parsed, frameworks: BTreeSet::new(), prefixes: BTreeMap::new(), serves: false };
    let mut is_main = false;
    for node in parsed.nodes() {
        match node.kind() {
            "import_spec" => {
                let Some(package) = node.child_by_field_name("path").and_then(|path| text(&parsed, path)) else { continue };
                file.serves |= package == "net/http";
                if let Some(used) = frameworks::used(Ecosystem::Go, package, line(node)) {
                    file.frameworks.extend(frameworks::name_of(Ecosystem::Go, package));
                    found.push(used);
                }
            }
            "package_clause" => is_main = children(node).first().is_some_and(|name| parsed.says(*name) == "main"),
            "function_declaration" if is_main && parsed.field(node, "name") == "main" => {
                found.push(FoundFact::new(FactKind::EntryPoint, path, "main", line(node), WRITTEN));
            }
            "short_var_declaration" => file.note_prefix(node),
            _ => {}
        }
    }
    if file.serves || !file.frameworks.is_empty() {
        found.extend(parsed.nodes().filter(|node| node.kind() == "call_expression").flat_map(|call| file.route(call)));
    }
    found
}

impl<'p> File<'p> {
    /// `v1 := r.Group("/v1")`, `v1 := r.PathPrefix("/v1").Subrouter()`.
    fn note_prefix(&mut self, declaration: Node<'p>) {
        let first = |name: &str| declaration.child_by_field_name(name).and_then(|list| children(list).first().copied());
        let (Some(name), Some(call)) = (first("left"), first("right")) else { return };
        let group = match self.method_call(call) {
            Some((made, "Subrouter", _)) => self.method_call(made).filter(|(_, name, _)| *name == "PathPrefix"),
            group => group.filter(|(_, name, _)| *name == "Group"),
        };
        let Some((receiver, _, arguments)) = group else { return };
        if let Some(path) = arguments.first().and_then(|path| text(self.parsed, *path)) {
            let prefix = below(self.prefix(receiver), path);
            self.prefixes.insert(self.parsed.says(name), prefix);
        }
    }

    fn prefix(&self, receiver: Node<'p>) -> &str {
        self.prefixes.get(self.parsed.says(receiver)).map_or("", String::as_str)
    }

    /// The receiver, the name and the arguments of a method call.
    fn method_call(&self, call: Node<'p>) -> Option<(Node<'p>, &'p str, Vec<Node<'p>>)> {
        let function = call.child_by_field_name("function").filter(|function| function.kind() == "selector_expression")?;
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        Some((function.child_by_field_name("operand")?, self.parsed.field(function, "field"), arguments))
    }

    fn route(&self, call: Node<'p>) -> Vec<FoundFact> {
        let Some((receiver, name, arguments)) = self.method_call(call) else { return Vec::new() };
        if arguments.len() < 2 {
            return Vec::new();
        }
        let Some(path) = text(self.parsed, arguments[0]) else { return Vec::new() };
        let (methods, path) = match name {
            "HandleFunc" | "Handle" => self.handled(call, path),
            _ => match self.method_of(name).filter(|_| path.starts_with('/') || path.is_empty()) {
                Some(method) => (vec![method], path),
                None => return Vec::new(),
            },
        };
        if path.is_empty() && !self.prefixes.contains_key(self.parsed.says(receiver)) {
            return Vec::new();
        }
        let at = if SECOND_ANSWERS.iter().any(|name| self.frameworks.contains(name)) || name.starts_with("Handle") {
            1
        } else {
            arguments.len() - 1
        };
        let handler = self.handler(arguments[at]);
        let outer = self.routes_around(call);
        let path = below(&outer, &below(self.prefix(receiver), path));
        methods.into_iter().map(|method| endpoint(method, &path, &handler, line(call_name(call)))).collect()
    }

    /// The HTTP method of a router's method: in capitals or as a word, depending on the framework.
    fn method_of(&self, name: &str) -> Option<&'static str> {
        let is_word = name.starts_with(|c: char| c.is_ascii_uppercase()) && !matches!(name, "Del" | "DEL");
        let has_router = ROUTERS.iter().any(|router| self.frameworks.contains(router));
        method(name).filter(|_| is_word && has_router)
    }

    /// The methods and the path of `HandleFunc("GET /users", …)` or of `HandleFunc("/users", …).Methods("GET")`.
    fn handled(&self, call: Node<'p>, pattern: &'p str) -> (Vec<&'static str>, &'p str) {
        let (named, path) = match pattern.split_once(' ') {
            Some((word, path)) => (method(word), path.trim()),
            None => (None, pattern),
        };
        if let Some(method) = named {
            return (vec![method], path);
        }
        if !path.starts_with('/') {
            return (Vec::new(), path);
        }
        let around = call.parent().filter(|parent| parent.kind() == "selector_expression").and_then(|selector| selector.parent());
        let methods = around.and_then(|around| self.method_call(around)).filter(|(_, name, _)| *name == "Methods").map(|(_, _, words)| {
            let said =
                |word: &Node<'p>| text(self.parsed, *word).unwrap_or_else(|| self.parsed.says(*word).trim_start_matches("http.Method"));
            words.iter().filter_map(|word| method(said(word))).collect()
        });
        (methods.unwrap_or_else(|| vec![ANY_METHOD]), path)
    }

    /// Path prefix within `r.Route("/users", func(r chi.Router) { … })`.
    fn routes_around(&self, call: Node<'p>) -> String {
        let mut prefix = String::new();
        let mut node = call;
        while let Some(parent) = node.parent() {
            if parent.kind() == "call_expression"
                && let Some((_, "Route", arguments)) = self.method_call(parent)
                && let Some(path) = arguments.first().and_then(|path| text(self.parsed, *path))
            {
                prefix = below(path, &prefix);
            }
            node = parent;
        }
        prefix
    }

    fn handler(&self, node: Node<'p>) -> String {
        match node.kind() {
            "func_literal" => INLINE.to_owned(),
            "call_expression" => {
                node.child_by_field_name("function").map_or_else(|| INLINE.to_owned(), |function| self.parsed.brief(function))
            }
            _ => self.parsed.brief(node),
        }
    }
}

/// The node with the name of the called method.
fn call_name(call: Node<'_>) -> Node<'_> {
    call.child_by_field_name("function").and_then(|function| function.child_by_field_name("field")).unwrap_or(call)
}

fn text<'p>(parsed: &'p Parsed<'_>, node: Node<'p>) -> Option<&'p str> {
    let said = parsed.says(node);
    match node.kind() {
        "interpreted_string_literal" => said.strip_prefix('"')?.strip_suffix('"'),
        "raw_string_literal" => said.strip_prefix('`')?.strip_suffix('`'),
        _ => None,
    }
}
