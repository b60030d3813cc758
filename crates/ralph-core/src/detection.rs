//! What is detected in the calls of tools, and what became of it.

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
            "search" | "recall" | "grep" | "glob" | "websearch" | "web_search" | "webfetch" => ToolKind::Search,
            "get_context" | "list_learnings" | "get_task" | "list_tasks" | "list_features" => ToolKind::Context,
            "read" | "notebookread" | "ls" | "list" => ToolKind::Read,
            "edit" | "write" | "multiedit" | "notebookedit" | "apply_patch" | "patch" | "file_change" => ToolKind::Edit,
            "ingest_file" | "ingest" => ToolKind::Ingest,
            "bash" | "run" | "shell" | "command_execution" => ToolKind::Run,
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

crate::word_enum! {
    /// Where a detection stands.
    DetectionState {
        /// Nobody has decided about it.
        Waiting = "waiting",
        /// It became an episode.
        Stored = "stored",
        /// Its lesson was known.
        Known = "known",
        /// It became nothing.
        Refused = "refused",
    }
}

crate::word_enum! {
    /// Why a detection became nothing.
    DetectionRefusal {
        /// The mode, or a switch, leaves its kind out.
        NotTracked = "not_tracked",
        /// Only somebody who understands could tell a lesson, and nobody is asked.
        NeedsModel = "needs_model",
        /// What worked was no other than what failed.
        NothingDiffered = "nothing_differed",
        /// It is less sure than an episode must be.
        Unsure = "unsure",
        /// It says too little, repeats its situation, or gives orders.
        Gate = "gate",
        /// A person put the same lesson away.
        PutAway = "put_away",
        /// The work that it comes from was thrown away.
        Discarded = "discarded",
    }
}

impl DetectionKind {
    /// Whether it tells of failures: a rule can know what is to be said of them.
    pub fn is_a_failure(self) -> bool {
        matches!(self, DetectionKind::RepeatedFailure | DetectionKind::MendedFailure)
    }
}
