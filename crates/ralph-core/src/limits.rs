//! Every bound of the product, each with its reason. Length: one table.

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
/// Characters of a feature's acronym.
pub const ACRONYM_CHARS: usize = 5;
/// Characters of one tag.
pub const TAG_CHARS: usize = 60;
/// Characters of an episode: one fits completely into the prompt's share for its kind.
pub const EPISODE_CHARS: usize = 500;
/// Active episodes of a feature: older work is in the repository's history.
pub const EPISODES: usize = 50;
/// Files that an episode names.
pub const EPISODE_FILES: usize = 20;
/// Characters of a fact's value, and of the line it was read from.
pub const FACT_VALUE_CHARS: usize = 500;
/// Characters of a word that names a kind of fact.
pub const FACT_KIND_CHARS: usize = 40;
/// Active facts of a feature, and of the project: far more than a person states, yet a bound for programs.
pub const FACTS: u32 = 1_000;
/// Facts extracted from a project's code: those of a large repository with several programs. Each one is searched, so more
/// would slow down every other search.
pub const CODE_FACTS: usize = 2_000;
/// Facts of one file: more means a generated list.
pub const CODE_FILE_FACTS: usize = 5_000;
/// Files scanned for facts: all sources of a large repository. A scan reads each file's timestamp.
pub const CODE_FILES: usize = 20_000;
/// Facts per commit of a scan, so that others can write in between.
pub const CODE_FACT_BATCH: usize = 200;
/// Active days after which a memory that was never shown and never selected is offered for putting away: a quarter of a year of work,
/// in which every area of a project has come up.
pub const UNUSED_ACTIVE_DAYS: u32 = 90;
/// Facts and learnings in the section that agents outside of Ralph read in every session, which costs tokens each time.
pub const AGENTS_FILE_FACTS: usize = 20;
/// See [`AGENTS_FILE_FACTS`].
pub const AGENTS_FILE_LEARNINGS: usize = 40;
/// Iterations whose prompts an audit reads, the newest first: older ones are gone from most machines, and reading takes a while.
pub const AUDITED_PROMPTS: usize = 400;
/// Distinct iterations that must observe a learning before it is protected.
pub const PROTECTING_HITS: u32 = 3;
/// Distinct iterations that must repeat what was put away before a person is asked again: as many as protect a learning.
pub const ASKING_AGAIN: usize = PROTECTING_HITS as usize;
/// Learnings that a candidate is compared with at most, by shared words: equal texts share nearly all.
pub const NEAR_LEARNINGS: u32 = 64;
/// Minimum child features of a split: with one, the feature would only be renamed.
pub const SPLIT_CHILDREN: u32 = 2;

