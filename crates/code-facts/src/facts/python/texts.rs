//! String literals of a Python module, also through constants, and names that it imports from others.

use super::super::across::beside;
use super::super::found::{FactKind, FoundFact, WRITTEN};
use super::super::holes;
use super::super::routers::Mount;
use super::super::tree::{Parsed, Steps, children, line};
use super::Module;
use tree_sitter::Node;

impl<'p> Module<'p> {
    /// `API = "/api"` of the module, `API: str = "/api"` of a class.
    pub(super) fn note_value(&mut self, assignment: Node<'p>) {
        let Some(name) = assignment.child_by_field_name("left").filter(|name| name.kind() == "identifier") else { return };
        let Some(value) = assignment.child_by_field_name("right") else { return };
        let name = match holder(assignment) {
            Some("module") => self.parsed.says(name).to_owned(),
            Some("class_definition") => format!(".{}", self.parsed.says(name)),
            _ => return,
        };
        self.values.entry(name).and_modify(|known| *known = None).or_insert(Some(value));
    }

    /// The constants that may be parts of paths in other modules.
    pub(super) fn stated(&self) -> Vec<FoundFact> {
        let texts = self
            .values
            .iter()
            .filter_map(|(name, value)| Some((name, self.text_of(None, (*value)?, false, &Steps::default())?, (*value)?)));
        let parts = texts.filter(|(_, text, _)| holes::is_part(text));
        parts.map(|(name, text, value)| FoundFact::new(FactKind::Constant, name, text, line(value), WRITTEN)).collect()
    }

    /// The routers of other modules that a package re-exports under its own names.
    pub(super) fn handed_on(&self, path: &str) -> Vec<FoundFact> {
        let named = self.names.keys().filter_map(|local| Some((*local, self.elsewhere(path, local)?)));
        let of = |(module, exact, name)| Mount { module, exact, name, on: String::new(), replaces: false };
        named.map(|(local, from)| FoundFact::export(local, of(from), 1)).collect()
    }

    /// A path that is written out in this module or, in parts, in others; the latter `required` or not.
    pub(super) fn path(&self, file: &str, node: Node<'p>, required: bool) -> Option<String> {
        self.text_of(Some(file), node, required, &Steps::default())
    }

    /// The text of an expression; with a file, parts may be stated by others.
    fn text_of(&self, file: Option<&str>, node: Node<'p>, required: bool, steps: &Steps) -> Option<String> {
        steps.take()?;
        let of = |node: Node<'p>| self.text_of(file, node, required, steps);
        match node.kind() {
            "string" => {
                let start = self.parsed.says(node).split(['"', '\'']).next().unwrap_or_default();
                // After an `f`, doubled braces stand for themselves.
                let formats = start.contains(['f', 'F']);
                let part = |part: &Node<'p>| match part.kind() {
                    "string_content" if formats => Some(self.parsed.says(*part).replace("{{", "{").replace("}}", "}")),
                    "string_content" => Some(self.parsed.says(*part).to_owned()),
                    "interpolation" => children(*part).first().filter(|_| children(*part).len() == 1).and_then(|inner| of(*inner)),
                    _ => Some(String::new()),
                };
                children(node).iter().map(part).collect()
            }
            "concatenated_string" => children(node).into_iter().map(of).collect(),
            "parenthesized_expression" => of(*children(node).first()?),
            "binary_operator" if self.parsed.field(node, "operator") == "+" => {
                Some(of(node.child_by_field_name("left")?)? + &of(node.child_by_field_name("right")?)?)
            }
            "identifier" | "attribute" => {
                let said = self.parsed.says(node);
                // What an object holds is stated by its class.
                let own = said.rsplit_once('.').map_or_else(|| said.to_owned(), |(_, name)| format!(".{name}"));
                match self.values.get(&own) {
                    Some(value) => of((*value)?),
                    None => self.hole(file?, said, required),
                }
            }
            _ => None,
        }
    }

    /// The place of a text of another module.
    fn hole(&self, file: &str, said: &str, required: bool) -> Option<String> {
        let plain = said.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let of_object = || {
            let (base, rest) = said.split_once('.')?;
            let (module, exact, name) = self.elsewhere(file, base)?;
            Some((module, exact, format!("{name}.{rest}")))
        };
        let imported = of_object().or_else(|| self.elsewhere(file, said));
        match imported {
            Some((module, exact, name)) => Some(holes::hole(&module, exact, &name, required)),
            // An attribute of an object that is passed in.
            None => said.contains('.').then(|| holes::hole("", false, said, required)),
        }
        .filter(|_| plain)
    }

    /// `from .routers import users as u`, `import app.users`.
    pub(super) fn note_names(&mut self, node: Node<'p>) {
        let module = match node.kind() {
            "import_statement" => None,
            "import_from_statement" => match node.child_by_field_name("module_name") {
                Some(module) => Some(self.parsed.says(module)),
                None => return,
            },
            _ => return,
        };
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let (said, local) = match name.kind() {
                "aliased_import" => (self.parsed.field(name, "name"), self.parsed.field(name, "alias")),
                _ => (self.parsed.says(name), self.parsed.says(name)),
            };
            let from = match module {
                Some(module) => (module.to_owned(), Some(said)),
                None => (said.to_owned(), None),
            };
            self.names.insert(local, from);
        }
    }

    /// The module and the name of a router of another module, as an expression of this file names it.
    pub(super) fn elsewhere(&self, path: &str, router: &str) -> Option<(String, bool, String)> {
        let (module, name) = match router.rsplit_once('.') {
            None => {
                let (module, name) = self.names.get(router)?;
                (module.clone(), (*name)?)
            }
            Some((base, name)) => match self.names.get(base)? {
                (module, Some(inner)) if module.ends_with('.') => (format!("{module}{inner}"), name),
                (module, Some(inner)) => (format!("{module}.{inner}"), name),
                (module, None) => (module.clone(), name),
            },
        };
        let plain = module.trim_start_matches('.');
        let up = module.len() - plain.len();
        let inner = plain.replace('.', "/");
        let module = match up {
            0 => inner,
            up => beside(path, &format!("{}{inner}", "../".repeat(up - 1)))?,
        };
        Some((module, up > 0, name.to_owned()))
    }
}

/// The kind of the node that directly contains an assignment.
fn holder(assignment: Node<'_>) -> Option<&'static str> {
    let mut node = assignment;
    loop {
        node = node.parent()?;
        match node.kind() {
            "module" => return Some("module"),
            "class_definition" => return Some("class_definition"),
            "function_definition" | "lambda" => return None,
            _ => {}
        }
    }
}

/// The value of a string without expressions; `None` for anything else.
pub(super) fn text(parsed: &Parsed<'_>, node: Node<'_>) -> Option<String> {
    if node.kind() != "string" {
        return None;
    }
    let parts = children(node);
    if parts.iter().any(|part| part.kind() == "interpolation") {
        return None;
    }
    Some(parts.into_iter().filter(|part| part.kind() == "string_content").map(|part| parsed.says(part)).collect())
}
