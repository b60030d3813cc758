//! Facts of JavaScript and TypeScript.

mod files;

use super::across::beside;
use super::endpoints::{ANY_METHOD, below, endpoint, method};
use super::found::{ANY, FactKind, FoundFact, IMPLIED, INLINE};
use super::frameworks::{self, Ecosystem};
use super::mounts::Mounts;
use super::routers::Mount;
use super::standard;
use super::tree::{Parsed, children, line};
use crate::Language;
use files::without_ending;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Packages with routers.
const WEB: &[&str] = &[
    "express",
    "express-promise-router",
    "fastify",
    "hono",
    "elysia",
    "restify",
    "polka",
    "koa-router",
    "@koa/router",
    "find-my-way",
    "itty-router",
    "router",
];
/// Usual names of routers as arguments.
const USUAL: &[&str] = &["app", "router", "server", "fastify", "api", "instance"];

struct Module<'p> {
    parsed: &'p Parsed<'p>,
    /// Names in this file, with their packages.
    names: BTreeMap<&'p str, String>,
    /// Imported packages.
    packages: BTreeSet<String>,
    /// Variables that are routers, with the prefix that they are made with.
    routers: BTreeMap<&'p str, String>,
    mounts: Mounts<'p>,
    /// Names from files of the project: the file, without its ending, and the name that it exports.
    local: BTreeMap<&'p str, (String, String)>,
    /// Names under which this file exports its own.
    exported: BTreeMap<&'p str, &'p str>,
    /// Routers of other files: what they are mounted on, the path, and the rest.
    away: Vec<(&'p str, String, Mount, u32)>,
}

pub(super) fn facts(language: Language, path: &str, source: &str) -> Vec<FoundFact> {
    let Some(parsed) = Parsed::of(language, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut module = Module {
        parsed: &parsed,
        names: BTreeMap::new(),
        packages: BTreeSet::new(),
        routers: BTreeMap::new(),
        mounts: Mounts::default(),
        local: BTreeMap::new(),
        exported: BTreeMap::new(),
        away: Vec::new(),
    };
    for node in parsed.nodes() {
        module.note_export(node);
        let Some((from, whole)) = imported(&parsed, node) else { continue };
        if let Some(file) = Some(&from).filter(|from| from.starts_with('.')).and_then(|from| beside(path, without_ending(from))) {
            module.note_local(whole, &file);
        }
        let Some(package) = package_of(&from) else { continue };
        module.note_names(whole, package);
        module.packages.insert(package.to_owned());
        found.extend(frameworks::used(Ecosystem::Node, package, line(node)));
        if !standard::is_node(package) {
            let dependency = FoundFact::new(FactKind::Dependency, package, ANY, line(node), IMPLIED);
            found.push(FoundFact { imported: Some(package.to_owned()), ..dependency });
        }
    }
    // Fastify plugins only import its types.
    if module.packages.iter().any(|package| WEB.contains(&package.as_str()) || package.starts_with("@fastify/")) {
        parsed.nodes().filter(|node| node.kind() == "variable_declarator").for_each(|node| module.note_router(node));
        parsed.nodes().filter(|node| node.kind() == "call_expression").for_each(|call| module.note_mount(path, call));
        found.extend(module.mounted_away());
        found.extend(parsed.nodes().filter(|node| node.kind() == "call_expression").flat_map(|call| module.route(call)));
    }
    if module.packages.contains("@nestjs/common") {
        found.extend(parsed.nodes().filter(|node| node.kind() == "decorator").filter_map(|node| module.nest(node)));
    }
    found.extend(by_path(path, &parsed));
    found
}

/// The imports of a node, and the node that binds their names.
fn imported<'p>(parsed: &'p Parsed<'_>, node: Node<'p>) -> Option<(String, Node<'p>)> {
    match node.kind() {
        "import_statement" | "export_statement" => Some((text(parsed, node.child_by_field_name("source")?)?, node)),
        "call_expression" => {
            let function = node.child_by_field_name("function")?;
            let is_import = function.kind() == "import" || parsed.says(function) == "require";
            let from = text(parsed, *arguments(node).first()?).filter(|_| is_import)?;
            // `const express = require("express")`, also with destructuring.
            let mut holder = node;
            while let Some(parent) = holder.parent().filter(|p| matches!(p.kind(), "member_expression" | "await_expression")) {
                holder = parent;
            }
            Some((from, holder.parent().filter(|parent| parent.kind() == "variable_declarator").unwrap_or(node)))
        }
        _ => None,
    }
}

