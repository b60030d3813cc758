//! Whether documents could land at all, checked before an agent is sent to write them.

use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::TreeEntry;
use ralph_core::settings::Settings;
use ralph_core::text::in_shell;
use ralph_rag::consolidate::INDEX;

impl App {
    /// Refuses if there is no branch to merge into, or if git would not accept documents in their folder.
    pub(super) fn must_take_documents(&self, settings: &Settings) -> Result<()> {
        let repo = self.repository_for("consolidate")?;
        let (_, base) = self.base_of(repo, settings)?;
        let folder = &settings.consolidation.knowledge_folder;
        let place = self.place_in(repo).join(folder);
        let refuse = |fault: String, hint: &str| Err(AppError::invalid("knowledge_folder", fault, hint));
        const ANOTHER: &str = "set another knowledge_folder in .ralph/config.toml";
        for above in place.ancestors().filter(|above| !above.as_os_str().is_empty()) {
            let what = match repo.entry_at(&base, above)? {
                None | Some(TreeEntry::Folder) => continue,
                Some(TreeEntry::File) => "a file",
                Some(TreeEntry::Link) => "a link",
                Some(TreeEntry::Repository) => "a repository of its own",
            };
            let above = above.display();
            return refuse(format!("'{above}' is {what} to git, so no document in '{folder}' could be merged"), ANOTHER);
        }
        let index = place.join(INDEX);
        if let Some(rule) = repo.ignored_by(&index)? {
            let fault = format!("'{folder}' is ignored by git ({rule}), so no document in it could be merged");
            return refuse(fault, "take the rule out, or set another knowledge_folder in .ralph/config.toml");
        }
        if repo.leaves_out(&index)? {
            let fault = format!("the sparse checkout leaves '{folder}' out, so nobody could see what stands there");
            return refuse(fault, &format!("`git sparse-checkout add {}`", in_shell(folder)));
        }
        Ok(())
    }
}
