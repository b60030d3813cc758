//! Commands for the loop: runs, their workers and iterations, guidance, and errands.

use crate::desk::{Answer, Desk};
use crate::transcript::{self, TranscriptBatch};
use ralph_core::errand::{Errand, ErrandId};
use ralph_core::run::{Guidance, GuidanceId, Leave, Question, QuestionId, Run, RunControl, RunRequest};
use ralph_core::view::{IterationDetail, LaneSignal, RunDetail, RunRow};
use ralph_core::{IterationId, RunId, TaskId};
use tauri::State;
use tauri::ipc::Channel;

type Its<'a> = State<'a, Desk>;

/// Runs shown in the list.
const RUNS_SHOWN: u32 = 500;

/// The newest runs, with how their attempts came out.
#[tauri::command]
#[specta::specta]
pub async fn list_runs(desk: Its<'_>) -> Answer<Vec<RunRow>> {
    desk.ask(|app| app.run_rows(RUNS_SHOWN)).await
}

/// A run with its iterations.
#[tauri::command]
#[specta::specta]
pub async fn get_run(desk: Its<'_>, id: RunId) -> Answer<RunDetail> {
    desk.ask(move |app| app.run(id)).await
}

/// An iteration with its prompt and hook notes.
#[tauri::command]
#[specta::specta]
pub async fn get_iteration(desk: Its<'_>, id: IterationId) -> Answer<IterationDetail> {
    desk.ask(move |app| app.iteration(id)).await
}

/// What an iteration changed in the repository.
#[tauri::command]
#[specta::specta]
pub async fn iteration_diff(desk: Its<'_>, id: IterationId) -> Answer<String> {
    desk.ask(move |app| app.iteration_diff(id)).await
}

/// Starts a run in this checkout.
#[tauri::command]
#[specta::specta]
pub async fn start_run(desk: Its<'_>, request: RunRequest) -> Answer<Run> {
    desk.start_run(&request).await
}

/// Asks a run, or one lane of it, to pause, go on or stop, whichever process drives it.
#[tauri::command]
#[specta::specta]
pub async fn control_run(desk: Its<'_>, run: RunId, control: RunControl, lane: Option<u32>) -> Answer<Run> {
    desk.ask(move |app| app.control_run(Some(run), lane, control)).await
}

/// Gives the next iteration of a task, or of any, a person's words.
#[tauri::command]
#[specta::specta]
pub async fn guide(desk: Its<'_>, task: Option<TaskId>, text: String) -> Answer<Guidance> {
    desk.ask(move |app| app.guide(task, &text)).await
}

/// Withdraws guidance that no iteration has been told yet.
#[tauri::command]
#[specta::specta]
pub async fn withdraw_guidance(desk: Its<'_>, id: GuidanceId) -> Answer<Guidance> {
    desk.ask(move |app| app.withdraw_guidance(id)).await
}

/// Answers what an agent asks leave for.
#[tauri::command]
#[specta::specta]
pub async fn answer_question(desk: Its<'_>, id: QuestionId, answer: Leave) -> Answer<Question> {
    desk.ask(move |app| app.answer_question(id, answer)).await
}

/// What the agent of each lane of the active run did or said last.
#[tauri::command]
#[specta::specta]
pub async fn lane_signals(desk: Its<'_>) -> Answer<Vec<LaneSignal>> {
    desk.ask(|app| app.lane_signals()).await
}

/// The newest agent runs that belong to no task.
#[tauri::command]
#[specta::specta]
pub async fn list_errands(desk: Its<'_>) -> Answer<Vec<Errand>> {
    desk.ask(|app| app.errands()).await
}

/// One errand, however old.
#[tauri::command]
#[specta::specta]
pub async fn get_errand(desk: Its<'_>, id: ErrandId) -> Answer<Errand> {
    desk.ask(move |app| app.errand(id)).await
}

/// Asks an errand to stop, whichever process drives it.
#[tauri::command]
#[specta::specta]
pub async fn stop_errand(desk: Its<'_>, id: ErrandId) -> Answer<Errand> {
    desk.ask(move |app| app.stop_errand(id)).await
}

/// Feeds the channel with an iteration's event log until it ends, or until [`stop_following`].
#[tauri::command]
#[specta::specta]
pub async fn follow_transcript(desk: Its<'_>, iteration: IterationId, channel: Channel<TranscriptBatch>) -> Answer<()> {
    transcript::feed(&desk, &channel, move |app, offset, max| app.transcript(iteration, offset, max)).await
}

/// The same with an errand's event log.
#[tauri::command]
#[specta::specta]
pub async fn follow_errand(desk: Its<'_>, errand: ErrandId, channel: Channel<TranscriptBatch>) -> Answer<()> {
    transcript::feed(&desk, &channel, move |app, offset, max| app.errand_transcript(errand, offset, max)).await
}

/// Ends the feeding of a channel, named by its id.
#[tauri::command]
#[specta::specta]
pub async fn stop_following(desk: Its<'_>, channel: u32) -> Answer<()> {
    desk.follows.end(channel);
    Ok(())
}
