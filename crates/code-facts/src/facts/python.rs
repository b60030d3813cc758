//! Facts of Python code.

mod django;
mod texts;

use super::endpoints::{ANY_METHOD, below, endpoint, method};
use super::found::{ANY, FactKind, FoundFact, IMPLIED, INLINE, WRITTEN};
use super::frameworks::{self, Ecosystem};
use super::holes;
use super::mounts::Mounts;
use super::routers::Mount;
use super::standard;
use super::tree::{Parsed, children, line};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};
use texts::text;
use tree_sitter::Node;

/// Frameworks with decorators for endpoints.
const WEB: &[&str] = &[
    "flask",
    "flask_restx",
    "flask_restful",
    "flask_smorest",
    "fastapi",
    "quart",
    "sanic",
    "bottle",
    "starlette",
    "aiohttp",
    "litestar",
    "robyn",
    "falcon",
];
/// Constructors of objects that endpoints are registered on.
const MAKERS: &[&str] = &["Blueprint", "APIRouter", "FastAPI", "Api", "Namespace"];

struct Module<'p> {
    parsed: &'p Parsed<'p>,
    /// Imported top modules.
    imports: BTreeSet<&'p str>,
    /// Path prefixes that variables are made with.
    prefixes: BTreeMap<&'p str, String>,
    /// Those that are made several times: each may be a different one. Of their mounts the first counts.
    remade: BTreeSet<&'p str>,
    mounts: Mounts,
    /// Names from other modules: the module, with its dots, and the name in it; `None` for the module itself.
    names: BTreeMap<&'p str, (String, Option<&'p str>)>,
    /// Values of the module's own names, and of those of its classes with a dot before; `None`: it has several.
    values: BTreeMap<String, Option<Node<'p>>>,
    /// Routers of other modules: what they are mounted on, the path, and the rest.
    away: Vec<(&'p str, String, Mount, u32)>,
}

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let Some(parsed) = Parsed::of(Language::Python, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut module = Module {
        parsed: &parsed,
        imports: BTreeSet::new(),
        prefixes: BTreeMap::new(),
        remade: BTreeSet::new(),
        mounts: Mounts::default(),
        names: BTreeMap::new(),
        values: BTreeMap::new(),
        away: Vec::new(),
    };
    parsed.nodes().filter(|node| node.kind() == "assignment").for_each(|node| module.note_value(node));
    parsed.nodes().for_each(|node| module.note_names(node));
    for node in parsed.nodes() {
        for (name, line) in imported(&parsed, node) {
            module.imports.insert(name);
            let package = if name == "aiohttp" && says_web(&parsed, node) { "aiohttp.web" } else { standard::package_of(name) };
            found.extend(frameworks::used(Ecosystem::Python, package, line));
            if !standard::is_python(name) {
                let dependency = FoundFact::new(FactKind::Dependency, standard::package_of(name), ANY, line, IMPLIED);
                found.push(FoundFact { imported: Some(name.to_owned()), ..dependency });
            }
        }
        found.extend(entry_point(path, &parsed, node));
        if node.kind() == "assignment" {
            module.note_prefix(path, node);
        }
    }
    parsed.nodes().filter(|node| node.kind() == "call").for_each(|call| module.note_mount(path, call));
    found.extend(module.stated());
    if path.rsplit('/').next() == Some("__init__.py") {
        found.extend(module.handed_on(path));
    }
    if module.imports.contains("django") {
        found.extend(parsed.nodes().filter(|node| node.kind() == "call").flat_map(|call| module.django(call)));
    }
    for way in 0..module.mounts.ways() {
        module.mounts.choose(way);
        let told = module.served(path);
        found.extend(told.into_iter().filter(|fact| way == 0 || !found.contains(fact)).collect::<Vec<_>>());
    }
    if path.rsplit('/').next() == Some("__main__.py") && !found.iter().any(|fact| fact.kind == FactKind::EntryPoint) {
        found.push(FoundFact::new(FactKind::EntryPoint, path, "__main__", 1, WRITTEN));
    }
    found
}

/// The top modules imported by a node, each with its line.
fn imported<'p>(parsed: &'p Parsed<'_>, node: Node<'p>) -> Vec<(&'p str, u32)> {
    let names: Vec<Node<'p>> = match node.kind() {
        "import_statement" => {
            let plain = |child: Node<'p>| if child.kind() == "aliased_import" { child.child_by_field_name("name") } else { Some(child) };
            children(node).into_iter().filter_map(plain).collect()
        }
        "import_from_statement" => node.child_by_field_name("module_name").into_iter().collect(),
        _ => Vec::new(),
    };
    let dotted = names.into_iter().filter(|name| name.kind() == "dotted_name" && !name.has_error());
    dotted.map(|name| (parsed.says(name).split('.').next().unwrap_or("").trim(), line(name))).filter(|(name, _)| !name.is_empty()).collect()
}