/// The package of a specifier; `None` for a file, and for virtual modules of tools.
fn package_of(from: &str) -> Option<&str> {
    let from = from.strip_prefix("node:").unwrap_or(from);
    let mut slashes = from.match_indices('/').map(|(at, _)| at);
    let end = if from.starts_with('@') { slashes.nth(1) } else { slashes.next() };
    let package = &from[..end.unwrap_or(from.len())];
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    let is_package = match package.strip_prefix('@') {
        // `@/lib` is an alias of a folder.
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| !scope.is_empty() && !name.is_empty()),
        None => package.starts_with(|c: char| c.is_ascii_alphanumeric()),
    };
    (is_package && package.chars().all(plain)).then_some(package)
}

impl<'p> Module<'p> {
    fn note_names(&mut self, binding: Node<'p>, package: &str) {
        let mut open = match binding.kind() {
            "variable_declarator" => binding.child_by_field_name("name").into_iter().collect(),
            "import_statement" => children(binding),
            _ => Vec::new(),
        };
        while let Some(node) = open.pop() {
            match node.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => {
                    self.names.insert(self.parsed.says(node), package.to_owned());
                }
                "import_specifier" => {
                    open.extend(node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name")));
                }
                "string" => {}
                _ => open.extend(children(node)),
            }
        }
    }

    /// `const app = express()`.
    fn note_router(&mut self, declarator: Node<'p>) {
        let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
        let (Some(name), Some(value)) = (name, declarator.child_by_field_name("value")) else { return };
        if self.is_made(value) {
            let prefix = self.made_with(value).unwrap_or_default();
            self.routers.insert(self.parsed.says(name), prefix);
        }
    }

    /// The prefix in `new Router({ prefix: "/users" })` and in `new Hono().basePath("/users")`.
    fn made_with(&self, value: Node<'p>) -> Option<String> {
        let first = value.child_by_field_name("arguments").and_then(|list| children(list).first().copied())?;
        match value.child_by_field_name("function").map(|function| self.parsed.field(function, "property")) {
            Some("basePath") => text(self.parsed, first),
            _ => ["prefix", "base"].into_iter().find_map(|name| text(self.parsed, self.option(first, name)?)),
        }
    }

