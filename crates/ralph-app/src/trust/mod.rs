//! What the project's folder brings along, what its person agreed to on this machine, and what is therefore in force.
//!
//! The rules are in `ralph_core::trust`. Settings and rules of a run or an errand are those at its start: during it, any change of them
//! awaits agreement, and until then the previously agreed texts stay in force for every process.

mod agents;
mod former;
pub(crate) mod place;
pub(crate) mod standing;
pub(crate) mod store;

use crate::app::App;
use crate::clock::Clock;
use crate::config::{self, ConfigFault};
use crate::error::{AppError, Result};
use crate::files::Readers;
use crate::knowledge::held;
use crate::outside::find_root;
use crate::paths::Paths;
use agent_cli::Descent;
use git_repo::Repo;
use ralph_core::authority::Act;
use ralph_core::discipline::Discipline;
use ralph_core::limits;
use ralph_core::run::RunRequest;
use ralph_core::settings::Settings;
use ralph_core::text::hex;
use ralph_core::topic::Topic;
use ralph_core::trust::{self, TrustItem, TrustReport, TrustSubject, name, needs_no_yes};
use ralph_rag::act::JournalLine;
use sha2::{Digest as _, Sha256};
use similar::TextDiff;
use standing::StandingSettings;
use std::path::Path;
use store::{Record, Store, Texts};

/// A person's act on pending items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAct {
    /// Show them.
    Show,
    /// Agree to everything as it is now.
    Agree,
    /// Restore settings and rules as last agreed to.
    Restore,
}

/// The folder compared with its person's agreements, at one moment.
pub(crate) struct TrustState {
    /// The settings in force.
    pub settings: Settings,
    /// The rules in force; empty when there are none.
    pub rules: String,
    /// The disciplines behind these items.
    pub disciplines: Vec<Discipline>,
    /// All trust items of the folder.
    pub items: Vec<TrustItem>,
    /// Current settings and rules in the folder.
    texts: Texts,
    /// Held lines of the journals.
    lines: Vec<JournalLine>,
}

impl App {
    /// All trust items of the project, with those pending.
    pub fn trust(&self) -> Result<TrustReport> {
        Ok(self.report(self.standing()?.items))
    }

    /// A person agrees to everything as it is now; with the fingerprint of a report only to exactly its content.
    pub fn agree(&self, shown: Option<&str>) -> Result<TrustReport> {
        self.allowed(&Act::Agree)?;
        let standing = self.standing()?;
        let report = self.report(standing.items);
        if shown.is_some_and(|shown| shown != report.fingerprint) {
            return Err(AppError::invalid("trust", "something has changed since it was shown", "look again, then agree"));
        }
        let at_work = self.db.read(|r| r.is_at_work())?;
        self.take_waiting(&standing.lines)?;
        self.trust.change(|record| {
            let kept = report.items.iter().filter(|item| item.name != name::JOURNALS);
            record.agreed.extend(kept.map(|item| (item.name.clone(), item.value.clone())));
            record.kept = standing.texts;
            record.holding = at_work;
        })?;
        self.settings_moved()?;
        self.trust()
    }

    /// A person restores settings and rules as last agreed to, as far as they are pending; held lines of the journals
    /// are removed from their files.
    pub fn restore_agreed(&self) -> Result<TrustReport> {
        self.allowed(&Act::Agree)?;
        let record = self.trust.read()?;
        let standing = match self.standing() {
            // Settings that can't be read hide what is pending: those last agreed to take their place.
            Err(AppError::Config(ConfigFault::Syntax { .. } | ConfigFault::Value { .. })) if record.kept.contains_key(name::CONFIG) => {
                self.restore_text(&self.paths.config, record.kept[name::CONFIG].as_deref())?;
                self.standing()?
            }
            standing => standing?,
        };
        let waits = |file: &str| standing.items.iter().any(|item| !item.agreed && TrustSubject::of(&item.name).text() == Some(file));
        for (file, path) in self.paths.own_texts().into_iter().filter(|(file, _)| waits(file)) {
            let Some(kept) = record.kept.get(file) else {
                return Err(AppError::invalid(
                    "trust",
                    format!("{file} was never agreed to, so there is nothing to put back"),
                    "edit it by hand",
                ));
            };
            self.restore_text(&path, kept.as_deref())?;
        }
        self.refuse_waiting(&standing.lines)?;
        self.end_hold_when_idle()?;
        self.settings_moved()?;
        self.trust()
    }

