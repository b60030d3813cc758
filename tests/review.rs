//! Work in worktrees: made, done, looked at, sent back, merged or refused with nothing half done, put away, cleaned up.
//!
//! Length: the whole life of one piece of work.

use journeys::{
    LIMIT, git_in, in_review, list, open_worktree, persons_checkout, play, project_with, prompt, refused, status_of, task, text,
};
use ralph_testkit::Running;
use serde_json::{Value, json};

#[test]
fn work_is_made_seen_and_merged_and_its_worktree_goes() {
    let sandbox = project_with(
        "setup = \"mkdir cache; echo prepared $RALPH_PORT_BASE > cache/port; cp .env cache/env\"\nbring_along = [\".env\", \"nothing\"]",
    );
    sandbox.write(".env", "KEY=1\n");
    let dependent = task(&sandbox, "pay", "First", &[]);
    let (path, row) = open_worktree(&sandbox, dependent);
    assert!(!path.starts_with(sandbox.project()) && path.starts_with(sandbox.home()), "{}", path.display());
    assert_eq!(
        (&row["branch"], &row["task"], &row["state"], &row["base"]),
        (&json!("ralph/1-first"), &json!(1), &json!("ready"), &json!("main"))
    );
    assert_eq!(std::fs::read_to_string(path.join("cache/port")).expect("set up"), "prepared 21000\n");
    assert_eq!(std::fs::read_to_string(path.join("cache/env")).expect("brought along before the set-up"), "KEY=1\n");
    assert_eq!(open_worktree(&sandbox, dependent).0, path, "the same again");

    let (task, path) = in_review(&sandbox, "Second", "b.txt", "b\n");
    let rows = list(sandbox.ralph_ok(&["worktree", "list"]));
    let ports: Vec<&Value> = rows.iter().map(|row| &row["port_base"]).collect();
    assert_eq!(ports, [&json!(21_000), &json!(21_010)], "two never share ports");
    assert!(rows.iter().all(|row| row["bytes"].as_u64().is_some_and(|bytes| bytes > 0)), "{rows:?}");
    let number = task.to_string();
    let waiting = sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", "Third", "--depends-on", &number]);
    assert_eq!(waiting["readiness"], "waiting");

    let diff = sandbox.ralph_ok(&["diff", &number]);
    assert!(text(&diff["text"]).contains("+b\n") && diff["row"]["standing"] == "clean", "{diff}");
    assert_eq!(
        (&diff["row"]["files"], &diff["files"][0]["path"], &diff["commits"][0]["subject"]),
        (&json!(1), &json!("b.txt"), &json!("Second"))
    );
    let request = sandbox.ralph_ok(&["diff", &number, "--pull-request"]);
    assert!(text(&request["text"]).contains("- `b.txt` +1 −0"), "{request}");
    refused(&sandbox.ralph(&["task", "update", &number, "--status", "done"]), "invalid");

    sandbox.write("mine.txt", "not committed\n");
    let done = sandbox.ralph_ok(&["merge", &number]);
    assert_eq!((&done["base"], done["commit"] == sandbox.git(&["rev-parse", "main"])), (&json!("main"), true), "{done}");
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str()), ("done", "b\n"));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? mine.txt");
    assert!(!path.exists() && sandbox.git(&["branch", "--list", "ralph/2-*"]).is_empty(), "what is merged goes at once");
    assert_eq!(sandbox.ralph_ok(&["merge", &number]), done, "again is not a fault");
    let waited = text(&waiting["id"].to_string().into());
    assert_eq!(sandbox.ralph_ok(&["task", "show", &waited])["readiness"], "ready", "what depends on it may start");
}

#[test]
fn work_is_merged_where_the_folder_of_git_stands_apart() {
    let sandbox = project_with("");
    sandbox.git(&["init", "--quiet", "--separate-git-dir", sandbox.home().join("apart.git").to_str().unwrap()]);
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.ralph_ok(&["merge", &task.to_string()]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str()), ("done", "b\n"));
}

#[test]
fn a_merge_that_came_about_is_told_as_done_where_its_branch_is_checked_out_elsewhere_too() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.git(&["switch", "--quiet", "--ignore-other-worktrees", "ralph/1-first"]);
    sandbox.ralph_ok(&["merge", &task.to_string()]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.git(&["show", "main:b.txt"])), ("done", "b".to_owned()));
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "ralph/1-first");
}

