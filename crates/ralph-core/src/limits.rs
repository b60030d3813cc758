//! Every bound of the product, each with its reason.

/// Learnings a feature holds by default.
pub const MAX_LEARNINGS: u32 = 50;
/// Smallest and largest cap a person may set: below 5 every append prunes, above 1,000 the prompt budget is meaningless.
pub const MAX_LEARNINGS_RANGE: std::ops::RangeInclusive<u32> = 5..=1_000;
/// Characters of a learning's text: one to three sentences; longer texts are documents.
pub const LEARNING_TEXT_CHARS: usize = 500;
/// Characters of a learning's reason.
pub const LEARNING_REASON_CHARS: usize = 500;
/// Tags a learning keeps, and the characters of each.
pub const LEARNING_TAGS: usize = 12;
/// Characters of one tag.
pub const TAG_CHARS: usize = 60;
/// Characters of an episode: one fits whole into what a prompt tells of its kind.
pub const EPISODE_CHARS: usize = 500;
/// Active episodes of a feature: what was done long ago stands in the repository.
pub const EPISODES: usize = 50;
/// Files that an episode names.
pub const EPISODE_FILES: usize = 20;
/// Characters of what a fact says, and of the line that it was read from.
pub const FACT_VALUE_CHARS: usize = 500;
/// Characters of a word that names a kind of fact.
pub const FACT_KIND_CHARS: usize = 40;
/// Active facts of a feature, and of the project: far more than a person states, and a bound for a program that does.
pub const FACTS: u32 = 1_000;
/// Facts that the files of a project state themselves: those of a large repository with several programs. Each is searched, so more
/// would make the search for everything else slower.
pub const CODE_FACTS: usize = 2_000;
/// Facts that one file states: more is a list that a program made.
pub const CODE_FILE_FACTS: usize = 5_000;
/// Files that are looked at for facts: all sources of a large repository. A look asks each for its time.
pub const CODE_FILES: usize = 20_000;
/// Facts of one commit of a look at the files: others write in between.
pub const CODE_FACT_BATCH: usize = 200;
/// Active days after which a memory that was told to nobody and chosen by nobody is offered to be put away: a quarter of a year of work,
/// in which everything that a project does has come up.
pub const UNUSED_ACTIVE_DAYS: u32 = 90;
/// Facts and learnings of the section that agents outside of Ralph read in every session: it costs each of them its tokens.
pub const AGENTS_FILE_FACTS: usize = 20;
/// See [`AGENTS_FILE_FACTS`].
pub const AGENTS_FILE_LEARNINGS: usize = 40;
/// Iterations whose prompts an audit reads, the newest first: older ones are gone from most machines, and reading takes a while.
pub const AUDITED_PROMPTS: usize = 400;
/// Distinct iterations that must have observed a learning before it is protected.
pub const PROTECTING_HITS: u32 = 3;
/// Distinct iterations that must say again what was put away before a person is asked once more: as many as protect a learning.
pub const ASKING_AGAIN: usize = PROTECTING_HITS as usize;
/// Learnings that the door compares a candidate with at most, those first that share most words with it: equal texts share nearly all.
pub const NEAR_LEARNINGS: u32 = 64;
/// Child features that a split makes at least: with one, the feature would only be renamed.
pub const SPLIT_CHILDREN: u32 = 2;

