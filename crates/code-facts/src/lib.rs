//! Source code and manifests: the pieces of a source (functions, types and what is between them) and the [`facts`] that a
//! file states (dependencies, frameworks, endpoints, entry points, commands), parsed with tree-sitter grammars.
//!
//! Pure over text: the same source gives the same result. A source with errors yields as much as possible.
//!
//! **Never here:** files, SQL, a rule about knowledge. **To add a language:** a variant of [`Language`], its grammar, the kinds of
//! its nodes in `kinds.rs`, and its facts in a file of `facts/`.

mod facts;
mod kinds;

pub use facts::{FactKind, FoundFact, RULES, facts, is_read, of_project, reads};

use kinds::Kinds;
use std::ops::Range;
use tree_sitter::{Node, Parser};

/// Bytes up to which a class, an implementation or a module stays one piece: beyond that, its members are separate pieces.
const WHOLE_BYTES: usize = 1_500;
/// Maximum nesting of containers that is divided.
const DEPTH: usize = 6;

/// A supported language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, with JSX.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

impl Language {
    /// The language of a file, by its extension.
    pub fn of(path: &str) -> Option<Language> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "go" => Some(Language::Go),
            "java" => Some(Language::Java),
            "js" | "jsx" | "mjs" | "cjs" => Some(Language::JavaScript),
            "py" | "pyi" => Some(Language::Python),
            "rs" => Some(Language::Rust),
            "ts" | "mts" | "cts" => Some(Language::TypeScript),
            "tsx" => Some(Language::Tsx),
            _ => None,
        }
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Go => tree_sitter_go::LANGUAGE.into(),
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }
}

/// A piece of a source: complete lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The name of its definition, such as `Ledger.refund`; `None` between definitions.
    pub name: Option<String>,
    /// Its byte range in the source.
    pub bytes: Range<usize>,
}

/// The pieces of a source, in order, without overlaps; text without letters and digits is omitted. `None` if the source
/// can't be parsed at all.
pub fn pieces(language: Language, source: &str) -> Option<Vec<Piece>> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let tree = parser.parse(source, None)?;
    let mut cutter = Cutter { source, kinds: kinds::of(language), pieces: Vec::new() };
    cutter.cut(tree.root_node(), None, 0..source.len(), 0);
    Some(cutter.pieces)
}

struct Cutter<'s> {
    source: &'s str,
    kinds: &'static Kinds,
    pieces: Vec<Piece>,
}

impl Cutter<'_> {
    /// Divides the content of a node into its definitions and what is between them.
    fn cut(&mut self, parent: Node<'_>, name: Option<&str>, within: Range<usize>, depth: usize) {
        let mut cursor = parent.walk();
        let mut from = within.start;
        // Comments, attributes and decorators right above a definition belong to it.
        let mut above: Option<(usize, usize)> = None;
        for node in parent.named_children(&mut cursor) {
            let (first_row, last_row) = (node.start_position().row, node.end_position().row);
            let touching = above.filter(|(_, row)| first_row <= row + 1);
            if self.kinds.leads.contains(&node.kind()) {
                let begins_line = self.line_start(node.start_byte()) >= from;
                let start = touching.map_or_else(|| self.line_start(node.start_byte()), |(start, _)| start);
                above = begins_line.then_some((start, last_row));
                continue;
            }
            above = None;
            let Some(definition) = self.definition(node) else { continue };
            let start = touching.map_or_else(|| self.line_start(node.start_byte()), |(start, _)| start).max(from);
            let end = self.line_end(node.end_byte()).min(within.end).max(start);
            self.push(name, from..start);
            let own = self.name(definition);
            let full = match (name, own) {
                (Some(outer), Some(own)) => Some(format!("{outer}.{own}")),
                (outer, own) => own.or_else(|| outer.map(str::to_owned)),
            };
            match self.body(definition).filter(|_| end - start > WHOLE_BYTES && depth < DEPTH) {
                Some(body) => self.cut(body, full.as_deref(), start..end, depth + 1),
                None => self.push(full.as_deref(), start..end),
            }
            from = end;
        }
        self.push(name, from..within.end);
    }

    fn push(&mut self, name: Option<&str>, bytes: Range<usize>) {
        if self.source.get(bytes.clone()).is_some_and(|text| text.contains(char::is_alphanumeric)) {
            self.pieces.push(Piece { name: name.map(str::to_owned), bytes });
        }
    }

    /// The definition that a node is or wraps, as an export or a decorator does.
    fn definition<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        if self.kinds.definitions.contains(&node.kind()) {
            return Some(node);
        }
        let wrapped = self.kinds.wrappers.iter().find(|(kind, _)| *kind == node.kind())?;
        self.definition(node.child_by_field_name(wrapped.1)?)
    }

    fn name(&self, definition: Node<'_>) -> Option<String> {
        let node = named(definition).or_else(|| named(definition.named_child(0)?))?;
        let text = self.source.get(node.byte_range())?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The body of a container.
    fn body<'t>(&self, definition: Node<'t>) -> Option<Node<'t>> {
        self.kinds.containers.contains(&definition.kind()).then(|| definition.child_by_field_name("body")).flatten()
    }

    fn line_start(&self, at: usize) -> usize {
        self.source[..at].rfind('\n').map_or(0, |feed| feed + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.source[at..].find('\n').map_or(self.source.len(), |feed| at + feed + 1)
    }
}

/// The node with the name of another; for an implementation that of its type.
fn named(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("name").or_else(|| node.child_by_field_name("type"))
}

#[cfg(test)]
mod tests;
