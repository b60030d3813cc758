//! Prepares the window: the pages, the permissions and the icon become part of the binary, the embedding model lies beside it.

#[path = "../crates/text-embed/build/weights.rs"]
mod weights;

use std::path::Path;

fn main() {
    // The pages are embedded, and checking or linting the crate must not need a build of them first.
    let _ = std::fs::create_dir_all("../dist");
    println!("cargo:rerun-if-changed=../dist");
    let models = Path::new("../models");
    // Tauri refuses a resource that is not there, and this script may run before the one of text-embed.
    if !weights::present(models)
        && let Err(fault) = weights::fetch(models)
    {
        println!("cargo:warning=the window is built without its embedding model: {fault}");
        let _ = std::fs::create_dir_all(models.join(weights::FOLDER));
    }
    tauri_build::build();
}
