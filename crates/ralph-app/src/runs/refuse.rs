//! Limits in a request that can't be enforced, or that the settings would not accept.

use crate::error::{AppError, Result};
use crate::runs::program::refuse_unused;
use ralph_core::prices;
use ralph_core::run::{RunLimits, RunRequest};
use ralph_core::settings::{Settings, range_of};
use ralph_core::text::is_model_name;

/// Refuses what the settings would refuse, too.
pub(super) fn invalid(request: &RunRequest) -> Result<()> {
    refuse_unused(request.agent, request.agent_path.as_deref(), request.script.as_deref())?;
    let RunLimits { max_iterations, max_minutes, max_usd } = request.limits;
    if max_usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        // A negative number, or NaN, would be no limit at all.
        return Err(AppError::invalid("max_usd", "is not an amount of dollars", "give 0 (no limit) or more"));
    }
    for (field, number) in [("max_iterations", max_iterations), ("max_minutes", max_minutes)] {
        let range = range_of(field);
        if let Some(number) = number.filter(|number| !range.contains(number)) {
            return Err(AppError::invalid(
                field,
                format!("{number} is out of range"),
                format!("give {} to {}", range.start(), range.end()),
            ));
        }
    }
    let model = request.model.as_deref().unwrap_or_default().trim();
    if !model.is_empty() && !is_model_name(model) {
        return Err(AppError::invalid("model", "must name a model in one word", "for example `--model sonnet`; without it, the setting's"));
    }
    Ok(())
}

/// Refuses a limit in dollars that could not hold, because what the agent costs is not known.
pub(super) fn unknown_dollars(request: &RunRequest, settings: &Settings) -> Result<()> {
    let limit = request.limits.max_usd.unwrap_or(settings.max_usd);
    if limit <= 0.0 || request.agent.tells_cost() {
        return Ok(());
    }
    let settings = settings.clone().for_agent(request.agent);
    let mut models = settings.models.iter().chain([request.model.as_ref().unwrap_or(&settings.model)]);
    let Some(unknown) = models.find(|model| !prices::lists(model)) else { return Ok(()) };
    Err(AppError::invalid(
        "max_usd",
        format!(
            "{} tells tokens and no costs, and the price of the model '{unknown}' is not known: a limit in dollars could not hold",
            request.agent
        ),
        "leave it at 0 (`--max-usd 0`), and limit the run by `--max-iterations` or `--max-minutes`",
    ))
}
