//! Subcommands that answer at once.

use crate::args::{Command, FeatureCommand, FeatureFields, LearningCommand, StateFilter, TaskCommand, TaskFields};
use crate::output::{Output, table};
use ralph_app::{Actor, App, Clock};
use ralph_core::feature::{Feature, FeaturePatch, FeatureRow, NewFeature};
use ralph_core::learning::{FeatureLearning, LearningState, NewLearning};
use ralph_core::recall::RecallRequest;
use ralph_core::run::RunControl;
use ralph_core::task::{NewTask, Task, TaskFilter, TaskPatch};
use ralph_core::view::CommandError;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

type Answered = Result<(), CommandError>;

/// Opens the project that `directory` is in.
pub fn open(directory: &Path) -> Result<Arc<App>, CommandError> {
    Ok(Arc::new(App::open(directory, Clock::system())?))
}

/// Answers a subcommand that needs no loop.
pub fn answer(directory: &Path, command: Command, output: Output) -> Answered {
    match command {
        Command::Init => {
            let project = App::init(directory, Clock::system())?.project();
            output.answer(&project, || format!("{} is a Ralph project", project.path));
        }
        Command::Parse { agent, file } => {
            let signals = ralph_app::parse_transcript(&agent, &file)?;
            output.answer(&signals, || signals.iter().map(|s| serde_json::to_string(s).unwrap_or_default()).collect::<Vec<_>>().join("\n"));
        }
        Command::Feature(command) => feature(&*open(directory)?, command, output)?,
        Command::Task(command) => task(&*open(directory)?, command, output)?,
        Command::Learning(command) => learning(&*open(directory)?, command, output)?,
        Command::Saturation => {
            let all = open(directory)?.get_feature_saturations()?;
            let row = |s: &ralph_core::saturation::FeatureSaturation| {
                vec![
                    s.feature.clone(),
                    format!("{}/{}", s.learnings_count, s.max_learnings),
                    format!("{}%", s.saturation_pct),
                    s.level.to_string(),
                    format!("{} protected", s.protected_count),
                ]
            };
            output.answer(&all, || table(&all.iter().map(row).collect::<Vec<_>>(), "no features yet"));
        }
        Command::Pause => control(&*open(directory)?, RunControl::Pause, output)?,
        Command::Resume => control(&*open(directory)?, RunControl::None, output)?,
        Command::Prompt { task, explain } => crate::history::prompt(directory, task, explain, output)?,
        Command::Attempts { task } => crate::history::attempts(directory, task, output)?,
        Command::Insights => crate::history::insights(directory, output)?,
        Command::Recall { query, feature, task, kind, limit } => {
            let request = RecallRequest { query, feature, task, kinds: kind, all_states: false, limit };
            crate::recall::recall(&*open(directory)?, &request, output)?;
        }
        Command::Reconcile => crate::review::reconcile(&*open(directory)?, output)?,
        Command::Review { act } => crate::review::review(&*open(directory)?, act, output)?,
        Command::EvalPairs { data, out } => crate::pairs::eval_pairs(&data, out.as_deref(), output)?,
        Command::Eval { data, mode, run, set } => crate::recall::eval(&data, mode, run.as_deref(), &set, output)?,
        Command::Status => status(&*open(directory)?, output)?,
        Command::Rebuild => {
            let rebuilt = open(directory)?.rebuild()?;
            output.answer(&rebuilt, || {
                let skipped = rebuilt.skipped.iter().map(|s| format!("\nskipped {} line {}: {}", s.file, s.line, s.fault));
                format!("restored {} features and {} learnings{}", rebuilt.features, rebuilt.learnings, skipped.collect::<String>())
            });
        }
        Command::Export { out: Some(path) } => {
            let path = open(directory)?.export_to(Some(&path))?;
            output.answer(&serde_json::json!({ "path": path }), || path.display().to_string());
        }
        Command::Export { out: None } => {
            let export = open(directory)?.export()?;
            Output { json: true }.answer(&export, String::new);
        }
        Command::Backup => {
            let path = open(directory)?.backup()?;
            output.answer(&serde_json::json!({ "path": path }), || path.display().to_string());
        }
        Command::Run(_) | Command::Stop { .. } | Command::Mcp | Command::Doctor | Command::AgentScript { .. } => {
            unreachable!("main dispatches what needs a runtime")
        }
    }
    Ok(())
}

fn control(app: &App, wish: RunControl, output: Output) -> Answered {
    let run = app.control_run(wish)?;
    output.answer(&run, || format!("run {}: {}", run.id, if wish == RunControl::None { "goes on" } else { "pauses after this iteration" }));
    Ok(())
}

