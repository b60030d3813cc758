//! Notation of endpoints, independent of the language.

use super::found::{FactKind, FoundFact, WRITTEN};

/// Any method.
pub(super) const ANY_METHOD: &str = "ANY";

/// The HTTP method that a word in code names; `None` if it names none.
pub(super) fn method(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "get" => "GET",
        "post" => "POST",
        "put" => "PUT",
        "delete" | "del" => "DELETE",
        "patch" => "PATCH",
        "head" => "HEAD",
        "options" => "OPTIONS",
        "all" | "any" => ANY_METHOD,
        _ => return None,
    })
}

/// An endpoint.
pub(super) fn endpoint(method: &str, path: &str, handler: &str, line: u32) -> FoundFact {
    let path = if path.is_empty() { "/" } else { path };
    FoundFact::new(FactKind::Endpoint, format!("{method} {path}"), handler, line, WRITTEN)
}

/// A path below a prefix. A missing leading slash is added.
pub(super) fn below(prefix: &str, path: &str) -> String {
    let slash = |path: &str| if path.starts_with(['/', '*']) || path.is_empty() { path.to_owned() } else { format!("/{path}") };
    match (prefix.trim_end_matches('/'), path) {
        ("", path) => slash(path),
        (prefix, "") => slash(prefix),
        (prefix, path) => format!("{}/{}", slash(prefix), path.trim_start_matches('/')),
    }
}
