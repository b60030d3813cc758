//! A database that disappears under an open window.

mod common;

use common::{Project, by_person};
use ralph_app::{App, AppError, Clock};

use ralph_core::feature::Feature;
use ralph_core::task::NewTask;
use ralph_core::time::Timestamp;
use ralph_core::topic::Topic;
use ralph_core::view::CommandError;
use ralph_core::view::DoctorStatus;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

#[test]
fn a_database_that_is_removed_under_an_open_window_is_told_never_made_anew_and_comes_back_whole() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    let mut watch = project.app.watch().expect("watches");
    // The last words are only in the WAL.
    let last = project.add(&by_person("Refunds use the clock of the provider"));
    watch.changed().expect("looks");
    std::fs::remove_dir_all(root.join(".ralph")).expect("removes");

    assert_eq!(watch.changed().expect("looks"), Topic::ALL, "whoever shows something asks again");
    assert_eq!(watch.changed().expect("looks"), [], "once");
    let told = CommandError::from(project.app.features().expect_err("is gone"));
    assert_eq!(told.code, "project_gone", "{told:?}");
    assert!(project.app.append_feature_learning(&by_person("Lost words")).is_err(), "nothing is said to be stored");
    assert!(!root.join(".ralph").exists(), "nothing is made in its place");
    assert!(matches!(App::open(&root, Clock::system()), Err(AppError::ProjectLost { .. })));
    assert!(matches!(App::init(&root, Clock::system()), Err(AppError::ProjectLost { .. })));

    let restored = App::restore(&root, None, Clock::system()).expect("restores");
    assert_eq!((restored.features, restored.learnings), (1, 1), "{restored:?}");
    let app = Arc::new(App::open(&root, Clock::system()).expect("opens"));
    assert_eq!(app.learning(&last.id).expect("is there").text, "Refunds use the clock of the provider");
    // The window still has the old file open, and must not mix it with the new one.
    let told = CommandError::from(project.app.features().expect_err("another file"));
    assert_eq!(told.code, "project_gone", "{told:?}");
}

#[test]
fn whoever_asks_of_a_project_that_was_moved_away_is_told_that_it_is_gone() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    let away = root.with_file_name("moved-away");
    project.app.overview().expect("stands");
    std::fs::rename(&root, &away).expect("moves");
    let code = |error| CommandError::from(error).code;
    assert_eq!(code(project.app.overview().expect_err("is gone")), "project_gone");
    assert_eq!(code(project.app.settings().expect_err("is gone")), "project_gone");
    assert_eq!(code(project.app.feature_rows().expect_err("is gone")), "project_gone");
    std::fs::rename(&away, &root).expect("moves back");
    project.app.overview().expect("goes on where it stood");
}

#[test]
fn a_database_that_a_kill_left_with_its_log_is_set_aside_whole_and_can_be_restored() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    let db = project.app.paths().db.clone();
    let copy = project.app.backup().expect("copies");
    project.add(&by_person("Refunds use the clock of the provider"));
    // As a kill leaves it: nobody has it open, and its last change stands in the log.
    let killed = db.with_file_name("killed");
    std::fs::create_dir(&killed).expect("makes");
    for name in ["ralph.db", "ralph.db-wal"] {
        std::fs::copy(db.join(name), killed.join(name)).expect("copies");
        std::fs::rename(killed.join(name), db.join(name)).expect("replaces");
    }
    assert!(db.join("ralph.db-wal").metadata().expect("is there").len() > 0);

    let told = App::restoration(&root, Some(&copy)).expect("looks");
    assert!(
        told.missing.iter().any(|missing| missing.contains("1 feature, 0 tasks, 1 learning")),
        "what stands in the log counts: {told:?}"
    );
    App::restore(&root, Some(&copy), Clock::system()).expect("restores");
    let aside = db.join("aside-00001-ralph.db");
    let back = App::restore(&root, Some(&aside), Clock::system()).expect("restores what was set aside");
    assert_eq!(back.learnings, 1, "{back:?}");
}

