//! Django's lists of paths.

use super::super::endpoints::{ANY_METHOD, below, endpoint};
use super::super::found::FoundFact;
use super::super::routers::Mount;
use super::super::tree::{children, line};
use super::Module;
use super::texts::text;
use tree_sitter::Node;

/// The name of a module's paths.
const URLS: &str = "urlpatterns";
/// Functions that state one.
const STATES: &[&str] = &["path", "re_path", "url"];
/// Lists within lists that are followed: more is a circle.
const DEEPEST: usize = 8;

impl<'p> Module<'p> {
    /// `path("users/", views.users)` in a list of paths.
    pub(super) fn django(&self, call: Node<'p>) -> Option<FoundFact> {
        let list = call.parent().filter(|parent| parent.kind() == "list")?;
        let own = self.stated_path(call)?;
        let path = below(&self.path_around(list, DEEPEST)?, &own);
        // A path with nothing behind it ends with the slash of what is around it.
        let path = if own == "/" { format!("{}/", path.trim_end_matches('/')) } else { path };
        let view = *self.arguments(call).get(1)?;
        if self.parsed.field(view, "function") == "include" {
            // An included module states its own paths, below this one; those of a list are below it in this module.
            let module = text(self.parsed, self.included(view)?)?.replace('.', "/");
            let (name, on) = (URLS.to_owned(), URLS.to_owned());
            return Some(FoundFact::mount(&path, Mount { module, exact: false, name, on, replaces: false }, line(call)));
        }
        if self.parsed.says(view).ends_with(".urls") {
            return None;
        }
        Some(endpoint(ANY_METHOD, &path, &self.handler(view), line(call)).served_by(URLS, ""))
    }

    /// The path that a call states, with a slash before it; the anchors of a regular expression are not part of it.
    fn stated_path(&self, call: Node<'p>) -> Option<String> {
        let how = call.child_by_field_name("function").filter(|function| function.kind() == "identifier")?;
        let how = Some(self.parsed.says(how)).filter(|how| STATES.contains(how))?;
        let path = text(self.parsed, *self.arguments(call).first()?)?;
        let plain = if how == "path" { path.as_str() } else { path.trim_start_matches('^').trim_end_matches('$') };
        Some(format!("/{}", plain.trim_start_matches('/')))
    }

    /// What `include("users.urls")` or `include(("users.urls", "users"))` includes.
    fn included(&self, include: Node<'p>) -> Option<Node<'p>> {
        let given = *self.arguments(include).first()?;
        if given.kind() == "tuple" { children(given).first().copied() } else { Some(given) }
    }

    /// The path that a list is included below; `None` if this module says so nowhere.
    fn path_around(&self, list: Node<'p>, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let mut node = list;
        loop {
            let parent = node.parent()?;
            match parent.kind() {
                "tuple" | "argument_list" | "binary_operator" | "parenthesized_expression" => {}
                "call" if self.parsed.field(parent, "function") == "include" => return self.path_of(parent, depth),
                "call" => {}
                "assignment" | "augmented_assignment" => {
                    let name = self.parsed.field(parent, "left");
                    if name == URLS {
                        return Some(String::new());
                    }
                    let is_it = |call: &Node<'p>| {
                        let is_include = call.kind() == "call" && self.parsed.field(*call, "function") == "include";
                        is_include && self.included(*call).is_some_and(|given| self.parsed.says(given) == name)
                    };
                    return match self.parsed.nodes().find(is_it) {
                        Some(include) => self.path_of(include, depth),
                        // Another module may include it, or it is added to the others.
                        None => Some(String::new()),
                    };
                }
                _ => return Some(String::new()),
            }
            node = parent;
        }
    }

    /// The path that an `include` follows.
    fn path_of(&self, include: Node<'p>, depth: usize) -> Option<String> {
        let call = include.parent().filter(|list| list.kind() == "argument_list")?.parent()?;
        let list = call.parent().filter(|parent| parent.kind() == "list")?;
        Some(below(&self.path_around(list, depth)?, &self.stated_path(call)?))
    }
}
