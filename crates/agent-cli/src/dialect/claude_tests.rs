use super::*;
use ralph_core::signal::limited_model;
use serde_json::json;

fn signals(lines: &[Value]) -> Vec<AgentSignal> {
    let mut claude = Claude::default();
    lines.iter().flat_map(|line| claude.line(line)).collect()
}

fn ending(result: Value) -> Ending {
    match signals(&[result]).pop() {
        Some(AgentSignal::TurnEnded { ending, .. }) => ending,
        other => panic!("{other:?}"),
    }
}

fn costs(lines: &[Value]) -> Vec<(u32, Option<f64>)> {
    let turns = signals(lines).into_iter();
    turns
        .filter_map(
            |signal| if let AgentSignal::TurnEnded { usage, .. } = signal { Some((usage.input_tokens, usage.cost_usd)) } else { None },
        )
        .collect()
}

#[test]
fn errors_are_judged_by_is_error_and_by_structured_fields_alone() {
    let api = |status: Value, text: &str| {
        json!({ "type": "result", "subtype": "success", "is_error": true, "terminal_reason": "api_error", "api_error_status": status,
                "result": text })
    };
    let cases = [
        (json!({ "type": "result", "subtype": "success", "is_error": false, "result": "API Error: 429 usage limit" }), Ending::Completed),
        (json!({ "type": "result", "subtype": "error_max_turns", "is_error": true }), Ending::MaxTurns),
        (json!({ "type": "result", "subtype": "error_max_budget_usd", "is_error": true }), Ending::MaxBudget),
        (json!({ "type": "result", "subtype": "error_max_turns", "is_error": false }), Ending::MaxTurns),
        (json!({ "type": "result", "subtype": "error_during_execution", "is_error": false }), Ending::Failed),
        (
            json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_tools" }),
            Ending::Interrupted,
        ),
        (json!({ "type": "result", "subtype": "error_during_execution", "is_error": true }), Ending::Failed),
        (api(json!(429), ""), Ending::RateLimited),
        (api(json!(529), ""), Ending::Overloaded),
        (api(json!(503), ""), Ending::Overloaded),
        (api(json!(401), ""), Ending::Authentication),
        (api(json!(403), ""), Ending::Authentication),
        (api(json!(400), "Credit balance is too low"), Ending::Authentication),
        (api(json!(400), "Your credit balance is too low to access the API"), Ending::Authentication),
        (api(json!(400), "prompt is too long"), Ending::ContextTooLong),
        (api(json!(400), "messages: roles must alternate"), Ending::Failed),
        (api(json!(429), "You've reached your limit; billing starts anew tomorrow"), Ending::RateLimited),
        (api(json!(404), "There's an issue with the selected model (opus-9). It may not exist."), Ending::ModelUnavailable),
        (api(json!(null), "API Error: Sonnet 4.5 can't help with this."), Ending::Failed),
        (
            json!({ "type": "result", "is_error": true, "terminal_reason": "prompt_too_long", "api_error_status": 400 }),
            Ending::ContextTooLong,
        ),
        (json!({ "type": "result", "is_error": true, "result": "[API Error: 401 Incorrect API key provided]" }), Ending::Authentication),
        (json!({ "type": "result", "is_error": true, "result": "The words of an agent: 401, model not found" }), Ending::Failed),
        (json!({ "type": "result", "is_error": false, "stop_reason": "refusal", "result": "I can't" }), Ending::Failed),
        (json!({ "type": "result", "is_error": false, "stop_reason": "end_turn", "result": "ok" }), Ending::Completed),
        (api(json!(null), "something new"), Ending::Failed),
    ];
    for (line, expected) in cases {
        assert_eq!(ending(line.clone()), expected, "{line}");
    }
}

#[test]
fn a_prompt_that_a_hook_refused_was_not_answered() {
    let told = |kind: &str, reason: &str| {
        let outcome = json!({ "kind": kind, "prompt_kept": false, "reason": reason });
        let line = json!({ "type": "system", "subtype": "informational", "content": "x", "prompt_submit_outcome": outcome });
        let answer = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "Operation stopped by hook: x" });
        signals(&[line, answer.clone(), answer]).into_iter().filter_map(|signal| match signal {
            AgentSignal::TurnEnded { ending, text, .. } => Some((ending, text)),
            _ => None,
        })
    };
    for kind in ["blocked_by_hook", "stopped_by_hook"] {
        let words = "a hook in the agent's settings (UserPromptSubmit) refused the prompt: not on sundays".to_owned();
        let turns: Vec<_> = told(kind, "not on sundays\n").collect();
        assert_eq!(turns[0], (Ending::PromptRefused, words));
        assert_eq!(turns[1].0, Ending::Completed, "the next turn is another one");
    }
    assert!(told("accepted", "").all(|(ending, _)| ending == Ending::Completed));
}

