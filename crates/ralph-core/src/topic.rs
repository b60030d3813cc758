//! Topics of writes. A write marks its topics; screens refetch the queries whose key starts with one.

crate::word_enum! {
    /// A category of data that may have changed.
    Topic {
        /// Features, their states and caps.
        Features = "features",
        /// Tasks, their order, dependencies and comments.
        Tasks = "tasks",
        /// Disciplines.
        Disciplines = "disciplines",
        /// Learnings, reviews and saturations.
        Learnings = "learnings",
        /// Runs and their state.
        Runs = "runs",
        /// Iterations and hook notes.
        Iterations = "iterations",
        /// Passages and vectors: what recall searches.
        Passages = "passages",
        /// The project's settings, as this program changes them.
        Settings = "settings",
        /// Worktrees and reviews.
        Worktrees = "worktrees",
        /// Notices.
        Notices = "notices",
    }
}