/// Whether an import of aiohttp is of its server.
fn says_web(parsed: &Parsed<'_>, node: Node<'_>) -> bool {
    parsed.says(node).split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == "web")
}

/// `if __name__ == "__main__":` at the top level.
fn entry_point(path: &str, parsed: &Parsed<'_>, node: Node<'_>) -> Option<FoundFact> {
    if node.kind() != "if_statement" || node.parent()?.kind() != "module" {
        return None;
    }
    let condition = node.child_by_field_name("condition").filter(|condition| condition.kind() == "comparison_operator")?;
    let sides = children(condition);
    let [left, right] = sides.as_slice() else { return None };
    let of = |name: Node<'_>, value: Node<'_>| parsed.says(name) == "__name__" && text(parsed, value).as_deref() == Some("__main__");
    let is_main = parsed.says(condition).contains("==") && (of(*left, *right) || of(*right, *left));
    is_main.then(|| FoundFact::new(FactKind::EntryPoint, path, "__main__", line(node), WRITTEN))
}

impl<'p> Module<'p> {
    /// What this file serves and mounts, given how its routers are mounted so far.
    fn served(&self, path: &str) -> Vec<FoundFact> {
        let (django, web) = (self.imports.contains("django"), WEB.iter().any(|web| self.imports.contains(web)));
        let mut found = self.mounted_away();
        found.extend(self.made());
        for node in self.parsed.nodes() {
            match node.kind() {
                // Without a framework of its own a file may register on the routers of others.
                "decorated_definition" if web => found.extend(self.decorated(path, node)),
                "decorated_definition" => {
                    found.extend(self.decorated(path, node).into_iter().filter(|fact| fact.mount.is_some()).map(FoundFact::supposed));
                }
                "call" if web && !django => found.extend(self.added(path, node)),
                _ => {}
            }
        }
        found
    }

    /// `api = Blueprint("api", __name__, url_prefix="/api")`.
    fn note_prefix(&mut self, path: &str, assignment: Node<'p>) {
        let call = assignment.child_by_field_name("right").filter(|right| right.kind() == "call");
        let (Some(name), Some(call)) = (assignment.child_by_field_name("left"), call) else { return };
        let written = self.parsed.field(call, "function");
        let imported = self.names.get(written).and_then(|(_, name)| *name);
        let maker = imported.unwrap_or_else(|| written.rsplit('.').next().unwrap_or(""));
        if name.kind() != "identifier" || !MAKERS.contains(&maker) {
            return;
        }
        let given = ["url_prefix", "prefix", "path"].into_iter().find_map(|key| Some(self.below(path, self.keyword(call, key)?)));
        let first = self.arguments(call).into_iter().find(|argument| argument.kind() != "keyword_argument");
        // In Flask-RESTX a namespace has the path of its name.
        let named = || first.filter(|_| maker == "Namespace").and_then(|name| text(self.parsed, name)).map(|name| format!("/{name}"));
        let prefix = given.or_else(named).unwrap_or_default();
        if self.prefixes.insert(self.parsed.says(name), prefix).is_some() {
            self.remade.insert(self.parsed.says(name));
        }
        // `api = Api(blueprint)`
        if let Some(on) = first.filter(|on| maker == "Api" && on.kind() == "identifier") {
            self.mounts.note(self.parsed.says(name), self.parsed.says(on), String::new());
        }
    }

    /// `app.include_router(api, prefix="/api")`, `app.register_blueprint(api, url_prefix="/api")` of a router that this file makes.
    fn note_mount(&mut self, path: &str, call: Node<'p>) {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "attribute") else { return };
        let how = self.parsed.field(function, "attribute");
        let key = match how {
            "include_router" => "prefix",
            "register_blueprint" => "url_prefix",
            // `app.mount("/v1", api)`, `api.add_namespace(users, path="/users")`
            "mount" | "add_namespace" => "path",
            _ => return,
        };
        let named = ["router", "blueprint", "app"].into_iter().find_map(|name| self.keyword(call, name));
        let mut plain = self.arguments(call).into_iter().filter(|argument| argument.kind() != "keyword_argument");
        let first = if how == "mount" { plain.next().filter(|_| self.keyword(call, key).is_none()) } else { None };
        let Some(router) = named.or_else(|| plain.next()).map(|router| self.parsed.says(router)) else { return };
        let on = function.child_by_field_name("object").map_or("", |object| self.parsed.says(object));
        let given = first.or_else(|| self.keyword(call, key));
        let below = given.map(|given| self.below(path, given));
        // Flask uses it in place of the router's own.
        let replacing = matches!(how, "register_blueprint" | "add_namespace");
        if !self.prefixes.contains_key(router) {
            if let Some((module, exact, name)) = self.elsewhere(path, router) {
                let replaces = replacing && below.is_some();
                let mount = Mount { module, exact, name, on: String::new(), replaces };
                self.away.push((on, below.unwrap_or_default(), mount, line(call)));
            }
            return;
        }
        let (replaces, path) = (replacing && below.is_some(), below.unwrap_or_default());
        if !(self.remade.contains(router) && self.mounts.knows(router)) {
            self.mounts.note_each(router, on, path, replaces);
        }
    }

