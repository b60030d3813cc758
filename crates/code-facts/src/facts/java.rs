//! Facts of Java: endpoints of Spring and of Jakarta REST, and where programs begin.

use super::endpoints::{ANY_METHOD, below, endpoint, method};
use super::found::{FactKind, FoundFact, WRITTEN};
use super::frameworks::{self, Ecosystem};
use super::holes;
use super::tree::{Parsed, Steps, children, line};
use crate::Language;
use std::collections::BTreeMap;
use tree_sitter::Node;

/// Annotations of classes whose methods answer requests.
const CONTROLLERS: [&str; 2] = ["RestController", "Controller"];
/// What states a path below which all resources of a program are.
const APPLICATION: &str = "ApplicationPath";

/// A file, and what it imports.
struct File<'p> {
    parsed: &'p Parsed<'p>,
    spring: bool,
    jakarta: bool,
    /// Texts of its classes by name; `None`: there are several.
    constants: BTreeMap<&'p str, Option<Node<'p>>>,
}

pub(super) fn facts(path: &str, source: &str) -> Vec<FoundFact> {
    let Some(parsed) = Parsed::of(Language::Java, source) else { return Vec::new() };
    let mut file = File { parsed: &parsed, spring: false, jakarta: false, constants: BTreeMap::new() };
    let mut found = Vec::new();
    for node in parsed.nodes() {
        match node.kind() {
            "import_declaration" => {
                let named = children(node).into_iter().map(|name| parsed.says(name)).next().unwrap_or_default();
                file.spring |= named.starts_with("org.springframework.");
                file.jakarta |= named.starts_with("jakarta.ws.rs") || named.starts_with("javax.ws.rs");
                let groups = std::iter::successors(Some(named), |name| name.rsplit_once('.').map(|(above, _)| above));
                found.extend(groups.filter_map(|group| frameworks::used(Ecosystem::Jvm, group, line(node))).next());
            }
            "field_declaration" => file.note_constant(node),
            _ => {}
        }
    }
    found.extend(file.stated());
    for class in parsed.nodes().filter(|node| node.kind() == "class_declaration") {
        let methods = || class.child_by_field_name("body").map_or_else(Vec::new, children).into_iter();
        for method in methods().filter(|node| node.kind() == "method_declaration") {
            found.extend(file.spring_endpoints(class, method));
            found.extend(file.jakarta_endpoints(class, method));
            if parsed.field(method, "name") == "main" && file.is_public_static(method) {
                found.push(FoundFact::new(FactKind::EntryPoint, path, "main", line(method), WRITTEN));
            }
        }
        if let Some(path) = file.jakarta.then(|| file.annotation(class, APPLICATION)).flatten().and_then(|node| file.paths(node)?.pop()) {
            found.push(FoundFact::new(FactKind::Constant, format!(".{APPLICATION}"), below("", &path), line(class), WRITTEN));
        }
    }
    found
}

impl<'p> File<'p> {
    /// `static final String OWNERS = "/owners"`.
    fn note_constant(&mut self, field: Node<'p>) {
        for declarator in children(field).into_iter().filter(|node| node.kind() == "variable_declarator") {
            if let Some(value) = declarator.child_by_field_name("value") {
                self.constants.entry(self.parsed.field(declarator, "name")).and_modify(|known| *known = None).or_insert(Some(value));
            }
        }
    }

    /// The constants that may be parts of paths in other files.
    fn stated(&self) -> Vec<FoundFact> {
        let texts =
            self.constants.iter().filter_map(|(name, value)| Some((name, self.text(false, (*value)?, &Steps::default())?, (*value)?)));
        let parts = texts.filter(|(_, text, _)| holes::is_part(text));
        parts.map(|(name, text, value)| FoundFact::new(FactKind::Constant, format!(".{name}"), text, line(value), WRITTEN)).collect()
    }

    /// `@GetMapping("/{id}")` in a `@RestController`, below the path of its `@RequestMapping`.
    fn spring_endpoints(&self, class: Node<'p>, method: Node<'p>) -> Vec<FoundFact> {
        if !self.spring || !CONTROLLERS.iter().any(|name| self.annotation(class, name).is_some()) {
            return Vec::new();
        }
        let above = match self.annotation(class, "RequestMapping") {
            Some(mapping) => self.paths(mapping).unwrap_or_default(),
            None => vec![String::new()],
        };
        let mut found = Vec::new();
        for annotation in self.annotations(method) {
            let methods = match self.parsed.field(annotation, "name") {
                "RequestMapping" => self.requested(annotation),
                word => word.strip_suffix("Mapping").and_then(super::endpoints::method).into_iter().collect(),
            };
            let paths = self.paths(annotation).unwrap_or_default();
            let pairs = || above.iter().flat_map(|above| paths.iter().map(move |path| below(&below("", above), path)));
            let of = |with| pairs().map(move |path| endpoint(with, &path, self.parsed.field(method, "name"), line(annotation)));
            found.extend(methods.into_iter().flat_map(of).collect::<Vec<_>>());
        }
        found
    }

