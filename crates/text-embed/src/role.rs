//! What a text is embedded for.

/// What a text is for. Some models want to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is looked up.
    Query,
    /// It is found.
    Document,
}
