//! The window: translates between the screen and [`ralph_app::App`], nothing else.
//!
//! **Never here:** a product rule, SQL, or data of its own other than the list of recently opened projects. A command has at
//! most five lines: take the arguments, call the `App`, return the result.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod allocator;
mod announce;
mod bindings;
mod closing;
mod commands;
mod desk;
mod first;
mod follows;
mod launcher;
mod opening;
mod places;
mod transcript;
mod watcher;

use announce::Choice;
use closing::Unsaved;
use desk::Desk;
use tauri::Manager;
use tauri::webview::PageLoadEvent;

// The only place where the environment may be changed: before any other thread exists.
#[allow(unsafe_code, clippy::disallowed_methods)]
fn main() {
    // WebKit's DMA-BUF renderer shows a white window on NVIDIA and some Wayland systems; whoever sets the variable knows better.
    if cfg!(target_os = "linux") && std::env::var_os("WEBKIT_DISABLE_DMABUF_RENDERER").is_none() {
        // SAFETY: the first statement of the program; no other thread exists that could read the environment.
        unsafe { std::env::set_var("WEBKIT_DISABLE_DMABUF_RENDERER", "1") };
    }
    allocator::begin();
    ralph_app::make_room_for_open_files();
    run();
}

fn run() {
    let builder = bindings::builder();
    tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .invoke_handler(builder.invoke_handler())
        .on_page_load(|webview, load| {
            if load.event() == PageLoadEvent::Started {
                // A reloaded page has forgotten its channels, and what was changed in a form that keeps no draft.
                webview.state::<Desk>().follows.end_all();
                webview.state::<Unsaved>().set(false);
            }
        })
        .on_window_event(closing::on_window_event)
        .setup(move |app| {
            builder.mount_events(app);
            app.manage(Choice::at(app.path().app_data_dir().ok()));
            app.manage(Unsaved::default());
            app.manage(Desk::new(app.handle().clone()));
            let desk = app.state::<Desk>();
            let folder = desk.first_folder(std::env::args_os().nth(1));
            // The web view starts its processes while the project is opened.
            opening::show_window(app, folder.as_deref())?;
            desk.open_first(folder);
            places::on_click(app.handle());
            #[cfg(unix)]
            closing::on_signal(app.handle());
            Ok(())
        })
        .run(tauri::generate_context!())
        .expect("the system has a web view");
}
