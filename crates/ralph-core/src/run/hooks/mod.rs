//! Hooks decide what follows from an iteration.
