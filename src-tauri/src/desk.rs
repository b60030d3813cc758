//! The desk: the open project, and access to it for commands.

use crate::first::First;
use crate::follows::Follows;
use crate::launcher;
use crate::watcher::{self, WatchHandle};
use ralph_app::{App, AppError, Clock, Indexer, MergeRequest, Recent, StopCause, StopHandle, TrustAct};
use ralph_core::RunId;
use ralph_core::errand::ErrandAgent;
use ralph_core::run::{Run, RunRequest};
use ralph_core::trust::TrustReport;
use ralph_core::view::{CommandError, DoctorReport, MergeDone, ProjectInfo};
use ralph_core::worktree::Work;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::{AppHandle, Manager};
use tokio::sync::watch;

/// Result of every command.
pub type Answer<T> = Result<T, CommandError>;

/// The open project, who watches it, and who indexes it; both end with it.
type OpenProject = (Arc<App>, WatchHandle, Indexer);

/// The window's only state.
pub struct Desk {
    /// Readers of transcripts requested by the page.
    pub follows: Follows,
    handle: AppHandle,
    recent: Recent,
    open: Mutex<Option<OpenProject>>,
    first: First,
    /// A folder given at the start that could not be opened: the picker shows why and what can be done.
    refused: Mutex<Option<PathBuf>>,
    /// The projects whose run this process drives; one stays here when another project is opened meanwhile.
    driven: watch::Sender<Vec<(Arc<App>, RunId)>>,
    /// What else the page asked for that starts agents or checks, and that is not over.
    orders: watch::Sender<Vec<Arc<Order>>>,
}

/// A merge, or an errand.
pub struct Order {
    app: Arc<App>,
    /// What it merges; an errand merges nothing.
    pub merges: Option<Work>,
    /// Ends it.
    pub stop: StopHandle,
}

impl Desk {
    /// A desk without a project.
    pub fn new(handle: AppHandle) -> Desk {
        let recent = Recent::of_this_person();
        Desk {
            follows: Follows::default(),
            handle,
            recent,
            open: Mutex::default(),
            first: First::new(),
            refused: Mutex::default(),
            driven: watch::Sender::new(Vec::new()),
            orders: watch::Sender::new(Vec::new()),
        }
    }

    /// The folder given on the command line, otherwise the last open project, otherwise none: then the picker is shown.
    pub fn first_folder(&self, named: Option<OsString>) -> Option<PathBuf> {
        named.map(PathBuf::from).or_else(|| self.recent.paths().into_iter().next())
    }

    /// Begins to open the first folder, beside the window that comes up meanwhile; whoever asks for the project waits for it, and nobody
    /// else does. If it can't be opened, the picker shows why.
    pub fn open_first(&self, folder: Option<PathBuf>) {
        let Some(folder) = folder else { return self.first.settle() };
        let handle = self.handle.clone();
        tauri::async_runtime::spawn(async move {
            let (opener, named) = (handle.clone(), folder.clone());
            let opened = tauri::async_runtime::spawn_blocking(move || opener.state::<Desk>().opened(&named, false)).await;
            let desk = handle.state::<Desk>();
            match opened.unwrap_or_else(|fault| Err(internal(&fault))) {
                Ok(open) => *lock(&desk.open) = Some(open),
                Err(fault) => {
                    tracing::info!("{} was not opened: {}", folder.display(), fault.message);
                    *lock(&desk.refused) = Some(folder);
                }
            }
            desk.first.settle();
        });
    }

    /// Opens a project, or creates one; the previous one is closed only in the window.
    pub fn open(&self, folder: &Path, init: bool) -> Answer<ProjectInfo> {
        let open = self.opened(folder, init)?;
        let project = open.0.project();
        // Closing the one before may take a moment, for which nobody else waits.
        let before = lock(&self.open).replace(open);
        drop(before);
        *lock(&self.refused) = None;
        self.follows.end_all();
        Ok(project)
    }

    /// A project with its background work.
    fn opened(&self, folder: &Path, init: bool) -> Answer<OpenProject> {
        let app = Arc::new(if init { App::init(folder, Clock::system()) } else { App::open(folder, Clock::system()) }?);
        let watch = app.watch().map_err(CommandError::from)?;
        self.recent.put_first(&app.paths().root);
        Ok((Arc::clone(&app), watcher::start(self.handle.clone(), Arc::clone(&app), watch), app.start_indexer()))
    }

    /// The same off the UI threads: a clone without a database is rebuilt first.
    pub async fn open_beside(&self, folder: PathBuf, init: bool) -> Answer<ProjectInfo> {
        let handle = self.handle.clone();
        let opened = tauri::async_runtime::spawn_blocking(move || handle.state::<Desk>().open(&folder, init)).await;
        opened.map_err(|fault| internal(&fault))?
    }

