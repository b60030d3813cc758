//! Recording facts from files: the difference from what is known.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use code_facts::{FactKind, FoundFact, of_project};
use ralph_core::memory::{CodeScan, Fact, FactSource, WithdrawalReason, subject_key};
use ralph_core::time::Timestamp;
use ralph_core::{MemoryId, count, limits};
use ralph_rag::act::{FromCode, undoable_scan};
use sqlite_db::Read;
use std::collections::{BTreeMap, BTreeSet};

/// One change.
enum Step {
    State(Box<Fact>),
    Withdraw { id: MemoryId, detail: String },
}

impl App {
    /// Records facts that files state and are not known yet, and withdraws those that no file states any more.
    pub(super) fn tell_code(&self, scan: &mut CodeScan) -> Result<()> {
        let (files, facts) = self.db.read(|r| Ok::<_, AppError>((facts_of_files(r)?, r.facts(None)?)))?;
        let mut stated = of_project(files.iter().map(|(path, facts)| (path.as_str(), facts.as_slice())));
        stated.sort_by_key(|(path, fact)| (rank(fact.kind), path.matches('/').count()));
        scan.cut = count(stated.len().saturating_sub(limits::CODE_FACTS));
        stated.truncate(limits::CODE_FACTS);
        scan.facts = count(stated.len());
        let rules = self.knowledge_rules()?;
        let told: BTreeMap<(String, String), Fact> = facts.into_iter().filter(is_told_of_code).map(|fact| (key(&fact), fact)).collect();
        let stated: Vec<Fact> = stated.into_iter().map(|(path, found)| stated_in(path, &found, rules.now)).collect();
        let keys: BTreeSet<(String, String)> = stated.iter().map(key).collect();
        let gone = told.iter().filter(|(key, _)| !keys.contains(*key)).map(|(_, fact)| {
            let file = fact.file.as_deref().unwrap_or_default();
            Step::Withdraw { id: fact.id.clone(), detail: format!("no file states it any more; it stood in {file}") }
        });
        let is_known = |fact: &Fact| told.get(&key(fact)).is_some_and(|told| (&told.value, &told.file) == (&fact.value, &fact.file));
        let steps: Vec<Step> =
            gone.chain(stated.into_iter().filter(|fact| !is_known(fact)).map(|fact| Step::State(Box::new(fact)))).collect();
        for batch in steps.chunks(limits::CODE_FACT_BATCH) {
            let needs = batch.iter().fold(Needs::default(), |needs, step| match step {
                Step::State(fact) => needs.and_facts_about(&fact.kind, &fact.subject),
                Step::Withdraw { id, .. } => needs.and_memory(id),
            });
            let done = self.write(|tx| {
                perform(tx, rules, &needs, |draft| {
                    let mut done = Vec::new();
                    for step in batch {
                        match step {
                            Step::State(fact) => done.push(draft.state_from_code(Fact::clone(fact))?),
                            Step::Withdraw { id, detail } => draft.withdraw(id, WithdrawalReason::SourceGone, detail)?,
                        }
                    }
                    Ok(done)
                })
            })?;
            scan.withdrawn += count(batch.len() - done.len());
            for done in done {
                match done {
                    FromCode::Known => {}
                    FromCode::Added => scan.added += 1,
                    FromCode::Updated => scan.updated += 1,
                    FromCode::Returned => scan.returned += 1,
                    FromCode::Left => scan.left += 1,
                }
            }
        }
        Ok(())
    }

    /// How many of these facts no file states any more.
    pub(super) fn count_unstated(&self, gone: &[(String, String)]) -> Result<u32> {
        if gone.is_empty() {
            return Ok(0);
        }
        let stated = self.db.read(stated_by_code)?;
        let is_stated = |(kind, subject): &&(String, String)| stated.iter().any(|(of, about, ..)| of == kind && about == subject);
        Ok(count(gone.iter().filter(|fact| !is_stated(fact)).count()))
    }

    /// Undoes the newest scan that added facts. Only what this changes is counted.
    pub(super) fn take_back_code(&self) -> Result<CodeScan> {
        let scan = undoable_scan(self.known_lines()?)
            .ok_or_else(|| AppError::invalid("undo", "finds no look at the files to take back", "`ralph fact scan` looks at them"))?;
        let needs = scan.told.iter().chain(&scan.withdrawn).fold(Needs::default(), |needs, id| needs.and_memory(id));
        let stand = || {
            let ids = scan.told.iter().chain(&scan.withdrawn);
            ids.map(|id| self.fact(id).map(|row| row.fact.withdrawn.is_none())).collect::<Result<Vec<bool>>>()
        };
        let before = stand()?;
        self.act(&needs, |draft| draft.undo_scan(&scan))?;
        let changes: Vec<(bool, bool)> = before.into_iter().zip(stand()?).collect();
        let changed = |change| count(changes.iter().filter(|known| **known == change).count());
        Ok(CodeScan { enabled: true, withdrawn: changed((true, false)), returned: changed((false, true)), ..CodeScan::default() })
    }
}

/// What a fact says: its kind, subject and value, and the file that it is from.
pub(crate) type Statement = (String, String, String, String);

/// What a fact says.
pub(crate) fn statement(fact: &Fact) -> Statement {
    (fact.kind.clone(), subject_key(&fact.subject), fact.value.clone(), fact.file.clone().unwrap_or_default())
}

/// What the files of the project stated when this database last looked at them.
pub(crate) fn stated_by_code(r: &Read<'_>) -> Result<BTreeSet<Statement>> {
    let files = facts_of_files(r)?;
    let stated = of_project(files.iter().map(|(path, facts)| (path.as_str(), facts.as_slice())));
    Ok(stated.iter().map(|(path, found)| statement(&stated_in(path, found, Timestamp(0)))).collect())
}

fn facts_of_files(r: &Read<'_>) -> Result<Vec<(String, Vec<FoundFact>)>> {
    Ok(r.code_files()?.into_iter().map(|file| (file.path, serde_json::from_str(&file.facts).unwrap_or_default())).collect())
}

/// Whether a fact of the project comes from one of its files.
fn is_told_of_code(fact: &Fact) -> bool {
    fact.source == FactSource::Code && fact.withdrawn.is_none() && fact.feature.is_none()
}

/// Identity of a fact.
pub(crate) fn key(fact: &Fact) -> (String, String) {
    (fact.kind.clone(), subject_key(&fact.subject))
}

/// Rank for the limit, smallest first: commands are few and most useful, dependencies are many.
fn rank(kind: FactKind) -> u8 {
    match kind {
        FactKind::TestCommand | FactKind::BuildCommand => 0,
        FactKind::Framework => 1,
        FactKind::EntryPoint => 2,
        FactKind::Endpoint => 3,
        FactKind::Dependency => 4,
        FactKind::Mount | FactKind::Router | FactKind::Export | FactKind::Constant | FactKind::Workspace | FactKind::Tool => 5,
    }
}

fn stated_in(path: &str, found: &FoundFact, now: Timestamp) -> Fact {
    Fact {
        id: String::new(),
        feature: None,
        kind: found.kind.as_str().to_owned(),
        subject: found.subject.clone(),
        value: found.value.clone(),
        confidence: found.confidence,
        source: FactSource::Code,
        file: Some(path.to_owned()),
        line: Some(found.line),
        quote: Some(found.quote.clone()).filter(|quote| !quote.is_empty()),
        task_id: None,
        iteration: None,
        replica: None,
        created: now,
        withdrawn: None,
    }
}
