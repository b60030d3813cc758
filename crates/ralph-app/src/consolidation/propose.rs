//! A consolidation from its order to a valid proposal: an agent writes the batch into the documents of a separate worktree, the
//! result is checked, and faults are returned to the agent, at most twice; then a person is notified. Nothing lands here.

use super::chosen::Chosen;
use crate::app::App;
use crate::errands::{Attended, ErrandEnd, Order, Running};
use crate::error::{AppError, Result};
use crate::notices::put_before_person;
use crate::review::MergeRequest;
use agent_cli::StopHandle;
use ralph_core::authority::Act;
use ralph_core::consolidation::{ConsolidationMatter, ConsolidationOrdered, ConsolidationPreview, Entry, ProposalMatter};
use ralph_core::errand::{ErrandAgent, ErrandId, ErrandKind, ErrandState};
use ralph_core::limits;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::text::counted;
use ralph_core::worktree::{ReviewPolicy, Work};
use ralph_rag::consolidate::{again, brief};
use std::sync::Arc;

/// Errands of which only one may be open at a time: they change the same documents.
pub(super) const PROPOSALS: [ErrandKind; 2] = [ErrandKind::Consolidate, ErrandKind::UndoConsolidation];
impl App {
    /// Orders a consolidation of one feature, or of all sources, without the entries under some keys. Returns a proposal that awaits
    /// review, or is already merged if it needs none. Without eligible entries no agent is started.
    ///
    /// # Errors
    /// If all of the agent's proposals were invalid: then a person is notified, and nothing has changed.
    pub async fn consolidate(
        self: &Arc<Self>,
        feature: Option<&str>,
        except: &[String],
        by: &ErrandAgent,
        stop: &StopHandle,
    ) -> Result<(ConsolidationPreview, ConsolidationOrdered)> {
        self.allowed(&Act::Curate)?;
        let (name, except) = (feature.map(str::to_owned), except.to_vec());
        let (preview, chosen) = self
            .blocking(move |app| {
                let settings = app.settings()?.consolidation;
                let sources = app.sources(name.as_deref(), &settings)?;
                let preview = without(app.preview_of(&sources, &settings)?, &except)?;
                app.write_consolidation_report(&preview)?;
                app.escalate_contradictions(&sources, &preview)?;
                let chosen = Chosen::of(&preview, sources.all.iter().flat_map(|source| &source.entries));
                Ok((preview, chosen))
            })
            .await?;
        if preview.batch.is_empty() {
            let ordered = ConsolidationOrdered { notes: preview.notes.clone(), ..ConsolidationOrdered::default() };
            return Ok((preview, ordered));
        }
        self.blocking(move |app| app.must_take_documents(&app.settings()?)).await?;
        let order = self.consolidation_order(&preview, by).await?;
        let batch = preview.batch.clone();
        let mut running = self.blocking(move |app| app.begin_consolidation(order, batch)).await?;
        match self.write_proposal(&mut running, chosen, stop).await {
            Ok(matter) => {
                let mut ordered = self.proposed(running, matter, stop).await?;
                ordered.notes.splice(0..0, preview.notes.iter().cloned());
                Ok((preview, ordered))
            }
            Err(NoProposal::NotBegun(error)) => {
                let fault = error.to_string();
                self.blocking(move |app| app.give_proposal_up(running, ErrandState::Failed, &fault, false)).await?;
                Err(error)
            }
            Err(NoProposal::Failed { state, fault }) => {
                let id = running.id;
                self.blocking(move |app| app.give_proposal_up(running, state, &fault, state == ErrandState::Failed)).await?;
                let note = self.errand(id)?.note.unwrap_or_default();
                let alone = in_the_faults(&preview.batch, &note).map(|keys| format!(", {keys}")).unwrap_or_default();
                let hint = format!(
                    "nothing has changed; `ralph errand show {id}` shows what it said, `ralph consolidate` sends another one{alone}"
                );
                Err(AppError::invalid("proposal", format!("errand {id} proposed nothing that holds: {note}"), hint))
            }
        }
    }

