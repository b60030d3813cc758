//! Purpose of an embedded text.

/// The role of a text. Some models need to know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The query.
    Query,
    /// A document to be found.
    Document,
}
