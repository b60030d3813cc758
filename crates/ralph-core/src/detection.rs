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
        /// The same is asked for again and again.
        RepeatedQuery = "repeated_query",
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
        /// The gate takes it for no lesson: boilerplate, or a passing status.
        Gate = "gate",
        /// It has fewer words than a lesson needs.
        TooShort = "too_short",
        /// It has more characters than a lesson may have.
        TooLong = "too_long",
        /// It says of something that it is so because it is so, or that what was done leads to success.
        Tautology = "tautology",
        /// It says again what happened, and nothing beyond.
        Restated = "restated",
        /// It holds a secret.
        Secret = "secret",
        /// It gives orders, or speaks as somebody else.
        Injected = "injected",
        /// Whoever was to tell a lesson refused to, in words.
        ExtractorRefused = "extractor_refused",
        /// Whoever was asked said that there is none.
        NothingToLearn = "nothing_to_learn",
        /// Ralph itself told it in this session.
        Told = "told",
        /// The day's calls or dollars were used, and a rule could tell nothing.
        OverBudget = "over_budget",
        /// Nobody answered three times, and a rule could tell nothing.
        NoAnswer = "no_answer",
        /// More waited for a lesson than may wait.
        QueueFull = "queue_full",
        /// The same failed again later: what seemed to mend it did not.
        FailedAgain = "failed_again",
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
