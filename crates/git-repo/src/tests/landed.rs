//! What has landed of a branch, whatever way it came there, where its work begins, and what was taken back.

use super::merge::{head, pair};
use super::{commit, git, write};
use crate::{Hooks, MergeOutcome, Repo};

/// Runs git with words that hold no blanks.
fn does(repo: &Repo, commands: &[&str]) {
    for command in commands {
        git(repo.root(), &command.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn what_landed_by_other_hands_is_recognised() {
    for (name, by) in [
        ("squash", &["merge --squash work", "commit -qm all"][..]),
        ("picked", &["cherry-pick work~1", "cherry-pick work"][..]),
        ("merged", &["merge -q --no-ff -m m work"][..]),
    ] {
        let (_directory, repo, side) = pair();
        let start = head(&repo);
        write(&side, "a.txt", "work\nmore\n");
        let tip = commit(&side, "more work");
        assert!(!repo.has_landed(&start, &tip, &head(&repo)).expect("asks"), "{name}");
        write(&repo, "b.txt", "moved on\n");
        commit(&repo, "moved on");
        for command in by {
            git(repo.root(), &command.split(' ').collect::<Vec<_>>());
        }
        assert!(repo.has_landed(&start, &tip, &head(&repo)).expect("asks"), "{name}");
        // The base changes the same lines.
        write(&repo, "a.txt", "later\n");
        commit(&repo, "later");
        assert!(repo.has_landed(&start, &tip, &head(&repo)).expect("asks"), "{name}, later");
    }
    let (_directory, repo, side) = pair();
    let start = head(&repo);
    git(repo.root(), &["cherry-pick", "work"]);
    write(&side, "c.txt", "c");
    let tip = commit(&side, "and more");
    assert!(!repo.has_landed(&start, &tip, &head(&repo)).expect("asks"), "only a part of it");
}

#[test]
fn what_was_taken_back_on_the_base_has_not_landed() {
    for (name, by) in [
        ("merged", &["merge -q --no-ff -m m work", "revert --no-edit -m 1 HEAD"][..]),
        ("squash", &["merge --squash work", "commit -qm all", "revert --no-edit HEAD"][..]),
        ("picked", &["cherry-pick work", "revert --no-edit HEAD"][..]),
    ] {
        let (_directory, repo, side) = pair();
        let (start, tip) = (head(&repo), head(&side));
        for command in by {
            git(repo.root(), &command.split(' ').collect::<Vec<_>>());
        }
        let taken = |base: &str| (repo.has_taken(&start, &tip, base).expect("asks"), repo.has_landed(&start, &tip, base).expect("asks"));
        assert_eq!(taken(&head(&repo)), (true, false), "{name}");
        git(repo.root(), &["revert", "--no-edit", "HEAD"]);
        assert_eq!(taken(&head(&repo)), (true, true), "{name}, and back again");
    }
    // Work that changes nothing in the end can't be taken back.
    let (_directory, repo, side) = pair();
    let start = head(&repo);
    git(side.root(), &["revert", "--no-edit", "HEAD"]);
    git(repo.root(), &["merge", "-q", "work"]);
    assert!(repo.has_landed(&start, &head(&side), &head(&repo)).expect("asks"));
}

#[test]
fn work_begins_where_it_was_started_although_the_base_lacks_that_commit() {
    let (directory, repo, _) = pair();
    let shared = head(&repo);
    write(&repo, "leak.txt", "a secret\n");
    let start = commit(&repo, "leak");
    let side = repo.add_worktree(&directory.path().join("other"), "other", &start, Hooks::Run).expect("a work tree");
    write(&side, "b.txt", "work\n");
    let tip = commit(&side, "work on b");
    let fork = |tip: &str, base: &str| repo.fork_of(&start, tip, base).expect("asks").map(|fork| (fork.commit, fork.is_left));
    assert_eq!(fork(&tip, &start), Some((start.clone(), false)));
    git(repo.root(), &["reset", "-q", "--hard", &shared]);
    assert_eq!(fork(&tip, &shared), Some((start.clone(), true)));
    write(&repo, "c.txt", "moved on\n");
    let base = commit(&repo, "moved on");
    let left = repo.fork_of(&start, &tip, &base).expect("asks").expect("related");
    assert_eq!(repo.conflicts(Some(&left), &base, &tip).expect("asks"), []);
    let planted = side.replant_apart(&left, &tip, &base, "Task #7").expect("plants");
    let MergeOutcome::Clean(planted) = planted else { panic!("{planted:?}") };
    assert_eq!(git(repo.root(), &["diff", "--name-only", &base, &planted]), "b.txt");
    assert!(repo.has_landed(&start, &tip, &planted).expect("asks"));
    side.leave_merge("other").expect("leaves");
    // Whoever took something from the base since, by a merge or a rebase, has what it is without.
    git(side.root(), &["merge", "-q", "-m", "base", &base]);
    assert_eq!(fork(&head(&side), &base), Some((base.clone(), false)));
    git(side.root(), &["reset", "-q", "--hard", &planted]);
    assert_eq!(fork(&planted, &base), Some((base.clone(), false)));
}

#[test]
fn what_a_merge_commit_of_the_work_adds_has_not_landed_with_its_ordinary_commits() {
    let (_directory, repo, side) = pair();
    let start = head(&repo);
    does(&side, &["branch part"]);
    write(&side, "c.txt", "c\n");
    commit(&side, "c");
    does(&repo, &["checkout -q part"]);
    write(&repo, "d.txt", "d\n");
    let other = commit(&repo, "d");
    does(&repo, &["checkout -q main"]);
    git(side.root(), &["merge", "-q", "--no-ff", "--no-commit", &other]);
    write(&side, "glue.txt", "glue\n");
    let tip = commit(&side, "merge with glue");
    for picked in ["part~1", "work^1", "part"] {
        git(repo.root(), &["cherry-pick", picked]);
    }
    assert!(!repo.has_taken(&start, &tip, &head(&repo)).expect("asks"), "glue.txt is nowhere else");
    does(&repo, &["merge --squash -q work", "commit -qm glue"]);
    assert!(repo.has_landed(&start, &tip, &head(&repo)).expect("asks"));
}

#[test]
fn work_that_took_its_base_over_is_seen_taken_back() {
    for (name, by) in [
        ("merged", &["merge -q --no-ff -m m work", "revert --no-edit -m 1 HEAD"][..]),
        ("squash", &["merge -q --squash work", "commit -qm all", "revert --no-edit HEAD"][..]),
    ] {
        for how in ["merge -q --no-edit main", "rebase -q main"] {
            let (_directory, repo, side) = pair();
            let start = head(&repo);
            write(&repo, "b.txt", "moved on\n");
            commit(&repo, "moved on");
            does(&side, &[how]);
            let tip = head(&side);
            does(&repo, by);
            let base = head(&repo);
            let told = (repo.has_taken(&start, &tip, &base).expect("asks"), repo.is_without(&start, &tip, &base).expect("asks"));
            assert_eq!(told, (true, true), "{name}, {how}");
            does(&repo, &["revert --no-edit HEAD"]);
            assert!(repo.has_landed(&start, &tip, &head(&repo)).expect("asks"), "{name}, {how}, and back again");
        }
    }
}

#[test]
fn work_that_was_taken_back_and_went_on_begins_where_it_did() {
    let (_directory, repo, side) = pair();
    let start = head(&repo);
    let first = head(&side);
    does(&repo, &["merge -q --no-ff -m m work"]);
    write(&side, "c.txt", "c\n");
    let tip = commit(&side, "and more");
    let fork = |base: &str| repo.fork_of(&start, &tip, base).expect("asks").map(|fork| (fork.commit, fork.is_left));
    assert_eq!(fork(&head(&repo)), Some((first.clone(), false)), "the base has the first part");
    does(&repo, &["revert --no-edit -m 1 HEAD"]);
    let base = head(&repo);
    assert_eq!(fork(&base), Some((start.clone(), true)));
    does(&repo, &["cherry-pick work"]);
    assert!(!repo.has_taken(&start, &tip, &head(&repo)).expect("asks"), "the first part is still gone");
    does(&repo, &["reset -q --hard HEAD~1", "revert --no-edit HEAD"]);
    assert_eq!(fork(&head(&repo)), Some((first, false)), "and back again");
}

#[test]
fn what_the_base_took_back_of_its_own_does_not_come_again_with_work_that_stands_on_it() {
    for how in ["merge -q --no-edit main", "rebase -q main"] {
        let (_directory, repo, side) = pair();
        let start = head(&repo);
        does(&repo, &["checkout -q -b other"]);
        write(&repo, "b.txt", "moved on\n");
        commit(&repo, "moved on");
        does(&repo, &["checkout -q main", "merge -q --no-ff -m other other"]);
        let taken = head(&repo);
        does(&side, &[how]);
        does(&repo, &["revert --no-edit -m 1 HEAD"]);
        let fork = repo.fork_of(&start, &head(&side), &head(&repo)).expect("asks").expect("related");
        assert_eq!((fork.commit, fork.is_left), (taken, false), "{how}");
    }
    // The same where it took that over before the base did.
    let (_directory, repo, side) = pair();
    let start = head(&repo);
    does(&repo, &["checkout -q -b other"]);
    write(&repo, "b.txt", "moved on\n");
    let other = commit(&repo, "moved on");
    does(&repo, &["checkout -q main", "merge -q --no-ff -m other other"]);
    does(&side, &["merge -q --no-edit other"]);
    does(&repo, &["revert --no-edit -m 1 HEAD"]);
    let fork = repo.fork_of(&start, &head(&side), &head(&repo)).expect("asks").expect("related");
    assert_eq!((fork.commit, fork.is_left), (other, false));
}

#[test]
fn work_is_planted_anew_whole_also_where_its_commits_alone_would_not_bring_it() {
    type Work<'a> = &'a dyn Fn(&Repo) -> String;
    let glued = |side: &Repo| {
        git(side.root(), &["merge", "-q", "--no-ff", "--no-commit", "apart"]);
        write(side, "glue.txt", "glue\n");
        commit(side, "merge with glue")
    };
    let to_and_fro = |side: &Repo| {
        for text in ["changed\n", "a\n"] {
            write(side, "a.txt", text);
            commit(side, "to and fro");
        }
        write(side, "glue.txt", "glue\n");
        commit(side, "glue")
    };
    let ways: [(&str, Work<'_>); 2] = [("merges", &glued), ("commits that contradict the base", &to_and_fro)];
    for (way, work) in ways {
        let (_directory, repo, side) = pair();
        let shared = head(&repo);
        does(&side, &["branch apart", "reset -q --hard HEAD~1"]);
        write(&side, "leak.txt", "a secret\n");
        let start = commit(&side, "leak");
        let tip = work(&side);
        write(&repo, "a.txt", if way == "merges" { "a\n" } else { "base\n" });
        write(&repo, "c.txt", "moved on\n");
        let base = commit(&repo, "moved on");
        let fork = repo.fork_of(&start, &tip, &base).expect("asks").expect("related");
        assert_eq!((&fork.commit, fork.is_left, git(repo.root(), &["merge-base", &tip, &base])), (&start, true, shared));
        let planted = side.replant_apart(&fork, &tip, &base, "Task #7").expect("plants");
        let MergeOutcome::Clean(planted) = planted else { panic!("{way}: {planted:?}") };
        let told = git(repo.root(), &["diff", "--name-only", &base, &planted]);
        assert_eq!((told.as_str(), head(&side)), (if way == "merges" { "a.txt\nglue.txt" } else { "glue.txt" }, planted.clone()), "{way}");
        assert_eq!(git(repo.root(), &["log", "--format=%s", &format!("{base}..{planted}")]).lines().count(), 1, "{way}");
        assert!(repo.has_landed(&start, &tip, &planted).expect("asks"), "{way}");
        side.leave_merge("work").expect("leaves");
        assert!(!side.is_amid_operation().expect("asks") && !side.is_dirty().expect("asks"));
    }
}

#[test]
fn journals_of_a_project_in_a_part_of_the_repository_don_t_hide_what_was_taken_back() {
    let (_directory, repo, _) = pair();
    for folder in ["", "packages/app"] {
        let journal = std::path::Path::new(folder).join(".ralph/db/memory/pay.jsonl");
        write(&repo, &journal, "0\n");
        let before = commit(&repo, "before");
        write(&repo, &journal, "1\n");
        write(&repo, "b.txt", "tried\n");
        let after = commit(&repo, "tried");
        write(&repo, &journal, "2\n");
        let went_on = commit(&repo, "went on");
        write(&repo, "b.txt", "b\n");
        let back = commit(&repo, "back");
        let of_project = repo.clone().of_project(&repo.root().join(folder));
        let told = [&went_on, &back].map(|head| of_project.still_changes(&before, &after, head).expect("asks"));
        assert_eq!(told, [Some(true), Some(false)], "{folder}");
        let of_journals = of_project.still_changes(&after, &went_on, &back).expect("asks");
        assert_eq!(of_journals, None, "{folder}: what changed no file can't have been taken back");
    }
}

#[test]
fn work_that_was_moved_and_then_rewritten_is_not_known_to_be_gone() {
    let (_directory, repo, _) = pair();
    let before = head(&repo);
    write(&repo, "setup.sh", "apt-get install -y gcc\nexit 0\n");
    let after = commit(&repo, "work");
    does(&repo, &["mv setup.sh tools.sh"]);
    let moved = commit(&repo, "moved");
    write(&repo, "tools.sh", "apk add clang lld\n");
    let rewritten = commit(&repo, "rewritten");
    let told = [&moved, &rewritten].map(|head| repo.still_changes(&before, &after, head).expect("asks"));
    assert_eq!(told, [None, None]);
    does(&repo, &["reset -q --hard HEAD~2", "rm -q setup.sh"]);
    let gone = commit(&repo, "gone");
    assert_eq!(repo.still_changes(&before, &after, &gone).expect("asks"), Some(false));
}

#[test]
fn the_same_patch_at_another_place_or_indented_otherwise_is_other_work() {
    let stanzas = "kind: x\nretries: 1\ntimeout: 5\nlog: on\ntrace: off\nend: true\n".repeat(3);
    let python = "def f(x):\n    if x:\n        g()\n    h()\n";
    for (name, old, work, other) in [
        (
            "third stanza",
            stanzas.as_str(),
            replaced(&stanzas, "timeout: 5", "timeout: 30", 2),
            replaced(&stanzas, "timeout: 5", "timeout: 30", 0),
        ),
        ("in the block", python, python.replace("g()\n", "g()\n        k()\n"), python.replace("g()\n", "g()\n    k()\n")),
    ] {
        let (_directory, repo, _) = pair();
        write(&repo, "f.txt", old);
        let start = commit(&repo, "old");
        does(&repo, &["checkout -q -b mine"]);
        write(&repo, "f.txt", &work);
        let tip = commit(&repo, "work");
        does(&repo, &["checkout -q main"]);
        write(&repo, "f.txt", &other);
        commit(&repo, "other");
        assert!(!repo.has_taken(&start, &tip, &head(&repo)).expect("asks"), "{name}");
    }
}

/// `text` with the occurrence number `which` of `from` replaced.
fn replaced(text: &str, from: &str, to: &str, which: usize) -> String {
    let (at, _) = text.match_indices(from).nth(which).expect("is there");
    format!("{}{to}{}", &text[..at], &text[at + from.len()..])
}

#[test]
fn what_a_merge_driver_would_leave_out_has_not_landed() {
    let (_directory, repo, _) = pair();
    does(&repo, &["config merge.ours.driver true"]);
    write(&repo, ".gitattributes", "conf merge=ours\n");
    write(&repo, "conf", "version = 1\nname = x\n");
    let start = commit(&repo, "conf");
    does(&repo, &["checkout -q -b mine"]);
    write(&repo, "conf", "version = 1\nname = y\n");
    let tip = commit(&repo, "work");
    does(&repo, &["checkout -q main"]);
    write(&repo, "conf", "version = 2\nname = x\n");
    commit(&repo, "base");
    assert!(!repo.has_landed(&start, &tip, &head(&repo)).expect("asks"));
}
