//! A real project in a temporary folder.
#![allow(dead_code, reason = "each test program uses its own part")]

use ralph_app::{Actor, App, Clock};
use ralph_core::feature::{Feature, NewFeature};
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState, NewLearning};
use ralph_core::quality::ReconcileRound;
use ralph_core::remember::RememberOutcome;
use ralph_core::task::{NewTask, TaskPatch, TaskProvenance, TaskStatus};
use ralph_core::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

pub struct Project {
    pub app: Arc<App>,
    folder: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Project {
        Project::by(Clock::system())
    }

    fn by(clock: Clock) -> Project {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = Arc::new(App::init(folder.path(), clock).expect("makes a project"));
        Project { app, folder }
    }

    pub fn with_feature(name: &str) -> Project {
        Project::with_this_clock(name, Clock::system())
    }

    /// With a clock that the returned function sets to a number of milliseconds after the start.
    pub fn with_a_clock(name: &str) -> (Project, impl Fn(i64)) {
        const START: i64 = 1_795_000_000_000;
        let time = Arc::new(AtomicI64::new(START));
        let shown = Arc::clone(&time);
        let project = Project::with_this_clock(name, Clock::from_fn(move || Timestamp(shown.load(Ordering::SeqCst))));
        (project, move |millis| time.store(START + millis, Ordering::SeqCst))
    }

    /// With a clock of the test's own.
    pub fn with_this_clock(name: &str, clock: Clock) -> Project {
        let project = Project::by(clock);
        project.app.create_feature(&NewFeature { name: name.into(), ..NewFeature::default() }).expect("makes a feature");
        project
    }

    pub fn add(&self, new: &NewLearning) -> RememberOutcome {
        self.app.append_feature_learning(new).expect("is stored")
    }

    pub fn task(&self, feature: &str, title: &str) -> u32 {
        let new = NewTask { feature: feature.into(), title: title.into(), ..NewTask::default() };
        self.app.create_task(&new).expect("makes a task").id
    }

    /// The same project for someone else.
    pub fn acting_as(&self, actor: Actor) -> App {
        App::open(&self.app.paths().root, Clock::system()).expect("opens").acting_as(actor)
    }

    /// Computes vectors and compares until nothing is pending; returns the total.
    pub fn settle(&self) -> ReconcileRound {
        self.app.reconcile_all(&|_| ()).expect("compares")
    }

    pub fn state(&self, id: &str) -> LearningState {
        self.app.learning(id).expect("exists").state
    }

    /// All knowledge, without row numbers and provenance of features, since another clone's are from outside here.
    pub fn knowledge(&self) -> (Vec<Feature>, Vec<FeatureLearning>) {
        let features =
            self.app.features().expect("lists").into_iter().map(|f| Feature { id: 0, author: TaskProvenance::Human, ..f }).collect();
        (features, self.app.learnings(None, &[]).expect("lists"))
    }

    /// A replay of the journals alone gives the same.
    pub fn rebuilds_to_the_same(&self) {
        let before = self.knowledge();
        let rebuilt = self.app.rebuild().expect("rebuilds");
        assert_eq!(rebuilt.skipped, vec![]);
        assert_eq!(self.knowledge(), before, "the journals tell the same as the database");
    }

    /// The project as another person gets it: journals and settings, no database.
    pub fn clone_without_database(&self) -> Project {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let memory = folder.path().join(".ralph/db/memory");
        std::fs::create_dir_all(&memory).expect("makes a folder");
        for entry in std::fs::read_dir(&self.app.paths().memory).expect("lists") {
            let entry = entry.expect("an entry");
            std::fs::copy(entry.path(), memory.join(entry.file_name())).expect("copies");
        }
        let app = Arc::new(App::open(folder.path(), Clock::system()).expect("opens"));
        Project { app, folder }
    }
}

/// A protected learning; different numbers have different subjects.
pub fn human(feature: &str, number: u32) -> NewLearning {
    NewLearning { source: LearningSource::Human, ..learning(feature, number) }
}

/// A protected learning of the feature `pay` in these words.
pub fn by_person(text: &str) -> NewLearning {
    NewLearning { source: LearningSource::Human, ..NewLearning::new("pay", text) }
}

/// A change of a task's status alone.
pub fn status(wanted: TaskStatus) -> TaskPatch {
    TaskPatch { status: Some(wanted), ..TaskPatch::default() }
}

/// A learning that may be pruned.
pub fn learning(feature: &str, number: u32) -> NewLearning {
    NewLearning::new(feature, &format!("Module m{number} keeps its own cache, so reload it after every change of file f{number}.rs"))
}