#[test]
fn kinds_of_errors_tell_who_is_at_fault_whatever_the_status() {
    for (kind, status, expected) in [
        ("org_disabled_credential", json!(400), Ending::Authentication),
        ("verification_required", json!(null), Ending::Authentication),
        ("computer_slept", json!(null), Ending::Network),
        ("stream_idle_timeout", json!(null), Ending::Network),
        ("no_response", json!(null), Ending::Network),
        ("tls_untrusted_ca", json!(null), Ending::Network),
        ("model_requires_usage_credits", json!(429), Ending::ModelUnavailable),
        ("autocompact_thrashing", json!(null), Ending::ContextTooLong),
        ("usage_limit_reached", json!(null), Ending::RateLimited),
        ("rate_limit", json!(529), Ending::Overloaded),
        ("empty_completion", json!(null), Ending::Failed),
        ("max_output_tokens", json!(null), Ending::Failed),
    ] {
        let result = json!({ "type": "result", "is_error": true, "terminal_reason": "api_error", "api_error_status": status,
                             "api_error": kind, "result": "API Error: it says why" });
        assert_eq!(ending(result), expected, "{kind}");
    }
    let of_helper = json!({ "type": "assistant", "parent_tool_use_id": "toolu_1", "error": "model_not_found", "message": {} });
    let failed = json!({ "type": "result", "is_error": true, "terminal_reason": "api_error", "result": "API Error: something else" });
    let told = signals(&[of_helper, failed]).pop();
    assert!(matches!(told, Some(AgentSignal::TurnEnded { ending: Ending::Failed, .. })), "{told:?}");
}

#[test]
fn the_clis_own_words_about_logins_and_limits_class_an_error_and_an_agents_do_not() {
    let (login, limit) = ("Not logged in · Please run /login", "You've hit your Opus limit · resets 3pm (UTC)");
    let said = |model: &str, parent: Value, text: &str| {
        json!({ "type": "assistant", "parent_tool_use_id": parent,
        "message": { "id": text, "model": model, "content": [{ "type": "text", "text": text }] } })
    };
    let failed = |text: &str| json!({ "type": "result", "subtype": "success", "is_error": true, "api_error_status": null, "result": text });
    let ended = |lines: &[Value]| match signals(lines).pop() {
        Some(AgentSignal::TurnEnded { ending, .. }) => ending,
        other => panic!("{other:?}"),
    };
    let own = |text: &str| said("<synthetic>", Value::Null, text);
    let agents = |text: &str| said("opus", Value::Null, text);
    let api_error = |text: &str| {
        let mut result = failed(text);
        result["terminal_reason"] = "api_error".into();
        result
    };
    for (lines, expected) in [
        (vec![own(login), failed(login)], Ending::Authentication),
        (vec![own(limit), failed(limit)], Ending::RateLimited),
        (vec![api_error(login)], Ending::Authentication),
        (vec![api_error("OAuth token has expired · Please run /login")], Ending::Authentication),
        (vec![api_error("You've hit your limit")], Ending::RateLimited),
        // Older versions have neither a reason nor a message of their own.
        (vec![failed(login)], Ending::Authentication),
        (vec![failed("Invalid API key · Please run /login")], Ending::Authentication),
        (vec![failed("Claude AI usage limit reached|1795999999")], Ending::RateLimited),
        (vec![failed("5-hour limit reached ∙ resets 9pm")], Ending::RateLimited),
        (vec![failed("You've hit your limit · resets 3pm (UTC)")], Ending::RateLimited),
        // What an agent says is not a reason, also where it quotes one.
        (vec![agents("I see"), failed("Please log in to the admin page")], Ending::Failed),
        (vec![agents(limit), failed(limit)], Ending::Failed),
        (vec![agents("x"), failed(&format!("The page says: {login}"))], Ending::Failed),
        (vec![own("No response requested."), agents("x"), failed(&format!("It printed: {login}"))], Ending::Failed),
        (vec![agents("x"), said("<synthetic>", json!("toolu_1"), login), failed(&format!("It printed: {login}"))], Ending::Failed),
        (vec![own(login), failed(login), failed(&format!("It printed: {login}"))], Ending::Failed),
    ] {
        assert_eq!(ended(&lines), expected, "{lines:?}");
    }
    let told = signals(&[failed("Claude AI usage limit reached|1795999999")]);
    assert_eq!(
        told[0],
        AgentSignal::RateLimit { rejected: true, resets_at: Some(Timestamp(1_795_999_999_000)), resets_in_ms: None, limit: None }
    );
    let plain = json!({ "type": "result", "subtype": "success", "is_error": false, "result": login });
    assert_eq!(ended(&[agents(login), plain]), Ending::Completed);
}