    /// The path at which something is mounted.
    fn below(&self, path: &str, given: Node<'p>) -> String {
        self.path(path, given, false).unwrap_or_else(holes::unknown)
    }

    /// The routers of other modules that this one mounts.
    fn mounted_away(&self) -> Vec<FoundFact> {
        let mounted = |(on, path, mount, line): &(&'p str, String, Mount, u32)| {
            let path = below(&self.prefix(on).unwrap_or_default(), path);
            FoundFact::mount(&path, Mount { on: self.mounts.root(on).to_owned(), ..mount.clone() }, *line)
        };
        self.away.iter().map(mounted).collect()
    }

    /// The routers that this file makes.
    fn made(&self) -> Vec<FoundFact> {
        let of = |name: &&'p str| FoundFact::made(name, &self.prefix(name).unwrap_or_default(), self.mounts.root(name), 1);
        self.prefixes.keys().map(of).collect()
    }

    /// An endpoint of a router that this file makes, or takes from another, can be mounted by others.
    fn served_by(&self, path: &str, receiver: &str, fact: FoundFact) -> FoundFact {
        match self.prefixes.get(receiver) {
            Some(_) => {
                let root = self.mounts.root(receiver);
                fact.served_by(root, self.prefixes.get(root).cloned().unwrap_or_default())
            }
            None => match self.elsewhere(path, receiver) {
                Some(from) => fact.served_by_other(receiver, from),
                None => fact,
            },
        }
    }

    /// The prefix of what is registered on a variable; `None` if it is not a router that this file makes.
    fn prefix(&self, receiver: &str) -> Option<String> {
        let own = |name: &str| self.prefixes.get(name).cloned().unwrap_or_default();
        self.prefixes.contains_key(receiver).then(|| self.mounts.prefix(receiver, &own))
    }

    /// `@app.route("/users", methods=["POST"])` above a function.
    fn decorated(&self, path: &str, node: Node<'p>) -> Vec<FoundFact> {
        let Some(definition) = node.child_by_field_name("definition") else { return Vec::new() };
        let decorators = children(node).into_iter().filter(|child| child.kind() == "decorator");
        let calls = decorators.filter_map(|decorator| children(decorator).into_iter().find(|child| child.kind() == "call"));
        calls.flat_map(|call| self.decorator(path, call, definition)).collect()
    }

