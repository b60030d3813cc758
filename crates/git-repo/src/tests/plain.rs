//! What is read without git is what git says.

use super::{git, sample, write};
use crate::{GitError, Repo};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn what_is_read_without_git_is_what_git_says() {
    let (_directory, repo) = sample();
    let root = repo.root();
    assert_eq!(crate::plain::branch(root), Some(repo.branch().expect("branch")));
    git(root, &["checkout", "-q", "-b", "deep/side"]);
    assert_eq!(crate::plain::branch(root), Some(Some("deep/side".to_owned())));
    git(root, &["checkout", "-q", "--detach"]);
    assert_eq!((crate::plain::branch(root), repo.branch().expect("branch")), (Some(None), None));
    assert_eq!(repo.own_programs().expect("filters"), []);
    std::fs::write(root.join("other"), "[FILTER \"x\"]\n\tclean = run me\n").expect("writes");
    git(root, &["config", "include.path", "../other"]);
    assert_eq!(repo.own_programs().expect("filters"), [("filter.x.clean".to_owned(), "run me".to_owned())]);
}

#[test]
fn files_that_got_in_by_force_are_found_in_each_form_of_the_index_and_taken_out_again() {
    let (_directory, repo) = sample();
    let root = repo.root().to_owned();
    let (folder, but) = (root.join("[p] q/.ralph/db"), root.join("[p] q/.ralph/db/memory"));
    fs::create_dir_all(&but).expect("folders");
    for name in ["ralph.db", "ralph.db-wal", "memory/pay.jsonl", "memory.txt"] {
        fs::write(folder.join(name), "old").expect("writes");
    }
    let tracked = || repo.tracked_below(&folder, &but).expect("git answers").len();
    git(&root, &["--literal-pathspecs", "add", "--force", "[p] q/.ralph/db/memory"]);
    assert!(crate::plain::certainly_tracks_none_below(&root, Path::new("[p] q/.ralph/db"), Path::new("[p] q/.ralph/db/memory")));
    assert_eq!(tracked(), 0, "journals are meant to be there");
    git(&root, &["add", "--force", "."]);
    for form in ["2", "3", "4"] {
        git(&root, &["update-index", "--index-version", form]);
        assert_eq!(tracked(), 3, "form {form}");
    }
    git(&root, &["update-index", "--index-version", "2", "--split-index"]);
    assert_eq!((tracked(), repo.committed_below(&folder, &but).expect("git answers").len()), (3, 0), "a split index");
    git(&root, &["commit", "--quiet", "--message", "all of it"]);
    assert_eq!(repo.committed_below(&folder, &but).expect("git answers").len(), 3);
    fs::write(folder.join("ralph.db"), "staged").expect("writes");
    git(&root, &["add", "--force", "."]);
    fs::write(folder.join("ralph.db"), "new").expect("writes");
    repo.untrack_below(&folder, &but).expect("is taken out");
    let names = git(&root, &["ls-files"]);
    assert!(tracked() == 0 && names.contains("memory/pay.jsonl"), "{names}");
    assert_eq!(fs::read_to_string(folder.join("ralph.db")).expect("stays"), "new");
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
    assert_eq!(known(&side), Some(side.canonicalize().expect("a folder")), "a linked worktree");
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

#[test]
fn references_heads_and_operations_are_what_git_says_in_every_work_tree() {
    let (directory, repo, side) = super::merge::pair();
    git(repo.root(), &["clone", "-q", ".", &directory.path().join("clone").to_string_lossy()]);
    let clone = Repo::discover(&directory.path().join("clone")).expect("a clone");
    for (step, args) in [
        ("as they are", &["status"][..]),
        ("another branch", &["branch", "deep/er/name"]),
        ("packed", &["pack-refs", "--all"]),
        ("moved since", &["commit", "-q", "--allow-empty", "-m", "more"]),
        ("deleted", &["branch", "-q", "-D", "deep/er/name"]),
        ("on no branch", &["checkout", "-q", "--detach"]),
        ("before the first commit", &["checkout", "-q", "--orphan", "new"]),
    ] {
        // Of branches the two know the same.
        let is_shared = args[0] == "branch" || args.contains(&"--orphan");
        for tree in [&repo, &clone].into_iter().chain((!is_shared).then_some(&side)) {
            git(tree.root(), args);
        }
        for tree in [&repo, &side, &clone] {
            let root = tree.root();
            assert_eq!(crate::plain::work_tree(root).as_deref(), Some(root.canonicalize().expect("a folder").as_path()), "{step}");
            let said =
                super::Command::new("git").arg("-C").arg(root).args(["rev-parse", "--verify", "--quiet", "HEAD"]).output().expect("git");
            let said = Some(String::from_utf8_lossy(&said.stdout).trim().to_owned()).filter(|id| !id.is_empty());
            assert_eq!(crate::plain::head(root), Some(said), "{step}: {}", root.display());
            let place = crate::plain::Place::of(root).expect("a place");
            let known = place.references(&["refs/heads", "refs/remotes"]).expect("known");
            let listed = git(
                root,
                &["for-each-ref", "--format=%(if)%(symref)%(then)%(else)%(objectname) %(refname)%(end)", "refs/heads", "refs/remotes"],
            );
            let listed: Vec<&str> = listed.lines().filter(|line| !line.is_empty()).collect();
            assert_eq!(known.iter().map(|(name, id)| format!("{id} {name}")).collect::<Vec<_>>().len(), listed.len(), "{step}");
            for (name, id) in &known {
                assert!(listed.contains(&format!("{id} {name}").as_str()), "{step}: {name}");
                assert_eq!(place.reference(name), Some(Some(id.clone())), "{step}");
            }
            assert_eq!(place.reference("refs/heads/nothing"), Some(None), "{step}");
        }
    }
    let folders = |repo: &Repo| (repo.common_folder().expect("common"), repo.git_folder().expect("own"));
    assert_eq!(folders(&side).0, folders(&repo).1, "shared");
    assert!(folders(&side).1.ends_with("worktrees/side"));
    assert!(crate::plain::certainly_no_stash(side.root()));
    git(repo.root(), &["checkout", "-q", "-f", "main"]);
    super::write(&repo, "a.txt", "put aside\n");
    git(repo.root(), &["stash", "-q"]);
    assert!(!crate::plain::certainly_no_stash(side.root()) && repo.standing().expect("standing") != Default::default());
}

#[test]
fn a_repository_that_git_refuses_is_none_that_is_missing() {
    let bare: fn(&Repo) = |repo| drop(git(repo.root(), &["config", "core.bare", "true"]));
    let newer: fn(&Repo) = |repo| {
        git(repo.root(), &["config", "core.repositoryFormatVersion", "1"]);
        git(repo.root(), &["config", "extensions.unheardOf", "true"]);
    };
    let broken: fn(&Repo) = |repo| fs::write(repo.root().join(".git/HEAD"), "junk").expect("head");
    for (spoil, said, way_out) in
        [(bare, "work tree", "core.bare"), (newer, "unheardof", "update git"), (broken, "not a git repository", "git status")]
    {
        let (_directory, repo) = sample();
        write(&repo, "src/x.rs", "");
        spoil(&repo);
        for inside in ["", "src"] {
            let error = Repo::discover(&repo.root().join(inside)).expect_err(said);
            assert!(matches!(&error, GitError::Refused { path, message } if path == repo.root() && message.contains(said)), "{error}");
            assert!(error.way_out().contains(way_out), "{}", error.way_out());
        }
    }
    let directory = TempDir::new().expect("temporary folder");
    fs::create_dir(directory.path().join(".git")).expect("folder");
    assert!(matches!(Repo::discover(directory.path()), Err(GitError::NotARepository { .. })), "an empty folder is not a repository");
}