/// Milliseconds of recorded verdicts before the quality gate may reject anything: two weeks, in which people show how often
/// it is wrong.
pub const GATE_WARN_MILLIS: u64 = 14 * 24 * 3_600_000;
/// Milliseconds without a sign of the person after which they are away: a shorter absence is neither summarized nor announced to.
pub const AWAY_MILLIS: u64 = 5 * 60_000;
/// Milliseconds between two announcements of what needs a person; what arrives meanwhile is combined.
pub const ANNOUNCE_PAUSE_MILLIS: u64 = 30_000;
/// Lines of an announcement, and characters of each.
pub const ANNOUNCED_LINES: usize = 3;
/// See [`ANNOUNCED_LINES`].
pub const ANNOUNCED_CHARS: usize = 140;
/// Open notices shown at once: more are settled first.
pub const NOTICE_ROWS: u32 = 100;
/// Pieces of guidance included in one iteration's prompt; the rest go to the next one.
pub const GUIDANCE_TOLD: u32 = 8;
/// Runs of one project at once: each is a process that looks at the database ten times a second.
pub const RUNS: u32 = 8;
/// Questions of a run in a row that nobody answered, after which the next ones are denied at once: six minutes by default, in which a
/// person who was present would have answered.
pub const QUESTIONS_UNANSWERED: u32 = 3;
/// Milliseconds between two looks for an answer: less than a person notices, and ten reads of one row a second.
pub const QUESTION_LOOK_MILLIS: u64 = 100;
/// Characters of what a question is about. It is shown completely, since a yes allows all of it; nobody reads more within minutes.
pub const QUESTION_SUMMARY_CHARS: usize = 8_000;
/// Minutes that an agent waits for an answer unless the settings say otherwise: time to come back to the desk, but not from lunch.
pub const ASK_MINUTES: u32 = 2;
/// The longest wait: an agent that is silent for longer is taken to hang.
pub const ASK_MINUTES_MOST: u32 = 20;
/// Largest percentage of a run's attempts that may be held out: the rest still shows what learnings do.
pub const HOLD_OUT_MOST: u32 = 90;
/// Pieces of guidance that may wait.
pub const GUIDANCE_WAITING: usize = 50;
/// Concurrent agents in one run: each is a process tree with its own builds.
pub const WORKERS: u32 = 32;
/// Bytes of the gigabytes that settings count in.
pub const GIGABYTE: u64 = 1_000_000_000;
/// Snapshots of uncommitted work that are kept: one for each iteration that began with some. Those that a person was told contain lost work
/// are not counted, since a night has more iterations than this.
pub const SNAPSHOTS_KEPT: usize = 50;
/// Snapshots that are kept in any case.
pub const SNAPSHOTS_MOST: usize = 500;
/// Seconds after which a snapshot is deleted: a month, in which lost work is noticed.
pub const SNAPSHOT_SECONDS: i64 = 30 * 24 * 3_600;
/// Commits and changed files of an iteration that are named: more than anybody reads through.
pub const EVIDENCE_ITEMS: usize = 200;
/// Characters taken of what is shown shortened: a tool call's summary and each of its arguments. More than is shown, because a cut can
/// split a secret, and half of one is no longer recognized: whoever stores it removes secrets first and then shortens it.
pub const HEARD_CHARS: usize = 2_000;
/// Arguments taken of a tool call, and characters of each one's name: more would only fill the disk.
pub const HEARD_ARGUMENTS: (usize, usize) = (16, 200);
/// Git remarks on one iteration: more can be read in the repository.
pub const GIT_REMARKS: usize = 40;
/// Open proposals of one iteration: an agent with more is making them at random.
pub const PROPOSALS: u32 = 20;
/// Characters of a notice's details: some pages. A proposal that needs more to show all that it would write is not made.
pub const NOTICE_DETAIL_CHARS: usize = 12_000;
/// Rows of each list of the review queue except contradictions and parked learnings, which are decided feature by feature: further
/// ones are counted, and listed once these are decided.
pub const REVIEW_ROWS: u32 = 50;

/// Bytes of a document: a book. Longer files are data or generated.
pub const DOCUMENT_BYTES: u64 = 1_048_576;
/// Documents of a project: all files of a large repository; more would take hours to embed.
pub const DOCUMENTS: usize = 5_000;
/// Files and folders from which a project's documents are ingested.
pub const DOCUMENT_SOURCES: usize = 200;

/// Bytes of `config.toml`: a hundred times the template.
pub const CONFIG_BYTES: u64 = 512 * 1_024;
/// Bytes of `rules.md`: every prompt includes it completely, and no model's context window holds more.
pub const RULES_BYTES: u64 = 512 * 1_024;
/// Bytes of one journal: some 100,000 events, read at once.
pub const JOURNAL_BYTES: u64 = 256 * 1_048_576;
/// Bytes of a stored prompt: several times the longest that a task's fields can produce.
pub const PROMPT_BYTES: u64 = 16 * 1_048_576;
/// Bytes of a script for the scripted agent: the longest of the tests are some 100 kB.
pub const SCRIPT_BYTES: u64 = 64 * 1_048_576;

/// Bytes of one project's agreements: settings and rules twice, and everything else that a folder brings along.
pub const AGREEMENTS_BYTES: u64 = 32 * 1_048_576;

