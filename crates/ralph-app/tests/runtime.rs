//! Waiting for other writers, git or files never blocks a thread of the async runtime: the window's page depends on it too.

mod common;

use common::Project;
use ralph_app::{App, Clock};
use ralph_core::view::DoctorStatus;
use std::fs::File;

#[test]
fn a_doctor_who_waits_for_a_writer_leaves_the_runtime_free() {
    let project = Project::with_feature("pay");
    let root = &project.app.paths().root;
    // Another process writes.
    let queue = File::open(root.join(".ralph/db/ralph.lock")).expect("the writers' queue");
    queue.lock().expect("the queue");
    // One thread: whatever blocks it keeps the other process from ever finishing.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let report = runtime.block_on(async {
        let done = async { queue.unlock().expect("the queue") };
        tokio::join!(App::doctor(root, Clock::system()), done).0
    });
    let database = report.checks.iter().find(|check| check.name == "database").expect("the database is looked at");
    assert_eq!(database.status, DoctorStatus::Ok, "{report:?}");
}
