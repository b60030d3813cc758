//! Desktop notifications: what is shown, and when.

use ralph_app::App;
use ralph_core::announce::{Announce, Announcement, Announcer};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tauri::{AppHandle, Manager};
use tauri_plugin_notification::NotificationExt;

/// Minimum interval between checks for news.
const PAUSE: Duration = Duration::from_secs(1);
/// Keys of a notification's destination, and of its project.
pub const PLACE: &str = "place";
/// See [`PLACE`].
pub const PROJECT: &str = "project";
/// The only window.
pub const WINDOW: &str = "main";

/// When notifications are shown: stored on this machine, for all projects.
pub struct Choice {
    file: Option<PathBuf>,
}

impl Choice {
    /// The choice stored in `folder`; without one it can't be changed.
    pub fn at(folder: Option<PathBuf>) -> Choice {
        Choice { file: folder.map(|folder| folder.join("announce.txt")) }
    }

    /// The choice; by default only while the person is away from the window.
    pub fn get(&self) -> Announce {
        let word = self.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        word.and_then(|word| word.trim().parse().ok()).unwrap_or(Announce::Away)
    }

    /// Stores the choice.
    pub fn set(&self, choice: Announce) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Err(std::io::ErrorKind::NotFound.into()) };
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(file, format!("{choice}\n"))
    }
}

/// Announces one project's news.
pub struct Herald {
    announcer: Announcer,
    asked: Instant,
    due: bool,
}

impl Herald {
    /// Starts from the current state; `None` if the project can't be read now.
    pub fn of(app: &App) -> Option<Herald> {
        let announcer = app.announcer().inspect_err(|fault| tracing::warn!("nothing will be announced: {fault}")).ok()?;
        Some(Herald { announcer, asked: Instant::now(), due: false })
    }

    /// Announces news, when something `changed` or is held back.
    pub fn look(&mut self, handle: &AppHandle, app: &App, changed: bool) {
        self.due |= changed || self.announcer.waits();
        if !self.due || self.asked.elapsed() < PAUSE {
            return;
        }
        (self.due, self.asked) = (false, Instant::now());
        match app.announcements(&mut self.announcer, is_silent(handle, app)) {
            Ok(announcements) => announcements.iter().for_each(|announcement| show(handle, app, announcement)),
            Err(fault) => tracing::warn!("nothing could be announced: {fault}"),
        }
    }
}

/// A window in front that nobody has used for a while is in nobody's sight.
fn is_silent(handle: &AppHandle, app: &App) -> bool {
    match handle.state::<Choice>().get() {
        Announce::Never => true,
        Announce::Away => handle.get_webview_window(WINDOW).is_some_and(|window| window.is_focused().unwrap_or(false)) && !app.is_away(),
        Announce::Always => false,
    }
}

fn show(handle: &AppHandle, app: &App, announcement: &Announcement) {
    let built = handle.notification().builder().title(&announcement.title).body(&announcement.body);
    let built = built.extra(PLACE, announcement.place).extra(PROJECT, app.project().path);
    if let Err(fault) = built.show() {
        tracing::warn!("the desktop was not told: {fault}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_kept_and_what_is_no_choice_is_the_quiet_one() {
        let home = tempfile::tempdir().expect("a folder");
        let choice = Choice::at(Some(home.path().join("data")));
        assert_eq!(choice.get(), Announce::Away);
        for chosen in Announce::ALL {
            choice.set(*chosen).expect("kept");
            assert_eq!(choice.get(), *chosen);
        }
        std::fs::write(home.path().join("data/announce.txt"), "loudly").expect("written");
        assert_eq!(choice.get(), Announce::Away);
        assert!(Choice::at(None).set(Announce::Never).is_err());
    }
}