    /// Puts a text of settings or rules back, or removes it where there was none.
    fn restore_text(&self, path: &Path, text: Option<&str>) -> Result<()> {
        match text {
            Some(text) => Ok(self.paths.files().write(path, text.as_bytes(), Readers::Anyone)?),
            None => Ok(self.paths.files().remove(path)?),
        }
    }

    /// The same for a folder that can't be opened yet because it belongs to another user or its database comes from elsewhere.
    pub fn trust_in(folder: &Path, act: TrustAct, clock: Clock) -> Result<TrustReport> {
        let paths = Paths::of(&find_root(folder)?);
        let store = Store::of(&paths.root);
        let repo = Repo::discover(&paths.root).ok();
        place::refuse_tracked_at_rest(&paths, repo.as_ref())?;
        let record = store.read()?;
        let waiting = place::waiting(&paths, &record);
        if act == TrustAct::Agree && !waiting.is_empty() {
            // The actor is determined by the project's runs, which can't be read before; an agent of any project is refused.
            if Descent::of_this_process().is_of_an_agent() {
                return Err(AppError::Forbidden { what: "agree for its person" });
            }
            if waiting.iter().any(|item| item.name == name::DATABASE) {
                place::note_made_here(&paths, clock.now())?;
            }
            let others = waiting.into_iter().filter(|item| item.name != name::DATABASE);
            store.change(|record| record.agreed.extend(others.map(|item| (item.name, item.value))))?;
        } else if act == TrustAct::Show && !waiting.is_empty() {
            let others = standing(&paths, repo.as_ref(), &record, &[])?.items;
            return Ok(report(&paths.root, waiting.into_iter().chain(others).collect()));
        }
        let app = App::open_for_caller(folder, clock)?;
        app.warn_of_unknown_settings();
        match act {
            TrustAct::Show => app.trust(),
            TrustAct::Agree => app.agree(None),
            TrustAct::Restore => app.restore_agreed(),
        }
    }

    /// Settings and rules in force for a run, if nothing is pending except what the request itself overrides.
    pub(crate) fn standing_for_run(&self, request: &RunRequest) -> Result<TrustState> {
        let standing = self.standing()?;
        let waiting: Vec<TrustItem> =
            standing.items.iter().filter(|item| !item.agreed && !needs_no_yes(&item.name, request)).cloned().collect();
        if waiting.is_empty() { Ok(standing) } else { Err(AppError::Untrusted { items: waiting }) }
    }

    /// Begins the work of an agent by storing its row. From just before the row exists, changes of settings, rules or journals await
    /// agreement, and those of sealed rows are reverted; if other agents are at work this has been so since the first of them began.
    pub(crate) fn begin_held<T>(&self, standing: &TrustState, store: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.db.read(|r| r.is_at_work())? {
            self.write(|tx| Ok(tx.seal_all()?))?;
            self.hold(standing)?;
        }
        let begun = store();
        match &begun {
            // The others may have ended meanwhile, and no agent has started yet.
            Ok(_) if !self.trust.read()?.holding => self.hold(standing)?,
            Err(_) => self.end_hold_when_idle()?,
            Ok(_) => {}
        }
        begun
    }

    /// [`App::end_hold`], unless an agent of the project is still at work.
    pub(crate) fn end_hold_when_idle(&self) -> Result<()> {
        if self.db.read(|r| r.is_at_work())? { Ok(()) } else { self.end_hold() }
    }

    /// From now on changes of settings, rules or journals await agreement.
    fn hold(&self, standing: &TrustState) -> Result<()> {
        self.watch_journals()?;
        self.trust.change(|record| {
            record.kept.clone_from(&standing.texts);
            record.holding = true;
        })
    }

    /// No agent is at work any longer: unchanged texts need no agreement.
    pub(crate) fn end_hold(&self) -> Result<()> {
        if self.trust.read()?.watching {
            self.end_watch()?;
        }
        let texts = texts(&self.paths)?;
        self.trust.change(|record| record.holding &= record.kept != texts)
    }

