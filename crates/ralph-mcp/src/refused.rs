//! Refusals: why a call did nothing, for the agent.

use ralph_app::AppError;
use ralph_core::noun::Noun;
use ralph_core::view::CommandError;

/// A call that was refused.
pub(crate) struct Refused(pub(crate) CommandError);

impl Refused {
    /// An invalid argument.
    pub(crate) fn argument(field: &str, fault: impl std::fmt::Display, hint: impl Into<String>) -> Refused {
        Refused(CommandError::new("invalid", format!("{field}: {fault}"), hint))
    }
}

impl From<AppError> for Refused {
    fn from(error: AppError) -> Refused {
        // A command-line hint is no help to an agent: it has the tools.
        let hint = match &error {
            AppError::NotFound { what: Noun::Feature, .. } => Some("list_features names them"),
            AppError::NotFound { what: Noun::Task, .. } => Some("list_tasks names them"),
            AppError::NotFound { what: Noun::Learning, .. } => Some("list_learnings names them"),
            AppError::NotFound { what: Noun::Memory | Noun::EpisodeOrFact, .. } => Some("search names what is known, each with its id"),
            AppError::TaskRunning { .. } => {
                Some("leave its status alone: Ralph settles it after the iteration; only the agent at work may set done or failed")
            }
            AppError::Proposed { .. } => Some("go on with your own task; asking again changes nothing"),
            AppError::Forbidden { .. } => Some("leave it to a person; add_comment tells them what you would have done"),
            _ => None,
        };
        let mut told = CommandError::from(error);
        if let Some(hint) = hint {
            told.hint = hint.into();
        }
        Refused(told)
    }
}
