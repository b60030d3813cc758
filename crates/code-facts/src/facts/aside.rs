//! Files whose facts don't belong to the project: vendored or generated code, tests, examples.

/// Folders with vendored or generated files.
const FOREIGN: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "third-party",
    "site-packages",
    "dist-packages",
    "__pycache__",
    "target",
    "dist",
    "venv",
    "env",
];
/// Folders about the project that are not part of it.
const ASIDE: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "__mocks__",
    "testdata",
    "test-data",
    "fixtures",
    "__fixtures__",
    "spec",
    "e2e",
    "example",
    "examples",
    "_examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
];

/// Whether a file's facts don't belong to the project.
pub(super) fn is_aside(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let aside = |folder: &str| {
        let hidden = folder.len() > 1 && folder.starts_with('.') && folder != "..";
        let folder = folder.to_ascii_lowercase();
        hidden || FOREIGN.contains(&folder.as_str()) || ASIDE.contains(&folder.as_str())
    };
    // What is below is no folder about the project, but a package such as `com.acme.samples`.
    let folders = folders.split_once("src/main/java").map_or(folders, |(above, _)| above);
    folders.split('/').any(aside) || is_test(name) || name.ends_with(".min.js") || name.ends_with(".d.ts") || name.ends_with(".pyi")
}

/// Whether a file contains tests, by its name.
fn is_test(name: &str) -> bool {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "conftest" | "tests"),
        "go" => stem.ends_with("_test"),
        "java" => stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("IT"),
        "rs" => matches!(stem, "tests" | "build"),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => [".test", ".spec", ".stories"].iter().any(|end| stem.ends_with(end)),
        _ => false,
    }
}
