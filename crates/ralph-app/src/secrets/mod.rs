//! What must not be stored or shown, and input that may hold it: secrets are recognised and removed, input is cleaned and bounded.

pub(crate) mod check_input;
pub(crate) mod names;
pub(crate) mod wash;
