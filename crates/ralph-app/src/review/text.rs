//! The words of a pull request, written from what is known.

use crate::App;
use crate::error::Result;
use ralph_core::TaskId;
use ralph_core::task::Task;
use ralph_core::view::Review;

/// Files that are listed one by one.
const FILES: usize = 30;

impl App {
    /// Title and body of a pull request for the work on a task: its words, commits, files and check.
    pub fn pull_request_text(&self, task: TaskId) -> Result<String> {
        let review = self.review(task)?;
        Ok(crate::wash::text(&write(&self.task(task)?.task, &review)))
    }
}

fn write(task: &Task, review: &Review) -> String {
    let mut parts = vec![task.title.clone()];
    if !task.description.trim().is_empty() {
        parts.push(task.description.trim().to_owned());
    }
    let list = |heading: &str, items: Vec<String>| (!items.is_empty()).then(|| format!("## {heading}\n\n{}", items.join("\n")));
    parts.extend(list("Accepted when", task.acceptance_criteria.iter().map(|criterion| format!("- {criterion}")).collect()));
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
