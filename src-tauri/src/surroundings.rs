//! Commands for a project's surroundings: the folder before it is a project, the agent, and the settings file in an editor.

use crate::desk::{Answer, Desk, nothing_open};
use ralph_app::App;
use ralph_core::run::AgentKind;
use ralph_core::view::{CommandError, DoctorCheck, FolderLook};
use std::path::{Path, PathBuf};
use tauri::State;

/// What a folder offers a project that is made in it.
#[tauri::command]
#[specta::specta]
pub async fn look_at_folder(desk: State<'_, Desk>, path: PathBuf) -> Answer<FolderLook> {
    desk.apart(move || Ok(App::look_at_folder(&path))).await
}

/// Whether an agent could be started now.
#[tauri::command]
#[specta::specta]
pub async fn check_agent(desk: State<'_, Desk>, agent: AgentKind) -> Answer<DoctorCheck> {
    let app = desk.app().ok_or_else(nothing_open)?;
    Ok(app.check_agent(agent).await?)
}

/// Opens the file of settings in the desktop's own program for it.
#[tauri::command]
#[specta::specta]
pub async fn open_settings_file(desk: State<'_, Desk>) -> Answer<()> {
    let file = desk.ask(|app| Ok(app.paths().config.clone())).await?;
    open::that_detached(&file).map_err(|fault| no_program(&file, &fault))
}

/// The desktop knows no program for the file, which an editor opens all the same.
fn no_program(file: &Path, fault: &std::io::Error) -> CommandError {
    let ending = file.extension().unwrap_or_default().display().to_string();
    not_opened(file, fault, format!("no program opens .{ending} files here"), format!("open {} in an editor", file.display()))
}

/// The same of a folder.
pub(crate) fn no_program_for_folders(folder: &Path, fault: &std::io::Error) -> CommandError {
    not_opened(folder, fault, "no program shows folders here".to_owned(), format!("go to {} in a terminal", folder.display()))
}

fn not_opened(path: &Path, fault: &std::io::Error, message: String, hint: String) -> CommandError {
    tracing::warn!("{} was not opened: {fault}", path.display());
    CommandError { code: "io".to_owned(), message, hint, data: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desktop_without_a_program_is_no_fault_of_ralph_s_and_the_way_out_is_the_path() {
        let error = no_program(Path::new("/home/dev/shop/.ralph/config.toml"), &std::io::ErrorKind::NotFound.into());
        assert_eq!((error.code.as_str(), error.message.as_str()), ("io", "no program opens .toml files here"));
        assert_eq!(error.hint, "open /home/dev/shop/.ralph/config.toml in an editor");
        let error = no_program_for_folders(Path::new("/home/dev/work/3"), &std::io::ErrorKind::NotFound.into());
        assert_eq!((error.code.as_str(), error.hint.as_str()), ("io", "go to /home/dev/work/3 in a terminal"));
    }
}
