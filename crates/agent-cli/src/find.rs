//! Locating an agent's program. A window started from the desktop has a shorter PATH than a terminal, so npm's usual folders are
//! searched too; nothing but `--version` of the agent itself is ever executed for it.

use crate::environment;
use crate::error::FindError;
use crate::process::{self, Courtesy, Family};
use ralph_core::run::AgentKind;
use ralph_core::text::cut;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Timeout for an agent to report its version; a cold Node start takes two or three seconds.
const VERSION_SECONDS: u64 = 10;
/// Characters of a version line.
const VERSION_CHARS: usize = 100;

/// An agent's program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundAgent {
    /// Its path.
    pub path: PathBuf,
    /// The first line of its answer to `--version`.
    pub version: String,
}

/// Finds the program of `kind`: at `configured` if that is not empty, otherwise on PATH, otherwise in the folders of npm and installers.
/// A relative path starts at the `project`, wherever this process works. Runs the program with `--version`, for at most ten seconds.
pub async fn find(kind: AgentKind, configured: &str, project: &Path) -> Result<FoundAgent, FindError> {
    let places = Places { project: project.to_owned(), ..Places::of_this_machine() };
    find_in(kind, configured, &places, Duration::from_secs(VERSION_SECONDS)).await
}

async fn find_in(kind: AgentKind, configured: &str, places: &Places, wait: Duration) -> Result<FoundAgent, FindError> {
    let names = Names::of(kind);
    let path = if configured.trim().is_empty() {
        let folders = places.folders(kind);
        let found = folders.iter().flat_map(|folder| names.files.iter().map(|file| folder.join(file))).find(|path| is_program(path));
        found.ok_or_else(|| FindError::NotFound {
            agent: names.agent,
            names: names.files.join(" or "),
            looked_in: folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", "),
            way_out: names.way_out,
        })?
    } else {
        let path = places.expand(configured.trim());
        if !is_program(&path) {
            return Err(FindError::Configured { agent: names.agent, setting: names.setting, path });
        }
        path
    };
    let version = ask_version(kind, &path, wait).await?;
    Ok(FoundAgent { path, version })
}

struct Names {
    agent: &'static str,
    /// The setting that names its path.
    setting: &'static str,
    files: &'static [&'static str],
    way_out: &'static str,
}

impl Names {
    fn of(kind: AgentKind) -> Names {
        match kind {
            AgentKind::Claude => Names {
                agent: "Claude Code",
                setting: "claude_path",
                // npm puts a shell script next to the .cmd, which Windows can't start.
                files: if cfg!(windows) { &["claude.cmd", "claude.exe"] } else { &["claude"] },
                way_out: "install it with `npm install -g @anthropic-ai/claude-code`, or set claude_path in .ralph/config.toml",
            },
            AgentKind::Codex => Names {
                agent: "Codex",
                setting: "codex_path",
                files: if cfg!(windows) { &["codex.cmd", "codex.exe"] } else { &["codex"] },
                way_out: "install it with `npm install -g @openai/codex`, or set codex_path in .ralph/config.toml",
            },
            AgentKind::Opencode => Names {
                agent: "OpenCode",
                setting: "opencode_path",
                files: if cfg!(windows) { &["opencode.cmd", "opencode.exe"] } else { &["opencode"] },
                way_out: "install it with `npm install -g opencode-ai`, or set opencode_path in .ralph/config.toml",
            },
            AgentKind::Scripted => Names {
                agent: "the scripted agent",
                setting: "script",
                files: if cfg!(windows) { &["ralph.exe"] } else { &["ralph"] },
                way_out: "it is a part of the `ralph` binary: build it with `cargo build -p ralph-cli`, or put it on PATH",
            },
        }
    }
}

/// Properties of the machine that determine where to search.
struct Places {
    /// What relative paths begin from.
    project: PathBuf,
    path: OsString,
    home: Option<PathBuf>,
    app_data: Option<PathBuf>,
    own_program: Option<PathBuf>,
    system: Vec<PathBuf>,
}