    /// A person changed settings through Ralph: the change is agreed to, what was pending before stays pending.
    pub(crate) fn agree_to_change(&self, before: &StandingSettings, text_before: Option<&str>) -> Result<()> {
        let now = texts(&self.paths)?;
        let text = now.get(name::CONFIG).cloned().flatten();
        let after = items_of(&self.paths, &config::read(&self.paths.config, text.as_deref().unwrap_or_default())?)?;
        let own: Vec<TrustItem> = after
            .into_iter()
            .filter(|item| !before.items.iter().any(|known| known.name == item.name && known.value == item.value))
            .collect();
        self.trust.change(|record| {
            record.agreed.extend(own.into_iter().map(|item| (item.name, item.value)));
            let stood = record.kept.get(name::CONFIG).is_some_and(|kept| kept.as_deref() == text_before);
            if stood && before.items.iter().all(|item| item.agreed) {
                record.kept.insert(name::CONFIG.to_owned(), text);
            }
        })
    }

    /// A person changed a discipline through Ralph: its new state is agreed to, unless its previous one was still pending.
    pub(crate) fn agree_to_discipline(&self, before: Option<&Discipline>, after: &Discipline) -> Result<()> {
        let items = |of: Option<&Discipline>| trust::of_disciplines(&of.cloned().into_iter().collect::<Vec<_>>());
        self.trust.change(|record| {
            let waited = items(before).iter().any(|item| record.agreed.get(&item.name) != Some(&item.value));
            if !waited {
                record.agreed.extend(items(Some(after)).into_iter().map(|item| (item.name, item.value)));
            }
        })
    }

    /// Settings as written and as in force.
    pub(crate) fn standing_settings(&self) -> Result<StandingSettings> {
        let config = self.paths.files().read_text(&self.paths.config, limits::CONFIG_BYTES)?;
        let record = self.trust.read()?;
        standing_settings(&self.paths, changed(&record, name::CONFIG, &config).unwrap_or(&config), &record)
    }

    /// All pending items in brief; an error that prevents the check counts as one, too.
    pub(crate) fn waiting(&self) -> Vec<String> {
        match self.standing() {
            Ok(standing) => standing.items.iter().filter(|item| !item.agreed).map(TrustItem::in_short).collect(),
            Err(fault) => vec![fault.to_string()],
        }
    }

    /// The rules for all work, as far as agreed to.
    pub(crate) fn rules_in_force(&self) -> Result<String> {
        Ok(self.standing()?.rules)
    }

    /// Lets git run those filters and merge drivers of the repository's own configuration that were agreed to.
    pub(crate) fn let_git_run(&self, record: &Record) {
        if let Some(repo) = &self.repo {
            repo.agree_to_programs(trust::git_programs(&record.agreed));
        }
    }

    pub(crate) fn standing(&self) -> Result<TrustState> {
        let record = self.trust.read()?;
        self.let_git_run(&record);
        let mut standing = standing(&self.paths, self.repo.as_ref(), &record, &self.disciplines()?)?;
        standing.lines = self.waiting_lines()?;
        standing.items.extend(held::item(&standing.lines));
        Ok(standing)
    }

    fn report(&self, items: Vec<TrustItem>) -> TrustReport {
        report(&self.paths.root, items)
    }

    fn settings_moved(&self) -> Result<()> {
        self.write(|tx| {
            tx.touch(Topic::Settings);
            Ok(())
        })
    }
}

fn report(root: &Path, items: Vec<TrustItem>) -> TrustReport {
    let mut items = items;
    items.sort_by_key(|item| item.agreed);
    let mut digest = Sha256::new();
    for item in &items {
        for part in [&item.name, &item.value] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
    }
    TrustReport {
        project: root.to_string_lossy().into_owned(),
        agreed: items.iter().all(|item| item.agreed),
        fingerprint: hex(&digest.finalize()),
        items,
    }
}

fn texts(paths: &Paths) -> Result<Texts> {
    let read = |(file, path): (&'static str, std::path::PathBuf)| {
        let limit = if file == name::RULES { limits::RULES_BYTES } else { limits::CONFIG_BYTES };
        Ok((file.to_owned(), paths.files().read_text(&path, limit)?))
    };
    paths.own_texts().into_iter().map(read).collect()
}

/// The text that stays in force if a file was changed during a run.
fn changed<'r>(record: &'r Record, file: &str, now: &Option<String>) -> Option<&'r Option<String>> {
    record.kept.get(file).filter(|kept| record.holding && *kept != now)
}

