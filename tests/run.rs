//! The loop with the scripted agent: order, settling, limits, evidence, prompts, and what hostile output does.

use journeys::{
    LIMIT, assert_sound, feature, id_of, iterations, learn, learnings, list, plain, play, prompt, refused, scripted, start, status_of,
    task, text, with_tasks,
};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::{Value, json};

const DONE: &str = "say Working on ${title}.\ndone\n";

fn outcomes(sandbox: &Sandbox) -> Vec<(u64, String)> {
    iterations(sandbox).iter().map(|row| (row["task"].as_u64().expect("the number of its task"), text(&row["outcome"]))).collect()
}

fn log(sandbox: &Sandbox, iteration: u64) -> String {
    sandbox.read(format!(".ralph/db/logs/{iteration}.jsonl"))
}

#[test]
fn tasks_are_taken_by_priority_then_place_and_after_what_they_depend_on() {
    let sandbox = with_tasks(0);
    let low = task(&sandbox, "pay", "Low", &["--priority", "low"]);
    let second = task(&sandbox, "pay", "Second", &[]);
    let waits = task(&sandbox, "pay", "Waits", &["--priority", "critical", "--depends-on", &low.to_string()]);
    let high = task(&sandbox, "pay", "High", &["--priority", "high"]);
    let first = task(&sandbox, "pay", "First", &[]);
    sandbox.ralph_ok(&["task", "update", &first.to_string(), "--before", &second.to_string()]);
    let draft = task(&sandbox, "pay", "Draft", &["--status", "draft", "--priority", "critical"]);
    let run = play(&sandbox, DONE, &[]);
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&json!("nothing_ready"), &json!(5)), "{run}");
    let order = iterations(&sandbox).iter().map(|row| row["task"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(order, [high, first, second, low, waits]);
    assert_eq!(status_of(&sandbox, draft), "draft");
}

#[test]
fn a_failed_task_is_ready_again_at_once_and_a_person_is_asked_after_five_failures() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &["--priority", "high"]);
    let two = task(&sandbox, "pay", "Two", &[]);
    let script = "\
[task \"One\" attempt 1]
sigil <failure-report>
sigil what_was_tried: the first way
sigil why_it_failed: no database
sigil </failure-report>
failed

[task \"One\"]
expect no database
done

[task \"Two\"]
append two.txt Attempt ${attempt}.
say I say nothing about the task.
";
    let run = play(&sandbox, script, &[]);
    assert_eq!(run["stop_reason"], "nothing_ready", "{run}");
    let two_fails = std::iter::repeat_n((two, "no_sigil".to_owned()), 5);
    let expected = [(one, "failed".to_owned()), (one, "done".to_owned())].into_iter().chain(two_fails).collect::<Vec<_>>();
    assert_eq!(outcomes(&sandbox), expected);
    let shown = sandbox.ralph_ok(&["task", "show", &two.to_string()]);
    assert_eq!((&shown["status"], &shown["readiness"]), (&json!("blocked"), &json!("needs_person")));
    assert!(text(&shown["blocked_reason"]).contains("needs a person"), "{shown}");
    let asked = list(sandbox.ralph_ok(&["status"])["needs_you"].take());
    assert_eq!((&asked[0]["kind"], &asked[0]["task"]), (&json!("blocked_task"), &json!(two)));
    // A person's word makes it ready again, with five attempts of its own.
    sandbox.ralph_ok(&["task", "update", &two.to_string(), "--status", "pending"]);
    play(&sandbox, DONE, &[]);
    assert_eq!(status_of(&sandbox, two), "done");
}

#[test]
fn a_limit_ends_the_run_and_is_no_error() {
    let sandbox = with_tasks(0);
    for number in 1..=4 {
        task(&sandbox, "pay", &format!("Task {number}"), &[]);
    }
    let run = play(&sandbox, DONE, &["--max-iterations", "1"]);
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&json!("max_iterations"), &json!(1)), "{run}");
    let run = play(&sandbox, "usage 1200 340 0.5\ndone\n", &["--max-usd", "0.8"]);
    assert_eq!((&run["stop_reason"], &run["iterations"], &run["cost_usd"]), (&json!("max_usd"), &json!(2), &json!(1.0)), "{run}");
    let usage = iterations(&sandbox)[1]["usage"].clone();
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"], &usage["cost_usd"]), (&json!(1200), &json!(340), &json!(0.5)));
    let run = play(&sandbox, DONE, &["--task", "4"]);
    assert_eq!((&run["stop_reason"], &run["task"]), (&json!("nothing_ready"), &json!(4)), "{run}");
    assert_eq!(outcomes(&sandbox).last(), Some(&(4, "done".to_owned())));
    assert_eq!(play(&sandbox, DONE, &[])["iterations"], 0, "nothing is ready, and that is not an error");
}