/// Milliseconds of recorded verdicts before the quality gate may refuse anything: two weeks, in which people show how often
/// it is wrong.
pub const GATE_WARN_MILLIS: u64 = 14 * 24 * 3_600_000;
/// Milliseconds between two announcements of what needs a person: what comes meanwhile is told together.
pub const ANNOUNCE_PAUSE_MILLIS: u64 = 30_000;
/// Lines of an announcement, and characters of each.
pub const ANNOUNCED_LINES: usize = 3;
/// See [`ANNOUNCED_LINES`].
pub const ANNOUNCED_CHARS: usize = 140;
/// Notices that wait and are shown: more are settled first.
pub const NOTICE_ROWS: u32 = 100;
/// Pieces of guidance that one iteration is told; the next one is told the rest.
pub const GUIDANCE_TOLD: u32 = 8;
/// Runs of one project at once: each is a process that looks at the database ten times a second.
pub const RUNS: u32 = 8;
/// Questions of a run in a row that nobody answered, after which the next ones are denied at once: six minutes by default, in which a
/// person who is there would have answered.
pub const QUESTIONS_UNANSWERED: u32 = 3;
/// Milliseconds between two looks for an answer: less than a person notices, and ten reads of one row a second.
pub const QUESTION_LOOK_MILLIS: u64 = 100;
/// Characters of what a question is about: a command line as it is read at a glance.
pub const QUESTION_SUMMARY_CHARS: usize = 500;
/// Minutes that an agent waits for an answer unless the settings say otherwise: time to come back to the desk, and not to lunch.
pub const ASK_MINUTES: u32 = 2;
/// The longest wait: an agent that is silent for longer is held for hung.
pub const ASK_MINUTES_MOST: u32 = 20;
/// Pieces of guidance that may wait.
pub const GUIDANCE_WAITING: usize = 50;
/// Agents that work at once in one run: each is a process tree of its own, with its own builds.
pub const WORKERS: u32 = 32;
/// Snapshots of uncommitted work that are kept: one for each iteration that began with some.
pub const SNAPSHOTS_KEPT: usize = 50;
/// Seconds after which a snapshot is forgotten: a month, in which somebody misses what they miss.
pub const SNAPSHOT_SECONDS: i64 = 30 * 24 * 3_600;
/// Remarks of git on one iteration: whoever needs more reads the repository.
pub const GIT_REMARKS: usize = 40;
/// Proposals of one iteration that wait for a person: an agent that asks for more asks at random.
pub const PROPOSALS: u32 = 20;
/// Characters of what a notice tells: a page to decide by.
pub const NOTICE_DETAIL_CHARS: usize = 4_000;
/// Rows of each list of the review queue: more is worked off first.
pub const REVIEW_ROWS: u32 = 50;

/// Bytes of a document: a book. What is longer is data or was made by a program.
pub const DOCUMENT_BYTES: u64 = 1_048_576;
/// Documents of a project: all files of a large repository; more would take hours to embed.
pub const DOCUMENTS: usize = 5_000;
/// Files and folders that a project's documents come from.
pub const DOCUMENT_SOURCES: usize = 200;

/// Bytes of `config.toml`: a hundred times the template.
pub const CONFIG_BYTES: u64 = 512 * 1_024;
/// Bytes of `rules.md`: every prompt carries it whole, and no model's window holds more.
pub const RULES_BYTES: u64 = 512 * 1_024;
/// Bytes of one journal: some 100,000 events, read whole.
pub const JOURNAL_BYTES: u64 = 256 * 1_048_576;
/// Bytes of a stored prompt: several times the longest that the fields of a task make.
pub const PROMPT_BYTES: u64 = 16 * 1_048_576;
/// Bytes of a script for the scripted agent: the longest of the tests are some 100 kB.
pub const SCRIPT_BYTES: u64 = 64 * 1_048_576;

/// Bytes of what a person agreed to in one project: settings and rules twice, and what else a folder brings along.
pub const AGREEMENTS_BYTES: u64 = 32 * 1_048_576;

/// Characters of a name that becomes a file name.
pub const NAME_CHARS: usize = 64;
/// Characters of a title or display name: one line on screen.
pub const TITLE_CHARS: usize = 200;
/// Characters of a description, comment or other long text: several pages, far from a 10 MB accident.
pub const LONG_TEXT_CHARS: usize = 50_000;
/// Entries of a list field (criteria, tags, files).
pub const LIST_ITEMS: usize = 100;

/// Iterations of a run when the person sets no limit: hours of work, yet no runaway night.
pub const DEFAULT_MAX_ITERATIONS: u32 = 50;
/// Consecutive failures after which a task needs a person (`max_attempts`).
pub const MAX_ATTEMPTS: u32 = 5;
/// Consecutive iterations without a change, a commit or a new signal that are called a stall (issue: iteration memory).
pub const STALL_ITERATIONS: u32 = 2;
/// Iterations in a row without a change, a commit or a new signal after which a run ends by itself: by then a task has had its stronger
/// model.
pub const STALL_STOP: u32 = 5;

