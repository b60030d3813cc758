//! What killed processes leave in git's folder.

use super::*;
use std::time::SystemTime;

#[test]
fn nobody_finds_what_a_killed_process_left_under_the_same_name() {
    let (_folder, repo) = sample();
    for what in ["index", "folder"] {
        let name = repo.scratch(what).unwrap().path().to_string_lossy().into_owned();
        let (stem, number) = name.rsplit_once('-').unwrap();
        let number: u32 = number.parse().unwrap();
        // Other tests of this process count on meanwhile.
        for path in (1..500).map(|more| PathBuf::from(format!("{stem}-{}", number + more))) {
            fs::write(path.with_extension("lock"), "").unwrap();
            if what == "index" {
                fs::write(&path, "old").unwrap();
            } else {
                fs::create_dir(&path).unwrap();
            }
        }
        let again = repo.scratch(what).unwrap();
        assert!(!again.path().exists() && !again.path().with_extension("lock").exists(), "{}", again.path().display());
    }
}

#[test]
fn what_was_left_behind_goes_with_the_next_snapshot_and_what_is_in_use_stays() {
    let (_folder, repo) = sample();
    let folder = repo.git_folder().unwrap();
    let files = [("ralph-index-1-0", true, false), ("ralph-index-2-0", false, true), ("somebody-s", true, true)];
    for (name, old, _) in files {
        let file = fs::File::create(folder.join(name)).unwrap();
        if old {
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
    }
    repo.forget_kept((1, 1), 0, &BTreeSet::new()).unwrap();
    for (name, _, stays) in files {
        assert_eq!(folder.join(name).exists(), stays, "{name}");
    }
}