fn items_of(paths: &Paths, settings: &Settings) -> Result<Vec<TrustItem>> {
    let mut items = trust::of_settings(settings, &Settings::default());
    let script = settings.script.trim();
    if !script.is_empty() {
        // An unreadable file is reported in place of its content: showing the project still works; a run is refused with the same error.
        let content = match paths.files().read(&paths.root.join(script), limits::SCRIPT_BYTES) {
            Ok(Some(bytes)) => format!("sha256 {}", hex(&Sha256::digest(bytes))),
            Ok(None) => "no such file".to_owned(),
            Err(fault) => fault.to_string(),
        };
        items.push(trust::of_script(script, &content));
    }
    Ok(items)
}

fn standing_settings(paths: &Paths, text: &Option<String>, record: &Record) -> Result<StandingSettings> {
    let written = match text {
        Some(text) => config::read(&paths.config, text)?,
        None => Settings::default(),
    };
    let mut items = items_of(paths, &written)?;
    trust::mark_agreed(&mut items, &record.agreed);
    Ok(StandingSettings { in_force: trust::in_force(written.clone(), &Settings::default(), &items), written, items })
}

fn standing(paths: &Paths, repo: Option<&Repo>, record: &Record, disciplines: &[Discipline]) -> Result<TrustState> {
    let texts = texts(paths)?;
    let [config, rules] = [&texts[name::CONFIG], &texts[name::RULES]];
    let (held_config, held_rules) = (changed(record, name::CONFIG, config), changed(record, name::RULES, rules));
    let settings = standing_settings(paths, held_config.unwrap_or(config), record)?;
    let mut items = Vec::new();
    if held_config.is_some() {
        let text = config.as_deref().unwrap_or_default();
        items.push(TrustItem::new(name::CONFIG, text, "the settings were changed while an agent was at work"));
        // What the changed text would run is listed separately; an unreadable text lists nothing.
        items.extend(config::read(&paths.config, text).ok().map(|changed| items_of(paths, &changed)).transpose()?.unwrap_or_default());
    } else {
        items.extend(settings.items);
    }
    if held_rules.is_some() {
        items.push(TrustItem::new(name::RULES, rules.as_deref().unwrap_or_default(), "the rules were changed while an agent was at work"));
    } else {
        items.extend(trust::of_rules(rules.as_deref().unwrap_or_default()));
    }
    items.extend(agents::items(paths)?);
    items.extend(trust::of_disciplines(disciplines));
    // If git can't list them, it can't run them either.
    let programs = repo.map(|repo| repo.own_programs().unwrap_or_default()).unwrap_or_default();
    items.extend(programs.iter().map(|(key, command)| trust::of_git_program(key, command)));
    trust::mark_agreed(&mut items, &record.agreed);
    for item in &mut items {
        // A text pending since a run stays pending even if the same value was agreed to at another time.
        let held = (item.name == name::CONFIG && held_config.is_some()) || (item.name == name::RULES && held_rules.is_some());
        item.agreed &= !held;
        let then = if held { record.kept.get(&item.name).cloned().flatten() } else { record.agreed.get(&item.name).cloned() };
        item.diff = then.filter(|then| !item.agreed && *then != item.value).map(|then| diff(&then, &item.value));
    }
    let rules_agreed = items.iter().all(|item| item.name != name::RULES || item.agreed);
    let rules = match held_rules {
        Some(kept) => kept.clone().unwrap_or_default(),
        None if rules_agreed => rules.clone().unwrap_or_default(),
        None => String::new(),
    };
    Ok(TrustState { settings: settings.in_force, rules, disciplines: disciplines.to_vec(), items, texts, lines: Vec::new() })
}

/// The lines that differ, with some around them. If that is the whole text, there is no place to name.
fn diff(then: &str, now: &str) -> String {
    let all = TextDiff::from_lines(then, now).unified_diff().missing_newline_hint(false).to_string();
    let whole = !then.trim_end().contains('\n') && !now.trim_end().contains('\n');
    all.lines().filter(|line| !(whole && line.starts_with("@@"))).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_difference_is_lines_and_no_marks_of_a_tool() {
        assert_eq!(super::diff("make", "make test"), "-make\n+make test");
    }
}
