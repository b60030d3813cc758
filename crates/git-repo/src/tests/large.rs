use super::*;
use crate::Hooks;

#[test]
fn what_no_host_takes_is_committed_by_nobody_but_a_person() {
    let (_directory, repo) = sample();
    let before = repo.head().expect("head");
    write(&repo, "src/new.rs", "x");
    let grow = |name: &str, bytes: u64| {
        write(&repo, name, "");
        fs::File::options().write(true).open(repo.root().join(name)).expect("opens").set_len(bytes).expect("grows");
    };
    grow("model.bin", 101 << 20);
    let refused = repo.commit_work("work", Hooks::Skip).expect_err("is too large");
    assert!(refused.to_string().starts_with("model.bin is larger than 100 MB") && repo.head().expect("head") == before, "{refused}");
    // What a filter keeps elsewhere is small to git, and what git ignores is no work.
    write(&repo, ".gitattributes", "*.bin filter=lfs\n");
    assert_eq!(repo.too_large(&["model.bin".into()]).expect("looks"), Vec::<String>::new());
    write(&repo, ".gitattributes", "");
    write(&repo, ".gitignore", "*.bin\n");
    repo.commit_work("work", Hooks::Skip).expect("commits").expect("a commit");
}