/// Characters of a name that becomes a file name.
pub const NAME_CHARS: usize = 64;
/// Characters of a title or display name: one line on screen.
pub const TITLE_CHARS: usize = 200;
/// Characters of a description, comment or other long text: several pages, far from a 10 MB accident.
pub const LONG_TEXT_CHARS: usize = 50_000;
/// Tasks that are created from one list.
pub const TASKS_AT_ONCE: usize = 500;
/// Bytes of such a list.
pub const TASK_LIST_BYTES: usize = 1_048_576;
/// Entries of a list field (criteria, tags, files).
pub const LIST_ITEMS: usize = 100;

/// Iterations of a run without an explicit limit: hours of work, yet no runaway night.
pub const DEFAULT_MAX_ITERATIONS: u32 = 50;
/// Consecutive failures after which a task needs a person (`max_attempts`).
pub const MAX_ATTEMPTS: u32 = 5;
/// Consecutive iterations without a change, a commit or a new signal that are called a stall.
pub const STALL_ITERATIONS: u32 = 2;

/// Characters of everything from memory in a prompt, headings and markers included: the sum of the three shares.
pub const PROMPT_MEMORY_CHARS: usize = PROMPT_ATTEMPTS_CHARS + PROMPT_KNOWLEDGE_CHARS + PROMPT_STATUS_CHARS;
/// Characters of a prompt guaranteed to earlier attempts.
pub const PROMPT_ATTEMPTS_CHARS: usize = 3_000;
/// Characters of a prompt guaranteed to knowledge: learnings first, then memories of other kinds.
pub const PROMPT_KNOWLEDGE_CHARS: usize = 1_500;
/// Characters of each other kind of memory in a prompt: enough to say where to look.
pub const PROMPT_KIND_CHARS: usize = 600;
/// Characters of a prompt guaranteed to the loop's status and the warning about a stuck loop.
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

/// Characters of each of "what was tried" and "why it failed" (truncated when stored, so that prompts show them completely).
pub const REPORT_FIELD_CHARS: usize = 600;
/// Characters of a failure report's file names together; with the other fields it stays within the attempts' share of a prompt.
pub const REPORT_FILES_CHARS: usize = 300;
/// Characters of a failure report's trace.
pub const REPORT_TRACE_CHARS: usize = 500;
/// Characters of a retry suggestion.
pub const REPORT_SUGGESTION_CHARS: usize = 400;

/// Bytes of one line of agent output that are kept verbatim. In a longer JSON line the strings are cut at
/// [`AGENT_TEXT_BYTES`] as it is read, whatever its length; of any other line the rest is dropped and a note says so.
pub const AGENT_LINE_BYTES: usize = 1_048_576;
/// Bytes kept of all strings of a longer line together: a result repeats the last text, and file names of refusals are cut anyway.
pub const CONDENSED_LINE_BYTES: usize = 8 * 1_048_576;
/// Lines of one agent that are not JSON or of an unknown kind and are kept all the same; further ones are only counted.
pub const AGENT_NOISE_LINES: usize = 10_000;
/// Bytes of one agent's standard error that are kept; the rest is counted, and its last lines explain an exit.
pub const AGENT_STDERR_BYTES: usize = 4 * 1_048_576;
/// Bytes of one iteration's event log; beyond that, tool calls and thinking are left out, and a note says so.
pub const EVENT_LOG_BYTES: u64 = 64 * 1_048_576;
/// Bytes by which an event log may exceed that for the agent's words alone, which recovery needs: more than a model says in a day.
pub const EVENT_LOG_WORDS_BYTES: u64 = 16 * 1_048_576;
/// Bytes of the work tree's state before an agent started, stored beside its log: 50,000 changed files with long names.
pub const SNAPSHOT_BYTES: u64 = 64 * 1_048_576;
/// Bytes of one agent text that are kept and searched for sigils: several times what a model can say at once.
pub const AGENT_TEXT_BYTES: usize = 2 * 1_048_576;
/// Transcript entries in one batch to the screen.
pub const TRANSCRIPT_BATCH: usize = 500;

