//! Ensures that the bundled model's weights are in the checkout, so that a plain `cargo build` produces a program that embeds.

#[path = "build/weights.rs"]
mod weights;

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build/weights.rs");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    // Cargo compares the time of this file; if it is missing, the script runs again.
    println!("cargo:rerun-if-changed={}", models.join(weights::FOLDER).join("model.safetensors").display());
    if weights::present(&models) {
        return;
    }
    // The code compiles without the weights, and a machine without network must be able to build.
    if let Err(fault) = weights::fetch(&models) {
        println!("cargo:warning=the embedding model is not installed, so search by meaning will be off: {fault}");
        println!("cargo:warning=`cargo xtask test install` or the next build tries again");
    }
}
