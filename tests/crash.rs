//! Killed writers and runs, full disks: after reopening nothing acknowledged is missing, and everything agrees.

use journeys::{
    LIMIT, McpClient, Seeded, alive, assert_sound, committed_with_tasks, feature, iterations, journal, learn, learnings, lesson, list,
    marked, project_with, scripted, soak, spin, start, status_of, task, text, told,
};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Moments at which the writer is killed; `RALPH_SOAK_WRITER_KILLS` tries more of them.
const KILLS: u64 = 25;
/// Calls that lie before the writer, so that it is always at work.
const AHEAD: u64 = 12;

/// Takes ids that a writer acknowledged: stored or parked.
fn acknowledge(acknowledged: &mut BTreeSet<String>, answer: &Value) {
    match told(answer) {
        Ok(answer) => acknowledged.insert(text(&answer["id"])),
        Err(error) => panic!("no append may fail here: {error}"),
    };
}

#[test]
fn a_writer_killed_at_any_moment_loses_nothing_acknowledged() {
    let kills = soak("RALPH_SOAK_WRITER_KILLS", KILLS);
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &["--max-learnings", "30"]);
    let (mut seeded, mut acknowledged, mut number) = (Seeded::new(20_261_121), BTreeSet::new(), 0);
    let (mut interrupted, mut caught_up) = (0, 0);
    for round in 0..kills {
        let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp"]));
        for _ in 0..AHEAD {
            number += 1;
            // Every third repeats an earlier lesson, so that observations are among what is interrupted.
            let lesson = lesson(if number % 3 == 0 { number / 2 } else { number });
            client.send_call("append_feature_learning", &json!({"feature": "pay", "text": lesson}));
        }
        let answers = seeded.below(AHEAD);
        for _ in 0..answers {
            acknowledge(&mut acknowledged, &client.answer().expect("an answer before the kill"));
        }
        spin(seeded.below(6_000));
        let late = client.kill();
        late.iter().for_each(|answer| acknowledge(&mut acknowledged, answer));
        interrupted += u64::from(answers + (late.len() as u64) < AHEAD);

        let before = sandbox.read(".ralph/db/memory/pay.jsonl").len();
        let stored: BTreeSet<String> = learnings(&sandbox, "pay", "all").iter().map(|learning| text(&learning["id"])).collect();
        caught_up += u64::from(sandbox.read(".ralph/db/memory/pay.jsonl").len() > before);
        let missing = acknowledged.difference(&stored).collect::<Vec<_>>();
        assert!(missing.is_empty(), "round {round}: {missing:?} were acknowledged and are gone");
        assert_sound(&sandbox);
    }
    eprintln!(
        "{interrupted} of {kills} kills met the writer at work; {caught_up} left events that the next opening brought to the journal"
    );
    assert!(interrupted > kills / 2, "the kills must meet the writer at work");
    let ids = journal(&sandbox, "pay").iter().map(|line| text(&line["id"])).collect::<Vec<_>>();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no event stands in the journal twice");
    let before = learnings(&sandbox, "pay", "all");
    sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(learnings(&sandbox, "pay", "all"), before);
    assert_sound(&sandbox);
}

#[test]
fn events_that_can_not_reach_the_journal_wait_for_it() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    learn(&sandbox, "pay", &lesson(1), &[]);
    let memory = sandbox.project().join(".ralph/db/memory");
    let (path, aside) = (memory.join("pay.jsonl"), memory.join("aside"));
    // A folder stands where the journal should be.
    std::fs::rename(&path, &aside).unwrap();
    std::fs::create_dir(&path).unwrap();
    let kept = learn(&sandbox, "pay", &lesson(2), &[]);
    let doctor = sandbox.ralph(&["doctor"]);
    assert!(!doctor.status.success() && doctor.stdout.contains("pay.jsonl is a folder"), "the reason is told: {doctor:?}");
    std::fs::remove_dir(&path).unwrap();
    std::fs::rename(&aside, &path).unwrap();
    assert_sound(&sandbox);
    assert!(journal(&sandbox, "pay").iter().any(|line| line["learning"]["id"] == kept["id"]));
}