/// Milliseconds after its last heartbeat for which an owner counts as alive where nothing better is known (see [`crate::run::owner`]): on
/// another machine, whose clock may differ by minutes.
pub const LEASE_MILLIS: u64 = 10 * 60_000;
/// Milliseconds between two heartbeats: many may be missed.
pub const HEARTBEAT_MILLIS: u64 = 4_000;
/// Milliseconds between two checks of an open window for runs whose process died: the person sees it within five seconds, and a check
/// costs two reads and two locks.
pub const DEAD_RUN_LOOK_MILLIS: u64 = 1_000;
/// Milliseconds without any agent output after which the watchdog stops it (headless runs can hang).
pub const AGENT_SILENCE_MILLIS: u64 = 30 * 60_000;
/// Milliseconds for which an agent may report nothing except that it has no connection: Codex waits for one endlessly, and Claude Code,
/// which gives up by itself, has done so by then. It is better that the run waits, since it holds no task meanwhile.
pub const AGENT_OFFLINE_MILLIS: u64 = 5 * 60_000;
/// Milliseconds from an agent's final result to the end of its output before it is stopped (runs can hang after a result).
pub const AGENT_RESULT_GRACE_MILLIS: u64 = 30_000;
/// Milliseconds each step of the stop ladder (interrupt, terminate) waits: Claude Code ends within 1.6 s of an interrupt, and with both
/// steps a stop takes less than 5 s also on a busy machine.
pub const STOP_STEP_MILLIS: u64 = 1_750;
/// Milliseconds to wait after a rate limit whose reset time is unknown: 1, 5, 15, then 30 min.
pub const RATE_LIMIT_WAITS_MILLIS: [u64; 4] = [60_000, 300_000, 900_000, 1_800_000];
/// Milliseconds to wait before an agent that can't be started is tried again, once agents have worked in a run: a program is upgraded
/// within one minute, and an unresponsive disk recovers within five, or a person has to look.
pub const BEGIN_WAITS_MILLIS: [u64; 2] = [60_000, 300_000];
/// Milliseconds added to a reported reset time: clocks differ a little, and a request too early costs another wait.
pub const RATE_LIMIT_MARGIN_MILLIS: u64 = 5_000;
/// Longest wait in milliseconds that a reported reset time may cause: usage limits are weekly at most; anything later is a clock error.
pub const RATE_LIMIT_MAX_WAIT_MILLIS: u64 = 7 * 24 * 3_600_000;
/// Milliseconds a check command may run.
pub const CHECK_MILLIS: u64 = 30 * 60_000;
/// Bytes of a check command's output that are kept (its end).
pub const CHECK_OUTPUT_BYTES: usize = 16_384;

/// Bytes of one line that the MCP server reads: the longest fields allowed, all escaped, fit; a flood does not fill memory.
pub const MCP_LINE_BYTES: u64 = 4 * 1_048_576;
/// Messages of one MCP batch: as many as an agent could intend; a flood of tiny ones does not become a flood of answers.
pub const MCP_BATCH: usize = 100;
/// Milliseconds between progress messages of a waiting MCP call whose client wants them: clients give up after 60 s of silence.
pub const MCP_PROGRESS_MILLIS: u64 = 1_000;
/// Default rows of a list from an MCP tool: about 4,000 tokens.
pub const MCP_ROWS: u32 = 50;
/// Default hits of a search by an MCP tool: as many as an agent reads before it works.
pub const MCP_HITS: u32 = 10;
/// Maximum hits of a search by an MCP tool: what comes after them hardly answers.
pub const MCP_MAX_HITS: u32 = 50;
/// Characters of the text that `get_context` returns: as much as a prompt's whole knowledge section.
pub const MCP_CONTEXT_CHARS: usize = 5_000;
/// Maximum rows of a list from an MCP tool: agents refuse answers above 25,000 tokens.
pub const MCP_MAX_ROWS: u32 = 200;
/// Characters of a description in a list from an MCP tool: enough to choose from.
pub const MCP_SUMMARY_CHARS: usize = 160;
/// Newest comments and iterations of a task that an MCP tool returns; each comment is cut to `MCP_COMMENT_CHARS`.
pub const MCP_HISTORY: usize = 10;
/// Characters of a comment that an MCP tool returns.
pub const MCP_COMMENT_CHARS: usize = 2_000;

