//! `ralph feature`: scopes of work and their knowledge.

use crate::output::{Answered, Output, table};
use clap::{Args, Subcommand};
use ralph_app::App;
use ralph_core::feature::{Feature, FeaturePatch, FeatureRow, FeatureState, NewFeature};
use serde::Serialize;

/// What to do with features.
#[derive(Debug, Subcommand)]
pub enum FeatureCommand {
    /// Make a feature.
    Create {
        /// Letters, digits, '-', '_', '.'; also the name of its journal.
        name: String,
        #[arg(long)]
        display_name: Option<String>,
        /// The feature it is split from.
        #[arg(long)]
        parent: Option<String>,
        #[command(flatten)]
        fields: FeatureFields,
    },
    /// All features.
    List,
    /// One feature with its counts.
    Show { name: String },
    /// Change a feature.
    Update {
        name: String,
        #[arg(long)]
        display_name: Option<String>,
        /// active or archived.
        #[arg(long)]
        state: Option<FeatureState>,
        #[command(flatten)]
        fields: FeatureFields,
    },
    /// Ask for the split task of a saturated feature, also after one was skipped.
    Split { name: String },
    /// The newest events of a feature's journal.
    Journal {
        name: String,
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
}

// No doc comment: clap would print it above the options of the command that these fields are flattened into.
#[derive(Debug, Args)]
pub struct FeatureFields {
    #[arg(long)]
    pub acronym: Option<String>,
    #[arg(long)]
    pub description: Option<String>,
    #[arg(long)]
    pub architecture: Option<String>,
    #[arg(long)]
    pub boundaries: Option<String>,
    /// Files an agent should read first (comma-separated or repeated).
    #[arg(long, value_delimiter = ',')]
    pub context_files: Option<Vec<String>>,
    #[arg(long, value_delimiter = ',')]
    pub knowledge_paths: Option<Vec<String>>,
    /// Features it builds on.
    #[arg(long, value_delimiter = ',')]
    pub dependencies: Option<Vec<String>>,
    /// Its own cap of learnings; 0 returns to the project's.
    #[arg(long)]
    pub max_learnings: Option<u32>,
}

/// Answers `ralph feature`.
pub fn feature(app: &App, command: FeatureCommand, output: Output) -> Answered {
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
        FeatureCommand::Split { name } => {
            let task = app.request_split(&name)?;
            output.answer(&serde_json::json!({ "split_task": task }), || format!("task #{task} splits {name}"));
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
        outside: bool,
        outside_replica: Option<&'a str>,
    }
    let FeatureRow { feature, tasks, saturation, parked_count, review_count, split_task, outside, outside_replica } = row;
    let shown = Shown {
        feature,
        saturation,
        tasks: *tasks,
        parked_count: *parked_count,
        review_count: *review_count,
        split_task: *split_task,
        outside: *outside,
        outside_replica: outside_replica.as_deref(),
    };
    let origin = if *outside { ", from outside" } else { "" };
    output.answer(&shown, || {
        format!(
            "{} ({}), {}{origin}\n{}\n{}/{} learnings, {} protected, {} parked\n{} of {} tasks done",
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
