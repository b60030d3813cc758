//! Which agent does an errand, and where its program is.

use super::run::Order;
use crate::app::App;
use crate::error::{AppError, Result};
use crate::runs::program::AgentProgram;
use crate::worktrees::checkout::Checkout;
use ralph_core::errand::{ErrandAgent, ErrandKind};
use ralph_core::limits;
use ralph_core::run::AgentKind;
use ralph_core::settings::{Settings, usd_limit};
use std::path::PathBuf;
use std::sync::Arc;

/// The agent of an errand.
pub(crate) struct ErrandProgram {
    pub kind: ErrandKind,
    pub agent: AgentKind,
    pub program: PathBuf,
    /// Of the scripted agent.
    pub script: Option<PathBuf>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The settings in force, with models that the agent knows.
    pub settings: Settings,
}

impl ErrandProgram {
    /// An order that belongs to no task and no run, with the project's tools and bounds, and the model that was asked for, or else the
    /// project's.
    pub(crate) fn order(&self, title: String, checkout: Checkout) -> Order {
        Order {
            kind: self.kind,
            task: None,
            run: None,
            title,
            checkout,
            tools: None,
            agent: self.agent,
            program: self.program.clone(),
            script: self.script.clone(),
            model: self.model_or(&self.settings.model),
            max_usd: usd_limit(self.settings.max_usd),
            max_minutes: limits::ERRAND_MINUTES,
            answer_schema: None,
        }
    }

    /// The model that was asked for, or else `other`.
    pub(crate) fn model_or(&self, other: &str) -> String {
        self.model.as_deref().unwrap_or(other).to_owned()
    }

    /// The last of the project's models.
    pub(crate) fn strongest(&self) -> &str {
        self.settings.models.last().unwrap_or(&self.settings.model)
    }
}

impl App {
    /// The requested agent, otherwise the project's.
    ///
    /// # Errors
    /// If that agent can't do such errands, or is not installed.
    pub(crate) async fn errand_program(self: &Arc<Self>, kind: ErrandKind, by: &ErrandAgent) -> Result<ErrandProgram> {
        let settings = self.settings()?;
        let agent = by.agent.unwrap_or(settings.agent);
        if !does(agent, kind) {
            return Err(AppError::invalid(
                "agent",
                format!("{agent} can't {}: its answer would have to follow a schema", in_words(kind)),
                "name one that can, `--agent claude`, or make it the project's agent in .ralph/config.toml",
            ));
        }
        let AgentProgram { program, script } = self.program_of(agent, None, by.script.as_deref(), &settings).await?;
        Ok(ErrandProgram { kind, agent, program, script, model: by.model.clone(), settings: settings.for_agent(agent) })
    }
}

/// Whether an agent can do an errand. Work in a checkout is judged by its result, and a reviewer's findings one by one; for other errands
/// the whole answer must have the requested form.
fn does(agent: AgentKind, kind: ErrandKind) -> bool {
    agent.follows_schema() || matches!(kind, ErrandKind::ResolveConflict | ErrandKind::Review)
}

fn in_words(kind: ErrandKind) -> &'static str {
    match kind {
        ErrandKind::Consolidate | ErrandKind::UndoConsolidation => "write the project's documents",
        ErrandKind::Extract => "tell the lessons of what agents did",
        ErrandKind::Judge => "judge answers of the memory",
        ErrandKind::ResolveConflict => "settle conflicts",
        ErrandKind::Review => "review work",
        ErrandKind::ReviewLearnings => "review learnings",
    }
}