/// Milliseconds a writer waits for the others before it reports the database as busy.
pub const WRITE_WAIT_MILLIS: u64 = 60_000;
/// The same for the history of retrieval: nobody who asked a question waits for it. Other processes write for some milliseconds.
pub const HISTORY_WAIT_MILLIS: u64 = 1_000;
/// Backups of a kind that are kept beside the database.
pub const BACKUPS_KEPT: usize = 7;
/// Backups of a kind that are kept outside the project, where nobody watches their size.
pub const BACKUPS_KEPT_OUTSIDE: usize = 3;
/// Milliseconds after which a change causes a new copy outside the project: the most that a damaged file loses, given its journals.
pub const BACKUP_OUTSIDE_MILLIS: u64 = 10 * 60_000;
/// Bytes of a database up to which such a copy is made during ordinary work: some 30 ms. A larger one is copied only after runs.
pub const BACKUP_OUTSIDE_BYTES: u64 = 16 * 1_048_576;

/// Maximum hits of one recall: more are not read, and a prompt's budget takes a fraction.
pub const RECALL_HITS: usize = 200;
/// Passages from which a snapshot of the index is kept: fewer are read from their rows in a twentieth of a second.
pub const INDEX_KEPT_FROM: usize = 5_000;
/// Changes since the snapshot after which a new one is kept: that many are caught up with in a tenth of a second.
pub const INDEX_CHANGES: i64 = 1_000;
/// Questions whose vectors are kept: an agent's last few, and those of a screen, half a megabyte.
pub const QUESTIONS_KEPT: usize = 64;
/// Passages whose vectors of tokens are kept in memory: some 20 MB. Each search compares a hundred.
pub const TOKENS_KEPT: usize = 4_096;
/// First port that worktrees are given: above the registered ones of common servers, below the system's own range.
pub const PORT_BASE: u32 = 21_000;
/// Ports of a worktree: a server, its hot reload, a database, a queue, and room.
pub const WORKTREE_PORTS: u32 = 10;
/// Days that an unmerged worktree is kept: two weeks' vacation.
pub const WORKTREE_DAYS: u32 = 14;
/// Gigabytes of all worktrees together: a handful of checkouts with their build caches.
pub const WORKTREE_GB: u32 = 20;
/// Minutes that an errand may take: half the default of a run.
pub const ERRAND_MINUTES: u32 = 30;
/// Characters of an errand's last answer that are kept: a long report, or some hundred findings.
pub const ERRAND_ANSWER_CHARS: usize = 65_536;
/// Errands that a list shows.
pub const ERRANDS_SHOWN: u32 = 200;
/// Characters kept of a set-up command's output or a refusal: its end, which names the fault.
pub const SETUP_OUTPUT_CHARS: usize = 8_000;
/// Bytes of a diff shown at once: 20,000 changed lines of ordinary length, with room.
pub const REVIEW_DIFF_BYTES: usize = 8 * 1_048_576;
/// Commits of a branch that a review lists.
pub const REVIEW_COMMITS: usize = 500;
/// Files that a message names.
pub const NAMED_FILES: usize = 50;
/// Lines of learnings from which they are too many to read at once: a valve for days of much work.
pub const CONSOLIDATION_LINES: u32 = 150;
/// Active days after which a consolidation is overdue.
pub const CONSOLIDATION_STALE_DAYS: u32 = 14;
/// Active days for which an entry must hold before it moves into a document.
pub const CONSOLIDATION_FRESH_DAYS: u32 = 7;
/// Minimum entries, below which an agent's run costs more than it brings.
pub const CONSOLIDATION_MIN_ENTRIES: u32 = 3;
/// Learnings that an agent reviews at once: as many as it can check with care.
pub const REVIEWED_AT_ONCE: usize = 20;
/// Learnings of one review in total: those of a whole feature.
pub const REVIEWED_IN_ALL: usize = 100;
/// Times that a reviewer may send work back: a first review finds most, and each round costs an attempt and a review.
pub const REVIEWER_SEND_BACKS: u32 = 1;
/// Times that an agent is asked again, with the reason, when its proposal is invalid, before a person is involved.
pub const PROPOSAL_RETRIES: u32 = 2;
/// The newest entries, which stay where the next agent sees them first.
pub const CONSOLIDATION_KEEP_NEWEST: u32 = 3;

