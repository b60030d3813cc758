//! Routers of a script, and the endpoints that are registered on them.

use super::super::endpoints::{below, endpoint, method};
use super::super::found::{FoundFact, INLINE};
use super::super::holes;
use super::super::tree::{children, line};
use super::{Module, USUAL, WEB, arguments, text};
use tree_sitter::Node;

/// The router that an expression is.
pub(super) struct On<'p> {
    /// Its name in this file.
    pub(super) name: &'p str,
    /// The path below it, for `app.basePath("/api")` and for functions that it hands a part of itself.
    pub(super) path: String,
    /// Where it is used.
    pub(super) at: Node<'p>,
}

impl<'p> Module<'p> {
    /// `const app = express()`.
    pub(super) fn note_router(&mut self, declarator: Node<'p>) {
        let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
        let (Some(name), Some(value)) = (name, declarator.child_by_field_name("value")) else { return };
        if self.is_made(value) {
            let prefix = self.made_with(value);
            if self.routers.insert(self.parsed.says(name), prefix).is_some() {
                self.remade.insert(self.parsed.says(name));
            }
        }
    }

    /// The routers that this file makes, for others that register on them.
    pub(super) fn made(&self) -> Vec<FoundFact> {
        let own = |name: &str| self.routers.get(name).cloned().unwrap_or_default();
        let of = |name: &'p str| FoundFact::made(self.known(name), &self.mounts.prefix(name, &own), self.known(self.mounts.root(name)), 1);
        self.routers.keys().copied().map(of).collect()
    }

    /// The name by which other files know a name.
    fn known<'r>(&'r self, name: &'r str) -> &'r str {
        self.exported.get(name).copied().unwrap_or(name)
    }

    /// The prefix in `new Router({ prefix: "/users" })` and in `new Hono().basePath("/users")`.
    fn made_with(&self, value: Node<'p>) -> String {
        let (mut options, mut node) = (None, Some(value));
        while let Some(at) = node {
            options = at.child_by_field_name("arguments").map_or(options, |list| children(list).first().copied());
            node = at.child_by_field_name("function").or_else(|| at.child_by_field_name("object"));
        }
        let option = |first| ["prefix", "base"].into_iter().find_map(|name| self.text(self.option(first, name)?, false));
        below(&options.and_then(option).unwrap_or_default(), &self.based(value))
    }

    /// The paths of `basePath("/api")` in a chain of calls.
    fn based(&self, mut node: Node<'p>) -> String {
        let mut path = String::new();
        while let Some(inner) = node.child_by_field_name("function").or_else(|| node.child_by_field_name("object")) {
            if node.kind() == "call_expression" && self.parsed.field(inner, "property") == "basePath" {
                let base = arguments(node).first().and_then(|base| self.text(*base, false)).unwrap_or_default();
                path = below(&base, &path);
            }
            node = inner;
        }
        path
    }

