//! Token prices, for agents that don't report cost: from `prices.json`, the only place that holds prices.

use crate::signal::Usage;
use crate::text::plain_words;
use serde::Deserialize;
use std::sync::LazyLock;

static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("prices.json")).expect("prices.json is part of the program, and a test reads it"));

#[derive(Deserialize)]
struct Table {
    date: String,
    prices: Vec<Price>,
}

/// Dollars per million tokens of some models.
#[derive(Deserialize)]
struct Price {
    /// Substrings of model names, in lower case with `-` between words. The longest match decides.
    models: Vec<String>,
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
    /// The size from which long requests have a separate price.
    long: Option<Long>,
}

/// From how many tokens of context on a single request costs how many times as much.
#[derive(Clone, Copy, Deserialize)]
struct Long {
    above: u32,
    times: f64,
}

impl Price {
    /// Of some tokens, in dollars.
    fn of(&self, usage: &Usage) -> Option<f64> {
        let tokens = [
            (usage.input_tokens, self.input),
            (usage.output_tokens, self.output),
            (usage.cache_read_tokens, self.cache_read),
            (usage.cache_write_tokens, self.cache_write),
        ];
        // Without tokens there is no cost to estimate: the agent reported no usage, or never called a model.
        let any = tokens.iter().any(|(count, _)| *count > 0);
        any.then(|| tokens.iter().map(|(count, price)| f64::from(*count) * price).sum::<f64>() / 1e6)
    }
}

/// The price of a cache write that is kept for an hour, as a multiple of the input price.
const WRITE_FOR_AN_HOUR: f64 = 2.0;

/// The day on which the prices were looked up, as `YYYY-MM-DD`.
pub fn date() -> &'static str {
    &TABLE.date
}

/// Cost of some tokens at a model's listed price, in dollars; `None` for an unlisted model, and without tokens.
///
/// `opus`, `claude-opus-5-5`, `anthropic.claude-opus-5-5-v1:0` and `claude-opus-5-5[1m]` are the same. A family's bare name, or a version
/// that is newer than the list, has the price of the newest listed one.
pub fn estimate(model: &str, usage: &Usage) -> Option<f64> {
    price_of(model)?.of(usage)
}

/// Whether the price of a model is listed.
pub fn lists(model: &str) -> bool {
    price_of(model).is_some()
}

/// Fills in an estimate of all tokens, marked as such, where the agent reported no cost. Usage that is not among the tokens is not
/// included.
pub fn with_cost(model: &str, usage: Usage) -> Usage {
    match (usage.cost_usd, estimate(model, &usage)) {
        (None, Some(cost)) => Usage { cost_usd: Some(cost), cost_estimated: true, ..usage },
        _ => usage,
    }
}

/// As [`with_cost`], of a single request. That is more than a sum over requests shows: how long it was, and how many of its cache writes
/// are kept for an hour.
pub fn with_cost_of_request(model: &str, usage: Usage, kept_for_an_hour: u32) -> Usage {
    let priced = price_of(model).filter(|_| usage.cost_usd.is_none()).and_then(|price| Some((price, price.of(&usage)?)));
    let Some((price, cost)) = priced else { return usage };
    let hours = f64::from(kept_for_an_hour.min(usage.cache_write_tokens)) * (WRITE_FOR_AN_HOUR * price.input - price.cache_write) / 1e6;
    let context = usage.input_tokens.saturating_add(usage.cache_read_tokens).saturating_add(usage.cache_write_tokens);
    let times = price.long.filter(|long| context > long.above).map_or(1.0, |long| long.times);
    Usage { cost_usd: Some((cost + hours) * times), cost_estimated: true, ..usage }
}

