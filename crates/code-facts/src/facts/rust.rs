//! Facts of Rust code.

mod modules;

use super::endpoints::{ANY_METHOD, below, endpoint, method};
use super::found::{FactKind, FoundFact, INLINE, WRITTEN};
use super::frameworks::{self, Ecosystem};
use super::mounts::Mounts;
use super::tree::{Parsed, children, line};
use crate::Language;
use modules::Modules;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Crates with attributes for endpoints.
const BY_ATTRIBUTES: &[&str] = &["actix_web", "rocket", "salvo", "ntex"];
/// Crates with router calls for endpoints.
const BY_ROUTERS: &[&str] = &["axum", "actix_web", "poem", "ntex"];

/// Crates that serve `/` below a prefix only with the slash at the end; others without it.
const KEEP_SLASH: &[&str] = &["actix_web", "ntex"];

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let Some(parsed) = Parsed::of(Language::Rust, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut crates = BTreeSet::new();
    for node in parsed.nodes() {
        if let Some((name, line)) = crate_of(&parsed, node) {
            crates.insert(name);
            found.extend(frameworks::used(Ecosystem::Rust, name, line));
        }
        if is_main(path, &parsed, node) {
            found.push(FoundFact::new(FactKind::EntryPoint, path, "main", line(node), WRITTEN));
        }
    }
    let by_attributes = BY_ATTRIBUTES.iter().any(|name| crates.contains(name));
    let by_routers = BY_ROUTERS.iter().any(|name| crates.contains(name));
    let mut modules = Modules::of(&parsed);
    for node in parsed.nodes().filter(|node| matches!(node.kind(), "call_expression" | "macro_invocation") && !is_tested(&parsed, *node)) {
        modules.note(node);
    }
    // A router that is mounted nowhere else is part of what its function creates.
    for made in parsed.nodes().filter(|node| node.kind() == "let_declaration") {
        if let Some(name) = made.child_by_field_name("pattern").filter(|pattern| pattern.kind() == "identifier") {
            modules.mounts.note(parsed.says(name), maker(&parsed, made), String::new());
        }
    }
    let (mounts, ties) = modules.ties();
    found.extend(ties);
    let placing = Placing { mounts, slash: KEEP_SLASH.iter().any(|name| crates.contains(name)) };
    // `#[macro_use] extern crate rocket` of another file, or a prelude, can bring a framework in.
    let sure = |fact: FoundFact, imported: bool| if imported { fact } else { fact.supposed() };
    let mut served = Vec::new();
    for node in parsed.nodes() {
        match node.kind() {
            "attribute_item" => served.extend(attribute(&parsed, node, &placing).into_iter().map(|fact| (node, sure(fact, by_attributes)))),
            "call_expression" => served.extend(route(&parsed, node, &placing).into_iter().map(|fact| (node, sure(fact, by_routers)))),
            _ => {}
        }
    }
    found.extend(served.into_iter().filter(|(node, _)| !is_tested(&parsed, *node)).map(|(_, fact)| fact));
    found
}

/// Whether a node is in a module for tests.
fn is_tested(parsed: &Parsed<'_>, node: Node<'_>) -> bool {
    parsed.around(node).filter(|parent| parent.kind() == "mod_item").any(|module| {
        let mut above = module.prev_named_sibling();
        while let Some(attribute) = above.filter(|sibling| sibling.kind() == "attribute_item") {
            if parsed.says(attribute).replace(' ', "") == "#[cfg(test)]" {
                return true;
            }
            above = attribute.prev_named_sibling();
        }
        false
    })
}

/// Where what a file serves is found.
struct Placing {
    mounts: Mounts,
    /// Whether `/` below a prefix ends with the slash.
    slash: bool,
}

impl Placing {
    /// The function that an endpoint is served by, if it is not mounted in its own file.
    fn root<'r>(&'r self, maker: &'r str) -> &'r str {
        self.mounts.root(maker)
    }

    /// A path below the prefix that is beside it, and below those of what makes or serves it.
    fn place(&self, maker: &str, prefix: &str, path: &str) -> String {
        let prefix = below(&self.mounts.prefix(maker, &|_| String::new()), prefix);
        if path == "/" && !self.slash && !prefix.is_empty() { prefix } else { below(&prefix, path) }
    }
}

