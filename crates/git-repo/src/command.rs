//! One bounded run of the git binary.

use crate::paths::{path_from_bytes, real_path};
use crate::pipe::{Patience, Pipe, Rest, read_apart};
use crate::plain::Place;
use crate::programs::{self, Programs};
use crate::until::{end_group, is_asked, may_be_asked};
use crate::{GitError, Hooks, partial};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Timeout of a git command: a status of a very large work tree on a cold disk takes seconds.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Default limit of output in bytes: a status of some 100,000 files.
const OUTPUT_LIMIT: usize = 16 * 1_048_576;
/// Bytes kept of git's error output.
const MESSAGE_LIMIT: usize = 4_096;
/// Variables that a surrounding git process (a hook, `git rebase --exec`) sets to point at its own repository, or that change the output.
const FOREIGN_VARIABLES: [&str; 15] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_QUARANTINE_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
];

/// What git gets in its environment in addition to Ralph's own, and passes on to whatever it starts.
static CARRIED: OnceLock<(&str, &str)> = OnceLock::new();

/// The setting that disables hooks: an agent may have put one there.
const NO_HOOKS: &str = "core.hooksPath=/dev/null";
/// Arguments that keep programs from signing a commit.
pub(crate) const UNSIGNED: [&str; 2] = ["-c", "commit.gpgSign=false"];

/// Gives a variable to every git started from now on. Git leaves processes behind, such as the agent that keeps a signing key, and the
/// variable shows whose they are when leftovers are ended. The first variable stays.
pub fn carry(name: &'static str, value: &'static str) {
    let _ = CARRIED.set((name, value));
}

/// A git command being built.
pub(crate) struct Git {
    command: Command,
    directory: PathBuf,
    output_limit: usize,
    time_limit: Duration,
    input: Option<Vec<u8>>,
    /// Whether it may fetch what a partial clone lacks.
    fetches: bool,
    /// Whether it may run programs of the person's for long, and so ends when [`until`](crate::until) asks.
    stops: bool,
}

/// Result of a git command.
pub(crate) struct CommandOutput {
    /// Whether it succeeded; also if it was stopped because its output exceeded the limit.
    pub success: bool,
    /// Its exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// Its output, up to the limit.
    pub stdout: Vec<u8>,
    /// Whether the output was longer than the limit.
    pub cut: bool,
    /// Its error output.
    pub message: String,
}

/// Used in place of git's message if there is none.
pub const NO_REASON: &str =
    "git gave no reason: a hook may have refused without a word (`git config core.hooksPath` names their folder, else .git/hooks)";

impl CommandOutput {
    /// The output as text; invalid UTF-8 becomes `�`.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// What it said, or the corresponding error.
    fn output(self, command: &'static str) -> Result<Vec<u8>, GitError> {
        if self.success { Ok(self.stdout) } else { Err(self.into_error(command)) }
    }

    /// The corresponding error.
    pub(crate) fn into_error(self, command: &'static str) -> GitError {
        let message = if self.message.trim().is_empty() { NO_REASON.to_owned() } else { self.message };
        GitError::Failed { command, message }
    }
}

impl Git {
    /// A command without locks, so that it never disturbs the person's or the agent's git, and without hooks.
    pub(crate) fn reading(directory: &Path) -> Git {
        Git::alone(directory).args(["--no-optional-locks"])
    }

    /// A command that changes the repository, without hooks.
    pub(crate) fn writing(directory: &Path) -> Git {
        Git::alone(directory)
    }

