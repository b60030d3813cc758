//! The words of a pull request, written from what is known.

use crate::App;
use crate::error::Result;
use ralph_core::task::Task;
use ralph_core::view::Review;
use ralph_core::worktree::Work;

/// Files that are listed one by one.
const FILES: usize = 30;

impl App {
    /// Title and body of a pull request for work: its words, commits, files and check.
    pub fn pull_request_text(&self, work: Work) -> Result<String> {
        let review = self.review(work)?;
        let task = work.task().map(|task| self.task(task)).transpose()?.map(|view| view.task);
        Ok(crate::wash::text(&write(task.as_ref(), &review)))
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
