//! Why a provider refused: by the status that an agent reports, otherwise by the provider's own words. Never by an agent's or a file's.

use ralph_core::signal::Ending;

/// The ending of a turn when the provider answered `status` with an error.
pub fn of_status(status: u16) -> Option<Ending> {
    match status {
        429 => Some(Ending::RateLimited),
        401..=403 => Some(Ending::Authentication),
        408 => Some(Ending::Network),
        413 => Some(Ending::ContextTooLong),
        500..=599 => Some(Ending::Overloaded),
        _ => None,
    }
}

/// Phrases of providers, in lower case, most specific first; they take precedence over a status.
const TELLING: &[(Ending, &[&str])] = &[
    (Ending::Authentication, &["credit balance", "billing", "insufficient_quota", "insufficient quota", "insufficient credit"]),
    (
        Ending::ContextTooLong,
        &["prompt is too long", "context_length_exceeded", "context length", "context window", "input is too long", "input token count"],
    ),
    (
        Ending::ModelUnavailable,
        &[
            "issue with the selected model",
            "model_not_found",
            "model not found",
            "unknown model",
            "not supported when using codex",
            "unsupported model",
        ],
    ),
];

/// Phrases, in lower case, by which agent CLIs say that nobody is logged in: the commands that log in, by name, and sentences about a login
/// that has expired. An agent's "please log in to the admin page" has none of them.
const LOGGED_OUT: &[&str] = &[
    "please run /login",
    "claude auth login",
    "codex login",
    "opencode auth login",
    "access token could not be refreshed",
    "please log out and sign in again",
    "oauth token revoked",
    "oauth token has been revoked",
    "oauth token has expired",
    "invalid auth token",
];

/// Phrases that are used if no status is known.
const FALLBACK: &[(Ending, &[&str])] = &[
    (
        Ending::Authentication,
        &[
            "unauthenticated",
            "unauthorized",
            "api key not valid",
            "api_key_invalid",
            "invalid api key",
            "incorrect api key",
            "invalid x-api-key",
            "out of credits",
            "to use codex with your chatgpt plan",
        ],
    ),
    (
        Ending::RateLimited,
        &[
            "usage limit",
            "rate limit",
            "rate_limit",
            "too many requests",
            "resource_exhausted",
            "quota exceeded",
            // Claude Code's "5-hour limit reached ∙ resets 9pm" and "You've hit your Opus limit · resets 3pm". Not "limit reached" alone: a
            // context and a depth have limits, too.
            "limit reached ∙ resets",
            "limit reached · resets",
            "limit · resets",
            "hit your limit",
            "hit your session limit",
            "hit your weekly limit",
            "out of extra usage",
        ],
    ),
    (Ending::Overloaded, &["at capacity", "overloaded", "experiencing high demand", "server_error", "service unavailable"]),
    (
        Ending::Network,
        &[
            "stream disconnected",
            "error sending request",
            "waiting for network",
            "connection error",
            "fetch failed",
            // From a proxy or a portal in between, which answers instead of the server or cuts its answer.
            "empty or malformed response",
            "json parse error",
            "econnrefused",
            "econnreset",
            "enotfound",
            "etimedout",
        ],
    ),
];

/// The ending of a turn by its error message, which may contain a status.
pub fn of_words(message: &str) -> Option<Ending> {
    let lower = message.to_lowercase();
    let without_status = || has(LOGGED_OUT, &lower).then_some(Ending::Authentication).or_else(|| find(FALLBACK, &lower));
    telling(&lower).or_else(|| status_in(&lower).and_then(of_status)).or_else(without_status)
}

/// Whether an agent CLI says that nobody is logged in.
pub fn is_logged_out(message: &str) -> bool {
    has(LOGGED_OUT, &message.to_lowercase())
}

/// What an error message reveals beyond its status: credit, a missing model, too long a context.
pub fn beyond_status(message: &str) -> Option<Ending> {
    telling(&message.to_lowercase())
}

fn telling(lower: &str) -> Option<Ending> {
    // "The model `x` does not exist or you do not have access to it"; "models/x is not found for API version v1".
    let names_a_model = lower.contains("model") && (lower.contains("does not exist") || lower.contains("is not found"));
    find(TELLING, lower).or(names_a_model.then_some(Ending::ModelUnavailable))
}

fn find(table: &[(Ending, &[&str])], lower: &str) -> Option<Ending> {
    table.iter().find(|(_, words)| has(words, lower)).map(|(ending, _)| *ending)
}

