//! Pull requests through GitHub's own program, `gh`, if available: Ralph knows no keys and no hosts.

use crate::command::Git;
use crate::{GitError, Hooks, Repo};
use std::time::Duration;

/// Timeout of a push over a slow line, including hooks that run the person's tests before it.
const PUSH_LIMIT: Duration = Duration::from_secs(600);
/// Timeout of `gh`.
const GH_LIMIT: Duration = Duration::from_secs(60);
/// The program.
const GH: &str = "gh";
/// The remote of a base without an upstream.
const ORIGIN: &str = "origin";

/// The content of a pull request.
pub struct PullRequestOrder<'a> {
    /// Its branch.
    pub branch: &'a str,
    /// Its base.
    pub base: &'a str,
    /// One line.
    pub title: &'a str,
    /// The rest.
    pub body: &'a str,
}

/// Result of opening one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PullRequestOpened {
    /// Its address.
    At(String),
    /// It was refused, with the reason.
    Refused(String),
}

impl Repo {
    /// Whether `gh` is available.
    ///
    /// # Errors
    /// [`GitError`] if it does not answer in time.
    pub fn has_gh(&self) -> Result<bool, GitError> {
        match Git::other(GH, self.root()).args(["--version"]).run() {
            Ok(finished) => Ok(finished.success),
            Err(GitError::Missing) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Pushes a branch to the remote of its base and opens a pull request there. Never force-pushes.
    ///
    /// # Errors
    /// [`GitError`] if git or `gh` can't be started, or takes too long.
    pub fn open_pull_request(&self, order: &PullRequestOrder<'_>) -> Result<PullRequestOpened, GitError> {
        let known = self.reading().args(["config", "--get", &format!("branch.{}.remote", order.base)]).run()?;
        let remote = known.text().trim().to_owned();
        let remote = if remote.is_empty() || remote == "." { ORIGIN.to_owned() } else { remote };
        let remotes = self.reading().args(["remote"]).output("remote")?;
        if !String::from_utf8_lossy(&remotes).lines().any(|line| line == remote) {
            return Ok(PullRequestOpened::Refused(format!("there is no remote '{remote}' that '{}' could be pushed to", order.branch)));
        }
        let refspec = format!("refs/heads/{0}:refs/heads/{0}", order.branch);
        let pushed = Git::hooked(self.root(), Hooks::Run).within(PUSH_LIMIT).args(["push", "--quiet", &remote, &refspec]).run()?;
        if !pushed.success {
            return Ok(PullRequestOpened::Refused(pushed.message));
        }
        let args = ["pr", "create", "--head", order.branch, "--base", order.base, "--title", order.title, "--body-file", "-"];
        let made = Git::other(GH, self.root()).within(GH_LIMIT).args(args).input(order.body.as_bytes().to_vec()).run()?;
        if !made.success {
            return Ok(PullRequestOpened::Refused(made.message));
        }
        // There may be other output before; the address comes last.
        let said = made.text();
        Ok(PullRequestOpened::At(said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()))
    }
}