/// Characters of all that a prompt tells from memory, headings and marks included: the sum of the three shares.
pub const PROMPT_MEMORY_CHARS: usize = PROMPT_ATTEMPTS_CHARS + PROMPT_KNOWLEDGE_CHARS + PROMPT_STATUS_CHARS;
/// Characters that earlier attempts are sure of in a prompt.
pub const PROMPT_ATTEMPTS_CHARS: usize = 3_000;
/// Characters that knowledge is sure of in a prompt: learnings first, then memories of other kinds.
pub const PROMPT_KNOWLEDGE_CHARS: usize = 1_500;
/// Characters of each other kind of memory in a prompt: enough to say where to look.
pub const PROMPT_KIND_CHARS: usize = 600;
/// Characters that the loop's status and the warning of a stuck loop are sure of in a prompt.
pub const PROMPT_STATUS_CHARS: usize = 500;
/// Points of one feature's saturation over time: more than a chart can tell apart.
pub const SATURATION_POINTS: usize = 1_000;
/// Consecutive failures from which a task counts as stuck (`stuck_after`).
pub const STUCK_AFTER: u32 = 3;
/// Characters of the remarks by people, and of those by agents, in a prompt.
pub const PROMPT_REMARKS_CHARS: usize = 3_000;
/// Characters of the dependencies' results in a prompt.
pub const PROMPT_DEPENDENCIES_CHARS: usize = 2_000;
/// Characters of any one free text (description, architecture …) in a prompt.
pub const PROMPT_FIELD_CHARS: usize = 8_000;

/// Characters of what was tried and of why it failed (cut when stored, so that prompts show them whole).
pub const REPORT_FIELD_CHARS: usize = 600;
/// Characters of a failure record's file names together; with the other fields it stays within the attempts' share of a prompt.
pub const REPORT_FILES_CHARS: usize = 300;
/// Characters of a failure report's trace.
pub const REPORT_TRACE_CHARS: usize = 500;
/// Characters of a retry suggestion.
pub const REPORT_SUGGESTION_CHARS: usize = 400;

/// Bytes of one line of agent output that are kept as they came. Of a longer one that is JSON the strings are cut at
/// [`AGENT_TEXT_BYTES`] while it comes, whatever its length; of any other line the rest is dropped and said so.
pub const AGENT_LINE_BYTES: usize = 1_048_576;
/// Bytes of a longer line that are kept of all its strings together: a result repeats the last text, and denied files are cut anyway.
pub const CONDENSED_LINE_BYTES: usize = 8 * 1_048_576;
/// Lines of one agent that are no JSON, or of a kind that nobody knows, and are kept all the same; further ones are counted.
pub const AGENT_NOISE_LINES: usize = 10_000;
/// Bytes of one agent's standard error that are kept; the rest is counted, and its last lines explain an exit.
pub const AGENT_STDERR_BYTES: usize = 4 * 1_048_576;
/// Bytes of one iteration's event log; after that its tools and thoughts are left out, and a note says so.
pub const EVENT_LOG_BYTES: u64 = 64 * 1_048_576;
/// Bytes by which an event log may grow beyond that for the agent's words alone, which recovery needs: more than a model says in a day.
pub const EVENT_LOG_WORDS_BYTES: u64 = 16 * 1_048_576;
/// Bytes of how a work tree stood before an agent started, as they are kept beside its log: 50,000 changed files with long names.
pub const SNAPSHOT_BYTES: u64 = 64 * 1_048_576;
/// Bytes of one text of an agent that are kept and that sigils are looked for in: several times what a model can say at once.
pub const AGENT_TEXT_BYTES: usize = 2 * 1_048_576;
/// Transcript entries that one batch to the screen holds.
pub const TRANSCRIPT_BATCH: usize = 500;

