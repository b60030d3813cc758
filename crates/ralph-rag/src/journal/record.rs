//! Records that journal lines contain as a whole.

use ralph_core::feature::{Feature, FeatureState};
use ralph_core::task::TaskProvenance;
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The gate's verdict on a learning when it was stored: the part of the report that can't be recomputed from the text alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GateMark {
    /// Whether it passed.
    pub passed: bool,
    /// Signal density.
    pub density: f64,
    /// Whether it was rejected.
    #[serde(default)]
    pub refused: bool,
}

/// A feature without what is local to this database (its row number).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the fields are those of `Feature`")]
pub struct FeatureRecord {
    pub name: String,
    pub display_name: String,
    pub acronym: String,
    pub description: String,
    pub architecture: String,
    pub boundaries: String,
    pub context_files: Vec<String>,
    pub knowledge_paths: Vec<String>,
    pub dependencies: Vec<String>,
    pub parent: Option<String>,
    pub state: FeatureState,
    pub author: TaskProvenance,
    pub max_learnings: Option<u32>,
    pub created: Timestamp,
    pub updated: Timestamp,
}

impl Default for FeatureRecord {
    fn default() -> Self {
        FeatureRecord::from(&Feature { acronym: String::new(), ..Feature::new("", Timestamp::default()) })
    }
}

impl From<&Feature> for FeatureRecord {
    fn from(f: &Feature) -> Self {
        FeatureRecord {
            name: f.name.clone(),
            display_name: f.display_name.clone(),
            acronym: f.acronym.clone(),
            description: f.description.clone(),
            architecture: f.architecture.clone(),
            boundaries: f.boundaries.clone(),
            context_files: f.context_files.clone(),
            knowledge_paths: f.knowledge_paths.clone(),
            dependencies: f.dependencies.clone(),
            parent: f.parent.clone(),
            state: f.state,
            author: f.author,
            max_learnings: f.max_learnings,
            created: f.created,
            updated: f.updated,
        }
    }
}

impl From<FeatureRecord> for Feature {
    fn from(f: FeatureRecord) -> Self {
        Feature {
            id: 0,
            name: f.name,
            display_name: f.display_name,
            acronym: f.acronym,
            description: f.description,
            architecture: f.architecture,
            boundaries: f.boundaries,
            context_files: f.context_files,
            knowledge_paths: f.knowledge_paths,
            dependencies: f.dependencies,
            parent: f.parent,
            state: f.state,
            author: f.author,
            max_learnings: f.max_learnings,
            created: f.created,
            updated: f.updated,
        }
    }
}
