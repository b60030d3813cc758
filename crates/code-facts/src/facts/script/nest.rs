//! Endpoints of NestJS.

use super::super::endpoints::{below, endpoint, method};
use super::super::found::{FactKind, FoundFact, WRITTEN};
use super::super::holes;
use super::super::tree::{children, line};
use super::{Module, arguments};
use tree_sitter::Node;

/// What a program calls to serve all its controllers below a path.
const GLOBAL: &str = "setGlobalPrefix";

impl<'p> Module<'p> {
    /// `app.setGlobalPrefix("api")`: a part of the paths of all controllers.
    pub(super) fn global_prefix(&self, call: Node<'p>) -> Option<FoundFact> {
        let function = call.child_by_field_name("function").filter(|function| self.parsed.field(*function, "property") == GLOBAL)?;
        let path = below("", &self.text(*arguments(call).first()?, false)?);
        holes::is_part(&path).then(|| FoundFact::new(FactKind::Constant, format!(".{GLOBAL}"), path, line(function), WRITTEN))
    }

    /// `@Get(":id")` above a method of a `@Controller("users")`.
    pub(super) fn nest(&self, decorator: Node<'p>) -> Vec<FoundFact> {
        let Some((call, method, handler, controller)) = self.answers(decorator) else { return Vec::new() };
        let prefix = holes::hole("", false, &format!("app.{GLOBAL}"), false);
        let mut found = Vec::new();
        for above in self.paths(controller) {
            let own = self.paths(call).into_iter().map(|path| below(&below("", &above), &path));
            found.extend(own.map(|path| endpoint(method, &format!("{prefix}{path}"), handler, line(decorator))));
        }
        found
    }

    /// The call of a decorator, the method and the handler of what it is above, and the call of its controller.
    fn answers(&self, decorator: Node<'p>) -> Option<(Node<'p>, &'static str, &'p str, Node<'p>)> {
        let call = children(decorator).into_iter().find(|child| child.kind() == "call_expression")?;
        let word = self.parsed.field(call, "function");
        let method = method(word).filter(|_| word.starts_with(|c: char| c.is_ascii_uppercase()))?;
        let mut next = decorator.next_named_sibling()?;
        while next.kind() == "decorator" || next.kind() == "comment" {
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
        Some((call, method, handler, controller))
    }

    /// The paths that a decorator is given: one, a list, or `{ path }`; by default the empty one.
    fn paths(&self, call: Node<'p>) -> Vec<String> {
        let given = arguments(call).first().copied();
        let given = given.and_then(|given| if given.kind() == "object" { self.option(given, "path") } else { Some(given) });
        match given {
            Some(list) if list.kind() == "array" => children(list).into_iter().filter_map(|path| self.text(path, false)).collect(),
            Some(path) => vec![self.text(path, false).unwrap_or_default()],
            None => vec![String::new()],
        }
    }
}
