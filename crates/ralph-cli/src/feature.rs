//! `ralph feature`: scopes of work and their knowledge.

use crate::output::{Answered, Output, table};
use clap::{Args, Subcommand};
use ralph_app::App;
use ralph_core::feature::{Feature, FeaturePatch, FeatureRow, FeatureState, NewFeature};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What to do with features.
#[derive(Debug, Subcommand)]
pub enum FeatureCommand {
    /// Make a feature.
    Create {
        /// Letters, digits, '-', '_', '.'; also the name of its journal.
        name: String,
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
// Each has the name of the field that it fills, in new features and in changes.
#[derive(Debug, Args, Serialize)]
pub struct FeatureFields {
    /// Name for people.
    #[arg(long)]
    pub display_name: Option<String>,
    /// At most five characters, for dense lists.
    #[arg(long)]
    pub acronym: Option<String>,
    /// What it is for.
    #[arg(long)]
    pub description: Option<String>,
    /// How it is built.
    #[arg(long)]
    pub architecture: Option<String>,
    /// What does and does not belong to it.
    #[arg(long)]
    pub boundaries: Option<String>,
    /// Files an agent should read first (comma-separated or repeated).
    #[arg(long, value_delimiter = ',')]
    pub context_files: Option<Vec<String>>,
    /// Files and folders that hold its written knowledge (comma-separated or repeated).
    #[arg(long, value_delimiter = ',')]
    pub knowledge_paths: Option<Vec<String>>,
    /// Features it builds on (comma-separated or repeated).
    #[arg(long, value_delimiter = ',')]
    pub dependencies: Option<Vec<String>>,
    /// Its own cap of learnings; 0 returns to the project's.
    #[arg(long)]
    pub max_learnings: Option<u32>,
}

impl FeatureFields {
    /// The input with the given fields; all others are empty.
    fn input<T: DeserializeOwned>(&self) -> T {
        let mut given = serde_json::to_value(self).expect("options are texts, lists and numbers");
        given.as_object_mut().expect("options have names").retain(|_, value| !value.is_null());
        serde_json::from_value(given).expect("each option has the type of the field with its name")
    }
}

/// Runs `ralph feature`.
pub fn feature(app: &App, command: FeatureCommand, output: Output) -> Answered {
    match command {
        FeatureCommand::Create { name, parent, fields } => {
            let created = app.create_feature(&NewFeature { name, parent, ..fields.input() })?;
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
        FeatureCommand::Update { name, state, fields } => {
            let updated = app.update_feature(&name, &FeaturePatch { state, ..fields.input() })?;
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
