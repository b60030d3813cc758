//! Allowed imports of the screen: `app/` → `areas/<noun>/` → `ui/`, `lib/`, `ipc/`.

use super::{Finding, Source};

/// A folder of `src/` by its layer.
#[derive(PartialEq, Eq, Debug)]
enum Part<'a> {
    App,
    Area(&'a str),
    /// `ui`, `lib`, `ipc`: what everyone may use.
    Base(&'a str),
    Other,
}

/// Checks one file.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.is_script() || source.is_generated() || !source.path.starts_with("src/") {
        return findings;
    }
    let from = part(&source.path);
    for (line, code, _) in source.code() {
        let Some(path) = imported(code).and_then(|import| resolve(&source.path, import)) else { continue };
        let fault = match (&from, part(&path)) {
            (Part::Base(folder), Part::App | Part::Area(_)) => format!("src/{folder} must not know {path}: it is used by every area"),
            (Part::Area(one), Part::Area(other)) if *one != other => {
                format!("area '{one}' must not import area '{other}': let src/app join them, or move what both need to src/ui or src/lib")
            }
            (Part::Area(_), Part::App) => format!("an area must not import {path}: src/app imports the areas"),
            _ => continue,
        };
        findings.push(Finding::new(source, line, fault));
    }
    findings
}

fn part(path: &str) -> Part<'_> {
    let mut folders = path.split('/').skip(1);
    match (folders.next(), folders.next()) {
        (Some("app"), Some(_)) => Part::App,
        (Some("areas"), Some(area)) => Part::Area(area),
        (Some(base @ ("ui" | "lib" | "ipc")), _) => Part::Base(base),
        _ => Part::Other,
    }
}

/// What a line imports: the text in quotes after `from`, `import` or `import(`.
fn imported(code: &str) -> Option<&str> {
    let after = ["from \"", "from '", "import \"", "import '", "import(\"", "import('"].iter().find_map(|start| code.split_once(start));
    let (_, rest) = after?;
    rest.find(['"', '\'']).map(|end| &rest[..end])
}

/// The imported path from the root of the repository; `None` for packages.
fn resolve(importer: &str, import: &str) -> Option<String> {
    if let Some(rest) = import.strip_prefix("@/") {
        return Some(format!("src/{rest}"));
    }
    if !import.starts_with('.') {
        return None;
    }
    let mut folders = importer.split('/').collect::<Vec<_>>();
    folders.pop();
    for step in import.split('/') {
        match step {
            "." => {}
            ".." => {
                folders.pop();
            }
            name => folders.push(name),
        }
    }
    Some(folders.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::planted::{lines, source};
    use super::*;

    #[test]
    fn arrows_point_down() {
        for (path, text, expected) in [
            ("src/app/router.tsx", "import { Tasks } from \"@/areas/tasks\";", vec![]),
            ("src/areas/tasks/list.tsx", "import { Row } from \"../features/row\";", vec![1]),
            ("src/areas/tasks/list.tsx", "import { Row } from \"./row\";\nimport { Button } from \"@/ui/button\";", vec![]),
            ("src/areas/tasks/list.tsx", "import { x } from \"@/areas/features/x\";", vec![1]),
            ("src/areas/tasks/list.tsx", "import { router } from '@/app/router';", vec![1]),
            ("src/ui/button.tsx", "import { x } from \"../areas/tasks/x\";", vec![1]),
            ("src/lib/time.ts", "const x = await import(\"@/areas/tasks/x\");", vec![1]),
            ("src/lib/time.ts", "import React from \"react\";", vec![]),
            ("src/main.tsx", "import \"./app/app\";", vec![]),
            ("tests/window/a.mjs", "import \"../areas/a\";", vec![]),
        ] {
            assert_eq!(lines(&check(&source(path, text))), expected, "{path}: {text}");
        }
    }
}
