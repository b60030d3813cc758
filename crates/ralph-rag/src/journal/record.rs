//! Records that journal lines contain as a whole.

use ralph_core::feature::{Feature, WORD_FIELDS};
use ralph_core::task::TaskProvenance;
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

const AUTHOR: &str = "author";

/// The names of the fields that differ. A new author answers for all the words, not only for the new ones.
pub(crate) fn feature_changes(before: &Feature, after: &Feature) -> Vec<String> {
    let (before, after) = (feature::fields_of(before), feature::fields_of(after));
    let differs = |name: &str| before.get(name) != after.get(name);
    let by_another = differs(AUTHOR);
    after.keys().filter(|name| differs(name) || (by_another && WORD_FIELDS.contains(&name.as_str()))).cloned().collect()
}

/// A known feature with the fields that a line changes. Its name, spelled as it was first, and its creation time stay.
pub(super) fn changed_feature(known: &Feature, told: &Feature, changed: Option<&Vec<String>>) -> Feature {
    let mut all = feature::fields_of(told);
    let mut a_person_s = false;
    if let Some(changed) = changed {
        let is_changed = |name: &str| changed.iter().any(|other| other == name);
        // With words by anybody but a person, the feature's words no longer count as a person's, even beside those that a person wrote
        // meanwhile.
        let words = WORD_FIELDS.into_iter().any(is_changed);
        let no_person = told.author != TaskProvenance::Human && words;
        // The same the other way round: an agent must not rewrite words that may be a person's, whoever wrote meanwhile.
        a_person_s = told.by_person && words;
        all.retain(|name, _| is_changed(name) || (no_person && name == AUTHOR));
        all = feature::fields_of(known).into_iter().chain(all).collect();
    }
    let feature = feature::of_fields(all).unwrap_or_else(|_| told.clone());
    let by_person = feature.by_person || a_person_s;
    Feature { name: known.name.clone(), created: known.created, by_person, ..feature }
}

/// Removes anything that is not the name of a field.
pub(super) fn only_fields(changed: Vec<String>, feature: &Feature) -> Vec<String> {
    let fields = feature::fields_of(feature);
    changed.into_iter().filter(|name| fields.contains_key(name)).collect()
}

/// A feature in a line: its fields as they are, without the row number, which is local to a database.
pub(super) mod feature {
    use ralph_core::feature::Feature;
    use ralph_core::time::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
    use serde_json::{Map, Value};

    const LOCAL: &str = "id";

    pub fn serialize<S: Serializer>(feature: &Feature, serializer: S) -> Result<S::Ok, S::Error> {
        fields(feature).map_err(ser::Error::custom)?.serialize(serializer)
    }

    /// A field unknown to the Ralph that wrote the line has its default.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<Feature>, D::Error> {
        let plain = Feature { acronym: String::new(), ..Feature::new("", Timestamp::default()) };
        let mut all = fields(&plain).map_err(de::Error::custom)?;
        all.extend(Map::deserialize(deserializer)?);
        of_fields(all).map(Box::new).map_err(de::Error::custom)
    }

    pub fn of_fields(mut fields: Map<String, Value>) -> serde_json::Result<Feature> {
        fields.insert(LOCAL.to_owned(), Value::from(0));
        serde_json::from_value(Value::Object(fields))
    }

    pub fn fields_of(feature: &Feature) -> Map<String, Value> {
        fields(feature).expect("a feature holds only strings, numbers and lists")
    }

    fn fields(feature: &Feature) -> serde_json::Result<Map<String, Value>> {
        let mut fields: Map<String, Value> = serde_json::from_value(serde_json::to_value(feature)?)?;
        fields.remove(LOCAL);
        Ok(fields)
    }
}
