//! Strategies: how the model of an attempt is chosen, from measured history.

mod history;
#[cfg(test)]
mod tests;

use crate::sigil::Difficulty;
use crate::task::{Task, TaskKind};
use crate::text::{cut, dollars};
use history::{ModelRate, measured, percent};
use serde::{Deserialize, Serialize};

/// Consecutive failures of a task after which its next attempt gets a model one step stronger.
pub const FAILURES_PER_STEP: u32 = 2;
/// Lower bound of the success rate, in percent, from which a cheaper model is trusted with a task.
pub const TRUSTED_PERCENT: u32 = 60;
/// Characters of a hint quoted in a rationale.
const HINT_CHARS: usize = 40;
/// Tags of tasks that plan work rather than do it.
const PLANNING_TAGS: [&str; 2] = ["plan", "planning"];

crate::word_enum! {
    /// How the model of an attempt is chosen.
    Strategy {
        /// Always the given model.
        Fixed = "fixed",
        /// The weakest model, one step up after every second consecutive failure of the task, back for the next task.
        Escalate = "escalate",
        /// The cheapest model measured to be good enough for the task's difficulty; `escalate` where too little is known.
        CostOptimized = "cost_optimized",
        /// The strongest model for planning and split tasks, `cost_optimized` for the rest.
        PlanThenExecute = "plan_then_execute",
    }
}

#[expect(clippy::derivable_impls, reason = "the macro that declares the words takes no default")]
impl Default for Strategy {
    fn default() -> Strategy {
        Strategy::Escalate
    }
}

/// Results of one model in this project, at one difficulty. Iterations that were not attempts are excluded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ModelRecord {
    /// The model, as in the table of models.
    pub model: String,
    /// Difficulty of the tasks, as estimated by their agents; `None` without an estimate.
    pub difficulty: Option<Difficulty>,
    /// Attempts.
    pub attempts: u32,
    /// Attempts that ended with the task done.
    pub successes: u32,
    /// Dollars of the attempts whose cost is known; `None` when there is none.
    pub cost_usd: Option<f64>,
    /// The number of those.
    pub priced: u32,
    /// Whether some of them are estimated from tokens.
    pub cost_estimated: bool,
}

/// Input of a choice.
#[derive(Clone, Copy, Debug)]
pub struct StrategyInput<'a> {
    /// The strategy.
    pub strategy: Strategy,
    /// The project's models from weak to strong.
    pub models: &'a [String],
    /// The project's default model: for `fixed`, and with an empty table.
    pub default_model: &'a str,
    /// The model that a person requested for this run.
    pub asked: Option<&'a str>,
    /// Whether the task plans work, see [`is_planning`].
    pub planning: bool,
    /// Difficulty of the task, as estimated by its last attempt.
    pub difficulty: Option<Difficulty>,
    /// Consecutive failed attempts at the task.
    pub consecutive_failures: u32,
    /// `<next-model>` of the last attempt at the task.
    pub hint: Option<&'a str>,
    /// The model of the last attempt, if the provider refused for a reason that persists: unknown model, or too long a context for it.
    pub refused: Option<&'a str>,
    /// Models that are at their own usage limits.
    pub limited: &'a [String],
    /// Results of the models in this project.
    pub history: &'a [ModelRecord],
}

/// A chosen model and the reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ModelChoice {
    /// The model.
    pub model: String,
    /// One sentence with the numbers behind it.
    pub rationale: String,
}

/// Whether a task plans work rather than doing it: it splits a feature, or is tagged `plan` or `planning`.
pub fn is_planning(task: &Task) -> bool {
    task.kind == TaskKind::Split || task.tags.iter().any(|tag| PLANNING_TAGS.iter().any(|planning| tag.eq_ignore_ascii_case(planning)))
}

