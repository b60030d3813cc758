//! Changes of a repository, as reported by git.

use super::merge::head;
use super::*;
use ralph_core::run::{GitRemark, HistoryChange, KeptAside};

/// Git's findings on `work`, and on the uncommitted files `mine`.
pub(super) fn told(repo: &Repo, mine: &[&str], work: impl FnOnce()) -> Vec<String> {
    let (before, standing) = (repo.snapshot().expect("before"), repo.standing().expect("before"));
    work();
    let after = repo.snapshot().expect("after");
    let mut remarks = repo.what_became(&standing, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told");
    let work = repo.uncommitted_work(&before, &after, mine.iter().map(Path::new)).expect("is told");
    if !work.gone.is_empty() {
        remarks.push(GitRemark::WorkGone { paths: work.gone, more: 0, kept: KeptAside::default() });
    }
    if !work.changed.is_empty() {
        remarks.push(GitRemark::WorkChanged { paths: work.changed, more: 0, kept: KeptAside::default() });
    }
    // Commit ids differ from run to run.
    remarks.iter().map(|remark| remark.in_words().split(": it was").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn ordinary_work_is_no_remark() {
    let (_directory, repo) = sample();
    write(&repo, "mine.txt", "mine\n");
    let nothing: Vec<String> = Vec::new();
    assert_eq!(
        told(&repo, &["mine.txt"], || {
            write(&repo, "a.txt", "2\n");
            git(repo.root(), &["commit", "-q", "-am", "second"]);
        }),
        nothing
    );
    assert_eq!(told(&repo, &["mine.txt"], || drop(commit(&repo, "and the person's, as it stood"))), nothing);
    let empty = Repo::init(&repo.root().join("../empty")).expect("init");
    write(&empty, "x", "x\n");
    assert_eq!(told(&empty, &[], || drop(commit(&empty, "first"))), nothing, "the first commit loses nothing");
}

#[test]
fn the_commit_that_a_detached_head_leaves_behind_is_named() {
    let (_directory, repo) = sample();
    git(repo.root(), &["checkout", "-q", "--detach"]);
    write(&repo, "a.txt", "2\n");
    let left = commit(&repo, "on no branch");
    let standing = repo.standing().expect("before");
    git(repo.root(), &["checkout", "-q", "main"]);
    let remarks = repo.what_became(&standing, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told");
    let expected = GitRemark::BranchSwitched { from: None, to: Some("main".into()), behind: true, head: Some(left) };
    assert_eq!(remarks, [expected]);
}

#[test]
fn branches_history_stash_and_unfinished_operations_are_told() {
    type Work<'a> = &'a dyn Fn(&Repo);
    let cases: [(&str, Work<'_>, &[&str]); 10] = [
        ("switch", &|r| drop(git(r.root(), &["checkout", "-q", "-b", "fix"])), &["switched from 'main' to 'fix'"]),
        ("detach", &|r| drop(git(r.root(), &["checkout", "-q", "--detach"])), &["switched from 'main' to no branch"]),
        (
            "back",
            &|r| drop(git(r.root(), &["checkout", "-q", "HEAD~1"])),
            &["switched from 'main' to no branch, which lacks commits that were checked out before"],
        ),
        ("reset", &|r| drop(git(r.root(), &["reset", "-q", "--hard", "HEAD~1"])), &["branch 'main' was set back"]),
        ("amend", &|r| drop(git(r.root(), &["commit", "-q", "--amend", "-m", "other words"])), &["branch 'main' was rewritten"]),
        (
            "rename",
            &|r| drop(git(r.root(), &["branch", "-m", "main", "trunk"])),
            &["switched from 'main' to 'trunk'", "branch 'main' is 'trunk' now"],
        ),
        ("delete", &|r| drop(git(r.root(), &["branch", "-D", "side"])), &["branch 'side' was deleted"]),
        (
            "stash",
            &|r| {
                write(r, "a.txt", "mine\n");
                git(r.root(), &["stash", "-q"]);
            },
            &["work was put on the stash"],
        ),
        (
            "merge",
            &|r| {
                let refused = Command::new("git").args(["merge", "-q", "side"]).current_dir(r.root()).output().expect("git runs");
                assert!(!refused.status.success(), "is a conflict");
            },
            &["a merge was begun and not ended"],
        ),
        (
            "rebase",
            &|r| {
                let refused = Command::new("git").args(["rebase", "-q", "side"]).current_dir(r.root()).output().expect("git runs");
                assert!(!refused.status.success(), "is a conflict");
            },
            &["switched from 'main' to no branch, which lacks commits that were checked out before", "a rebase was begun and not ended"],
        ),
    ];
    for (name, work, expected) in cases {
        let (_directory, repo) = sample();
        git(repo.root(), &["config", "user.email", "a@example.org"]);
        git(repo.root(), &["config", "user.name", "A"]);
        git(repo.root(), &["checkout", "-q", "-b", "side"]);
        write(&repo, "a.txt", "side\n");
        commit(&repo, "side");
        git(repo.root(), &["checkout", "-q", "main"]);
        write(&repo, "a.txt", "2\n");
        commit(&repo, "second");
        assert_eq!(told(&repo, &[], || work(&repo)), expected, "{name}");
    }
}

#[test]
fn a_person_s_stash_that_is_dropped_is_told_with_its_commit() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "mine\n");
    git(repo.root(), &["stash", "-q"]);
    let entry = git(repo.root(), &["rev-parse", "refs/stash"]);
    let before = repo.standing().expect("before");
    git(repo.root(), &["stash", "drop", "-q"]);
    let remarks = repo.what_became(&before, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told");
    assert_eq!(remarks, [GitRemark::StashDropped { commits: vec![entry] }]);
}

#[test]
fn tags_that_are_deleted_or_moved_are_told_with_what_they_named_and_new_ones_are_not() {
    let (_directory, repo) = sample();
    for arguments in [&["tag", "v1"][..], &["-c", "user.name=A", "-c", "user.email=a@b", "tag", "-a", "-m", "two", "v2"], &["tag", "v3"]] {
        git(repo.root(), arguments);
    }
    let [first, annotated] = ["v1", "v2"].map(|tag| git(repo.root(), &["rev-parse", &format!("refs/tags/{tag}")]));
    write(&repo, "a.txt", "2\n");
    let second = commit(&repo, "second");
    let before = repo.standing().expect("before");
    git(repo.root(), &["tag", "--force", "v1", "HEAD"]);
    git(repo.root(), &["tag", "--delete", "v2"]);
    git(repo.root(), &["tag", "v4"]);
    git(repo.root(), &["pack-refs", "--all"]);
    let remarks = repo.what_became(&before, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told");
    let moved = |tag: &str, from: &str, to: Option<&String>| GitRemark::TagMoved { tag: tag.into(), from: from.into(), to: to.cloned() };
    assert_eq!(remarks, [moved("v1", &first, Some(&second)), moved("v2", &annotated, None)]);
    // The annotated tag itself is held, and the way back restores it.
    repo.hold_unreferenced(&remarks).expect("is held");
    git(repo.root(), &["gc", "-q", "--prune=now"]);
    let back = remarks[1].way_back().expect("a way back");
    let back: Vec<&str> = back.split(' ').skip(1).collect();
    git(repo.root(), &back);
    assert_eq!(git(repo.root(), &["rev-parse", "refs/tags/v2"]), annotated);
}

#[test]
fn a_branch_that_is_deleted_on_the_remote_is_told_with_its_commit() {
    let (directory, repo) = sample();
    git(directory.path(), &["init", "-q", "--bare", "--initial-branch=main", "origin.git"]);
    git(repo.root(), &["remote", "add", "origin", "../origin.git"]);
    git(repo.root(), &["checkout", "-q", "-b", "side"]);
    write(&repo, "a.txt", "side\n");
    let side = commit(&repo, "side");
    git(repo.root(), &["push", "-q", "origin", "main", "side", "side:copy"]);
    git(repo.root(), &["checkout", "-q", "main"]);
    let became = |work: &[&str]| {
        let before = repo.standing().expect("before");
        git(repo.root(), work);
        repo.what_became(&before, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told")
    };
    assert_eq!(became(&["push", "-q", "origin", "--delete", "copy"]), [], "another branch there has the same commit");
    assert_eq!(became(&["remote", "rename", "origin", "up"]), [], "a remote with another name");
    let gone = GitRemark::RemoteBranchesGone { branches: vec!["up/side".into()], commits: vec![side] };
    assert_eq!(became(&["push", "-q", "up", ":side"]), [gone]);
}

#[test]
fn a_work_tree_that_is_removed_is_told_and_one_that_is_moved_or_another_s_is_not() {
    let (directory, repo) = sample();
    for name in ["mine", "moved", "others"] {
        git(repo.root(), &["worktree", "add", "-q", "-b", name, &format!("../{name}")]);
    }
    let before = repo.standing().expect("before");
    git(repo.root(), &["worktree", "move", "../moved", "../elsewhere"]);
    for name in ["mine", "others"] {
        git(repo.root(), &["worktree", "remove", "--force", &format!("../{name}")]);
    }
    let gone = Repo::checkouts_gone(&before, &repo.standing().expect("after"), |folder| folder.ends_with("others"));
    let [GitRemark::CheckoutGone { path, branch, head }] = &gone[..] else { panic!("{gone:?}") };
    let root = directory.path().canonicalize().expect("a folder");
    assert_eq!((Path::new(path), branch.as_deref()), (root.join("mine").as_path(), Some("mine")));
    assert_eq!(head.as_deref(), Some(git(repo.root(), &["rev-parse", "HEAD"]).as_str()));
    let back = gone[0].way_back().expect("a way back");
    git(repo.root(), &back.split(' ').skip(1).collect::<Vec<_>>());
    assert!(root.join("mine/.git").exists());
}

#[test]
fn a_push_is_told_and_a_fetch_is_none() {
    let (directory, repo) = sample();
    git(directory.path(), &["init", "-q", "--bare", "--initial-branch=main", "origin.git"]);
    git(repo.root(), &["remote", "add", "origin", "../origin.git"]);
    assert_eq!(told(&repo, &[], || drop(git(repo.root(), &["push", "-q", "origin", "main"]))), ["pushed to origin/main"]);
    git(directory.path(), &["clone", "-q", "origin.git", "other"]);
    let other = Repo::discover(&directory.path().join("other")).expect("a clone");
    write(&other, "c.txt", "c\n");
    commit(&other, "theirs");
    git(other.root(), &["push", "-q", "origin", "HEAD:main"]);
    assert!(told(&repo, &[], || drop(git(repo.root(), &["fetch", "-q"]))).is_empty(), "a fetch is not a push");
    let forced = told(&repo, &[], || drop(git(repo.root(), &["push", "-q", "--force", "origin", "main"])));
    assert_eq!(forced, ["pushed with force to origin/main"]);
}

#[test]
fn what_is_pulled_or_merged_is_the_work_of_others_and_what_is_pushed_is_not() {
    let (directory, repo) = sample();
    git(directory.path(), &["init", "-q", "--bare", "--initial-branch=main", "origin.git"]);
    git(repo.root(), &["remote", "add", "origin", "../origin.git"]);
    git(repo.root(), &["push", "-q", "origin", "main"]);
    git(directory.path(), &["clone", "-q", "origin.git", "other"]);
    let other = Repo::discover(&directory.path().join("other")).expect("a clone");
    write(&other, "c.txt", "c\n");
    commit(&other, "theirs");
    git(other.root(), &["push", "-q", "origin", "HEAD:main"]);
    git(repo.root(), &["checkout", "-q", "-b", "up"]);
    write(&repo, "up.txt", "up\n");
    commit(&repo, "a colleague's");
    git(repo.root(), &["checkout", "-q", "main"]);

    let own = |work: &dyn Fn()| {
        let (before, standing) = (repo.snapshot().expect("before"), repo.standing().expect("before"));
        work();
        let after = repo.snapshot().expect("after");
        let known = repo.work_of_others(&standing, &repo.standing().expect("after")).expect("is told");
        let commits = repo.commits_beyond(before.head(), after.head(), &known, 9).expect("commits");
        let others = repo.files_of_others(before.head(), after.head(), &known, commits.len()).expect("files");
        let files = repo.changed_files([&before, &after], &others, 9).expect("files");
        (commits.iter().filter_map(|commit| Some(commit.split_once(' ')?.1.to_owned())).collect::<Vec<_>>(), files)
    };
    let nothing = (Vec::<String>::new(), Vec::<String>::new());
    assert_eq!(own(&|| drop(git(repo.root(), &["merge", "-q", "up"]))), nothing, "a branch that was there");
    let pulled = own(&|| drop(git(repo.root(), &["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"])));
    assert!(pulled.0.len() == 1 && pulled.0[0].starts_with("Merge branch") && pulled.1.is_empty(), "{pulled:?}");
    let work = || {
        write(&repo, "a.txt", "mine\n");
        commit(&repo, "mine");
        git(repo.root(), &["push", "-q", "origin", "main"]);
    };
    assert_eq!(own(&work), (vec!["mine".to_owned()], vec!["a.txt".to_owned()]), "pushed, it is still its own");
}

#[test]
fn a_person_s_work_is_gone_or_changed_and_committed_as_it_stood_it_is_neither() {
    let (_directory, repo) = sample();
    let mine = ["a.txt", "mine.txt", "kept.txt", "grown.txt"];
    let start = || {
        write(&repo, "a.txt", "mine\n");
        for path in &mine[1..] {
            write(&repo, path, "mine\n");
        }
    };
    start();
    let work = || {
        git(repo.root(), &["checkout", "-q", "--", "a.txt"]);
        fs::remove_file(repo.root().join("mine.txt")).expect("removes");
        git(repo.root(), &["add", "kept.txt", "grown.txt"]);
        git(repo.root(), &["commit", "-q", "-m", "kept"]);
        write(&repo, "grown.txt", "mine\nand more\n");
    };
    assert_eq!(told(&repo, &mine, work), ["uncommitted work is gone: a.txt, mine.txt", "uncommitted work was changed: grown.txt"]);
    // Finished and committed counts as changed, not gone.
    write(&repo, "a.txt", "half\n");
    let finish = || {
        write(&repo, "a.txt", "half and whole\n");
        git(repo.root(), &["commit", "-q", "-am", "finished"]);
    };
    assert_eq!(told(&repo, &["a.txt"], finish), ["uncommitted work was changed: a.txt"]);
}

#[test]
fn a_branch_that_another_one_took_over_is_rewritten_and_a_lost_one_is_found_by_its_commit() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "2\n");
    let lost = commit(&repo, "second");
    let before = repo.standing().expect("before");
    git(repo.root(), &["checkout", "-q", "--orphan", "fresh"]);
    git(repo.root(), &["commit", "-q", "-m", "fresh"]);
    git(repo.root(), &["branch", "-f", "main", "fresh"]);
    let remarks = repo.what_became(&before, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told");
    let moved = remarks.iter().find_map(|remark| match remark {
        GitRemark::HistoryMoved { branch, change, from, .. } => Some((branch.as_deref(), *change, from.as_str())),
        _ => None,
    });
    assert_eq!(moved, Some((Some("main"), HistoryChange::Rewritten, lost.as_str())));
    assert!(remarks.iter().all(GitRemark::harms), "{remarks:?}");
}

#[test]
fn commits_that_come_to_a_branch_where_nobody_works_are_told_and_merges_are_not() {
    let (_directory, repo, side) = super::merge::pair();
    let told = |work: &dyn Fn(), others: &[&str]| {
        let before = side.standing().expect("before");
        work();
        let others = others.iter().map(|name| (*name).to_owned()).collect();
        let remarks = side.what_became(&before, &side.standing().expect("after"), &others).expect("is told");
        remarks.iter().map(|remark| (remark.in_words(), remark.harms())).collect::<Vec<_>>()
    };
    let first = repo.head().expect("head").expect("a commit");
    let by_hand = || {
        write(&repo, "hacked.txt", "x");
        commit(&repo, "by hand");
    };
    let (words, harms) = told(&by_hand, &[]).pop().expect("a remark");
    assert!(words.starts_with("commits came to 'main' while it worked on another branch: ") && !harms, "{words}");
    git(repo.root(), &["reset", "-q", "--hard", &first]);
    let tip = side.head().expect("head").expect("a commit");
    assert_eq!(told(&|| drop(side.land("main", &first, &tip, super::landing::begins).expect("lands")), &[]), vec![], "a merge");
    git(repo.root(), &["reset", "-q", "--hard", &first]);
    git(repo.root(), &["checkout", "-q", "--detach"]);
    let (words, harms) = told(&|| drop(git(side.root(), &["branch", "-f", "main", "HEAD"])), &[]).pop().expect("a remark");
    assert!(words.starts_with("its own work came to 'main' without a merge by Ralph: ") && harms, "{words}");
    let elsewhere = || {
        git(side.root(), &["checkout", "-q", "-b", "feat"]);
        write(&side, "feat.txt", "x");
        commit(&side, "elsewhere");
        git(side.root(), &["checkout", "-q", "work"]);
    };
    let (words, harms) = told(&elsewhere, &[]).pop().expect("a remark");
    assert!(words.starts_with("the new branch 'feat' holds commits that are on none other: ") && !harms, "{words}");
    assert_eq!(told(&|| drop(git(side.root(), &["branch", "mark"])), &[]), vec![], "a name for what is checked out");
    let of_others = || drop(git(repo.root(), &["branch", "-f", "feat", &first]));
    assert_eq!(told(&of_others, &["feat"]), vec![], "of another agent");
}

#[test]
fn added_lines_are_those_of_every_commit_in_between() {
    let (_directory, repo) = sample();
    let before = repo.head().expect("head");
    write(&repo, "a.txt", "a\nsecret one\n");
    commit(&repo, "second");
    write(&repo, "a.txt", "a\n");
    write(&repo, "dir/c.txt", "+++ plus\n");
    let after = commit(&repo, "taken out again");
    let added = repo.added_lines(before.as_deref(), Some(&after), 1 << 20).expect("reads");
    let found: Vec<(&str, &str)> = added.iter().map(|(path, lines)| (path.as_str(), lines.as_str())).collect();
    assert_eq!(found, [("a.txt", "secret one\n"), ("dir/c.txt", "+++ plus\n")]);
    assert!(repo.added_lines(None, Some(&after), 1 << 20).expect("reads").contains_key("b.txt"), "all of it from the beginning");
    assert!(repo.added_lines(Some(&after), Some(&after), 1 << 20).expect("reads").is_empty());
}

#[test]
fn a_commit_is_referenced_until_no_reference_leads_to_it() {
    let (_directory, repo) = sample();
    let first = head(&repo);
    write(&repo, "a.txt", "more\n");
    commit(&repo, "second");
    let second = head(&repo);
    git(repo.root(), &["checkout", "-q", "--detach", &first]);
    assert!(repo.is_referenced(&second).expect("is told"));
    git(repo.root(), &["checkout", "-q", "-B", "other", &first]);
    assert!(repo.is_referenced(&second).expect("is told"), "the other branch still has it");
    let branches = git(repo.root(), &["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    for branch in branches.lines().filter(|branch| *branch != "other") {
        git(repo.root(), &["branch", "-q", "-D", branch]);
    }
    assert!(!repo.is_referenced(&second).expect("is told"));
    git(repo.root(), &["tag", "kept", &second]);
    assert!(repo.is_referenced(&second).expect("is told"));
}

#[test]
fn a_deleted_branch_is_not_called_renamed_because_another_holds_its_commit() {
    let (_directory, repo) = sample();
    let work = |commands: &[&[&str]]| {
        let before = repo.standing().expect("before");
        commands.iter().for_each(|command| drop(git(repo.root(), command)));
        let found = repo.what_became(&before, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told");
        found
            .into_iter()
            .filter(|remark| matches!(remark, GitRemark::BranchRenamed { .. } | GitRemark::HistoryMoved { .. }))
            .collect::<Vec<_>>()
    };
    git(repo.root(), &["branch", "one"]);
    let gone = work(&[&["branch", "two", "one"], &["branch", "-D", "one"]]);
    assert!(matches!(gone.as_slice(), [GitRemark::HistoryMoved { change: HistoryChange::Gone, .. }]), "{gone:?}");
    let renamed = work(&[&["branch", "-m", "two", "three"], &["branch", "-m", "three", "four"]]);
    assert_eq!(renamed, [GitRemark::BranchRenamed { from: "two".to_owned(), to: "four".to_owned() }]);
}
