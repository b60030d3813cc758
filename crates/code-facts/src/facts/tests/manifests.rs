//! Several manifests of a project.

use super::*;

#[test]
fn of_what_several_files_state_one_holds() {
    let files = [
        ("a/Cargo.toml", facts("a/Cargo.toml", "[dependencies]\nserde = \"2\"\n")),
        ("Cargo.toml", facts("Cargo.toml", "[dependencies]\nserde = \"1\"\n")),
        ("b/app.py", facts("b/app.py", "import requests, helpers\nfrom b import x\nfrom flask import Flask\n")),
        ("b/helpers.py", Vec::new()),
    ];
    let told = |files: &[(&str, Vec<FoundFact>)]| -> Vec<String> {
        let told = of_project(files.iter().map(|(path, facts)| (*path, facts.as_slice())));
        told.into_iter().map(|(file, fact)| format!("{file}: {} {}", fact.subject, fact.value)).collect()
    };
    assert_eq!(
        told(&files),
        [
            "b/app.py: flask any",
            "b/app.py: requests any",
            "Cargo.toml: serde 1",
            "a/Cargo.toml: serde in a/Cargo.toml 2",
            "b/app.py: Flask any"
        ]
    );
    let declared = [files.to_vec(), vec![("requirements.txt", facts("requirements.txt", "flask==3\n"))]].concat();
    assert_eq!(
        told(&declared),
        ["requirements.txt: flask ==3", "Cargo.toml: serde 1", "a/Cargo.toml: serde in a/Cargo.toml 2", "requirements.txt: Flask ==3"]
    );
    // One that states no version adds none, and one of another ecosystem is another package.
    let node = |path, version: &str| (path, facts(path, &format!("{{\"dependencies\": {{\"react\": \"{version}\", \"redis\": \"^4\"}}}}")));
    let beside = [
        node("package.json", "^17"),
        node("a/package.json", "^18"),
        node("b/package.json", "^17"),
        node("c/package.json", "*"),
        ("requirements.txt", facts("requirements.txt", "redis\n")),
        ("Cargo.toml", facts("Cargo.toml", "[workspace.dependencies]\nserde = \"1\"\n")),
        ("d/Cargo.toml", facts("d/Cargo.toml", "[dependencies]\nserde.workspace = true\n")),
    ];
    let expected = [
        "package.json: react ^17",
        "a/package.json: react in a/package.json ^18",
        "package.json: redis ^4",
        "requirements.txt: redis in requirements.txt any",
        "Cargo.toml: serde 1",
        "package.json: React ^17",
        "a/package.json: React in a/package.json ^18",
    ];
    let packages = |line: &&String| !line.contains("cargo");
    assert_eq!(told(&beside).iter().filter(packages).collect::<Vec<_>>(), expected);
}
