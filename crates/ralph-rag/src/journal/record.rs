//! Records that journal lines contain as a whole.

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

    /// A field that the writing Ralph did not know yet has its default.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<Feature>, D::Error> {
        let plain = Feature { acronym: String::new(), ..Feature::new("", Timestamp::default()) };
        let mut all = fields(&plain).map_err(de::Error::custom)?;
        all.extend(Map::deserialize(deserializer)?);
        all.insert(LOCAL.to_owned(), Value::from(0));
        serde_json::from_value(Value::Object(all)).map(Box::new).map_err(de::Error::custom)
    }

    fn fields(feature: &Feature) -> serde_json::Result<Map<String, Value>> {
        let mut fields: Map<String, Value> = serde_json::from_value(serde_json::to_value(feature)?)?;
        fields.remove(LOCAL);
        Ok(fields)
    }
}
