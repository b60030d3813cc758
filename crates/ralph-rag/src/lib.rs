//! ralph-rag
