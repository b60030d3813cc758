//! `cargo xtask codegen`: the TypeScript bindings of the window's commands.

use crate::fault::Fault;
use crate::process;

/// Regenerates `src/ipc/bindings.ts`, by the test that compares the file with the commands.
///
/// # Errors
/// If the window does not compile.
pub fn run() -> Result<(), Fault> {
    process::show(process::cargo(&["test", "--package", "ralph-desktop", "bindings"]).env("RALPH_WRITE_BINDINGS", "1"))?;
    println!("bindings written: src/ipc/bindings.ts");
    Ok(())
}
