//! The prompt: composed from values.
