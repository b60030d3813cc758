//! The text of a pull request, generated from known data.

use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::{PullRequestOpened, PullRequestOrder};
use ralph_core::authority::Act;
use ralph_core::task::Task;
use ralph_core::view::{PullRequestText, Review};
use ralph_core::worktree::{Work, WorktreeState};

/// Files listed individually.
const FILES: usize = 30;

impl App {
    /// Title and body of a pull request for work: its text, commits, files and check.
    pub fn pull_request_text(&self, work: Work) -> Result<PullRequestText> {
        let opens = self.repository_for("task")?.has_gh()?;
        Ok(PullRequestText { text: self.pull_request_words(work)?, opens })
    }

    /// Pushes the branch of work and opens a pull request for it with `gh`; returns its address.
    ///
    /// # Errors
    /// [`AppError::Invalid`] without `gh` or a remote, and with the message of a refusal.
    pub fn open_pull_request(&self, work: Work) -> Result<String> {
        self.allowed(&Act::SteerRun)?;
        self.nothing_planted()?;
        let repo = self.repository_for("task")?;
        let worktree = self.worktree_of(work)?;
        let copy = format!("`ralph diff {} --pull-request` prints the text, to be pasted", work.name());
        if !repo.has_gh()? {
            return Err(AppError::invalid("open", "GitHub's program `gh` is not installed", copy));
        }
        if worktree.state != WorktreeState::Ready {
            let fault = format!("the work of {work} is {}", worktree.state);
            return Err(AppError::invalid("work", fault, "only what waits for its review can be opened as a pull request"));
        }
        let words = self.pull_request_words(work)?;
        let (title, body) = words.split_once('\n').unwrap_or((&words, ""));
        let order = PullRequestOrder { branch: &worktree.branch, base: &worktree.base, title: title.trim(), body: body.trim_start() };
        match repo.open_pull_request(&order)? {
            PullRequestOpened::At(address) => Ok(crate::secrets::wash::text(&address)),
            PullRequestOpened::Refused(fault) => Err(AppError::invalid("open", crate::secrets::wash::text(&fault), copy)),
        }
    }

    /// Title and body; the title is the first line.
    fn pull_request_words(&self, work: Work) -> Result<String> {
        let review = self.review(work)?;
        let task = work.task().map(|task| self.task(task)).transpose()?.map(|view| view.task);
        Ok(crate::secrets::wash::text(&write(task.as_ref(), &review)))
    }
}

fn write(task: Option<&Task>, review: &Review) -> String {
    let mut parts = vec![review.row.title.clone()];
    parts.extend(task.map(|task| task.description.trim().to_owned()).filter(|words| !words.is_empty()));
    let list = |heading: &str, items: Vec<String>| (!items.is_empty()).then(|| format!("## {heading}\n\n{}", items.join("\n")));
    parts.extend(list(
        "Accepted when",
        task.map_or(&[][..], |task| &task.acceptance_criteria).iter().map(|criterion| format!("- {criterion}")).collect(),
    ));
    let short = |id: &str| id.chars().take(10).collect::<String>();
    parts.extend(list("Commits", review.commits.iter().map(|commit| format!("- {} {}", short(&commit.id), commit.subject)).collect()));
    let mut files: Vec<String> =
        review.files.iter().take(FILES).map(|file| format!("- `{}` +{} −{}", file.path, file.added, file.removed)).collect();
    if review.files.len() > FILES {
        files.push(format!("- and {} more", review.files.len() - FILES));
    }
    parts.extend(list("Files", files));
    if let Some(check) = &review.row.check {
        parts.push(format!("## Check\n\n`{}` {}", check.command, if check.passed { "passed" } else { "did not pass" }));
    }
    parts.join("\n\n") + "\n"
}