#[test]
fn what_stood_there_before_a_fresh_beginning_is_offered_by_name() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    let db = project.app.paths().db.clone();
    let refund = NewTask { feature: "pay".into(), title: "Refund".into(), ..NewTask::default() };
    project.app.create_task(&refund).expect("creates");
    project.app.backup().expect("copies");
    for name in ["ralph.db", "ralph.db-wal", "ralph.db-shm"] {
        let _ = std::fs::remove_file(db.join(name));
    }
    App::init_fresh(&root, Clock::system()).expect("begins anew");
    let told = App::restoration(&root, None).expect("looks");
    let earlier = told.others.first().unwrap_or_else(|| panic!("is offered: {told:?}"));
    let back = App::restore(&root, Some(std::path::Path::new(earlier)), Clock::system()).expect("restores");
    assert_eq!((told.tasks, back.tasks), (0, 1), "{back:?}");
}

#[tokio::test]
async fn an_earlier_database_that_is_put_in_its_place_by_hand_is_told_with_the_way_back() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    let db = project.app.paths().db.clone();
    let earlier = project.app.backup().expect("copies");
    let refund = NewTask { feature: "pay".into(), title: "Refund".into(), ..NewTask::default() };
    project.app.create_task(&refund).expect("creates");
    project.app.backup().expect("copies");
    let told = async || {
        let checks = App::doctor(&root, Clock::system()).await.checks;
        checks.into_iter().find(|check| check.name == "database").expect("is checked").detail
    };
    assert_eq!(told().await, "sound");
    std::fs::copy(&earlier, db.join("earlier.db")).expect("copies");
    for name in ["ralph.db-wal", "ralph.db-shm"] {
        let _ = std::fs::remove_file(db.join(name));
    }
    std::fs::rename(db.join("earlier.db"), db.join("ralph.db")).expect("replaces");
    let detail = told().await;
    assert!(detail.contains("an earlier state") && detail.contains("(0 tasks, 0 iterations)") && detail.contains("(1 task, "), "{detail}");
}

#[test]
fn a_sound_project_is_not_told_to_lose_what_its_own_second_name_has() {
    let project = Project::with_feature("pay");
    let root = &project.app.paths().root;
    let db = sqlite_db::Db::open(&root.join(".ralph/db/ralph.db")).expect("opens");
    db.writer().expect("a turn").checkpoint().expect("brings the log into the file");
    let copy = App::restoration(root, None).expect("looks").from.expect("a copy");
    let kept = Path::new(&copy).ancestors().find(|folder| folder.join("marker.json").exists()).expect("kept outside");
    let told = App::restoration(root, Some(&kept.join("ralph.db"))).expect("looks");
    let own = told.missing.iter().any(|line| line.contains("it is sound, and this is its second name"));
    assert!(own && !told.missing.iter().any(|line| line.contains("set aside") || line.contains("changed after")), "{told:?}");
}

#[test]
fn what_is_written_before_a_restoration_gets_its_turn_is_told_as_set_aside() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    let copy = project.app.backup().expect("copies");
    let db = sqlite_db::Db::open(&root.join(".ralph/db/ralph.db")).expect("opens");
    let mut writer = db.writer().expect("a turn");
    std::thread::scope(|scope| {
        let restored = scope.spawn(|| App::restore(&root, Some(&copy), Clock::system()));
        while !root.join(".ralph/db/restore.lock").exists() {
            std::thread::yield_now();
        }
        let late = Feature::new("late", Timestamp(1));
        writer.transaction::<_, sqlite_db::DbError>(|tx| tx.insert_feature(&late)).expect("is stored");
        drop(writer);
        let told = restored.join().expect("ends").expect("restores");
        assert!(told.missing.iter().any(|line| line.contains("2 features") && line.contains("set aside")), "{told:?}");
    });
    assert!(db.writer().is_err(), "whoever has the old one open writes nothing to it");
}

