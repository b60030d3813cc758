use super::*;
use crate::Hooks;

#[test]
fn what_tools_make_anew_is_no_work_unless_git_tracks_some_of_it() {
    let (_directory, repo) = sample();
    write(&repo, "src/__pycache__/a.pyc", "x");
    write(&repo, "web/node_modules/left-pad/index.js", "x");
    write(&repo, "target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# by cargo\n");
    write(&repo, "target/debug/app", "x");
    assert!(!repo.is_dirty().expect("clean") && !repo.snapshot().expect("looks").is_dirty());
    assert_eq!(repo.commit_work("nothing", Hooks::Skip).expect("commits"), None);
    write(&repo, "src/a.py", "x");
    let before = repo.head().expect("head");
    assert_eq!(repo.uncommitted(9).expect("looks"), ["src/a.py"]);
    repo.commit_work("work", Hooks::Skip).expect("commits").expect("a commit");
    let taken = repo.files_of_commits(before.as_deref(), repo.head().expect("head").as_deref(), &[]).expect("reads");
    assert_eq!(taken, BTreeSet::from(["src/a.py".into()]));
    assert!(!repo.is_dirty().expect("clean") && repo.root().join("src/__pycache__/a.pyc").exists());
    // Somebody keeps this one.
    git(repo.root(), &["add", "--force", "web/node_modules/left-pad/index.js"]);
    git(repo.root(), &["commit", "-qm", "vendored"]);
    write(&repo, "web/node_modules/left-pad/new.js", "x");
    assert_eq!(repo.uncommitted(9).expect("looks"), ["web/node_modules/left-pad/new.js"]);
}

#[test]
fn so_many_generated_folders_that_no_command_line_holds_their_names_are_no_work() {
    let (_directory, repo) = sample();
    // More than two million characters: what Linux takes; Windows takes sixty times less.
    let above = ["a", "b", "c"].map(|letter| letter.repeat(250)).join("/");
    for number in 0..2_900 {
        write(&repo, format!("{above}/{number}/CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n");
    }
    assert!(!repo.is_dirty().expect("looks"));
    git(repo.root(), &["add", "--force", &format!("{above}/2899/CACHEDIR.TAG")]);
    git(repo.root(), &["commit", "-qm", "vendored"]);
    write(&repo, format!("{above}/2899/new.txt"), "x");
    assert_eq!(repo.uncommitted(9).expect("looks"), [format!("{above}/2899/new.txt")]);
}
