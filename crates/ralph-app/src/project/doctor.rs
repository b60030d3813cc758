//! The doctor: checks what works, what does not, and what to do. Needs no project.

use crate::app::App;
use crate::clock::Clock;
use crate::driver::repository::out_of_sight;
use crate::error::AppError;
use crate::private_files::{holder, way_out};
use crate::project::surroundings::Missing;
use git_repo::{PartialClone, Repo};
use ralph_core::evaluation::RecordedCounts;
use ralph_core::limits;
use ralph_core::run::AgentKind;
use ralph_core::settings::Settings;
use ralph_core::text::{counted, counted_are};
use ralph_core::trust::TrustItem;
use ralph_core::view::{CommandError, DoctorCheck, DoctorReport, DoctorStatus, FolderLook};
use ralph_rag::journal::SkippedLine;
use sqlite_db::DbError;
use std::path::Path;
use text_embed::{Embedder, Source};

impl App {
    /// Checks git, the agents, and the project that contains `folder`, if any.
    pub async fn doctor(folder: &Path, clock: Clock) -> DoctorReport {
        let folder = folder.to_owned();
        // git, the database and the journals are read off the runtime's threads.
        let looked = tokio::task::spawn_blocking(move || {
            let git = check_git();
            let project = App::open(&folder, clock);
            let settings = project.as_ref().ok().and_then(|app| app.settings().ok());
            let root = project.as_ref().map_or(folder, |app| app.paths.root.clone());
            (git, settings, root, check_project(project))
        });
        let (git, settings, root, project) = looked.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        let mut checks = vec![git];
        checks.extend(check_agents(settings.as_ref(), &root).await);
        checks.extend(project);
        if let Some(settings) = settings.filter(|settings| !settings.check.trim().is_empty()) {
            checks.push(check_of_person(&settings).await);
        }
        DoctorReport { ok: checks.iter().all(|c| c.status != DoctorStatus::Error), checks }
    }

    /// Whether an agent could be started now: the same check as before a run.
    pub async fn check_agent(&self, agent: AgentKind) -> Result<DoctorCheck, AppError> {
        let settings = self.settings()?;
        if agent == AgentKind::Scripted {
            // Ralph itself plays the script.
            return Ok(ok("scripted agent", "part of Ralph"));
        }
        let name = format!("agent {agent}");
        Ok(match agent_cli::find(agent, settings.path_of(agent), &self.paths.root).await {
            Ok(found) => ok(&name, format!("{}, {}", found.version, found.path.display())),
            Err(fault) => failed(&name, &AppError::Agent(fault)),
        })
    }

    /// Properties of a folder for a new project. Needs no project.
    pub fn look_at_folder(folder: &Path) -> FolderLook {
        let repo = Repo::discover(folder).ok();
        let has_commits = repo.as_ref().is_some_and(|repo| repo.head().is_ok_and(|head| head.is_some()));
        FolderLook { is_repository: repo.is_some(), has_commits }
    }

    fn check_project(&self) -> Vec<DoctorCheck> {
        let root = self.paths.root.display();
        let mut checks = vec![match (&self.repo, self.refused_repository()) {
            (Some(repo), _) => match repo.is_dirty() {
                Ok(_) => ok("project", root.to_string()),
                // A filter that is missing, or a disk: no agent would start.
                Err(fault) => failed("project", &out_of_sight(repo, "seen", &fault)),
            },
            (None, Some(refused)) => failed("project", &refused),
            (None, None) => {
                warning("project", format!("{root} is not a git repository: iterations can't show what they changed"), "run `git init`")
            }
        }];
        checks.extend(self.ignored_by_git().map(|ignored| warning("project", ignored, "run `git init` there")));
        let in_commits = "if it is to be shared, put `!/.ralph/` behind that rule, or into the .gitignore beside .ralph";
        checks.extend(self.ignored_journals().map(|ignored| warning("journals in git", ignored, in_commits)));
        checks.extend(self.check_clone());
        checks.extend(self.check_private_files());
        checks.push(match self.kept_outside() {
            Some(what) => ok("kept outside", what),
            None => warning(
                "kept outside",
                "nothing of the project is kept outside its folder",
                "`ralph backup` makes a copy; set HOME if it is not",
            ),
        });
        checks.push(match self.settings() {
            Ok(settings) => {
                // As its runs use them.
                let Settings { agent, model, max_learnings, .. } = settings.clone().for_agent(settings.agent);
                ok("settings", format!("agent {agent}, model {model}, {max_learnings} learnings per feature"))
            }
            Err(error) => failed("settings", &error),
        });
        if let Some(unknown) = self.unknown_settings() {
            checks.push(warning("settings", unknown, "correct their names, or remove them"));
        }
        checks.extend(self.check_trust());
        checks.extend(self.write_refusal().map(|fault| failed("writing", &fault)));
        checks.extend(check_room(free_bytes(&self.paths.db)));
        checks.push(match self.db.read(|r| r.integrity_faults()) {
            Ok(faults) if faults.is_empty() => match self.later_state() {
                Ok(None) => ok("database", "sound"),
                Ok(Some((later, way_back))) => warning("database", later, &way_back),
                Err(fault) => failed("database", &fault),
            },
            Ok(faults) => error("database", faults.join("; "), "run `ralph restore`; with --show it only says what would be missing"),
            Err(fault) => failed("database", &AppError::Db(fault)),
        });
        checks.push(match self.check_embedding() {
            Ok(check) => check,
            Err(fault) => failed("embedding", &fault),
        });
        checks.push(match self.recorded().map(|history| history.counts) {
            Ok(RecordedCounts { queries, selections, dropped, .. }) => {
                let (queries, selections) = (counted(queries, "question"), counted(selections, "selection"));
                ok("history", format!("{queries} and {selections} recorded, {} dropped", counted(dropped, "record")))
            }
            Err(fault) => {
                let detail = format!("what was asked and chosen can't be read: {}", CommandError::from(&fault).message);
                warning("history", detail, &way_back_to_history(&fault))
            }
        });
        checks.extend(self.check_journals().unwrap_or_else(|error| vec![failed("journals", &error)]));
        checks
    }

