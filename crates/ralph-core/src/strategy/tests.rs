use super::*;
use crate::time::Timestamp;

fn table() -> Vec<String> {
    ["haiku", "sonnet", "claude-opus-5-5"].map(str::to_owned).to_vec()
}

fn record(model: &str, difficulty: Option<Difficulty>, attempts: u32, successes: u32, cost_usd: Option<f64>) -> ModelRecord {
    ModelRecord {
        model: model.to_owned(),
        difficulty,
        attempts,
        successes,
        cost_usd,
        priced: cost_usd.map_or(0, |_| attempts),
        cost_estimated: false,
    }
}

fn input<'a>(strategy: Strategy, models: &'a [String]) -> StrategyInput<'a> {
    StrategyInput {
        strategy,
        models,
        default_model: "sonnet",
        asked: None,
        planning: false,
        difficulty: None,
        consecutive_failures: 0,
        hint: None,
        refused: None,
        limited: &[],
        history: &[],
    }
}

#[test]
fn a_model_that_was_refused_is_not_asked_again_while_there_is_a_stronger_one() {
    let models = table();
    for (strategy, asked, refused, model) in [
        (Strategy::Escalate, None, "haiku", "sonnet"),
        (Strategy::Escalate, None, "HAIKU", "sonnet"),
        (Strategy::Escalate, None, "sonnet", "haiku"),
        (Strategy::Escalate, Some("claude-opus-5-5"), "claude-opus-5-5", "claude-opus-5-5"),
        (Strategy::Escalate, Some("my-own-model"), "my-own-model", "my-own-model"),
        (Strategy::Fixed, Some("haiku"), "haiku", "haiku"),
        (Strategy::Fixed, None, "sonnet", "sonnet"),
    ] {
        let choice = choose(&StrategyInput { asked, refused: Some(refused), ..input(strategy, &models) });
        assert_eq!(choice.model, model, "{strategy} {asked:?} {refused}: {}", choice.rationale);
    }
}

#[test]
fn a_model_at_its_own_limit_is_spared_while_the_table_has_another() {
    let models = table();
    for (strategy, asked, failures, limited, model) in [
        (Strategy::Escalate, None, 4, &["claude-opus-5-5"][..], "sonnet"),
        (Strategy::Escalate, None, 2, &["Sonnet"], "claude-opus-5-5"),
        (Strategy::Escalate, None, 4, &["claude-opus-5-5", "sonnet"], "haiku"),
        (Strategy::Escalate, None, 0, &["claude-opus-5-5"], "haiku"),
        (Strategy::Escalate, Some("claude-opus-5-5"), 0, &["claude-opus-5-5"], "claude-opus-5-5"),
        (Strategy::Escalate, None, 0, &["haiku", "sonnet", "claude-opus-5-5"], "haiku"),
        (Strategy::Fixed, Some("sonnet"), 0, &["sonnet"], "sonnet"),
        (Strategy::Fixed, None, 0, &["sonnet"], "sonnet"),
    ] {
        let limited: Vec<String> = limited.iter().map(|model| (*model).to_owned()).collect();
        let choice = choose(&StrategyInput { asked, consecutive_failures: failures, limited: &limited, ..input(strategy, &models) });
        assert_eq!(choice.model, model, "{strategy} {asked:?} {limited:?}: {}", choice.rationale);
    }
}

#[track_caller]
fn expect(input: &StrategyInput<'_>, model: &str, rationale: &str) {
    let choice = choose(input);
    assert_eq!((choice.model.as_str(), choice.rationale.as_str()), (model, rationale));
}

