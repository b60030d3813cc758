//! How long a usage limit lasts, if the provider says so. A time of day without a zone ("try again at 11:05 PM") is not parsed.

use ralph_core::limits::RATE_LIMIT_MAX_WAIT_MILLIS;
use ralph_core::signal::{AgentSignal, Ending};
use serde_json::Value;

/// What precedes the time, in lower case.
const BEFORE: [&str; 4] = ["again in ", "retry in ", "reset in ", "resets in "];

/// The limit that ended a turn, if the provider said that it lasts `wait` milliseconds.
pub fn told(ending: Ending, wait: Option<u64>) -> Option<AgentSignal> {
    let resets_in_ms = Some(wait.filter(|_| ending == Ending::RateLimited)?);
    Some(AgentSignal::RateLimit { rejected: true, resets_at: None, resets_in_ms, limit: None })
}

/// Milliseconds in a provider's `message`: "try again in 3 days 4 hours 2 minutes", "in 11.054s", "in 1h5m".
pub fn in_words(message: &str) -> Option<u64> {
    let lower = message.to_lowercase();
    BEFORE.iter().find_map(|before| lower.match_indices(before).find_map(|(at, _)| duration(&lower[at + before.len()..])))
}

/// Milliseconds of the header `retry-after`; its dates are not read.
pub fn in_headers(headers: &Value) -> Option<u64> {
    let seconds = &headers["retry-after"];
    plausible(seconds.as_f64().or_else(|| seconds.as_str()?.trim().parse().ok())? * 1_000.0)
}

/// Numbers with units at the beginning of `text`, summed up.
fn duration(mut text: &str) -> Option<u64> {
    let mut millis = 0.0;
    loop {
        text = text.trim_start_matches([' ', ',']);
        text = text.strip_prefix("and ").unwrap_or(text);
        let (number, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
        let rest = rest.trim_start_matches(' ');
        let (unit, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()));
        let (Ok(number), Some(unit)) = (number.parse::<f64>(), unit_millis(unit)) else { return plausible(millis) };
        millis += number * unit;
        text = rest;
    }
}

fn unit_millis(unit: &str) -> Option<f64> {
    match unit {
        "ms" => Some(1.0),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1_000.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60_000.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3_600_000.0),
        "d" | "day" | "days" => Some(86_400_000.0),
        _ => None,
    }
}

/// A wait that a run would believe: longer than nothing, and no longer than usage limits are.
fn plausible(millis: f64) -> Option<u64> {
    let whole = millis.ceil();
    (whole >= 1.0 && whole <= RATE_LIMIT_MAX_WAIT_MILLIS as f64).then_some(whole as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_wait_is_read_where_no_time_zone_is_needed() {
        for (words, millis) in [
            ("You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 2 minutes.", Some(273_720_000)),
            ("Try again in 1 day, 2 hours and 1 minute.", Some(93_660_000)),
            ("Rate limit reached: Limit 30000, Used 29000. Please try again in 11.054s.", Some(11_054)),
            ("Please try again in 20s", Some(20_000)),
            ("Please try again in 250ms.", Some(250)),
            ("Quota exceeded. Please retry in 27.3s.", Some(27_300)),
            ("Usage limit reached. It will reset in 2 hours 5 minutes.", Some(7_500_000)),
            ("Resets in 1h5m", Some(3_900_000)),
            ("Try again in the console, or try again in 5 minutes", Some(300_000)),
            ("Try again in 2 hours 7 PM", Some(7_200_000)),
            ("Try again in 7 days", Some(604_800_000)),
            ("Try again in 8 days", None),
            ("Try again in 99999999999999999999999999 days", None),
            ("Try again in 0 minutes", None),
            ("Try again in -5 minutes", None),
            ("Try again in 1.2.3 minutes", None),
            ("Try again in 5", None),
            ("Try again in 5 fortnights", None),
            ("Try again in less than a minute", None),
            ("Try again in", None),
            ("Try again at 11:05 PM.", None),
            ("Try again at Nov 29th, 2026 3:05 PM.", None),
            ("Try again later. It took 3 days 4 hours.", None),
            ("", None),
        ] {
            assert_eq!(in_words(words), millis, "{words}");
        }
    }

    #[test]
    fn a_header_tells_seconds_and_a_date_in_it_is_not_read() {
        for (value, millis) in [
            (json!("3600"), Some(3_600_000)),
            (json!(20), Some(20_000)),
            (json!("1.5"), Some(1_500)),
            (json!("0"), None),
            (json!("-1"), None),
            (json!("NaN"), None),
            (json!("inf"), None),
            (json!("604801"), None),
            (json!("Fri, 27 Nov 2026 09:00:00 GMT"), None),
            (json!(null), None),
        ] {
            assert_eq!(in_headers(&json!({ "retry-after": value })), millis, "{value}");
        }
        assert_eq!(in_headers(&json!(null)), None);
    }
}
