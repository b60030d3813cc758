//! Remarks as earlier versions stored them.

use serde_json::{Value, json};

/// The stored evidence of an iteration, with the snapshots that hold what its remarks are about: rows of earlier versions have only a name,
/// or none if it was the iteration's number.
pub fn name_snapshots(iteration: crate::IterationId, evidence: String) -> String {
    if !["work_gone", "work_changed", "outside_gone"].iter().any(|kind| evidence.contains(kind)) {
        return evidence;
    }
    let Ok(mut told) = serde_json::from_str::<Value>(&evidence) else { return evidence };
    let remarks = told.get_mut("remarks").and_then(Value::as_array_mut).into_iter().flatten();
    for remark in remarks.filter(|remark| remark["kept"].is_null()) {
        let name = match remark["kind"].as_str() {
            Some("work_gone" | "work_changed") => json!(iteration.to_string()),
            Some("outside_gone") => remark["snapshot"].take(),
            _ => continue,
        };
        remark["kept"] = json!({ "snapshot": name });
    }
    told.to_string()
}