/// The variable or the function whose value a node is a part of; empty if there is none.
fn maker<'p>(parsed: &'p Parsed<'_>, node: Node<'p>) -> &'p str {
    let name = |parent: Node<'p>| match parent.kind() {
        "let_declaration" => parent.child_by_field_name("pattern").filter(|pattern| pattern.kind() == "identifier"),
        "function_item" => parent.child_by_field_name("name"),
        _ => None,
    };
    parsed.around(node).find_map(name).map_or("", |name| parsed.says(name))
}

/// The crate that a path begins with, as far as the path shows it.
fn crate_of<'p>(parsed: &'p Parsed<'_>, node: Node<'p>) -> Option<(&'p str, u32)> {
    let first = match node.kind() {
        "scoped_identifier" | "scoped_use_list" | "use_as_clause" | "use_wildcard" => {
            node.child_by_field_name("path").or_else(|| node.child(0))?
        }
        "use_declaration" => node.child_by_field_name("argument")?,
        "extern_crate_declaration" => node.child_by_field_name("name")?,
        _ => return None,
    };
    (first.kind() == "identifier").then(|| (parsed.says(first), line(node)))
}

/// Whether a node is the main function.
fn is_main(path: &str, parsed: &Parsed<'_>, node: Node<'_>) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_program = name == "main.rs" || folder == "bin" || folder.ends_with("/bin");
    let is_top = || node.parent().is_some_and(|parent| parent.kind() == "source_file");
    is_program && node.kind() == "function_item" && parsed.field(node, "name") == "main" && is_top()
}

/// `#[get("/users")]` above a function.
fn attribute(parsed: &Parsed<'_>, item: Node<'_>, placing: &Placing) -> Vec<FoundFact> {
    let Some(attribute) = children(item).into_iter().find(|child| child.kind() == "attribute") else { return Vec::new() };
    let Some(name) = attribute.child(0) else { return Vec::new() };
    let verb = parsed.says(name).rsplit("::").next().unwrap_or("");
    let Some(tokens) = attribute.child_by_field_name("arguments") else { return Vec::new() };
    let words = children(tokens);
    // Below a scope an endpoint may have no path of its own.
    let path = words.iter().find_map(|word| text(parsed, *word)).filter(|path| path.starts_with('/') || path.is_empty());
    let (Some(path), Some(handler)) = (path, function_below(parsed, item)) else { return Vec::new() };
    // A query is not part of the path.
    let path = placing.place(handler, "", path.split('?').next().unwrap_or(""));
    let methods: Vec<&str> = match verb {
        "route" => {
            let named = words.iter().filter_map(|word| text(parsed, *word).or_else(|| Some(parsed.says(*word).to_owned())));
            named.filter_map(|word| method(&word).filter(|_| word.chars().all(|c| c.is_ascii_uppercase()))).collect()
        }
        "all" | "any" | "del" => Vec::new(),
        verb => method(verb).into_iter().collect(),
    };
    methods.into_iter().map(|method| endpoint(method, &path, handler, line(item)).served_by(placing.root(handler), "")).collect()
}

/// The name of the function below an attribute.
fn function_below<'p>(parsed: &'p Parsed<'_>, item: Node<'p>) -> Option<&'p str> {
    let mut next = item.next_named_sibling()?;
    while next.kind() == "attribute_item" || next.kind().contains("comment") {
        next = next.next_named_sibling()?;
    }
    (next.kind() == "function_item").then(|| parsed.field(next, "name"))
}

