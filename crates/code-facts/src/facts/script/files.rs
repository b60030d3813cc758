//! What the files of a program import from each other: names, and routers that one creates and another mounts.

use super::super::across::beside;
use super::super::endpoints::below;
use super::super::found::FoundFact;
use super::super::holes;
use super::super::routers::Mount;
use super::super::tree::{children, line};
use super::routes::{On, beginning};
use super::{Elsewhere, Module, arguments, text};
use tree_sitter::Node;

/// The name under which an unnamed export is known.
const DEFAULT: &str = "default";
/// Nodes that are texts, whatever their value.
const COMPUTED: &[&str] = &["template_string", "binary_expression", "ternary_expression"];
/// Nodes that are functions.
const FUNCTIONS: &[&str] = &["function_declaration", "function_expression", "arrow_function", "generator_function_declaration"];

impl<'p> Module<'p> {
    /// `import users from "./users"`, `const { users } = require("./users")`.
    pub(super) fn note_local(&mut self, binding: Node<'p>, file: &str, exact: bool) {
        let mut open: Vec<Node<'p>> = match binding.kind() {
            "variable_declarator" => binding.child_by_field_name("name").into_iter().collect(),
            "import_statement" => children(binding),
            _ => Vec::new(),
        };
        while let Some(node) = open.pop() {
            let (local, exported) = match node.kind() {
                "identifier" => (self.parsed.says(node), DEFAULT),
                "shorthand_property_identifier_pattern" => (self.parsed.says(node), self.parsed.says(node)),
                // `const { router: users } = require("./users")`
                "pair_pattern" => (self.parsed.field(node, "value"), self.parsed.field(node, "key")),
                "import_specifier" => {
                    let name = self.parsed.field(node, "name");
                    (Some(self.parsed.field(node, "alias")).filter(|alias| !alias.is_empty()).unwrap_or(name), name)
                }
                "string" => continue,
                _ => {
                    open.extend(children(node));
                    continue;
                }
            };
            self.local.insert(local, (file.to_owned(), exact, exported.to_owned()));
        }
    }

    /// `module.exports = router`, `export default router`, `export { router as users }`, `exports.users = router`,
    /// `module.exports = { users: router }`.
    pub(super) fn note_export(&mut self, node: Node<'p>) {
        match node.kind() {
            "export_statement" => {
                if let Some(value) = node.child_by_field_name("value") {
                    self.note_exported(DEFAULT, value);
                }
                // `export const users = router`
                let declared = node.child_by_field_name("declaration").map_or_else(Vec::new, children);
                for declarator in declared.into_iter().filter(|node| node.kind() == "variable_declarator") {
                    if let Some(value) = declarator.child_by_field_name("value") {
                        self.note_exported(self.parsed.field(declarator, "name"), value);
                    }
                }
            }
            "export_specifier"
                if node.parent().and_then(|list| list.parent()).is_some_and(|all| all.child_by_field_name("source").is_none()) =>
            {
                let (name, alias) = self.names_of(node);
                self.exported.insert(name, alias);
            }
            "assignment_expression" => {
                if let (Some(name), Some(value)) = (export_of(self.parsed.field(node, "left")), node.child_by_field_name("right")) {
                    self.note_exported(name, value);
                }
            }
            _ => {}
        }
    }

    fn note_exported(&mut self, name: &'p str, value: Node<'p>) {
        for (name, value) in self.entries(name, value) {
            // `export default router.use("/users", users)` hands on what it begins with.
            let function = value.child_by_field_name("function").filter(|_| value.kind() == "call_expression");
            let is_mount = function.is_some_and(|function| self.parsed.field(function, "property") == "use");
            let router = if is_mount { beginning(value) } else { value };
            if router.kind() == "identifier" {
                self.exported.insert(self.parsed.says(router), name);
            }
        }
    }

    /// The parts of an export: for an object, each of its values by its key.
    fn entries(&self, name: &'p str, value: Node<'p>) -> Vec<(&'p str, Node<'p>)> {
        if value.kind() != "object" || name != DEFAULT {
            return vec![(name, value)];
        }
        let entry = |pair: Node<'p>| match pair.kind() {
            "pair" => Some((self.parsed.field(pair, "key"), pair.child_by_field_name("value")?)),
            "shorthand_property_identifier" => Some((self.parsed.says(pair), pair)),
            _ => None,
        };
        children(value).into_iter().filter_map(entry).collect()
    }

    /// The two names of `name as alias`.
    fn names_of(&self, specifier: Node<'p>) -> (&'p str, &'p str) {
        let name = self.parsed.field(specifier, "name");
        (name, Some(self.parsed.field(specifier, "alias")).filter(|alias| !alias.is_empty()).unwrap_or(name))
    }

    /// What a file hands on from others: `export { default as users } from "./users"`, `export * from "./users"`, an import that is
    /// exported, and a router that an exported function returns.
    pub(super) fn note_handed_on(&mut self, node: Node<'p>) {
        match node.kind() {
            "export_statement" => {
                let from = node.child_by_field_name("source").and_then(|from| file_of(self.path, &text(self.parsed, from)?));
                let clause = children(node).into_iter().find(|child| child.kind() == "export_clause");
                let specifiers = clause.map_or_else(Vec::new, children).into_iter().filter(|child| child.kind() == "export_specifier");
                let names: Vec<_> = specifiers.map(|specifier| self.names_of(specifier)).collect();
                match (from, clause) {
                    (Some((file, exact)), Some(_)) => {
                        names.iter().for_each(|(name, alias)| self.hand_on(alias, (file.clone(), exact, (*name).to_owned()), node));
                    }
                    (Some((file, exact)), None) if !children(node).iter().any(|child| child.kind() == "namespace_export") => {
                        self.hand_on("*", (file, exact, "*".to_owned()), node);
                    }
                    (None, Some(_)) => {
                        for (name, alias) in names {
                            if let Some(from) = self.local.get(name).cloned() {
                                self.hand_on(alias, from, node);
                            }
                        }
                    }
                    _ => {}
                }
                if let Some(value) = node.child_by_field_name("value") {
                    self.hand_on_entries(DEFAULT, value);
                }
            }
            "assignment_expression" => {
                if let (Some(name), Some(value)) = (export_of(self.parsed.field(node, "left")), node.child_by_field_name("right")) {
                    self.hand_on_entries(name, value);
                }
            }
            "return_statement" => {
                let made = children(node).into_iter().find(|made| made.kind() == "identifier");
                let by = made.and_then(|_| self.function_around(node)).and_then(|function| self.function_name(function));
                if let (Some(made), Some(by)) = (made, by) {
                    self.exported.entry(self.parsed.says(made)).or_insert(by);
                }
            }
            _ => {}
        }
    }

    fn hand_on_entries(&mut self, name: &'p str, value: Node<'p>) {
        for (name, value) in self.entries(name, value) {
            let is_name = matches!(value.kind(), "identifier" | "shorthand_property_identifier");
            let from = if is_name { self.local.get(self.parsed.says(value)).cloned() } else { self.required(value) };
            if let Some(from) = from {
                self.hand_on(name, from, value);
            }
        }
    }

    fn hand_on(&mut self, name: &str, (module, exact, of): Elsewhere, at: Node<'p>) {
        let of = Mount { module, exact, name: of, on: String::new(), replaces: false };
        self.handed_on.push(FoundFact::export(name, of, line(at)));
    }

    /// What `require("./users")` brings.
    fn required(&self, node: Node<'p>) -> Option<Elsewhere> {
        if node.kind() != "call_expression" || self.parsed.field(node, "function") != "require" {
            return None;
        }
        let (file, exact) = file_of(self.path, &text(self.parsed, *arguments(node).first()?)?)?;
        Some((file, exact, DEFAULT.to_owned()))
    }

    /// The file and the export of a router that an expression takes from elsewhere, including from a function.
    fn elsewhere(&self, node: Node<'p>) -> Option<Elsewhere> {
        match node.kind() {
            "identifier" => self.local.get(self.parsed.says(node)).cloned(),
            "member_expression" => {
                let (file, exact, _) = self.elsewhere(node.child_by_field_name("object")?)?;
                Some((file, exact, self.parsed.field(node, "property").to_owned()))
            }
            "call_expression" => self.required(node).or_else(|| self.function(node.child_by_field_name("function")?)),
            _ => None,
        }
    }

    /// A function of this file or another.
    fn function(&self, node: Node<'p>) -> Option<Elsewhere> {
        let said = self.parsed.says(node);
        if node.kind() == "identifier" && said != "require" && !self.local.contains_key(said) && !self.names.contains_key(said) {
            return Some((self.path.to_owned(), true, self.exported.get(said).copied().unwrap_or(said).to_owned()));
        }
        self.elsewhere(node)
    }

    fn function_around(&self, node: Node<'p>) -> Option<Node<'p>> {
        self.parsed.around(node).find(|parent| FUNCTIONS.contains(&parent.kind()))
    }

    /// The name by which other files know a function.
    pub(super) fn function_name(&self, function: Node<'p>) -> Option<&'p str> {
        let known = |name: &'p str| self.exported.get(name).copied().unwrap_or(name);
        let mut around = self.parsed.around(function);
        loop {
            let parent = around.next()?;
            match parent.kind() {
                "export_statement" if self.parsed.says(parent).starts_with("export default") => return Some(DEFAULT),
                "variable_declarator" => return Some(known(self.parsed.field(parent, "name"))),
                "assignment_expression" => return export_of(self.parsed.field(parent, "left")),
                // `fp(async function (fastify) { … })`
                "arguments" | "call_expression" | "parenthesized_expression" if function.kind() != "function_declaration" => {}
                _ => break,
            }
        }
        let name = self.parsed.field(function, "name");
        (!name.is_empty()).then(|| known(name))
    }

    /// The nearest function around a node that has a parameter of this name.
    pub(super) fn function_of_parameter(&self, name: &str, at: Node<'p>) -> Option<Node<'p>> {
        let mut function = self.function_around(at)?;
        loop {
            let list = function.child_by_field_name("parameters").map_or_else(Vec::new, children);
            let names = list.into_iter().chain(function.child_by_field_name("parameter"));
            let named = |parameter: Node<'p>| self.parsed.says(parameter.child_by_field_name("pattern").unwrap_or(parameter)) == name;
            if names.into_iter().any(named) {
                return Some(function);
            }
            function = self.function_around(function)?;
        }
    }

    /// The routers of other files that this one mounts.
    pub(super) fn mounted_away(&self) -> Vec<FoundFact> {
        let own = |name: &str| self.routers.get(name).cloned().unwrap_or_default();
        let mounted = |(on, path, mount, line): &(On<'p>, String, Mount, u32)| {
            let path = below(&below(&self.mounts.prefix(on.name, &own), &on.path), path);
            FoundFact::mount(&path, Mount { on: self.exported_as(on.name, on.at).to_owned(), ..mount.clone() }, *line)
        };
        self.away.iter().map(mounted).collect()
    }

    /// The name by which other files know the router that a router of this file ends up on: what a function is handed is known by the
    /// function.
    pub(super) fn exported_as<'r>(&'r self, router: &'r str, at: Node<'p>) -> &'r str {
        let root = self.mounts.root(router);
        match self.exported.get(root) {
            Some(name) => name,
            None if self.routers.contains_key(root) => root,
            None => self.function_of_parameter(root, at).and_then(|function| self.function_name(function)).unwrap_or(DEFAULT),
        }
    }

    /// `app.use("/users", users)`, in Hono `app.route("/users", users)`, in Fastify `app.register(users, { prefix: "/users" })`, and
    /// `users(app)`.
    pub(super) fn note_mount(&mut self, call: Node<'p>) {
        let Some(function) = call.child_by_field_name("function") else { return };
        let arguments = arguments(call);
        self.note_handed(function, &arguments, call);
        if function.kind() != "member_expression" {
            return;
        }
        let Some(object) = function.child_by_field_name("object") else { return };
        let (path, routers) = match (self.parsed.field(function, "property"), arguments.as_slice()) {
            ("use" | "route", [path, routers @ ..]) if !routers.is_empty() && self.is_path(*path) => (self.below(*path), routers),
            // Without a path it is at the router's own.
            ("use", routers) => (String::new(), routers),
            ("register", [router, options]) => {
                let path = self.option(*options, "prefix").map(|path| self.below(path));
                (path.unwrap_or_default(), std::slice::from_ref(router))
            }
            ("register", [router]) => (String::new(), std::slice::from_ref(router)),
            _ => return,
        };
        if !(path.is_empty() || path.starts_with('/') || holes::begins(&path)) {
            return;
        }
        for router in routers {
            let name = self.parsed.says(*router);
            let on = self.on(object);
            let own = self.routers.contains_key(name).then_some(name).or_else(|| self.returned(*router));
            if let Some(own) = own {
                if !(self.remade.contains(own) && self.mounts.knows(own)) {
                    self.mounts.note_each(own, on.name, below(&on.path, &path), false);
                }
            } else if let Some(from) = self.elsewhere(*router) {
                self.mount_away(on, &path, from, call);
            }
        }
    }

    /// The router returned by a function that is called where it is defined: `(() => { const r = Router(); return r; })()`.
    fn returned(&self, call: Node<'p>) -> Option<&'p str> {
        let mut function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
        while function.kind() == "parenthesized_expression" {
            function = *children(function).first()?;
        }
        if !FUNCTIONS.contains(&function.kind()) {
            return None;
        }
        let of_function = |node: &Node<'p>| node.kind() == "return_statement" && self.function_around(*node) == Some(function);
        let returned = self.parsed.nodes().filter(of_function).find_map(|node| children(node).first().copied());
        returned.map(|made| self.parsed.says(made)).filter(|made| self.routers.contains_key(made))
    }

    /// `users(app)`: what the function serves is the router's.
    fn note_handed(&mut self, function: Node<'p>, arguments: &[Node<'p>], call: Node<'p>) {
        let mut routers = arguments.iter().filter(|argument| argument.kind() == "identifier");
        let Some(router) = routers.find(|argument| self.names_router(self.parsed.says(**argument))) else { return };
        let is_one = function.kind() != "member_expression"
            || !self.names_router(function.child_by_field_name("object").map_or("", |on| self.parsed.says(on)));
        if let Some(from) = self.function(function).filter(|_| is_one) {
            self.mount_away(self.on(*router), "", from, call);
        }
    }

    fn mount_away(&mut self, on: On<'p>, path: &str, (module, exact, name): Elsewhere, call: Node<'p>) {
        let mount = Mount { module, exact, name, on: String::new(), replaces: false };
        self.away.push((on, path.to_owned(), mount, line(call)));
    }

    /// The path at which something is mounted. A name that only sounds like one must be one.
    pub(super) fn below(&self, path: Node<'p>) -> String {
        let required = path.kind() == "identifier" && says_path(self.parsed.says(path));
        self.text(path, required).unwrap_or_else(holes::unknown)
    }

    /// Whether an argument is a path, and neither a router nor what stands before one.
    fn is_path(&self, node: Node<'p>) -> bool {
        let said = self.parsed.says(node);
        match node.kind() {
            "identifier" => {
                let in_capitals = said.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
                let is_text = |value: &Option<Node<'p>>| value.is_some_and(|value| COMPUTED.contains(&value.kind()));
                let is_known = self.values.get(said).is_some_and(|value| is_text(value) || self.text(node, false).is_some());
                !self.routers.contains_key(said) && (in_capitals || is_known || self.local.contains_key(said) && says_path(said))
            }
            "call_expression" | "arrow_function" | "function_expression" => false,
            "member_expression" => self.text(node, false).is_some(),
            _ => true,
        }
    }
}

/// Whether a name in small letters sounds like that of a path.
fn says_path(name: &str) -> bool {
    ["prefix", "Prefix", "path", "Path"].into_iter().any(|word| name.ends_with(word))
}

/// The name that an assignment exports its value by.
fn export_of(to: &str) -> Option<&str> {
    if to == "module.exports" {
        return Some(DEFAULT);
    }
    to.strip_prefix("module.exports.").or_else(|| to.strip_prefix("exports."))
}

/// The file of the project that a specifier names, without its ending, and whether that is its path from the root: `@/` is wherever the
/// compiler is told.
pub(super) fn file_of(path: &str, from: &str) -> Option<(String, bool)> {
    let plain = without_ending(from);
    match plain.strip_prefix("@/").or_else(|| plain.strip_prefix("~/")) {
        Some(inner) => Some((inner.to_owned(), false)),
        None => Some((from.starts_with('.').then(|| beside(path, plain))??, true)),
    }
}

/// A specifier without the extension of a script: TypeScript names the file that is made from it.
fn without_ending(from: &str) -> &str {
    [".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx"].into_iter().find_map(|ending| from.strip_suffix(ending)).unwrap_or(from)
}
