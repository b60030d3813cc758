//! Endpoints of Next.js and SvelteKit, whose paths are those of their files.

use super::super::endpoints::{ANY_METHOD, endpoint, method};
use super::super::found::{FoundFact, IMPLIED};
use super::super::tree::{Parsed, children, line};
use tree_sitter::Node;

/// The endpoints that a file serves by its place.
pub(super) fn by_path(path: &str, parsed: &Parsed<'_>) -> Vec<FoundFact> {
    let (Some((folder, file)), Some((stem, _))) = (path.rsplit_once('/'), path.rsplit_once('.')) else { return Vec::new() };
    let segments = |below: &str| {
        let segments = below.split('/').filter(|segment| !segment.is_empty() && !segment.starts_with(['(', '@']));
        format!("/{}", segments.collect::<Vec<_>>().join("/"))
    };
    let exported = |node: &Node<'_>| node.kind() == "export_statement" && node.parent().is_some_and(|parent| parent.kind() == "program");
    let root_of = |marker: &str| format!("/{stem}/").find(marker).map(|at| at + marker.len());
    let folders = match file.split('.').next() {
        Some("route") => root_of("/app/"),
        Some("+server") => root_of("/src/routes/"),
        _ => None,
    };
    if let Some(at) = folders {
        let route = segments(format!("/{folder}/").get(at..).unwrap_or(""));
        let told = |(name, node): (&str, Node<'_>)| {
            let method = method(name).filter(|_| name.chars().all(|c| c.is_ascii_uppercase()))?;
            Some(FoundFact { confidence: IMPLIED, ..endpoint(method, &route, name, line(node)) })
        };
        let handlers = parsed.nodes().filter(exported).flat_map(|node| exports(parsed, node)).filter_map(told);
        return handlers.collect();
    }
    if let Some(at) = root_of("/pages/api/") {
        let below = format!("/{stem}").get(at..).unwrap_or("").to_owned();
        let route = segments(&format!("api/{}", below.strip_suffix("index").unwrap_or(&below)));
        let default = parsed.nodes().filter(exported).find(|node| parsed.says(*node).starts_with("export default"));
        let of = |node: Node<'_>| FoundFact { confidence: IMPLIED, ..endpoint(ANY_METHOD, &route, "default", line(node)) };
        return default.map(of).into_iter().collect();
    }
    Vec::new()
}

/// The names that a statement exports: `export function GET() …`, `export const GET = …, POST = …`, `export const { GET, POST } = …`,
/// `export { handler as GET } from …`.
fn exports<'p>(parsed: &'p Parsed<'_>, statement: Node<'p>) -> Vec<(&'p str, Node<'p>)> {
    let mut names = Vec::new();
    let mut open: Vec<Node<'p>> = statement.child_by_field_name("declaration").into_iter().collect();
    open.extend(children(statement).into_iter().filter(|child| child.kind() == "export_clause"));
    while let Some(node) = open.pop() {
        match node.kind() {
            "lexical_declaration" | "export_clause" | "object_pattern" => open.extend(children(node)),
            "variable_declarator" | "function_declaration" | "generator_function_declaration" => {
                open.extend(node.child_by_field_name("name"));
            }
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "export_specifier" => open.extend(node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name"))),
            "identifier" | "shorthand_property_identifier_pattern" => names.push((parsed.says(node), node)),
            _ => {}
        }
    }
    names
}