    /// What a partial clone can't do; nothing for a complete one.
    fn check_clone(&self) -> Option<DoctorCheck> {
        let clone = self.repo.as_ref()?.partial_clone().ok()??;
        let PartialClone { remote, filter } = &clone;
        let detail = format!(
            "a partial clone ('{filter}' from '{remote}'), and Ralph fetches nothing that it lacks: learnings whose earlier versions are not \
             here have no age, and a diff or merge that takes a missing file is refused"
        );
        Some(warning("clone", detail, &clone.way_out()))
    }

    /// Which of this machine's private files git holds; nothing if it holds none.
    fn check_private_files(&self) -> Option<DoctorCheck> {
        let (files, committed) = self.private_files_in_git().ok()??;
        let holder = holder(committed);
        Some(warning("private files", format!("{holder} this machine's own files: {files}"), &way_out(&self.paths.root)))
    }

    /// What waits for a person's yes. Nothing if the settings can't be read, which a separate check reports.
    fn check_trust(&self) -> Option<DoctorCheck> {
        let standing = match self.standing() {
            Ok(standing) => standing,
            Err(AppError::Config(_)) => return None,
            Err(fault) => return Some(failed("trust", &fault)),
        };
        let waiting: Vec<String> = standing.items.iter().filter(|item| !item.agreed).map(TrustItem::in_short).collect();
        if waiting.is_empty() {
            return Some(ok("trust", "nothing in this folder waits for your yes"));
        }
        let detail = format!("waits for your yes: {}", waiting.join(", "));
        Some(warning("trust", detail, "look at it with `ralph trust`; until then it is not used"))
    }

    /// The embedding model, its location, and how many texts have a vector.
    fn check_embedding(&self) -> Result<DoctorCheck, AppError> {
        let embedder = self.embedder()?;
        let state = self.index_state()?;
        let with_tokens = self.db.read(|r| r.passages_with_tokens(&state.model))?;
        let counts = format!("{} of {} texts have a vector, {with_tokens} of them also of their words", state.embedded, state.passages);
        if self.embedding_waits()? {
            return Ok(warning("embedding", format!("{}: {}; {counts}", state.model, state.fault.unwrap_or_default()), "`ralph trust`"));
        }
        Ok(check_model(&embedder, &format!("; {counts}")))
    }

