//! What an agent may do without asking, in one word; each agent's own flags for it are its dialect's.

crate::word_enum! {
    /// What an agent may do without asking. Nobody is there to be asked, so that whatever is not allowed is refused.
    PermissionProfile {
        /// It reads, edits in its checkout, looks at git and commits, and runs the project's check: no other command.
        Careful = "careful",
        /// What the settings allow: edits in its checkout, and commands.
        Normal = "normal",
        /// The same, with every command and the network, so that nothing it needs is refused but what no profile allows.
        Unattended = "unattended",
    }
}