    /// The value of an option in an object.
    fn option(&self, options: Node<'p>, name: &str) -> Option<Node<'p>> {
        let of_name = |pair: &Node<'p>| pair.kind() == "pair" && self.parsed.field(*pair, "key") == name;
        children(options).into_iter().find(of_name).and_then(|pair| pair.child_by_field_name("value"))
    }

    /// A path below the prefixes of the router that a chain begins with.
    fn placed(&self, node: Node<'p>, path: &str) -> String {
        let own = |name: &str| self.routers.get(name).cloned().unwrap_or_default();
        let prefix = self.mounts.prefix(self.beginning(node), &own);
        // Express serves what it mounts with and without the slash at the end.
        if path == "/" && !prefix.is_empty() { prefix } else { below(&prefix, path) }
    }

    /// The name that a chain of calls begins with.
    fn beginning(&self, mut node: Node<'p>) -> &'p str {
        while let Some(inner) = node.child_by_field_name("function").or_else(|| node.child_by_field_name("object")) {
            node = inner;
        }
        self.parsed.says(node)
    }

    /// Whether a value is created by a package with routers.
    fn is_made(&self, value: Node<'p>) -> bool {
        let (mut node, mut called) = (value, false);
        loop {
            let next = match node.kind() {
                "call_expression" => {
                    let function = node.child_by_field_name("function");
                    let required = function.is_some_and(|function| self.parsed.says(function) == "require");
                    if required {
                        let from = arguments(node).first().and_then(|from| text(self.parsed, *from));
                        return called && from.is_some_and(|from| WEB.contains(&from.as_str()));
                    }
                    called = true;
                    function
                }
                "new_expression" => {
                    called = true;
                    node.child_by_field_name("constructor")
                }
                "member_expression" => node.child_by_field_name("object"),
                "await_expression" | "parenthesized_expression" | "as_expression" | "non_null_expression" => {
                    children(node).first().copied()
                }
                "identifier" => {
                    return called && self.names.get(self.parsed.says(node)).is_some_and(|package| WEB.contains(&package.as_str()));
                }
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return false,
            }
        }
    }

    /// `app.get("/users", list)`, also in a chain.
    fn route(&self, call: Node<'p>) -> Vec<FoundFact> {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "member_expression") else {
            return Vec::new();
        };
        let (Some(object), Some(property)) = (function.child_by_field_name("object"), function.child_by_field_name("property")) else {
            return Vec::new();
        };
        let arguments = arguments(call);
        let word = self.parsed.says(property);
        if word == "route" && arguments.first().is_some_and(|options| options.kind() == "object") && self.is_router(object) {
            let router = self.exported_as(self.beginning(object));
            return self.route_by_options(arguments[0]).into_iter().map(|fact| fact.served_by(router, "")).collect();
        }
        // A word such as `GET` is not a router's method.
        let Some(method) = method(word).filter(|_| word.chars().all(|c| c.is_ascii_lowercase())) else { return Vec::new() };
        let first = arguments.first().and_then(|first| text(self.parsed, *first));
        let (path, handler) = match first {
            Some(path) if arguments.len() > 1 => (path, arguments[arguments.len() - 1]),
            None if !arguments.is_empty() => match self.routed(object) {
                Some(path) => (path, arguments[arguments.len() - 1]),
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        if !path.starts_with(['/', '*']) || !self.is_router(object) {
            return Vec::new();
        }
        let fact = endpoint(method, &self.placed(object, &path), &self.handler(handler), line(property));
        vec![fact.served_by(self.exported_as(self.beginning(object)), "")]
    }

    /// The path of `router.route("/users")` that a chain begins with.
    fn routed(&self, mut node: Node<'p>) -> Option<String> {
        while node.kind() == "call_expression" {
            let function = node.child_by_field_name("function").filter(|function| function.kind() == "member_expression")?;
            if self.parsed.field(function, "property") == "route" {
                return text(self.parsed, *arguments(node).first()?);
            }
            node = function.child_by_field_name("object")?;
        }
        None
    }

    /// `fastify.route({ method: "GET", url: "/users", handler })`.
    fn route_by_options(&self, options: Node<'p>) -> Vec<FoundFact> {
        let get = |name: &str| self.option(options, name);
        let path = ["url", "path"].into_iter().find_map(get).and_then(|path| text(self.parsed, path));
        let (Some(path), Some(methods)) = (path, get("method")) else { return Vec::new() };
        let handler = get("handler").map_or_else(|| INLINE.to_owned(), |handler| self.handler(handler));
        let words = if methods.kind() == "array" { children(methods) } else { vec![methods] };
        let methods = words.into_iter().filter_map(|word| method(&text(self.parsed, word)?));
        methods.map(|method| endpoint(method, &path, &handler, line(options))).collect()
    }

    /// Whether a chain begins with a router.
    fn is_router(&self, object: Node<'p>) -> bool {
        let mut node = object;
        loop {
            let next = match node.kind() {
                "identifier" => {
                    let name = self.parsed.says(node);
                    return self.routers.contains_key(name) || (USUAL.contains(&name) && !self.names.contains_key(name));
                }
                // `this.router.get("/users", …)`
                "member_expression" if node.child_by_field_name("object").is_some_and(|object| object.kind() == "this") => {
                    return USUAL.contains(&self.parsed.field(node, "property"));
                }
                "new_expression" => return self.is_made(node),
                "call_expression" if self.is_made(node) => return true,
                "call_expression" => node.child_by_field_name("function"),
                "member_expression" => node.child_by_field_name("object"),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return false,
            }
        }
    }

    fn handler(&self, node: Node<'p>) -> String {
        match node.kind() {
            "identifier" | "member_expression" => self.parsed.brief(node),
            "call_expression" => node.child_by_field_name("function").map_or_else(|| INLINE.to_owned(), |function| self.handler(function)),
            "function_expression" => Some(self.parsed.field(node, "name")).filter(|name| !name.is_empty()).unwrap_or(INLINE).to_owned(),
            _ => INLINE.to_owned(),
        }
    }

    /// `@Get(":id")` above a method of a `@Controller("users")`.
    fn nest(&self, decorator: Node<'p>) -> Option<FoundFact> {
        let call = children(decorator).into_iter().find(|child| child.kind() == "call_expression")?;
        let word = self.parsed.field(call, "function");
        let method = method(word).filter(|_| word.starts_with(|c: char| c.is_ascii_uppercase()))?;
        let mut next = decorator.next_named_sibling()?;
        while next.kind() == "decorator" {
            next = next.next_named_sibling()?;
        }
        let handler = Some(next).filter(|next| next.kind() == "method_definition").map(|next| self.parsed.field(next, "name"))?;
        let class = next.parent()?.parent()?;
        let around = class.parent().filter(|parent| parent.kind() == "export_statement").map_or_else(Vec::new, children);
        let mut decorators = children(class).into_iter().chain(around).filter(|node| node.kind() == "decorator");
        let controller = decorators.find_map(|node| {
            let call = children(node).into_iter().find(|child| child.kind() == "call_expression")?;
            (self.parsed.field(call, "function") == "Controller").then_some(call)
        })?;
        let said = |call: Node<'p>| arguments(call).first().and_then(|path| text(self.parsed, *path)).unwrap_or_default();
        let path = below(&below("", &said(controller)), &said(call));
        Some(endpoint(method, &path, handler, line(decorator)))
    }
}

/// Endpoints of Next.js, whose paths are those of their files.
fn by_path(path: &str, parsed: &Parsed<'_>) -> Vec<FoundFact> {
    let (Some((folder, file)), Some((stem, _))) = (path.rsplit_once('/'), path.rsplit_once('.')) else { return Vec::new() };
    let segments = |below: &str| {
        let segments = below.split('/').filter(|segment| !segment.is_empty() && !segment.starts_with(['(', '@']));
        format!("/{}", segments.collect::<Vec<_>>().join("/"))
    };
    let exported = |node: &Node<'_>| node.kind() == "export_statement" && node.parent().is_some_and(|parent| parent.kind() == "program");
    let root_of = |marker: &str| format!("/{stem}/").find(marker).map(|at| at + marker.len());
    if let Some(at) = root_of("/app/").filter(|_| file.split('.').next() == Some("route")) {
        let route = segments(format!("/{folder}/").get(at..).unwrap_or(""));
        let handlers = parsed.nodes().filter(exported).filter_map(|node| {
            let declared = node.child_by_field_name("declaration")?;
            let named = if declared.kind() == "lexical_declaration" { *children(declared).first()? } else { declared };
            let name = parsed.field(named, "name");
            let method = method(name).filter(|_| name.chars().all(|c| c.is_ascii_uppercase()))?;
            Some(FoundFact { confidence: IMPLIED, ..endpoint(method, &route, name, line(node)) })
        });
        return handlers.collect();
    }
    if let Some(at) = root_of("/pages/api/") {
        let below = format!("/{stem}").get(at..).unwrap_or("").to_owned();
        let route = segments(&format!("api/{}", below.strip_suffix("index").unwrap_or(&below)));
        let default = parsed.nodes().filter(exported).find(|node| parsed.says(*node).starts_with("export default"));
        let of = |node: Node<'_>| FoundFact { confidence: IMPLIED, ..endpoint(ANY_METHOD, &route, "default", line(node)) };
        return default.map(of).into_iter().collect();
    }
    Vec::new()
}

fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    call.child_by_field_name("arguments").map_or_else(Vec::new, children)
}

/// The value of a string without expressions; `None` for anything else.
fn text(parsed: &Parsed<'_>, node: Node<'_>) -> Option<String> {
    let parts = match node.kind() {
        "string" | "template_string" => children(node),
        _ => return None,
    };
    let plain = parts.iter().all(|part| matches!(part.kind(), "string_fragment" | "escape_sequence"));
    plain.then(|| parts.into_iter().map(|part| parsed.says(part)).collect())
}