#[test]
fn escalation_goes_one_step_up_after_every_second_failure() {
    let models = table();
    for (failures, model, rationale) in [
        (0, "haiku", "escalate: haiku, the weakest of 3 models; the task has no failures in a row"),
        (1, "haiku", "escalate: haiku, the weakest of 3 models; after 1 failure; a stronger one comes after 2 in a row"),
        (2, "sonnet", "escalate: sonnet, 1 step above the weakest of 3 models, after 2 failures in a row"),
        (3, "sonnet", "escalate: sonnet, 1 step above the weakest of 3 models, after 3 failures in a row"),
        (4, "claude-opus-5-5", "escalate: claude-opus-5-5, 2 steps above the weakest of 3 models, after 4 failures in a row"),
        (
            u32::MAX,
            "claude-opus-5-5",
            "escalate: claude-opus-5-5, 2 steps above the weakest of 3 models, after 4294967295 failures in a row",
        ),
    ] {
        expect(&StrategyInput { consecutive_failures: failures, ..input(Strategy::Escalate, &models) }, model, rationale);
    }
    let one = &models[..1];
    let choice = choose(&StrategyInput { consecutive_failures: 4, ..input(Strategy::Escalate, one) });
    assert_eq!(choice.rationale, "escalate: haiku, the weakest of 1 models; after 4 failures in a row; there is no stronger one");
}

#[test]
fn what_a_person_asks_for_is_honoured() {
    let models = table();
    let asked = |strategy, asked| StrategyInput { asked: Some(asked), consecutive_failures: 2, ..input(strategy, &models) };
    expect(&asked(Strategy::Fixed, "haiku"), "haiku", "fixed: haiku, as asked for this run");
    for strategy in Strategy::ALL {
        assert_eq!(choose(&asked(*strategy, "my-own-model")).model, "my-own-model", "{strategy}");
    }
    // A model of the table is the starting point of the steps.
    expect(
        &asked(Strategy::Escalate, "sonnet"),
        "claude-opus-5-5",
        "escalate: claude-opus-5-5, 1 step above sonnet, asked for this run, after 2 failures in a row",
    );
    let fresh = StrategyInput { consecutive_failures: 0, ..asked(Strategy::Escalate, "sonnet") };
    expect(&fresh, "sonnet", "escalate: sonnet, as asked for this run; the task has no failures in a row");
}

#[test]
fn fixed_and_an_empty_table_take_the_projects_model() {
    let models = table();
    let failing = StrategyInput { consecutive_failures: 4, hint: Some("opus"), ..input(Strategy::Fixed, &models) };
    expect(&failing, "sonnet", "fixed: sonnet, the project's model");
    for strategy in [Strategy::Escalate, Strategy::CostOptimized, Strategy::PlanThenExecute] {
        expect(
            &StrategyInput { planning: true, ..input(strategy, &[]) },
            "sonnet",
            "sonnet, the project's model, since the table of models is empty",
        );
    }
}

#[test]
fn cost_optimized_takes_the_cheapest_model_that_is_measured_to_be_good_enough() {
    let models = table();
    let hard = Some(Difficulty::Hard);
    let history = [
        record("haiku", hard, 20, 10, Some(0.2)),
        record("haiku", Some(Difficulty::Easy), 100, 100, Some(1.0)),
        record("sonnet", hard, 20, 18, Some(2.0)),
        record("claude-opus-5-5", hard, 20, 20, Some(9.0)),
    ];
    let at = |difficulty, history| StrategyInput { difficulty, history, ..input(Strategy::CostOptimized, &models) };
    let sonnet = "cost_optimized: sonnet, the cheapest trusted at difficulty hard (18 of 20 attempts, lower bound 69 %, $0.10 per attempt)";
    expect(&at(hard, &history), "sonnet", sonnet);
    let failing = StrategyInput { consecutive_failures: 2, ..at(hard, &history) };
    expect(&failing, "claude-opus-5-5", &format!("{sonnet}; claude-opus-5-5 after 2 failures in a row"));
    // Over all difficulties while the task's own is unknown.
    assert_eq!(choose(&at(None, &history)).model, "haiku");
    // Measured cost counts, not the order of the table; without a known cost the order does.
    let dear = [record("sonnet", hard, 20, 20, Some(9.0)), record("claude-opus-5-5", hard, 20, 20, Some(2.0))];
    assert_eq!(choose(&at(hard, &dear)).model, "claude-opus-5-5");
    let unpriced = [record("sonnet", hard, 20, 20, None), record("claude-opus-5-5", hard, 20, 20, Some(2.0))];
    assert_eq!(choose(&at(hard, &unpriced)).model, "sonnet");
    let seldom =
        [ModelRecord { priced: 2, ..record("sonnet", hard, 20, 20, Some(9.0)) }, record("claude-opus-5-5", hard, 20, 20, Some(20.0))];
    assert_eq!(choose(&at(hard, &seldom)).model, "claude-opus-5-5", "what is not known of eighteen attempts makes the two no cheaper");
}