    async fn consolidation_order(self: &Arc<Self>, preview: &ConsolidationPreview, by: &ErrandAgent) -> Result<Order> {
        let program = self.errand_program(ErrandKind::Consolidate, by).await?;
        let title = format!("Consolidate {}", counted(preview.batch.len(), "learning"));
        let model = program.model_or(&program.settings.consolidation.model);
        Ok(Order { model, ..program.order(title, self.own_checkout()) })
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
        chosen: Chosen,
        stop: &StopHandle,
    ) -> std::result::Result<ConsolidationMatter, NoProposal> {
        let title = running.order.title.clone();
        let checkout = self.make_worktree((Work::Errand(running.id), &title), None, stop).await.map_err(NoProposal::NotBegun)?;
        let id = running.id;
        let desk = self.blocking(move |app| app.prepare_desk(id, checkout, &chosen)).await.map_err(NoProposal::NotBegun)?;
        running.order.checkout = desk.checkout.clone();
        let desk = Arc::new(desk);
        let told = brief(&desk.settings.knowledge_folder, &desk.before, &desk.batch);
        let mut prompt = told.clone();
        for turn in 0..=limits::PROPOSAL_RETRIES {
            match self.ask_errand(running, &prompt, stop).await? {
                ErrandEnd::Answered => {}
                ErrandEnd::Failed(state, note) => {
                    return Err(NoProposal::Failed { state, fault: note.unwrap_or_else(|| state.to_string()) });
                }
            }
            let at = Arc::clone(&desk);
            let compared = match self.attended(running, stop, move |app| app.compare_proposal(&at)).await? {
                Attended::Seen(compared) => compared,
                Attended::Stopped(why) => return Err(NoProposal::Failed { state: ErrandState::Stopped, fault: why }),
            };
            let at = Arc::clone(&desk);
            let judged = match compared {
                Ok(compared) => self.blocking(move |app| app.take_proposal(&at, compared)).await?,
                Err(wrong) => Err(wrong),
            };
            match judged {
                Ok(matter) => return Ok(matter),
                Err(wrong) if turn == limits::PROPOSAL_RETRIES => {
                    return Err(NoProposal::Failed { state: ErrandState::Failed, fault: wrong.join("\n") });
                }
                Err(wrong) => prompt = again(&told, &wrong),
            }
        }
        Err(NoProposal::Failed { state: ErrandState::Failed, fault: "nobody was asked".to_owned() })
    }

    /// The errand is done: its proposal awaits review, unless none is needed. One that may say something other than its entries always
    /// needs it.
    async fn proposed(self: &Arc<Self>, running: Running, matter: ConsolidationMatter, stop: &StopHandle) -> Result<ConsolidationOrdered> {
        let id = running.id;
        let (entries, notes) = (matter.batch.iter().map(|entry| entry.key.clone()).collect(), matter.notes.clone());
        let (divergences, checked) = (matter.divergences.clone(), matter.proposal.clone().or(matter.start.clone()));
        let json = to_json(&ProposalMatter::Consolidation(matter));
        let mut row =
            self.blocking(move |app| app.end_errand(running, ErrandState::Done, None, |tx| Ok(tx.set_errand_matter(id, &json)?))).await?;
        let auto = self.settings()?.consolidation.review == ReviewPolicy::Auto;
        let mut merged = false;
        if let Some(checked) = checked.filter(|_| auto && divergences.is_empty()) {
            let request = MergeRequest { only: Some(&checked), ..MergeRequest::default() };
            match self.merge(Work::Errand(id), &request, stop).await {
                Ok(_) => merged = true,
                Err(AppError::MergeRefused { refusal, .. }) => row.note = Some(refusal.message),
                Err(error @ AppError::Untrusted { .. }) => row.note = Some(error.to_string()),
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

    /// The errand failed: its worktree is removed, and a person is told of the agent's fault.
    fn give_proposal_up(&self, running: Running, state: ErrandState, fault: &str, tells: bool) -> Result<()> {
        let id = running.id;
        let now = self.clock.now();
        // First its worktree is removed, then it ends: after a kill in between it is found as an errand without an owner.
        self.drop_proposal(id)?;
        self.end_errand(running, state, Some(fault), |tx| {
            if tells {
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
        // Even if the folder can't be removed, for example because a file is too large to be saved, the errand ends, and its findings are
        // stored: a prune says why the folder is still there.
        if let Err(fault) = self.take_away(&worktree) {
            tracing::warn!("{fault}");
            return Ok(());
        }
        self.prune_branch(self.repository_for("worktree")?, &worktree)
    }
}

/// Why there is no proposal.
enum NoProposal {
    /// No agent was started: whoever ordered it is told why.
    NotBegun(AppError),
    /// The agent's work led to nothing.
    Failed { state: ErrandState, fault: String },
}

impl From<AppError> for NoProposal {
    fn from(error: AppError) -> NoProposal {
        NoProposal::Failed { state: ErrandState::Failed, fault: error.to_string() }
    }
}

/// A preview without the entries under some keys in its batch.
fn without(mut preview: ConsolidationPreview, except: &[String]) -> Result<ConsolidationPreview> {
    if let Some(unknown) = except.iter().find(|key| !preview.batch.iter().any(|entry| entry.key == **key)) {
        let hint = "`ralph consolidate --dry-run --json` names the keys of its batch";
        return Err(AppError::invalid("except", format!("no entry {unknown} would go"), hint));
    }
    preview.batch.retain(|entry| !except.contains(&entry.key));
    preview.notes.extend(except.iter().map(|key| format!("{key} stays this time, as it was asked")));
    Ok(preview)
}

/// The entries that the faults of a proposal are about, so that the others can be sent without them; `None` if that is none or all of them.
fn in_the_faults(batch: &[Entry], faults: &str) -> Option<String> {
    let about = batch.iter().filter(|entry| faults.contains(&entry.key)).map(|entry| format!("--except {}", entry.key));
    let about: Vec<String> = about.collect();
    let some = !about.is_empty() && about.len() < batch.len();
    some.then(|| format!("`ralph consolidate {}` one without what that failed over", about.join(" ")))
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
