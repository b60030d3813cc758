//! Parts of paths that another file states: `prefix=settings.API` beside `from .config import settings`.

/// Around a part without which the path is still worth reporting: a prefix.
const OPTIONAL: [char; 2] = ['⟨', '⟩'];
/// Around a part without which nobody knows the path.
const REQUIRED: [char; 2] = ['⟪', '⟫'];
/// Before a module that is a file of the project, from its root.
const EXACT: char = '=';
/// Longest text that may be a part of a path.
const LONGEST: usize = 100;

/// A part by the module and the name that state it; an empty module = nobody knows where it comes from.
pub(super) fn hole(module: &str, exact: bool, name: &str, required: bool) -> String {
    let [open, close] = if required { REQUIRED } else { OPTIONAL };
    let exact = if exact { EXACT.to_string() } else { String::new() };
    format!("{open}{exact}{module}#{name}{close}")
}

/// A part that is computed: nobody knows the path.
pub(super) fn unknown() -> String {
    hole("", false, "", true)
}

/// Whether a path begins with a part that another file states.
pub(super) fn begins(path: &str) -> bool {
    path.starts_with([OPTIONAL[0], REQUIRED[0]])
}

/// A text with its parts, which `said` looks up by module, whether that is exact, and name. `None`: a required one is stated nowhere.
pub(super) fn fill(text: &str, said: &dyn Fn(&str, bool, &str) -> Option<String>) -> Option<String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|(_, c)| [OPTIONAL[0], REQUIRED[0]].contains(c)) {
        let [open, close] = if open == REQUIRED[0] { REQUIRED } else { OPTIONAL };
        let inner = &rest[at + open.len_utf8()..];
        let (named, after) = inner.split_once(close)?;
        let (module, name) = named.split_once('#')?;
        let plain = module.strip_prefix(EXACT);
        let part = said(plain.unwrap_or(module), plain.is_some(), name);
        if part.is_none() && open == REQUIRED[0] {
            return None;
        }
        whole.push_str(&rest[..at]);
        whole.push_str(&part.unwrap_or_default());
        rest = after;
    }
    if whole.is_empty() && rest == text {
        return Some(text.to_owned());
    }
    whole.push_str(rest);
    // A part brings slashes of its own.
    while whole.contains("//") {
        whole = whole.replace("//", "/");
    }
    Some(whole)
}

/// Whether a constant may be a part of a path.
pub(super) fn is_part(text: &str) -> bool {
    let is_version = || text.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    let plain = |c: char| !c.is_whitespace() && !['⟨', '⟩', '⟪', '⟫'].contains(&c);
    text.len() <= LONGEST && text.chars().all(plain) && (text.starts_with('/') || is_version())
}