/// `.route("/users", get(list).post(add))` and similar calls.
fn route(parsed: &Parsed<'_>, call: Node<'_>, placing: &Placing) -> Vec<FoundFact> {
    let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "field_expression") else {
        return Vec::new();
    };
    let arguments = arguments(call);
    let (path, place, answers) = match (parsed.field(function, "field"), arguments.as_slice()) {
        ("route" | "at", [path, answers]) => match written(parsed, *path) {
            Some(said) => (said, line(*path), *answers),
            None => return Vec::new(),
        },
        // `web::resource("/users").route(web::get().to(list))`
        ("route", [answers]) => match beginning(parsed, function, "resource") {
            Some((said, line)) => (said, line, *answers),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let prefix = prefix(parsed, call);
    if !(path.starts_with('/') || path.is_empty() && !prefix.is_empty()) {
        return Vec::new();
    }
    let maker = maker(parsed, call);
    let path = placing.place(maker, &prefix, &path);
    let served = |(method, handler): (&str, String)| endpoint(method, &path, &handler, place).served_by(placing.root(maker), "");
    answered(parsed, answers).into_iter().map(served).collect()
}

/// Path prefix of a route: the scope at the beginning of its chain, and those it is nested in.
fn prefix(parsed: &Parsed<'_>, call: Node<'_>) -> String {
    let own = beginning(parsed, call, "scope").map_or_else(String::new, |(path, _)| path);
    below(&prefix_outside(parsed, call), &own)
}

/// The same without the scope at the beginning of its own chain.
fn prefix_outside(parsed: &Parsed<'_>, call: Node<'_>) -> String {
    let scope = |node: Node<'_>| beginning(parsed, node, "scope").map_or_else(String::new, |(path, _)| path);
    let mut prefix = String::new();
    let mut node = call;
    for parent in parsed.around(call) {
        let function = parent.child_by_field_name("function").filter(|function| function.kind() == "field_expression");
        if let Some(function) = function.filter(|_| node.kind() == "arguments") {
            let first = || arguments(parent).first().and_then(|path| written(parsed, *path));
            match parsed.field(function, "field") {
                // `.nest("/api", Router::new()…)`
                "nest" => prefix = below(&first().unwrap_or_default(), &prefix),
                // `web::scope("/api").service(web::scope("/users")…)`
                "service" => prefix = below(&scope(function), &prefix),
                _ => {}
            }
        }
        node = parent;
    }
    prefix
}

/// The path of the scope or the resource at the beginning of a chain of calls.
fn beginning(parsed: &Parsed<'_>, mut node: Node<'_>, maker: &str) -> Option<(String, u32)> {
    loop {
        node = match node.kind() {
            "field_expression" => node.child_by_field_name("value")?,
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                if function.kind() != "field_expression" {
                    let path = *arguments(node).first()?;
                    let is_made = parsed.says(function).rsplit("::").next() == Some(maker);
                    return written(parsed, path).filter(|_| is_made).map(|said| (said, line(path)));
                }
                function
            }
            _ => return None,
        };
    }
}

/// The methods of `get(list).post(add)` or of `web::get().to(list)`, each with its handler.
fn answered<'p>(parsed: &'p Parsed<'_>, mut node: Node<'p>) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut to: Option<String> = None;
    while node.kind() == "call_expression" {
        let Some(function) = node.child_by_field_name("function") else { break };
        let is_last = function.kind() != "field_expression";
        let word = if is_last { parsed.says(function).rsplit("::").next().unwrap_or("") } else { parsed.field(function, "field") };
        let handler = arguments(node).first().map(|handler| handler_of(parsed, *handler));
        match (word, handler) {
            ("to", handler) => to = handler,
            (word, Some(handler)) => found.extend(method(word).map(|method| (method, handler))),
            (word, None) => found.extend(method(word).zip(to.take())),
        }
        match function.child_by_field_name("value").filter(|_| !is_last) {
            Some(value) => node = value,
            None => break,
        }
    }
    if let Some(to) = to.filter(|_| found.is_empty()) {
        found.push((ANY_METHOD, to));
    }
    found.reverse();
    found
}

fn handler_of(parsed: &Parsed<'_>, node: Node<'_>) -> String {
    if matches!(node.kind(), "closure_expression" | "async_block" | "block") { INLINE.to_owned() } else { parsed.brief(node) }
}

fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    call.child_by_field_name("arguments").map_or_else(Vec::new, children)
}

fn text(parsed: &Parsed<'_>, node: Node<'_>) -> Option<String> {
    if !matches!(node.kind(), "string_literal" | "raw_string_literal") {
        return None;
    }
    Some(children(node).into_iter().filter(|part| part.kind() == "string_content").map(|part| parsed.says(part)).collect())
}

/// The same, also of a constant of this file.
fn written(parsed: &Parsed<'_>, node: Node<'_>) -> Option<String> {
    if node.kind() != "identifier" {
        return text(parsed, node);
    }
    let name = parsed.says(node);
    let of_name = |item: &Node<'_>| matches!(item.kind(), "const_item" | "static_item") && parsed.field(*item, "name") == name;
    let found = parsed.nodes().find(of_name)?;
    text(parsed, found.child_by_field_name("value")?)
}
