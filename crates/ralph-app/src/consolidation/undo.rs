//! Undoing a consolidation: proposes its documents as they were before, on a branch, for review. Its learnings return when that is
//! merged.

use super::documents::{documents_in, write_documents};
use super::land::{as_proposed, matter_of};
use super::propose::{PROPOSALS, in_the_way, to_json};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use crate::owner::this_process;
use agent_cli::StopHandle;
use git_repo::Repo;
use ralph_core::LearningId;
use ralph_core::authority::Act;
use ralph_core::consolidation::{Consolidation, ConsolidationMatter, ConsolidationOrdered, Entry, ProposalMatter};
use ralph_core::errand::{Errand, ErrandId, ErrandKind, ErrandState};
use ralph_core::feature::FeatureState;
use ralph_core::learning::LearningState;
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::settings::ConsolidationSettings;
use ralph_core::signal::Usage;
use ralph_core::text::{counted, quoted_in_shell};
use ralph_core::worktree::{Work, WorkName};
use ralph_rag::consolidate::{Division, Documents, Taken, take_back, with_entries};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A consolidation that can be undone.
struct Undoable {
    act: String,
    rows: Vec<Consolidation>,
    /// The errand that proposed it.
    errand: ErrandId,
    matter: ConsolidationMatter,
}

impl App {
    /// Proposes the documents as they were before a consolidation, identified by act or errand. When that is merged, its learnings are
    /// active again as far as there is room; the rest is parked.
    ///
    /// # Errors
    /// If the same places have changed since; then nothing is changed.
    pub async fn undo_consolidation(self: &Arc<Self>, name: &str, stop: &StopHandle) -> Result<ConsolidationOrdered> {
        self.allowed(&Act::Curate)?;
        let name = name.to_owned();
        let of = self.blocking(move |app| app.undoable(&name)).await?;
        let entries: Vec<String> = of.rows.iter().flat_map(|row| row.entries.clone()).collect();
        let title = format!("Take the consolidation of {} back", counted(entries.len(), "learning"));
        let (id, of) = {
            let title = title.clone();
            self.blocking(move |app| Ok((app.begin_undo(&of, &title)?, of))).await?
        };
        let made = match self.make_worktree((Work::Errand(id), &title), None, stop).await {
            Ok(_) => self.blocking(move |app| app.write_undo(id, &of)).await,
            Err(error) => Err(error),
        };
        let fault = made.as_ref().err().map(ToString::to_string);
        let row = self
            .blocking(move |app| {
                let now = app.clock.now();
                let state = if fault.is_some() { ErrandState::Failed } else { ErrandState::Done };
                if fault.is_some() {
                    app.drop_proposal(id)?;
                }
                app.write(|tx| Ok(tx.end_errand(id, state, "", fault.as_deref(), now)?))?;
                app.errand(id)
            })
            .await?;
        made?;
        let ids = entries.clone();
        let notes = self.blocking(move |app| app.told_of_return(&ids)).await?;
        let review = Some(Work::Errand(id).name());
        Ok(ConsolidationOrdered {
            errand: Some(id),
            row: Some(row),
            review,
            merged: false,
            entries,
            notes,
            ..ConsolidationOrdered::default()
        })
    }

    /// How many of the learnings that return would find no room in their feature as it is now.
    fn told_of_return(&self, ids: &[LearningId]) -> Result<Vec<String>> {
        let default_cap = self.settings()?.max_learnings;
        self.db.read(|r| {
            let mut back: BTreeMap<String, u32> = BTreeMap::new();
            for learning in r.learnings_by_id(ids)?.into_iter().filter(|learning| learning.state == LearningState::Consolidated) {
                *back.entry(learning.feature).or_default() += 1;
            }
            let mut notes = Vec::new();
            for feature in r.features()?.into_iter().filter(|feature| feature.state == FeatureState::Active) {
                let Some(count) = back.get(&feature.name) else { continue };
                let saturation = r.saturation_of(&feature, default_cap)?;
                let parked = count.saturating_sub(saturation.max_learnings.saturating_sub(saturation.learnings_count));
                if parked > 0 {
                    let name = &feature.name;
                    notes.push(format!("{parked} of the {count} learnings that return to {name} find no room there, and are parked"));
                }
            }
            Ok(notes)
        })
    }

    fn undoable(&self, name: &str) -> Result<Undoable> {
        let not_found = || AppError::not_found(Noun::Consolidation, name);
        let by_errand = match name.parse() {
            Ok(WorkName::Sure(Work::Errand(id)) | WorkName::Number(id)) => Some(id),
            _ => None,
        };
        let act = match by_errand {
            None => name.to_owned(),
            Some(id) => match self.db.read(|r| matter_of(r, id))? {
                Some(ProposalMatter::Consolidation(matter)) => matter.act.ok_or_else(|| {
                    let fault = format!("what errand {id} proposed is not merged");
                    AppError::invalid("id", fault, format!("`ralph discard {}` puts it away", Work::Errand(id).name()))
                })?,
                _ => return Err(not_found()),
            },
        };
        let rows = self.db.read(|r| r.consolidations(Some(&act)))?;
        let first = rows.first().ok_or_else(not_found)?;
        if first.undone.is_some() {
            let fault = format!("consolidation {act} was taken back already");
            return Err(AppError::invalid("id", fault, "those that stand: `ralph consolidate --list`"));
        }
        let errand = self.db.read(|r| r.errand_of_act(&act))?;
        let matter = errand.map(|errand| Ok::<_, AppError>((errand, self.db.read(|r| matter_of(r, errand))?))).transpose()?;
        match matter {
            Some((errand, Some(ProposalMatter::Consolidation(matter)))) => Ok(Undoable { act, rows, errand, matter }),
            _ => {
                let fault = format!("consolidation {act} was made in another clone, which knows its commits");
                Err(AppError::invalid("id", fault, "take it back there, and bring the journals over"))
            }
        }
    }

