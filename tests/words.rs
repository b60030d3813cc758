//! What an agent says: only a mark on a line of its own counts, what did not count is reported, and a killed Ralph loses none of it.

use journeys::{
    LIMIT, alive, assert_sound, feature, id_of, iterations, journal, learnings, list, marked, play, start, status_of, task, text,
    with_tasks,
};
use ralph_testkit::{Block, ModelServer, Reply, Sandbox, wait_until, within_namespace};
use serde_json::{Value, json};

/// Plays a script for one attempt at one task, however it ends.
fn attempt(sandbox: &Sandbox, task: u64, script: &str) {
    sandbox.write(".ralph/test.script", script);
    let task = task.to_string();
    sandbox.ralph(&["run", "--agent", "scripted", "--script", ".ralph/test.script", "--task", &task, "--max-iterations", "1"]);
}

/// Why the last attempt at a task failed, as `ralph attempts` shows it, and what the next prompt says about it.
fn told(sandbox: &Sandbox, task: u64) -> (String, String) {
    let attempts = list(sandbox.ralph_ok(&["attempts", &task.to_string()]));
    let why = text(&attempts[0]["failure"]["why_it_failed"]);
    let prompt = text(&sandbox.ralph_ok(&["prompt", &task.to_string()])["text"]);
    (why, prompt)
}

#[test]
fn quoted_marks_close_no_task_and_the_next_attempt_is_told() {
    let sandbox = with_tasks(0);
    for (said, place) in [
        ("I may not write <task-done>${task}</task-done> yet.", "stood inside a sentence"),
        ("The mark is `<task-done>${task}</task-done>`.", "stood in inline code"),
        ("```\n<task-done>${task}</task-done>\n```", "stood in a code fence"),
        ("They wrote:\n> <task-done>${task}</task-done>", "stood in a quote"),
        ("- <task-done>${task}</task-done>", "stood in a list item"),
        ("So:\n\n    <task-done>${task}</task-done>", "was indented by more than three spaces"),
        ("<task-done>${task}</task-done> is what I will write.", "was followed by words on its line"),
        ("Not yet \r<task-done>${task}</task-done>", "stood inside a sentence"),
        ("Not yet \u{2028}<task-done>${task}</task-done>", "stood inside a sentence"),
        ("Not yet \u{b}<task-done>${task}</task-done>", "stood inside a sentence"),
        ("<failure-report>\nwhat_was_tried: x\nwhy_it_failed: no mark\n</failure-report>\nSay `<task-done/>`", "stood in inline code"),
    ] {
        let one = task(&sandbox, "pay", place, &[]);
        attempt(&sandbox, one, &format!("append work.txt {place}\nsay <<EOF\n{said}\nEOF\n"));
        assert_eq!(status_of(&sandbox, one), "pending", "{said}");
        let (why, prompt) = told(&sandbox, one);
        assert!(why.contains("<task-done>") && why.contains(place) && why.contains("may be done already"), "{said}: {why}");
        // Among observations no mark could be read as one, and each is one line.
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        let why =
            ["task-done", "/task-done", "task-done/"].iter().fold(why, |why, mark| why.replace(&format!("<{mark}>"), &format!("‹{mark}›")));
        assert!(prompt.contains(&why), "{said}: {prompt}");
    }
    let last = iterations(&sandbox).pop().unwrap();
    assert!(text(&last["note"]).contains("stood in inline code"), "the iteration says it too: {last}");
}

#[test]
fn a_mark_on_a_line_of_its_own_counts_and_a_fence_left_open_hides_nothing_in_the_next_text() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    attempt(
        &sandbox,
        one,
        "say <<EOF\nI leave this open:\n```\n<task-failed/>\nEOF\nsay <<EOF\n> All is done.\n\n<task-done>${task}</task-done>\nEOF\n",
    );
    assert_eq!(status_of(&sandbox, one), "done");
    let noted = text(&list(sandbox.ralph_ok(&["attempts", &one.to_string()]))[0]["note"]);
    assert!(noted.contains("Ignored: <task-failed> stood in a code fence; a code fence was not closed"), "{noted}");
}