#[test]
fn a_line_torn_while_it_was_written_is_written_again_whole() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let path = sandbox.project().join(".ralph/db/memory/pay.jsonl");
    let before = std::fs::read(&path).unwrap();
    // The writer dies after its commit: the line waits in the database.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let kept = learn(&sandbox, "pay", &lesson(1), &[]);
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, &before).unwrap();
    // A copy of the project shows what the line looks like; half of it is what the disk had taken.
    let copy = sandbox.home().join("copy");
    sandbox.run(sandbox.command("cp").args(["-r", ".", copy.to_str().unwrap()]));
    sandbox.ralph_ok(&["status", "-C", copy.to_str().unwrap()]);
    let whole = std::fs::read(copy.join(".ralph/db/memory/pay.jsonl")).unwrap();
    assert!(whole.len() > before.len() && whole.starts_with(&before));
    std::fs::write(&path, &whole[..before.len() + (whole.len() - before.len()) / 2]).unwrap();

    learn(&sandbox, "pay", &lesson(2), &[]);
    let rebuilt = sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(list(rebuilt["skipped"].clone()).len(), 1, "the torn line is told: {rebuilt}");
    let stored = learnings(&sandbox, "pay", "all");
    assert_eq!(stored.len(), 2, "and nothing is lost: {stored:?}");
    assert_eq!(stored[0]["id"], kept["id"]);
}

#[test]
fn a_torn_last_line_is_skipped_and_told() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    learn(&sandbox, "pay", &lesson(1), &[]);
    let path = sandbox.project().join(".ralph/db/memory/pay.jsonl");
    let complete = std::fs::read(&path).unwrap();
    std::fs::write(&path, &complete[..complete.len() - 40]).unwrap();
    let output = sandbox.ralph(&["doctor"]);
    assert!(!output.status.success() && output.json()["ok"] == false, "the database knows more than the journal: {output:?}");
    learn(&sandbox, "pay", &lesson(2), &[]);
    let last = sandbox.read(".ralph/db/memory/pay.jsonl").lines().next_back().map(serde_json::from_str::<Value>);
    assert!(matches!(last, Some(Ok(_))), "the next line begins on a line of its own: {last:?}");
    let rebuilt = sandbox.ralph_ok(&["rebuild"]);
    assert_eq!(list(rebuilt["skipped"].clone()).len(), 1, "{rebuilt}");
    assert_eq!(rebuilt["written_back"], 1, "what the file lost, the database still knows: {rebuilt}");
    assert_eq!(learnings(&sandbox, "pay", "all").len(), 2);
}

const HANGS: &str = "\
[task \"Quick\"]
edit quick.txt <<EOF
done
EOF
commit Quick
done

[task \"Slow\" attempt 1 iteration 2]
run setsid sh -c 'trap \"\" TERM INT; touch started; exec tail -f /dev/null' >/dev/null 2>&1 &
say working
hang

[*]
say again
done
";

#[test]
fn a_killed_run_frees_its_task_and_what_was_settled_stays() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let quick = task(&sandbox, "pay", "Quick", &["--priority", "high"]);
    let slow = task(&sandbox, "pay", "Slow", &[]);
    let run = start(&sandbox, HANGS, &[]);
    wait_until("the second iteration at work", LIMIT, || sandbox.project().join("started").exists().then_some(()));
    let left = marked(&sandbox);
    assert!(left.len() >= 2, "the agent and its child carry the run's mark: {left:?}");
    run.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
    assert!(left.iter().any(|(pid, _)| alive(*pid)), "kill -9 leaves them: {left:?}");

    let status = sandbox.ralph_ok(&["status"]);
    assert_eq!(status["active_run"], Value::Null, "{status}");
    assert_eq!((status_of(&sandbox, quick), status_of(&sandbox, slow)), ("done".to_owned(), "pending".to_owned()));
    wait_until("the end of every orphan", LIMIT, || marked(&sandbox).is_empty().then_some(()));
    let cut = iterations(&sandbox).pop().unwrap();
    assert_eq!((&cut["outcome"], &cut["attempt"]), (&json!("interrupted"), &Value::Null), "no attempt: {cut}");

    let again = journeys::play(&sandbox, HANGS, &[]);
    assert_eq!(
        (&again["stop_reason"], &again["iterations"]),
        (&json!("nothing_ready"), &json!(1)),
        "settled work is not done again: {again}"
    );
    assert_eq!(status_of(&sandbox, slow), "done");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD", "--", "quick.txt"]), "1");
    assert_sound(&sandbox);
}

