//! What git runs by itself, and what an agent does to it: told by name, and run by no merge before a person has looked.
#![cfg(unix)]

use journeys::{committed_with_tasks, is_in_base, iterations, list, play, refused, scripted, with_tasks};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

fn work(sandbox: &Sandbox, script: &str) -> Value {
    play(sandbox, script, &["--worktrees"])
}

#[test]
fn a_hook_that_an_agent_planted_is_told_and_no_merge_runs_it_unseen() {
    let sandbox = committed_with_tasks(1);
    let script = "\
run echo one > one.txt
run hooks=$(git rev-parse --git-common-dir)/hooks; printf '#!/bin/sh\\ntouch \"$HOME/pwned\"\\n' > $hooks/post-checkout; chmod +x $hooks/post-checkout
run cp $(git rev-parse --git-common-dir)/hooks/post-checkout $(git rev-parse --git-common-dir)/hooks/pre-merge-commit
run git config alias.st '!touch \"$HOME/pwned\"'
done
";
    work(&sandbox, script);
    let row = iterations(&sandbox).remove(0);
    let what = row["evidence"]["remarks"].to_string();
    for name in ["hook post-checkout", "hook pre-merge-commit", "setting alias.st"] {
        assert!(what.contains(name), "{name} in {what}");
    }
    let pwned = sandbox.home().join("pwned");
    assert!(!pwned.exists(), "nothing of Ralph's own has run it");
    let error = refused(&sandbox.ralph(&["merge", "1"]), "invalid");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("ralph notice dismiss")), "{error}");
    let needs = list(sandbox.ralph_ok(&["status"])["needs_you"].take());
    assert_eq!(needs[0]["kind"], "holds_merges", "it is said before anybody tries: {needs:?}");
    assert!(!pwned.exists() && !is_in_base(&sandbox, "one.txt"));
    sandbox.run(sandbox.command("rm").args([".git/hooks/post-checkout", ".git/hooks/pre-merge-commit"]));
    let notices = sandbox.ralph_ok(&["notice", "list"]);
    sandbox.ralph_ok(&["notice", "dismiss", &notices[0]["id"].to_string()]);
    sandbox.ralph_ok(&["merge", "1"]);
    assert!(is_in_base(&sandbox, "one.txt") && !pwned.exists());
}

/// A project whose hooks are below `.husky/_`, which git ignores and its own checkout alone has.
fn project_with_husky() -> Sandbox {
    let sandbox = with_tasks(1);
    sandbox.write(".gitignore", "_/\n");
    sandbox.commit("a project");
    sandbox.write(".husky/_/pre-commit", "#!/bin/sh\ntrue\n");
    sandbox.git(&["config", "core.hooksPath", ".husky/_"]);
    sandbox
}

#[test]
fn a_hook_that_git_ignores_and_an_agent_planted_is_told_and_no_merge_runs_it_unseen() {
    for (checkout, hook) in [("$RALPH_PROJECT", "post-merge"), (".", "pre-merge-commit")] {
        let sandbox = project_with_husky();
        let plant = format!(
            "mkdir -p \"{checkout}/.husky/_\"; cd \"{checkout}/.husky/_\"; printf '#!/bin/sh\\ntouch \"$HOME/pwned\"\\n' > {hook}; chmod +x {hook}"
        );
        work(&sandbox, &format!("run echo one > one.txt\nrun {plant}\ndone\n"));
        let what = iterations(&sandbox).remove(0)["evidence"]["remarks"].to_string();
        assert!(what.contains(&format!(".husky/_/{hook}")), "{what}");
        assert_eq!(what.contains(&sandbox.project().to_string_lossy().into_owned()), hook == "post-merge", "where it is: {what}");
        let error = refused(&sandbox.ralph(&["merge", "1"]), "invalid");
        let notice = sandbox.ralph_ok(&["notice", "list"])[0]["id"].to_string();
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains(&format!("ralph notice dismiss {notice}"))), "{error}");
        let pwned = sandbox.home().join("pwned");
        assert!(!pwned.exists() && !is_in_base(&sandbox, "one.txt"));
        sandbox.ralph_ok(&["notice", "dismiss", &notice]);
        sandbox.write("b.txt", "the base moves\n");
        sandbox.git(&["add", "b.txt"]);
        sandbox.git(&["commit", "-q", "--no-verify", "-m", "b"]);
        sandbox.ralph_ok(&["merge", "1"]);
        assert!(is_in_base(&sandbox, "one.txt") && pwned.exists(), "whoever looked decides");
    }
}

