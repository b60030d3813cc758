//! Facts of Python code.

use super::across::beside;
use super::endpoints::{ANY_METHOD, below, endpoint, method};
use super::found::{ANY, FactKind, FoundFact, IMPLIED, INLINE, WRITTEN};
use super::frameworks::{self, Ecosystem};
use super::mounts::Mounts;
use super::routers::Mount;
use super::standard;
use super::tree::{Parsed, children, line};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Frameworks with decorators for endpoints.
const WEB: &[&str] =
    &["flask", "flask_restx", "fastapi", "quart", "sanic", "bottle", "starlette", "aiohttp", "litestar", "robyn", "falcon"];
/// Constructors of objects that endpoints are registered on.
const MAKERS: &[&str] = &["Blueprint", "APIRouter"];
/// Django's name of a module's endpoints.
const URLS: &str = "urlpatterns";

struct Module<'p> {
    parsed: &'p Parsed<'p>,
    /// Imported top modules.
    imports: BTreeSet<&'p str>,
    /// Path prefixes that variables are made with.
    prefixes: BTreeMap<&'p str, String>,
    mounts: Mounts<'p>,
    /// Names from other modules: the module, with its dots, and the name in it; `None` for the module itself.
    names: BTreeMap<&'p str, (String, Option<&'p str>)>,
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
        mounts: Mounts::default(),
        names: BTreeMap::new(),
        away: Vec::new(),
    };
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
        module.note_names(node);
        found.extend(entry_point(path, &parsed, node));
        if node.kind() == "assignment" {
            module.note_prefix(node);
        }
    }
    parsed.nodes().filter(|node| node.kind() == "call").for_each(|call| module.note_mount(path, call));
    found.extend(module.mounted_away());
    let django = module.imports.contains("django");
    let web = WEB.iter().any(|web| module.imports.contains(web));
    for node in parsed.nodes() {
        match node.kind() {
            "decorated_definition" if web => found.extend(module.decorated(node)),
            "call" if django => found.extend(module.django(node)),
            "call" if web => found.extend(module.added(node)),
            _ => {}
        }
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
    /// `api = Blueprint("api", __name__, url_prefix="/api")`.
    fn note_prefix(&mut self, assignment: Node<'p>) {
        let call = assignment.child_by_field_name("right").filter(|right| right.kind() == "call");
        let (Some(name), Some(call)) = (assignment.child_by_field_name("left"), call) else { return };
        let maker = self.parsed.field(call, "function").rsplit('.').next().unwrap_or("");
        if name.kind() != "identifier" || !MAKERS.contains(&maker) {
            return;
        }
        let prefix = ["url_prefix", "prefix"].into_iter().find_map(|key| text(self.parsed, self.keyword(call, key)?));
        self.prefixes.insert(self.parsed.says(name), prefix.unwrap_or_default());
    }

    /// `app.include_router(api, prefix="/api")`, `app.register_blueprint(api, url_prefix="/api")` of a router that this file makes.
    fn note_mount(&mut self, path: &str, call: Node<'p>) {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "attribute") else { return };
        let key = match self.parsed.field(function, "attribute") {
            "include_router" => "prefix",
            "register_blueprint" => "url_prefix",
            _ => return,
        };
        let named = ["router", "blueprint"].into_iter().find_map(|name| self.keyword(call, name));
        let first = self.arguments(call).into_iter().find(|argument| argument.kind() != "keyword_argument");
        let Some(router) = named.or(first).map(|router| self.parsed.says(router)) else { return };
        let on = function.child_by_field_name("object").map_or("", |object| self.parsed.says(object));
        let given = self.keyword(call, key);
        let below = given.and_then(|path| text(self.parsed, path));
        if !self.prefixes.contains_key(router) {
            // A path that is computed is known to nobody here.
            if let Some((module, exact, name)) = self.elsewhere(path, router).filter(|_| given.is_none() || below.is_some()) {
                let replaces = key == "url_prefix" && below.is_some();
                let mount = Mount { module, exact, name, on: String::new(), replaces };
                self.away.push((on, below.unwrap_or_default(), mount, line(call)));
            }
            return;
        }
        let path = below;
        if key == "url_prefix" && path.is_some() {
            // Flask takes it in the place of the blueprint's own.
            self.prefixes.insert(router, String::new());
        }
        self.mounts.note(router, on, path.unwrap_or_default());
    }

    /// `from .routers import users as u`, `import app.users`.
    fn note_names(&mut self, node: Node<'p>) {
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
    fn elsewhere(&self, path: &str, router: &str) -> Option<(String, bool, String)> {
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

    /// The routers of other modules that this one mounts.
    fn mounted_away(&mut self) -> Vec<FoundFact> {
        let away = std::mem::take(&mut self.away);
        away.into_iter()
            .map(|(on, path, mount, line)| {
                let path = below(&self.prefix(on).unwrap_or_default(), &path);
                FoundFact::mount(&path, Mount { on: self.mounts.root(on).to_owned(), ..mount }, line)
            })
            .collect()
    }

    /// An endpoint of a router that this file makes can be mounted by others.
    fn served_by(&self, receiver: &str, fact: FoundFact) -> FoundFact {
        match self.prefixes.get(receiver) {
            Some(own) => fact.served_by(self.mounts.root(receiver), own.clone()),
            None => fact,
        }
    }

    /// The prefix of what is registered on a variable; `None` if it is no router that this file makes.
    fn prefix(&self, receiver: &str) -> Option<String> {
        let own = |name: &str| self.prefixes.get(name).cloned().unwrap_or_default();
        self.prefixes.contains_key(receiver).then(|| self.mounts.prefix(receiver, &own))
    }

    /// `@app.route("/users", methods=["POST"])` above a function.
    fn decorated(&self, node: Node<'p>) -> Vec<FoundFact> {
        let Some(definition) = node.child_by_field_name("definition") else { return Vec::new() };
        let handler = self.parsed.field(definition, "name");
        let decorators = children(node).into_iter().filter(|child| child.kind() == "decorator");
        let calls = decorators.filter_map(|decorator| children(decorator).into_iter().find(|child| child.kind() == "call"));
        calls.flat_map(|call| self.decorator(call, handler)).collect()
    }

    fn decorator(&self, call: Node<'p>, handler: &str) -> Vec<FoundFact> {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "attribute") else {
            return Vec::new();
        };
        let verb = self.parsed.field(function, "attribute");
        let receiver = function.child_by_field_name("object").map_or("", |object| self.parsed.says(object));
        let prefix = self.prefix(receiver);
        let given = self.arguments(call).into_iter().find(|argument| argument.kind() != "keyword_argument");
        let path = given.or_else(|| ["path", "rule", "uri"].into_iter().find_map(|key| self.keyword(call, key)));
        let Some(path) = path.and_then(|path| text(self.parsed, path)) else { return Vec::new() };
        let is_path = path.starts_with('/') || (path.is_empty() && prefix.is_some());
        let methods = match verb {
            _ if !is_path => return Vec::new(),
            "route" | "api_route" => self.methods(call),
            "websocket" => vec!["WEBSOCKET".to_owned()],
            "all" | "any" | "del" => return Vec::new(),
            verb => method(verb).map(str::to_owned).into_iter().collect(),
        };
        let path = below(prefix.as_deref().unwrap_or_default(), &path);
        let served = methods.iter().map(|method| self.served_by(receiver, endpoint(method, &path, handler, line(call))));
        served.map(|fact| if path.is_empty() { fact.bare() } else { fact }).collect()
    }

    /// The methods of a route; GET by default.
    fn methods(&self, call: Node<'p>) -> Vec<String> {
        let Some(list) = ["methods", "method"].into_iter().find_map(|key| self.keyword(call, key)) else { return vec!["GET".to_owned()] };
        let words = if list.kind() == "string" { vec![list] } else { children(list) };
        words.into_iter().filter_map(|word| text(self.parsed, word)).map(|word| word.to_ascii_uppercase()).collect()
    }

    /// `app.add_url_rule("/users", view_func=users)` and similar calls.
    fn added(&self, call: Node<'p>) -> Vec<FoundFact> {
        let Some(function) = call.child_by_field_name("function").filter(|function| function.kind() == "attribute") else {
            return Vec::new();
        };
        let verb = self.parsed.field(function, "attribute");
        let plain: Vec<Node<'p>> = self.arguments(call).into_iter().filter(|argument| argument.kind() != "keyword_argument").collect();
        let text_at = |at: usize| plain.get(at).and_then(|node| text(self.parsed, *node));
        let handler = |node: Option<Node<'p>>| node.map_or_else(|| INLINE.to_owned(), |node| self.handler(node));
        let of = |methods: Vec<String>, path: Option<String>, by: String| {
            let path = path.filter(|path| path.starts_with('/'));
            path.map_or_else(Vec::new, |path| methods.iter().map(|method| endpoint(method, &path, &by, line(call))).collect())
        };
        match verb {
            "add_url_rule" => of(self.methods(call), text_at(0), handler(self.keyword(call, "view_func").or(plain.get(2).copied()))),
            "add_api_route" => of(self.methods(call), text_at(0), handler(self.keyword(call, "endpoint").or(plain.get(1).copied()))),
            "add_route" if self.imports.contains("aiohttp") => {
                of(text_at(0).into_iter().collect(), text_at(1), handler(plain.get(2).copied()))
            }
            verb => match verb.strip_prefix("add_").and_then(method).filter(|_| self.imports.contains("aiohttp")) {
                Some(method) => of(vec![method.to_owned()], text_at(0), handler(plain.get(1).copied())),
                None => Vec::new(),
            },
        }
    }

    /// `path("users/", views.users)` in Django's URL list.
    fn django(&self, call: Node<'p>) -> Option<FoundFact> {
        let function = call.child_by_field_name("function").filter(|function| function.kind() == "identifier")?;
        if !matches!(self.parsed.says(function), "path" | "re_path" | "url") || call.parent()?.kind() != "list" {
            return None;
        }
        let arguments = self.arguments(call);
        let (path, view) = (text(self.parsed, *arguments.first()?)?, *arguments.get(1)?);
        let plain = self.parsed.says(function) == "path";
        let path = if plain { format!("/{}", path.trim_start_matches('/')) } else { path };
        if view.kind() == "call" && self.parsed.field(view, "function") == "include" {
            // An included module states its own paths, below this one.
            let module = text(self.parsed, *self.arguments(view).first()?).filter(|_| plain)?.replace('.', "/");
            let (name, on) = (URLS.to_owned(), URLS.to_owned());
            return Some(FoundFact::mount(&path, Mount { module, exact: false, name, on, replaces: false }, line(call)));
        }
        if self.parsed.says(view).ends_with(".urls") {
            return None;
        }
        Some(endpoint(ANY_METHOD, &path, &self.handler(view), line(call)).served_by(URLS, ""))
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

/// The value of a string without expressions; `None` for anything else.
fn text(parsed: &Parsed<'_>, node: Node<'_>) -> Option<String> {
    if node.kind() != "string" {
        return None;
    }
    let parts = children(node);
    if parts.iter().any(|part| part.kind() == "interpolation") {
        return None;
    }
    Some(parts.into_iter().filter(|part| part.kind() == "string_content").map(|part| parsed.says(part)).collect())
}