#[test]
fn what_waits_after_a_refused_merge_leads_to_what_that_says_and_not_to_the_same_merge() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.git(&["branch", "-m", "main", "trunk"]);
    let refusal = refused(&sandbox.ralph(&["merge", &task.to_string()]), "base_gone");
    assert!(text(&refusal["hint"]).contains("`ralph merge 1 --into BRANCH`"), "{refusal}");
    assert_eq!(sandbox.ralph_ok(&["status"])["needs_you"][0]["way_out"], refusal["hint"]);
    let told = journeys::plain(&sandbox, &["status"]).stdout;
    assert!(told.contains("→ name another one: `ralph merge 1 --into BRANCH`") && !told.contains("ralph diff"), "{told}");
    sandbox.ralph_ok(&["merge", "1", "--into", "trunk"]);
}

#[test]
fn work_whose_base_was_fetched_anew_into_a_shallow_clone_is_shown_alone_and_its_merge_names_the_way_out() {
    let sandbox = project_with("");
    in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.write("a.txt", "moved on\n");
    sandbox.commit("moved on");
    // As after `git fetch --depth 1`.
    let shallow = sandbox.write(".git/shallow", &format!("{}\n", sandbox.git(&["rev-parse", "main"])));
    let diff = sandbox.ralph_ok(&["diff", "1"]);
    assert_eq!((&diff["row"]["files"], &diff["files"][0]["path"]), (&json!(1), &json!("b.txt")), "{diff}");
    let refusal = refused(&sandbox.ralph(&["merge", "1"]), "by_git");
    assert!(text(&refusal["message"]).contains("`git fetch --unshallow`"), "{refusal}");
    std::fs::remove_file(shallow).expect("the rest of the history comes");
    sandbox.ralph_ok(&["merge", "1"]);
}

#[test]
fn a_set_up_that_fails_keeps_nothing() {
    let sandbox = project_with("setup = \"echo no toolchain; exit 3\"");
    let task = task(&sandbox, "pay", "First", &[]).to_string();
    let error = refused(&sandbox.ralph(&["worktree", "open", &task]), "invalid");
    assert!(text(&error["message"]).contains("no toolchain"), "{error}");
    assert_eq!(sandbox.ralph_ok(&["worktree", "list"]), json!([]));
    assert_eq!((sandbox.git(&["worktree", "list"]).lines().count(), sandbox.git(&["branch"]).lines().count()), (1, 1));
}

#[test]
fn a_set_up_that_ends_leaves_the_others_alone() {
    // The first to begin ends while the other is at work, which waits for the first one's agent.
    let sandbox = project_with(
        "setup = 'cd \"$RALPH_PROJECT/.ralph\"; if mkdir first; then until [ -e other ]; do sleep 0.02; done; \
         else touch other; until [ -e over ]; do sleep 0.02; done; fi'",
    );
    for title in ["First", "Second"] {
        task(&sandbox, "pay", title, &[]);
    }
    let run = play(&sandbox, "run touch \"$RALPH_PROJECT/.ralph/over\"; echo x > x-$RALPH_TASK.txt\ndone\n", &["--workers", "2"]);
    assert_eq!((&run["iterations"], &run["stop_reason"]), (&json!(2), &json!("nothing_ready")), "{run}");
    assert!((1..=2).all(|task| status_of(&sandbox, task) == "in_review"));
}

