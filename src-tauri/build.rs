//! Prepares the window: the pages, the permissions and the icon are embedded in the binary, the embedding model is placed next to it.

#[path = "../crates/text-embed/build/weights.rs"]
mod weights;

use std::path::Path;

fn main() {
    // The pages are embedded, and checking or linting the crate must not require building them first.
    let _ = std::fs::create_dir_all("../dist");
    println!("cargo:rerun-if-changed=../dist");
    let models = Path::new("../models");
    // Tauri rejects a missing resource, and this script may run before that of text-embed.
    if !weights::present(models)
        && let Err(fault) = weights::fetch(models)
    {
        println!("cargo:warning=the window is built without its embedding model: {fault}");
        let _ = std::fs::create_dir_all(models.join(weights::FOLDER));
    }
    tauri_build::build();
}