    fn decorator(&self, file: &str, call: Node<'p>, definition: Node<'p>) -> Vec<FoundFact> {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "attribute") else {
            return Vec::new();
        };
        let verb = self.parsed.field(function, "attribute");
        let receiver = function.child_by_field_name("object").map_or("", |object| self.parsed.says(object));
        let prefix = self.prefix(receiver);
        let given = self.arguments(call).into_iter().find(|argument| argument.kind() != "keyword_argument");
        let path = given.or_else(|| ["path", "rule", "uri"].into_iter().find_map(|key| self.keyword(call, key)));
        let Some(path) = path.and_then(|path| self.path(file, path, true)) else { return Vec::new() };
        let is_router = || prefix.is_some() || self.elsewhere(file, receiver).is_some();
        let is_path = path.starts_with('/') || holes::begins(&path) || (path.is_empty() && is_router());
        let handler = self.parsed.field(definition, "name");
        let class = Some(handler).filter(|_| definition.kind() == "class_definition");
        let methods = match verb {
            _ if !is_path => return Vec::new(),
            "route" | "api_route" => self.methods(call, class),
            "websocket" => vec!["WEBSOCKET".to_owned()],
            "all" | "any" | "del" => return Vec::new(),
            verb => method(verb).map(str::to_owned).into_iter().collect(),
        };
        let path = below(prefix.as_deref().unwrap_or_default(), &path);
        let served = methods.iter().map(|method| self.served_by(file, receiver, endpoint(method, &path, handler, line(call))));
        served.map(|fact| if path.is_empty() { fact.bare() } else { fact }).collect()
    }

    /// The methods of a route; by default GET, for a class those that it answers.
    fn methods(&self, call: Node<'p>, class: Option<&str>) -> Vec<String> {
        let Some(list) = ["methods", "method"].into_iter().find_map(|key| self.keyword(call, key)) else {
            return class.map_or_else(|| vec!["GET".to_owned()], |class| self.answered(class));
        };
        let words = if list.kind() == "string" { vec![list] } else { children(list) };
        words.into_iter().filter_map(|word| text(self.parsed, word)).map(|word| word.to_ascii_uppercase()).collect()
    }

    /// The methods that a class of this file answers by functions of their names; any if it is another's or inherits them.
    fn answered(&self, class: &str) -> Vec<String> {
        let of_name = |node: &Node<'p>| node.kind() == "class_definition" && self.parsed.field(*node, "name") == class;
        let body = self.parsed.nodes().find(of_name).and_then(|class| class.child_by_field_name("body"));
        let plain = |child: Node<'p>| child.child_by_field_name("definition").unwrap_or(child);
        let functions = body.map_or_else(Vec::new, children).into_iter().map(plain).filter(|child| child.kind() == "function_definition");
        let names = functions.map(|function| self.parsed.field(function, "name")).filter(|name| !matches!(*name, "all" | "any" | "del"));
        let methods: Vec<String> = names.filter_map(method).map(str::to_owned).collect();
        if methods.is_empty() { vec![ANY_METHOD.to_owned()] } else { methods }
    }

    /// `app.add_url_rule("/users", view_func=users)` and similar calls.
    fn added(&self, file: &str, call: Node<'p>) -> Vec<FoundFact> {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "attribute") else {
            return Vec::new();
        };
        let verb = self.parsed.field(function, "attribute");
        let plain: Vec<Node<'p>> = self.arguments(call).into_iter().filter(|argument| argument.kind() != "keyword_argument").collect();
        let receiver = function.child_by_field_name("object").map_or("", |object| self.parsed.says(object));
        let prefix = self.prefix(receiver).unwrap_or_default();
        let text_at = |at: usize| plain.get(at).and_then(|node| self.path(file, *node, true));
        let handler = |node: Option<Node<'p>>| node.map_or_else(|| INLINE.to_owned(), |node| self.handler(node));
        let of = |methods: Vec<String>, path: Option<String>, by: String| {
            let path = path.filter(|path| path.starts_with('/') || holes::begins(path)).map(|path| below(&prefix, &path));
            let served = |path: &str, method: &str| self.served_by(file, receiver, endpoint(method, path, &by, line(call)));
            path.map_or_else(Vec::new, |path| methods.iter().map(|method| served(&path, method)).collect())
        };
        match verb {
            "add_url_rule" => {
                let view = self.keyword(call, "view_func").or(plain.get(2).copied());
                let by = handler(view);
                let is_class = view.is_some_and(|view| self.parsed.field(view, "function").ends_with(".as_view"));
                of(self.methods(call, is_class.then_some(by.as_str())), text_at(0), by)
            }
            "add_api_route" => of(self.methods(call, None), text_at(0), handler(self.keyword(call, "endpoint").or(plain.get(1).copied()))),
            // `api.add_resource(Users, "/users", "/people")`
            "add_resource" => {
                let class = handler(plain.first().copied());
                (1..plain.len()).flat_map(|at| of(self.answered(&class), text_at(at), class.clone())).collect()
            }
            "add_route" if self.imports.contains("aiohttp") => {
                of(text_at(0).into_iter().collect(), text_at(1), handler(plain.get(2).copied()))
            }
            verb => match verb.strip_prefix("add_").and_then(method).filter(|_| self.imports.contains("aiohttp")) {
                Some(method) => of(vec![method.to_owned()], text_at(0), handler(plain.get(1).copied())),
                None => Vec::new(),
            },
        }
    }

    /// The handler: for `View.as_view()` the class.
    fn handler(&self, node: Node<'p>) -> String {
        let named = match node.kind() {
            "lambda" => return INLINE.to_owned(),
            "keyword_argument" => node.child_by_field_name("value").unwrap_or(node),
            "call" => node.child_by_field_name("function").unwrap_or(node),
            _ => node,
        };
        let said = self.parsed.brief(named);
        said.strip_suffix(".as_view").map(str::to_owned).unwrap_or(said)
    }

    fn arguments(&self, call: Node<'p>) -> Vec<Node<'p>> {
        call.child_by_field_name("arguments").filter(|list| list.kind() == "argument_list").map_or_else(Vec::new, children)
    }

    fn keyword(&self, call: Node<'p>, name: &str) -> Option<Node<'p>> {
        let of_name = |argument: &Node<'p>| argument.kind() == "keyword_argument" && self.parsed.field(*argument, "name") == name;
        self.arguments(call).into_iter().find(of_name)?.child_by_field_name("value")
    }
}