#[test]
fn what_stands_in_the_way_refuses_and_nothing_is_half_done() {
    let sandbox = project_with("check = \"! grep -r broken --include=*.txt .\"");
    let (task, path) = in_review(&sandbox, "Work", "a.txt", "work\n");
    let number = task.to_string();
    let merge = |code: &str| {
        let before = (
            persons_checkout(&sandbox),
            git_in(&sandbox, &path, &["rev-parse", "HEAD"]),
            git_in(&sandbox, &path, &["status", "--porcelain"]),
        );
        let error = refused(&sandbox.ralph(&["merge", &number]), code);
        let after = (
            persons_checkout(&sandbox),
            git_in(&sandbox, &path, &["rev-parse", "HEAD"]),
            git_in(&sandbox, &path, &["status", "--porcelain"]),
        );
        assert_eq!(before, after, "{code}");
        assert_eq!(
            (status_of(&sandbox, task).as_str(), git_in(&sandbox, &path, &["branch", "--show-current"]).as_str()),
            ("in_review", "ralph/1-work")
        );
        assert!(!text(&error["hint"]).is_empty(), "{error}");
        text(&error["message"])
    };
    sandbox.write("a.txt", "mine, not committed\n");
    assert!(merge("in_the_way").contains("a.txt"));
    sandbox.git(&["checkout", "--quiet", "a.txt"]);

    std::fs::write(path.join("a.txt"), "half\n").expect("writes");
    assert!(merge("uncommitted").contains("a.txt"));
    git_in(&sandbox, &path, &["checkout", "--quiet", "a.txt"]);

    sandbox.write("b.txt", "broken\n");
    sandbox.commit("a base that does not pass");
    assert!(merge("check_failed").contains("broken"));
    sandbox.git(&["reset", "--quiet", "--hard", "HEAD^"]);

    let hook = sandbox.write(".git/hooks/pre-merge-commit", "#!/bin/sh\necho no merges on sundays >&2\nexit 1\n");
    sandbox.run(sandbox.command("chmod").args(["+x"]).arg(&hook));
    assert!(merge("by_git").contains("no merges on sundays"));
    std::fs::remove_file(&hook).expect("removes");

    let hook = sandbox.write(
        ".git/hooks/reference-transaction",
        "#!/bin/sh\nwhile read a b ref; do [ \"$ref\" = refs/heads/main ] && { echo main is protected >&2; exit 1; }; done\nexit 0\n",
    );
    sandbox.run(sandbox.command("chmod").args(["+x"]).arg(&hook));
    assert!(merge("by_git").contains("main is protected"));
    std::fs::remove_file(&hook).expect("removes");

    let lock = sandbox.write(".git/index.lock", "");
    assert!(merge("by_git").contains("index.lock"));
    std::fs::remove_file(&lock).expect("removes");

    sandbox.write("a.txt", "the base has moved\n");
    sandbox.commit("moved");
    assert!(merge("conflict").contains("a.txt"));
    assert_eq!(sandbox.ralph_ok(&["diff", &number])["row"]["standing"], "conflicts");
    sandbox.git(&["reset", "--quiet", "--hard", "HEAD^"]);

    sandbox.git(&["checkout", "--quiet", "-b", "elsewhere"]);
    sandbox.ralph_ok(&["merge", &number]);
    assert_eq!((sandbox.read("a.txt").as_str(), sandbox.git(&["show", "main:a.txt"]).as_str()), ("a\n", "work"), "checked out nowhere");
    refused(&sandbox.ralph(&["merge", "99"]), "not_found");
}

#[test]
fn what_is_sent_back_is_told_to_the_next_attempt_with_its_place() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "Work", "a.txt", "work\n");
    let number = task.to_string();
    refused(&sandbox.ralph(&["send-back", &number, "--comment", "  "]), "invalid");
    assert_eq!(sandbox.ralph(&["send-back", &number, "--comment", "x", "--line", "3"]).status.code(), Some(2));
    for (file, line, field) in [("a.txt", "999", "line"), ("nowhere.txt", "1", "file"), ("../a.txt", "1", "file")] {
        let error = refused(&sandbox.ralph(&["send-back", &number, "--comment", "x", "--file", file, "--line", line]), "invalid");
        assert!(error["message"].as_str().is_some_and(|told| told.starts_with(field)), "{error}");
    }
    let back = sandbox.ralph_ok(&["send-back", &number, "--comment", "Say why.", "--file", "a.txt", "--line", "1"]);
    assert_eq!((&back["status"], &back["readiness"]), (&json!("pending"), &json!("ready")));
    refused(&sandbox.ralph(&["merge", &number]), "invalid");
    play(&sandbox, "done\n", &["--max-iterations", "1", "--task", &number]);
    assert!(prompt(&sandbox, 2).contains("a.txt:1: Say why."), "{}", prompt(&sandbox, 2));
    assert_eq!(
        (open_worktree(&sandbox, task).0, status_of(&sandbox, task).as_str()),
        (path, "in_review"),
        "it goes on in the same worktree"
    );
    let comments = sandbox.ralph_ok(&["diff", &number])["comments"].clone();
    assert_eq!((&comments[0]["file"], &comments[0]["line"], &comments[0]["text"]), (&json!("a.txt"), &json!(1), &json!("Say why.")));
}

