//! Judging what an agent wrote: if it is valid, it becomes the one commit of the proposal; otherwise its faults are reported.

use super::desk::Desk;
use super::documents::{documents_in, is_index, is_knowledge, write_documents};
use crate::app::App;
use crate::error::Result;
use crate::files::{ProjectFiles, Readers};
use ralph_core::consolidation::{ConsolidationMatter, Divergence};
use ralph_core::limits;
use ralph_core::text::counted;
use ralph_rag::consolidate::{Documents, Faithfulness, INDEX, Proposal, divide, faithfulness, faults, too_much, without_entries};
use std::collections::BTreeSet;
use std::path::Path;

/// The documents of a valid proposal, and where it may say something other than its entries.
pub(super) struct Compared {
    after: Documents,
    divergences: Vec<Divergence>,
}

impl App {
    /// Compares the agent's result with its entries and with the earlier documents, and changes nothing. Returns all faults, if any.
    pub(super) fn compare_proposal(&self, desk: &Desk) -> Result<std::result::Result<Compared, Vec<String>>> {
        let Desk { checkout, repo, branch, settings, before, start, batch, .. } = desk;
        if repo.branch()?.as_ref() != Some(branch) {
            return Ok(Err(vec![format!("another branch than {branch} is checked out; `git switch {branch}`")]));
        }
        let changed = self.paths_in_project(repo, repo.differing_files(start)?);
        let changed: Vec<String> = changed.into_iter().filter(|path| !is_index(path, settings)).collect();
        let after = documents_in(&checkout.folder, settings)?;
        let odd = self.odd_files(desk, &changed, &after)?;
        if !odd.is_empty() {
            return Ok(Err(odd));
        }
        let exists = |path: &str| checkout.folder.join(path).exists();
        let folder = &settings.knowledge_folder;
        let proposed = Proposal { folder, before, after: &after, changed: &changed, batch, divided: false, exists: &exists };
        if let Some(too_much) = too_much(&proposed) {
            return Ok(Err(vec![too_much]));
        }
        let Faithfulness { faults: unfaithful, divergences } = faithfulness(&proposed);
        let mut wrong = [faults(&proposed), unfaithful].concat();
        if !wrong.is_empty() {
            // Divergences alone send nobody back to work.
            wrong.extend(divergences.iter().map(|of| format!("{}:{}: perhaps {}", of.file, of.line, of.text)));
            return Ok(Err(wrong));
        }
        Ok(Ok(Compared { after, divergences }))
    }

    /// Turns a valid result into one commit, with the documents divided, their index, and the learnings file without the landed
    /// entries. Otherwise returns what git does not accept.
    pub(super) fn take_proposal(&self, desk: &Desk, compared: Compared) -> Result<std::result::Result<ConsolidationMatter, Vec<String>>> {
        let Desk { checkout, repo, settings, before, start, batch, superseded, notes, .. } = desk;
        let Compared { after, divergences } = compared;
        let folder = &settings.knowledge_folder;
        let message = format!("Ralph: consolidate {}", counted(batch.len(), "entry"));
        // What lands is what git would commit of the files, so git is asked while the agent can still fix them, and before anything leaves
        // its source.
        let tried = repo.commit_onto(start, &[self.place_in(repo).join(folder)], &message)?;
        let lacking = self.not_taken((repo, tried.as_ref().unwrap_or(start)), settings, (before, &after))?;
        if !lacking.is_empty() {
            return Ok(Err(lacking));
        }
        let divided = divide(&after);
        self.restore_index(desk)?;
        write_documents(&checkout.folder, settings, before, &divided)?;
        let taken = ConsolidationMatter { batch: batch.clone(), superseded: superseded.clone(), ..ConsolidationMatter::default() };
        leave_learnings_file(desk, &taken.leaving())?;
        let proposal = repo.commit_onto(start, &self.proposal_paths(repo, settings), &message)?;
        let made = proposal.as_ref().unwrap_or(start);
        self.must_be_taken((repo, made), settings, (before, &divided.documents))?;
        let told = self.told_of_division(repo, made, settings, &divided)?;
        let mut notes = notes.clone();
        notes.extend(told.into_iter().filter(|told| !desk.notes.contains(told)));
        Ok(Ok(ConsolidationMatter {
            folder: Some(folder.clone()),
            learnings_file: Some(settings.learnings_file.clone()),
            start: Some(start.clone()),
            proposal,
            divided: !divided.parts.is_empty(),
            notes,
            divergences,
            ..taken
        }))
    }

    /// Changed files that nobody can compare: not plain files, or Markdown that can't be read, now or before.
    fn odd_files(&self, desk: &Desk, changed: &[String], after: &Documents) -> Result<Vec<String>> {
        let mut odd = Vec::new();
        for path in changed {
            let found = desk.checkout.folder.join(path).symlink_metadata();
            let what = match found {
                Ok(found) if !found.is_file() => "is not a plain file; make it one, or remove it",
                // A file that is not a document, or is elsewhere, is a different fault.
                _ if !is_knowledge(path, &desk.settings) => continue,
                Ok(_) if !after.contains_key(path) => "can't be read as text; write it in UTF-8, or put it back as it was",
                found if self.is_unread(&desk.repo, &desk.start, &desk.before, path)? => match found {
                    Ok(_) => "could not be read as text before, so nobody can compare it; put it back as it was",
                    Err(_) => "is gone; put it back",
                },
                _ => continue,
            };
            odd.push(format!("{path}: {what}"));
        }
        Ok(odd)
    }

    /// Puts the index back as it was: its lines belong to people and to Ralph, whatever an agent did to them.
    fn restore_index(&self, desk: &Desk) -> Result<()> {
        let place = Path::new(&desk.settings.knowledge_folder).join(INDEX);
        let (file, files) = (desk.checkout.folder.join(&place), ProjectFiles::of(&desk.checkout.folder));
        match desk.repo.texts_at(&desk.start, &self.place_in(&desk.repo).join(&place))?.into_values().next() {
            Some(text) => files.write(&file, text.as_bytes(), Readers::Anyone)?,
            None => files.remove(&file)?,
        }
        Ok(())
    }
}

/// Removes entries from the learnings file of a checkout.
fn leave_learnings_file(desk: &Desk, keys: &BTreeSet<String>) -> Result<()> {
    let (place, files) = (desk.checkout.folder.join(&desk.settings.learnings_file), ProjectFiles::of(&desk.checkout.folder));
    if keys.is_empty() {
        return Ok(());
    }
    let Some(text) = files.read_text(&place, limits::DOCUMENT_BYTES)? else { return Ok(()) };
    let left = without_entries(&text, keys);
    if left != text {
        files.write(&place, left.as_bytes(), Readers::Anyone)?;
    }
    Ok(())
}