/// Milliseconds after its last heartbeat for which an owner counts as living where nothing better tells (see [`crate::run::owner`]): on
/// another machine, whose clock may differ by minutes.
pub const LEASE_MILLIS: u64 = 10 * 60_000;
/// Milliseconds between two heartbeats: many may be missed.
pub const HEARTBEAT_MILLIS: u64 = 4_000;
/// Milliseconds between two looks of an open window for runs whose process died: a person who looks sees it within five seconds, and a look
/// costs two reads and two locks.
pub const DEAD_RUN_LOOK_MILLIS: u64 = 1_000;
/// Milliseconds without any agent output after which the watchdog stops it (headless runs hang).
pub const AGENT_SILENCE_MILLIS: u64 = 30 * 60_000;
/// Milliseconds from an agent's final result to its end of output before it is stopped (runs hang after a result).
pub const AGENT_RESULT_GRACE_MILLIS: u64 = 30_000;
/// Milliseconds each step of the stop ladder (interrupt, terminate) waits: Claude Code ends within 1.6 s of an interrupt, and with both
/// steps a stop takes less than 5 s also on a busy machine.
pub const STOP_STEP_MILLIS: u64 = 1_750;
/// Milliseconds to wait after a rate limit whose reset time is unknown: 1, 5, 15, then 30 min.
pub const RATE_LIMIT_WAITS_MILLIS: [u64; 4] = [60_000, 300_000, 900_000, 1_800_000];
/// Milliseconds added to a told reset time: clocks differ a little, and a request too early costs another wait.
pub const RATE_LIMIT_MARGIN_MILLIS: u64 = 5_000;
/// Milliseconds to a told reset time that are believed: usage limits are weekly at most; anything later is a fault of the clock.
pub const RATE_LIMIT_MAX_WAIT_MILLIS: u64 = 7 * 24 * 3_600_000;
/// Milliseconds a check command may run.
pub const CHECK_MILLIS: u64 = 30 * 60_000;
/// Bytes of a check command's output that are kept (its end).
pub const CHECK_OUTPUT_BYTES: usize = 16_384;

/// Bytes of one line that the MCP server reads: the longest fields allowed, all escaped, fit; a flood does not fill memory.
pub const MCP_LINE_BYTES: u64 = 4 * 1_048_576;
/// Messages of one MCP batch: as many as an agent could mean; a flood of tiny ones does not become a flood of answers.
pub const MCP_BATCH: usize = 100;
/// How often a waiting MCP call tells that it is alive, if its client wants to know: clients give up after 60 s of silence.
pub const MCP_PROGRESS_MILLIS: u64 = 1_000;
/// Rows of a list that an MCP tool answers when the agent names no limit: about 4,000 tokens.
pub const MCP_ROWS: u32 = 50;
/// Hits of a search that an MCP tool answers when the agent names no limit: what one reads before work.
pub const MCP_HITS: u32 = 10;
/// Characters of the text that `get_context` answers: as much as a prompt's whole part about what is known.
pub const MCP_CONTEXT_CHARS: usize = 5_000;
/// Rows of a list that an MCP tool answers at most: agents refuse answers above 25,000 tokens.
pub const MCP_MAX_ROWS: u32 = 200;
/// Characters of a description in a list that an MCP tool answers: enough to choose from.
pub const MCP_SUMMARY_CHARS: usize = 160;
/// Comments and iterations of a task that an MCP tool answers, the newest; each comment is cut to `MCP_COMMENT_CHARS`.
pub const MCP_HISTORY: usize = 10;
/// Characters of a comment that an MCP tool answers.
pub const MCP_COMMENT_CHARS: usize = 2_000;

/// Milliseconds a writer waits for the others before it reports the database as busy.
pub const WRITE_WAIT_MILLIS: u64 = 60_000;
/// Backups of a kind that are kept beside the database.
pub const BACKUPS_KEPT: usize = 7;
/// Backups of a kind that are kept outside the project, where nobody looks after their size.
pub const BACKUPS_KEPT_OUTSIDE: usize = 3;
/// Milliseconds after which a change makes a new copy outside the project: what a damaged file costs at most, together with its journals.
pub const BACKUP_OUTSIDE_MILLIS: u64 = 10 * 60_000;
/// Bytes of a database up to which such a copy is made beside ordinary work: some 30 ms. A larger one is copied after runs alone.
pub const BACKUP_OUTSIDE_BYTES: u64 = 16 * 1_048_576;

