//! A consolidation from its order to a valid proposal: an agent writes the batch into the documents of a separate worktree, the
//! result is checked, and faults are returned to the agent, at most twice; then a person is notified. Nothing lands here.

use super::documents::{documents_in, is_index, write_documents};
use crate::app::App;
use crate::errands::{ErrandEnd, ErrandProgram, Order, Running};
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use crate::notices::put_before_person;
use crate::worktrees::checkout::Checkout;
use agent_cli::StopHandle;
use git_repo::Repo;
use ralph_core::authority::Act;
use ralph_core::consolidation::{ConsolidationMatter, ConsolidationOrdered, ConsolidationPreview, Entry, ProposalMatter};
use ralph_core::errand::{ErrandAgent, ErrandId, ErrandKind, ErrandState};
use ralph_core::limits;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::settings::ConsolidationSettings;
use ralph_core::text::one_line;
use ralph_core::worktree::{ReviewPolicy, Work};
use ralph_rag::consolidate::{
    Documents, Faithfulness, FileEntry, INDEX, LearningsFile, Proposal, again, brief, divide, faithfulness, faults, without_entries,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Errands of which only one may be open at a time: they change the same documents.
pub(super) const PROPOSALS: [ErrandKind; 2] = [ErrandKind::Consolidate, ErrandKind::UndoConsolidation];
/// Variable through which the agent and its processes find the batch: a line for each entry, its key, a tab, its text.
const VARIABLE: &str = "RALPH_BATCH";

/// A worktree for writing a proposal.
struct Desk {
    checkout: Checkout,
    repo: Repo,
    branch: String,
    settings: ConsolidationSettings,
    /// The initial documents, and the commit that contains them.
    before: Documents,
    start: String,
    /// The entries to be written, and notes on those that are left out.
    batch: Vec<Entry>,
    notes: Vec<String>,
}

impl App {
    /// Orders a consolidation of one feature, or of all sources. Returns a proposal that awaits review, or is already merged if it needs no
    /// review. Without eligible entries no agent is started.
    ///
    /// # Errors
    /// When the agent's proposals were all invalid: then a person is notified, and nothing has changed.
    pub async fn consolidate(
        self: &Arc<Self>,
        feature: Option<&str>,
        by: &ErrandAgent,
        stop: &StopHandle,
    ) -> Result<(ConsolidationPreview, ConsolidationOrdered)> {
        self.allowed(&Act::Curate)?;
        let name = feature.map(str::to_owned);
        let preview = self
            .blocking(move |app| {
                let settings = app.settings()?.consolidation;
                let sources = app.sources(name.as_deref(), &settings)?;
                let preview = app.preview_of(&sources, &settings)?;
                app.write_consolidation_report(&preview)?;
                app.escalate_contradictions(&sources, &preview)?;
                Ok(preview)
            })
            .await?;
        if preview.batch.is_empty() {
            let ordered = ConsolidationOrdered { notes: preview.notes.clone(), ..ConsolidationOrdered::default() };
            return Ok((preview, ordered));
        }
        self.refuse_ignored_folder()?;
        let order = self.consolidation_order(&preview, by).await?;
        let batch = preview.batch.clone();
        let mut running = self.blocking(move |app| app.begin_consolidation(order, batch)).await?;
        match self.write_proposal(&mut running, &preview.batch, stop).await {
            Ok(matter) => {
                let mut ordered = self.proposed(running, matter, stop).await?;
                ordered.notes.splice(0..0, preview.notes.iter().cloned());
                Ok((preview, ordered))
            }
            Err(NoProposal { state, fault }) => {
                let id = running.id;
                self.blocking(move |app| app.give_proposal_up(running, state, &fault)).await?;
                let note = self.errand(id)?.note.unwrap_or_default();
                let hint =
                    format!("nothing has changed; `ralph errand show {id}` shows what it said, `ralph consolidate` sends another one");
                Err(AppError::invalid("proposal", format!("errand {id} proposed nothing that holds: {note}"), hint))
            }
        }
    }

    /// Git merges nothing that it ignores, so nobody is sent to write there.
    fn refuse_ignored_folder(&self) -> Result<()> {
        let repo = self.repository_for("consolidate")?;
        let folder = self.settings()?.consolidation.knowledge_folder;
        match repo.ignored_by(&self.place_in(repo).join(&folder).join(INDEX))? {
            None => Ok(()),
            Some(rule) => {
                let fault = format!("'{folder}' is ignored by git ({rule}), so no document in it could be merged");
                Err(AppError::invalid(
                    "knowledge_folder",
                    fault,
                    "take the rule out, or set another knowledge_folder in .ralph/config.toml",
                ))
            }
        }
    }

    async fn consolidation_order(self: &Arc<Self>, preview: &ConsolidationPreview, by: &ErrandAgent) -> Result<Order> {
        let ErrandProgram { agent, program, script, settings } = self.errand_program(ErrandKind::Consolidate, by).await?;
        let count = preview.batch.len();
        Ok(Order {
            kind: ErrandKind::Consolidate,
            task: None,
            run: None,
            title: format!("Consolidate {count} {}", if count == 1 { "learning" } else { "learnings" }),
            checkout: self.own_checkout(),
            tools: None,
            agent,
            program,
            script,
            model: by.model.clone().unwrap_or_else(|| settings.consolidation.model.clone()),
            max_usd: Some(settings.max_usd).filter(|usd| *usd > 0.0),
            max_minutes: limits::ERRAND_MINUTES,
            answer_schema: None,
        })
    }

    fn begin_consolidation(&self, order: Order, batch: Vec<Entry>) -> Result<Running> {
        let matter = ProposalMatter::Consolidation(ConsolidationMatter { batch, ..ConsolidationMatter::default() });
        self.begin_errand(order, |tx, id| {
            // This one is already stored, and does not block itself.
            if let Some(open) = tx.open_errand(&PROPOSALS)?.filter(|open| open.id != id) {
                return Err(in_the_way(open.id, open.state));
            }
            Ok(tx.set_errand_matter(id, &to_json(&matter))?)
        })
    }

    async fn write_proposal(
        self: &Arc<Self>,
        running: &mut Running,
        batch: &[Entry],
        stop: &StopHandle,
    ) -> std::result::Result<ConsolidationMatter, NoProposal> {
        let title = running.order.title.clone();
        let checkout = self.make_worktree(Work::Errand(running.id), &title, stop).await?;
        let (id, entries) = (running.id, batch.to_vec());
        let desk = self.blocking(move |app| app.prepare_desk(id, checkout, &entries)).await?;
        running.order.checkout = desk.checkout.clone();
        let desk = Arc::new(desk);
        if desk.batch.is_empty() {
            return Err(NoProposal { state: ErrandState::Failed, fault: desk.notes.join("\n") });
        }
        let told = brief(&desk.settings.knowledge_folder, &desk.before, &desk.batch);
        let mut prompt = told.clone();
        for turn in 0..=limits::PROPOSAL_RETRIES {
            match self.ask_errand(running, &prompt, stop).await? {
                ErrandEnd::Answered => {}
                ErrandEnd::Failed(state, note) => return Err(NoProposal { state, fault: note.unwrap_or_else(|| state.to_string()) }),
            }
            let at = Arc::clone(&desk);
            match self.blocking(move |app| app.judge_proposal(&at)).await? {
                Ok(matter) => return Ok(matter),
                Err(wrong) if turn == limits::PROPOSAL_RETRIES => {
                    return Err(NoProposal { state: ErrandState::Failed, fault: wrong.join("\n") });
                }
                Err(wrong) => prompt = again(&told, &wrong),
            }
        }
        Err(NoProposal { state: ErrandState::Failed, fault: "nobody was asked".to_owned() })
    }

    /// Prepares a worktree: documents that are too long are divided before the agent starts, and the batch is stored next to the log, without
    /// entries that a person changed and has not committed: they could not leave the file.
    fn prepare_desk(&self, id: ErrandId, mut checkout: Checkout, batch: &[Entry]) -> Result<Desk> {
        let settings = self.settings()?.consolidation;
        let worktree = self.worktree_of(Work::Errand(id))?;
        let repo = checkout.repo.clone().ok_or_else(|| AppError::not_found("worktree", &worktree.path))?;
        self.write(|tx| Ok(tx.set_errand_folder(id, &checkout.folder.to_string_lossy())?))?;
        let divided = divide(&documents_in(&checkout.folder, &settings)?);
        if !divided.parts.is_empty() {
            write_documents(&checkout.folder, &settings, &divided.documents)?;
        }
        let message = "Ralph: documents that were too long are divided";
        let made = repo.commit_onto(&worktree.base_commit, &self.proposal_paths(&repo, &settings), message)?;
        let start = made.unwrap_or_else(|| worktree.base_commit.clone());
        let file = ProjectFiles::of(&checkout.folder).read_text(&checkout.folder.join(&settings.learnings_file), limits::DOCUMENT_BYTES)?;
        let committed: BTreeSet<String> = LearningsFile::parse(&file.unwrap_or_default()).entries.iter().map(FileEntry::key).collect();
        let (batch, left): (Vec<Entry>, Vec<Entry>) =
            batch.iter().cloned().partition(|entry| entry.id.is_some() || committed.contains(&entry.key));
        let why = |entry: &Entry| {
            let title = entry.title.as_deref().unwrap_or_default();
            format!("{}:{}: '{title}' is changed and not committed, so it stays", entry.source, entry.line.unwrap_or(1))
        };
        let notes = left.iter().map(why).collect();
        let list: String =
            batch.iter().map(|entry| format!("{}\t{}\n", entry.key, one_line(&said(entry), limits::ERRAND_ANSWER_CHARS))).collect();
        let place = self.paths.logs.join(format!("errand-{id}.batch.tsv"));
        self.paths.files().write(&place, list.as_bytes(), Readers::Owner)?;
        checkout.variables.push((VARIABLE.to_owned(), place.to_string_lossy().into_owned()));
        Ok(Desk { checkout, repo, branch: worktree.branch, settings, before: divided.documents, start, batch, notes })
    }

    /// Paths that a proposal may change, relative to the root of the work tree.
    pub(super) fn proposal_paths(&self, repo: &Repo, settings: &ConsolidationSettings) -> Vec<PathBuf> {
        let project = self.place_in(repo);
        vec![project.join(&settings.knowledge_folder), project.join(&settings.learnings_file)]
    }

    /// Checks the agent's result; if valid, turns it into one commit, with the documents divided, their index, and the learnings file
    /// without the landed entries. Otherwise returns all faults.
    fn judge_proposal(&self, desk: &Desk) -> Result<std::result::Result<ConsolidationMatter, Vec<String>>> {
        let Desk { checkout, repo, branch, settings, before, start, batch, notes } = desk;
        if repo.branch()?.as_ref() != Some(branch) {
            return Ok(Err(vec![format!("another branch than {branch} is checked out; `git switch {branch}`")]));
        }
        let changed = self.paths_in_project(repo, repo.differing_files(start)?);
        let changed: Vec<String> = changed.into_iter().filter(|path| !is_index(path, settings)).collect();
        let odd = changed.iter().filter(|path| checkout.folder.join(path).symlink_metadata().is_ok_and(|found| !found.is_file()));
        let odd: Vec<String> = odd.map(|path| format!("{path}: is no plain file; make it one, or remove it")).collect();
        if !odd.is_empty() {
            return Ok(Err(odd));
        }
        let after = documents_in(&checkout.folder, settings)?;
        let exists = |path: &str| checkout.folder.join(path).exists();
        let folder = &settings.knowledge_folder;
        let proposed = Proposal { folder, before, after: &after, changed: &changed, batch, divided: false, exists: &exists };
        let Faithfulness { faults: unfaithful, divergences } = faithfulness(&proposed);
        let mut wrong = [faults(&proposed), unfaithful].concat();
        if !wrong.is_empty() {
            // Divergences alone send nobody back to work.
            wrong.extend(divergences.iter().map(|of| format!("{}:{}: perhaps {}", of.file, of.line, of.text)));
            return Ok(Err(wrong));
        }
        let divided = divide(&after);
        self.restore_index(desk)?;
        write_documents(&checkout.folder, settings, &divided.documents)?;
        let keys: BTreeSet<String> = batch.iter().filter(|entry| entry.id.is_none()).map(|entry| entry.key.clone()).collect();
        leave_learnings_file(checkout, settings, &keys)?;
        let message = format!("Ralph: {} learnings become documents", batch.len());
        let proposal = repo.commit_onto(start, &self.proposal_paths(repo, settings), &message)?;
        Ok(Ok(ConsolidationMatter {
            batch: batch.clone(),
            start: Some(start.clone()),
            proposal,
            divided: !divided.parts.is_empty(),
            notes: [notes.clone(), divided.told].concat(),
            divergences,
            act: None,
        }))
    }

    /// Puts the index back as it was: its lines are people's and Ralph's, whatever an agent made of them.
    fn restore_index(&self, desk: &Desk) -> Result<()> {
        let place = Path::new(&desk.settings.knowledge_folder).join(INDEX);
        let (file, files) = (desk.checkout.folder.join(&place), ProjectFiles::of(&desk.checkout.folder));
        match desk.repo.texts_at(&desk.start, &self.place_in(&desk.repo).join(&place))?.into_values().next() {
            Some(text) => files.write(&file, text.as_bytes(), Readers::Anyone)?,
            None => files.remove(&file)?,
        }
        Ok(())
    }

    /// Converts paths relative to a repository's root to paths relative to the project; those outside begin with `../`.
    pub(super) fn paths_in_project(&self, repo: &Repo, paths: Vec<String>) -> Vec<String> {
        let project = self.place_in(repo).to_string_lossy().replace('\\', "/");
        let named = |path: String| match path.strip_prefix(&project) {
            _ if project.is_empty() => path,
            Some(rest) if rest.starts_with('/') => rest[1..].to_owned(),
            _ => format!("../{path}"),
        };
        paths.into_iter().map(named).collect()
    }

    /// The errand is done: its proposal awaits review, unless none is needed. What may say something else than its entries always does.
    async fn proposed(self: &Arc<Self>, running: Running, matter: ConsolidationMatter, stop: &StopHandle) -> Result<ConsolidationOrdered> {
        let id = running.id;
        let (entries, notes) = (matter.batch.iter().map(|entry| entry.key.clone()).collect(), matter.notes.clone());
        let divergences = matter.divergences.clone();
        let json = to_json(&ProposalMatter::Consolidation(matter));
        let mut row =
            self.blocking(move |app| app.end_errand(running, ErrandState::Done, None, |tx| Ok(tx.set_errand_matter(id, &json)?))).await?;
        let auto = self.settings()?.consolidation.review == ReviewPolicy::Auto;
        let mut merged = false;
        if auto && divergences.is_empty() {
            match self.merge_work(Work::Errand(id), None, stop).await {
                Ok(_) => merged = true,
                Err(AppError::MergeRefused { refusal, .. }) => row.note = Some(refusal.message),
                Err(error) => return Err(error),
            }
        }
        Ok(ConsolidationOrdered {
            errand: Some(id),
            row: Some(row),
            review: Some(Work::Errand(id).name()),
            merged,
            entries,
            notes,
            divergences,
        })
    }

    /// The errand failed: its worktree is removed, and a person is notified.
    fn give_proposal_up(&self, running: Running, state: ErrandState, fault: &str) -> Result<()> {
        let id = running.id;
        let now = self.clock.now();
        // First its worktree, then its end: after a kill in between it is found as an errand without an owner.
        self.drop_proposal(id)?;
        self.end_errand(running, state, Some(fault), |tx| {
            if state == ErrandState::Failed {
                let title = format!("Errand {id} proposed no documents that hold");
                let detail =
                    format!("{}\n\nNothing has changed. `ralph consolidate` sends another agent.", crate::secrets::wash::text(fault));
                put_before_person(tx, NewNotice::new(NoticeKind::Consolidation, title, detail), now)?;
            }
            Ok(())
        })
        .map(drop)
    }

    /// Removes the worktree and the branch of a failed errand.
    pub(crate) fn drop_proposal(&self, id: ErrandId) -> Result<()> {
        let Some(worktree) = self.db.read(|r| r.worktree_of_errand(id))?.filter(crate::worktrees::lives) else { return Ok(()) };
        if worktree.state == ralph_core::worktree::WorktreeState::Making {
            return self.clear_half_made(&worktree);
        }
        let tip = self.repository_for("worktree")?.branch_tip(&worktree.branch)?;
        let now = self.clock.now();
        let worktree = self.change_worktree(worktree.id, |worktree| {
            worktree.state = ralph_core::worktree::WorktreeState::Discarded;
            (worktree.tip, worktree.ended, worktree.landing) = (tip.clone(), Some(now), None);
        })?;
        self.take_away(&worktree)?;
        self.prune_branch(self.repository_for("worktree")?, &worktree, true)
    }
}

/// Why there is no proposal.
struct NoProposal {
    state: ErrandState,
    fault: String,
}

impl From<AppError> for NoProposal {
    fn from(error: AppError) -> NoProposal {
        NoProposal { state: ErrandState::Failed, fault: error.to_string() }
    }
}

/// Removes entries from the learnings file of a checkout.
fn leave_learnings_file(checkout: &Checkout, settings: &ConsolidationSettings, keys: &BTreeSet<String>) -> Result<()> {
    let (place, files) = (checkout.folder.join(&settings.learnings_file), ProjectFiles::of(&checkout.folder));
    let Some(text) = files.read_text(&place, limits::DOCUMENT_BYTES)?.filter(|_| !keys.is_empty()) else { return Ok(()) };
    let left = without_entries(&text, keys);
    if left != text {
        files.write(&place, left.as_bytes(), Readers::Anyone)?;
    }
    Ok(())
}

fn said(entry: &Entry) -> String {
    match &entry.title {
        Some(title) if !entry.text.trim().is_empty() => format!("{title}: {}", entry.text),
        Some(title) => title.clone(),
        None => entry.text.clone(),
    }
}

/// The refusal of a second proposal.
pub(super) fn in_the_way(errand: ErrandId, state: ErrandState) -> AppError {
    let name = Work::Errand(errand).name();
    let hint = match state {
        ErrandState::Running => format!("wait for it, or `ralph errand stop {errand}`"),
        _ => format!("`ralph diff {name}` shows it; `ralph merge {name}` or `ralph discard {name}`"),
    };
    AppError::invalid("consolidate", format!("errand {errand} changes the documents already, and is not merged"), hint)
}

pub(super) fn to_json(matter: &ProposalMatter) -> String {
    serde_json::to_string(matter).expect("a matter holds only strings, numbers and lists")
}
