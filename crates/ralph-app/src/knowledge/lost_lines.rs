//! Lines that the database knows but the journals of the checkout have lost. If they are on another branch, or in the stash, they are only
//! elsewhere. If git reverted them, or a branch with them was deleted, other clones never get them: a person is notified, and decides.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::notices::tell_again;
use ralph_core::count;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::replica::LostLines;
use ralph_core::text::counted_are;
use ralph_rag::journal::{Line, parse};
use sqlite_db::Tx;
use sqlite_db::table::EventLine;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that a notice shows in words.
const SHOWN: usize = 10;

/// Notes which of the known lines are missing in journals that were read whole. Those that are about to be written are not.
pub(super) fn note_missing<'f>(tx: &Tx<'_>, known: &[EventLine], read: impl Iterator<Item = (&'f str, &'f [Line])>) -> Result<()> {
    let before = tx.lost_lines()?;
    let waiting: BTreeSet<String> = tx.waiting_events()?.into_iter().map(|event| event.id).collect();
    let mut of_journal: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
    for event in known.iter().filter(|event| !waiting.contains(&event.id)) {
        of_journal.entry(&event.feature).or_default().insert(&event.id);
    }
    let mut missing = before.missing.clone();
    for (feature, lines) in read {
        let mut gone = of_journal.remove(feature).unwrap_or_default();
        for line in lines {
            gone.remove(&line.id);
        }
        let gone: BTreeSet<String> = gone.into_iter().cloned().collect();
        missing.remove(feature);
        if !gone.is_empty() {
            missing.insert(feature.to_owned(), gone);
        }
    }
    if missing.is_empty() && before.missing.is_empty() {
        return Ok(());
    }
    Ok(tx.set_lost_lines(&LostLines { missing, looked_at: None, ..before })?)
}

impl App {
    /// Looks for the lines that the journals have lost, once after each change of the journals, and `again` if branches changed since: a
    /// revert is pushed later than it is made. Notifies a person of those that are on no branch; the notice is settled when they are back.
    pub(crate) fn find_lost_lines(&self, again: bool) -> Result<()> {
        let before = self.db.read(|r| r.lost_lines())?;
        let is_settled = before.missing.is_empty() && before.nowhere.is_empty() || before.looked_at.is_some() && !again;
        if is_settled || self.repo.is_none() || self.db.is_read_only() {
            return Ok(());
        }
        let branches = self.journals_on_branches()?;
        let looked_at = Some(branches.iter().map(|(_, commit)| commit.clone()).collect());
        if before.looked_at == looked_at {
            return Ok(());
        }
        let (_, nowhere) = self.found_on(branches, before.missing.values().flatten().cloned().collect())?;
        let lines = self.db.read(|r| r.lines_of(&nowhere.iter().map(String::as_str).collect()))?;
        let now = self.clock.now();
        // Nobody waits for it: the next look finds the same.
        let Some(mut writer) = self.db.try_writer()? else { return Ok(()) };
        writer.transaction(|tx| {
            if tx.lost_lines()? != before {
                return Ok(());
            }
            let notice = tell_again(tx, (&before.nowhere, before.notice), &nowhere, || in_words(&lines), now)?;
            Ok::<_, AppError>(tx.set_lost_lines(&LostLines { looked_at, nowhere, notice, ..before.clone() })?)
        })
    }

    /// Where lines are that no journal here holds: how many on each branch, or in the stash; and those that are nowhere.
    pub(super) fn elsewhere(&self, ids: BTreeSet<String>) -> Result<(BTreeMap<String, u32>, BTreeSet<String>)> {
        if ids.is_empty() { Ok((BTreeMap::new(), ids)) } else { self.found_on(self.journals_on_branches()?, ids) }
    }

    fn found_on(&self, branches: Vec<(String, String)>, mut ids: BTreeSet<String>) -> Result<(BTreeMap<String, u32>, BTreeSet<String>)> {
        let mut found = BTreeMap::new();
        let Some(repo) = &self.repo else { return Ok((found, ids)) };
        for (branch, commit) in branches {
            if ids.is_empty() {
                break;
            }
            let texts = repo.texts_at(&commit, self.journals_in(repo))?;
            let there = texts.values().flat_map(|text| parse("", text.as_bytes()).0).filter(|line| ids.remove(&line.id)).count();
            if there > 0 {
                found.insert(branch, count(there));
            }
        }
        Ok((found, ids))
    }

    /// Branches and other references with journals, one for each state of the journals, with its commit.
    fn journals_on_branches(&self) -> Result<Vec<(String, String)>> {
        let Some(repo) = &self.repo else { return Ok(Vec::new()) };
        Ok(repo.states_of(self.journals_in(repo))?)
    }
}

/// The lines that are on no branch, in words.
fn in_words(lines: &BTreeSet<String>) -> NewNotice {
    let said: Vec<String> = lines.iter().flat_map(|line| parse("", line.as_bytes()).0).map(|line| line.entry().summary).collect();
    let mut shown: Vec<String> = said.iter().take(SHOWN).map(|words| format!("- {words}")).collect();
    if said.len() > SHOWN {
        shown.push(format!("- and {} more", said.len() - SHOWN));
    }
    let detail = format!(
        "{}\n\nGit took them out of the journals, as by `git revert` or `git reset`, or with a branch that was deleted. They count here, and \
         for nobody who clones. `ralph rebuild` writes them back, for everybody once that is committed; `ralph learning retire ID` puts away \
         what was to go.",
        shown.join("\n")
    );
    NewNotice::new(NoticeKind::GitHarm, format!("{} in this clone alone", counted_are(lines.len(), "journal line")), detail)
}
