//! A window with one line of text: the baseline of `cargo xtask bench --window` for start-up time and memory.
//! An example of the same crate, so that both use the same versions and features.

fn main() {
    tauri::Builder::default().run(tauri::generate_context!("examples/empty-window/tauri.conf.json")).expect("the system has a web view");
}
