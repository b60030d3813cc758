//! `cargo xtask codegen`: the TypeScript bindings of the window's commands.

use crate::fault::Fault;
use crate::process;

/// Writes `src/ipc/bindings.ts` anew. The test that compares the file with the commands writes it when asked to.
///
/// # Errors
/// When the window does not compile.
pub fn run() -> Result<(), Fault> {
    process::show(process::cargo(&["test", "--package", "ralph-desktop", "bindings"]).env("RALPH_WRITE_BINDINGS", "1"))?;
    println!("bindings written: src/ipc/bindings.ts");
    Ok(())
}
