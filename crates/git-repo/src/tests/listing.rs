use super::{commit, git, sample, write};
use crate::{Repo, TreeEntry};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_listing_tells_what_git_takes_and_what_it_ignores() {
    let (_directory, repo) = sample();
    for path in ["docs/a.md", "docs/*.md", "build/x/y.o", "docs/b.log", "sub/.env", "kept.log"] {
        write(&repo, path, "x\n");
    }
    write(&repo, ".gitignore", "build/\n*.log\n.env\n");
    git(repo.root(), &["add", "-f", "kept.log"]);
    Repo::init(&repo.root().join("docs/own")).expect("init");
    write(&repo, "docs/own/x", "x\n");
    fs::remove_file(repo.root().join("b.txt")).expect("removes");
    let list = |from: &str, paths: &[&str]| {
        let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
        let found = repo.list(&repo.root().join(from), &paths).expect("lists");
        let words = |paths: Vec<PathBuf>| {
            let mut words: Vec<String> = paths.into_iter().map(|p| p.to_string_lossy().into_owned()).collect();
            words.sort();
            words.dedup();
            words
        };
        (words(found.files), words(found.ignored))
    };
    let (files, ignored) = list("", &["."]);
    assert_eq!(files, [".gitignore", "a.txt", "b.txt", "docs/*.md", "docs/a.md", "docs/own/", "kept.log"]);
    assert_eq!(ignored, ["build/", "docs/b.log", "sub/"]);
    assert_eq!(list("docs", &["*.md", "b.log"]), (vec!["*.md".to_owned()], vec!["b.log".to_owned()]), "a name is not a pattern");
    assert_eq!(list("", &["build"]), (vec![], vec!["build/".to_owned()]));
    assert_eq!(list("", &["build/x/y.o", "missing"]).0, Vec::<String>::new());
    assert_eq!(list("", &["build/x/y.o"]), (vec![], vec!["build/".to_owned()]), "git tells the folder that it ignores as a whole");
    assert_eq!(list("build/x", &["y.o", "."]), (vec![], vec![".".to_owned()]), "a folder that is ignored as a whole");
}

#[test]
fn texts_are_read_as_they_stood_at_a_commit() {
    let (_directory, repo) = sample();
    write(&repo, "docs/k/a.md", "one\n");
    write(&repo, "docs/k/ü b.md", "");
    write(&repo, "docs/other.md", "x");
    fs::write(repo.root().join("docs/k/image.md"), b"\xff\xfe").expect("writes");
    std::os::unix::fs::symlink("a.md", repo.root().join("docs/k/link.md")).expect("links");
    let commit = commit(&repo, "docs");
    write(&repo, "docs/k/a.md", "two\n");
    let texts = repo.texts_at(&commit, Path::new("docs/k")).expect("reads");
    let expected = [("docs/k/a.md", "one\n"), ("docs/k/ü b.md", "")];
    assert_eq!(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>(), expected);
    let all = repo.markdown_at(&commit, Path::new("")).expect("reads");
    assert_eq!(all.keys().collect::<Vec<_>>(), ["docs/k/a.md", "docs/k/ü b.md", "docs/other.md"]);
    let files = repo.files_at(&commit, Path::new("docs/k")).expect("reads");
    let expected: [(&str, &[u8]); 3] = [("docs/k/a.md", b"one\n"), ("docs/k/image.md", b"\xff\xfe"), ("docs/k/\u{fc} b.md", b"")];
    assert_eq!(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect::<Vec<_>>(), expected);
    assert!(repo.texts_at("0123456789", Path::new("docs/k")).expect("reads").is_empty());
    assert!(repo.texts_at(&commit, Path::new("nowhere")).expect("reads").is_empty());
}

#[test]
fn a_long_file_hides_none_of_those_after_it() {
    let (_directory, repo) = sample();
    write(&repo, "docs/a.md", &"words of a long file\n".repeat(1_000_000));
    write(&repo, "docs/b.md", "short\n");
    let commit = commit(&repo, "docs");
    let texts = repo.texts_at(&commit, Path::new("docs")).expect("reads");
    assert_eq!(texts.values().map(String::len).collect::<Vec<_>>(), [21_000_000, 6]);
}

#[test]
fn what_a_commit_has_at_a_path_and_what_a_sparse_checkout_leaves_out_is_told() {
    let (_directory, repo) = sample();
    write(&repo, "docs/k/a.md", "one\n");
    std::os::unix::fs::symlink("docs", repo.root().join("link")).expect("links");
    let inner = Repo::init(&repo.root().join("inner")).expect("init");
    write(&inner, "x", "x\n");
    super::commit(&inner, "x");
    let commit = commit(&repo, "docs");
    let entry = |path: &str| repo.entry_at(&commit, Path::new(path)).expect("asks");
    let expected = [Some(TreeEntry::File), Some(TreeEntry::Folder), Some(TreeEntry::Link), Some(TreeEntry::Repository), None, None, None];
    assert_eq!(["docs/k/a.md", "docs/k", "link", "inner", "inner/x", "link/k", "nowhere"].map(entry), expected);
    let leaves_out = |path: &str| repo.leaves_out(Path::new(path)).expect("asks");
    assert!(!leaves_out("docs/k/a.md"));
    write(&repo, "src/x.rs", "\n");
    git(repo.root(), &["sparse-checkout", "set", "--cone", "src"]);
    let paths = ["docs/k/a.md", "docs/new.md", "src/x.rs", "a.txt"];
    assert_eq!(paths.map(leaves_out), [true, true, false, false]);
    assert_eq!(paths.map(|path| repo.is_outside_the_cone(Path::new(path)).expect("asks")), [true, true, false, false], "by older git");
}

#[test]
fn each_state_of_a_folder_on_branches_and_in_the_stash_is_told_once() {
    let (_directory, repo) = sample();
    let names = || repo.states_of(Path::new("notes")).expect("asks").into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(), [""; 0]);
    git(repo.root(), &["switch", "--quiet", "-c", "with"]);
    write(&repo, "notes/a.jsonl", "one\n");
    let one = commit(&repo, "notes");
    git(repo.root(), &["branch", "same"]);
    assert_eq!(names().len(), 1, "the folder is the same on both");
    write(&repo, "notes/a.jsonl", "one\ntwo\n");
    git(repo.root(), &["stash", "--quiet"]);
    let states = repo.states_of(Path::new("notes")).expect("asks");
    assert!(states.len() == 2 && states.iter().any(|(name, _)| name == "stash"), "{states:?}");
    assert!(states.iter().any(|(_, commit)| *commit == one), "{states:?}");
}