#[test]
fn what_an_agent_did_before_the_kill_is_told_and_held_as_somebody_s() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Slow", &[]);
    sandbox.commit("Start");
    sandbox.git(&["branch", "side"]);
    sandbox.git(&["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "On main"]);
    let tip = sandbox.git(&["rev-parse", "HEAD"]);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        std::fs::write(sandbox.project().join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt")), "mine\n").unwrap();
    }
    sandbox.write("mine.txt", "mine\n");
    let script = "[*]\nrun rm mine.txt; git reset -q --hard HEAD~1; touch .ralph/began\nhang\n";
    let run = start(&sandbox, script, &["--in-place"]);
    wait_until("the agent at work", LIMIT, || sandbox.project().join(".ralph/began").exists().then_some(()));
    run.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
    sandbox.ralph_ok(&["status"]);
    let notices = list(sandbox.ralph_ok(&["notice", "list"]));
    let [harm] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(text(&harm["title"]).contains("or a person since: branch 'main' was set back"), "{harm}");
    assert!(text(&harm["detail"]).contains("uncommitted work is gone: mine.txt\n  → ralph snapshot restore 1"), "{harm}");
    assert_eq!(sandbox.git(&["rev-parse", &format!("refs/ralph/held/{tip}")]), tip);
    wait_until("the end of every orphan", LIMIT, || marked(&sandbox).is_empty().then_some(()));
}

/// Works, teaches and claims to be done; where it is played again it does and says the same.
const TEACHES: &str = "\
[*]
edit work.txt <<EOF
done
EOF
learn pitfall db: Run `migrate` before the server starts
done
";

#[test]
fn a_run_killed_between_the_agent_s_end_and_the_commit_settles_the_iteration_once() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let task = task(&sandbox, "pay", "Work", &[]);
    // The check runs after the agent ended and before anything of the iteration is committed; this one never lets it come to that.
    let run = start(&sandbox, TEACHES, &["--check", "touch .ralph/checking; exec tail -f /dev/null"]);
    wait_until("the check at work", LIMIT, || sandbox.project().join(".ralph/checking").exists().then_some(()));
    run.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
    sandbox.ralph_ok(&["status"]);
    assert_eq!((iterations(&sandbox)[0]["outcome"].clone(), status_of(&sandbox, task)), (json!("interrupted"), "pending".to_owned()));
    assert_eq!(learnings(&sandbox, "pay", "all").len(), 1, "what the agent said is not lost");
    wait_until("the end of the check", LIMIT, || marked(&sandbox).is_empty().then_some(()));

    let again = journeys::play(&sandbox, TEACHES, &["--check", "test -f work.txt"]);
    assert_eq!((&again["stop_reason"], &again["iterations"]), (&json!("nothing_ready"), &json!(1)), "{again}");
    let rows = iterations(&sandbox);
    let settled: Vec<_> = rows.iter().map(|row| (row["outcome"].clone(), row["attempt"].clone())).collect();
    assert_eq!(settled, [(json!("interrupted"), Value::Null), (json!("done"), json!(1))], "the cut one is not an attempt");
    assert_eq!(status_of(&sandbox, task), "done");
    let stored = learnings(&sandbox, "pay", "all");
    assert_eq!((stored.len(), &stored[0]["hit_count"], &stored[0]["iteration"]), (1, &json!(2), &rows[0]["id"]), "{stored:?}");
    let lines = journal(&sandbox, "pay");
    let events = |name: &str| lines.iter().filter(|line| line["event"] == name).collect::<Vec<_>>();
    assert_eq!((events("learned").len(), events("observed").len()), (1, 1), "said in both iterations: {lines:?}");
    let told: Vec<_> = events("iteration").iter().map(|line| (line["iteration"].clone(), line["outcome"].clone())).collect();
    let each_once = [(rows[0]["id"].clone(), json!("interrupted")), (rows[1]["id"].clone(), json!("done"))];
    assert_eq!(told, each_once, "{lines:?}");
    assert_sound(&sandbox);
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let sandbox = Sandbox::new();
    let disk = sandbox.home().join("disk");
    std::fs::create_dir_all(&disk).unwrap();
    let disk = disk.to_str().unwrap().to_owned();
    let mounted = sandbox.run(sandbox.command("mount").args(["-t", "tmpfs", "-o", "size=2048k", "tmpfs", &disk]));
    if !mounted.status.success() {
        eprintln!("note: this system allows no mount ({}), so no disk is filled", mounted.stderr.trim());
        return;
    }
    let _unmount = Unmount(&sandbox, &disk);
    sandbox.ralph_ok(&["init", "-C", &disk]);
    sandbox.ralph_ok(&["feature", "create", "pay", "--display-name", "Pay", "-C", &disk]);
    let mut client = McpClient::start(&mut sandbox.ralph_command(&["mcp", "-C", &disk]));
    let filler = format!("{disk}/filler");
    let (mut acknowledged, mut faults, mut number) = (BTreeSet::new(), Vec::new(), 0);
    for room in [40_000, 9_000, 4_000, 1, 0] {
        fill_but(&filler, room);
        for _ in 0..40 {
            number += 1;
            let text = format!("{} {}", lesson(number), "with more words than are needed ".repeat(10));
            match client.call("append_feature_learning", &json!({"feature": "pay", "text": text})) {
                Ok(answer) => {
                    acknowledged.insert(journeys::text(&answer["id"]));
                }
                Err(error) => faults.push(error),
            }
        }
    }
    assert!(!faults.is_empty(), "the disk was never full");
    for fault in &faults {
        assert!(text(&fault["message"]).contains("disk is full"), "{fault}");
        assert!(!text(&fault["hint"]).is_empty(), "a way out is named: {fault}");
    }
    std::fs::remove_file(&filler).unwrap();
    // With room the same process works again, and so does every other.
    let answer = client.call("append_feature_learning", &json!({"feature": "pay", "text": "There is room again"})).expect("room");
    acknowledged.insert(text(&answer["id"]));
    client.close();
    // Nobody has it open now, and not even the file that readers share can be made.
    fill_but(&filler, 0);
    for args in [&["status", "-C", &disk][..], &["learning", "list", "-C", &disk], &["export", "-C", &disk]] {
        sandbox.ralph_ok(args);
    }
    let error = journeys::refused(&sandbox.ralph(&["task", "create", "--feature", "pay", "--title", "T", "-C", &disk]), "disk_full");
    assert!(text(&error["hint"]).contains("make room"), "{error}");
    std::fs::remove_file(&filler).unwrap();
    let stored = list(sandbox.ralph_ok(&["learning", "list", "--state", "all", "-C", &disk]));
    let stored: BTreeSet<String> = stored.iter().map(|learning| text(&learning["id"])).collect();
    assert_eq!(acknowledged, stored, "what was acknowledged is what is stored");
    let report = sandbox.ralph_ok(&["doctor", "-C", &disk]);
    assert_eq!(report["ok"], true, "{report:#}");
    sandbox.ralph_ok(&["rebuild", "-C", &disk]);
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list", "--state", "all", "-C", &disk])).len(), stored.len());
}

