//! Files that git would not give back as they were.

use super::*;

/// A repository with a filter that takes the outputs of notebooks away, and line ends that git changes on the way.
fn converting() -> (TempDir, Repo) {
    let (directory, repo) = sample();
    write(&repo, ".gitattributes", "*.ipynb filter=strip\n*.sealed filter=seal\n*.txt text eol=crlf\n");
    git(repo.root(), &["config", "filter.strip.clean", "grep -v OUTPUT || true"]);
    git(repo.root(), &["config", "filter.strip.smudge", "cat"]);
    git(repo.root(), &["config", "filter.seal.clean", "tr a-z b-za"]);
    git(repo.root(), &["config", "filter.seal.smudge", "tr b-za a-z"]);
    repo.agree_to_programs(repo.own_programs().expect("listed"));
    write(&repo, "n.ipynb", "code\n");
    write(&repo, "run.ipynb", "code\n");
    make_executable(&repo.root().join("run.ipynb"));
    commit(&repo, "attributes");
    (directory, repo)
}

const ODD: &str = "odd \"name\\\n.ipynb";

#[test]
fn what_filters_and_line_ends_would_change_comes_back_byte_for_byte() {
    let (_directory, repo) = converting();
    let contents = [
        ("n.ipynb", "code\nmore\nOUTPUT 42 hours of training\n"),
        ("run.ipynb", "run\nOUTPUT\n"),
        (ODD, "OUTPUT alone\n"),
        ("new/mixed.txt", "one\r\ntwo\nthree\r\n"),
        ("unix.txt", "one\ntwo\n"),
        ("dos.txt", "one\r\ntwo\r\n"),
        ("secret.sealed", "plain\n"),
    ];
    for (path, content) in contents {
        write(&repo, path, content);
    }
    std::os::unix::fs::symlink("n.ipynb", repo.root().join("link.ipynb")).expect("links");
    let kept = repo.keep(&repo.snapshot().expect("a snapshot"), "7").expect("is kept");
    assert_eq!(git(repo.root(), &["status", "--porcelain", "--", "n.ipynb"]), "M n.ipynb");
    // What comes back by git's own way is kept by it.
    let verbatim = git(repo.root(), &["ls-tree", "-r", "--name-only", "-z", &format!("{}^2", kept.commit)]);
    assert_eq!(verbatim.trim_end_matches('\0').split('\0').collect::<Vec<_>>(), ["n.ipynb", "new/mixed.txt", ODD, "run.ipynb", "unix.txt"]);
    assert_eq!(git(repo.root(), &["show", &format!("{}:secret.sealed", kept.commit)]), "qmbjo");
    assert!(effects(&repo, "7").into_values().all(|effect| effect == SnapshotEffect::Unchanged));
    write(&repo, "n.ipynb", "code\nmore\n");
    let changed = effects(&repo, "7").into_iter().filter(|(_, effect)| *effect != SnapshotEffect::Unchanged);
    assert_eq!(changed.collect::<Vec<_>>(), [("n.ipynb".into(), SnapshotEffect::Replaced)], "although git sees no difference");
    git(repo.root(), &["reset", "-q", "--hard"]);
    git(repo.root(), &["clean", "-fdqx"]);
    assert_eq!(restored(&repo, "7", &[]).written.len(), 8);
    for (path, content) in contents {
        assert_eq!(fs::read_to_string(repo.root().join(path)).expect(path), content, "{path}");
    }
    let mode = |path: &str| fs::symlink_metadata(repo.root().join(path)).expect(path).permissions().mode() & 0o100;
    assert_eq!((mode("run.ipynb"), mode("n.ipynb")), (0o100, 0));
    assert_eq!(fs::read_link(repo.root().join("link.ipynb")).expect("a link"), Path::new("n.ipynb"));
}

#[test]
fn what_git_has_as_committed_and_what_is_chosen_come_back_byte_for_byte() {
    let (_directory, repo) = converting();
    write(&repo, "n.ipynb", "staged\n");
    git(repo.root(), &["add", "n.ipynb"]);
    write(&repo, "n.ipynb", "code\nOUTPUT\n");
    write(&repo, "run.ipynb", "run\nOUTPUT\n");
    repo.keep(&repo.snapshot().expect("a snapshot"), "7").expect("is kept");
    git(repo.root(), &["reset", "-q", "--hard"]);
    assert_eq!(restored(&repo, "7", &["n.ipynb".into()]).written, ["n.ipynb"]);
    let read = |path: &str| fs::read_to_string(repo.root().join(path)).expect(path);
    assert_eq!((read("n.ipynb").as_str(), read("run.ipynb").as_str()), ("code\nOUTPUT\n", "code\n"));
}

#[test]
fn large_ones_come_back_whole_and_a_filter_that_fails_holds_nothing_up() {
    let (_directory, repo) = converting();
    git(repo.root(), &["config", "filter.seal.smudge", "false"]);
    git(repo.root(), &["config", "filter.seal.required", "true"]);
    repo.agree_to_programs(repo.own_programs().expect("listed"));
    let large = format!("{}OUTPUT\n", "0123456789abcdef\n".repeat(2_100_000));
    let names = ["a.ipynb", "b.ipynb", "c.sealed"];
    for name in names {
        write(&repo, name, &large);
    }
    repo.keep(&repo.snapshot().expect("a snapshot"), "7").expect("is kept");
    for name in names {
        fs::remove_file(repo.root().join(name)).expect("removes");
    }
    let only: Vec<PathBuf> = names[..2].iter().map(PathBuf::from).collect();
    assert_eq!(restored(&repo, "7", &only).written, names[..2]);
    for name in &names[..2] {
        assert!(fs::read_to_string(repo.root().join(name)).expect(name) == large, "{name}");
    }
}

#[test]
fn what_was_staged_before_the_first_commit_comes_back_with_the_rest() {
    let (_directory, repo) = sample();
    let empty = Repo::init(&repo.root().with_file_name("empty")).expect("init");
    for name in ["one.txt", "two.txt"] {
        write(&empty, name, "first\n");
        git(empty.root(), &["add", "one.txt"]);
    }
    repo.keep(&repo.snapshot().expect("a snapshot"), "1").expect("is kept");
    empty.keep(&empty.snapshot().expect("a snapshot"), "1").expect("is kept");
    git(empty.root(), &["rm", "-q", "-f", "--cached", "one.txt"]);
    fs::remove_file(empty.root().join("one.txt")).expect("removes");
    assert_eq!(restored(&empty, "1", &[]).written, ["one.txt", "two.txt"]);
}

#[test]
fn a_snapshot_of_an_earlier_version_is_restored_as_it_was_made() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "mine\n");
    git(repo.root(), &["stash", "-q"]);
    let [tree, head] = ["stash^{tree}", "HEAD"].map(|name| git(repo.root(), &["rev-parse", name]));
    let staged = git(repo.root(), &["commit-tree", "HEAD^{tree}", "-p", &head, "-m", "What was staged"]);
    let made = git(repo.root(), &["commit-tree", &tree, "-p", &head, "-p", &staged, "-m", "Uncommitted work, kept by Ralph"]);
    git(repo.root(), &["update-ref", "refs/ralph/snapshots/7", &made]);
    assert_eq!(restored(&repo, "7", &[]).written, ["a.txt"]);
    assert_eq!(fs::read_to_string(repo.root().join("a.txt")).expect("a file"), "mine\n");
}
