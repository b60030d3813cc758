//! Copying files along, and the size of a folder.

use crate::{bring_along, bytes_of_folder};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

#[test]
fn what_is_brought_along_overwrites_nothing_and_follows_no_link() {
    let folder = tempfile::tempdir().expect("folder");
    let (from, to, outside) = (folder.path().join("from"), folder.path().join("to"), folder.path().join("outside"));
    for path in [from.join("deps/a"), from.join("way"), to.clone(), outside.clone()] {
        fs::create_dir_all(path).expect("folder");
    }
    for (path, text) in [(".env", "secret"), ("deps/a/x", "x"), ("tracked", "mine"), ("way/file", "f")] {
        fs::write(from.join(path), text).expect("file");
    }
    symlink("../outside", from.join("deps/link")).expect("link");
    symlink(&outside, from.join("out")).expect("link");
    symlink(&outside, to.join("way")).expect("link");
    fs::write(outside.join("there"), "outside").expect("file");
    fs::write(to.join("tracked"), "theirs").expect("file");
    let bring = |path: &str| bring_along(&from, &to, Path::new(path)).expect(path);
    let brought: Vec<bool> =
        [".env", "deps", "tracked", "missing", "way/file", "out/there", "../outside", "/etc/hostname", ""].map(bring).to_vec();
    assert_eq!(brought, [true, true, true, false, false, false, false, false, false]);
    assert_eq!(fs::read_to_string(to.join(".env")).expect("copied"), "secret");
    assert_eq!(fs::read_to_string(to.join("deps/a/x")).expect("copied"), "x");
    assert_eq!(fs::read_to_string(to.join("tracked")).expect("stays"), "theirs");
    assert!(to.join("deps/link").is_symlink() && !outside.join("file").exists());
}

#[test]
fn the_bytes_of_a_folder_do_not_lead_out_of_it() {
    let folder = tempfile::tempdir().expect("folder");
    let inside = folder.path().join("inside");
    fs::create_dir_all(inside.join("deep")).expect("folder");
    fs::write(folder.path().join("huge"), vec![0; 100_000]).expect("file");
    fs::write(inside.join("deep/ten"), vec![0; 10]).expect("file");
    fs::hard_link(inside.join("deep/ten"), inside.join("again")).expect("name");
    symlink(folder.path(), inside.join("up")).expect("link");
    let bytes = bytes_of_folder(&inside);
    assert!((10..1_000).contains(&bytes), "{bytes}");
    assert_eq!(bytes_of_folder(&inside.join("nothing")), 0);
}
