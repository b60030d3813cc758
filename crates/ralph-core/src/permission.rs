//! Permission profiles: what an agent may do without asking. Each dialect translates them into its agent's flags.

/// The permission modes of Claude Code (`--permission-mode`), which refuses every other word; `default` is the older name of `manual`.
pub const CLAUDE_MODES: [&str; 7] = ["acceptEdits", "default", "manual", "plan", "dontAsk", "auto", "bypassPermissions"];

crate::word_enum! {
    /// What an agent may do without asking. Nobody is there to ask, so everything else is refused.
    PermissionProfile {
        /// Reads, edits in its checkout, inspects git, commits, and runs the project's check: no other command.
        Careful = "careful",
        /// What the settings allow: edits in its checkout, and commands.
        Normal = "normal",
        /// Also every command and the network; only what no profile allows is refused.
        Unattended = "unattended",
    }
}
