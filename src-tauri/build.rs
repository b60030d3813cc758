//! Prepares the window: the pages, the permissions and the icon become part of the binary.

fn main() {
    // The pages are embedded, and checking or linting the crate must not need a build of them first.
    let _ = std::fs::create_dir_all("../dist");
    println!("cargo:rerun-if-changed=../dist");
    tauri_build::build();
}