#[test]
fn the_exit_code_is_zero_only_when_nothing_was_left_wrong() {
    let half = "[task \"Task 1\"]\ndone\n\n[*]\nappend tried.txt Attempt ${attempt}.\nfailed\n";
    for (script, tasks, more, code, result) in [
        (DONE, 1, &[][..], 0, "done"),
        (DONE, 1, &["--max-iterations", "1"], 0, "done"),
        (DONE, 2, &["--max-iterations", "1"], 5, "limit"),
        ("failed\n", 1, &["--max-iterations", "1"], 7, "all_failed"),
        (half, 2, &[], 4, "needs_you"),
        ("say I look around.\n", 1, &[], 3, "stalled"),
        ("ends authentication Invalid API key 7\n", 1, &[], 6, "trouble"),
    ] {
        let sandbox = with_tasks(0);
        for number in 1..=tasks {
            task(&sandbox, "pay", &format!("Task {number}"), &[]);
        }
        let output = sandbox.ralph(&scripted(&sandbox, script, more));
        assert_eq!((output.status.code(), &output.json()["result"]), (Some(code), &json!(result)), "{script}: {output:?}");
        let last = sandbox.ralph_ok(&["status"])["last_run"].take();
        assert_eq!(last["result"], result, "{last}");
        if result == "trouble" {
            assert_eq!(output.error()["code"], "authentication", "{output:?}");
        }
        if result == "needs_you" {
            assert_eq!((output.json()["needs_you"][0]["task"].clone(), status_of(&sandbox, 2)), (json!(2), "blocked".to_owned()));
            let again = sandbox.ralph(&scripted(&sandbox, DONE, &[]));
            assert_eq!((again.status.code(), &again.json()["iterations"]), (Some(4), &json!(0)), "it still waits for a person");
        }
    }
    let help = plain(&with_tasks(0), &["run", "--help"]).stdout;
    for (code, word) in
        [(0, "done"), (3, "stalled"), (4, "needs_you"), (5, "limit"), (6, "trouble"), (7, "all_failed"), (130, "interrupted")]
    {
        assert!(help.lines().any(|line| line.split_whitespace().take(2).eq([code.to_string().as_str(), word])), "{code} {word}: {help}");
    }
}

#[test]
fn a_task_that_nothing_will_make_ready_is_no_good_end() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let two = task(&sandbox, "pay", "Two", &["--depends-on", &one.to_string()]);
    let early = refused(&sandbox.ralph(&scripted(&sandbox, DONE, &["--task", &two.to_string()])), "invalid");
    assert_eq!(early["message"], format!("task: #{two} waits for #{one}"), "{early}");
    sandbox.ralph_ok(&["task", "update", &one.to_string(), "--status", "failed"]);
    let output = sandbox.ralph(&scripted(&sandbox, DONE, &[]));
    assert_eq!((output.status.code(), &output.json()["result"]), (Some(4), &json!("needs_you")), "{output:?}");
    let asked = &output.json()["needs_you"][0];
    let since = &asked["since"];
    let told = json!({"kind": "stranded_task", "task": two, "title": "Two", "feature": "pay", "waiting_on": [one], "since": since});
    assert_eq!((asked, text(since).is_empty()), (&told, false));
    let status = plain(&sandbox, &["status"]).stdout;
    assert!(status.contains("needs you: #2 Two can't become ready: it waits for #1, given up"), "{status}");
    let update = format!("task update {two} --depends-on");
    assert!(status.contains(&update), "the way out stands below: {status}");
    sandbox.ralph_ok(&["task", "update", &two.to_string(), "--depends-on", ""]);
    assert_eq!(sandbox.ralph_ok(&scripted(&sandbox, DONE, &[]))["result"], "done");
}