#[test]
fn discarded_work_comes_back_until_its_branch_is_pruned() {
    let sandbox = project_with("worktree_days = 0");
    let (task, path) = in_review(&sandbox, "Work", "a.txt", "work\n");
    let (number, tip) = (task.to_string(), sandbox.git(&["rev-parse", "ralph/1-work"]));
    assert_eq!(sandbox.ralph_ok(&["discard", &number])["status"], "skipped");
    refused(&sandbox.ralph(&["discard", &number]), "invalid");
    refused(&sandbox.ralph(&["merge", &number]), "invalid");
    assert_eq!(sandbox.ralph_ok(&["discard", &number, "--undo"])["status"], "in_review");
    refused(&sandbox.ralph(&["discard", &number, "--undo"]), "invalid");
    sandbox.ralph_ok(&["discard", &number]);
    let pruned = sandbox.ralph_ok(&["worktree", "prune"]);
    assert_eq!((list(pruned["removed"].clone()).len(), path.exists()), (1, false), "{pruned}");
    assert!(sandbox.git(&["branch", "--list", "ralph/*"]).is_empty());
    assert_eq!(sandbox.git(&["for-each-ref", "--format=%(objectname)", "refs/ralph/held"]), tip, "even then its commits are held");
}

#[test]
fn what_was_discarded_before_an_attempt_that_came_to_nothing_comes_back_and_nothing_else_is_said() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "Work", "a.txt", "work\n");
    let number = task.to_string();
    sandbox.ralph_ok(&["discard", &number]);
    sandbox.ralph_ok(&["task", "update", &number, "--status", "pending"]);
    open_worktree(&sandbox, task);
    let refusal = refused(&sandbox.ralph(&["discard", &number, "--undo"]), "invalid");
    assert!(text(&refusal["message"]).contains("newer work of task #1 is ready on 'ralph/1-work-2'"), "{refusal}");
    assert!(text(&refusal["hint"]).contains("'ralph/1-work'"), "{refusal}");
    sandbox.ralph_ok(&["discard", &number]);
    let words = journeys::plain(&sandbox, &["discard", &number, "--undo"]).stdout;
    assert!(words.contains("the work of task #1 is back, and the task is pending"), "{words}");
    assert_eq!(sandbox.ralph_ok(&["diff", &number])["row"]["branch"], "ralph/1-work");
    play(&sandbox, "done\n", &["--max-iterations", "1"]);
    sandbox.ralph_ok(&["merge", &number]);
    assert_eq!(
        (sandbox.read("a.txt").as_str(), sandbox.ralph_ok(&["diff", &number])["row"]["branch"].clone()),
        ("work\n", "ralph/1-work".into())
    );
}

#[test]
fn what_could_not_be_committed_and_was_discarded_is_not_denied_because_of_a_newer_attempt() {
    let sandbox = project_with("");
    let task = task(&sandbox, "pay", "Work", &[]);
    let (number, (path, _)) = (task.to_string(), open_worktree(&sandbox, task));
    std::fs::write(path.join("a.txt"), "work\n").expect("writes");
    sandbox.ralph_ok(&["discard", &number]);
    open_worktree(&sandbox, task);
    let refusal = refused(&sandbox.ralph(&["discard", &number, "--undo"]), "invalid");
    assert!(text(&refusal["message"]).contains("newer work of task #1 is ready on 'ralph/1-work-2'"), "{refusal}");
    assert!(text(&refusal["hint"]).contains(&format!("in {}", path.display())), "{refusal}");
    sandbox.ralph_ok(&["discard", &number]);
    sandbox.ralph_ok(&["discard", &number, "--undo"]);
    assert_eq!(sandbox.ralph_ok(&["diff", &number])["row"]["branch"], "ralph/1-work");
}

#[test]
fn sent_back_work_that_is_discarded_closes_its_task_until_it_comes_back_to_review() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "Work", "a.txt", "work\n");
    let number = task.to_string();
    sandbox.ralph_ok(&["send-back", &number, "--comment", "more"]);
    assert_eq!(sandbox.ralph_ok(&["discard", &number])["status"], "skipped");
    assert_eq!(sandbox.ralph_ok(&["discard", &number, "--undo"])["status"], "in_review");
}

#[test]
fn work_whose_commit_is_gone_keeps_no_other_from_being_found_merged() {
    let sandbox = project_with("");
    let (first, _) = in_review(&sandbox, "First", "a.txt", "work\n");
    let (second, _) = in_review(&sandbox, "Second", "b.txt", "work\n");
    let tip = sandbox.git(&["rev-parse", "ralph/1-first"]);
    let (folder, file) = tip.trim().split_at(2);
    std::fs::remove_file(sandbox.project().join(".git/objects").join(folder).join(file)).expect("is damaged");
    sandbox.git(&["merge", "--quiet", "--no-edit", "ralph/2-second"]);
    assert_eq!((status_of(&sandbox, first).as_str(), status_of(&sandbox, second).as_str()), ("in_review", "done"));
}

