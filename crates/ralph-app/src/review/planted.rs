//! Hooks and settings of git that an agent changed: a merge would run them as its person.

use crate::app::App;
use crate::error::{AppError, Result};
use ralph_core::notice::NoticeKind;
use ralph_core::run::GitRemark;

impl App {
    /// Refuses a merge while what an agent changed of them stands before the person, who has not looked at it yet.
    pub(super) fn nothing_planted(&self) -> Result<()> {
        for notice in self.notices(false)?.into_iter().filter(|notice| notice.kind == NoticeKind::GitHarm) {
            let Some(iteration) = notice.iteration else { continue };
            let Some(row) = self.db.read(|r| r.iteration(iteration))? else { continue };
            let planted = row.evidence.remarks.iter().find(|remark| matches!(remark, GitRemark::MachineryChanged { .. }));
            if let Some(remark) = planted {
                return Err(AppError::invalid(
                    "task",
                    format!("in iteration {iteration} {}, and a merge would run it as you", remark.in_words()),
                    format!("look at .git/hooks and .git/config; then `ralph notice dismiss {}`", notice.id),
                ));
            }
        }
        Ok(())
    }
}
