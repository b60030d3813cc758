//! What is read without git is what git says.

use super::{git, sample, write};
use crate::Repo;
use std::path::Path;

#[test]
fn what_is_read_without_git_is_what_git_says() {
    let (_directory, repo) = sample();
    let root = repo.root();
    let ask = |path: &str| repo.tracks(&root.join(path)).expect("tracks");
    write(&repo, "new.txt", "new\n");
    for form in ["2", "3", "4"] {
        git(root, &["update-index", "--index-version", form]);
        assert_eq!((ask("a.txt"), ask("new.txt"), ask("b")), (true, false, false), "form {form}");
    }
    git(root, &["update-index", "--index-version", "2", "--split-index"]);
    assert!(ask("a.txt"), "a split index");
    assert_eq!(crate::plain::branch(root), Some(repo.branch().expect("branch")));
    git(root, &["checkout", "-q", "-b", "deep/side"]);
    assert_eq!(crate::plain::branch(root), Some(Some("deep/side".to_owned())));
    git(root, &["checkout", "-q", "--detach"]);
    assert_eq!((crate::plain::branch(root), repo.branch().expect("branch")), (Some(None), None));
    assert_eq!(repo.own_filters().expect("filters"), []);
    std::fs::write(root.join("other"), "[FILTER \"x\"]\n\tclean = run me\n").expect("writes");
    git(root, &["config", "include.path", "../other"]);
    assert_eq!(repo.own_filters().expect("filters"), [("filter.x.clean".to_owned(), "run me".to_owned())]);
}

#[test]
fn the_root_that_is_found_without_git_is_what_git_finds() {
    let (directory, repo) = sample();
    let root = repo.root();
    let known = |path: &Path| crate::plain::work_tree(path);
    assert_eq!(known(root), Some(root.canonicalize().expect("a folder")));
    std::fs::create_dir(root.join("deep")).expect("a folder");
    assert_eq!(known(&root.join("deep")), None, "below the root git looks upwards");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root, directory.path().join("link")).expect("a link");
        assert_eq!(Repo::discover(&directory.path().join("link")).expect("a repository").root(), root);
    }
    let side = directory.path().join("side");
    git(root, &["worktree", "add", "-q", "-b", "side", &side.to_string_lossy()]);
    assert_eq!(known(&side), None, "a linked worktree");
    let bare = directory.path().join("bare");
    git(directory.path(), &["clone", "-q", "--bare", &root.to_string_lossy(), "bare"]);
    assert_eq!(known(&bare), None);
    let config = std::fs::read_to_string(root.join(".git/config")).expect("a configuration");
    for more in
        ["[core]\n\tworktree = ../elsewhere\n", "[extensions]\n\tworktreeConfig = true\n", "[core]\n\tBare = True\n", "[core]\nbare\n"]
    {
        std::fs::write(root.join(".git/config"), format!("{config}{more}")).expect("writes");
        assert_eq!(known(root), None, "{more}");
    }
    std::fs::write(root.join(".git/config"), config).expect("writes");
    assert!(known(root).is_some());
    std::fs::write(root.join(".git/HEAD"), "").expect("writes");
    assert_eq!(known(root), None, "no repository");
}