#[test]
fn a_worktree_that_can_not_go_holds_up_no_other() {
    let sandbox = project_with("worktree_days = 0");
    sandbox.write(".gitignore", "build/\n");
    sandbox.commit("what is built is ignored");
    let [first, second] = ["One", "Two"].map(|title| open_worktree(&sandbox, task(&sandbox, "pay", title, &[])).0);
    let inner = first.join("build/inner");
    sandbox.git(&["worktree", "add", "--quiet", "--detach", &inner.to_string_lossy()]);
    let pruned = sandbox.ralph_ok(&["worktree", "prune"]);
    assert!(text(&pruned["kept"][0]["kept"]).contains("another work tree stands in it"), "{pruned}");
    assert_eq!((inner.exists(), second.exists(), list(pruned["removed"].clone()).len()), (true, false, 1), "{pruned}");
}

#[test]
fn nothing_goes_that_exists_nowhere_else_or_where_somebody_lives() {
    let sandbox = project_with("worktree_days = 0");
    let task = task(&sandbox, "pay", "Work", &[]);
    let (path, row) = open_worktree(&sandbox, task);
    std::fs::write(path.join("a.txt"), "work that is not committed\n").expect("writes");
    let pruned = sandbox.ralph_ok(&["worktree", "prune"]);
    assert!(text(&pruned["kept"][0]["kept"]).contains("a.txt") && path.exists(), "{pruned}");
    let name = text(&row["branch"]);
    let error = refused(&sandbox.ralph(&["worktree", "remove", &name]), "invalid");
    assert!(text(&error["message"]).contains("a.txt"), "{error}");
    let living = Running::start(sandbox.command("sh").args(["-c", "read line"]).current_dir(&path), Some(""));
    living.wait(LIMIT);
    let mut living = sandbox.command("sleep").arg("60").current_dir(&path).spawn().expect("starts");
    let error = refused(&sandbox.ralph(&["worktree", "remove", &name, "--force"]), "invalid");
    assert!(text(&error["message"]).contains(&format!("process {}", living.id())), "{error}");
    living.kill().expect("ends");
    living.wait().expect("ended");
    refused(&sandbox.ralph(&["worktree", "remove", &sandbox.project().to_string_lossy()]), "not_found");
    sandbox.ralph_ok(&["worktree", "remove", &name, "--force"]);
    assert!(!path.exists());
    let kept = list(sandbox.ralph_ok(&["snapshot", "list"]));
    let held = sandbox.git(&["show", &format!("refs/ralph/snapshots/{}:a.txt", text(&kept[0]["name"]))]);
    assert_eq!(held, "work that is not committed");
    assert_eq!((open_worktree(&sandbox, task).0, path.exists()), (path.clone(), true), "it stands up again on its branch");
}

#[test]
fn hooks_and_filters_that_an_agent_leaves_do_not_run_with_what_ralph_does_itself() {
    let sandbox = project_with("review = \"auto\"");
    let trap = sandbox.home().join("ran");
    for title in ["First", "Second"] {
        task(&sandbox, "pay", title, &[]);
    }
    let plant = format!(
        "common=$(git rev-parse --path-format=absolute --git-common-dir); hooks=$common/hooks; mkdir -p $hooks; \
         for hook in pre-commit post-commit post-checkout reference-transaction post-index-change; do \
         printf '#!/bin/sh\\ntouch {0}.'$hook > $hooks/$hook; chmod +x $hooks/$hook; done; \
         git config filter.x.clean 'touch {0}.clean; cat'; git config filter.x.smudge 'touch {0}.smudge; cat'; \
         echo '* filter=x' > $common/info/attributes",
        trap.display()
    );
    // The agent itself commits nothing more: what follows is Ralph's.
    play(
        &sandbox,
        &format!("[task 1]\nedit b.txt <<EOF\nb\nEOF\nrun {plant}\ndone\n[*]\nedit c.txt <<EOF\nc\nEOF\ndone\n"),
        &["--worktrees"],
    );
    sandbox.ralph_ok(&["worktree", "list"]);
    sandbox.ralph_ok(&["diff", "2"]);
    let ran = sandbox.run(sandbox.command("sh").args(["-c", "ls $0.*"]).arg(&trap)).stdout;
    assert_eq!(ran, "", "it ran");
    assert_eq!((status_of(&sandbox, 1).as_str(), status_of(&sandbox, 2).as_str()), ("in_review", "in_review"), "nothing is merged unseen");
    let hint = text(&refused(&sandbox.ralph(&["merge", "1"]), "invalid")["hint"]);
    assert!(hint.contains("ralph notice dismiss") && hint.contains("ralph trust --yes"), "{hint}");
    assert_eq!(sandbox.git(&["show", "ralph/1-first:b.txt"]), "b", "what it left was committed");
}

