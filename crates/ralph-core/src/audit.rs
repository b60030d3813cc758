//! Audit: what should not be in the store.

crate::word_enum! {
    /// What an audit looks for.
    AuditClass {
        /// Keys, tokens, passwords.
        Secret = "secret",
    }
}
