//! Commits that an agent leaves on no branch.

use super::*;
use ralph_core::run::GitRemark;

#[test]
fn commits_that_end_up_on_no_branch_are_told_unless_their_work_is_there() {
    type Work<'a> = &'a dyn Fn(&Repo);
    let committed = |repo: &Repo, start: &[&str]| {
        git(repo.root(), start);
        write(repo, "new.txt", "new\n");
        commit(repo, "its own")
    };
    let detached = ["checkout", "-q", "--detach"];
    let on_branch = ["checkout", "-q", "-b", "tried"];
    let run = |repo: &Repo, steps: &[&[&str]]| steps.iter().for_each(|step| drop(git(repo.root(), step)));
    let back: &[&str] = &["switch", "-q", "main"];
    let cases: [(&str, Work<'_>, bool); 7] = [
        ("detached", &|r| (committed(r, &detached), run(r, &[back])).1, true),
        ("deleted", &|r| (committed(r, &on_branch), run(r, &[back, &["branch", "-D", "tried"]])).1, true),
        ("branch", &|r| (committed(r, &on_branch), run(r, &[back, &["branch", "-m", "tried", "kept"]])).1, false),
        ("tag", &|r| (committed(r, &detached), run(r, &[&["tag", "kept"], back])).1, false),
        ("pick", &|r| (committed(r, &detached), run(r, &[back, &["cherry-pick", "HEAD@{1}"]])).1, false),
        (
            "squash",
            &|r| {
                committed(r, &on_branch);
                write(r, "more.txt", "more\n");
                commit(r, "and more");
                run(r, &[back, &["merge", "-q", "--squash", "tried"], &["commit", "-q", "-m", "all"], &["branch", "-D", "tried"]]);
            },
            false,
        ),
        ("amend", &|r| (committed(r, &["status"]), run(r, &[&["commit", "-q", "--amend", "-m", "other words"]])).1, false),
    ];
    for (name, work, is_left) in cases {
        let (_directory, repo) = sample();
        git(repo.root(), &["config", "user.email", "a@example.org"]);
        git(repo.root(), &["config", "user.name", "A"]);
        let before = repo.standing().expect("before");
        work(&repo);
        let mut remarks = repo.what_became(&before, &repo.standing().expect("after"), &BTreeSet::new()).expect("is told");
        remarks.retain(|remark| matches!(remark, GitRemark::LeftBehind { .. }));
        assert_eq!(!remarks.is_empty(), is_left, "{name}: {remarks:?}");
        if let [left] = &remarks[..] {
            // It is held, and the way back restores it.
            repo.hold_unreferenced(&remarks).expect("is held");
            git(repo.root(), &["reflog", "expire", "--expire=now", "--all"]);
            git(repo.root(), &["gc", "-q", "--prune=now"]);
            let back = left.way_back().expect("a way back");
            git(repo.root(), &back.split(' ').skip(1).collect::<Vec<_>>());
            assert_eq!(git(repo.root(), &["show", "left-behind:new.txt"]), "new", "{name}");
        }
    }
}