/// Chooses the model of the next attempt at a task. Total: returns a model for any input.
///
/// - With `fixed`, and for a model that is not in the table, a person's request is final.
/// - If a person requests a model of the table with another strategy, no weaker one is used.
/// - After every second consecutive failure the choice goes one step up, with every strategy except `fixed`.
/// - A model that was just refused is not tried again while there is a stronger one in the table.
/// - A model that is at its own usage limit waits for the end of that, if the table has another: the next stronger one, else the next weaker.
/// - A hint is followed only towards a stronger model of the table: an agent that failed can ask for more help, not for less.
pub fn choose(input: &StrategyInput<'_>) -> ModelChoice {
    if let Some(choice) = given(input) {
        return choice;
    }
    let floor = input.asked.and_then(|asked| place_of(asked, input.models)).unwrap_or(0);
    let (rung, rationale) = match input.strategy {
        Strategy::PlanThenExecute if input.planning => {
            let top = input.models.len() - 1;
            (top, format!("plan_then_execute: {}, the strongest of {} models, for a planning task", input.models[top], input.models.len()))
        }
        Strategy::CostOptimized | Strategy::PlanThenExecute => cost_optimized(input, floor),
        Strategy::Escalate | Strategy::Fixed => escalate(input, floor, Strategy::Escalate.as_str()),
    };
    not_limited(input, floor, not_refused(input, with_hint(input, rung, rationale)))
}

/// A model in place of one that is at its own usage limit; never one that is weaker than the one asked for.
fn not_limited(input: &StrategyInput<'_>, floor: usize, choice: ModelChoice) -> ModelChoice {
    let is_limited = |model: &str| input.limited.iter().any(|limited| limited.eq_ignore_ascii_case(model));
    let place = place_of(&choice.model, input.models).filter(|_| is_limited(&choice.model));
    let others = place.map(|place| input.models[place..].iter().chain(input.models[floor.min(place)..place].iter().rev()));
    match others.and_then(|mut others| others.find(|model| !is_limited(model))) {
        Some(model) => {
            let rationale = format!("{model}, since {} is at its usage limit; without that, {}", choice.model, choice.rationale);
            ModelChoice { model: model.clone(), rationale }
        }
        None => choice,
    }
}

/// One step up from a model that was just refused; if there is none, the choice is unchanged.
fn not_refused(input: &StrategyInput<'_>, choice: ModelChoice) -> ModelChoice {
    let refused = input.refused.filter(|refused| refused.eq_ignore_ascii_case(&choice.model));
    let stronger = place_of(&choice.model, input.models).and_then(|place| input.models.get(place + 1));
    match (refused, stronger) {
        (Some(refused), Some(model)) => {
            let rationale = format!("{model}, since the provider refused {refused}; without that, {}", choice.rationale);
            ModelChoice { model: model.clone(), rationale }
        }
        _ => choice,
    }
}

/// The choice that no rule may override.
fn given(input: &StrategyInput<'_>) -> Option<ModelChoice> {
    let choice = |model: &str, rationale: String| Some(ModelChoice { model: model.to_owned(), rationale });
    match input.asked {
        Some(asked) if input.strategy == Strategy::Fixed => choice(asked, format!("fixed: {asked}, as asked for this run")),
        Some(asked) if place_of(asked, input.models).is_none() => choice(
            asked,
            format!("{asked}, as asked for this run; it is not in the table of models, so {} has no steps from it", input.strategy),
        ),
        None if input.strategy == Strategy::Fixed => {
            choice(input.default_model, format!("fixed: {}, the project's model", input.default_model))
        }
        _ if input.models.is_empty() => {
            choice(input.default_model, format!("{}, the project's model, since the table of models is empty", input.default_model))
        }
        _ => None,
    }
}

/// The index of a model in the table, by its full name.
fn place_of(name: &str, models: &[String]) -> Option<usize> {
    models.iter().position(|model| model.eq_ignore_ascii_case(name))
}

fn steps(input: &StrategyInput<'_>) -> usize {
    usize::try_from(input.consecutive_failures / FAILURES_PER_STEP).unwrap_or(usize::MAX)
}