    /// A command without hooks that reaches no other repository: for an object that a partial clone lacks, git would run whatever the
    /// configuration names for a fetch. Versions that don't know the first variable obey the second.
    fn alone(directory: &Path) -> Git {
        let git = Git::new(directory).args(["-c", NO_HOOKS]).env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "");
        Git { fetches: false, ..git }
    }

    /// A command that a person's hooks have a say in.
    pub(crate) fn hooked(directory: &Path, hooks: Hooks) -> Git {
        match hooks {
            Hooks::Run => Git::new(directory).stoppable(),
            Hooks::Skip => Git::writing(directory).args(UNSIGNED),
        }
    }

    /// A program other than git, in a folder, with the same limits on output and time.
    pub(crate) fn other(program: &str, directory: &Path) -> Git {
        let mut command = Command::new(program);
        command.current_dir(directory).env("GH_PROMPT_DISABLED", "1").env("NO_COLOR", "1");
        Git::running(command, directory)
    }

    /// A command without the programs that nobody agreed to.
    fn new(directory: &Path) -> Git {
        let left_out = place_around(directory).map(|place| programs::left_out(&place, directory, own_programs)).unwrap_or_default();
        let mut git = Git::asking(directory);
        if !left_out.is_empty() {
            git.command.envs(programs::VALUES).args(left_out);
        }
        git
    }

    /// A command that looks at no files.
    pub(crate) fn asking(directory: &Path) -> Git {
        let mut command = Command::new("git");
        command.env("GIT_TERMINAL_PROMPT", "0").arg("-C").arg(directory);
        // The file system monitor is a program that the repository may configure.
        command.args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "color.ui=false"]);
        #[cfg(test)]
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        Git::running(command, directory)
    }

    /// A command in the environment that all of them get, with the usual limits.
    fn running(mut command: Command, directory: &Path) -> Git {
        for variable in FOREIGN_VARIABLES {
            command.env_remove(variable);
        }
        command.envs(CARRIED.get().copied()).env("LC_ALL", "C");
        #[cfg(windows)]
        without_window(&mut command);
        Git {
            command,
            directory: directory.to_owned(),
            output_limit: OUTPUT_LIMIT,
            time_limit: TIME_LIMIT,
            input: None,
            fetches: true,
            stops: false,
        }
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Git {
        self.command.args(args);
        self
    }

    /// Uses another index than the person's.
    pub(crate) fn index(mut self, file: &Path) -> Git {
        self.command.env("GIT_INDEX_FILE", file);
        self
    }

    /// Sets another timeout.
    pub(crate) fn within(mut self, limit: Duration) -> Git {
        self.time_limit = limit;
        self
    }

    /// Lets whoever stops the work end it. For steps that are undone, or done again, if they were cut short.
    pub(crate) fn stoppable(mut self) -> Git {
        self.stops = true;
        self
    }

    /// Adds a variable to its environment.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Git {
        self.command.env(name, value);
        self
    }

    /// Sets its standard input.
    pub(crate) fn input(mut self, bytes: Vec<u8>) -> Git {
        self.input = Some(bytes);
        self
    }

    /// Keeps at most `bytes` of output, and stops git beyond that.
    pub(crate) fn at_most(mut self, bytes: usize) -> Git {
        self.output_limit = bytes;
        self
    }

    /// Runs it and returns the output, truncated or not.
    pub(crate) fn output(self, name: &'static str) -> Result<Vec<u8>, GitError> {
        self.run()?.output(name)
    }

    /// Runs it and returns its whole output; more than its limit is an error.
    pub(crate) fn whole_output(self, name: &'static str) -> Result<Vec<u8>, GitError> {
        let limit = self.output_limit;
        let finished = self.run()?;
        if finished.cut {
            return Err(GitError::Failed { command: name, message: format!("it has more to say than {limit} bytes") });
        }
        finished.output(name)
    }

    /// Runs it to its end, its output limit or its timeout.
    pub(crate) fn run(mut self) -> Result<CommandOutput, GitError> {
        let deadline = Instant::now() + self.time_limit;
        let stops = self.stops && may_be_asked();
        if stops && is_asked() {
            return Err(GitError::Stopped { path: self.directory });
        }
        #[cfg(unix)]
        if stops {
            // Its hooks end with it. Otherwise it stays in the terminal's group, as a program that asks for a passphrase there must.
            std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        }
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        let started = self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = started.map_err(|source| match source.kind() {
            io::ErrorKind::NotFound if self.directory.is_dir() => GitError::Missing,
            _ => GitError::Start { path: self.directory.clone(), source },
        })?;
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), self.input.take()) {
            // On its own thread: git writes before it has read everything. If it ends early it closes the pipe, and its status says why.
            std::thread::spawn(move || pipe.write_all(&input));
        }
        let stdout = read_apart(child.stdout.take(), self.output_limit, Rest::Left);
        let stderr = read_apart(child.stderr.take(), MESSAGE_LIMIT, Rest::Drained);
        let patience = Patience { deadline, stops };
        let result = finish(&mut child, &stdout, &stderr, patience);
        if result.is_none() {
            if stops {
                end_group(&mut child);
            }
            // Both fail only if git has already ended.
            let _ = child.kill();
            let _ = child.wait();
        }
        let Some(mut result) = result else {
            if stops && is_asked() {
                return Err(GitError::Stopped { path: self.directory });
            }
            return Err(GitError::TimedOut { seconds: self.time_limit.as_secs(), path: self.directory });
        };
        if !result.success && !self.fetches {
            let listed = || Some(Git::asking(&self.directory).args(partial::LISTED_BY).run().ok()?.text());
            result.message = partial::lacking(&result.message, listed).unwrap_or(result.message);
        }
        Ok(result)
    }
}