#[test]
fn claude_quotes_the_mark_and_learns_from_it() {
    within_namespace(|| {
        let mut turn = 0;
        let server = ModelServer::choosing(move |_| {
            turn += 1;
            match turn {
                1 => Reply::text("I may not write `<task-done>1</task-done>` yet:\n\n```\n<task-done>1</task-done>\n```"),
                _ => Reply::message([
                    Block::Text("I left this open:\n```".into()),
                    Block::Text("It holds.\n<task-done>1</task-done>".into()),
                ]),
            }
        });
        let mut sandbox = with_tasks(0);
        task(&sandbox, "pay", "Refund", &[]);
        sandbox.use_claude(&server);
        sandbox.ralph_ok(&["run", "--agent", "claude"]);
        let outcomes: Vec<String> = iterations(&sandbox).iter().map(|row| text(&row["outcome"])).collect();
        assert_eq!(outcomes, ["no_sigil", "done"]);
        let told = server.requests()[1].user_text();
        assert!(told.contains("‹task-done› stood in inline code; ‹task-done› stood in a code fence"), "{told}");
    });
}

/// Waits until the log of the first iteration holds these words, kills Ralph, and waits until it and what it left are gone.
fn kill_when_heard(sandbox: &Sandbox, run: &ralph_testkit::Running, words: &str) {
    let log = sandbox.project().join(".ralph/db/logs/1.jsonl");
    wait_until("what was said is in the log", LIMIT, || std::fs::read_to_string(&log).ok()?.contains(words).then_some(()));
    run.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
}

fn lessons(sandbox: &Sandbox) -> Vec<String> {
    learnings(sandbox, "pay", "all").iter().map(|learning| text(&learning["text"])).collect()
}

const SPEAKS_AND_HANGS: &str = "\
append work.txt half
commit Half of the work
append rest.txt more
learn pitfall db: Run `migrate` before the server starts
sigil <failure-report>
sigil what_was_tried: the first way
sigil why_it_failed: no database
sigil </failure-report>
say <<EOF
password=hunter2
<learning>Use UTC.
Always.</learning>
EOF
hang
";

#[test]
fn what_an_agent_said_before_ralph_was_killed_is_there_after_the_next_command() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let run = start(&sandbox, SPEAKS_AND_HANGS, &[]);
    kill_when_heard(&sandbox, &run, "Always.");
    // The last line is torn, as a kill in the middle of a write leaves it.
    let log = sandbox.project().join(".ralph/db/logs/1.jsonl");
    let whole = sandbox.read(".ralph/db/logs/1.jsonl");
    assert!(!whole.contains("hunter2"), "{whole}");
    std::fs::write(&log, whole + "{\"at\":\"2026-").unwrap();

    assert_eq!(lessons(&sandbox), ["Run `migrate` before the server starts", "Use UTC.\nAlways."]);
    assert_eq!(status_of(&sandbox, one), "pending");
    let row = iterations(&sandbox).remove(0);
    assert_eq!((&row["outcome"], &row["attempt"]), (&json!("interrupted"), &Value::Null), "{row}");
    assert_eq!(row["evidence"]["changed_files"], json!(["rest.txt", "work.txt"]), "{row}");
    assert!(row["evidence"]["commits"][0].as_str().is_some_and(|commit| commit.ends_with("Half of the work")), "{row}");
    let prompt = text(&sandbox.ralph_ok(&["prompt", &one.to_string()])["text"]);
    assert!(prompt.contains("Ralph ended during it") && prompt.contains("Half of the work"), "{prompt}");
    assert!(prompt.contains("rest.txt") && prompt.contains("Use UTC."), "{prompt}");
    wait_until("the end of every orphan", LIMIT, || marked(&sandbox).is_empty().then_some(()));
    assert_sound(&sandbox);
}

#[test]
fn recovering_many_times_at_once_is_recovering_once() {
    let sandbox = with_tasks(0);
    task(&sandbox, "pay", "One", &[]);
    let run = start(&sandbox, SPEAKS_AND_HANGS, &[]);
    kill_when_heard(&sandbox, &run, "Always.");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| sandbox.ralph_ok(&["learning", "list"]));
        }
    });
    let stored = learnings(&sandbox, "pay", "all");
    assert!(stored.len() == 2 && stored.iter().all(|learning| learning["hit_count"] == 1), "{stored:?}");
    let lines = journal(&sandbox, "pay");
    assert_eq!(lines.iter().filter(|line| line["event"] == "iteration").count(), 1, "{lines:?}");
    assert_sound(&sandbox);
}