/// Terms that one selection may teach: the most distinctive of the question.
pub const TERMS_PER_SELECTION: usize = 3;
/// Learned terms of one learning, beyond its own words.
pub const TERMS_PER_LEARNING: usize = 8;
/// Milliseconds after which an unconfirmed learned term expires: 30 days, over which its strength decays linearly.
pub const TERM_LIFE_MILLIS: u64 = 30 * 86_400_000;
/// Top ranks at which a selection teaches nothing: the learning was found well enough without.
pub const TERM_TOP_RANKS: u32 = 3;
/// Minimum age in milliseconds of a learning to learn terms: three days, after which a passing pattern has passed.
pub const TERM_LEARNING_AGE_MILLIS: u64 = 72 * 3_600_000;
/// Days of recorded time in which learned terms run in shadow mode: at least one week.
pub const TERM_SHADOW_DAYS: u32 = 7;
/// Share of learned terms without selected results, below which they may count.
pub const TERM_NOISE: f64 = 0.05;
/// Selections by which all agents together may teach terms within [`PROMOTION_WINDOW_MILLIS`]: four agents' worth. An iteration takes
/// minutes, so a limit per agent would not limit the loop.
pub const AGENTS_TEACH: usize = 12;
/// Statements of one agent about learnings that count within [`PROMOTION_WINDOW_MILLIS`]: about as many as a prompt includes, plus those
/// that the agent looks up.
pub const AGENT_STATEMENTS: usize = 20;
/// Learnings that may be promoted within [`PROMOTION_WINDOW_MILLIS`]: what rises faster is more likely a flood than a lesson.
pub const PROMOTIONS: u32 = 3;
/// Milliseconds in which [`PROMOTIONS`] are counted: a working day.
pub const PROMOTION_WINDOW_MILLIS: u64 = 8 * 3_600_000;
/// Validations from which a learning is important, and from which it is critical.
pub const PROMOTION_VALIDATIONS: [u32; 2] = [5, 10];
/// Milliseconds within which a repeated statement by the same source about the same learning, without a question, counts once.
pub const VALIDATION_APART_MILLIS: u64 = 86_400_000;
/// Newest validations kept of a learning: several times what the last promotion takes.
pub const VALIDATIONS_KEPT: usize = 50;
/// Replacements that are followed from a learning: more than anybody edits one lesson, and two clones may have replaced each by the other.
pub const REPLACEMENTS: usize = 64;
/// Lowest factor that feedback applies to a learning's score: a lesson that was turned down is ranked last, not lost.
pub const FEEDBACK_FLOOR: f64 = 0.3;

/// Weight of a selection from which it says that the memory answers its question: opened at least. A success of the loop has many causes.
pub const SELECTION_WEIGHT: f64 = 0.3;
/// Questions of an evaluation cycle.
pub const CYCLE_QUERIES: u32 = 100;
/// Days of recorded time of an evaluation cycle.
pub const CYCLE_DAYS: u32 = 14;
/// Evaluation cycles that must be complete before learned terms may count.
pub const CYCLES: u32 = 2;
/// Pairs that a person must have labeled before a judge's labels count.
pub const JUDGE_PAIRS: u32 = 50;
/// Share of them on which the judge must agree.
pub const JUDGE_AGREEMENT: f64 = 0.8;
/// Percent of the questions that are answered without learned terms once these count, so that their effect stays measurable.
pub const TRIAL_HOLD_OUT: u32 = 20;
/// Weeks in a row in which an alternative must not be worse before it may be promoted.
pub const TRIAL_WEEKS: u32 = 2;
/// Relative loss of MRR@5 that counts as no loss.
pub const TRIAL_TOLERANCE: f64 = 0.02;
/// Minimum judged questions for a decision on an alternative, so that a mean's interval is meaningful.
pub const TRIAL_QUERIES: u32 = 30;

