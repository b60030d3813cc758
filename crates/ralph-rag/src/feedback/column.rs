//! Learned terms are stored in a separate column: one that reached a full-text index could be removed only by rebuilding it.

use super::gate::gate;
use ralph_core::evaluation::Gate;

/// Measured on the schema itself: `indexes` are the full-text tables, triggers and views that name the column.
pub fn row(indexes: &[String], full_text_tables: usize) -> Gate {
    let measured = if indexes.is_empty() {
        format!("named by none of {full_text_tables} full-text tables, nor by a trigger or a view")
    } else {
        format!("named by {}", indexes.join(", "))
    };
    gate("separate_column", "no full-text index names learned_triggers", measured, indexes.is_empty() && full_text_tables > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_holds_learned_terms_closes_the_gate() {
        assert!(row(&[], 4).open);
        assert!(!row(&["knowledge_fts".to_owned()], 4).open);
        assert!(!row(&[], 0).open, "a schema that was not read proves nothing");
    }
}
