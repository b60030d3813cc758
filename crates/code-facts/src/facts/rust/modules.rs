//! What the modules of a program import from each other: names, and routers that one creates and another mounts.

use super::super::endpoints::below;
use super::super::found::FoundFact;
use super::super::mounts::Mounts;
use super::super::routers::Mount;
use super::super::tree::{Parsed, children, line};
use super::{arguments, beginning, maker, prefix_outside, written};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// A router of another module: what it is mounted on, the path, and the rest.
type Away<'p> = (&'p str, String, Mount, u32);

/// What a file mounts, its own and what comes from elsewhere.
pub(super) struct Modules<'p> {
    parsed: &'p Parsed<'p>,
    pub(super) mounts: Mounts,
    /// Names of the file that come from elsewhere, with their paths.
    uses: BTreeMap<&'p str, String>,
    /// The same for those that it re-exports; `*` for all of a module.
    public: Vec<(&'p str, String, u32)>,
    /// Modules within the file.
    inner: BTreeSet<&'p str>,
    away: Vec<Away<'p>>,
}

impl<'p> Modules<'p> {
    pub(super) fn of(parsed: &'p Parsed<'p>) -> Modules<'p> {
        let (uses, inner) = (BTreeMap::new(), BTreeSet::new());
        let mut modules = Modules { parsed, mounts: Mounts::default(), uses, public: Vec::new(), inner, away: Vec::new() };
        for node in parsed.nodes() {
            match node.kind() {
                "use_declaration" => modules.note_use(node),
                "mod_item" if node.child_by_field_name("body").is_some() => {
                    modules.inner.insert(parsed.field(node, "name"));
                }
                _ => {}
            }
        }
        modules
    }

    /// The names that `use` brings in, one level of braces included.
    fn note_use(&mut self, node: Node<'p>) {
        let said = self.parsed.field(node, "argument");
        let (head, names) = match said.split_once('{') {
            Some((head, names)) => (head.trim_end_matches("::"), names.trim_end_matches('}')),
            None => said.rsplit_once("::").unwrap_or(("", said)),
        };
        let is_public = children(node).iter().any(|child| child.kind() == "visibility_modifier");
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let (whole, local) = name.split_once(" as ").unwrap_or((name, name));
            let local = local.rsplit("::").next().unwrap_or(local).trim();
            let whole = format!("{head}::{}", whole.trim());
            if is_public {
                self.public.push((local, whole.clone(), line(node)));
            }
            if name != "*" {
                self.uses.insert(local, whole);
            }
        }
    }

    /// `.nest("/users", users)`, `web::scope("/users").service(list)`, `.configure(users)`, `.mount("/users", routes![list])`: what a
    /// variable or a function makes is below a path. `routes![list]` by itself is a part of what its function makes.
    pub(super) fn note(&mut self, node: Node<'p>) {
        if node.kind() == "macro_invocation" {
            let is_mounted = node.parent().and_then(|list| list.parent()).is_some_and(|call| self.method(call) == "mount");
            if self.parsed.field(node, "macro").rsplit("::").next() == Some("routes") && !is_mounted {
                self.mount_all(node, &listed(self.parsed, node), "");
            }
            return;
        }
        let arguments = arguments(node);
        let Some(function) = node.child_by_field_name("function") else { return };
        let (path, made) = match (self.method(node), arguments.as_slice()) {
            ("nest", [path, router]) => (written(self.parsed, *path), *router),
            ("mount", [path, list]) => (written(self.parsed, *path), *list),
            ("merge", [router]) => (Some(String::new()), *router),
            ("service" | "configure", [made]) => {
                (Some(beginning(self.parsed, function, "scope").map_or_else(String::new, |(path, _)| path)), *made)
            }
            _ => return,
        };
        let Some(path) = path else { return };
        let name = if made.kind() == "call_expression" { made.child_by_field_name("function").unwrap_or(made) } else { made };
        let names = match name.kind() {
            "identifier" | "scoped_identifier" => vec![self.parsed.says(name)],
            "macro_invocation" => listed(self.parsed, name),
            _ => return,
        };
        // The path of `nest` is not a part of what it is nested in.
        let path = below(&prefix_outside(self.parsed, node), &path);
        self.mount_all(node, &names, &path);
    }

    fn mount_all(&mut self, node: Node<'p>, names: &[&'p str], path: &str) {
        let on = maker(self.parsed, node);
        for said in names {
            match self.elsewhere(said) {
                Some((module, name)) => {
                    let mount = Mount { module, exact: false, name, on: String::new(), replaces: false };
                    self.away.push((on, path.to_owned(), mount, line(node)));
                }
                None => self.mounts.note(said.rsplit("::").next().unwrap_or(""), on, path.to_owned()),
            }
        }
    }

    /// The name of the method that a call calls; empty if it calls none.
    fn method(&self, call: Node<'p>) -> &'p str {
        let function = call.child_by_field_name("function").filter(|function| function.kind() == "field_expression");
        function.map_or("", |function| self.parsed.field(function, "field"))
    }

    /// The module, as a path, and the name of a function of another module; `None` for one of this file.
    fn elsewhere(&self, said: &str) -> Option<(String, String)> {
        let (head, rest) = said.split_once("::").unwrap_or((said, ""));
        let whole = match self.uses.get(head) {
            Some(path) if rest.is_empty() => path.clone(),
            Some(path) => format!("{path}::{rest}"),
            None => said.to_owned(),
        };
        let (module, name) = module_of(&whole)?;
        let is_inner = module.rsplit('/').next().is_some_and(|last| self.inner.contains(last));
        (!is_inner).then_some((module, name))
    }

    /// What is mounted within the file, and what ties it to others.
    pub(super) fn ties(self) -> (Mounts, Vec<FoundFact>) {
        let handed_on = self.public.iter().filter_map(|(local, whole, line)| {
            let (module, name) = module_of(whole)?;
            Some(FoundFact::export(local, Mount { module, exact: false, name, on: String::new(), replaces: false }, *line))
        });
        let mounted = self.away.into_iter().map(|(on, path, mount, line)| {
            let path = below(&self.mounts.prefix(on, &|_| String::new()), &path);
            FoundFact::mount(&path, Mount { on: self.mounts.root(on).to_owned(), ..mount }, line)
        });
        let ties = handed_on.chain(mounted).collect();
        (self.mounts, ties)
    }
}

/// A module, as a path, and the name in it.
fn module_of(whole: &str) -> Option<(String, String)> {
    let (module, name) = whole.rsplit_once("::")?;
    let inner: Vec<&str> = module.split("::").filter(|part| !matches!(*part, "" | "crate" | "self" | "super")).collect();
    // A type's own function, as `Router::new`, is not a module's.
    let is_module = !inner.is_empty() && inner.iter().all(|part| part.starts_with(|c: char| c.is_ascii_lowercase() || c == '_'));
    is_module.then(|| (inner.join("/"), name.to_owned()))
}

/// The names in `routes![list, users::one]`.
fn listed<'p>(parsed: &'p Parsed<'_>, list: Node<'p>) -> Vec<&'p str> {
    let said = parsed.says(list).split_once('!').map_or("", |(_, names)| names);
    let names = said.trim_matches(|c: char| c.is_whitespace() || "[](){}".contains(c)).split(',');
    let plain = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
    names.map(str::trim).filter(plain).collect()
}
