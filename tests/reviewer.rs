//! An agent that looks at work before the person does: what it finds is data, it changes nothing, and it sends back no more often than set.

use journeys::{LIMIT, alive, assert_sound, errands, feature, iterations, list, play, prompt, scripted, start, status_of, task, text};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::{Value, json};
use std::path::Path;

/// What both agents play: the one that works, and the one that reviews, which answers `says`.
fn script(says: &str) -> String {
    format!(
        "[told \"Look at what it changed before a person does\"]\n{says}\n\n[*]\nedit b.txt <<EOF\nattempt ${{attempt}} of ${{iteration}}\nEOF\ncommit Work\ndone\n"
    )
}

/// A project with a reviewer and one task.
fn project(settings: &str, script: &str) -> Sandbox {
    let sandbox = Sandbox::with_project();
    let ours = format!("{settings}\nreviewer = \"scripted\"\nscript = \".ralph/test.script\"");
    let keys: Vec<&str> = ours.lines().filter_map(|line| line.split(" = ").next()).collect();
    let config = sandbox.read(".ralph/config.toml");
    let kept: Vec<&str> = config.lines().filter(|line| !keys.iter().any(|key| line.starts_with(&format!("{key} = ")))).collect();
    sandbox.write(".ralph/config.toml", &format!("{ours}\n{}\n", kept.join("\n")));
    sandbox.write(".ralph/test.script", script);
    sandbox.trust();
    sandbox.write("a.txt", "a\n");
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Refund", &[]);
    sandbox.commit("a project");
    sandbox
}

fn run(sandbox: &Sandbox, script: &str) -> Value {
    play(sandbox, script, &["--worktrees", "--max-iterations", "5"])
}

/// A git that waits once, as soon as the agent has asked for that.
fn slow_git(held: &Path, real: &str) -> String {
    let held = held.display();
    format!(
        "#!/bin/sh\nif [ -e {held}/wait ]; then mv {held}/wait {held}/waits; until [ -e {held}/go ]; do sleep 0.02; done; fi\nexec {real} \"$@\"\n"
    )
}

#[test]
fn a_stop_between_the_end_of_an_agent_and_the_review_of_its_work_is_obeyed() {
    let words = script("say no findings").replace("done\n", "run touch \"$RALPH_PROJECT/.git/wait\"\ndone\n");
    let sandbox = project("review = \"auto\"", &words);
    let (held, shims) = (sandbox.project().join(".git"), sandbox.project().join(".git/shims"));
    std::fs::create_dir(&shims).unwrap();
    let real = sandbox.run(sandbox.command("sh").args(["-c", "command -v git"])).stdout;
    sandbox.write(".git/shims/git", &slow_git(&held, real.trim()));
    sandbox.run(sandbox.command("chmod").args(["+x", ".git/shims/git"]));
    let path = std::env::var("PATH").unwrap();
    let mut command = sandbox.ralph_command(&scripted(&sandbox, &words, &["--worktrees"]));
    command.env("PATH", format!("{}:{path}", shims.display()));
    let run = Running::start(&mut command, None);
    wait_until("the agent has ended", LIMIT, || held.join("waits").exists().then_some(()));
    let stop = Running::start(&mut sandbox.ralph_command(&["stop"]), None);
    wait_until("the stop is asked for", LIMIT, || (sandbox.ralph_ok(&["status"])["active_run"]["control"] == "stop_now").then_some(()));
    std::fs::write(held.join("go"), "").unwrap();
    assert_eq!(run.wait(LIMIT).json()["stop_reason"], "stopped_now");
    assert!(stop.wait(LIMIT).status.success());
    assert_eq!(errands(&sandbox), Vec::<Value>::new(), "nobody reviews after the stop");
    assert_eq!(status_of(&sandbox, 1), "in_review", "the work waits for its person");
}

#[test]
fn a_review_that_a_killed_run_owed_is_done_by_one_run_only_which_tells_of_it_and_can_be_stopped() {
    let words = script("run touch $HOME/reviews; until [ -e $HOME/go ]; do sleep 0.02; done\nsay no findings");
    let sandbox = project("review = \"auto\"", &words);
    let reviews = sandbox.home().join("reviews");
    let reviewed_by = |run: &[&str]| {
        let run = start(&sandbox, &words, run);
        wait_until("the review", LIMIT, || reviews.exists().then_some(()));
        std::fs::remove_file(&reviews).unwrap();
        run
    };
    let killed = reviewed_by(&["--worktrees"]);
    killed.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(killed.id())).then_some(()));
    for (times, begin) in [&["--worktrees"][..], &[]].into_iter().enumerate() {
        let second = reviewed_by(begin);
        let told = text(&sandbox.ralph_ok(&["status"])["active_run"]["note"]);
        assert_eq!(told, "finishes what an earlier run left: the review and the merge of #1");
        let beside = play(&sandbox, &words, &["--worktrees"]);
        assert_eq!((&beside["stop_reason"], &beside["iterations"]), (&json!("nothing_ready"), &json!(0)), "it is the other's: {beside}");
        assert_eq!(errands(&sandbox).len(), times + 2, "nobody pays twice");
        second.signal("TERM");
        assert_eq!(second.wait(LIMIT).json()["stop_reason"], "stopped_now");
        let last = &errands(&sandbox)[0];
        assert_eq!((&last["state"], &last["note"]), (&json!("stopped"), &json!("a person stopped it")), "{last}");
        assert_eq!(status_of(&sandbox, 1), "in_review", "it is owed still");
    }
    std::fs::write(sandbox.home().join("go"), "").unwrap();
    play(&sandbox, &words, &[]);
    assert_eq!(status_of(&sandbox, 1), "done");
    assert_sound(&sandbox);
}

