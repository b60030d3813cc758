//! Where the pinned programs of real agents are.

use std::path::PathBuf;

/// The program that `variable` names, or `program` in the one of the npm packages below `target/tools/<packages>` that was made for this
/// system.
///
/// # Panics
/// When there is none; `agent` is named then.
pub(crate) fn installed(agent: &str, variable: &str, packages: &str, program: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        return path.into();
    }
    let packages = crate::sandbox::target().join("tools").join(packages);
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let found =
        std::fs::read_dir(&packages).into_iter().flatten().flatten().map(|package| package.path().join(&name)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("no {agent} in {}: run `cargo xtask test install`", packages.display()))
}