fn status(app: &App, output: Output) -> Answered {
    #[derive(Serialize)]
    struct Status {
        project: ralph_core::view::ProjectInfo,
        #[serde(flatten)]
        overview: ralph_core::view::Overview,
    }
    app.active_run()?;
    let status = Status { project: app.project(), overview: app.overview()? };
    output.answer(&status, || {
        let o = &status.overview;
        let run = o.active_run.as_ref().map_or_else(
            || "no run".to_owned(),
            |r| format!("run {} is {}, iteration {}, ${:.2}", r.id, r.state, r.iterations, r.cost_usd),
        );
        format!(
            "{}\n{run}\n{} features, {} open tasks, {} learnings, {} need you",
            status.project.path,
            o.features,
            o.open_tasks,
            o.learnings,
            o.needs_you.len()
        )
    });
    Ok(())
}

fn feature(app: &App, command: FeatureCommand, output: Output) -> Answered {
    match command {
        FeatureCommand::Create { name, display_name, parent, fields } => {
            let created = app.create_feature(&NewFeature {
                display_name: display_name.unwrap_or_default(),
                parent,
                acronym: fields.acronym,
                description: fields.description.unwrap_or_default(),
                architecture: fields.architecture.unwrap_or_default(),
                boundaries: fields.boundaries.unwrap_or_default(),
                context_files: fields.context_files.unwrap_or_default(),
                knowledge_paths: fields.knowledge_paths.unwrap_or_default(),
                dependencies: fields.dependencies.unwrap_or_default(),
                max_learnings: fields.max_learnings,
                name,
            })?;
            output.answer(&created, || format!("feature {} made", created.name));
        }
        FeatureCommand::List => {
            let features = app.features()?;
            let row = |f: &Feature| vec![f.name.clone(), f.display_name.clone(), f.state.to_string(), f.parent.clone().unwrap_or_default()];
            output
                .answer(&features, || table(&features.iter().map(row).collect::<Vec<_>>(), "no features yet: `ralph feature create NAME`"));
        }
        FeatureCommand::Show { name } => show_feature(&app.feature_row(&name)?, output),
        FeatureCommand::Update { name, display_name, state, fields } => {
            let FeatureFields {
                acronym,
                description,
                architecture,
                boundaries,
                context_files,
                knowledge_paths,
                dependencies,
                max_learnings,
            } = fields;
            let patch = FeaturePatch {
                display_name,
                acronym,
                description,
                architecture,
                boundaries,
                context_files,
                knowledge_paths,
                dependencies,
                state,
                max_learnings,
            };
            let updated = app.update_feature(&name, &patch)?;
            output.answer(&updated, || format!("feature {} changed", updated.name));
        }
        FeatureCommand::Journal { name, limit } => {
            let entries = app.journal(&name, limit)?;
            let row = |e: &ralph_core::learning::JournalEntry| vec![e.at.to_string(), e.event.clone(), e.summary.clone()];
            output.answer(&entries, || table(&entries.iter().map(row).collect::<Vec<_>>(), "the journal is empty"));
        }
    }
    Ok(())
}

fn show_feature(row: &FeatureRow, output: Output) {
    /// The feature's own fields at the top, its counts beside them.
    #[derive(Serialize)]
    struct Shown<'a> {
        #[serde(flatten)]
        feature: &'a Feature,
        saturation: &'a ralph_core::saturation::FeatureSaturation,
        tasks: ralph_core::feature::TaskCounts,
        parked_count: u32,
        review_count: u32,
        split_task: Option<u32>,
    }
    let FeatureRow { feature, tasks, saturation, parked_count, review_count, split_task } = row;
    let shown =
        Shown { feature, saturation, tasks: *tasks, parked_count: *parked_count, review_count: *review_count, split_task: *split_task };
    output.answer(&shown, || {
        format!(
            "{} ({}), {}\n{}\n{}/{} learnings, {} protected, {} parked\n{} of {} tasks done",
            feature.display_name,
            feature.name,
            feature.state,
            feature.description,
            saturation.learnings_count,
            saturation.max_learnings,
            saturation.protected_count,
            parked_count,
            tasks.done,
            tasks.total()
        )
    });
}

fn task(app: &App, command: TaskCommand, output: Output) -> Answered {
    match command {
        TaskCommand::Create { feature, title, status, fields } => {
            let depends_on = ids(fields.depends_on.as_deref())?.unwrap_or_default();
            let TaskFields { description, criteria, priority, discipline, tags, parent, .. } = fields;
            let created = app.create_task(
                &NewTask {
                    feature,
                    title,
                    description: description.unwrap_or_default(),
                    acceptance_criteria: criteria.unwrap_or_default(),
                    status,
                    priority,
                    tags: tags.unwrap_or_default(),
                    depends_on,
                    parent,
                    discipline,
                },
                Actor::from_environment(),
            )?;
            output.answer(&created, || format!("task #{} made", created.id));
        }
        TaskCommand::List { feature, status, priority, text } => {
            let tasks = app.tasks(&TaskFilter { feature, statuses: status, priorities: priority, provenances: Vec::new(), text })?;
            let row =
                |t: &Task| vec![format!("#{}", t.id), t.status.to_string(), t.priority.to_string(), t.feature.clone(), t.title.clone()];
            output.answer(&tasks, || table(&tasks.iter().map(row).collect::<Vec<_>>(), "no tasks"));
        }
        TaskCommand::Show { id } => {
            let detail = app.task(id)?;
            output.answer(&detail, || {
                let t = &detail.task;
                format!("#{} {}\n{} · {} · {} · {}\n{}", t.id, t.title, t.feature, t.status, t.readiness, t.priority, t.description)
            });
        }
        TaskCommand::Update { id, feature, title, status, blocked_reason, before, fields } => {
            let depends_on = ids(fields.depends_on.as_deref())?;
            let TaskFields { description, criteria, priority, discipline, tags, parent, .. } = fields;
            let patch = TaskPatch {
                feature,
                title,
                description,
                acceptance_criteria: criteria,
                status,
                priority,
                tags,
                depends_on,
                parent,
                discipline,
                blocked_reason,
                before,
            };
            let updated = app.update_task(id, &patch, Actor::from_environment())?;
            output.answer(&updated, || format!("task #{} is {}", updated.id, updated.status));
        }
        TaskCommand::Comment { id, text } => {
            let comment = app.add_comment(id, &text, Actor::from_environment())?;
            output.answer(&comment, || format!("remark {} added to #{id}", comment.id));
        }
    }
    Ok(())
}