fn has(phrases: &[&str], lower: &str) -> bool {
    phrases.iter().any(|phrase| lower.contains(phrase))
}

/// The HTTP status in an error message: `unexpected status 401`, `last status: 429`, `API Error: 401`, `"code":401`.
pub fn status_in(message: &str) -> Option<u16> {
    let lower = message.to_lowercase();
    ["status code", "status", "api error", "http", "\"code\"", "code"].iter().find_map(|name| {
        lower.match_indices(name).find_map(|(at, _)| {
            let rest = lower[at + name.len()..].trim_start_matches([' ', ':', '(', '=', '"']);
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next().filter(|digits| digits.len() == 3)?;
            digits.parse().ok().filter(|status| (400..600).contains(status))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_words_are_classed_by_what_they_mean() {
        use Ending::*;
        for (words, ending) in [
            ("unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:1/v1/responses", Some(Authentication)),
            ("exceeded retry limit, last status: 429 Too Many Requests", Some(RateLimited)),
            ("unexpected status 429 Too Many Requests: insufficient_quota", Some(Authentication)),
            ("You've hit your usage limit. Upgrade to Pro or try again at 3:05 PM.", Some(RateLimited)),
            ("Selected model is at capacity. Please try a different model.", Some(Overloaded)),
            ("We\u{2019}re currently experiencing high demand, which may cause temporary errors.", Some(Overloaded)),
            ("Waiting for network", Some(Network)),
            ("stream disconnected before completion: error sending request", Some(Network)),
            ("[API Error: 401 Incorrect API key provided: sk-x]", Some(Authentication)),
            (
                "[API Error: {\"error\":{\"code\":401,\"message\":\"Request had invalid credentials\",\"status\":\"UNAUTHENTICATED\"}}]",
                Some(Authentication),
            ),
            ("got status: 400. {\"error\":{\"message\":\"API key not valid. Please pass a valid API key.\"}}", Some(Authentication)),
            ("got status: UNAUTHENTICATED", Some(Authentication)),
            ("The model `gpt-9` does not exist or you do not have access to it.", Some(ModelUnavailable)),
            (
                "There's an issue with the selected model (opus-9). It may not exist or you may not have access to it.",
                Some(ModelUnavailable),
            ),
            ("models/gemini-9 is not found for API version v1beta", Some(ModelUnavailable)),
            ("Your input exceeds the context window of this model. Please adjust your input and try again.", Some(ContextTooLong)),
            ("This model's maximum context length is 128000 tokens", Some(ContextTooLong)),
            ("Prompt is too long · the request is ~250000 tokens (limit 200000)", Some(ContextTooLong)),
            ("Your credit balance is too low to access the Anthropic API.", Some(Authentication)),
            ("unexpected status 503 Service Unavailable", Some(Overloaded)),
            ("Your access token could not be refreshed because your refresh token was already used.", Some(Authentication)),
            ("Your access token could not be refreshed because your refresh token has expired. Please sign in.", Some(Authentication)),
            ("Your authentication session could not be refreshed automatically. Please log out and sign in again.", Some(Authentication)),
            ("Not logged in · Please run /login", Some(Authentication)),
            ("Not logged in. Run codex login.", Some(Authentication)),
            ("ChatGPT account ID not available, please re-run `codex login`", Some(Authentication)),
            ("OAuth token has expired · Please run /login", Some(Authentication)),
            ("Your workspace is out of credits. Add credits to continue.", Some(Authentication)),
            ("To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.", Some(Authentication)),
            ("You've hit your limit", Some(RateLimited)),
            ("You've hit your limit · resets 3pm (UTC)", Some(RateLimited)),
            ("You've hit your Opus limit · resets Nov 29, 3pm (UTC)", Some(RateLimited)),
            ("Claude AI usage limit reached|1795999999", Some(RateLimited)),
            ("5-hour limit reached ∙ resets 9pm", Some(RateLimited)),
            ("API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy", Some(Network)),
            ("API Error: JSON Parse error: Unrecognized token '<'", Some(Network)),
            ("Please log in to the admin page", None),
            ("The test user is not logged in, so the page says: please sign in again", None),
            ("POST /login answered nothing; the OAuth token endpoint is wrong", None),
            ("a session token could not be refreshed", None),
            ("Context limit reached", None),
            ("Subagent nesting limit reached (depth 3)", None),
            ("The form has hit your length limit", None),
            ("This code 77 is wrong", None),
            ("I can't help with this.", None),
            ("", None),
        ] {
            assert_eq!(of_words(words), ending, "{words}");
        }
    }
}
