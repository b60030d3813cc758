//! Files that git was told not to look at.

use super::*;
use crate::hidden::may_hide;

#[test]
fn what_git_was_told_not_to_look_at_is_work_too() {
    let (_directory, repo) = sample();
    let index = repo.root().join(".git/index");
    let long = format!("{}x", "a long name/".repeat(12));
    write(&repo, &long, "");
    git(repo.root(), &["add", "."]);
    git(repo.root(), &["commit", "-q", "-m", "a long name"]);
    assert!(!may_hide(&index), "nothing is hidden");
    for (version, bit) in [("2", "assume-unchanged"), ("3", "skip-worktree"), ("4", "assume-unchanged")] {
        git(repo.root(), &["update-index", "--index-version", version]);
        for path in ["a.txt", "b.txt"] {
            git(repo.root(), &["update-index", &format!("--{bit}"), path]);
        }
        assert_eq!(repo.hidden_from_status().expect("lists"), Vec::<PathBuf>::new(), "{bit}: as committed");
        write(&repo, "a.txt", "mine\n");
        assert_eq!(git(repo.root(), &["status", "--porcelain"]), "", "{bit}");
        let before = repo.snapshot().expect("a snapshot");
        assert_eq!(before.dirty.keys().collect::<Vec<_>>(), [Path::new("a.txt")], "{bit}");
        let kept = repo.keep(&before, "7").expect("is kept");

        write(&repo, "a.txt", "theirs\n");
        let after = repo.snapshot().expect("a snapshot");
        let work = repo.uncommitted_work(&before, &after, [Path::new("a.txt")]).expect("compares");
        assert_eq!(work.changed, ["a.txt"], "{bit}");
        repo.restore(repo.restoration(&kept.name, &[]).expect("is there")).expect("restores");
        assert_eq!(std::fs::read_to_string(repo.root().join("a.txt")).expect("reads"), "mine\n", "{bit}");

        std::fs::remove_file(repo.root().join("b.txt")).expect("removes");
        let gone = repo.hidden_from_status().expect("lists").contains(&PathBuf::from("b.txt"));
        assert_eq!(gone, bit == "assume-unchanged", "a sparse checkout lacks files");
        for path in ["a.txt", "b.txt"] {
            git(repo.root(), &["update-index", &format!("--no-{bit}"), path]);
        }
        git(repo.root(), &["reset", "-q", "--hard"]);
        assert!(version == "4" || !may_hide(&index), "{bit}");
    }
}