#[test]
fn hooks_that_no_worktree_has_are_told_before_agents_commit_without_them() {
    let sandbox = project_with_husky();
    let asked = sandbox.home().join("asked");
    sandbox.write(".husky/_/pre-commit", &format!("#!/bin/sh\necho x >> '{}'\n", asked.display()));
    sandbox.run(sandbox.command("chmod").args(["+x", ".husky/_/pre-commit"]));
    let run = |more: &[&str]| sandbox.ralph(&scripted(&sandbox, "run echo $RANDOM > one.txt\ndone\n", more)).stderr;
    let told = run(&["--worktrees"]);
    assert!(told.contains("no git hook runs in worktrees") && told.contains(".husky/_") && !asked.exists(), "{told}");
    // Brought along they run, and nothing has to be said; nor is there in the checkout that has them.
    let config = sandbox.read(".ralph/config.toml");
    sandbox.write(".ralph/config.toml", &config.replace("bring_along = []", "bring_along = [\".husky/_\"]"));
    sandbox.trust();
    for more in ["--worktrees", "--in-place"] {
        journeys::task(&sandbox, "pay", "Another", &[]);
        let told = run(&[more]);
        assert!(!told.contains("no git hook"), "{told}");
        assert!(asked.exists(), "{more}");
    }
}

#[test]
fn a_git_setting_that_an_agent_changed_for_all_repositories_is_told_by_name_alone() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run echo one > one.txt; git config --global user.email agent@example.org\ndone\n");
    let remarks = iterations(&sandbox).remove(0)["evidence"]["remarks"].to_string();
    assert!(remarks.contains("persons_settings_changed") && remarks.contains("user.email"), "{remarks}");
    let notices = sandbox.ralph_ok(&["notice", "list"]).to_string();
    assert!(notices.contains("user.email") && notices.contains("git config --global"), "{notices}");
    assert!(!remarks.contains("agent@example.org") && !notices.contains("agent@example.org"), "{notices}");
    // It runs nothing by itself, so that no merge has to wait.
    sandbox.ralph_ok(&["merge", "1"]);
    assert!(is_in_base(&sandbox, "one.txt"));
}

#[test]
fn a_hook_that_is_part_of_the_work_is_reviewed_with_it() {
    let sandbox = with_tasks(1);
    sandbox.write("hooks/pre-merge-commit", "#!/bin/sh\ntrue\n");
    sandbox.commit("a project");
    sandbox.git(&["config", "core.hooksPath", "hooks"]);
    work(&sandbox, "run echo '# more' >> hooks/pre-merge-commit\ndone\n");
    assert_eq!(sandbox.ralph_ok(&["notice", "list"]), json!([]));
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["files"][0]["path"], "hooks/pre-merge-commit");
    sandbox.ralph_ok(&["merge", "1"]);
    assert!(sandbox.read("hooks/pre-merge-commit").contains("more"));
}

#[test]
fn in_worktrees_behind_a_link_what_an_agent_plants_is_told_too() {
    let sandbox = committed_with_tasks(1);
    let (disk, linked) = (sandbox.home().join("disk"), sandbox.home().join("linked"));
    std::fs::create_dir(&disk).unwrap();
    std::os::unix::fs::symlink(&disk, &linked).unwrap();
    let config = sandbox.read(".ralph/config.toml");
    let chosen = format!("worktree_folder = \"{}\"", linked.display());
    sandbox.write(".ralph/config.toml", &config.replace("worktree_folder = \"\"", &chosen));
    sandbox.trust();
    let hook = "hooks=$(git rev-parse --git-common-dir)/hooks; echo exit 0 > $hooks/post-merge; chmod +x $hooks/post-merge";
    work(&sandbox, &format!("run echo one > one.txt; git add -A; git commit -qm one\nrun {hook}\ndone\n"));
    let row = iterations(&sandbox).remove(0);
    assert!(row["evidence"]["remarks"].to_string().contains("hook post-merge"), "{row}");
    assert_eq!(row["evidence"]["commits"].as_array().map(Vec::len), Some(1), "{row}");
    refused(&sandbox.ralph(&["merge", "1"]), "invalid");
}