/// Stands in for a full disk where nothing may be mounted: no file may grow beyond a size, and a write at that size is cut in the middle.
#[test]
fn files_that_may_not_grow_lose_nothing() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let (mut acknowledged, mut refusals) = (BTreeSet::new(), 0);
    for half_kilobytes in 1..=40 {
        let limited = "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"";
        let blocks = (half_kilobytes * 16).to_string();
        let lesson = lesson(half_kilobytes);
        let add = sandbox.ralph_command(&["learning", "add", "--feature", "pay", "--text", &lesson]);
        let mut command = sandbox.command("sh");
        command.args(["-c", limited, "sh", &blocks]).arg(add.get_program()).args(add.get_args());
        let output = sandbox.run(&mut command);
        if output.status.success() {
            acknowledged.insert(text(&output.json()["id"]));
        } else {
            refusals += 1;
            assert!(!text(&output.error()["message"]).is_empty(), "{output:?}");
        }
    }
    eprintln!("{refusals} refused, {} acknowledged", acknowledged.len());
    assert!(refusals > 0, "the limit was never met");
    let stored: BTreeSet<String> = learnings(&sandbox, "pay", "all").iter().map(|learning| text(&learning["id"])).collect();
    assert_eq!(acknowledged, stored, "what was acknowledged is what is stored");
    learn(&sandbox, "pay", "There is room again", &[]);
    assert_sound(&sandbox);
}

