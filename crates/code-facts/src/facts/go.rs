//! Facts of Go code.

mod handed;
mod scopes;

use super::endpoints::{ANY_METHOD, below, endpoint, method};
use super::found::{FactKind, FoundFact, INLINE, WRITTEN, folder};
use super::frameworks::{self, Ecosystem};
use super::mounts::Mounts;
use super::tree::{Parsed, children, line};
use crate::Language;
use scopes::{Bound, Place, Scopes};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Frameworks whose routers have a method for each HTTP method.
const ROUTERS: &[&str] = &["Gin", "Echo", "Fiber", "chi", "HttpRouter", "Beego"];
/// Frameworks whose second argument is the handler; middleware follows it.
const SECOND_ANSWERS: &[&str] = &["Echo", "chi", "HttpRouter"];

struct File<'p> {
    parsed: &'p Parsed<'p>,
    /// The folder of its package.
    folder: String,
    frameworks: BTreeSet<&'static str>,
    /// Paths of imported packages, by their names here.
    packages: BTreeMap<&'p str, String>,
    scopes: Scopes<'p>,
    mounts: Mounts,
    /// Routers that other functions receive or make: where they are mounted, the function (its package, whether that is a folder of the
    /// project, its name), and the line.
    away: Vec<(Place, (String, bool, String), u32)>,
    /// Whether the standard library's server is used.
    serves: bool,
}

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let Some(parsed) = Parsed::of(Language::Go, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut file = File {
        parsed: &parsed,
        folder: folder(path).to_owned(),
        frameworks: BTreeSet::new(),
        packages: BTreeMap::new(),
        scopes: Scopes::of(&parsed),
        mounts: Mounts::default(),
        away: Vec::new(),
        serves: false,
    };
    let mut is_main = false;
    for node in parsed.nodes() {
        match node.kind() {
            "import_spec" => {
                let Some(package) = node.child_by_field_name("path").and_then(|path| text(&parsed, path)) else { continue };
                file.serves |= package == "net/http";
                let named = parsed.field(node, "name");
                let name = if named.is_empty() { package_name(package) } else { named };
                file.packages.insert(name, package.to_owned());
                if let Some(used) = frameworks::used(Ecosystem::Go, package, line(node)) {
                    file.frameworks.extend(frameworks::name_of(Ecosystem::Go, package));
                    found.push(used);
                }
            }
            "package_clause" => is_main = children(node).first().is_some_and(|name| parsed.says(*name) == "main"),
            "function_declaration" if is_main && parsed.field(node, "name") == "main" => {
                found.push(FoundFact::new(FactKind::EntryPoint, path, "main", line(node), WRITTEN));
            }
            _ => {}
        }
    }
    // Files that import no framework may pass on what a package of the project creates.
    for node in parsed.nodes() {
        match node.kind() {
            "call_expression" => file.note_mount(node),
            "return_statement" => file.note_return(node),
            _ => {}
        }
    }
    found.extend(file.mounted_away());
    if file.serves || !file.frameworks.is_empty() {
        found.extend(parsed.nodes().filter(|node| node.kind() == "call_expression").flat_map(|call| file.route(call)));
    }
    found
}

/// The usual name of a package by its path: a version at the end does not count.
fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or("");
    let is_version = last.strip_prefix('v').is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    if is_version { parts.next().unwrap_or(last) } else { last }
}

impl<'p> File<'p> {
    fn route(&self, call: Node<'p>) -> Vec<FoundFact> {
        let Some((receiver, name, arguments)) = self.scopes.method_call(call) else { return Vec::new() };
        if arguments.len() < 2 {
            let pathed = arguments.first().filter(|_| matches!(name, "Handler" | "HandlerFunc")).zip(self.pathed(receiver));
            return pathed.map_or_else(Vec::new, |(handler, (on, methods, path))| self.served(call, on, methods, &path, *handler));
        }
        let matched = (name == "Match" && arguments.len() > 2).then(|| self.matched(arguments[0], arguments[1])).flatten();
        let first = matched.as_ref().map(|(_, path)| path.clone()).or_else(|| self.scopes.text(arguments[0]));
        let Some(first) = first else { return Vec::new() };
        let named =
            (arguments.len() > 2).then(|| self.named(name, &first, arguments[1]).map(|(method, path)| (vec![method], path))).flatten();
        let named = matched.or(named);
        let is_named = named.is_some();
        let (methods, path) = match (named, name) {
            (Some(named), _) => named,
            (None, "HandleFunc" | "Handle") if self.is_mounted(arguments[1]) => return Vec::new(),
            (None, "HandleFunc" | "Handle") => self.handled(call, &first),
            (None, _) => match self.method_of(name).filter(|_| first.starts_with('/') || first.is_empty()) {
                Some(method) => (vec![method], first),
                None => return Vec::new(),
            },
        };
        let at = match name {
            _ if is_named => arguments.len() - 1,
            _ if SECOND_ANSWERS.iter().any(|name| self.frameworks.contains(name)) || name.starts_with("Handle") => 1,
            _ => arguments.len() - 1,
        };
        self.served(call, receiver, methods, &path, arguments[at])
    }

    /// The endpoints that are registered on a router.
    fn served(&self, call: Node<'p>, receiver: Node<'p>, methods: Vec<&'static str>, path: &str, handler: Node<'p>) -> Vec<FoundFact> {
        let Some(place) = self.scopes.place(receiver).filter(|place| !path.is_empty() || self.is_below(receiver, place)) else {
            return Vec::new();
        };
        let handler = self.handler(handler);
        let served = below(&self.mounts.prefix(&place.root, &|_| String::new()), &below(&place.path, path));
        let root = self.mounts.root(&place.root);
        let told = methods.into_iter().map(|method| endpoint(method, &served, &handler, line(call_name(call))).served_by(root, ""));
        told.map(|fact| if served.is_empty() { fact.bare() } else { fact }).collect()
    }

