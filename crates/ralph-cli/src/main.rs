//! The ralph binary.
fn main() {}