/// Records queued for `eval.db`; further ones are counted and dropped, since nobody waits for them.
pub const EVAL_QUEUE: usize = 256;
/// Results of a question that are recorded with the channels that found them: for those further down their place says enough.
pub const EVAL_RESULTS: usize = 20;
/// Recorded characters of a question: a task's title and what it is about.
pub const EVAL_QUERY_CHARS: usize = 2_000;
/// Milliseconds for which questions are kept: half a year, several cycles.
pub const EVAL_KEPT_MILLIS: u64 = 180 * 86_400_000;
/// Bytes of `eval.db` above which the oldest tenth of its questions is deleted: some 20,000 questions.
pub const EVAL_BYTES: u64 = 64 * 1_048_576;
/// Milliseconds of rest after which the content of a search field is a question: typing pauses are shorter, and reading an answer takes
/// longer.
pub const QUESTION_REST_MILLIS: u64 = 1_500;
/// Maximum milliseconds between two questions of one visit to the search: typing on, or asking the same again, is still the same question.
pub const VISIT_MILLIS: u64 = 600_000;
/// Bytes of the count of dropped records that waits beside `eval.db`, one for each: a higher count would add no information.
pub const EVAL_OWED: u64 = 1_048_576;
/// Rows of a page behind a figure of retrieval, of which the screen draws the visible ones; the total says how many there are.
pub const QUESTION_ROWS: usize = 500;
/// Newest questions that a shadow run replays.
pub const SHADOW_QUERIES: u32 = 500;
/// Pairs in one errand of a judge.
pub const JUDGE_BATCH: usize = 20;
/// Dollars that one session of an agent can cost: a hundred times the dearest known. What an agent reports beyond that is a mistake of its
/// own.
pub const SESSION_USD: f64 = 100_000.0;
/// Default dollars for one errand of a judge.
pub const JUDGE_USD: f64 = 0.5;

/// Bytes read of a stored prompt to find what it included: prompts have a budget far below.
pub const PROMPT_READ_BYTES: u64 = 1024 * 1024;
/// Characters of a lesson extracted by a model: one sentence, as its prompt asks.
pub const EXTRACTED_CHARS: usize = 200;
/// Default calls of an extractor per day: a busy day has a dozen detections.
pub const EXTRACTOR_CALLS: u32 = 20;
/// Default dollars for extractor calls per day.
pub const EXTRACTOR_USD: f64 = 0.5;
/// Default timeout of an extractor call in seconds: a local model answers in a few.
pub const EXTRACTOR_SECONDS: u32 = 30;
/// Times that an extractor is asked about one detection before rules take over.
pub const EXTRACTOR_TRIES: u32 = 3;
/// Milliseconds before the first retry of an extractor; the delay doubles each time.
pub const EXTRACTOR_BACKOFF_MS: i64 = 500;
/// Detections queued for an extractor: five days' calls. Further ones are settled by rules at once, and counted.
pub const EXTRACTOR_QUEUE: u32 = 100;
/// Detections per call, where they are batched.
pub const EXTRACTOR_BATCH: u32 = 10;
/// Bytes read of an answer: ten lessons are 10 kB, and some models think aloud.
pub const EXTRACTOR_ANSWER_BYTES: u64 = 256 * 1024;
/// Bytes kept of what Ralph's tools told the agent of one iteration: fifty answers at their longest.
pub const TOLD_BYTES: u64 = 1 << 20;
/// Shingle hashes kept of what a session was shown: about 30 search answers.
pub const TOLD_HASHES: usize = 4_000;
/// Bytes of free room below which the doctor warns: a run's logs and the copies of its database need more than that.
pub const LITTLE_ROOM_BYTES: u64 = 64 * 1024 * 1024;