/// Hits that one recall answers at most: more is not read, and the budget of a prompt takes a fraction.
pub const RECALL_HITS: usize = 200;
/// Passages from which a snapshot of the index is kept: fewer are read from their rows in the twentieth of a second.
pub const INDEX_KEPT_FROM: usize = 5_000;
/// Changes since the snapshot after which a new one is kept: so many are caught up with in the tenth of a second.
pub const INDEX_CHANGES: i64 = 1_000;
/// Questions whose vectors are kept: an agent's last few, and those of a screen, half a megabyte.
pub const QUESTIONS_KEPT: usize = 64;
/// Passages whose vectors of tokens are kept in memory: some 20 MB. Each search compares a hundred.
pub const TOKENS_KEPT: usize = 4_096;
/// First port that worktrees are given: above the registered ones of common servers, below the system's own range.
pub const PORT_BASE: u32 = 21_000;
/// Ports of a worktree: a server, its hot reload, a database, a queue, and room.
pub const WORKTREE_PORTS: u32 = 10;
/// Days that a worktree is kept which is not merged: two weeks' holiday.
pub const WORKTREE_DAYS: u32 = 14;
/// Gigabytes of all worktrees together: a handful of check-outs with their build caches.
pub const WORKTREE_GB: u32 = 20;
/// Minutes that an errand may take: half of what a run may by default.
pub const ERRAND_MINUTES: u32 = 30;
/// Characters of an errand's last answer that are kept: a long report, or some hundred findings.
pub const ERRAND_ANSWER_CHARS: usize = 65_536;
/// Errands that a list shows.
pub const ERRANDS_SHOWN: u32 = 200;
/// Characters of what a set-up command or a refusal says that are kept: its end, which names the fault.
pub const SETUP_OUTPUT_CHARS: usize = 8_000;
/// Bytes of a diff that is shown at once: 20,000 changed lines of ordinary length, with room.
pub const REVIEW_DIFF_BYTES: usize = 8 * 1_048_576;
/// Commits of a branch that a review lists.
pub const REVIEW_COMMITS: usize = 500;
/// Files that a message names.
pub const NAMED_FILES: usize = 50;
/// Lines of learnings from which they are too many to be read in one go: a valve for days of much work.
pub const CONSOLIDATION_LINES: u32 = 150;
/// Active days after which a consolidation was forgotten.
pub const CONSOLIDATION_STALE_DAYS: u32 = 14;
/// Active days for which an entry must stay true before it becomes part of a document.
pub const CONSOLIDATION_FRESH_DAYS: u32 = 7;
/// Entries below which an agent's run costs more than it brings.
pub const CONSOLIDATION_MIN_ENTRIES: u32 = 3;
/// Learnings that an agent reviews at once: as many as it can look up with care.
pub const REVIEWED_AT_ONCE: usize = 20;
/// Learnings that one review looks at: those of a whole feature.
pub const REVIEWED_IN_ALL: usize = 100;
/// Times that an agent which reviews work may send it back: a first look finds most, and each turn costs an attempt and a review.
pub const REVIEWER_SEND_BACKS: u32 = 1;
/// Times that an agent whose proposal does not hold is told why and asked again, before a person is.
pub const PROPOSAL_RETRIES: u32 = 2;
/// The newest entries, which stay where the next agent sees them first.
pub const CONSOLIDATION_KEEP_NEWEST: u32 = 3;

/// Terms that one selection may teach: those that tell most of the question, not the whole of it.
pub const TERMS_PER_SELECTION: usize = 3;
/// Terms that one learning may be found by beyond its own words.
pub const TERMS_PER_LEARNING: usize = 8;
/// Milliseconds after which a learned term that nobody confirms is no longer in force: 30 days. Its strength falls evenly until then.
pub const TERM_LIFE_MILLIS: u64 = 30 * 86_400_000;
/// Places from the top in which a selection teaches nothing: it was found well enough without.
pub const TERM_TOP_RANKS: u32 = 3;
/// Milliseconds that a learning must be old to learn terms: three days, after which a passing pattern has passed.
pub const TERM_LEARNING_AGE_MILLIS: u64 = 72 * 3_600_000;
/// Days of recorded time for which learned terms are only tried: at least one week.
pub const TERM_SHADOW_DAYS: u32 = 7;
/// Share of learned terms that bring what nobody selects, below which they may count.
pub const TERM_NOISE: f64 = 0.05;
/// Learnings that may be promoted within [`PROMOTION_WINDOW_MILLIS`]: what rises faster is more likely a flood than a lesson.
pub const PROMOTIONS: u32 = 3;
/// Milliseconds in which [`PROMOTIONS`] are counted: a working day.
pub const PROMOTION_WINDOW_MILLIS: u64 = 8 * 3_600_000;
/// Validations from which a learning is important, and from which it is critical.
pub const PROMOTION_VALIDATIONS: [u32; 2] = [5, 10];
/// Milliseconds for which a second word by the same hand about the same learning, of no question, is the same word.
pub const VALIDATION_APART_MILLIS: u64 = 86_400_000;
/// Validations of a learning that are kept, the newest: several times what the last promotion takes.
pub const VALIDATIONS_KEPT: usize = 50;
/// The least that feedback leaves of a learning's score: a lesson that was turned down is found last, not lost.
pub const FEEDBACK_FLOOR: f64 = 0.3;

