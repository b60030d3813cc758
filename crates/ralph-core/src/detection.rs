//! What is detected in the calls of tools, by name.

crate::word_enum! {
    /// What a tool is for, whatever a client calls it.
    ToolKind {
        /// Looks for something.
        Search = "search",
        /// Reads what is known.
        Context = "context",
        /// Reads a file.
        Read = "read",
        /// Changes a file.
        Edit = "edit",
        /// Takes documents in.
        Ingest = "ingest",
        /// Runs a command.
        Run = "run",
        /// Anything else.
        Other = "other",
    }
}

impl ToolKind {
    /// What a tool is for, by the last part of its name (`mcp__ralph__search`, `rag.search`).
    pub fn of(tool: &str) -> ToolKind {
        let name = tool.rsplit(['.', '/']).next().unwrap_or(tool).rsplit("__").next().unwrap_or(tool).to_ascii_lowercase();
        match name.as_str() {
            "search" | "recall" | "grep" | "glob" | "websearch" => ToolKind::Search,
            "get_context" | "list_learnings" | "get_task" | "list_tasks" | "list_features" => ToolKind::Context,
            "read" | "notebookread" | "ls" => ToolKind::Read,
            "edit" | "write" | "multiedit" | "notebookedit" => ToolKind::Edit,
            "ingest_file" | "ingest" => ToolKind::Ingest,
            "bash" | "run" | "shell" => ToolKind::Run,
            _ => ToolKind::Other,
        }
    }
}

crate::word_enum! {
    /// What was detected.
    DetectionKind {
        /// Several steps that come to the end of something.
        TaskCompletion = "task_completion",
        /// One tool fails again and again.
        RepeatedFailure = "repeated_failure",
        /// What failed again and again works.
        MendedFailure = "mended_failure",
        /// One tool works again and again.
        RepeatedSuccess = "repeated_success",
    }
}