#[test]
fn too_few_data_escalate_and_say_so() {
    let models = table();
    let easy = Some(Difficulty::Easy);
    let no_history = input(Strategy::CostOptimized, &models);
    expect(
        &no_history,
        "haiku",
        "cost_optimized: too few successes at all difficulties together to trust a model (no attempts yet; 60 % needed), so as escalate: \
         haiku, the weakest of 3 models; the task has no failures in a row",
    );
    // Five out of five are not enough, six out of six are.
    for (attempts, trusted) in [(5, false), (6, true)] {
        let history = [record("sonnet", easy, attempts, attempts, Some(1.0))];
        let choice = choose(&StrategyInput { difficulty: easy, history: &history, ..no_history });
        assert_eq!(choice.model == "sonnet", trusted, "{}", choice.rationale);
        assert_eq!(choice.rationale.contains("best is sonnet with 5 of 5, lower bound 56 %"), !trusted, "{}", choice.rationale);
    }
}

#[test]
fn planning_tasks_get_the_strongest_model() {
    let models = table();
    let planning = StrategyInput { planning: true, ..input(Strategy::PlanThenExecute, &models) };
    expect(&planning, "claude-opus-5-5", "plan_then_execute: claude-opus-5-5, the strongest of 3 models, for a planning task");
    let work = choose(&input(Strategy::PlanThenExecute, &models));
    assert_eq!(work.model, "haiku");
    assert!(work.rationale.starts_with("plan_then_execute: too few successes"), "{}", work.rationale);
}

#[test]
fn a_hint_is_followed_only_to_a_stronger_model_of_the_table() {
    let models = table();
    let base = "escalate: sonnet, 1 step above the weakest of 3 models, after 2 failures in a row";
    for (hint, model, rationale) in [
        ("opus", "claude-opus-5-5", format!("claude-opus-5-5, which the last attempt asked for; without that, {base}")),
        ("Claude-Opus-5-5", "claude-opus-5-5", format!("claude-opus-5-5, which the last attempt asked for; without that, {base}")),
        ("haiku", "sonnet", format!("{base}; the last attempt asked for 'haiku', and a wish leads to stronger models alone")),
        ("sonnet", "sonnet", base.to_owned()),
        ("gpt-5", "sonnet", format!("{base}; the last attempt's wish 'gpt-5' is not in the table of models")),
        ("5", "sonnet", format!("{base}; the last attempt's wish '5' is not in the table of models")),
        ("", "sonnet", base.to_owned()),
    ] {
        // A number is part of many names.
        let models = if hint == "5" { vec!["haiku-5".to_owned(), "sonnet".to_owned(), "opus-5".to_owned()] } else { models.clone() };
        expect(&StrategyInput { hint: Some(hint), consecutive_failures: 2, ..input(Strategy::Escalate, &models) }, model, &rationale);
    }
}

#[test]
fn splits_and_tagged_tasks_plan() {
    let mut task = Task::new("billing", "t", Timestamp(0));
    assert!(!is_planning(&task));
    task.tags = vec!["Planning".to_owned()];
    assert!(is_planning(&task));
    task.tags = vec!["explanation".to_owned()];
    assert!(!is_planning(&task));
    task.kind = TaskKind::Split;
    assert!(is_planning(&task));
}