#[test]
fn the_terminal_tells_waits_failures_and_what_needs_a_person() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "One", &["--priority", "high"]);
    task(&sandbox, "pay", "Two", &[]);
    let script = "[iteration 1]\nrate-limit 1\n\n[task \"One\"]\ndone\n\n[task \"Two\"]\nappend two.txt Attempt ${attempt}.\nends failed The model is overworked\n";
    let told = plain(&sandbox, &scripted(&sandbox, script, &[])).stdout;
    for part in [
        "── waiting until ",
        " UTC: waits for a usage limit to end\n── goes on\n",
        "  ✗ failed: The model is overworked\n",
        "needs_you: a blocked or stranded task, work that could not be merged, or a notice waits for your decision\n",
        "  needs you: #2 Two is blocked: ",
        "→ ralph attempts 2, then ralph task put-back 2 --answer …",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let status = plain(&sandbox, &["status"]).stdout;
    assert!(status.contains("the last one: run 1 ended (nothing_ready) after ") && status.contains("(needs_you)"), "{status}");
    assert!(status.contains("1 needs you") && status.contains("needs you: #2 Two is blocked: "), "{status}");
    sandbox.ralph_ok(&["task", "comment", "2", "Ask Ada first"]);
    let shown = plain(&sandbox, &["task", "show", "2"]).stdout;
    assert!(["#2 Two\n", "blocked: ", ": Ask Ada first\n", "with opus: error: "].iter().all(|part| shown.contains(part)), "{shown}");
}

#[test]
fn the_status_of_a_run_says_why_how_long_and_for_how_much() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "One", &[]);
    let run = start(&sandbox, "[iteration 1]\nusage 10 10 0.25\nrate-limit 30\n", &[]);
    let told = wait_until("the run waits", LIMIT, || {
        let told = plain(&sandbox, &["status"]).stdout;
        told.contains("run 1 is waiting until ").then_some(told)
    });
    assert!(told.contains(" UTC: waits for a usage limit to end; iteration 1, ") && told.contains(" so far"), "{told}");
    sandbox.ralph_ok(&["stop"]);
    assert_eq!(run.wait(LIMIT).status.code(), Some(130), "stopped at once");
}

#[test]
fn the_minutes_of_a_run_end_an_agent_that_hangs() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let run = play(&sandbox, "hang\n", &["--max-minutes", "1"]);
    assert_eq!(run["stop_reason"], "max_minutes", "{run}");
    assert_eq!((status_of(&sandbox, one), outcomes(&sandbox)), ("pending".to_owned(), vec![(one, "stopped".to_owned())]));
}

#[test]
fn done_means_that_the_check_passed() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let script = "\
[attempt 1]
done

[attempt 2]
expect no file
edit made.txt <<EOF
made
EOF
done
";
    let run = play(&sandbox, script, &["--check", "test -f made.txt || { echo no file; exit 7; }"]);
    assert_eq!(run["stop_reason"], "nothing_ready", "{run}");
    assert_eq!(outcomes(&sandbox), [(one, "failed".to_owned()), (one, "done".to_owned())]);
    let rows = iterations(&sandbox);
    let (first, second) = (&rows[0]["evidence"]["check"], &rows[1]["evidence"]["check"]);
    assert_eq!((&first["passed"], &first["exit_code"], &second["passed"]), (&json!(false), &json!(7), &json!(true)));
    assert_eq!(first["output_tail"], "no file\n");
}

