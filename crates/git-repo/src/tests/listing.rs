use super::{commit, git, sample, write};
use crate::Repo;
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
    assert_eq!(list("docs", &["*.md", "b.log"]), (vec!["*.md".to_owned()], vec!["b.log".to_owned()]), "a name is no pattern");
    assert_eq!(list("", &["build"]), (vec![], vec!["build/".to_owned()]));
    assert_eq!(list("", &["build/x/y.o", "missing"]).0, Vec::<String>::new());
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
    assert!(repo.texts_at("0123456789", Path::new("docs/k")).expect("reads").is_empty());
    assert!(repo.texts_at(&commit, Path::new("nowhere")).expect("reads").is_empty());
}