    fn begin_undo(&self, of: &Undoable, title: &str) -> Result<ErrandId> {
        let matter = to_json(&ProposalMatter::Undo { undone: of.act.clone() });
        let new = Errand {
            id: 0,
            kind: ErrandKind::UndoConsolidation,
            state: ErrandState::Running,
            task: None,
            run: None,
            title: title.to_owned(),
            agent: None,
            model: String::new(),
            folder: self.paths.root.to_string_lossy().into_owned(),
            max_usd: None,
            max_minutes: limits::ERRAND_MINUTES,
            answer: String::new(),
            note: None,
            usage: Usage::default(),
            started: self.clock.now(),
            ended: None,
        };
        self.write(|tx| {
            if let Some(open) = tx.open_errand(&PROPOSALS)? {
                return Err(in_the_way(open.id, open.state));
            }
            let id = tx.insert_errand(&new, &this_process())?;
            tx.set_errand_matter(id, &matter)?;
            Ok(id)
        })
    }

    /// One commit with the documents and the learnings file without the consolidation's changes.
    fn write_undo(&self, id: ErrandId, of: &Undoable) -> Result<()> {
        let settings = as_proposed(&of.matter, self.settings()?.consolidation);
        let worktree = self.worktree_of(Work::Errand(id))?;
        let checkout = self.checkout_in(&worktree);
        let repo = checkout.repo.ok_or_else(|| AppError::not_found(Noun::Worktree, &worktree.path))?;
        let tip = self.worktree_of(Work::Errand(of.errand))?.tip.or_else(|| of.matter.proposal.clone());
        let (Some(start), Some(tip)) = (&of.matter.start, tip) else { return Err(AppError::not_found(Noun::Consolidation, &of.act)) };
        self.write(|tx| Ok(tx.set_errand_folder(id, &checkout.folder.to_string_lossy())?))?;
        if repo.take_back(start, &tip)?.is_empty() {
            let now = documents_in(&checkout.folder, &settings)?;
            write_documents(&checkout.folder, &settings, &now, &whole(now.clone()))?;
        } else {
            // Later changes are right next to it, so lines alone don't show what belongs to it; marks do.
            self.take_back_by_marks(&checkout.folder, &repo, &settings, (start, &tip), &of.matter)?;
        }
        let made =
            repo.commit_onto(&worktree.base_commit, &self.proposal_paths(&repo, &settings), "Ralph: a consolidation is taken back")?;
        match made {
            Some(_) => Ok(()),
            None => {
                let fault = "the documents hold nothing of it any more";
                Err(AppError::invalid("id", fault, one_by_one(&of.matter, start, &self.place_in(&repo).join(&settings.learnings_file))))
            }
        }
    }

    /// Removes the entries of a proposal, which led from one commit to another, from a checkout's documents, and puts those of the
    /// learnings file back.
    fn take_back_by_marks(
        &self,
        root: &Path,
        repo: &Repo,
        settings: &ConsolidationSettings,
        (start, tip): (&str, &str),
        matter: &ConsolidationMatter,
    ) -> Result<()> {
        let (before, after) = (self.documents_at(repo, start, settings)?, self.documents_at(repo, tip, settings)?);
        let now = documents_in(root, settings)?;
        let left = take_back(&Taken { before: &before, after: &after, now: &now }).map_err(|files| {
            let fault = format!("the same lines changed since in {}", files.join(", "));
            let singly = one_by_one(matter, start, &self.place_in(repo).join(&settings.learnings_file));
            AppError::invalid("id", fault, format!("put them back as they were, commit, and undo it again; or else {singly}"))
        })?;
        write_documents(root, settings, &now, &whole(left))?;
        let keys = matter.leaving();
        let earlier = repo.texts_at(start, &self.place_in(repo).join(&settings.learnings_file))?.into_values().next();
        if let Some(earlier) = earlier.filter(|_| !keys.is_empty()) {
            let (place, files) = (root.join(&settings.learnings_file), ProjectFiles::of(root));
            let text = files.read_text(&place, limits::DOCUMENT_BYTES)?.unwrap_or_default();
            files.write(&place, with_entries(&text, &earlier, &keys).as_bytes(), Readers::Anyone)?;
        }
        Ok(())
    }
}

/// How single entries of a consolidation come back, depending on where they were: only learnings have an id.
fn one_by_one(matter: &ConsolidationMatter, start: &str, learnings_file: &Path) -> String {
    let (learnings, of_file): (Vec<&Entry>, Vec<&Entry>) = matter.batch.iter().partition(|entry| entry.id.is_some());
    let restored = (!learnings.is_empty()).then(|| "`ralph learning restore ID` brings back single learnings".to_owned());
    let copied = of_file.first().map(|_| {
        let place = format!("{start}:{}", learnings_file.to_string_lossy().replace('\\', "/"));
        format!("`git show {}` has the entries of that file as they were, to be copied", quoted_in_shell(&place))
    });
    restored.into_iter().chain(copied).collect::<Vec<_>>().join("; ")
}

/// Documents, none of which was divided.
pub(super) fn whole(documents: Documents) -> Division {
    Division { documents, ..Division::default() }
}
