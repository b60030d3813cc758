//! Features: creation, changes, lists; their saturations.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use crate::rows::find_feature;
use crate::secrets::check_input;
use crate::secrets::names as secret_names;
use ralph_core::authority::{Act, Actor, Wish, as_it_is, feature_changes};
use ralph_core::feature::{self, Feature, FeaturePatch, FeatureRow, FeatureState, NewFeature};
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::saturation::{FeatureSaturation, SaturationHistory};
use ralph_core::time::Timestamp;
use ralph_core::topic::Topic;
use ralph_rag::clean::clean;
use sqlite_db::Tx;

impl App {
    /// All features by name.
    pub fn features(&self) -> Result<Vec<Feature>> {
        Ok(self.db.read(|r| r.features())?)
    }

    /// All features with their counts, as on the Features page.
    pub fn feature_rows(&self) -> Result<Vec<FeatureRow>> {
        let cap = self.settings()?.max_learnings;
        Ok(self.db.read(|r| r.feature_rows(cap))?)
    }

    /// One feature with its counts.
    pub fn feature_row(&self, name: &str) -> Result<FeatureRow> {
        let name = self.feature(name)?.name;
        self.feature_rows()?.into_iter().find(|row| row.feature.name == name).ok_or_else(|| AppError::not_found(Noun::Feature, name))
    }

    /// One feature.
    pub fn feature(&self, name: &str) -> Result<Feature> {
        self.db.read(|r| find_feature(r, name))
    }

    /// Saturation of every feature, in one pass.
    pub fn get_feature_saturations(&self) -> Result<Vec<FeatureSaturation>> {
        let cap = self.settings()?.max_learnings;
        Ok(self.db.read(|r| r.saturations(cap))?)
    }

    /// Saturation over time of every feature by name, or of one. No points if no journal mentions the feature.
    pub fn saturation_history(&self, feature: Option<&str>) -> Result<Vec<SaturationHistory>> {
        self.pull_or_warn();
        let features = match feature {
            Some(name) => vec![self.feature(name)?],
            None => self.features()?,
        };
        let mut told = ralph_rag::history::saturation_history(self.known_lines()?, self.settings()?.max_learnings);
        let mut points =
            |name: &str| told.iter_mut().find(|history| history.feature == name).map(|history| std::mem::take(&mut history.points));
        let histories = features.into_iter().map(|Feature { name, .. }| {
            let points = points(&name).unwrap_or_default();
            SaturationHistory { feature: name, points }
        });
        Ok(histories.collect())
    }

    /// Creates a feature. Children start without learnings.
    pub fn create_feature(&self, new: &NewFeature) -> Result<Feature> {
        // Not even a proposal may contain such a name.
        secret_names::refuse(&new.name)?;
        self.allowed_or_proposed(&Act::CreateFeature(new), || {
            let nothing = Feature { display_name: String::new(), acronym: String::new(), ..Feature::new(&new.name, self.clock.now()) };
            Ok((Wish::CreateFeature { new: Box::new(new.clone()) }, feature_changes(&nothing, &FeaturePatch::from(new)).join("\n")))
        })?;
        let rules = self.knowledge_rules()?;
        let feature = checked(new, rules.now)?;
        self.write(|tx| {
            if tx.feature(&feature.name)?.is_some() {
                return Err(AppError::Exists { what: "feature", name: feature.name });
            }
            let mut feature = feature;
            if let Some(parent) = &feature.parent {
                feature.parent = Some(find_feature(tx, parent)?.name);
            }
            check_dependencies(tx, &feature)?;
            feature.author = self.actor.provenance();
            feature.by_person = self.actor == Actor::Human;
            // A name used before by an archived feature or another clone may have learnings already.
            perform(tx, rules, &Needs::features([feature.name.as_str()]), |draft| {
                draft.set_feature(&feature);
                Ok(())
            })?;
            find_feature(tx, &feature.name)
        })
    }

    /// Changes the given fields.
    pub fn update_feature(&self, name: &str, patch: &FeaturePatch) -> Result<Feature> {
        let before = self.feature(name)?;
        self.allowed_or_proposed(&Act::UpdateFeature { before: &before, patch }, || {
            let (of, values) = (before.name.clone(), Box::new(as_it_is(&before, patch)));
            let wish = Wish::UpdateFeature { feature: of, patch: Box::new(patch.clone()), before: values };
            Ok((wish, feature_changes(&before, patch).join("\n")))
        })?;
        let rules = self.knowledge_rules()?;
        self.write(|tx| {
            let mut feature = find_feature(tx, name)?;
            (feature.author, feature.by_person) = patch.authors_after(&feature, self.actor.provenance());
            apply(&mut feature, patch)?;
            feature.updated = rules.now;
            check_dependencies(tx, &feature)?;
            perform(tx, rules, &Needs::features([feature.name.as_str()]), |draft| {
                draft.set_feature(&feature);
                Ok(())
            })?;
            find_feature(tx, &feature.name)
        })
    }