    /// Journals against database: the same lines, every line readable, and the rows that they imply.
    fn check_journals(&self) -> Result<Vec<DoctorCheck>, AppError> {
        if let Some((waiting, fault)) = self.stuck_lines()? {
            let wire = CommandError::from(&fault);
            let detail = format!("{} not in the journals yet: {}", counted_are(waiting, "line"), wire.message);
            let hint = if wire.hint.is_empty() { "the next write tries again".to_owned() } else { wire.hint };
            return Ok(vec![error("journals", detail, &hint)]);
        }
        let difference = self.journal_difference()?;
        let mut checks = Vec::new();
        let rebuild = "run `ralph rebuild`: it writes back what the files lack and reads in what the database lacks; nothing is lost";
        // Lines of a newer version are in the files too, but this version can't read which ones they are.
        let is_readable = !difference.skipped.iter().any(|skipped| skipped.newer);
        if difference.only_in_database > 0 && is_readable {
            let lines = counted_are(difference.only_in_database, "line");
            let detail = format!("{lines} in the database and in no journal of any branch, as after `git revert` or `git reset`");
            checks.push(error("journals", detail, rebuild));
        }
        if difference.only_in_files > 0 {
            let detail = format!("{} in the files and not in the database yet", counted_are(difference.only_in_files, "line"));
            checks.push(error("journals", detail, rebuild));
        }
        if let Some(first) = difference.edited.first() {
            let detail = format!("{} edited in the files, where lines are only added: {first}", counted(difference.edited.len(), "line"));
            let hint =
                "run `ralph rebuild`: it puts the lines back as this database knows them; change a learning with `ralph learning edit`";
            checks.push(error("journals", detail, hint));
        }
        if let Some(first) = difference.clashing.first() {
            let lines = counted(difference.clashing.len(), "line");
            let detail = format!("{lines} of other clones with the id of another line that this database knows: {first}");
            let hint = "what they tell is missing here: in the clone that wrote them, say it again, such as with `ralph learning edit`";
            checks.push(warning("journals", detail, hint));
        }
        if difference.held > 0 {
            let detail = format!("{} came while an agent was at work; no knowledge until you say yes", counted(difference.held, "line"));
            checks.push(warning(
                "journals",
                detail,
                "look at them with `ralph trust`, then `ralph trust --yes` or `ralph trust --restore`",
            ));
        }
        let faults = &difference.rows;
        if !faults.is_empty() {
            let shown = faults.iter().take(5).cloned().collect::<Vec<_>>().join("; ");
            let detail = format!("{} not as their lines tell: {shown}", counted_are(faults.len(), "row"));
            checks.push(error("journals", detail, "run `ralph rebuild`: it applies every line anew, after a copy"));
        }
        checks.extend(skipped_lines(&difference.skipped));
        if checks.is_empty() {
            checks.push(ok("journals", difference.agreement()));
        }
        Ok(checks)
    }
}

/// Unreadable lines, one check for each kind.
fn skipped_lines(all: &[SkippedLine]) -> Vec<DoctorCheck> {
    let kind = |skipped: &SkippedLine| (skipped.newer, skipped.secret_name);
    let mut checks = Vec::new();
    for wanted in [(true, false), (false, true), (false, false)] {
        let Some(skipped) = all.iter().find(|skipped| kind(skipped) == wanted) else { continue };
        let lines = counted(all.iter().filter(|other| kind(other) == wanted).count(), "line");
        let detail = match skipped.line {
            _ if skipped.secret_name => format!("{lines} left out, the first in {}: {}", skipped.file, skipped.fault),
            0 => format!("{} can't be read: {}", skipped.file, skipped.fault),
            line => format!("{lines} can't be read, the first is {} line {line}: {}", skipped.file, skipped.fault),
        };
        checks.push(match wanted {
            (true, _) => error("journals", detail, "update Ralph on this machine: nothing is added to that journal until then"),
            (_, true) => {
                error("journals", detail, "run `ralph audit --wash` where they were written: the feature gets a name that can stay")
            }
            _ => warning("journals", detail, "nothing else is affected; remove the line if it was torn by a crash"),
        });
    }
    checks
}

fn check_project(project: Result<App, AppError>) -> Vec<DoctorCheck> {
    match project {
        Ok(app) => app.check_project(),
        Err(AppError::NoProject { path }) => {
            let project = warning("project", format!("{} is in no project", path.display()), "run `ralph init` in your repository");
            // The bundled model is there, or missing, with or without a project.
            vec![project, check_model(&Embedder::new(Source::Bundled), "")]
        }
        Err(error) => vec![failed("project", &error)],
    }
}

/// The embedding model and where it was found, and what else is known about it.
fn check_model(embedder: &Embedder, further: &str) -> DoctorCheck {
    match embedder.try_out() {
        Ok(place) => ok("embedding", format!("{} in {place}{further}", embedder.id())),
        Err(fault) => {
            let way_out = format!("{}; until then search goes by words alone", fault.way_out());
            if fault.is_a_mistake() {
                error("embedding", fault.to_string(), &way_out)
            } else {
                warning("embedding", format!("{fault}{further}"), &way_out)
            }
        }
    }
}

/// Whether the check command finds the same programs under Ralph as in the person's shell.
async fn check_of_person(settings: &Settings) -> DoctorCheck {
    let shell = agent_cli::shell_environment().await;
    let own: Vec<_> = std::env::vars_os().collect();
    let missing = Missing::of(&settings.check, &agent_cli::check_environment(&settings.pass_env), &own, shell.as_ref());
    let told = |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")));
    let faults = [told("only your shell finds", &missing.programs), told("set for you, but not passed on", &missing.variables)];
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    if faults.is_empty() {
        return ok("check", "finds under Ralph what it names in your shell");
    }
    let hint = "it may pass in your shell and fail here: start Ralph from that shell, and name the variables in pass_env";
    warning("check", faults.join("; "), hint)
}