fn escalate(input: &StrategyInput<'_>, floor: usize, label: &str) -> (usize, String) {
    let (models, failures) = (input.models, input.consecutive_failures);
    let rung = floor.saturating_add(steps(input)).min(models.len() - 1);
    let start =
        if floor == 0 { format!("the weakest of {} models", models.len()) } else { format!("{}, asked for this run", models[floor]) };
    let rationale = if rung == floor {
        let why = match failures {
            0 => "the task has no failures in a row".to_owned(),
            1 => format!("after 1 failure; a stronger one comes after {FAILURES_PER_STEP} in a row"),
            n => format!("after {n} failures in a row; there is no stronger one"),
        };
        let start = if floor == 0 { start } else { "as asked for this run".to_owned() };
        format!("{label}: {}, {start}; {why}", models[rung])
    } else {
        let steps = rung - floor;
        let plural = if steps == 1 { "step" } else { "steps" };
        format!("{label}: {}, {steps} {plural} above {start}, after {failures} failures in a row", models[rung])
    };
    (rung, rationale)
}

fn cost_optimized(input: &StrategyInput<'_>, floor: usize) -> (usize, String) {
    let label = input.strategy.as_str();
    let known: Vec<ModelRate> = (floor..input.models.len()).map(|place| measured(input, place)).collect();
    let at = input.difficulty.map_or_else(|| "all difficulties together".to_owned(), |difficulty| format!("difficulty {difficulty}"));
    let trusted: Vec<&ModelRate> = known.iter().filter(|m| m.lower_percent >= f64::from(TRUSTED_PERCENT)).collect();
    let Some(cheapest) = history::cheapest(&trusted) else {
        let best = known.iter().max_by(|a, b| a.lower_percent.total_cmp(&b.lower_percent)).filter(|best| best.attempts > 0);
        let best = best.map_or_else(
            || "no attempts yet".to_owned(),
            |m| {
                format!(
                    "best is {} with {} of {}, lower bound {}",
                    input.models[m.place],
                    m.successes,
                    m.attempts,
                    percent(m.lower_percent)
                )
            },
        );
        let (rung, rationale) = escalate(input, floor, "as escalate");
        return (rung, format!("{label}: too few successes at {at} to trust a model ({best}; {TRUSTED_PERCENT} % needed), so {rationale}"));
    };
    let rung = cheapest.place.saturating_add(steps(input)).min(input.models.len() - 1);
    let price = cheapest
        .cost_per_attempt
        .map_or_else(|| "by order, cost not measured".to_owned(), |usd| format!("{} per attempt", dollars(usd, 0, 2)));
    let mut rationale = format!(
        "{label}: {}, the cheapest trusted at {at} ({} of {} attempts, lower bound {}, {price})",
        input.models[cheapest.place],
        cheapest.successes,
        cheapest.attempts,
        percent(cheapest.lower_percent)
    );
    if rung > cheapest.place {
        rationale = format!("{rationale}; {} after {} failures in a row", input.models[rung], input.consecutive_failures);
    }
    (rung, rationale)
}

/// Follows the last attempt's hint to a stronger model of the table, and explains how the hint was handled.
fn with_hint(input: &StrategyInput<'_>, rung: usize, rationale: String) -> ModelChoice {
    let choice = |place: usize, rationale| ModelChoice { model: input.models[place].clone(), rationale };
    let Some(hint) = input.hint.map(str::trim).filter(|hint| !hint.is_empty()) else { return choice(rung, rationale) };
    let hint = cut(hint, HINT_CHARS);
    match meant(hint, input.models) {
        Some(place) if place > rung => {
            choice(place, format!("{}, which the last attempt asked for; without that, {rationale}", input.models[place]))
        }
        Some(place) if place == rung => choice(rung, rationale),
        Some(_) => choice(rung, format!("{rationale}; the last attempt asked for '{hint}', and a wish leads to stronger models alone")),
        None => choice(rung, format!("{rationale}; the last attempt's wish '{hint}' is not in the table of models")),
    }
}

/// The model that a hint denotes: its full name, or one word of the name that is unique to a model (`opus` for `claude-opus-5-5`).
fn meant(hint: &str, models: &[String]) -> Option<usize> {
    if let Some(place) = place_of(hint, models) {
        return Some(place);
    }
    let has_word = |model: &String| model.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(hint));
    let mut places = (0..models.len()).filter(|place| has_word(&models[*place]));
    places.next().filter(|_| places.next().is_none())
}