#[test]
fn evidence_learnings_and_prompts_are_kept() {
    let sandbox = with_tasks(0);
    let known = learn(&sandbox, "pay", "Refunds use the provider's clock", &["--source", "agent"]);
    let other = feature(&sandbox, "search", &[]);
    learn(&sandbox, "search", "The index is rebuilt at night", &[]);
    let one = task(&sandbox, "pay", "Refund in full", &["--description", "Every cent.", "--discipline", "backend"]);
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let script = format!(
        "\
expect Refund in full
expect Every cent.
expect Refunds use the provider's clock
say The token is {secret}.
edit src/refund.rs <<EOF
// refunds
EOF
commit Refund in full
edit notes.txt <<EOF
not committed
EOF
learn gotcha refunds, db: The refund table has no index on the order number.
mcp append_feature_learning {{\"feature\": \"pay\", \"text\": \"The test database listens on port 5433.\"}}
done
"
    );
    sandbox.write("dirty.txt", "a dirty tree is allowed");
    play(&sandbox, &script, &[]);
    let row = iterations(&sandbox).remove(0);
    assert_eq!((&row["outcome"], &row["attempt"], &row["exit_code"]), (&json!("done"), &json!(1), &json!(0)), "{row}");
    let evidence = &row["evidence"];
    assert!(list(evidence["commits"].clone()).iter().any(|commit| text(commit).ends_with("Refund in full")), "{evidence}");
    let files = list(evidence["changed_files"].clone());
    assert!(files.contains(&json!("src/refund.rs")) && files.contains(&json!("notes.txt")), "{evidence}");
    assert!(files.iter().all(|file| !text(file).starts_with(".ralph/")), "{evidence}");

    let told: Vec<Value> = list(row["told"].clone());
    assert_eq!(told.iter().map(|told| (&told["kind"], &told["id"])).collect::<Vec<_>>(), [(&json!("learning"), &known["id"])]);
    let asked = prompt(&sandbox, id_of(&row));
    assert!(asked.contains("Refunds use the provider's clock") && !asked.contains("index is rebuilt"), "{asked}");
    assert_eq!(id_of(&other), 2);
    let all = learnings(&sandbox, "pay", "active");
    let told = all.iter().find(|learning| learning["id"] == known["id"]).unwrap();
    assert!(told["last_used"].is_string(), "{told}");
    let of = |source: &str| all.iter().find(|l| l["source"] == source && l["task_id"] == one && l["iteration"] == row["id"]).cloned();
    assert_eq!(of("agent").unwrap()["text"], "The test database listens on port 5433.");
    let harvested = of("auto").unwrap();
    assert_eq!((&harvested["category"], &harvested["tags"]), (&json!("gotcha"), &json!(["refunds", "db"])));
    assert!(!log(&sandbox, id_of(&row)).contains(&secret), "secrets do not reach the log");
    assert_sound(&sandbox);
}

#[test]
fn done_by_mcp_is_a_signal_that_the_loop_settles() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let script = "\
mcp update_task {\"id\": ${task}, \"status\": \"done\"}
say It is ${mcp.status}: ${mcp.note}
mcp get_task {\"id\": ${task}}
say Still ${mcp.status}.
";
    play(&sandbox, script, &["--check", "false", "--max-iterations", "1"]);
    assert_eq!(outcomes(&sandbox), [(one, "failed".to_owned())], "the check rules, not the word");
    assert_eq!(status_of(&sandbox, one), "pending");
    assert!(log(&sandbox, 1).contains("Still in_progress."), "{}", log(&sandbox, 1));
    play(&sandbox, script, &["--max-iterations", "1"]);
    assert_eq!(status_of(&sandbox, one), "done");
}

/// A run whose agent, as Codex, fails its turn with `message`.
#[cfg(unix)]
fn start_failing(sandbox: &Sandbox, message: &str) -> ralph_testkit::Running {
    sandbox.write("answer", &format!("{}\n", json!({"type": "turn.failed", "error": {"message": message}})));
    let agent = "#!/bin/sh\ncase \"$*\" in *--version*) echo codex-cli 0.169.0; exit;; esac\ncat > /dev/null\ncat answer\nexit 1\n";
    sandbox.write("agent.sh", agent);
    sandbox.run(sandbox.command("chmod").args(["+x", "agent.sh"]));
    ralph_testkit::Running::start(&mut sandbox.ralph_command(&["run", "--agent", "codex", "--agent-path", "./agent.sh"]), None)
}

#[cfg(unix)]
#[test]
fn a_run_waits_for_as_long_as_its_agent_says_in_words() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "One", &[]);
    let run = start_failing(&sandbox, "You've hit your usage limit. Upgrade to Pro or try again in 2 days 3 hours.");
    let waiting = wait_until("the run waits", LIMIT, || {
        let active = sandbox.ralph_ok(&["status"])["active_run"].take();
        (active["state"] == "waiting").then_some(active)
    });
    let day = |field: &str| text(&waiting[field])[.."2026-11-27".len()].to_owned();
    assert_ne!(day("waiting_until"), day("started"), "two days later: {waiting}");
    assert_eq!(waiting["note"], "waits for a usage limit to end", "{waiting}");
    sandbox.ralph_ok(&["stop"]);
    assert_eq!(run.wait(LIMIT).status.code(), Some(130));
}

#[cfg(unix)]
#[test]
fn a_login_that_is_over_ends_the_run_and_takes_no_attempt() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let message = "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.";
    assert_eq!(start_failing(&sandbox, message).wait(LIMIT).status.code(), Some(6));
    assert_eq!((outcomes(&sandbox), status_of(&sandbox, one)), (vec![(one, "authentication".to_owned())], "pending".to_owned()));
}