#[test]
fn work_that_waits_for_its_review_needs_a_person_and_what_may_go_is_told_before_it_goes() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "Refund", "b.txt", "b\n");
    let status = sandbox.ralph_ok(&["status"]);
    let waiting: Vec<&Value> = status["needs_you"].as_array().into_iter().flatten().filter(|item| item["kind"] == "in_review").collect();
    assert_eq!(waiting.len(), 1, "{status}");
    assert_eq!((&waiting[0]["task"], &waiting[0]["feature"], &waiting[0]["refused"]), (&json!(task), &json!("pay"), &Value::Null));
    let words = journeys::plain(&sandbox, &["status"]).stdout;
    assert!(words.contains(&format!("#{task} Refund waits for its review")) && words.contains(&format!("ralph merge {task}")), "{words}");

    sandbox.write("b.txt", "mine\n");
    refused(&sandbox.ralph(&["merge", &task.to_string()]), "in_the_way");
    let status = sandbox.ralph_ok(&["status"]);
    let refusal = status["needs_you"].as_array().into_iter().flatten().find(|item| item["kind"] == "in_review");
    assert!(refusal.is_some_and(|item| text(&item["refused"]).contains("b.txt")), "{status}");
    std::fs::remove_file(sandbox.project().join("b.txt")).expect("removed");

    sandbox.ralph_ok(&["discard", &task.to_string()]);
    let plan = sandbox.ralph_ok(&["worktree", "prune", "--dry-run"]);
    assert!(path.exists(), "nothing goes by a plan: {plan}");
    assert_eq!((plan["removed"].as_array().map(Vec::len), plan["kept"].as_array().map(Vec::len)), (Some(0), Some(1)), "{plan}");
}

#[cfg(unix)]
#[test]
fn a_pull_request_is_opened_with_gh_where_it_is_there() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mut sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "Refund", "b.txt", "b\n");
    let number = task.to_string();
    let open = ["diff", number.as_str(), "--pull-request", "--open"];
    let programs = sandbox.home().join("programs");
    std::fs::create_dir_all(&programs).expect("a folder");
    let path = std::env::var_os("PATH").expect("a path");
    for program in ["git", "sh", "cat"] {
        let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|found| found.is_file()).expect("is installed");
        symlink(found, programs.join(program)).expect("links");
    }
    sandbox.set("PATH", programs.clone());
    let fault = refused(&sandbox.ralph(&open), "invalid");
    assert!(text(&fault["message"]).contains("gh") && text(&fault["hint"]).contains("--pull-request"), "{fault}");

    let said = sandbox.home().join("said");
    let gh = "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho \"$@\" > \"$GH_SAID\"\ncat >> \"$GH_SAID\"\necho Creating >&2\necho https://example.org/pull/7\n";
    std::fs::write(programs.join("gh"), gh).expect("writes");
    std::fs::set_permissions(programs.join("gh"), std::fs::Permissions::from_mode(0o755)).expect("may run");
    sandbox.set("GH_SAID", said.clone());
    let fault = refused(&sandbox.ralph(&open), "invalid");
    assert!(text(&fault["message"]).contains("no remote 'origin'"), "{fault}");

    let remote = sandbox.home().join("remote.git").to_string_lossy().into_owned();
    sandbox.git(&["init", "--quiet", "--bare", &remote]);
    sandbox.git(&["remote", "add", "origin", &remote]);
    let opened = sandbox.ralph_ok(&open);
    assert_eq!((&opened["url"], &opened["task"]), (&json!("https://example.org/pull/7"), &json!(task)), "{opened}");
    let said = std::fs::read_to_string(said).expect("gh was asked");
    assert!(
        said.starts_with("pr create --head ralph/1-refund --base main --title Refund --body-file -\n") && said.contains("b.txt"),
        "{said}"
    );
    let tip = sandbox.git(&["rev-parse", "ralph/1-refund"]);
    assert_eq!(sandbox.git(&["-C", &remote, "rev-parse", "ralph/1-refund"]), tip, "the branch is pushed");
    assert_eq!(status_of(&sandbox, task), "in_review", "nothing else has changed");
}