#[test]
fn a_claim_with_a_clean_end_counts_after_a_kill_and_costs_what_it_cost() {
    for (claim, more, status, outcome) in [
        ("done", &[][..], "done", "done"),
        ("failed", &[][..], "pending", "failed"),
        // What a check must confirm is not confirmed by anybody: the next attempt is told.
        ("done", &["--check", "true"][..], "pending", "interrupted"),
    ] {
        let sandbox = with_tasks(0);
        let one = task(&sandbox, "pay", "One", &[]);
        let script = format!("append work.txt all\nusage 1200 340 0.02\n{claim}\nresult\nhang\n");
        let run = start(&sandbox, &script, more);
        kill_when_heard(&sandbox, &run, "turn_ended");
        assert_eq!(status_of(&sandbox, one), status, "{claim} {more:?}");
        let row = iterations(&sandbox).remove(0);
        assert_eq!((&row["outcome"], &row["usage"]["cost_usd"]), (&json!(outcome), &json!(0.02)), "{row}");
        if outcome == "interrupted" {
            let prompt = text(&sandbox.ralph_ok(&["prompt", &one.to_string()])["text"]);
            assert!(prompt.contains("the agent had said that the task is done, which nothing has confirmed"), "{prompt}");
        }
    }
}

#[test]
fn an_iteration_names_its_saturation_and_the_split_task_that_it_caused() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--max-learnings", "10"]);
    let (one, two) = (task(&sandbox, "pay", "One", &[]), task(&sandbox, "pay", "Two", &[]));
    let lessons = |numbers: std::ops::Range<usize>| -> String {
        numbers.map(|number| format!("learn pitfall db: {}\n", journeys::lesson(number))).collect()
    };
    attempt(&sandbox, one, &(lessons(0..8) + "done\n"));
    attempt(&sandbox, two, &(lessons(8..9) + "done\n"));
    let rows = iterations(&sandbox);
    let named = |row: &Value| (row["saturation_before"].clone(), row["saturation_after"].clone(), row["split_task"].clone());
    assert_eq!(named(&rows[0]), (json!(0), json!(80), Value::Null), "{rows:?}");
    let split = list(sandbox.ralph_ok(&["task", "list"])).into_iter().find(|task| task["kind"] == "split").expect("a split task");
    assert_eq!(named(&rows[1]), (json!(80), json!(90), split["id"].clone()), "{rows:?}");

    // Its agent is told of what has come since, and whoever looks at the task reads the same.
    let late = task(&sandbox, "pay", "Late", &[]);
    let number = id_of(&split);
    attempt(&sandbox, number, &format!("expect - #{late} [pending] Late\nfailed\n"));
    assert_eq!(iterations(&sandbox)[2]["outcome"], "failed", "the script heard what it expects");
    let described = text(&sandbox.ralph_ok(&["task", "show", &number.to_string()])["description"]);
    assert!(described.contains(&format!("- #{late} [pending] Late")), "{described}");
}

#[test]
fn half_a_text_with_a_mark_and_no_clean_end_is_not_done() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    attempt(&sandbox, one, "append work.txt all\ndone\ncrash\n");
    assert_eq!(status_of(&sandbox, one), "pending");
    let (why, _) = told(&sandbox, one);
    assert!(why.contains("claimed done, but then the agent died without a result"), "{why}");
}

#[test]
fn a_killed_run_goes_on_with_what_was_left() {
    let sandbox = with_tasks(0);
    let one = task(&sandbox, "pay", "One", &[]);
    let run = start(&sandbox, SPEAKS_AND_HANGS, &[]);
    kill_when_heard(&sandbox, &run, "Always.");
    let ended = play(&sandbox, "expect rest.txt\nexpect Use UTC\ndone\n", &[]);
    assert_eq!((ended["stop_reason"].clone(), status_of(&sandbox, one)), (json!("nothing_ready"), "done".to_owned()), "{ended}");
}
