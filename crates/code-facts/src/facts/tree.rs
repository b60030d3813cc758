//! Walking a syntax tree, and the text of its nodes.

use crate::Language;
use std::cell::Cell;
use tree_sitter::{Node, Parser, Tree, TreeCursor};

/// Maximum nesting: a chain of five hundred calls is the longest that anybody writes by hand, and what looks around each node is bound by
/// it.
const MOST_DEPTH: usize = 1_500;

/// A source with its tree.
pub(super) struct Parsed<'s> {
    pub(super) text: &'s str,
    tree: Tree,
}

impl<'s> Parsed<'s> {
    /// The tree of a source; `None` if it can't be parsed at all, or is nested deeper than anything written by hand.
    pub(super) fn of(language: Language, text: &'s str) -> Option<Parsed<'s>> {
        let mut parser = Parser::new();
        parser.set_language(&language.grammar()).ok()?;
        let parsed = Parsed { text, tree: parser.parse(text, None)? };
        (!parsed.is_too_deep()).then_some(parsed)
    }

    fn is_too_deep(&self) -> bool {
        let mut walk = self.nodes();
        while walk.next().is_some() {
            if walk.depth > MOST_DEPTH {
                return true;
            }
        }
        false
    }

    /// All nodes in pre-order.
    pub(super) fn nodes(&self) -> Walk<'_> {
        Walk { cursor: self.tree.walk(), depth: 0, over: false }
    }

    /// The nodes around another, the nearest first: in one walk down from the root, whereas each `Node::parent` is a walk of its own.
    pub(super) fn around<'t>(&'t self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
        let next = |above: &Node<'t>| above.child_with_descendant(node).filter(|below| *below != node);
        let root = Some(self.tree.root_node()).filter(|root| *root != node);
        let down: Vec<Node<'t>> = std::iter::successors(root, next).collect();
        down.into_iter().rev()
    }

    /// The text of a node.
    pub(super) fn says(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The text of a node in one line of at most 120 characters.
    pub(super) fn brief(&self, node: Node<'_>) -> String {
        let words = self.says(node).split_whitespace().collect::<Vec<_>>().join(" ");
        words.chars().take(120).collect()
    }

    /// The text of a node's field; empty if there is none.
    pub(super) fn field(&self, node: Node<'_>, name: &str) -> &'s str {
        node.child_by_field_name(name).map_or("", |node| self.says(node))
    }
}

/// Walks a tree without recursion: nesting can be as deep as the source is long.
pub(super) struct Walk<'t> {
    cursor: TreeCursor<'t>,
    /// Nodes around the next one.
    depth: usize,
    over: bool,
}

impl<'t> Iterator for Walk<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.over {
            return None;
        }
        let node = self.cursor.node();
        if self.cursor.goto_first_child() {
            self.depth += 1;
            return Some(node);
        }
        while !self.cursor.goto_next_sibling() {
            if !self.cursor.goto_parent() {
                self.over = true;
                break;
            }
            self.depth -= 1;
        }
        Some(node)
    }
}

/// The line of a node, from 1.
pub(super) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX).saturating_add(1)
}

/// The named children of a node, without comments.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.kind().contains("comment")).collect()
}

/// Nodes that are looked at to determine one value.
const MOST_STEPS: usize = 100;

/// How many nodes may still be examined to determine a value, so that the search ends for one that refers to itself, or to many that
/// refer to many.
pub(super) struct Steps(Cell<usize>);

impl Default for Steps {
    fn default() -> Steps {
        Steps(Cell::new(MOST_STEPS))
    }
}

impl Steps {
    /// Takes one; `None` if none is left.
    pub fn take(&self) -> Option<()> {
        self.0.set(self.0.get().checked_sub(1)?);
        Some(())
    }
}
