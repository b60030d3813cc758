use super::*;

#[test]
fn what_git_would_run_or_follow_is_seen_to_change_and_ordinary_settings_are_not() {
    let (_folder, repo) = sample();
    let before = repo.machinery().expect("readable");
    let git = |args: &[&str]| git(repo.root(), args);
    git(&["config", "core.autocrlf", "input"]);
    git(&["config", "branch.main.description", "mine"]);
    assert_eq!(repo.machinery().expect("readable").changed_since(&before), Vec::<String>::new());
    git(&["config", "core.hooksPath", "/tmp/evil"]);
    git(&["config", "filter.x.clean", "sh -c evil"]);
    git(&["config", "remote.origin.url", "https://evil.example"]);
    fs::write(repo.common_folder().expect("folder").join("hooks/post-merge"), "#!/bin/sh\n").expect("hook");
    let after = repo.machinery().expect("readable");
    assert_eq!(
        after.changed_since(&before),
        ["hook post-merge", "setting core.hookspath", "setting filter.x.clean", "setting remote.origin.url"]
    );
    assert_eq!(before.changed_since(&after)[0], "hook post-merge (gone)");
}

#[test]
fn a_pipe_among_the_hooks_holds_nobody_up() {
    let (_folder, repo) = sample();
    let before = repo.machinery().expect("readable");
    let pipe = repo.common_folder().expect("folder").join("hooks/pre-push");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert_eq!(repo.machinery().expect("readable").changed_since(&before), ["hook pre-push"]);
}