impl Places {
    fn of_this_machine() -> Places {
        let system: &[&str] = if cfg!(windows) { &[] } else { &["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"] };
        Places {
            project: PathBuf::new(),
            path: std::env::var_os("PATH").unwrap_or_default(),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            app_data: std::env::var_os("APPDATA").map(PathBuf::from),
            own_program: std::env::current_exe().ok(),
            system: system.iter().map(PathBuf::from).collect(),
        }
    }

    /// Every folder to search, in order, without duplicates.
    fn folders(&self, kind: AgentKind) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        // The `ralph` next to this program has the same version; one on PATH may have another.
        if let (AgentKind::Scripted, Some(folder)) = (kind, self.own_program.as_deref().and_then(Path::parent)) {
            folders.push(folder.to_owned());
        }
        // A relative entry would find a program of the project.
        folders.extend(std::env::split_paths(&self.path).filter(|folder| folder.is_absolute()));
        if let Some(home) = &self.home {
            folders.extend(
                [".claude/local", ".opencode/bin", ".npm-global/bin", ".local/bin", ".volta/bin", ".bun/bin"].map(|place| home.join(place)),
            );
            folders.extend(nvm_folders(home));
        }
        folders.extend(self.system.iter().cloned());
        folders.extend(self.app_data.iter().map(|folder| folder.join("npm")));
        let mut seen = std::collections::HashSet::new();
        folders.retain(|folder| seen.insert(folder.clone()));
        folders
    }

    fn expand(&self, configured: &str) -> PathBuf {
        match (configured.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.project.join(configured),
        }
    }
}

/// nvm has a `bin` per Node version; the newest comes first.
fn nvm_folders(home: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(home.join(".nvm/versions/node")) else { return Vec::new() };
    let mut versions: Vec<(Vec<u32>, PathBuf)> = entries
        .flatten()
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0)).collect(), entry.path().join("bin"))
        })
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}

