//! Whether the check command finds the same programs under Ralph as in the person's shell.

use ralph_core::shell_words::{programs, variables};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Variables by name.
type Variables = Vec<(OsString, OsString)>;

/// What a check would find in the person's shell but not under Ralph.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Programs found only through the person's PATH.
    pub programs: Vec<String>,
    /// Variables of the person that are not passed on.
    pub variables: Vec<String>,
}

impl Missing {
    /// Compares a check's environment with the person's, in this process and in their shell.
    pub(crate) fn of(check: &str, gets: &Variables, own: &Variables, shell: Option<&Variables>) -> Missing {
        let persons: Vec<&Variables> = std::iter::once(own).chain(shell).collect();
        let found = |name: &str, set: &Variables| value(set, "PATH").is_some_and(|path| is_on(path, name));
        let programs = programs(check).into_iter().filter(|name| !found(name, gets) && persons.iter().any(|set| found(name, set)));
        let is_set = |name: &str| persons.iter().any(|set| value(set, name).is_some_and(|value| !value.is_empty()));
        let variables =
            variables(check).into_iter().filter(|name| value(gets, name).is_none() && is_set(name) && !name.starts_with("RALPH_"));
        Missing { programs: programs.collect(), variables: variables.collect() }
    }
}

fn value<'a>(variables: &'a Variables, name: &str) -> Option<&'a OsStr> {
    variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}

fn is_on(path: &OsStr, program: &str) -> bool {
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat", ""] } else { &[""] };
    std::env::split_paths(path).any(|folder| endings.iter().any(|ending| is_program(&folder.join(format!("{program}{ending}")))))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_person_s_shell_leads_to_is_missing() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in [("here/both", 0o755), ("there/only", 0o755), ("there/both", 0o755), ("there/text", 0o644)] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let set = |path: &str, more: &[&str]| -> Variables {
            let path = std::env::join_paths(path.split(' ').map(|name| folder.path().join(name))).unwrap();
            more.iter().map(|name| (OsString::from(name), OsString::from("1"))).chain([(OsString::from("PATH"), path)]).collect()
        };
        let check = "both; only $A $B ${C}; text; nowhere $D $RALPH_TASK";
        let (gets, own) = (set("here", &["A"]), set("here", &["A", "B", "RALPH_TASK"]));
        let shell = set("here there", &["A", "C"]);
        let missing = |shell| Missing::of(check, &gets, &own, shell);
        assert_eq!(missing(Some(&shell)), Missing { programs: vec!["only".into()], variables: vec!["B".into(), "C".into()] });
        assert_eq!(missing(None), Missing { programs: vec![], variables: vec!["B".into()] });
    }
}