#[test]
fn the_oldest_worktrees_above_the_limit_go_by_themselves_and_are_set_up_again_when_they_are_needed() {
    let sandbox = project_with("worktree_gb = 1\nsetup = \"mkdir -p cache; echo ready > cache/ready\"\ncheck = \"cat cache/ready\"");
    let mut all = Vec::new();
    for (title, file) in [("First", "b.txt"), ("Second", "c.txt"), ("Third", "d.txt")] {
        let (task, path) = in_review(&sandbox, title, file, "work\n");
        // Sparse: nothing is written.
        let large = std::fs::File::create(path.join("cache/large")).expect("makes");
        large.set_len(600_000_000).expect("grows");
        if all.is_empty() {
            std::fs::write(path.join("draft.txt"), "nowhere else\n").expect("writes");
        }
        all.push((task, path));
    }
    task(&sandbox, "pay", "Fourth", &[]);
    play(&sandbox, "done\n", &["--worktrees", "--max-iterations", "1"]);
    let standing: Vec<bool> = all.iter().map(|(_, path)| path.exists()).collect();
    assert_eq!(standing, [true, false, false], "{}", sandbox.ralph_ok(&["worktree", "prune", "--dry-run"]));
    sandbox.ralph_ok(&["merge", &all[1].0.to_string()]);
    assert_eq!(
        (status_of(&sandbox, all[1].0).as_str(), sandbox.read("c.txt").as_str()),
        ("done", "work\n"),
        "its check needs what is set up"
    );
    std::fs::remove_file(all[0].1.join("draft.txt")).expect("removes");
    assert!(list(sandbox.ralph_ok(&["worktree", "prune"])["removed"].clone()).is_empty(), "one is below the limit");
}

#[test]
fn the_worktrees_of_a_run_keep_to_their_room_however_many_it_makes() {
    let sandbox = project_with("worktree_gb = 1");
    sandbox.write(".gitignore", "target\n");
    sandbox.commit("what is built");
    let all = ["First", "Second", "Third"].map(|title| task(&sandbox, "pay", title, &[]));
    // Sparse: nothing is written.
    let cache = "run mkdir target; dd if=/dev/null of=target/cache bs=1 seek=600000000 2> /dev/null";
    play(&sandbox, &format!("{cache}\nrun echo work > ${{task}}.txt\ndone\n"), &["--worktrees"]);
    let standing: Vec<Value> = list(sandbox.ralph_ok(&["worktree", "list"])).into_iter().map(|row| row["task"].clone()).collect();
    assert_eq!(standing, [json!(all[2])], "two of them are above the limit");
    sandbox.ralph_ok(&["merge", &all[0].to_string()]);
    assert_eq!(sandbox.read(format!("{}.txt", all[0])), "work\n", "their work is on their branches");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_no_text_is_shown_and_commented_on_like_any_other() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = project_with("");
    let task = task(&sandbox, "pay", "Work", &[]);
    play(&sandbox, "run printf 'one\\n' > \"$(printf 'latin\\351.txt')\"\ndone\n", &["--worktrees"]);
    let diff = sandbox.ralph_ok(&["diff", "1"]);
    let shown = text(&diff["files"][0]["path"]);
    assert_eq!(shown, "latin\u{fffd}.txt", "{diff}");
    let bytes = OsStr::from_bytes(b"latin\xe9.txt");
    for name in [OsStr::new(&shown), bytes] {
        let output = sandbox.run(sandbox.ralph_command(&["diff", "1", "--path"]).arg(name));
        assert!(text(&output.json()["text"]).contains("+one\n"), "{output:?}");
    }
    let file: OsString = [OsStr::new("--file="), bytes].into_iter().collect();
    let output = sandbox.run(sandbox.ralph_command(&["send-back", "1", "--comment", "Why?", "--line", "1"]).arg(file));
    assert_eq!((output.json()["status"].as_str(), status_of(&sandbox, task).as_str()), (Some("pending"), "pending"), "{output:?}");
}
