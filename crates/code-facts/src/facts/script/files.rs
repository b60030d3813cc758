//! What the files of a program take from each other: names, and routers that one makes and another mounts.

use super::super::across::beside;
use super::super::endpoints::below;
use super::super::found::FoundFact;
use super::super::routers::Mount;
use super::super::tree::{children, line};
use super::{Module, arguments, text};
use tree_sitter::Node;

/// The name of what a file exports without one.
const DEFAULT: &str = "default";

impl<'p> Module<'p> {
    /// `import users from "./users"`, `const { users } = require("./users")`.
    pub(super) fn note_local(&mut self, binding: Node<'p>, file: &str) {
        let mut open: Vec<Node<'p>> = match binding.kind() {
            "variable_declarator" => binding.child_by_field_name("name").into_iter().collect(),
            "import_statement" => children(binding),
            _ => Vec::new(),
        };
        while let Some(node) = open.pop() {
            let (local, exported) = match node.kind() {
                "identifier" => (self.parsed.says(node), DEFAULT),
                "shorthand_property_identifier_pattern" => (self.parsed.says(node), self.parsed.says(node)),
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
            self.local.insert(local, (file.to_owned(), exported.to_owned()));
        }
    }

    /// `module.exports = router`, `export default router`, `export { router as users }`, `exports.users = router`.
    pub(super) fn note_export(&mut self, node: Node<'p>) {
        match node.kind() {
            "export_statement" => {
                if let Some(value) = node.child_by_field_name("value").filter(|value| value.kind() == "identifier") {
                    self.exported.insert(self.parsed.says(value), DEFAULT);
                }
            }
            "export_specifier" => {
                let name = self.parsed.field(node, "name");
                let alias = Some(self.parsed.field(node, "alias")).filter(|alias| !alias.is_empty()).unwrap_or(name);
                self.exported.insert(name, alias);
            }
            "assignment_expression" => {
                let (to, value) = (self.parsed.field(node, "left"), node.child_by_field_name("right"));
                let Some(value) = value.filter(|value| value.kind() == "identifier") else { return };
                let name = match to {
                    "module.exports" => DEFAULT,
                    to => match to.strip_prefix("module.exports.").or_else(|| to.strip_prefix("exports.")) {
                        Some(name) => name,
                        None => return,
                    },
                };
                self.exported.insert(self.parsed.says(value), name);
            }
            _ => {}
        }
    }

    /// The file and the export of a router that an expression takes from elsewhere.
    fn elsewhere(&self, path: &str, node: Node<'p>) -> Option<(String, String)> {
        match node.kind() {
            "identifier" => self.local.get(self.parsed.says(node)).cloned(),
            "member_expression" => {
                let (file, _) = self.elsewhere(path, node.child_by_field_name("object")?)?;
                Some((file, self.parsed.field(node, "property").to_owned()))
            }
            "call_expression" if self.parsed.field(node, "function") == "require" => {
                let from = text(self.parsed, *arguments(node).first()?).filter(|from| from.starts_with('.'))?;
                Some((beside(path, without_ending(&from))?, DEFAULT.to_owned()))
            }
            _ => None,
        }
    }

    /// The routers of other files that this one mounts.
    pub(super) fn mounted_away(&mut self) -> Vec<FoundFact> {
        let away = std::mem::take(&mut self.away);
        let own = |name: &str| self.routers.get(name).cloned().unwrap_or_default();
        away.into_iter()
            .map(|(on, path, mount, line)| {
                let path = below(&self.mounts.prefix(on, &own), &path);
                FoundFact::mount(&path, Mount { on: self.exported_as(on).to_owned(), ..mount }, line)
            })
            .collect()
    }

    /// The name by which other files know the router that a router of this file ends up on: what a function is handed is what the file
    /// exports.
    pub(super) fn exported_as<'r>(&'r self, router: &'r str) -> &'r str {
        let root = self.mounts.root(router);
        let handed = if self.routers.contains_key(root) { root } else { DEFAULT };
        self.exported.get(root).copied().unwrap_or(handed)
    }

    /// `app.use("/users", users)`, of Hono `app.route("/users", users)`, of Fastify `app.register(users, { prefix: "/users" })`.
    pub(super) fn note_mount(&mut self, file: &str, call: Node<'p>) {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "member_expression") else { return };
        let arguments = arguments(call);
        let on = function.child_by_field_name("object").map_or("", |object| self.parsed.says(object));
        let (path, routers) = match (self.parsed.field(function, "property"), arguments.as_slice()) {
            ("use" | "route", [path, routers @ ..]) if !routers.is_empty() && path.kind() != "identifier" => {
                (text(self.parsed, *path), routers)
            }
            // Without a path it is at the router's own.
            ("use", [router]) => (Some(String::new()), std::slice::from_ref(router)),
            ("register", [router, options]) => {
                let path = self.option(*options, "prefix").map(|path| text(self.parsed, path));
                (path.unwrap_or(Some(String::new())), std::slice::from_ref(router))
            }
            ("register", [router]) => (Some(String::new()), std::slice::from_ref(router)),
            _ => return,
        };
        let Some(path) = path.filter(|path| path.is_empty() || path.starts_with('/')) else { return };
        for router in routers {
            let name = self.parsed.says(*router);
            if self.routers.contains_key(name) {
                self.mounts.note(name, on, path.clone());
            } else if let Some((module, name)) = self.elsewhere(file, *router) {
                let mount = Mount { module, exact: true, name, on: String::new(), replaces: false };
                self.away.push((on, path.clone(), mount, line(call)));
            }
        }
    }
}

/// A specifier without the ending of a script: TypeScript names the file that is made of it.
pub(super) fn without_ending(from: &str) -> &str {
    [".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx"].into_iter().find_map(|ending| from.strip_suffix(ending)).unwrap_or(from)
}
