//! The agents that a run can start.

crate::word_enum! {
    /// Supported agents.
    AgentKind {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// OpenCode.
        Opencode = "opencode",
        /// The scripted agent: plays a short text script, for the demo and for tests.
        Scripted = "scripted",
    }
}

/// The model of an attempt whose agent chooses it itself. Claude Code knows the word, too.
pub const DEFAULT_MODEL: &str = "default";

impl AgentKind {
    /// Whether it takes Claude Code's names of models. The scripted agent takes any.
    pub fn knows_claudes_models(self) -> bool {
        matches!(self, AgentKind::Claude | AgentKind::Scripted)
    }

    /// Whether its answer as a whole can be held to a form, as lessons and documents need.
    pub fn follows_schema(self) -> bool {
        match self {
            AgentKind::Claude | AgentKind::Scripted => true,
            AgentKind::Codex | AgentKind::Opencode => false,
        }
    }

    /// Whether it can end before a number of dollars is spent, or its costs are known while it works.
    pub fn tells_cost(self) -> bool {
        self != AgentKind::Codex
    }
}