fn price_of(model: &str) -> Option<&'static Price> {
    let name = format!("-{}-", plain_words(model).collect::<Vec<_>>().join("-"));
    let held = |part: &&String| name.contains(&format!("-{part}-"));
    let longest = |price: &Price| price.models.iter().filter(held).map(String::len).max();
    TABLE
        .prices
        .iter()
        .filter_map(|price| longest(price).map(|length| (length, price)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, price)| price)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_by_the_longest_part_of_its_name() {
        for (model, input) in [
            ("opus", Some(4.0)),
            ("claude-opus-5-5", Some(4.0)),
            ("Claude-Opus-5-5[1m]", Some(4.0)),
            ("anthropic.claude-opus-5-5-v1:0", Some(4.0)),
            ("claude-opus-9", Some(4.0)),
            ("claude-opus-5", Some(5.0)),
            ("claude-opus-4-5-20251101", Some(5.0)),
            ("claude-opus-4-1-20250805", Some(15.0)),
            ("claude-opus-4-20250514", Some(15.0)),
            ("sonnet", Some(2.0)),
            ("claude-sonnet-4-5", Some(3.0)),
            ("claude-3-7-sonnet-latest", Some(3.0)),
            ("haiku", Some(0.1)),
            ("claude-haiku-4-5", Some(1.0)),
            ("claude-3-haiku-20240307", Some(0.25)),
            ("gpt-5", None),
            ("magnum-opusculum", None),
            ("", None),
        ] {
            assert_eq!(price_of(model).map(|price| price.input), input, "{model}");
        }
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 100_000,
            cache_read_tokens: 2_000_000,
            cache_write_tokens: 400_000,
            ..Usage::default()
        };
        let cost = estimate("sonnet", &usage).unwrap();
        assert!((cost - (2.0 + 1.0 + 0.2 + 1.0)).abs() < 1e-9, "{cost}");
        assert_eq!(estimate("opus", &Usage::default()), None, "without tokens nothing was asked");
    }

    #[test]
    fn a_single_request_costs_what_its_length_and_the_life_of_its_cache_ask() {
        let usage = |input, write| Usage { input_tokens: input, cache_write_tokens: write, ..Usage::default() };
        for (model, usage, kept_for_an_hour, cost) in [
            ("claude-sonnet-4-5", usage(0, 1_000_000), 0, Some(3.75)),
            ("claude-sonnet-4-5", usage(0, 1_000_000), 1_000_000, Some(6.0)),
            ("claude-sonnet-4-5", usage(0, 1_000_000), 400_000, Some(4.65)),
            ("claude-sonnet-4-5", usage(0, 1_000_000), u32::MAX, Some(6.0)),
            ("haiku", usage(100_000, 0), 0, Some(0.01)),
            ("haiku", usage(60_000, 60_000), 0, Some(0.0675)),
            ("nobody-knows", usage(10, 10), 10, None),
            ("haiku", usage(0, 0), 0, None),
        ] {
            let told = with_cost_of_request(model, usage, kept_for_an_hour);
            let near = told.cost_usd.zip(cost).is_none_or(|(told, cost)| (told - cost).abs() < 1e-9);
            assert!(near && told.cost_usd.is_some() == cost.is_some(), "{model} {usage:?}: {told:?} instead of {cost:?}");
            assert_eq!((told.cache_write_tokens, told.cost_estimated), (usage.cache_write_tokens, cost.is_some()));
        }
        let told = Usage { cost_usd: Some(7.0), ..usage(500_000, 0) };
        assert_eq!(with_cost_of_request("haiku", told, 0), told);
    }

    #[test]
    fn an_estimate_never_replaces_what_the_agent_told() {
        let told = Usage { input_tokens: 10, cost_usd: Some(7.0), ..Usage::default() };
        assert_eq!(with_cost("opus", told), told);
        let silent = Usage { cost_usd: None, ..told };
        let filled = with_cost("opus", silent);
        assert_eq!((filled.cost_usd, filled.cost_estimated), (Some(0.000_04), true));
        assert_eq!(with_cost("another", silent), silent);
    }

    #[test]
    fn a_sum_tells_whether_it_leaves_out_what_nobody_knows_the_price_of() {
        let unknown = Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() };
        let known = Usage { cost_usd: Some(0.5), ..unknown };
        let sum = |parts: &[Usage]| {
            parts.iter().fold(Usage::default(), |mut sum, part| {
                sum.add(part);
                sum
            })
        };
        for parts in [[known, unknown, known], [unknown, known, known]] {
            let sum = sum(&parts);
            assert_eq!((sum.cost_usd, sum.unpriced, with_cost("opus", sum)), (Some(1.0), true, sum));
        }
        assert!(!sum(&[known, Usage::default(), known]).unpriced);
        let silent = sum(&[unknown, unknown]);
        assert!(silent.lacks_cost() && !with_cost("opus", silent).lacks_cost(), "an estimate is of all of them");
        let with_subagents = sum(&[unknown, Usage { unpriced: true, ..unknown }]);
        assert!(with_cost("opus", with_subagents).lacks_cost(), "an estimate is not of tokens that nobody told");
        assert!(sum(&[known, with_subagents]).unpriced && sum(&[with_subagents, known]).unpriced);
    }

    #[test]
    fn the_list_has_a_date_and_prices_that_can_be_true() {
        assert!(jiff::civil::Date::strptime("%Y-%m-%d", date()).is_ok());
        for price in &TABLE.prices {
            assert!(
                price.cache_read < price.input && price.input < price.cache_write && price.cache_write < price.output,
                "{:?}",
                price.models
            );
        }
    }
}
