//! ralph-app