/// A Claude that meets a usage limit for a second the first time, and then finds nothing.
const LIMITED_ONCE: &str = r#"#!/bin/sh
case "$*" in *--version*) echo "2.1.330 (Claude Code)"; exit 0;; esac
cat > /dev/null
echo '{"type":"system","subtype":"init","session_id":"s","model":"opus","tools":[],"mcp_servers":[]}'
if mkdir "$HOME/limited" 2> /dev/null; then
  echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$(($(date +%s) + 1))',"rateLimitType":"five_hour"}}'
  echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You have hit your limit","total_cost_usd":0}'
  exit 1
fi
echo '{"type":"result","subtype":"success","is_error":false,"result":"no findings","total_cost_usd":0.01}'
"#;

#[test]
fn a_review_that_met_a_usage_limit_is_done_again_and_what_depends_on_the_work_follows() {
    let words = script("");
    let sandbox = project("review = \"auto\"", &words);
    let claude = sandbox.home().join("claude");
    std::fs::write(&claude, LIMITED_ONCE).unwrap();
    sandbox.run(sandbox.command("chmod").arg("+x").arg(&claude));
    let config = sandbox.read(".ralph/config.toml").replace("reviewer = \"scripted\"", "reviewer = \"claude\"");
    sandbox.write(".ralph/config.toml", &config.replace("claude_path = \"\"", &format!("claude_path = \"{}\"", claude.display())));
    sandbox.trust();
    sandbox.commit("another reviewer");
    let above = task(&sandbox, "pay", "Invoice", &["--depends-on", "1"]);
    let ended = run(&sandbox, &words);
    assert_eq!((&ended["stop_reason"], &ended["result"]), (&json!("nothing_ready"), &json!("done")), "{ended}");
    assert_eq!((status_of(&sandbox, 1), status_of(&sandbox, above)), ("done".to_owned(), "done".to_owned()));
    let states: Vec<String> = errands(&sandbox).iter().rev().map(|errand| text(&errand["state"])).collect();
    assert_eq!(states, ["failed", "done", "done"]);
    assert_sound(&sandbox);
}

const FINDS: &str =
    "say <<END\nI read it.\nb.txt | 1 | must | rounds down\nb.txt | 0 | note | no test\nelsewhere.txt | 1 | must | no caller gets it\nEND";

#[test]
fn work_goes_back_once_with_what_was_found_and_then_waits_for_a_person() {
    let words = script(FINDS);
    let sandbox = project("review = \"auto\"", &words);
    let ended = run(&sandbox, &words);
    assert_eq!((&ended["stop_reason"], &ended["iterations"]), (&json!("nothing_ready"), &json!(2)), "{ended}");
    assert_eq!(status_of(&sandbox, 1), "in_review", "nothing that must be changed is merged by itself");
    let told = prompt(&sandbox, 2);
    assert!(told.contains("b.txt:1: rounds down") && told.contains("no test"), "{told}");
    assert!(told.contains("elsewhere.txt:1: no caller gets it"), "work can break what it did not touch: {told}");
    let kinds: Vec<Value> = errands(&sandbox).iter().map(|errand| json!([errand["kind"], errand["state"], errand["task"]])).collect();
    assert_eq!(kinds, [json!(["review", "done", 1]), json!(["review", "done", 1])]);
    let review = &sandbox.ralph_ok(&["diff", "1"])["by_agent"];
    assert_eq!(
        (&review["errand"], &review["current"], &review["sent_back"], &review["findings"]),
        (
            &json!(2),
            &json!(true),
            &json!(false),
            &json!([
                { "file": "b.txt", "line": 1, "weight": "must", "text": "rounds down" },
                { "file": "b.txt", "line": null, "weight": "note", "text": "no test" },
                { "file": "elsewhere.txt", "line": 1, "weight": "must", "text": "no caller gets it" },
            ])
        ),
        "{review}"
    );
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(status_of(&sandbox, 1), "done", "a person may merge it all the same");
    assert_sound(&sandbox);
}

#[test]
fn work_without_a_finding_is_merged_by_itself_where_the_project_says_so() {
    for (says, status) in [
        ("say no findings", "done"),
        ("say b.txt | 1 | note | fine", "done"),
        ("say I was not able to open the diff", "in_review"),
        ("say a.txt | 1 | must | the work breaks it", "in_review"),
        ("crash", "in_review"),
    ] {
        let words = script(says);
        let sandbox = project("review = \"auto\"", &words);
        run(&sandbox, &words);
        assert_eq!(status_of(&sandbox, 1), status, "{says}");
        let is_judged = status == "done" || says.contains("must");
        assert_eq!(errands(&sandbox)[0]["state"], if is_judged { "done" } else { "failed" }, "{says}");
    }
}

