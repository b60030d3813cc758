//! What automatic learning makes of a session of the real OpenCode with `ralph mcp` and no run around it.

use journeys::{LIMIT, assert_sound, feature, list, status_of, task, text};
use ralph_testkit::{LessonServer, Sandbox, Telling, wait_until, within_namespace};
use serde_json::json;

/// Two refused calls, then one that succeeds.
fn model() -> LessonServer {
    let update = |arguments| ("ralph_update_task".to_owned(), arguments);
    LessonServer::start(Telling::Calls(vec![
        update(json!({"id": 1, "status": "finished"})),
        update(json!({"id": 1, "status": "finished"})),
        update(json!({"id": 1, "status": "blocked", "blocked_reason": "waits for a key"})),
    ]))
}

#[test]
fn a_session_of_opencode_is_learnt_from_without_a_run_and_not_where_it_is_off() {
    within_namespace(|| {
        for (enabled, expected) in [(true, 1), (false, 0)] {
            let sandbox = Sandbox::with_project();
            feature(&sandbox, "pay", &[]);
            task(&sandbox, "pay", "Refund", &[]);
            let config = sandbox.read(".ralph/config.toml");
            sandbox.write(".ralph/config.toml", &config.replace("\nenabled = true", &format!("\nenabled = {enabled}")));
            let server = model();
            let output = sandbox.run(&mut sandbox.opencode(&server, "Block task 1, it waits for a key"));
            assert!(output.status.success(), "{}\n{}", output.stdout, output.stderr);
            assert_eq!(status_of(&sandbox, 1), "blocked", "{}", output.stdout);
            let found = || sandbox.ralph_ok(&["learn", "status"])["detected"]["mended_failure"].as_u64().unwrap_or_default();
            if expected > 0 {
                wait_until("the calls were heard", LIMIT, || (found() == expected).then_some(()));
            }
            // OpenCode may have ended the server before it settled.
            sandbox.ralph_ok(&["learn", "settle"]);
            let episodes = list(sandbox.ralph_ok(&["episodes"]));
            let lessons: Vec<String> = episodes.iter().map(|episode| text(&episode["lesson"])).collect();
            assert_eq!(lessons.len() as u64, expected, "{lessons:?}");
            assert!(lessons.iter().all(|lesson| lesson.starts_with("update_task failed 2 times (status: \"finished\" is not accepted)")));
            assert_eq!(found(), expected);
            assert_sound(&sandbox);
        }
    });
}