    /// After a change of the project's cap, here or in the file: it is journaled, parked learnings return where there is room now, and
    /// split tasks are created where room has become scarce.
    pub(crate) fn settle_caps(&self) -> Result<()> {
        let rules = self.knowledge_rules()?;
        if self.db.is_read_only() || self.db.read(|r| r.settled_cap())? == Some(rules.default_cap) {
            return Ok(());
        }
        self.write(|tx| {
            // A changed cap changes every saturation, even if no row changes.
            tx.touch(Topic::Learnings);
            let before = tx.settled_cap()?.filter(|before| *before != rules.default_cap);
            for Feature { name, .. } in tx.features()? {
                if tx.newer_journal(&name)?.is_some() {
                    // A journal with lines of a newer Ralph is not added to; the newer one will settle it.
                    continue;
                }
                perform(tx, rules, &Needs::features([name.as_str()]), |draft| {
                    before.into_iter().for_each(|before| draft.change_default_cap(&name, before));
                    draft.settle_feature(&name);
                    Ok(())
                })?;
                crate::knowledge::split_task::maybe_create_split_task(tx, &name, rules)?;
            }
            Ok(tx.set_settled_cap(rules.default_cap)?)
        })
    }
}

fn checked(new: &NewFeature, now: Timestamp) -> Result<Feature> {
    let name = new.name.trim();
    feature::check_name(name).map_err(|fault| {
        AppError::invalid(
            "name",
            format!("'{}' can't be a feature's name: {fault}", ralph_core::text::cut(name, 80)),
            "for example: payments, auth-core",
        )
    })?;
    // Cleaned first: the acronym is made from what remains of the name.
    let display_name = check_input::title("display_name", if new.display_name.trim().is_empty() { name } else { &new.display_name })?;
    let mut feature = Feature {
        display_name: String::new(),
        acronym: String::new(),
        parent: new.parent.as_deref().map(str::trim).filter(|p| !p.is_empty()).map(str::to_owned),
        ..Feature::new(name, now)
    };
    let acronym = new.acronym.clone().filter(|a| !a.trim().is_empty()).unwrap_or_else(|| feature::acronym_of(&display_name));
    let named = FeaturePatch { display_name: Some(display_name), acronym: Some(acronym), ..FeaturePatch::from(new) };
    apply(&mut feature, &named)?;
    Ok(feature)
}

fn apply(feature: &mut Feature, patch: &FeaturePatch) -> Result<()> {
    if let Some(text) = &patch.display_name {
        feature.display_name = check_input::title("display_name", text)?;
    }
    if let Some(text) = &patch.acronym {
        let acronym = clean(text.trim(), limits::TAG_CHARS).text;
        if acronym.chars().nth(limits::ACRONYM_CHARS).is_some() {
            let fault = format!("'{acronym}' is longer than {} characters", limits::ACRONYM_CHARS);
            return Err(AppError::invalid("acronym", fault, "leave it out, and it is made of the name"));
        }
        feature.acronym = acronym.to_uppercase();
    }
    for (field, from, to) in [
        ("description", &patch.description, &mut feature.description),
        ("architecture", &patch.architecture, &mut feature.architecture),
        ("boundaries", &patch.boundaries, &mut feature.boundaries),
    ] {
        if let Some(text) = from {
            *to = check_input::long(field, text)?;
        }
    }
    if let Some(items) = &patch.context_files {
        feature.context_files = check_input::paths("context_files", items)?;
    }
    if let Some(items) = &patch.knowledge_paths {
        feature.knowledge_paths = check_input::paths("knowledge_paths", items)?;
    }
    if let Some(items) = &patch.dependencies {
        feature.dependencies = check_input::list("dependencies", items, limits::NAME_CHARS)?;
    }
    match patch.state {
        Some(FeatureState::Decomposed) if feature.state != FeatureState::Decomposed => {
            return Err(AppError::invalid(
                "state",
                "a feature becomes decomposed by closing its split task",
                "split it, or set 'archived'",
            ));
        }
        Some(state) => feature.state = state,
        None => {}
    }
    match patch.max_learnings {
        Some(0) => feature.max_learnings = None,
        Some(cap) if limits::MAX_LEARNINGS_RANGE.contains(&cap) => feature.max_learnings = Some(cap),
        Some(cap) => {
            let (least, most) = limits::MAX_LEARNINGS_RANGE.into_inner();
            let hint = format!("give {least} to {most}, or 0 for the project's");
            return Err(AppError::invalid("max_learnings", format!("{cap} is out of range"), hint));
        }
        None => {}
    }
    Ok(())
}

fn check_dependencies(tx: &Tx<'_>, feature: &Feature) -> Result<()> {
    for name in &feature.dependencies {
        if name.eq_ignore_ascii_case(&feature.name) {
            return Err(AppError::invalid("dependencies", "a feature can't depend on itself", "remove it from the list"));
        }
        find_feature(tx, name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acronym_is_made_of_what_is_kept_of_the_name() {
        let display_name = "Tab\there \u{1b}[31mred\u{1b}[0m zero\u{200b}width".to_owned();
        let made = checked(&NewFeature { name: "tab".to_owned(), display_name, ..NewFeature::default() }, Timestamp(1)).unwrap();
        assert_eq!((made.display_name.as_str(), made.acronym.as_str()), ("Tab here red zerowidth", "THRZ"));
    }
}
