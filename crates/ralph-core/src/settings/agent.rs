//! The settings that depend on the agent of a run.

use super::{LearningExtractor, Settings};
use crate::run::{AgentKind, DEFAULT_MODEL};

/// Claude Code's short names of models, which the template contains.
const CLAUDES_MODELS: [&str; 3] = ["haiku", "sonnet", "opus"];

impl Settings {
    /// The path that is set for an agent's program; empty = it is searched for.
    pub fn path_of(&self, agent: AgentKind) -> &str {
        match agent {
            AgentKind::Claude => &self.claude_path,
            AgentKind::Codex => &self.codex_path,
            AgentKind::Opencode => &self.opencode_path,
            AgentKind::Scripted => "",
        }
    }

    /// Whether the project's agent is configured to state lessons but can't: then rules state them.
    pub fn lacks_a_teller(&self) -> bool {
        self.automatic_learning.extractor == LearningExtractor::Agent && !self.agent.follows_schema()
    }

    /// These settings for runs of `agent`: where it does not know the names of the models in them, it chooses its model itself.
    #[must_use]
    pub fn for_agent(mut self, agent: AgentKind) -> Settings {
        let same_names = self.agent == agent || (self.agent.knows_claudes_models() && agent.knows_claudes_models());
        let knows = |model: &str| same_names && (agent.knows_claudes_models() || !CLAUDES_MODELS.contains(&model));
        self.models.retain(|model| knows(model));
        if !knows(&self.model) {
            DEFAULT_MODEL.clone_into(&mut self.model);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_does_not_know_the_models_of_the_settings_chooses_itself() {
        let models = |own: AgentKind, model: &str, agent: AgentKind| {
            let settings = Settings { agent: own, model: model.into(), ..Settings::default() }.for_agent(agent);
            (settings.model, settings.models.len())
        };
        let (claude, codex, opencode) = (AgentKind::Claude, AgentKind::Codex, AgentKind::Opencode);
        assert_eq!(models(claude, "opus", AgentKind::Scripted), ("opus".to_owned(), 3));
        assert_eq!(models(claude, "claude-opus-5", codex), (DEFAULT_MODEL.to_owned(), 0));
        assert_eq!(models(codex, "gpt-6", codex), ("gpt-6".to_owned(), 0), "the template's list is Claude's");
        assert_eq!(models(codex, "sonnet", codex), (DEFAULT_MODEL.to_owned(), 0), "only the agent was changed");
        assert_eq!(models(codex, "gpt-6", opencode), (DEFAULT_MODEL.to_owned(), 0));
        assert_eq!(models(opencode, "anthropic/claude", claude), (DEFAULT_MODEL.to_owned(), 0));
    }
}