/// The first line of `path --version`.
async fn ask_version(kind: AgentKind, path: &Path, wait: Duration) -> Result<String, FindError> {
    let failed = |detail| FindError::Version { agent: Names::of(kind).agent, path: path.to_owned(), detail };
    let mut variables = environment::chosen(Some(kind), &[], std::env::vars_os());
    environment::lead_to(path, &mut variables);
    let mut command = process::command(path, &variables);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let child = process::start(&mut command).map_err(|error| failed(error.to_string()))?;
    let mut family = Family::of(&child, None);
    let answer = tokio::time::timeout(wait, child.wait_with_output()).await;
    family.clear(Courtesy::None).await;
    let output = match answer {
        Err(_) => return Err(failed(format!("no answer within {} s", wait.as_secs()))),
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Ok(Ok(output)) => output,
    };
    let first_line = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        cut(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default(), VERSION_CHARS).to_owned()
    };
    let (version, fault) = (first_line(&output.stdout), first_line(&output.stderr));
    match output.status.success() && !version.is_empty() {
        true => Ok(version),
        false => Err(failed(format!("it ended with {} and said '{}'", output.status, if fault.is_empty() { version } else { fault }))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn program(path: &Path, script: &str) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("is made");
        // Another process writes it: a child forked meanwhile would hold it open, and a file open for writing can't be executed.
        let mut write = std::process::Command::new("sh");
        write.args(["-c", "printf %s \"$1\" > \"$2\" && chmod +x \"$2\"", "sh", script]).arg(path);
        assert!(write.status().expect("runs").success());
    }

    fn places(home: &Path, path: &str) -> Places {
        let project = home.join("project");
        Places { project, path: path.into(), home: Some(home.to_owned()), app_data: None, own_program: None, system: Vec::new() }
    }

    async fn claude(configured: &str, places: &Places) -> Result<FoundAgent, FindError> {
        find_in(AgentKind::Claude, configured, places, Duration::from_secs(10)).await
    }

    #[tokio::test]
    async fn looks_on_path_then_in_npms_folders_newest_node_first() {
        let home = tempfile::tempdir().unwrap();
        let says = |version: &str| format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{version} (Claude Code)'\n");
        let at = |place: &str| home.path().join(place);
        let fault = claude("", &places(home.path(), "relative:/nowhere")).await.unwrap_err();
        let nothing_yet = fault.to_string();
        assert!(nothing_yet.contains("/nowhere") && nothing_yet.contains(".npm-global/bin"), "{nothing_yet}");
        assert!(!nothing_yet.contains("npm install -g") && !nothing_yet.contains("relative"), "{nothing_yet}");
        assert!(fault.way_out().contains("npm install -g") && fault.way_out().contains("claude_path"), "{}", fault.way_out());

        program(&at(".nvm/versions/node/v9.1.0/bin/claude"), &says("9"));
        program(&at(".nvm/versions/node/v20.2.0/bin/claude"), &says("20"));
        let found = claude("", &places(home.path(), "")).await.unwrap();
        assert_eq!((found.path, found.version.as_str()), (at(".nvm/versions/node/v20.2.0/bin/claude"), "20 (Claude Code)"));

        program(&at(".npm-global/bin/claude"), &says("npm"));
        assert_eq!(claude("", &places(home.path(), "")).await.unwrap().version, "npm (Claude Code)");

        program(&at("on-path/claude"), &says("path"));
        let on_path = at("on-path").display().to_string();
        assert_eq!(claude("", &places(home.path(), &on_path)).await.unwrap().version, "path (Claude Code)");

        program(&at("mine/claude"), &says("mine"));
        assert_eq!(claude("~/mine/claude", &places(home.path(), &on_path)).await.unwrap().version, "mine (Claude Code)");
    }

    #[tokio::test]
    async fn a_relative_path_is_one_of_the_project_wherever_ralph_was_started() {
        let home = tempfile::tempdir().unwrap();
        program(&home.path().join("project/tools/claude"), "#!/bin/sh\necho own\n");
        let found = claude("tools/claude", &places(home.path(), "")).await.unwrap();
        assert_eq!((found.path, found.version.as_str()), (home.path().join("project/tools/claude"), "own"));
    }

    #[tokio::test]
    async fn a_script_for_a_node_that_only_stands_beside_it_answers() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".nvm/versions/node/v20.2.0/bin");
        program(&folder.join("claude"), "#!/usr/bin/env node-of-this-test\n");
        program(&folder.join("node-of-this-test"), "#!/bin/sh\necho '20 (Claude Code)'\n");
        assert_eq!(claude("", &places(home.path(), "")).await.unwrap().version, "20 (Claude Code)");
    }

    #[tokio::test]
    async fn a_configured_path_is_not_guessed_around() {
        let home = tempfile::tempdir().unwrap();
        program(&home.path().join("bin/claude"), "#!/bin/sh\necho 1\n");
        let on_path = home.path().join("bin").display().to_string();
        std::fs::write(home.path().join("text"), "no program").unwrap();
        for wrong in ["/nowhere/claude", &home.path().join("text").display().to_string(), &on_path] {
            let error = claude(wrong, &places(home.path(), &on_path)).await.unwrap_err();
            assert!(matches!(&error, FindError::Configured { path, .. } if path == Path::new(wrong)), "{error}");
        }
    }

    #[tokio::test]
    async fn a_program_that_does_not_answer_is_told_and_not_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let cases = [
            ("fails", "#!/bin/sh\necho 'node: not found' >&2\nexit 127\n", "node: not found"),
            ("silent", "#!/bin/sh\nexit 0\n", "said ''"),
            ("hangs", "#!/bin/sh\nexec tail -f /dev/null\n", "no answer within"),
        ];
        for (name, script, told) in cases {
            let path = home.path().join(name);
            program(&path, script);
            let (configured, places) = (path.display().to_string(), places(home.path(), ""));
            let asked = find_in(AgentKind::Claude, &configured, &places, Duration::from_millis(1_500));
            let error = asked.await.unwrap_err().to_string();
            assert!(error.contains(told), "{name}: {error}");
        }
    }

    #[tokio::test]
    async fn the_scripted_agent_is_the_ralph_beside_this_program() {
        let home = tempfile::tempdir().unwrap();
        program(&home.path().join("bin/ralph"), "#!/bin/sh\necho ralph 0.1.0\n");
        let places = Places { own_program: Some(home.path().join("bin/ralph-window")), ..places(home.path(), "") };
        let found = find_in(AgentKind::Scripted, "", &places, Duration::from_secs(10)).await.unwrap();
        assert_eq!(found.path, home.path().join("bin/ralph"));
    }
}
