//! agent-cli