    /// The methods of `@RequestMapping(method = {RequestMethod.GET, RequestMethod.HEAD})`; without any it is all of them.
    fn requested(&self, annotation: Node<'p>) -> Vec<&'static str> {
        let Some(given) = self.argument(annotation, &["method"]) else { return vec![ANY_METHOD] };
        let last = |node: Node<'p>| self.parsed.says(node).rsplit('.').next().and_then(method);
        listed(given).into_iter().filter_map(last).collect()
    }

    /// `@GET` and `@Path("/{id}")` in a class with a `@Path`.
    fn jakarta_endpoints(&self, class: Node<'p>, of: Node<'p>) -> Vec<FoundFact> {
        let Some(above) = self.jakarta.then(|| self.annotation(class, "Path")).flatten() else { return Vec::new() };
        let own = match self.annotation(of, "Path") {
            Some(path) => self.paths(path),
            None => Some(vec![String::new()]),
        };
        let whole = self.paths(above).and_then(|above| Some(below(&below("", above.first()?), own?.first()?)));
        let prefix = holes::hole("", false, &format!("app.{APPLICATION}"), false);
        let in_capitals = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase());
        let annotations = self.annotations(of).into_iter();
        let methods = annotations.filter_map(|node| Some((method(Some(self.parsed.field(node, "name")).filter(in_capitals)?)?, node)));
        let told = |(with, node): (&'static str, Node<'p>)| {
            let path = whole.as_ref()?;
            Some(endpoint(with, &format!("{prefix}{path}"), self.parsed.field(of, "name"), line(node)))
        };
        methods.filter_map(told).collect()
    }

    fn is_public_static(&self, method: Node<'p>) -> bool {
        let said = children_of(method, "modifiers").map(|modifiers| self.parsed.says(modifiers)).unwrap_or_default();
        ["public", "static"].iter().all(|word| said.split_whitespace().any(|said| said == *word))
    }

    fn annotations(&self, of: Node<'p>) -> Vec<Node<'p>> {
        let all = children_of(of, "modifiers").map_or_else(Vec::new, children).into_iter();
        all.filter(|node| matches!(node.kind(), "annotation" | "marker_annotation")).collect()
    }

    fn annotation(&self, of: Node<'p>, name: &str) -> Option<Node<'p>> {
        self.annotations(of).into_iter().find(|node| self.parsed.field(*node, "name").rsplit('.').next() == Some(name))
    }

    /// The value of an annotation's argument under one of some names.
    fn argument(&self, annotation: Node<'p>, names: &[&str]) -> Option<Node<'p>> {
        let given = annotation.child_by_field_name("arguments").map_or_else(Vec::new, children).into_iter();
        let mut pairs = given.filter(|node| node.kind() == "element_value_pair" && names.contains(&self.parsed.field(*node, "key")));
        pairs.next().and_then(|pair| pair.child_by_field_name("value"))
    }

    /// The paths that an annotation is given, by default the empty one; `None` if nobody knows one of them.
    fn paths(&self, annotation: Node<'p>) -> Option<Vec<String>> {
        let given = annotation.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let alone = given.first().copied().filter(|node| given.len() == 1 && node.kind() != "element_value_pair");
        match alone.or_else(|| self.argument(annotation, &["value", "path"])) {
            Some(given) => listed(given).into_iter().map(|path| self.text(true, path, &Steps::default())).collect(),
            None => Some(vec![String::new()]),
        }
    }

    /// The text of an expression; parts may be stated by other files if `open`.
    fn text(&self, open: bool, node: Node<'p>, steps: &Steps) -> Option<String> {
        steps.take()?;
        let said = self.parsed.says(node);
        match node.kind() {
            // `${api.base}` is a property, which is set elsewhere.
            "string_literal" => {
                said.strip_prefix('"')?.strip_suffix('"').filter(|text| !text.contains("${")).map(|text| text.replace("\\\\", "\\"))
            }
            "parenthesized_expression" => self.text(open, *children(node).first()?, steps),
            "binary_expression" if self.parsed.field(node, "operator") == "+" => {
                let part = |name| self.text(open, node.child_by_field_name(name)?, steps);
                Some(part("left")? + &part("right")?)
            }
            "identifier" | "field_access" => match self.constants.get(said.rsplit('.').next().unwrap_or(said)) {
                Some(value) => self.text(open, (*value)?, steps),
                None => (open && said.contains('.')).then(|| holes::hole("", false, said, true)),
            },
            _ => None,
        }
    }
}

/// The values of a list, or the one value.
fn listed(node: Node<'_>) -> Vec<Node<'_>> {
    if node.kind() == "element_value_array_initializer" { children(node) } else { vec![node] }
}

fn children_of<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    children(node).into_iter().find(|child| child.kind() == kind)
}