fn git(folder: &Path, args: &[&str]) {
    let known = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    assert!(Command::new("git").arg("-C").arg(folder).args(known).args(args).status().expect("runs").success(), "{args:?}");
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "work"]);
}

#[tokio::test]
async fn lines_of_another_branch_are_nobody_s_loss_and_those_that_git_took_back_are_told_until_they_are_back() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    git(&root, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&root);
    let open = || App::open(&root, Clock::system()).expect("opens");
    let told = || open().notices(false).expect("lists").into_iter().map(|notice| notice.title).collect::<Vec<_>>();
    let journals = async || {
        let report = App::doctor(&root, Clock::system()).await;
        report.checks.into_iter().find(|check| check.name == "journals").expect("is checked")
    };
    git(&root, &["switch", "--quiet", "--create", "feat"]);
    open().append_feature_learning(&by_person("Refunds use the clock of the provider")).expect("is stored");
    commit(&root);
    git(&root, &["switch", "--quiet", "main"]);
    assert_eq!(told(), [""; 0]);
    let check = journals().await;
    assert!(check.status == DoctorStatus::Ok && check.detail.ends_with("which knows 1 event more from feat"), "{check:?}");

    git(&root, &["merge", "--quiet", "feat"]);
    git(&root, &["branch", "--quiet", "--delete", "feat"]);
    git(&root, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    git(&root, &["revert", "--no-edit", "HEAD"]);
    assert_eq!(told(), [""; 0], "it is not pushed yet");
    git(&root, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    assert_eq!(told(), ["1 journal line is in this clone alone"]);
    let check = journals().await;
    assert!(check.status == DoctorStatus::Error && check.detail.starts_with("1 line is in the database"), "{check:?}");
    assert_eq!(told().len(), 1, "once");
    assert_eq!(open().rebuild().expect("rebuilds").written_back, 1);
    assert_eq!(told(), [""; 0], "it is back");
}

#[test]
fn a_project_that_the_sparse_checkout_leaves_out_is_not_begun_anew_beside_what_is_committed() {
    let project = Project::with_feature("pay");
    let root = project.app.paths().root.clone();
    git(&root, &["init", "--quiet"]);
    std::fs::create_dir(root.join("src")).expect("makes");
    std::fs::write(root.join("src/a.rs"), "").expect("writes");
    commit(&root);
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    git(elsewhere.path(), &["clone", "--quiet", "--sparse", &root.to_string_lossy(), "clone"]);
    let way_out = |error: AppError| {
        let told = CommandError::from(error);
        assert!(format!("{} {}", told.message, told.hint).contains("`git sparse-checkout add .ralph`"), "{told:?}");
    };
    let clone = elsewhere.path().join("clone");
    way_out(App::init(&clone, Clock::system()).map(drop).expect_err("is there already"));
    assert!(!clone.join(".ralph").exists(), "nothing is made");
    git(&clone, &["sparse-checkout", "add", ".ralph"]);
    assert_eq!(App::init(&clone, Clock::system()).expect("opens").features().expect("lists").len(), 1);

    git(&root, &["sparse-checkout", "set", "src"]);
    assert!(!root.join(".ralph").exists(), "git takes it away, and the database with it");
    way_out(App::open(&root, Clock::system()).map(drop).expect_err("is gone"));
}

#[test]
fn a_journal_is_no_large_file_where_the_repository_s_own_ones_are() {
    let project = Project::with_feature("pay");
    let root = &project.app.paths().root;
    git(root, &["init", "--quiet"]);
    std::fs::write(root.join(".gitattributes"), "*.jsonl filter=lfs diff=lfs merge=lfs -text\n").expect("writes");
    let asked = ["check-attr", "filter", "diff", "merge", "text", "--", ".ralph/db/memory/pay.jsonl"];
    let told = Command::new("git").arg("-C").arg(root).args(asked).output().expect("runs").stdout;
    let told = String::from_utf8(told).expect("text");
    let values: Vec<&str> = told.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(values, ["unset", "unspecified", "union", "set"], "{told}");
}