/// Reads "1,2"; an empty text is an empty list.
fn ids(text: Option<&str>) -> Result<Option<Vec<u32>>, CommandError> {
    let Some(text) = text else { return Ok(None) };
    let words = text.split(',').map(|w| w.trim().trim_start_matches('#')).filter(|w| !w.is_empty());
    let read = |word: &str| {
        word.parse::<u32>().map_err(|_| CommandError {
            code: "invalid".to_owned(),
            message: format!("depends_on: '{word}' is no task number"),
            hint: "give numbers with commas between them: 1,2".to_owned(),
        })
    };
    words.map(read).collect::<Result<Vec<u32>, _>>().map(Some)
}

fn learning(app: &App, command: LearningCommand, output: Output) -> Answered {
    match command {
        LearningCommand::Add { feature, text, source, task, iteration, reason, category, tags } => {
            let mut new = NewLearning { reason, category, tags, task_id: task, iteration, ..NewLearning::new(&feature, &text) };
            Actor::from_environment().sign(&mut new, source)?;
            let remembered = app.append_feature_learning(&new)?;
            output.answer(&remembered, || format!("{}: {}", remembered.verdict, remembered.id));
        }
        LearningCommand::List { feature, state } => {
            let states: Vec<LearningState> = if state.is_empty() {
                vec![LearningState::Active]
            } else if state.iter().any(|s| matches!(s, StateFilter::All)) {
                Vec::new()
            } else {
                state.iter().filter_map(|s| if let StateFilter::Is(state) = s { Some(*state) } else { None }).collect()
            };
            let learnings = app.learnings(feature.as_deref(), &states)?;
            let row = |l: &FeatureLearning| {
                vec![l.id.clone(), l.state.to_string(), l.source.to_string(), format!("×{}", l.hit_count), l.text.clone()]
            };
            output.answer(&learnings, || table(&learnings.iter().map(row).collect::<Vec<_>>(), "no learnings"));
        }
        LearningCommand::Show { id } => show_learning(&app.learning(&id)?, output),
        LearningCommand::Review { id } => show_learning(&app.review_learning(&id)?, output),
        LearningCommand::Retire { id } => show_learning(&app.retire_learning(&id)?, output),
        LearningCommand::Restore { id } => show_learning(&app.restore_learning(&id)?, output),
        LearningCommand::Edit { id, text, reason } => show_learning(&app.edit_learning(&id, &text, reason.as_deref())?, output),
        LearningCommand::MergeOffers => {
            let offers = app.merge_offers()?;
            let row = |o: &ralph_core::learning::MergeOffer| {
                let ids: Vec<&str> = o.learnings.iter().map(|l| l.id.as_str()).collect();
                vec![o.feature.clone(), o.category.clone(), ids.join(" ")]
            };
            output.answer(&offers, || table(&offers.iter().map(row).collect::<Vec<_>>(), "nothing to merge"));
        }
        LearningCommand::Merge { ids, text, reason } => show_learning(&app.merge_learnings(&ids, &text, reason.as_deref())?, output),
        LearningCommand::Conflicts => {
            let conflicts = app.conflicts()?;
            let text = |c: &ralph_core::learning::Conflict| format!("{}  {}\n{}  {}", c.older.id, c.older.text, c.newer.id, c.newer.text);
            output.answer(&conflicts, || conflicts.iter().map(text).collect::<Vec<_>>().join("\n\n"));
        }
        LearningCommand::Resolve { older, newer, choice } => {
            app.resolve_conflict(&older, &newer, choice)?;
            output.answer(&serde_json::json!({ "older": older, "newer": newer, "choice": choice }), || format!("decided: {choice}"));
        }
    }
    Ok(())
}

fn show_learning(learning: &FeatureLearning, output: Output) {
    output.answer(learning, || {
        format!("{} ({}, {}, seen ×{})\n{}", learning.id, learning.state, learning.source, learning.hit_count, learning.text)
    });
}