/// Questions of an evaluation cycle.
pub const CYCLE_QUERIES: u32 = 100;
/// Days of recorded time of an evaluation cycle.
pub const CYCLE_DAYS: u32 = 14;
/// Evaluation cycles that must be complete before learned terms may count.
pub const CYCLES: u32 = 2;
/// Pairs that a person must have labelled before a judge's labels count.
pub const JUDGE_PAIRS: u32 = 50;
/// Share of them that the judge must have labelled alike.
pub const JUDGE_AGREEMENT: f64 = 0.8;
/// Percent of the questions that are answered without learned terms once these count, so that their effect stays measurable.
pub const TRIAL_HOLD_OUT: u32 = 20;
/// Weeks in a row in which an alternative must not be worse before it may be promoted.
pub const TRIAL_WEEKS: u32 = 2;
/// Relative loss of MRR@5 that counts as no loss.
pub const TRIAL_TOLERANCE: f64 = 0.02;
/// Judged questions below which no answer is given about an alternative: the interval of a mean then has some meaning.
pub const TRIAL_QUERIES: u32 = 30;

/// Records that wait to be written into `eval.db`; what finds no place is counted and dropped, since nobody waits for it.
pub const EVAL_QUEUE: usize = 256;
/// Results of a question that are recorded: nobody looks further down, and the prompt takes fewer.
pub const EVAL_RESULTS: usize = 20;
/// Characters of a question that are recorded: a task's title and what it is about.
pub const EVAL_QUERY_CHARS: usize = 2_000;
/// Milliseconds for which questions are kept: half a year, several cycles.
pub const EVAL_KEPT_MILLIS: u64 = 180 * 86_400_000;
/// Bytes of `eval.db` above which the oldest tenth of its questions goes: some 20,000 questions.
pub const EVAL_BYTES: u64 = 64 * 1_048_576;
/// Questions that a shadow run replays, the newest.
pub const SHADOW_QUERIES: u32 = 500;
/// Pairs that one errand of a judge is asked about.
pub const JUDGE_BATCH: usize = 20;
/// Dollars that one errand of a judge may cost where nothing else is said.
pub const JUDGE_USD: f64 = 0.5;

/// Bytes of a kept prompt that are read to know what it told: prompts have a budget far below.
pub const PROMPT_READ_BYTES: u64 = 1024 * 1024;
/// Characters of a lesson that a model distils: one sentence, as its prompt asks.
pub const EXTRACTED_CHARS: usize = 200;
/// Calls of an extractor in a day, unless the settings say otherwise: a busy day has a dozen detections.
pub const EXTRACTOR_CALLS: u32 = 20;
/// Dollars for them in a day, unless the settings say otherwise.
pub const EXTRACTOR_USD: f64 = 0.5;
/// Seconds that one of them may take, unless the settings say otherwise: a local model answers in a few.
pub const EXTRACTOR_SECONDS: u32 = 30;
/// Times that an extractor is asked about one detection before rules take its place.
pub const EXTRACTOR_TRIES: u32 = 3;
/// Milliseconds after which an extractor is asked again for the first time; each later wait is twice as long.
pub const EXTRACTOR_BACKOFF_MS: i64 = 500;
/// Detections that wait for an extractor; five days' calls. More are settled by rules at once, and counted.
pub const EXTRACTOR_QUEUE: u32 = 100;
/// Detections in one call, where they are batched.
pub const EXTRACTOR_BATCH: u32 = 10;
/// Bytes of an answer that are read: ten lessons are 10 kB, and some models think aloud.
pub const EXTRACTOR_ANSWER_BYTES: u64 = 256 * 1024;
/// Hashes of word sequences that are kept of what a session was told: about 30 answers of a search.
pub const TOLD_HASHES: usize = 4_000;
