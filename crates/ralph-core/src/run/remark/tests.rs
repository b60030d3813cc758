use super::*;

#[test]
fn harm_is_told_with_its_way_back_and_the_rest_is_evidence() {
    let commit = "0123456789abcdef0123456789abcdef01234567".to_owned();
    let harmless = [
        GitRemark::BranchSwitched { from: Some("main".into()), to: Some("fix".into()), behind: false, head: None },
        GitRemark::Stashed { count: 1 },
        GitRemark::Pushed { branches: vec!["origin/main".into()], forced: false },
        GitRemark::WorkChanged { paths: vec!["a".into()], more: 0, kept: KeptAside::default() },
        GitRemark::BranchRenamed { from: "main".into(), to: "trunk".into() },
        GitRemark::OutsideChanged { paths: vec!["a".into()], more: 0 },
        GitRemark::OutsideSwitched { from: Some("main".into()), to: None },
        GitRemark::Unwatched { paths: vec!["node_modules/".into()], more: 0 },
        GitRemark::RemoteBranchesGone { branches: vec!["origin/fix".into()], commits: vec![commit.clone()] },
    ];
    assert_eq!(harm_in_words("Iteration 4", &harmless), None);
    let harms = [
        harmless[0].clone(),
        GitRemark::HistoryMoved {
            branch: Some("main".into()),
            change: HistoryChange::Rewritten,
            from: commit.clone(),
            to: Some(commit.clone()),
        },
        GitRemark::TagMoved { tag: "v1".into(), from: commit.clone(), to: None },
        GitRemark::CheckoutGone { path: "/home/a/fix it".into(), branch: Some("fix".into()), head: Some(commit.clone()) },
        GitRemark::CheckoutGone { path: "/home/a/old".into(), branch: None, head: Some(commit.clone()) },
        GitRemark::LeftBehind { commits: vec![commit.clone(), commit.clone()] },
        GitRemark::Unfinished { operation: GitOperation::CherryPick },
        GitRemark::WorkGone {
            paths: vec!["notes.md".into(), "a\nb".into()],
            more: 2,
            kept: KeptAside { snapshot: Some("4.1".into()), not_kept: vec!["disk.img".into()] },
        },
        GitRemark::BranchSwitched { from: None, to: Some("main".into()), behind: true, head: Some(commit) },
    ];
    let (title, detail) = harm_in_words("Iteration 4", &harms).expect("harms");
    assert_eq!(title, "Iteration 4: branch 'main' was rewritten: it was 0123456789ab, now 0123456789ab (and 7 more)");
    insta::assert_snapshot!(detail, @"
    branch 'main' was rewritten: it was 0123456789ab, now 0123456789ab
      → git branch main-before 0123456789ab
    tag 'v1' was deleted: it was 0123456789ab
      → git tag --force v1 0123456789ab
    a worktree that is not Ralph's is gone, with what was not committed there: /home/a/fix it ('fix' at 0123456789ab)
      → git worktree add --force '/home/a/fix it' fix
    a worktree that is not Ralph's is gone, with what was not committed there: /home/a/old (no branch at 0123456789ab)
      → git worktree add --force /home/a/old 0123456789ab
    commits were left on no branch, and their work is not in what is checked out: 0123456789ab, 0123456789ab
      → git branch left-behind 0123456789ab
    a cherry-pick was begun and not ended
      → `git cherry-pick --continue`, or `git cherry-pick --abort`
    uncommitted work is gone: notes.md, a\\nb and 2 more; in no snapshot: disk.img
      → ralph snapshot restore 4.1
    switched from no branch to 'main', which lacks commits that were checked out before: it was 0123456789ab
      → git branch before 0123456789ab
    ");
}

#[test]
#[cfg(unix)]
fn the_name_that_an_agent_gave_a_branch_runs_nothing_in_the_way_back() {
    let (name, commit) = ("fix;touch${IFS}it", "0123456789abcdef".to_owned());
    let gone = GitRemark::HistoryMoved { branch: Some(name.into()), change: HistoryChange::Gone, from: commit, to: None };
    assert_eq!(gone.way_back().as_deref(), Some("git branch 'fix;touch${IFS}it-before' 0123456789ab"));
    let left = GitRemark::BranchSwitched { from: Some(name.into()), to: None, behind: true, head: None };
    assert_eq!(left.way_back().as_deref(), Some("git switch 'fix;touch${IFS}it'"));
}

#[test]
fn what_is_in_no_snapshot_has_no_way_back_to_it() {
    let gone = |named: &[&str], snapshot: Option<&str>, not_kept: &[&str]| {
        let [paths, not_kept] = [named, not_kept].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        GitRemark::WorkGone { paths, more: 0, kept: KeptAside { snapshot: snapshot.map(str::to_owned), not_kept } }.way_back()
    };
    assert_eq!(gone(&["a", "big"], Some("4"), &["big"]).as_deref(), Some("ralph snapshot restore 4"));
    assert_eq!(gone(&["big"], Some("4"), &["big"]), None);
    assert_eq!(gone(&["a"], None, &[]), None);
}

#[test]
fn what_was_found_late_may_be_a_person_s_doing() {
    let gone = GitRemark::HistoryMoved { branch: None, change: HistoryChange::Behind, from: "0123".into(), to: None };
    assert_eq!(harm_in_words("Iteration 4", &[GitRemark::LookedLate]), None);
    let (title, detail) = harm_in_words("Iteration 4", &[GitRemark::LookedLate, gone]).expect("harms");
    assert!(title.starts_with("Iteration 4, or a person since: the checked-out commit was set back"), "{title}");
    assert!(detail.starts_with("Ralph ended while the agent worked"), "{detail}");
}

#[test]
fn a_remark_stored_before_snapshots_were_named_is_restored_by_its_iteration() {
    for (stored, way_back) in [
        (r#"{"kind":"work_gone","paths":["a"],"more":0}"#, Some("ralph snapshot restore 4")),
        (r#"{"kind":"work_changed","paths":["a"],"more":0}"#, Some("ralph snapshot restore 4")),
        (r#"{"kind":"work_gone","paths":["a"],"more":0,"kept":{"snapshot":null,"not_kept":[]}}"#, None),
        (r#"{"kind":"work_gone","paths":["a"],"more":0,"kept":{"snapshot":"4.1","not_kept":[]}}"#, Some("ralph snapshot restore 4.1")),
        (r#"{"kind":"outside_gone","paths":["a"],"more":0,"snapshot":"4.2"}"#, Some("ralph snapshot restore 4.2")),
        (r#"{"kind":"outside_gone","paths":["a"],"more":0,"snapshot":null}"#, None),
        (r#"{"kind":"outside_gone","paths":["a"],"more":0}"#, None),
        (r#"{"kind":"outside_gone","paths":["a"],"more":0,"kept":{"snapshot":"4.3"}}"#, Some("ralph snapshot restore 4.3")),
    ] {
        let evidence = format!(r#"{{"commits":[],"remarks":[{stored}]}}"#);
        let told: serde_json::Value = serde_json::from_str(&name_snapshots(4, evidence)).expect(stored);
        let remarks: Vec<GitRemark> = serde_json::from_value(told["remarks"].clone()).expect(stored);
        assert_eq!(remarks[0].way_back().as_deref(), way_back, "{stored}");
    }
}

#[test]
fn filters_and_merge_drivers_that_were_changed_ask_for_an_agreement_and_a_hook_does_not() {
    let way_back = |name: &str| GitRemark::MachineryChanged { what: vec![name.to_owned()], more: 0 }.way_back().expect("there is one");
    for (name, asks) in [("setting filter.lfs.clean", true), ("setting merge.ours.driver", true), ("hook setting filter.sh", false)] {
        assert_eq!(way_back(name).contains("`ralph trust --yes`"), asks, "{name}");
    }
}

#[test]
fn commits_that_nothing_refers_to_any_more_are_named() {
    let moved = GitRemark::HistoryMoved { branch: None, change: HistoryChange::Gone, from: "1".into(), to: None };
    let switched = |head: Option<&str>| GitRemark::BranchSwitched { from: None, to: None, behind: true, head: head.map(str::to_owned) };
    let dropped = GitRemark::StashDropped { commits: vec!["3".into(), "4".into()] };
    for (remark, commits) in [
        (moved, vec!["1"]),
        (switched(Some("2")), vec!["2"]),
        (switched(None), vec![]),
        (dropped, vec!["3", "4"]),
        (GitRemark::Stashed { count: 1 }, vec![]),
        (GitRemark::TagMoved { tag: "v1".into(), from: "5".into(), to: None }, vec!["5"]),
        (GitRemark::RemoteBranchesGone { branches: vec!["origin/fix".into()], commits: vec!["6".into()] }, vec!["6"]),
        (GitRemark::CheckoutGone { path: "/a".into(), branch: None, head: Some("7".into()) }, vec!["7"]),
        (GitRemark::LeftBehind { commits: vec!["8".into(), "9".into()] }, vec!["8", "9"]),
    ] {
        assert_eq!(remark.unreferenced(), commits, "{remark:?}");
    }
}