#[test]
fn a_usage_limit_is_waited_for_and_is_no_attempt() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let run = start(&sandbox, "[iteration 1]\nrate-limit 2\n\n[*]\ndone\n", &[]);
    let waiting = wait_until("the run waits", LIMIT, || {
        let active = sandbox.ralph_ok(&["status"])["active_run"].take();
        (active["state"] == "waiting").then_some(active)
    });
    assert!(waiting["waiting_until"].is_string() && text(&waiting["note"]).contains("limit"), "{waiting}");
    assert_eq!(status_of(&sandbox, one), "pending", "the task is free while the run waits");
    let run = run.wait(LIMIT).json();
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&json!("nothing_ready"), &json!(2)), "{run}");
    assert_eq!(outcomes(&sandbox), [(one, "rate_limited".to_owned()), (one, "done".to_owned())]);
    let attempts = iterations(&sandbox).iter().map(|row| row["attempt"].clone()).collect::<Vec<_>>();
    assert_eq!(attempts, [Value::Null, json!(1)]);
}

#[test]
fn events_are_lines_of_json() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "One", &[]);
    let output = sandbox.ralph(&scripted(&sandbox, "say Hello.\ndone\n", &["--jsonl"]));
    assert!(output.status.success(), "{output:?}");
    let lines = output.json_lines();
    let kinds = lines.iter().map(|line| text(&line["type"])).collect::<Vec<_>>();
    assert_eq!((kinds[0].as_str(), kinds[1].as_str()), ("run_started", "iteration_started"));
    assert_eq!(kinds[kinds.len() - 2..], ["iteration_settled", "run_ended"]);
    assert!(lines.iter().any(|line| line["entry"]["signal"] == json!({"kind": "text", "text": "Hello."})), "{lines:?}");
    assert_eq!(lines.last().unwrap()["run"]["stop_reason"], "nothing_ready");
}

#[test]
fn hostile_output_and_dying_agents_are_survived() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "Garble", &[]);
    play(&sandbox, "garble 2000\nflood 100000\ndone\n", &["--task", "1"]);
    task(&sandbox, "pay", "Line", &[]);
    let line = format!("say {}\nsay after\ndone\n", "long ".repeat(2 << 20));
    play(&sandbox, &line, &["--task", "2"]);
    assert!(log(&sandbox, 2).contains("after"), "what follows the line is read");
    assert!(log(&sandbox, 2).len() < 5 << 20, "the line is cut");
    let told = sandbox.ralph_ok(&["export"])["iterations"].to_string() + &log(&sandbox, 2);
    assert!(told.contains("\"dropped\""), "and it is said how much of it");
    task(&sandbox, "pay", "Crash", &[]);
    play(&sandbox, "say half\ncrash\n", &["--task", "3", "--max-iterations", "1"]);
    task(&sandbox, "pay", "Exit", &[]);
    play(&sandbox, "exit 9\n", &["--task", "4", "--max-iterations", "1"]);
    task(&sandbox, "pay", "Typo", &[]);
    play(&sandbox, "sya hello\n", &["--task", "5", "--max-iterations", "1"]);
    let ends = outcomes(&sandbox).into_iter().map(|(_, outcome)| outcome).collect::<Vec<_>>();
    assert_eq!(ends, ["done", "done", "error", "error", "error"]);
    let note = text(&iterations(&sandbox)[4]["note"]);
    assert!(note.contains("line 1") && note.contains("sya"), "the script's fault is told: {note}");
    assert_sound(&sandbox);
}

#[test]
fn an_agent_that_is_not_there_is_named_before_anything_begins() {
    let mut sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    sandbox.write(".ralph/config.toml", "claude_path = \"tools/claude\"\n");
    sandbox.trust();
    let error = refused(&sandbox.ralph(&["run", "--agent", "claude"]), "agent_unavailable");
    assert!(text(&error["hint"]).contains("config.toml"), "{error}");
    assert_eq!(sandbox.ralph(&["run", "--agent", "claude"]).status.code(), Some(6), "trouble");
    assert!(iterations(&sandbox).is_empty());
    assert_eq!(status_of(&sandbox, one), "pending");
    sandbox.set("PATH", "/usr/bin:/bin");
    assert_eq!(play(&sandbox, DONE, &[])["stop_reason"], "nothing_ready");
}
