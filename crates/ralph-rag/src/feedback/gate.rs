//! Gates: required against measured.

use ralph_core::evaluation::Gate;

/// A gate.
pub fn gate(name: &str, required: impl Into<String>, measured: impl Into<String>, open: bool) -> Gate {
    Gate { name: name.to_owned(), required: required.into(), measured: measured.into(), open }
}
