//! What an observation says beyond the known learning: nothing that was said is lost.

use super::Knowledge;
use crate::words::Words;
use ralph_core::learning::{FeatureLearning, Filled, LearningSource};
use serde::{Deserialize, Serialize};

/// Words, a reason and tags that the known learning lacks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Said {
    /// The words, if they differ; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why it holds, if another reason was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Tags that are new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Who said it.
    pub source: LearningSource,
}

impl Said {
    /// What `candidate` says beyond `known`; `None` if nothing.
    pub(crate) fn beyond(known: &FeatureLearning, candidate: &FeatureLearning) -> Option<Box<Said>> {
        let plain = |text: &str| Words::of(text).tokens().iter().map(|token| token.lower.clone()).collect::<Vec<_>>();
        let has_tag = |tag: &String| known.tags.iter().any(|other| other.to_lowercase() == tag.to_lowercase());
        let said = Said {
            text: if plain(&known.text) == plain(&candidate.text) { String::new() } else { candidate.text.clone() },
            reason: candidate.reason.clone().filter(|reason| known.reason.as_ref() != Some(reason)),
            tags: candidate.tags.iter().filter(|tag| !has_tag(tag)).cloned().collect(),
            source: candidate.source,
        };
        let says = !said.text.is_empty() || said.reason.is_some() || !said.tags.is_empty();
        says.then(|| Box::new(said))
    }

    /// Fills in what the known learning leaves open; in what a person wrote, only with a person's words.
    pub(super) fn fill(&self, known: &mut FeatureLearning) {
        if known.source == LearningSource::Human && self.source != LearningSource::Human {
            return;
        }
        if known.reason.is_none() {
            known.reason.clone_from(&self.reason);
        }
        if known.tags.is_empty() {
            known.tags.clone_from(&self.tags);
        }
    }

    /// What it would fill in; `None` if nothing.
    pub(crate) fn would_fill(&self, known: &FeatureLearning) -> Option<Filled> {
        let mut filled = known.clone();
        self.fill(&mut filled);
        let (reason, tags) = (filled.reason != known.reason, filled.tags != known.tags);
        (reason || tags).then(|| Filled { learning: known.id.clone(), reason, tags })
    }
}

impl Knowledge {
    /// Removes what a comparison filled in, and nothing else has changed: a reason and tags are filled in once.
    pub(super) fn empty_again(&mut self, filled: &Filled) {
        self.change(&filled.learning, |l| {
            l.reason = l.reason.take().filter(|_| !filled.reason);
            l.tags.retain(|_| !filled.tags);
        });
    }
}
