//! A pull request by GitHub's own program, `gh`, where it is there: Ralph knows no key and no host.

use crate::command::Git;
use crate::{GitError, Repo};
use std::time::Duration;

/// Time that a push over a slow line may take, with the hooks that run the person's tests before it.
const PUSH_LIMIT: Duration = Duration::from_secs(600);
/// Time that `gh` may take.
const GH_LIMIT: Duration = Duration::from_secs(60);
/// The program.
const GH: &str = "gh";
/// The remote of a base that follows none.
const ORIGIN: &str = "origin";

/// What a pull request says.
pub struct PullRequestOrder<'a> {
    /// Branch that it brings.
    pub branch: &'a str,
    /// Branch that it goes to.
    pub base: &'a str,
    /// One line.
    pub title: &'a str,
    /// The rest.
    pub body: &'a str,
}

/// What came of opening one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PullRequestOpened {
    /// It stands at this address.
    At(String),
    /// It was refused, and why.
    Refused(String),
}

impl Repo {
    /// Whether `gh` is there.
    ///
    /// # Errors
    /// [`GitError`] when it does not answer in time.
    pub fn has_gh(&self) -> Result<bool, GitError> {
        match Git::other(GH, self.root()).args(["--version"]).run() {
            Ok(finished) => Ok(finished.success),
            Err(GitError::Missing) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Pushes a branch to the remote of its base and opens a pull request there. Never by force.
    ///
    /// # Errors
    /// [`GitError`] when git or `gh` can't be started, or takes too long.
    pub fn open_pull_request(&self, order: &PullRequestOrder<'_>) -> Result<PullRequestOpened, GitError> {
        let known = self.reading().args(["config", "--get", &format!("branch.{}.remote", order.base)]).run()?;
        let remote = known.text().trim().to_owned();
        let remote = if remote.is_empty() || remote == "." { ORIGIN.to_owned() } else { remote };
        let remotes = self.reading().args(["remote"]).output("remote")?;
        if !String::from_utf8_lossy(&remotes).lines().any(|line| line == remote) {
            return Ok(PullRequestOpened::Refused(format!("there is no remote '{remote}' that '{}' could be pushed to", order.branch)));
        }
        let refspec = format!("refs/heads/{0}:refs/heads/{0}", order.branch);
        let pushed = self.writing_large().within(PUSH_LIMIT).args(["push", "--quiet", &remote, &refspec]).run()?;
        if !pushed.success {
            return Ok(PullRequestOpened::Refused(pushed.message));
        }
        let args = ["pr", "create", "--head", order.branch, "--base", order.base, "--title", order.title, "--body-file", "-"];
        let made = Git::other(GH, self.root()).within(GH_LIMIT).args(args).input(order.body.as_bytes().to_vec()).run()?;
        if !made.success {
            return Ok(PullRequestOpened::Refused(made.message));
        }
        // It may say more before; the address is the last thing.
        let said = made.text();
        Ok(PullRequestOpened::At(said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()))
    }
}