fn check_git() -> DoctorCheck {
    match Repo::version() {
        Ok(version) => ok("git", version),
        Err(fault) => error("git", fault.to_string(), fault.way_out()),
    }
}

/// Every installed agent. A missing one is warned about only if the project chooses it or, without a project, if a new project would.
async fn check_agents(settings: Option<&Settings>, root: &Path) -> Vec<DoctorCheck> {
    let settings = settings.cloned().unwrap_or_default();
    let (mut checks, mut missing) = (Vec::new(), Vec::new());
    for agent in PROGRAMS {
        let configured = settings.path_of(agent);
        let is_chosen = settings.agent == agent || settings.worktrees.reviewer == Some(agent) || !configured.is_empty();
        match agent_cli::find(agent, configured, root).await {
            Ok(found) => checks.push(ok(&format!("agent {agent}"), format!("{} at {}", found.version, found.path.display()))),
            Err(fault) if is_chosen => checks.push(warning(&format!("agent {agent}"), fault.to_string(), &fault.way_out())),
            Err(_) => missing.push(agent.as_str()),
        }
    }
    if !missing.is_empty() {
        checks.push(ok("other agents", format!("not installed, and not chosen here: {}", missing.join(", "))));
    }
    checks
}

/// What to do about a history that can't be read. It is intact, and will be read again once there is room for that.
fn way_back_to_history(fault: &AppError) -> String {
    match fault {
        AppError::Db(DbError::DiskFull | DbError::ReadOnly | DbError::Busy) => {
            let hint = CommandError::from(fault).hint;
            if hint.is_empty() { "nothing else is affected; try again".to_owned() } else { hint }
        }
        _ => "nothing else is affected; remove .ralph/db/eval.db to begin a new one".to_owned(),
    }
}

/// A warning if the disk of the database has little room; runs end where it has none.
fn check_room(free: Option<u64>) -> Option<DoctorCheck> {
    let free = free.filter(|free| *free < limits::LITTLE_ROOM_BYTES)?;
    Some(warning("room", format!("the disk of .ralph/db has {} MiB left", free >> 20), "make room on the disk"))
}

/// Bytes that may be written where a folder is.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Unknown without a further dependency; a full disk shows by what fails.
#[cfg(not(unix))]
fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// The agents that have a program of their own.
const PROGRAMS: [AgentKind; 3] = [AgentKind::Claude, AgentKind::Codex, AgentKind::Opencode];

fn ok(name: &str, detail: impl Into<String>) -> DoctorCheck {
    DoctorCheck { name: name.into(), status: DoctorStatus::Ok, detail: detail.into(), hint: None }
}

fn warning(name: &str, detail: impl Into<String>, hint: &str) -> DoctorCheck {
    DoctorCheck { name: name.into(), status: DoctorStatus::Warning, detail: detail.into(), hint: Some(hint.into()) }
}

fn error(name: &str, detail: impl Into<String>, hint: &str) -> DoctorCheck {
    DoctorCheck { name: name.into(), status: DoctorStatus::Error, detail: detail.into(), hint: Some(hint.into()) }
}

fn failed(name: &str, fault: &AppError) -> DoctorCheck {
    let wire = CommandError::from(fault);
    DoctorCheck { name: name.into(), status: DoctorStatus::Error, detail: wire.message, hint: Some(wire.hint).filter(|h| !h.is_empty()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_that_waits_for_room_is_not_to_be_removed() {
        let removes = |fault: DbError| way_back_to_history(&AppError::Db(fault)).contains("remove");
        assert!(removes(DbError::Damaged { path: "eval.db".into() }));
        for fault in [DbError::DiskFull, DbError::ReadOnly, DbError::Busy] {
            assert!(!removes(fault));
        }
    }

    #[tokio::test]
    async fn an_agent_that_nobody_chose_is_missing_without_alarm() {
        let checks = check_agents(Some(&Settings { agent: AgentKind::Scripted, ..Settings::default() }), Path::new(".")).await;
        assert!(checks.iter().all(|check| check.status == DoctorStatus::Ok), "{checks:?}");
        let told = format!("{checks:?}");
        assert!(PROGRAMS.iter().all(|agent| told.contains(agent.as_str())), "{told}");
    }

    #[test]
    fn a_disk_with_little_room_is_told() {
        let told = |free| check_room(free).map(|check| check.detail);
        assert_eq!(told(Some(3 << 20)).as_deref(), Some("the disk of .ralph/db has 3 MiB left"));
        assert_eq!((told(Some(limits::LITTLE_ROOM_BYTES)), told(None)), (None, None));
    }
}