#[test]
fn the_limit_of_one_model_is_told_by_its_name_or_in_words() {
    let reached = |words: &str, events: &[Value]| {
        let failed =
            json!({ "type": "result", "is_error": true, "api_error_status": 429, "terminal_reason": "api_error", "result": words });
        let told = signals(&[events, &[failed]].concat());
        let mut limits = told.into_iter().filter_map(|s| if let AgentSignal::RateLimit { limit, .. } = s { limit } else { None });
        limits.next_back().as_deref().and_then(limited_model).map(str::to_owned)
    };
    let event = |name: &str| json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "rejected", "resetsAt": 1795000000, "rateLimitType": name } });
    assert_eq!(reached("You've hit your Opus limit · resets Nov 29, 3pm (UTC)", &[]).as_deref(), Some("opus"));
    assert_eq!(reached("You've hit your limit", &[event("seven_day_sonnet")]).as_deref(), Some("sonnet"));
    for (words, events) in [
        ("You've hit your limit · resets 3pm", &[][..]),
        ("You've hit your weekly limit · resets 3pm", &[]),
        ("You've hit your session limit · resets 3pm", &[]),
        ("You've hit your limit", &[event("seven_day")]),
        ("You've hit your limit", &[event("five_hour")]),
    ] {
        assert_eq!(reached(words, events), None, "{words} {events:?}");
    }
}

#[test]
fn a_refused_usage_limit_ends_its_own_turn_only() {
    let limit = json!({ "rate_limit_info": { "status": "rejected", "resetsAt": 1795000000, "rateLimitType": "five_hour" }, "type": "rate_limit_event" });
    let failed = json!({ "type": "result", "is_error": true, "result": "You've hit your limit" });
    let told = signals(&[limit, failed.clone(), failed]);
    assert_eq!(
        told[0],
        AgentSignal::RateLimit {
            rejected: true,
            resets_at: Some(Timestamp(1_795_000_000_000)),
            resets_in_ms: None,
            limit: Some("five_hour".into())
        }
    );
    let endings: Vec<Ending> =
        told.iter().filter_map(|s| if let AgentSignal::TurnEnded { ending, .. } = s { Some(*ending) } else { None }).collect();
    assert_eq!(endings, [Ending::RateLimited, Ending::Failed]);
    let warning = json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "allowed_warning", "resetsAt": 1795000000000u64 } });
    assert_eq!(
        signals(&[warning]),
        [AgentSignal::RateLimit { rejected: false, resets_at: Some(Timestamp(1_795_000_000_000)), resets_in_ms: None, limit: None }]
    );
}

#[test]
fn words_about_limits_in_files_and_texts_change_nothing() {
    let words = "5-hour limit reached. API Error 429 rate_limit, credit balance is too low";
    let lines = [
        json!({ "type": "user", "message": { "content": [{ "type": "tool_result", "tool_use_id": "t", "content": words }] } }),
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": words }] }, "parent_tool_use_id": null }),
        json!({ "type": "result", "subtype": "success", "is_error": false, "result": words }),
    ];
    let told = signals(&lines);
    assert!(
        matches!(
            told[..],
            [
                AgentSignal::ToolResult { is_error: false, .. },
                AgentSignal::Text { .. },
                AgentSignal::TurnEnded { ending: Ending::Completed, .. }
            ]
        ),
        "{told:?}"
    );
}

#[test]
fn usage_is_per_turn_also_for_versions_that_tell_it_per_session() {
    let models = |tokens: u32, cost: f64| json!({ "m": { "inputTokens": tokens, "costUSD": cost } });
    let new = |session: Value, since: Value| json!({ "type": "result", "modelUsage": session, "model_usage_since_last_result": since });
    assert_eq!(costs(&[new(models(30, 3.0), models(10, 1.0)), new(models(30, 3.0), json!({}))]), [(10, Some(1.0)), (0, Some(0.0))]);
    let old = |tokens, cost| json!({ "type": "result", "modelUsage": models(tokens, cost) });
    assert_eq!(costs(&[old(10, 1.0), old(30, 1.5)]), [(10, Some(1.0)), (20, Some(0.5))]);
    let oldest = |cost: f64| json!({ "type": "result", "usage": { "input_tokens": 5 }, "total_cost_usd": cost });
    assert_eq!(costs(&[oldest(1.0), oldest(1.5)]), [(5, Some(1.0)), (5, Some(0.5))]);
    assert_eq!(costs(&[json!({ "type": "result", "usage": { "input_tokens": 5 } })]), [(5, None)]);
    // An error between them that reports nothing on the session, or only on its own turn, makes nothing count twice.
    let error = |usage: Value| json!({ "type": "result", "is_error": true, "usage": usage, "modelUsage": {}, "total_cost_usd": 0 });
    assert_eq!(costs(&[old(10, 1.0), error(json!({})), old(30, 1.5)]), [(10, Some(1.0)), (0, Some(0.0)), (20, Some(0.5))]);
    assert_eq!(costs(&[old(10, 1.0), error(json!({ "input_tokens": 5 })), old(30, 1.5)])[2], (15, Some(0.5)));
    assert_eq!(costs(&[old(10, 1.0), oldest(1.25), old(30, 1.5)]), [(10, Some(1.0)), (5, Some(0.25)), (15, Some(0.25))]);
    // What nothing costs is not a cost: one such number would spoil every sum it gets into.
    for usd in [-5.0, 1e300, 100_001.0] {
        assert_eq!(costs(&[oldest(usd)]), [(5, None)], "{usd}");
        assert_eq!(costs(&[old(10, usd)]), [(10, None)], "{usd}");
    }
}

