//! Facts of the files of task runners: Makefile, justfile, Taskfile.

use super::found::{DECLARED, FactKind, FoundFact, place, quoted};

/// A task runner, by the file that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    Make,
    Just,
    Task,
}

impl Runner {
    /// The runner that reads a file of this name.
    pub(super) fn of(name: &str) -> Option<Runner> {
        match name {
            "Makefile" | "makefile" | "GNUmakefile" => Some(Runner::Make),
            "justfile" | "Justfile" | ".justfile" => Some(Runner::Just),
            "Taskfile.yml" | "Taskfile.yaml" | "taskfile.yml" | "taskfile.yaml" => Some(Runner::Task),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Runner::Make => "make",
            Runner::Just => "just",
            Runner::Task => "task",
        }
    }

    /// The command for a target of a file in a folder.
    fn command(self, folder: &str, target: &str) -> String {
        let folder = quoted(folder);
        match (self, folder.is_empty()) {
            (_, true) => format!("{} {target}", self.name()),
            (Runner::Make, _) => format!("make -C {folder} {target}"),
            (Runner::Just, _) => format!("just {folder}/{target}"),
            (Runner::Task, _) => format!("task --dir {folder} {target}"),
        }
    }

    /// The target that a line begins, if any.
    fn target(self, line: &str, within: bool) -> Option<&str> {
        let line = match self {
            // Keys two blanks below `tasks:`.
            Runner::Task if within => line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?,
            Runner::Task => return None,
            _ => line,
        };
        let head = line.split_once(':').filter(|(_, rest)| !rest.starts_with('='))?.0;
        // A recipe of just may have parameters, a rule of make several targets.
        let mut words = head.split_whitespace();
        let first = words.next()?.trim_start_matches('@').trim_matches(['"', '\'']);
        let plain = first.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        // Only recipes of just have parameters, with `=` before their defaults.
        let named = head.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '@' | '_' | '"' | '\''));
        (plain && named && (self == Runner::Just || !head.contains('='))).then_some(first)
    }
}

pub(super) fn facts(runner: Runner, path: &str, source: &str) -> Vec<FoundFact> {
    let (folder, behind) = place(path);
    let mut found = Vec::new();
    let mut within = false;
    for (at, line) in source.lines().enumerate() {
        if !line.starts_with([' ', '\t', '#']) && !line.trim().is_empty() {
            within = line.trim_end() == "tasks:";
        }
        let Some(target) = runner.target(line, within) else { continue };
        let (kind, what) = match target {
            "test" | "tests" | "check" => (FactKind::TestCommand, "tests"),
            "build" => (FactKind::BuildCommand, "build"),
            _ => continue,
        };
        let line = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let subject = format!("{} {what}{behind}", runner.name());
        found.push((target, FoundFact::new(kind, subject, runner.command(&folder, target), line, DECLARED)));
    }
    // Of several targets for tests the plainest counts, wherever it is.
    found.sort_by_key(|(target, fact)| (fact.kind, ["test", "tests", "check"].iter().position(|name| name == target), fact.line));
    found.dedup_by(|(_, other), (_, first)| other.kind == first.kind);
    found.into_iter().map(|(_, fact)| fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_commands_and_variables_and_recipes_are_none() {
        for (path, source, expected) in [
            (
                "Makefile",
                "build := x\ntest ?= y\n# test: no\n.PHONY: test build\nall: build\nbuild: main.o | dir\n\tcc test: x\ncheck:\n\tmake test\ntest:: build ; ./run\n",
                &["make tests = make test at 10", "make build = make build at 6"][..],
            ),
            ("api/Makefile", "check: x\n", &["make tests in api = make -C api check at 1"]),
            (
                "justfile",
                "set shell := ['sh']\nalias t := test\n\n@build target='x':\n  cargo build\n\ntest *args: build\n  cargo test {{args}}\n",
                &["just tests = just test at 7", "just build = just build at 4"],
            ),
            (
                "Taskfile.yml",
                "version: '3'\nvars:\n  test: no\ntasks:\n  build:\n    cmds:\n      - go build\n  test:\n    cmds: [go test]\nother:\n  check: no\n",
                &["task tests = task test at 8", "task build = task build at 5"],
            ),
            ("Makefile", "test = 1\nVAR: build\n\techo\nexport build\n", &[]),
        ] {
            let name = path.rsplit('/').next().expect("a name");
            let found = facts(Runner::of(name).expect("a runner"), path, source);
            let found: Vec<String> = found.iter().map(|fact| format!("{} = {} at {}", fact.subject, fact.value, fact.line)).collect();
            assert_eq!(found, expected, "{source}");
        }
    }
}