    /// Runs work that needs no open project, off the UI threads.
    pub async fn apart<T, F>(&self, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, AppError> + Send + 'static,
    {
        let done = tauri::async_runtime::spawn_blocking(work).await;
        Ok(done.map_err(|fault| internal(&fault))??)
    }

    /// The open project, if any, once the first one has been opened or could not be.
    pub async fn app(&self) -> Option<Arc<App>> {
        self.first.settled().await;
        self.app_now()
    }

    /// The project that is open now, if any.
    pub fn app_now(&self) -> Option<Arc<App>> {
        lock(&self.open).as_ref().map(|(app, ..)| Arc::clone(app))
    }

    /// The folder that was named at the start and could not be opened.
    pub async fn refused(&self) -> Option<String> {
        self.first.settled().await;
        lock(&self.refused).as_ref().map(|path| path.to_string_lossy().into_owned())
    }

    /// Projects that were opened before, newest first. Some may be on a drive that answers slowly.
    pub async fn recent(&self) -> Answer<Vec<ProjectInfo>> {
        let handle = self.handle.clone();
        self.apart(move || Ok(handle.state::<Desk>().recent.projects())).await
    }

    /// Runs a query on the open project, off the UI threads.
    pub async fn ask<T, F>(&self, question: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Arc<App>) -> Result<T, AppError> + Send + 'static,
    {
        let app = self.app().await.ok_or_else(nothing_open)?;
        let answer = tauri::async_runtime::spawn_blocking(move || question(&app)).await;
        Ok(answer.map_err(|fault| internal(&fault))??)
    }

    /// Opens a file or folder in the desktop's own program for it. `not_opened` tells that there is none.
    pub async fn hand_over(&self, path: PathBuf, not_opened: fn(&Path, &std::io::Error) -> CommandError) -> Answer<()> {
        let opened = tauri::async_runtime::spawn_blocking(move || launcher::open(&path).map_err(|fault| not_opened(&path, &fault))).await;
        opened.map_err(|fault| internal(&fault))?
    }

    /// Merges work.
    pub async fn merge(&self, work: Work, resolve: bool) -> Answer<MergeDone> {
        self.order(Some(work), move |app, stop| async move {
            let by = ErrandAgent::default();
            app.merge(work, &MergeRequest::new(None, resolve.then_some(&by)), &stop).await
        })
        .await
    }

    /// Stops a merge that the page asked for; its work stays as it was. Nothing happens once it is over, or if another program merges.
    pub async fn stop_merge(&self, work: Work) -> Answer<()> {
        let app = self.app().await.ok_or_else(nothing_open)?;
        let orders = self.orders.borrow();
        let its = orders.iter().filter(|order| order.merges == Some(work) && Arc::ptr_eq(&order.app, &app));
        its.for_each(|order| order.stop.stop(StopCause::Person));
        Ok(())
    }

    /// Has an agent write documents.
    pub async fn consolidate(&self, feature: Option<String>) -> Answer<Option<String>> {
        let ordered = self
            .order(None, move |app, stop| async move { app.consolidate(feature.as_deref(), &[], &ErrandAgent::default(), &stop).await });
        Ok(ordered.await?.1.waiting())
    }

    /// Proposes the undo of a consolidation.
    pub async fn undo_consolidation(&self, act: String) -> Answer<Option<String>> {
        let undo = self.order(None, move |app, stop| async move { app.undo_consolidation(&act, &stop).await });
        Ok(undo.await?.waiting())
    }

    /// Does what starts agents or checks, and can be stopped until it is over. On a separate runtime: it waits for git, and for programs.
    async fn order<T, F>(&self, merges: Option<Work>, work: impl FnOnce(Arc<App>, StopHandle) -> F) -> Answer<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, AppError>> + Send + 'static,
    {
        let app = self.app().await.ok_or_else(nothing_open)?;
        let order = Arc::new(Order { app: Arc::clone(&app), merges, stop: StopHandle::new() });
        self.orders.send_modify(|orders| orders.push(Arc::clone(&order)));
        let done = tauri::async_runtime::spawn(work(app, order.stop.clone())).await;
        self.orders.send_modify(|orders| orders.retain(|other| !Arc::ptr_eq(other, &order)));
        Ok(done.map_err(|fault| internal(&fault))??)
    }

    /// Health of the open project, or of this machine without one.
    pub async fn doctor(&self) -> DoctorReport {
        let folder = self.app().await.map_or_else(|| PathBuf::from("."), |app| app.paths().root.clone());
        App::doctor(&folder, Clock::system()).await
    }

    /// Trust items of a folder, whether it can be opened or not.
    pub async fn trust_of(&self, folder: PathBuf, act: TrustAct) -> Answer<TrustReport> {
        self.apart(move || App::trust_in(&folder, act, Clock::system())).await
    }

    /// Starts a run and drives it in the background until it ends.
    pub async fn start_run(&self, request: &RunRequest) -> Answer<Run> {
        let app = self.app().await.ok_or_else(nothing_open)?;
        let prepared = app.start_run(request).await?;
        let run = prepared.run().clone();
        let driven = self.driven.clone();
        let id = run.id;
        driven.send_modify(|runs| runs.push((Arc::clone(&app), id)));
        // A thread of its own: the loop never waits behind an answer to the page, nor the page behind the loop.
        std::thread::spawn(move || {
            let ended = tokio::runtime::Runtime::new().map(|runtime| runtime.block_on(app.drive(prepared, None)));
            match ended {
                Ok(Ok(run)) => tracing::info!("run {} ended", run.id),
                Ok(Err(fault)) => tracing::error!("the run failed: {fault}"),
                Err(fault) => tracing::error!("the run could not begin: {fault}"),
            }
            driven.send_modify(|runs| runs.retain(|(other, run)| *run != id || !Arc::ptr_eq(other, &app)));
        });
        Ok(run)
    }

    /// Follows the merges and errands that the page asked for.
    pub fn orders(&self) -> watch::Receiver<Vec<Arc<Order>>> {
        self.orders.subscribe()
    }

    /// Follows the projects whose run this process drives.
    pub fn driven(&self) -> watch::Receiver<Vec<(Arc<App>, RunId)>> {
        self.driven.subscribe()
    }
}

/// A poisoned lock means a panic between two plain assignments; its content is consistent.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn nothing_open() -> CommandError {
    CommandError::new("no_project", "no project is open", "open a folder first")
}

/// An error of the window itself.
pub(crate) fn internal(fault: &tauri::Error) -> CommandError {
    CommandError::new("internal", format!("Ralph failed while answering: {fault}"), "try again; what was saved is safe")
}
