//! Hostile folder contents in place of the expected files.

use super::*;
use std::os::unix::fs::symlink;

fn project() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("project");
    std::fs::create_dir_all(root.join(".ralph/db")).expect("folders");
    (folder, root)
}

fn pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR, 0)
        .expect("a pipe");
}

#[test]
fn a_link_out_of_the_project_is_neither_read_nor_written() {
    let (folder, root) = project();
    let files = ProjectFiles::of(&root);
    let outside = folder.path().join("outside");
    std::fs::write(&outside, "mine").expect("writes");
    std::fs::create_dir(folder.path().join("elsewhere")).expect("a folder");
    let rules = root.join(".ralph/rules.md");
    symlink(&outside, &rules).expect("a link");
    symlink(folder.path().join("elsewhere"), root.join(".ralph/db/memory")).expect("a link");
    symlink("/dev/zero", root.join(".ralph/zero")).expect("a link");
    symlink(folder.path().join("nowhere"), root.join(".ralph/dangling")).expect("a link");
    let elsewhere = |fault: FileFault| assert!(matches!(fault, FileFault::Elsewhere { .. }), "{fault}");
    for name in ["rules.md", "zero", "dangling"] {
        elsewhere(files.read(&root.join(".ralph").join(name), 100).unwrap_err());
        elsewhere(files.append(&root.join(".ralph").join(name), Readers::Anyone).unwrap_err());
    }
    elsewhere(files.append(&root.join(".ralph/db/memory/pay.jsonl"), Readers::Anyone).unwrap_err());
    elsewhere(files.write(&root.join(".ralph/db/memory/pay.jsonl"), b"x", Readers::Anyone).unwrap_err());
    elsewhere(files.list(&root.join(".ralph/db/memory"), "jsonl").unwrap_err());
    elsewhere(files.make_folder(&root.join(".ralph/db/memory/deep")).unwrap_err());
    elsewhere(files.append(&root.join(".ralph/../../outside"), Readers::Anyone).unwrap_err());
    elsewhere(files.append(&outside, Readers::Anyone).unwrap_err());
    files.write(&rules, b"ours", Readers::Anyone).expect("the link is replaced, not followed");
    assert_eq!(files.read_text(&rules, 100).expect("reads").as_deref(), Some("ours"));
    assert_eq!(std::fs::read_to_string(&outside).expect("reads"), "mine");
    assert_eq!(std::fs::read_dir(folder.path().join("elsewhere")).expect("lists").count(), 0);
    assert!(!folder.path().join("nowhere").exists());
}

#[test]
fn a_link_that_stays_in_the_project_is_read() {
    let (_folder, root) = project();
    std::fs::write(root.join("AGENTS.md"), "be kind").expect("writes");
    symlink("../AGENTS.md", root.join(".ralph/rules.md")).expect("a link");
    let files = ProjectFiles::of(&root);
    let text = files.read_text(&root.join(".ralph/rules.md"), 100).expect("reads");
    assert_eq!(text.as_deref(), Some("be kind"));
    std::fs::create_dir_all(root.join("notes/old")).expect("folders");
    std::fs::write(root.join("notes/old/a.md"), "was so").expect("writes");
    symlink("../notes", root.join(".ralph/notes")).expect("a link");
    let below = root.join(".ralph/notes/old");
    assert_eq!(files.read_text(&below.join("a.md"), 100).expect("reads").as_deref(), Some("was so"));
    assert_eq!(files.list(&below, "md").expect("lists"), [below.join("a.md")]);
    assert_eq!(files.metadata(&below.join("b.md")).expect("looks").map(|found| found.len()), None);
}

#[test]
fn pipes_devices_and_folders_are_named_and_not_waited_for() {
    let (_folder, root) = project();
    let files = ProjectFiles::of(&root);
    let fifo = root.join(".ralph/config.toml");
    pipe(&fifo);
    let socket = root.join(".ralph/socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    for (path, word) in [(&fifo, "a pipe"), (&socket, "a socket"), (&root.join(".ralph/db"), "a folder")] {
        for fault in [files.read(path, 100).unwrap_err(), files.metadata(path).unwrap_err()] {
            assert!(matches!(&fault, FileFault::Kind { found, .. } if *found == word), "{fault}");
        }
        assert!(files.append(path, Readers::Anyone).is_err());
        assert!(files.must_be(path, ExpectedKind::File).is_err());
    }
    let fault = files.make_folder(&fifo.join("deep")).unwrap_err();
    assert!(matches!(&fault, FileFault::Kind { wanted: "a folder", .. }), "{fault}");
    assert!(files.must_be(&fifo, ExpectedKind::Folder).is_err() && files.must_be(&root.join(".ralph/db"), ExpectedKind::Folder).is_ok());
}

#[test]
fn nothing_is_read_beyond_its_bound_and_what_is_missing_is_no_fault() {
    let (_folder, root) = project();
    let files = ProjectFiles::of(&root);
    let path = root.join(".ralph/rules.md");
    assert!(files.read(&path, 3).expect("reads").is_none());
    assert!(files.list(&root.join(".ralph/none"), "jsonl").expect("lists").is_empty());
    std::fs::write(&path, "abc").expect("writes");
    assert_eq!(files.read(&path, 3).expect("reads").as_deref(), Some(&b"abc"[..]));
    assert!(matches!(files.read(&path, 2).unwrap_err(), FileFault::TooLong { limit: 2, .. }));
    std::fs::write(&path, b"\xff").expect("writes");
    assert!(matches!(files.read_text(&path, 9).unwrap_err(), FileFault::NoText { .. }));
}