#[test]
fn a_denial_is_told_once_and_names_what_was_asked() {
    let call = json!({ "type": "assistant", "message": { "content": [{ "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": "rm x" } }] } });
    let denied = json!({ "type": "system", "subtype": "permission_denied", "tool_name": "Bash", "tool_use_id": "t", "message": "no" });
    let denials = json!([{ "tool_name": "Bash", "tool_use_id": "t", "tool_input": { "command": "rm x" } }]);
    let result = json!({ "type": "result", "is_error": false, "permission_denials": denials });
    let expected = AgentSignal::Denied { tool: "Bash".into(), summary: "rm x".into() };
    for lines in [vec![call.clone(), denied, result.clone()], vec![call, result.clone()], vec![result]] {
        let told = signals(&lines);
        assert_eq!(told.iter().filter(|signal| **signal == expected).count(), 1, "{told:?}");
        assert!(matches!(told.last(), Some(AgentSignal::TurnEnded { denials: 1, .. })));
    }
}

#[test]
fn only_the_agents_own_words_are_its_text() {
    let said = |parent: Value, model: &str| json!({ "type": "assistant", "message": { "model": model, "content": [{ "type": "text", "text": "hi" }] }, "parent_tool_use_id": parent });
    assert_eq!(signals(&[said(json!(null), "m")]), [AgentSignal::Text { text: "hi".into() }]);
    assert_eq!(signals(&[said(json!("toolu_1"), "m")]), [AgentSignal::SubagentText { text: "hi".into() }]);
    assert_eq!(signals(&[said(json!(null), "<synthetic>")]), [AgentSignal::Unknown { line_kind: "assistant/<synthetic>".into() }]);
    let called = |parent: Value| {
        let content = json!([{ "type": "tool_use", "id": "1", "name": "Edit", "input": {} }]);
        let calls =
            signals(&[json!({ "type": "assistant", "message": { "model": "m", "content": content }, "parent_tool_use_id": parent })]);
        calls.iter().any(|call| matches!(call, AgentSignal::ToolCall { of_subagent: true, .. }))
    };
    assert!(called(json!("toolu_1")) && !called(json!(null)));
    let delta =
        json!({ "type": "stream_event", "event": { "type": "content_block_delta", "delta": { "type": "text_delta", "text": "hi" } } });
    assert_eq!(signals(&[delta]), []);
}

#[test]
fn half_an_answer_is_no_end_whatever_the_result_says() {
    let event = |event: Value| json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null });
    let start = event(json!({ "type": "message_start", "message": { "id": "m1", "model": "opus", "usage": { "input_tokens": 9 } } }));
    let said = json!({ "type": "assistant", "message": { "id": "m1", "content": [{ "type": "text", "text": "<task-done/>" }] } });
    let stop = event(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 3 } }));
    let result = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "<task-done/>" });
    let end = |lines: &[Value]| match signals(lines).pop() {
        Some(AgentSignal::TurnEnded { ending, text, .. }) => (ending, text),
        other => panic!("{other:?}"),
    };
    let (ending, text) = end(&[start.clone(), said.clone(), result.clone()]);
    assert_eq!(ending, Ending::Failed);
    assert!(text.starts_with("the model's answer was cut off in the middle"), "{text}");
    assert_eq!(end(&[start.clone(), said.clone(), stop, result.clone()]).0, Ending::Completed);
    // Answered again without a stream after the first was interrupted.
    let again = json!({ "type": "assistant", "message": { "id": "m2", "content": [], "stop_reason": "end_turn", "usage": {} } });
    assert_eq!(end(&[start, said, again, result.clone()]).0, Ending::Completed);
    assert_eq!(end(&[result]).0, Ending::Completed, "an agent that streams nothing");
}
