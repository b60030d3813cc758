use super::*;
use crate::Hooks;

#[test]
fn what_git_would_run_or_follow_is_seen_to_change_and_ordinary_settings_are_not() {
    let (_folder, repo) = sample();
    let before = repo.machinery().expect("readable");
    let git = |args: &[&str]| git(repo.root(), args);
    git(&["config", "core.autocrlf", "input"]);
    git(&["config", "branch.main.description", "mine"]);
    assert_eq!(repo.machinery().expect("readable").changed_since(&before, None), Vec::<String>::new());
    git(&["config", "core.hooksPath", "/tmp/evil"]);
    git(&["config", "filter.x.clean", "sh -c evil"]);
    git(&["config", "remote.origin.url", "https://evil.example"]);
    fs::write(repo.common_folder().expect("folder").join("hooks/post-merge"), "#!/bin/sh\n").expect("hook");
    let after = repo.machinery().expect("readable");
    assert_eq!(
        after.changed_since(&before, None),
        ["hook post-merge", "setting core.hookspath", "setting filter.x.clean", "setting remote.origin.url"]
    );
    assert_eq!(before.changed_since(&after, None)[0], "hook post-merge (gone)");
}

#[test]
fn a_pipe_among_the_hooks_holds_nobody_up() {
    let (_folder, repo) = sample();
    let before = repo.machinery().expect("readable");
    let pipe = repo.common_folder().expect("folder").join("hooks/pre-push");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert_eq!(repo.machinery().expect("readable").changed_since(&before, None), ["hook pre-push"]);
}

/// A repository whose hooks are below the ignored `.husky/_`, as husky writes them, and a work tree beside it that has its own.
fn husky() -> (tempfile::TempDir, Repo, Repo) {
    let (directory, repo) = sample();
    write(&repo, ".gitignore", "_/\n");
    write(&repo, ".husky/pre-commit", "true\n");
    let head = commit(&repo, "hooks");
    git(repo.root(), &["config", "core.hooksPath", ".husky/_"]);
    write(&repo, ".husky/_/pre-commit", "#!/bin/sh\n. .husky/pre-commit\n");
    let side = repo.add_worktree(&directory.path().join("side"), "side", &head, Hooks::Skip).expect("a work tree");
    (directory, repo, side)
}

#[test]
fn a_hook_that_git_ignores_is_seen_to_change_wherever_the_hooks_are() {
    let (_directory, repo, side) = husky();
    let look = || [&repo, &side].map(|repo| repo.machinery().expect("readable"));
    let before = look();
    for tree in [&repo, &side] {
        write(tree, ".husky/_/post-merge", "#!/bin/sh\nevil\n");
        write(tree, ".husky/_/pre-commit", "#!/bin/sh\nevil\n");
        // Every one that husky writes runs this.
        write(tree, ".husky/pre-push", "evil\n");
    }
    let now = look();
    let changed = ["hook .husky/_/post-merge", "hook .husky/_/pre-commit", "hook .husky/pre-push"];
    assert_eq!(now[1].changed_since(&before[1], Some(&before[0])), changed);
    let beside = now[0].changed_beside_since(&before[0], Path::new("/project"));
    assert_eq!(beside, changed.map(|name| name.replace("hook ", "hook /project/")));
    assert_eq!(before[0].changed_since(&now[0], None)[0], "hook .husky/_/pre-commit");
    assert_eq!(before[0].changed_since(&now[0], None)[1], "hook .husky/_/post-merge (gone)");
}

#[test]
fn hooks_that_are_part_of_the_work_or_that_the_project_has_are_not_told() {
    let (_directory, repo, side) = husky();
    let (own, before) = (repo.machinery().expect("readable"), side.machinery().expect("readable"));
    // As an installation of the project's dependencies writes it.
    write(&side, ".husky/_/pre-commit", "#!/bin/sh\n. .husky/pre-commit\n");
    write(&side, ".husky/pre-commit", "npm test\n");
    assert_eq!(side.machinery().expect("readable").changed_since(&before, Some(&own)), Vec::<String>::new());
    let there = Path::new("/project");
    assert_eq!(side.machinery().expect("readable").changed_beside_since(&before, there).len(), 2, "uncommitted, and nobody's work");
    commit(&side, "a hook");
    let told = side.machinery().expect("readable").changed_beside_since(&before, there);
    assert_eq!(told, ["hook /project/.husky/_/pre-commit"], "what a commit holds is seen there");
    git(side.root(), &["update-index", "--skip-worktree", ".husky/pre-commit"]);
    write(&side, ".husky/pre-commit", "evil\n");
    assert_eq!(side.machinery().expect("readable").changed_since(&before, Some(&own)), ["hook .husky/pre-commit"], "no commit takes it up");
}

#[test]
fn hooks_in_a_folder_anywhere_else_are_seen_to_change() {
    let (directory, repo) = sample();
    let folder = directory.path().join("hooks of mine");
    fs::create_dir(&folder).expect("folder");
    git(repo.root(), &["config", "core.hooksPath", &folder.to_string_lossy()]);
    let before = repo.machinery().expect("readable");
    fs::write(folder.join("post-merge"), "#!/bin/sh\nevil\n").expect("hook");
    let told = format!("hook {}", folder.join("post-merge").display());
    assert_eq!(repo.machinery().expect("readable").changed_since(&before, None), [told]);
}

#[test]
fn an_object_that_is_shown_in_place_of_another_is_seen() {
    let (_directory, repo) = sample();
    let before = repo.machinery().expect("readable");
    let [one, other] = ["a.txt", "b.txt"].map(|path| git(repo.root(), &["rev-parse", &format!("HEAD:{path}")]));
    git(repo.root(), &["replace", "-f", &one, &other]);
    let told = [format!("replacement of {one}")];
    let loose = repo.machinery().expect("readable");
    assert_eq!(loose.changed_since(&before, None), told);
    git(repo.root(), &["pack-refs", "--all"]);
    assert_eq!(repo.machinery().expect("readable").changed_since(&loose, None), Vec::<String>::new());
    assert_eq!(repo.machinery().expect("readable").changed_since(&before, None), told);
}