/// Keeps a console program from getting its own console: without a terminal to share, as below a desktop window, each start would open a
/// window. In a terminal nothing changes, since somebody may be asked for a passphrase there.
#[cfg(windows)]
fn without_window(command: &mut Command) {
    use std::io::IsTerminal as _;
    use std::os::windows::process::CommandExt as _;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    if !(io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()) {
        command.creation_flags(CREATE_NO_WINDOW);
    }
}

/// The folders of git's own files around `directory`; `None` where git finds no repository.
pub(crate) fn place_around(directory: &Path) -> Option<Place> {
    Place::around(directory).or_else(|| {
        let told = |name| {
            let found = Git::asking(directory).args(["rev-parse", "--path-format=absolute", name]).run().ok()?;
            real_path(&path_from_bytes(found.stdout.strip_suffix(b"\n").filter(|_| found.success)?)).ok()
        };
        Some(Place { own: told("--git-dir")?, common: told("--git-common-dir")? })
    })
}

/// Filters and merge drivers that the repository's own configuration names.
pub(crate) fn own_programs(directory: &Path) -> Result<Programs, GitError> {
    let found = Git::asking(directory).args(["config", "--show-scope", "-z", "--get-regexp", programs::KEYS]).run()?;
    Ok(programs::read_listed(&found.stdout))
}

/// Waits for the output, the errors and the exit; `None` if its time is over first.
fn finish(child: &mut Child, stdout: &Pipe, stderr: &Pipe, patience: Patience) -> Option<CommandOutput> {
    if !stdout.is_read(child, patience) {
        return None;
    }
    let (stdout, cut) = stdout.take();
    if cut {
        let _ = child.kill();
    }
    if !stderr.is_read(child, patience) {
        return None;
    }
    // Both pipes are closed, so that git is ending, or it has ended.
    let status = child.wait().ok()?;
    let message = String::from_utf8_lossy(&stderr.take().0).trim().to_owned();
    let message = if message.is_empty() { status.to_string() } else { message };
    Some(CommandOutput { success: status.success() || cut, code: status.code(), stdout, cut, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_starts_is_known_by_the_variable_that_it_carries() {
        carry("RALPH_CARRIED", "a value");
        let folder = tempfile::tempdir().unwrap();
        let told = Git::asking(folder.path()).args(["-c", "alias.told=!printenv RALPH_CARRIED", "told"]).output("told").unwrap();
        assert_eq!(told, b"a value\n");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_hook_leaves_behind_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let said =
            Git::asking(folder.path()).args(["-c", "alias.left=!echo said; echo told >&2; sleep 40 & echo $! >pid", "left"]).run().unwrap();
        let left = std::fs::read_to_string(folder.path().join("pid")).unwrap();
        let lives = Command::new("kill").arg(left.trim()).status().unwrap().success();
        assert!(lives, "it was not waited for");
        assert_eq!((said.success, said.text().as_str(), said.message.as_str()), (true, "said\n", "told"));
    }
}