    /// The router, the methods and the path of `r.Path("/users").Methods("GET")`.
    fn pathed(&self, mut route: Node<'p>) -> Option<(Node<'p>, Vec<&'static str>, String)> {
        let mut methods = Vec::new();
        loop {
            let (receiver, name, arguments) = self.scopes.method_call(route)?;
            match name {
                "Path" => {
                    let methods = if methods.is_empty() { vec![ANY_METHOD] } else { methods };
                    return Some((receiver, methods, self.scopes.text(*arguments.first()?)?));
                }
                "Methods" => methods.extend(arguments.iter().filter_map(|word| self.word(*word))),
                "Host" | "Headers" | "Schemes" | "Queries" | "Name" => {}
                _ => return None,
            }
            route = receiver;
        }
    }

    /// Method and path of `r.Handle("GET", "/users", list)`, `r.Method("GET", "/users", list)`, `e.Add("GET", "/users", list)`.
    fn named(&self, name: &str, word: &str, path: Node<'p>) -> Option<(&'static str, String)> {
        let is_one = matches!(name, "Handle" | "HandleFunc" | "Handler" | "HandlerFunc" | "Method" | "MethodFunc" | "Add");
        let is_word = is_one && word.bytes().all(|b| b.is_ascii_uppercase());
        method(word).filter(|_| is_word).zip(self.scopes.text(path).filter(|path| path.starts_with('/')))
    }

    /// Methods and path of `e.Match([]string{"GET", "POST"}, "/users", list)`.
    fn matched(&self, methods: Node<'p>, path: Node<'p>) -> Option<(Vec<&'static str>, String)> {
        let words = methods.child_by_field_name("body").filter(|_| methods.kind() == "composite_literal")?;
        let word = |element: Node<'p>| children(element).first().copied().unwrap_or(element);
        let methods = children(words).into_iter().map(word).filter_map(|word| self.word(word)).collect();
        Some((methods, self.scopes.text(path)?))
    }

    /// The method that `"GET"`, `http.MethodGet` or `echo.GET` names.
    fn word(&self, node: Node<'p>) -> Option<&'static str> {
        let said = text(self.parsed, node).unwrap_or_else(|| self.parsed.says(node).rsplit('.').next().unwrap_or(""));
        method(said.trim_start_matches("Method"))
    }

    /// Whether routes of a router may have no path of their own: it is a group, or another function's.
    fn is_below(&self, receiver: Node<'p>, place: &Place) -> bool {
        let is_handed = || match self.scopes.bound(self.parsed.says(receiver), receiver.start_byte()) {
            Some(Bound::Parameter { place, .. }) => place.is_some() && self.scopes.is_router(receiver),
            _ => false,
        };
        !place.path.is_empty() || is_handed()
    }

    /// Whether a handler is a router of this file, whose routes are reported below its prefix.
    fn is_mounted(&self, handler: Node<'p>) -> bool {
        let made = self.stripped(handler).filter(|(_, inner)| inner.kind() == "identifier");
        let bound = made.and_then(|(_, inner)| self.scopes.bound(self.parsed.says(inner), inner.start_byte()));
        matches!(bound, Some(Bound::Value(value)) if self.scopes.is_made(value))
    }

    /// The HTTP method of a router's method: in capitals or as a word, depending on the framework.
    fn method_of(&self, name: &str) -> Option<&'static str> {
        let is_word = name.starts_with(|c: char| c.is_ascii_uppercase()) && !matches!(name, "Del" | "DEL");
        let has_router = ROUTERS.iter().any(|router| self.frameworks.contains(router));
        method(name).filter(|_| is_word && has_router)
    }

    /// The methods and the path of `HandleFunc("GET /users", …)` or of `HandleFunc("/users", …).Methods("GET")`.
    fn handled(&self, call: Node<'p>, pattern: &str) -> (Vec<&'static str>, String) {
        let (named, path) = match pattern.split_once(' ') {
            // The host before it is not part of it.
            Some((word, path)) => (method(word), path.find('/').map_or(path, |at| &path[at..]).trim()),
            None => (None, pattern),
        };
        if let Some(method) = named {
            return (vec![method], path.to_owned());
        }
        if !path.starts_with('/') {
            return (Vec::new(), path.to_owned());
        }
        let around = call.parent().filter(|parent| parent.kind() == "selector_expression").and_then(|selector| selector.parent());
        let methods = around
            .and_then(|around| self.scopes.method_call(around))
            .filter(|(_, name, _)| *name == "Methods")
            .map(|(_, _, words)| words.iter().filter_map(|word| self.word(*word)).collect());
        (methods.unwrap_or_else(|| vec![ANY_METHOD]), path.to_owned())
    }

    fn handler(&self, node: Node<'p>) -> String {
        match node.kind() {
            "func_literal" => INLINE.to_owned(),
            "call_expression" => {
                let Some(function) = node.child_by_field_name("function") else { return INLINE.to_owned() };
                let given = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
                match given.as_slice() {
                    // `http.HandlerFunc(list)` only states the type of the handler.
                    [only] if self.parsed.says(function).ends_with("HandlerFunc") => self.handler(*only),
                    _ => self.parsed.brief(function),
                }
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
