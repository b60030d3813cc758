//! A window that shows one line of text: what `cargo xtask bench --window` compares the start-up and memory of Ralph's with.
//! An example of the same crate, so that both are built from the same versions with the same features.

fn main() {
    tauri::Builder::default().run(tauri::generate_context!("examples/empty-window/tauri.conf.json")).expect("the system has a web view");
}
