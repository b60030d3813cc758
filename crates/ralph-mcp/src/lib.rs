//! ralph-mcp
