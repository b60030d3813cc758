//! Permission profiles: what an agent may do without asking. Each dialect translates them into its agent's flags.

/// The permission modes of Claude Code (`--permission-mode`), which refuses every other word; `default` is the older name of `manual`.
pub const CLAUDE_MODES: [&str; 7] = ["acceptEdits", "default", "manual", "plan", "dontAsk", "auto", "bypassPermissions"];

/// Whether a permission mode allows no more than the template's, `acceptEdits`. The empty one is Claude Code's own, which can be any.
pub fn is_harmless_mode(mode: &str) -> bool {
    matches!(mode, "acceptEdits" | "default" | "manual" | "plan" | "dontAsk")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_harmless_under_each_of_its_names_and_one_that_does_more_unasked_is_not() {
        let waiting: Vec<&str> = CLAUDE_MODES.into_iter().filter(|mode| !is_harmless_mode(mode)).collect();
        assert_eq!((waiting, is_harmless_mode("")), (vec!["auto", "bypassPermissions"], false));
    }
}
