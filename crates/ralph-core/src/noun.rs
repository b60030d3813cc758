//! The kind of a thing that somebody named and that does not exist, and the command that lists those that do.

crate::word_enum! {
    /// A kind of thing that has a name or a number; its word is what messages call it.
    Noun {
        /// An act of the audit.
        Audit = "audit",
        /// An act by comparison.
        AutomaticAct = "automatic act",
        /// A file that work changes.
        ChangedFile = "changed file",
        /// A commit of work.
        Commit = "commit",
        /// A conflict that waits.
        Conflict = "conflict",
        /// A consolidation.
        Consolidation = "consolidation",
        /// A conflict that a person decided.
        DecidedConflict = "decided conflict",
        /// A warning that a person decided.
        DecidedWarning = "decided warning",
        /// A discipline.
        Discipline = "discipline",
        /// A document.
        Document = "document",
        /// An episode.
        Episode = "episode",
        /// An episode or a fact.
        EpisodeOrFact = "episode or fact",
        /// An errand.
        Errand = "errand",
        /// A fact.
        Fact = "fact",
        /// A feature.
        Feature = "feature",
        /// A folder.
        Folder = "folder",
        /// Guidance.
        Guidance = "guidance",
        /// A history of retrieval.
        History = "history",
        /// An iteration.
        Iteration = "iteration",
        /// The key of a server.
        Key = "key",
        /// A lane.
        Lane = "lane",
        /// A learned term.
        LearnedTerm = "learned term",
        /// A learning.
        Learning = "learning",
        /// A memory of any kind.
        Memory = "memory",
        /// A notice.
        Notice = "notice",
        /// A person's act on a learning.
        PersonsAct = "act to take back for learning",
        /// An agent's request for a person's permission.
        Question = "question",
        /// A question that was asked of recall, and recorded.
        RecordedQuestion = "recorded question",
        /// A run.
        Run = "run",
        /// A snapshot.
        Snapshot = "snapshot",
        /// A task.
        Task = "task",
        /// Work.
        Work = "work",
        /// A worktree.
        Worktree = "worktree",
    }
}

impl Noun {
    /// Where existing ones are listed, as a hint.
    pub fn listed_by(self) -> String {
        match self {
            Noun::Discipline
            | Noun::Document
            | Noun::Episode
            | Noun::Errand
            | Noun::Fact
            | Noun::Feature
            | Noun::Learning
            | Noun::Notice
            | Noun::Snapshot
            | Noun::Task
            | Noun::Worktree => format!("list what there is with `ralph {self} list`"),
            Noun::Consolidation => "list what there is with `ralph consolidate --list`".into(),
            Noun::Memory => "list what there is with `ralph learning list`, `ralph episode list` and `ralph fact list`".into(),
            Noun::EpisodeOrFact => "list what there is with `ralph episode list` and `ralph fact list`".into(),
            Noun::Conflict | Noun::DecidedConflict | Noun::DecidedWarning => "`ralph review` shows what waits, and what was decided".into(),
            Noun::Iteration => "list what there is with `ralph insights iterations`".into(),
            Noun::Guidance => "`ralph guide` lists what waits to be told".into(),
            Noun::Question => "`ralph answer` lists what waits for an answer".into(),
            Noun::RecordedQuestion => {
                "`ralph eval questions` lists them, and `ralph eval ground-truth` those to label; one is `query` of an answer of recall"
                    .into()
            }
            Noun::PersonsAct | Noun::AutomaticAct => "list the learnings with `ralph learning list`".into(),
            Noun::Audit => "leave the id out: `ralph audit --undo` restores what was put away last".into(),
            Noun::ChangedFile => "`ralph diff` of the work lists its files".into(),
            Noun::Commit => "`ralph diff` of the work with `--pull-request` lists its commits".into(),
            Noun::LearnedTerm => "`ralph learning show` of the learning lists its terms".into(),
            Noun::Folder => "list the worktrees with `ralph worktree list`".into(),
            Noun::Key => "`ralph key show` of the server tells whether there is one".into(),
            Noun::History => "`ralph doctor` tells what is the matter with it".into(),
            Noun::Lane | Noun::Run | Noun::Work => "`ralph status` shows what there is".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_names_what_is_not_there_is_told_where_the_rest_is() {
        for (noun, hint) in [
            (Noun::Feature, "list what there is with `ralph feature list`"),
            (Noun::EpisodeOrFact, "list what there is with `ralph episode list` and `ralph fact list`"),
            (Noun::Guidance, "`ralph guide` lists what waits to be told"),
            (Noun::Question, "`ralph answer` lists what waits for an answer"),
            (Noun::ChangedFile, "`ralph diff` of the work lists its files"),
            (Noun::Commit, "`ralph diff` of the work with `--pull-request` lists its commits"),
            (Noun::LearnedTerm, "`ralph learning show` of the learning lists its terms"),
            (Noun::Audit, "leave the id out: `ralph audit --undo` restores what was put away last"),
            (Noun::Key, "`ralph key show` of the server tells whether there is one"),
            (Noun::Folder, "list the worktrees with `ralph worktree list`"),
            (Noun::History, "`ralph doctor` tells what is the matter with it"),
            (Noun::Lane, "`ralph status` shows what there is"),
        ] {
            assert_eq!(noun.listed_by(), hint, "{noun}");
        }
    }
}