    /// The value of an option in an object.
    pub(super) fn option(&self, options: Node<'p>, name: &str) -> Option<Node<'p>> {
        let of_name = |pair: &Node<'p>| pair.kind() == "pair" && self.parsed.field(*pair, "key") == name;
        children(options).into_iter().find(of_name).and_then(|pair| pair.child_by_field_name("value"))
    }

    /// The router that an expression is.
    pub(super) fn on(&self, expression: Node<'p>) -> On<'p> {
        let begins = beginning(expression);
        let (mut name, mut path, mut at) = (self.parsed.says(begins), self.based(expression), expression);
        if (begins.kind() != "identifier" || self.is_made(expression))
            && let Some(declared) = self.declared(expression)
        {
            // `const users = new Hono().get("/", list)`, `const api = Router().use(users)`: its base is the variable's.
            (name, path) = (self.parsed.field(declared, "name"), String::new());
        }
        // `app.register((api) => { api.get("/users", list) }, { prefix: "/api" })`
        while let Some(function) = self.function_of_parameter(name, at) {
            let list = function.parent().filter(|list| list.kind() == "arguments");
            let Some(call) = list.and_then(|list| list.parent()) else { break };
            let Some(outer) = call.child_by_field_name("function").filter(|outer| outer.kind() == "member_expression") else { break };
            let given = arguments(call);
            let prefix = match (self.parsed.field(outer, "property"), given.as_slice()) {
                ("register", [_]) => Some(String::new()),
                ("register", [_, options]) => Some(self.option(*options, "prefix").map_or_else(String::new, |path| self.below(path))),
                ("group", [path, ..]) => self.text(*path, false),
                _ => None,
            };
            let (Some(prefix), Some(object)) = (prefix, outer.child_by_field_name("object")) else { break };
            path = below(&below(&self.based(object), &prefix), &path);
            (name, at) = (self.parsed.says(beginning(object)), call);
        }
        On { name, path, at }
    }

    /// The variable whose value a chain of calls is a part of.
    fn declared(&self, node: Node<'p>) -> Option<Node<'p>> {
        const CHAIN: [&str; 5] = ["call_expression", "member_expression", "await_expression", "as_expression", "satisfies_expression"];
        let mut around = self.parsed.around(node).skip_while(|parent| CHAIN.contains(&parent.kind()));
        around.next().filter(|parent| parent.kind() == "variable_declarator")
    }

    /// A path below the prefixes of the router that it is registered on.
    fn placed(&self, on: &On<'p>, path: &str) -> String {
        let own = |name: &str| self.routers.get(name).cloned().unwrap_or_default();
        let prefix = below(&self.mounts.prefix(on.name, &own), &on.path);
        // Express serves what it mounts with and without the slash at the end.
        if path == "/" && !prefix.is_empty() { prefix } else { below(&prefix, path) }
    }

    /// An endpoint as other files can mount it; `None` if nothing shows that it is one. Without a framework of its own a file registers on
    /// what its functions are handed, and on routers of other files.
    fn served(&self, fact: FoundFact, on: &On<'p>, object: Node<'p>) -> Option<FoundFact> {
        let is_router = self.is_web && (self.is_router(object) || self.names_router(on.name));
        if !self.routers.contains_key(on.name)
            && let Some(from) = self.local.get(on.name)
        {
            let fact = fact.served_by_other(on.name, from.clone());
            return Some(if is_router { fact } else { fact.supposed() });
        }
        if is_router {
            return Some(fact.served_by(self.exported_as(on.name, on.at), ""));
        }
        let function = self.function_of_parameter(on.name, on.at).and_then(|function| self.function_name(function))?;
        Some(fact.served_by(function, "").supposed())
    }

    /// Whether a value is created by a package with routers.
    pub(super) fn is_made(&self, value: Node<'p>) -> bool {
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
    pub(super) fn route(&self, call: Node<'p>) -> Vec<FoundFact> {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "member_expression") else {
            return Vec::new();
        };
        let (Some(object), Some(property)) = (function.child_by_field_name("object"), function.child_by_field_name("property")) else {
            return Vec::new();
        };
        let given = arguments(call);
        let word = self.parsed.says(property);
        let (methods, paths, handler) = match (word, given.as_slice()) {
            ("route", [options]) if options.kind() == "object" => self.by_options(*options),
            // `app.on(["PUT", "DELETE"], "/users", list)`
            ("on", [methods, path, .., handler]) => (self.methods(*methods), self.paths_of(*path), self.handler(*handler)),
            // A word such as `GET` is not a router's method.
            _ => match (method(word).filter(|_| word.chars().all(|c| c.is_ascii_lowercase())), self.routed(object)) {
                (None, _) => return Vec::new(),
                (Some(method), Some(path)) => {
                    (vec![method], vec![path], given.last().map_or_else(|| INLINE.to_owned(), |handler| self.handler(*handler)))
                }
                (Some(method), None) => match given.as_slice() {
                    // `router.get("users", "/users", list)`
                    [name, path, .., handler] if self.is_name(*name) => (vec![method], self.paths_of(*path), self.handler(*handler)),
                    [path, .., handler] => (vec![method], self.paths_of(*path), self.handler(*handler)),
                    // `app.get("/users", list).post(add)`
                    [handler] if self.packages.contains("hono") => (vec![method], self.paths_before(object), self.handler(*handler)),
                    _ => return Vec::new(),
                },
            },
        };
        let on = self.on(object);
        let mut found = Vec::new();
        for path in paths.iter().filter(|path| path.starts_with(['/', '*']) || holes::begins(path)) {
            let told = methods.iter().map(|method| endpoint(method, &self.placed(&on, path), &handler, line(property)));
            found.extend(told.filter_map(|fact| self.served(fact, &on, object)));
        }
        found
    }

    /// The path of `router.route("/users")` that a chain begins with.
    fn routed(&self, mut node: Node<'p>) -> Option<String> {
        while node.kind() == "call_expression" {
            let function = node.child_by_field_name("function").filter(|function| function.kind() == "member_expression")?;
            if self.parsed.field(function, "property") == "route" {
                return self.text(*arguments(node).first().filter(|_| arguments(node).len() == 1)?, true);
            }
            node = function.child_by_field_name("object")?;
        }
        None
    }

    /// Whether an argument is a text that is not a path.
    fn is_name(&self, node: Node<'p>) -> bool {
        text(self.parsed, node).is_some_and(|name| !name.is_empty() && !name.starts_with(['/', '*']))
    }

    /// The paths of the route before in a chain.
    fn paths_before(&self, mut node: Node<'p>) -> Vec<String> {
        while node.kind() == "call_expression" {
            let Some(function) = node.child_by_field_name("function").filter(|_| arguments(node).len() == 1) else {
                return arguments(node).first().map_or_else(Vec::new, |path| self.paths_of(*path));
            };
            match function.child_by_field_name("object") {
                Some(object) => node = object,
                None => break,
            }
        }
        Vec::new()
    }

    /// Methods, paths and handler of `fastify.route({ method: "GET", url: "/users", handler })`.
    fn by_options(&self, options: Node<'p>) -> (Vec<&'static str>, Vec<String>, String) {
        let get = |name: &str| self.option(options, name);
        let paths = ["url", "path"].into_iter().find_map(get).map_or_else(Vec::new, |path| self.paths_of(path));
        let methods = get("method").map_or_else(Vec::new, |methods| self.methods(methods));
        let is_short = |child: &Node<'p>| child.kind() == "shorthand_property_identifier" && self.parsed.says(*child) == "handler";
        let handler = match get("handler").or_else(|| children(options).into_iter().find(is_short)) {
            Some(named) if named.kind() == "shorthand_property_identifier" => self.parsed.says(named).to_owned(),
            Some(handler) => self.handler(handler),
            None => INLINE.to_owned(),
        };
        (methods, paths, handler)
    }

    /// One HTTP method, or several.
    fn methods(&self, node: Node<'p>) -> Vec<&'static str> {
        let words = if node.kind() == "array" { children(node) } else { vec![node] };
        words.into_iter().filter_map(|word| method(&text(self.parsed, word)?)).collect()
    }

    /// One path, or several.
    fn paths_of(&self, node: Node<'p>) -> Vec<String> {
        let paths = if node.kind() == "array" { children(node) } else { vec![node] };
        paths.into_iter().filter_map(|path| self.text(path, true)).collect()
    }

    /// Whether a name is a router's.
    pub(super) fn names_router(&self, name: &str) -> bool {
        self.routers.contains_key(name) || (USUAL.contains(&name) && !self.names.contains_key(name))
    }

    /// Whether a chain begins with a router.
    fn is_router(&self, object: Node<'p>) -> bool {
        let mut node = object;
        loop {
            let next = match node.kind() {
                "identifier" => {
                    let name = self.parsed.says(node);
                    return self.names_router(name);
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
}

/// What a chain of calls begins with.
pub(super) fn beginning(mut node: Node<'_>) -> Node<'_> {
    while let Some(inner) = node.child_by_field_name("function").or_else(|| node.child_by_field_name("object")) {
        node = inner;
    }
    node
}