/// Fills the disk with a file until this many bytes are left.
fn fill_but(path: &str, room: u64) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("a file on the disk");
    // Small writes go to the last byte; the disk has whole pages.
    while file.write_all(&[0; 1_024]).is_ok() {}
    let length = file.metadata().expect("its length").len();
    file.set_len(length.saturating_sub(room)).expect("a shorter file");
}

struct Unmount<'a>(&'a Sandbox, &'a str);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let output = self.0.run(self.0.command("umount").args(["--lazy", self.1]));
        assert!(output.status.success() || std::thread::panicking(), "{output:?}");
    }
}

#[test]
fn a_merge_that_a_killed_or_stopped_run_owed_is_done_by_the_next_whatever_its_kind() {
    // The first check is the attempt's own, and the second that of the merge: it lasts until the run is gone.
    let check = "if test -e $HOME/first && ! test -e $HOME/go; then sleep 600; fi; touch $HOME/first";
    for (end, next) in [("KILL", &["--worktrees"][..]), ("TERM", &["--worktrees"]), ("KILL", &[]), ("TERM", &["--in-place"])] {
        let sandbox = project_with(&format!("review = \"auto\"\ncheck = \"{check}\""));
        let first = task(&sandbox, "pay", "First", &[]);
        let second = task(&sandbox, "pay", "Second", &["--depends-on", &first.to_string()]);
        let script = "run echo work > $RALPH_TASK.txt\ncommit work\ndone\n";
        let run = start(&sandbox, script, &["--worktrees"]);
        wait_until("the merge at its check", LIMIT, || (status_of(&sandbox, first) == "in_review").then_some(()));
        run.signal(end);
        wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
        std::fs::write(sandbox.home().join("go"), "").unwrap();
        let again = journeys::play(&sandbox, script, next);
        assert_eq!(
            (status_of(&sandbox, first), status_of(&sandbox, second)),
            ("done".to_owned(), "done".to_owned()),
            "{end}, {next:?}: {again}"
        );
        assert_eq!(sandbox.git(&["ls-files", "1.txt", "2.txt"]), "1.txt\n2.txt", "{end}, {next:?}");
        assert_sound(&sandbox);
    }
}

/// As macOS does it, with fewer still: the limit that holds at first is far below the one that the process may give itself.
#[test]
fn a_run_that_begins_with_few_open_files_gets_as_many_as_it_needs() {
    let sandbox = committed_with_tasks(1);
    let run = sandbox.ralph_command(&scripted(&sandbox, "edit a.txt <<E\na\nE\ncommit a\ndone\n", &[]));
    let mut command = sandbox.command("sh");
    command.args(["-c", "ulimit -S -n 30; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    let output = sandbox.run(&mut command);
    assert!(output.status.success(), "{output:?}");
    let evidence = &iterations(&sandbox)[0]["evidence"];
    assert_eq!((list(evidence["commits"].clone()).len(), &evidence["remarks"]), (1, &json!([])), "{evidence}");
}