#[test]
fn a_reviewer_that_can_not_start_is_told_where_errands_are_and_the_work_waits() {
    let words = script("say no findings");
    let sandbox = project("review = \"auto\"\ncodex_path = \"/nowhere/codex\"", &words);
    let config = sandbox.read(".ralph/config.toml").replace("reviewer = \"scripted\"", "reviewer = \"codex\"");
    sandbox.write(".ralph/config.toml", &config);
    sandbox.trust();
    run(&sandbox, &words);
    assert_eq!(status_of(&sandbox, 1), "in_review");
    let errand = errands(&sandbox).remove(0);
    assert_eq!((&errand["kind"], &errand["state"], &errand["agent"]), (&json!("review"), &json!("failed"), &json!("codex")), "{errand}");
    assert!(text(&errand["note"]).contains("/nowhere/codex"), "{errand}");
    let shown = journeys::plain(&sandbox, &["diff", "1"]).stdout;
    assert!(shown.contains("the reviewer gave no verdict: ") && shown.contains("ralph errand show 1"), "{shown}");
}

#[test]
fn with_no_turns_the_work_waits_with_what_was_found() {
    let words = script(FINDS);
    let sandbox = project("reviewer_send_backs = 0", &words);
    let ended = run(&sandbox, &words);
    assert_eq!((&ended["iterations"], status_of(&sandbox, 1).as_str()), (&json!(1), "in_review"), "{ended}");
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["by_agent"]["findings"].as_array().map(Vec::len), Some(3));
    let shown = journeys::plain(&sandbox, &["diff", "1"]).stdout;
    assert!(shown.contains("\nthe reviewer: 3 findings\n  must b.txt:1: rounds down\n  note b.txt: no test\n"), "{shown}");
}

#[test]
fn a_reviewer_changes_nothing() {
    let acts = "run git rev-parse HEAD > ../seen; echo mine > b.txt; git add -A; git commit -qm Mine; git branch -f ralph/1-refund HEAD 2>/dev/null; true\n\
                run \"$RALPH_BIN\" -C \"$RALPH_PROJECT\" task update 1 --status done; true\nlearn gotcha x: From a reviewer\nsay no findings";
    let words = script(acts);
    let mut sandbox = project("", &words);
    let program = sandbox.ralph_command(&[]).get_program().to_owned();
    sandbox.set("RALPH_BIN", program);
    run(&sandbox, &words);
    assert_eq!((iterations(&sandbox).len(), status_of(&sandbox, 1).as_str()), (1, "in_review"));
    let rows = list(sandbox.ralph_ok(&["worktree", "list"]));
    assert_eq!(rows.iter().filter(|row| row["state"] == "in_review").count(), 1, "its own is gone: {rows:?}");
    let path = text(&rows.iter().find(|row| row["task"] == 1).expect("the work's")["path"]);
    assert_eq!(sandbox.git(&["-C", &path, "show", "ralph/1-refund:b.txt"]), "attempt 1 of 1", "the work is as it was");
    assert_eq!(sandbox.git(&["log", "--format=%s", "ralph/1-refund", "-1"]), "Work");
    assert!(!sandbox.git(&["for-each-ref", "--format=%(refname)"]).contains("/e1"), "no branch of it is left");
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list", "--state", "all"])), [] as [Value; 0]);
    assert_sound(&sandbox);
}

#[test]
fn what_a_reviewer_takes_is_the_run_s_money_and_counts_towards_its_limit() {
    for (work, limit, spent) in [("0.25", Some(0.75), 5.25), ("1", None, 1.0)] {
        let words = script("usage 10 10 5\nsay no findings").replace("[*]\n", &format!("[*]\nusage 10 10 {work}\n"));
        let sandbox = project("", &words);
        task(&sandbox, "pay", "Capture", &[]);
        let ended = play(&sandbox, &words, &["--worktrees", "--max-usd", "1"]);
        let told = (&ended["stop_reason"], &ended["iterations"], &ended["cost_usd"]);
        assert_eq!(told, (&json!("max_usd"), &json!(1), &json!(spent)), "{ended}");
        let paid: Vec<_> = errands(&sandbox).iter().map(|errand| (errand["run"].clone(), errand["max_usd"].clone())).collect();
        assert_eq!(
            paid,
            limit.map(|limit| (json!(1), json!(limit))).into_iter().collect::<Vec<_>>(),
            "nothing is ordered that can't be paid"
        );
        let insights = sandbox.ralph_ok(&["insights"]);
        assert_eq!((&insights["cost_usd"], &insights["errands_usd"]), (&json!(spent), &json!(limit.map_or(0.0, |_| 5.0))), "{insights}");
        let days = list(sandbox.ralph_ok(&["insights", "days"])["days"].clone());
        assert_eq!(days[0]["cost_usd"], json!(spent), "{days:?}");
    }
}
