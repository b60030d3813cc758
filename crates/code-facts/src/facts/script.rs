//! Facts of JavaScript and TypeScript.

mod files;
mod nest;
mod next;
mod routes;
mod texts;

use super::found::{ANY, FactKind, FoundFact, IMPLIED};
use super::frameworks::{self, Ecosystem};
use super::mounts::Mounts;
use super::routers::Mount;
use super::standard;
use super::tree::{Parsed, children, line};
use crate::Language;
use routes::On;
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
    /// Whether a package with routers is imported.
    is_web: bool,
    /// Variables that are routers, with the prefix that they are made with.
    routers: BTreeMap<&'p str, String>,
    /// Those that are made several times: each may be a different one. Of their mounts the first counts.
    remade: BTreeSet<&'p str>,
    mounts: Mounts,
    /// The file itself.
    path: &'p str,
    /// Names from files of the project.
    local: BTreeMap<&'p str, Elsewhere>,
    /// Values of names of the file itself, and of what its objects hold with a dot before; `None`: there are several.
    values: BTreeMap<String, Option<Node<'p>>>,
    /// Names under which this file exports its own.
    exported: BTreeMap<&'p str, &'p str>,
    /// Routers of other files: what they are mounted on, the path, and the rest.
    away: Vec<(On<'p>, String, Mount, u32)>,
    /// What the file re-exports from others.
    handed_on: Vec<FoundFact>,
}

/// A file of the project without its ending, whether that is its path from the root, and a name that it exports.
type Elsewhere = (String, bool, String);

pub(super) fn facts(language: Language, path: &str, source: &str) -> Vec<FoundFact> {
    let Some(parsed) = Parsed::of(language, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut module = Module {
        parsed: &parsed,
        names: BTreeMap::new(),
        packages: BTreeSet::new(),
        is_web: false,
        routers: BTreeMap::new(),
        remade: BTreeSet::new(),
        mounts: Mounts::default(),
        path,
        local: BTreeMap::new(),
        values: BTreeMap::new(),
        exported: BTreeMap::new(),
        away: Vec::new(),
        handed_on: Vec::new(),
    };
    for node in parsed.nodes() {
        module.note_value(node);
        module.note_export(node);
        let Some((from, whole)) = imported(&parsed, node) else { continue };
        if let Some((file, exact)) = files::file_of(path, &from) {
            module.note_local(whole, &file, exact);
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
    // Files that make no routers may hand them on.
    parsed.nodes().for_each(|node| module.note_handed_on(node));
    found.append(&mut module.handed_on);
    found.extend(module.stated());
    // Fastify plugins only import its types.
    module.is_web = module.packages.iter().any(|package| WEB.contains(&package.as_str()) || package.starts_with("@fastify/"));
    parsed.nodes().filter(|node| node.kind() == "variable_declarator").for_each(|node| module.note_router(node));
    let calls = || parsed.nodes().filter(|node| node.kind() == "call_expression");
    calls().for_each(|call| module.note_mount(call));
    for way in 0..module.mounts.ways() {
        module.mounts.choose(way);
        let told = module.mounted_away().into_iter().chain(module.made()).chain(calls().flat_map(|call| module.route(call)));
        found.extend(told.filter(|fact| way == 0 || !found.contains(fact)).collect::<Vec<_>>());
    }
    if module.packages.contains("@nestjs/core") {
        found.extend(calls().filter_map(|call| module.global_prefix(call)));
    }
    if module.packages.contains("@nestjs/common") {
        found.extend(parsed.nodes().filter(|node| node.kind() == "decorator").flat_map(|node| module.nest(node)));
    }
    found.extend(next::by_path(path, &parsed));
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
            let mut around = parsed.around(node).skip_while(|parent| matches!(parent.kind(), "member_expression" | "await_expression"));
            Some((from, around.next().filter(|parent| parent.kind() == "variable_declarator").unwrap_or(node)))
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
    plain.then(|| parts.into_iter().map(|part| unescaped(parsed.says(part))).collect())
}

/// A part of a string, without the backslash before a character that stands for itself: `\\d` means `\d`.
fn unescaped(part: &str) -> &str {
    part.strip_prefix('\\').filter(|rest| !rest.starts_with(char::is_alphanumeric)).unwrap_or(part)
}
