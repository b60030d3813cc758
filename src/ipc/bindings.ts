// Provisional: replaced by the generated file once the commands exist.
import { invoke as __TAURI_INVOKE, Channel } from "@tauri-apps/api/core";
import * as __TAURI_EVENT from "@tauri-apps/api/event";

export const commands = {
	openProject: (path: string, init: boolean) => __TAURI_INVOKE<ProjectInfo>("open_project", { path, init }),
	refusedProject: () => __TAURI_INVOKE<string | null>("refused_project"),
	currentProject: () => __TAURI_INVOKE<ProjectInfo | null>("current_project"),
	recentProjects: () => __TAURI_INVOKE<ProjectInfo[]>("recent_projects"),
	overview: () => __TAURI_INVOKE<Overview>("overview"),
	listFeatures: () => __TAURI_INVOKE<FeatureRow[]>("list_features"),
	getFeature: (name: string) => __TAURI_INVOKE<FeatureRow>("get_feature", { name }),
	createFeature: (feature: NewFeature) => __TAURI_INVOKE<Feature>("create_feature", { feature }),
	updateFeature: (name: string, patch: FeaturePatch) => __TAURI_INVOKE<Feature>("update_feature", { name, patch }),
	getFeatureSaturations: () => __TAURI_INVOKE<FeatureSaturation[]>("get_feature_saturations"),
	listLearnings: (feature: string | null, states: LearningState[]) => __TAURI_INVOKE<FeatureLearning[]>("list_learnings", { feature, states }),
	appendFeatureLearning: (learning: NewLearning) => __TAURI_INVOKE<Remembered>("append_feature_learning", { learning }),
	editLearning: (id: string, text: string, reason: string | null) => __TAURI_INVOKE<FeatureLearning>("edit_learning", { id, text, reason }),
	reviewLearning: (id: string) => __TAURI_INVOKE<FeatureLearning>("review_learning", { id }),
	retireLearning: (id: string) => __TAURI_INVOKE<FeatureLearning>("retire_learning", { id }),
	restoreLearning: (id: string) => __TAURI_INVOKE<FeatureLearning>("restore_learning", { id }),
	listConflicts: () => __TAURI_INVOKE<Conflict[]>("list_conflicts"),
	resolveConflict: (older: string, newer: string, choice: ConflictChoice) => __TAURI_INVOKE<null>("resolve_conflict", { older, newer, choice }),
	listJournal: (feature: string, limit: number) => __TAURI_INVOKE<JournalEntry[]>("list_journal", { feature, limit }),
	listTasks: (filter: TaskFilter) => __TAURI_INVOKE<Task[]>("list_tasks", { filter }),
	getTask: (id: number) => __TAURI_INVOKE<TaskDetail>("get_task", { id }),
	createTask: (task: NewTask) => __TAURI_INVOKE<Task>("create_task", { task }),
	updateTask: (id: number, patch: TaskPatch) => __TAURI_INVOKE<Task>("update_task", { id, patch }),
	addComment: (id: number, text: string) => __TAURI_INVOKE<TaskComment>("add_comment", { id, text }),
	listDisciplines: () => __TAURI_INVOKE<Discipline[]>("list_disciplines"),
	listRuns: () => __TAURI_INVOKE<Run[]>("list_runs"),
	getRun: (id: number) => __TAURI_INVOKE<RunDetail>("get_run", { id }),
	getIteration: (id: number) => __TAURI_INVOKE<IterationDetail>("get_iteration", { id }),
	iterationDiff: (id: number) => __TAURI_INVOKE<string>("iteration_diff", { id }),
	startRun: (request: RunRequest) => __TAURI_INVOKE<Run>("start_run", { request }),
	controlRun: (control: RunControl) => __TAURI_INVOKE<null>("control_run", { control }),
	followTranscript: (iteration: number, channel: Channel<TranscriptBatch>) => __TAURI_INVOKE<null>("follow_transcript", { iteration, channel }),
	stopFollowing: (channel: number) => __TAURI_INVOKE<null>("stop_following", { channel }),
	getSettings: () => __TAURI_INVOKE<Settings>("get_settings"),
	updateSettings: (settings: Settings) => __TAURI_INVOKE<Settings>("update_settings", { settings }),
	doctor: () => __TAURI_INVOKE<DoctorReport>("doctor"),
	exportProject: (path: string | null) => __TAURI_INVOKE<string>("export_project", { path }),
};

export const events = {
	topicsChanged: makeEvent<TopicsChanged>("topics-changed"),
};

function makeEvent<T>(name: string) {
	return { listen: (cb: __TAURI_EVENT.EventCallback<T>) => __TAURI_EVENT.listen(name, cb) };
}

/** What the screen is told of a failure. */
export type CommandError = { code: string; message: string; hint: string };
/** Entries of a transcript, in order. */
export type TranscriptBatch = { entries: TranscriptEntry[]; ended: boolean };
/** Topics that a commit touched. */
export type TopicsChanged = { topics: Topic[] };

/**  Agents that a run can start. */
export type AgentKind = 
/**  Claude Code. */
"claude" | 
/**  The scripted agent: plays a small text script, for the demo and for tests. */
"scripted";

/**  One thing that an agent did or said. */
export type AgentSignal = 
/**  A turn began (once per turn, so more than once per process). */
{ kind: "started"; 
/**  The agent's own session id. */
session: string | null; 
/**  Model it says it uses. */
model: string | null; 
/**  MCP servers it knows, with their status word (`connected`, `failed` …). */
mcp_servers: McpServerStatus[] } | 
/**  The agent's own words. Only these are searched for sigils. */
{ kind: "text"; 
/**  The words. */
text: string } | 
/**  What the agent thinks before it speaks; never searched for sigils. */
{ kind: "thinking"; 
/**  The words; empty when only their number is known. */
text: string } | 
/**  Words of a helper that the agent started; never searched for sigils. */
{ kind: "subagent_text"; 
/**  The words. */
text: string } | 
/**  The agent calls a tool. */
{ kind: "tool_call"; 
/**  Joins the call with its result. */
id: string; 
/**  Tool name, as the agent says it (`Bash`, `mcp__ralph__create_task`). */
name: string; 
/**  What it is called on, one line: the path, the command, the first argument. */
summary: string; 
/**  Files it names, as given. */
paths: string[] } | 
/**  What a tool answered. */
{ kind: "tool_result"; 
/**  Id of the call. */
id: string; 
/**  Whether the tool reports a failure. */
is_error: boolean; 
/**  The answer's text, cut for display. */
summary: string } | 
/**  A tool was refused by the agent's permission rules. */
{ kind: "denied"; 
/**  Tool name. */
tool: string; 
/**  What was asked for, one line. */
summary: string } | 
/**  The agent's own retry of a failed request. */
{ kind: "retry"; 
/**  Which one, from 1. */
attempt: number; 
/**  HTTP status; `None` when the network failed. */
status: number | null; 
/**  Milliseconds it waits. */
delay_ms: number } | 
/**  A structured event about usage limits. */
{ kind: "rate_limit"; 
/**  Whether requests are refused now. */
rejected: boolean; 
/**  When the limit ends, if told. */
resets_at: string | null; 
/**  Which limit (`five_hour` …). */
limit: string | null } | 
/**  A turn ended. The process may go on: wait for the end of output. */
{ kind: "turn_ended"; 
/**  How it ended. */
ending: Ending; 
/**  The result text: repeats the last words, or tells the error. Not searched again. */
text: string; 
/**  What this turn used. Sum over turns. */
usage: Usage; 
/**  Tools refused during the turn. */
denials: number } | 
/**  A line that this version does not know, kept as its kind. */
{ kind: "unknown"; 
/**  `type/subtype` or what there is of it. */
line_kind: string } | 
/**  A line that is no JSON, kept as text (cut). */
{ kind: "garbled"; 
/**  Its beginning. */
text: string };

/**  What a check command said. */
export type CheckResult = {
	/**  The command. */
	command: string,
	/**  Whether it exited with 0. */
	passed: boolean,
	/**  Exit code; `None` when it was killed or could not start. */
	exit_code: number | null,
	/**  The end of its output. */
	output_tail: string,
};

/**  One pair of learnings that contradict each other and wait for a person. */
export type Conflict = {
	/**  The one that was there first. */
	older: FeatureLearning,
	/**  The one that came later. */
	newer: FeatureLearning,
};

/**  What a person decides about a conflict. */
export type ConflictChoice = 
/**  The older one stays; the newer one is retired. */
"keep_older" | 
/**  The newer one supersedes the older one. */
"keep_newer" | 
/**  Both are true. */
"keep_both";

/**  How work of one kind is done. */
export type Discipline = {
	/**  Unique name, lower case. */
	name: string,
	/**  What people read. */
	display_name: string,
	/**  Who the agent is while it works, in one or two sentences. */
	persona: string,
	/**  Rules of the work, one per line. */
	conventions: string,
	/**  Skills the agent may use, by name. */
	skills: string[],
	/**  MCP servers the agent gets beside Ralph's own: name and command line. */
	mcp_servers: McpServer[],
};

/**  Result of one check of `ralph doctor`. */
export type DoctorCheck = {
	/**  What was looked at: `git`, `agent claude`, `database`, `journals` … */
	name: string,
	/**  `ok`, `warning` or `error`. */
	status: DoctorStatus,
	/**  What was found. */
	detail: string,
	/**  What to do, when there is something to do. */
	hint: string | null,
};

/**  Everything `ralph doctor` looked at. */
export type DoctorReport = {
	/**  No check is an error. */
	ok: boolean,
	/**  Each check. */
	checks: DoctorCheck[],
};

/**  How a check of the doctor came out. */
export type DoctorStatus = 
/**  As it should be. */
"ok" | 
/**  Works, with a reservation. */
"warning" | 
/**  Does not work. */
"error";

/**  How a turn, or a whole agent process, ended. */
export type Ending = 
/**  By itself, without an error. */
"completed" | 
/**  The agent's own limit of turns. */
"max_turns" | 
/**  The agent's own dollar limit. */
"max_budget" | 
/**  A usage limit or 429: no attempt, wait. */
"rate_limited" | 
/**  The provider is overloaded (529, 503): no attempt, wait. */
"overloaded" | 
/**  Key, login or credit is missing (401, 403, 400 credit): no attempt, a person must act. */
"authentication" | 
/**  No connection, or it was dropped: no attempt. */
"network" | 
/**  Stopped by a signal or by a person. */
"interrupted" | 
/**  The watchdog stopped it: no output for too long, or none after the result. */
"timed_out" | 
/**  Any other error that the agent reported. */
"failed" | 
/**  The process died without a result. */
"crashed";

/**  What an iteration left behind in the repository. */
export type Evidence = {
	/**  HEAD before the agent started; `None` in a repository without commits. */
	head_before: string | null,
	/**  HEAD after it ended. */
	head_after: string | null,
	/**  Commits made, newest first: short hash and subject. */
	commits: string[],
	/**  Files that changed outside `.ralph/`, committed or not, relative to the project. */
	changed_files: string[],
	/**  What the check said, when one ran. */
	check: CheckResult | null,
};

/**  A scope of work and its knowledge. */
export type Feature = {
	/**  Number of the row; the name is what everything else refers to. */
	id: number,
	/**  Unique, unchanging, and the name of its journal file: letters, digits, `.`, `_`, `-`. */
	name: string,
	/**  What people read. */
	display_name: string,
	/**  Two to five letters for dense lists. */
	acronym: string,
	/**  What the feature is for. */
	description: string,
	/**  How it is built. */
	architecture: string,
	/**  What does and does not belong to it. */
	boundaries: string,
	/**  Files an agent should read first, relative to the project. */
	context_files: string[],
	/**  Files and folders that hold the feature's written knowledge. */
	knowledge_paths: string[],
	/**  Names of features it builds on. */
	dependencies: string[],
	/**  The feature it was split from. */
	parent: string | null,
	/**  Where it stands. */
	state: FeatureState,
	/**  Its own cap; the project's when `None`. */
	max_learnings: number | null,
	/**  When it was made. */
	created: string,
	/**  When one of its fields last changed. */
	updated: string,
};

/**  What was learnt about a feature. */
export type FeatureLearning = {
	/**  ULID. */
	id: string,
	/**  Name of the feature that holds it. */
	feature: string,
	/**  The lesson, at most [`limits::LEARNING_TEXT_CHARS`] characters. */
	text: string,
	/**  Why it holds. */
	reason: string | null,
	/**  Kind of lesson: pitfall, success_pattern, tool_usage, code_structure, testing_strategy, convention … */
	category: string,
	/**  What it is about: files, identifiers, error codes, words. */
	tags: string[],
	/**  Who wrote it. */
	source: LearningSource,
	/**  The task it came from; no foreign key, since journals travel to clones without tasks. */
	task_id: number | null,
	/**  The iteration it came from; any number. */
	iteration: number | null,
	/**  When it was first written. */
	created: string,
	/**  When an agent was last told it. */
	last_used: string | null,
	/**  Distinct iterations that observed it; the first write counts as one. */
	hit_count: number,
	/**  Who reviewed it last. */
	reviewed_by: string | null,
	/**  How often it was reviewed. */
	review_count: number,
	/**  Where it stands. */
	state: LearningState,
	/**  The learning that took its place. */
	superseded_by: string | null,
	/**  Learnings it contradicts, until a person decides. */
	conflicts_with: string[],
};

/**  Fields to change; `None` leaves a field as it is. */
export type FeaturePatch = {
	/**  What people read. */
	display_name?: string | null,
	/**  Short form. */
	acronym?: string | null,
	/**  What the feature is for. */
	description?: string | null,
	/**  How it is built. */
	architecture?: string | null,
	/**  What belongs to it. */
	boundaries?: string | null,
	/**  Files an agent should read first. */
	context_files?: string[] | null,
	/**  Files that hold its written knowledge. */
	knowledge_paths?: string[] | null,
	/**  Names of features it builds on. */
	dependencies?: string[] | null,
	/**  Where it stands (active or archived; decomposed comes only from closing its split task). */
	state?: FeatureState | null,
	/**  Its own cap; 0 returns to the project's. */
	max_learnings?: number | null,
};

/**  A feature as its row on the Features page shows it. */
export type FeatureRow = {
	/**  The feature itself. */
	feature: Feature,
	/**  Tasks by status, done ones included. */
	tasks: TaskCounts,
	/**  Always present; the bar is drawn only when `learnings_count > 0`. */
	saturation: FeatureSaturation,
	/**  Learnings that wait for room. */
	parked_count: number,
	/**  Conflicts that wait for a person. */
	review_count: number,
	/**  The active split task. */
	split_task: number | null,
};

/**  How full one feature is, over its active learnings. */
export type FeatureSaturation = {
	/**  Name of the feature. */
	feature: string,
	/**  Active learnings. */
	learnings_count: number,
	/**  The cap in force. */
	max_learnings: number,
	/**  Active learnings that are never pruned automatically. */
	protected_count: number,
	/**  Active learnings that may be pruned automatically. */
	prunable_count: number,
	/**  `learnings_count * 100 / max_learnings`, rounded down; above 100 when the cap was lowered. */
	saturation_pct: number,
	/**  Level of the percentage. */
	level: SaturationLevel,
};

/**  Where a feature stands in its life. */
export type FeatureState = 
/**  Takes tasks and learnings. */
"active" | 
/**  Split into children; its remaining learnings are history. */
"decomposed" | 
/**  Put away by a person. */
"archived";

/**  What one hook decided after an iteration. */
export type HookNote = {
	/**  Name of the hook. */
	hook: string,
	/**  Whether the case was its own. */
	applied: boolean,
	/**  What it decided, in one sentence. */
	note: string,
};

/**  One agent invocation on one task. */
export type Iteration = {
	/**  Number, unique over all runs. */
	id: number,
	/**  The run. */
	run: number,
	/**  Place in the run, from 1. */
	number: number,
	/**  The task. */
	task: number,
	/**  Title of the task when it began. */
	task_title: string,
	/**  Which attempt at the task, from 1; `None` when it was no attempt. */
	attempt: number | null,
	/**  Model that was asked for. */
	model: string,
	/**  What became of it. */
	outcome: Outcome,
	/**  One sentence on why. */
	note: string | null,
	/**  Tokens and dollars. */
	usage: Usage,
	/**  Tools the agent was refused. */
	denials: string[],
	/**  What it left behind. */
	evidence: Evidence,
	/**  Learnings that were in its prompt. */
	told: string[],
	/**  When it began. */
	started: string,
	/**  When it ended. */
	ended: string | null,
	/**  Exit code of the agent; `None` when it was killed or still runs. */
	exit_code: number | null,
};

/**  An iteration with everything its tabs show. */
export type IterationDetail = {
	/**  The iteration. */
	iteration: Iteration,
	/**  The exact prompt; empty when its file is gone. */
	prompt: string,
	/**  What each hook decided. */
	hooks: HookNote[],
};

/**  One line of a feature's journal as the screen shows it. */
export type JournalEntry = {
	/**  Event id: a ULID. */
	id: string,
	/**  When it happened. */
	at: string,
	/**  Kind of event: learned, observed, pruned … */
	event: string,
	/**  The learning it is about. */
	learning: string | null,
	/**  One line for people. */
	summary: string,
};

/**  Who wrote a learning. A review never rewrites it. */
export type LearningSource = 
/**  Read from an agent's sigils or operations by Ralph. */
"auto" | 
/**  Written by an agent through MCP. */
"agent" | 
/**  Written by a person. */
"human";

/**  Where a learning stands. Every state but `active` has a way back. */
export type LearningState = 
/**  Counts for saturation and is told to agents. */
"active" | 
/**  Waits for room. */
"parked" | 
/**  Gave its place to a newer one. */
"pruned" | 
/**  Put away by a person. */
"retired" | 
/**  Replaced by a newer one about the same thing. */
"superseded" | 
/**  Moved into a knowledge file. */
"consolidated";

/**  An MCP server that an agent starts on stdio. */
export type McpServer = {
	/**  Name in the agent's tool names. */
	name: string,
	/**  Program. */
	command: string,
	/**  Arguments. */
	args?: string[],
};

/**  An MCP server as an agent sees it. */
export type McpServerStatus = {
	/**  Name. */
	name: string,
	/**  The agent's word: `connected`, `failed`, `pending` … */
	status: string,
};

/**  One thing that waits for a person. */
export type NeedsYou = 
/**  A task is blocked. */
{ kind: "blocked_task"; 
/**  The task. */
task: number; 
/**  Its title. */
title: string; 
/**  Why. */
reason: string } | 
/**  Two learnings contradict each other. */
{ kind: "conflicts"; 
/**  The feature. */
feature: string; 
/**  How many pairs. */
count: number } | 
/**  Learnings wait for room. */
{ kind: "parked"; 
/**  The feature. */
feature: string; 
/**  How many. */
count: number; 
/**  The task that will make room. */
split_task: number | null } | 
/**  The last run ended in a way that a person should know. */
{ kind: "run_stopped"; 
/**  The run. */
run: number; 
/**  What happened. */
note: string };

/**  What a person or agent gives to make a feature. */
export type NewFeature = {
	/**  Unique name; also the journal's file name. */
	name?: string,
	/**  What people read. */
	display_name?: string,
	/**  Made from the display name when empty. */
	acronym?: string | null,
	/**  What the feature is for. */
	description?: string,
	/**  How it is built. */
	architecture?: string,
	/**  What does and does not belong to it. */
	boundaries?: string,
	/**  Files an agent should read first. */
	context_files?: string[],
	/**  Files that hold its written knowledge. */
	knowledge_paths?: string[],
	/**  Names of features it builds on. */
	dependencies?: string[],
	/**  The feature it is split from. */
	parent?: string | null,
	/**  Its own cap. */
	max_learnings?: number | null,
};

/**  A candidate at the door. A bare JSON string is its text, with defaults for the rest. */
export type NewLearning = {
	/**  Name of the feature; may be left empty where the call names it otherwise. */
	feature: string,
	/**  The lesson. */
	text: string,
	/**  Why it holds. */
	reason: string | null,
	/**  Kind of lesson. */
	category: string | null,
	/**  What it is about. */
	tags: string[],
	/**  Who writes it. */
	source: LearningSource,
	/**  The task it came from. */
	task_id: number | null,
	/**  The iteration it came from. */
	iteration: number | null,
};

/**  What a person or agent gives to make a task. */
export type NewTask = {
	/**  Name of the feature. */
	feature?: string,
	/**  One line. */
	title?: string,
	/**  What to do. */
	description?: string,
	/**  When it counts as done. */
	acceptance_criteria?: string[],
	/**  Pending when `None`. */
	status?: TaskStatus | null,
	/**  Medium when `None`. */
	priority?: Priority | null,
	/**  Free words. */
	tags?: string[],
	/**  Tasks that must be finished first. */
	depends_on?: number[],
	/**  The task it is a part of. */
	parent?: number | null,
	/**  Name of the discipline. */
	discipline?: string | null,
};

/**  What became of an iteration. */
export type Outcome = 
/**  Still going. */
"running" | 
/**  The task is done. */
"done" | 
/**  The agent said it failed, or its claim did not hold. */
"failed" | 
/**  The agent ended without saying. */
"no_sigil" | 
/**  The agent itself failed (crash, timeout, its own limits). */
"error" | 
/**  A usage limit or overload: no attempt. */
"rate_limited" | 
/**  Key, login or credit is missing: no attempt. */
"authentication" | 
/**  No connection: no attempt. */
"network" | 
/**  A person stopped it: no attempt. */
"stopped" | 
/**  Ralph died during it: no attempt. */
"interrupted";

/**  The counts of the left rail and the state of the loop. */
export type Overview = {
	/**  Features that are not archived. */
	features: number,
	/**  Tasks that are draft, pending, in progress or blocked. */
	open_tasks: number,
	/**  Active learnings. */
	learnings: number,
	/**  Conflicts and parked learnings. */
	reviews: number,
	/**  The run that is not over. */
	active_run: Run | null,
	/**  The iteration that runs now. */
	active_iteration: Iteration | null,
	/**  What waits for a person, most urgent first. */
	needs_you: NeedsYou[],
};

/**  How soon a task is worked; the loop takes the highest first. */
export type Priority = 
/**  When nothing else is ready. */
"low" | 
/**  Default. */
"medium" | 
/**  Before ordinary work; split tasks have it. */
"high" | 
/**  Before everything. */
"critical";

/**  An open project. */
export type ProjectInfo = {
	/**  Absolute path of the folder that holds `.ralph/`. */
	path: string,
	/**  Its folder name. */
	name: string,
	/**  Branch that is checked out; `None` when detached or without commits. */
	branch: string | null,
};

/**  What a task's status and its dependencies together mean; computed on reading, never stored. */
export type Readiness = 
/**  The loop may take it now. */
"ready" | 
/**  Some dependency is not finished. */
"waiting" | 
/**  Some dependency failed or was given up: it can't become ready by itself. */
"stranded" | 
/**  An agent works on it. */
"running" | 
/**  A person has to act: draft or blocked. */
"needs_person" | 
/**  Nothing left to do: done, failed or skipped. */
"closed";

/**  What the door answers (`append_feature_learning`). */
export type Remembered = {
	/**  What happened. */
	verdict: Verdict,
	/**  The learning that now holds the lesson: the new one, or the known one that was observed. */
	id: string,
	/**  Learnings that gave their place. */
	pruned: string[],
	/**  Known learnings it contradicts. */
	conflicts_with: string[],
	/**  Secrets that were taken out of the text before it was stored. */
	redacted: number,
	/**  The feature after the write. */
	saturation: FeatureSaturation,
	/**  The active split task of the feature. */
	split_task: number | null,
};

/**  One start of the loop to its stop. */
export type Run = {
	/**  Number of the run. */
	id: number,
	/**  Which agent. */
	agent: AgentKind,
	/**  Model that was asked for. */
	model: string,
	/**  Works on this task only. */
	task: number | null,
	/**  When it ends by itself. */
	limits: RunLimits,
	/**  Command that must pass before a task counts as done. */
	check: string | null,
	/**  What it does now. */
	state: RunState,
	/**  What a person asked of it. */
	control: RunControl,
	/**  Until when it waits. */
	waiting_until: string | null,
	/**  Why it ended. */
	stop_reason: StopReason | null,
	/**  One sentence about the end or the wait. */
	note: string | null,
	/**  Iterations started so far. */
	iterations: number,
	/**  Dollars so far, as the agents reported them. */
	cost_usd: number | null,
	/**  When it began. */
	started: string,
	/**  When it ended. */
	ended: string | null,
	/**  Process that owns it. */
	owner_pid: number,
};

/**  What a person asks of a run; travels through its row, so that any process can ask. */
export type RunControl = 
/**  Nothing. */
"none" | 
/**  Pause after the current iteration. */
"pause" | 
/**  End after the current iteration. */
"stop_after" | 
/**  End at once; no process is left. */
"stop_now";

/**  A run with its iterations. */
export type RunDetail = {
	/**  The run. */
	run: Run,
	/**  Newest first (the newest 500). */
	iterations: Iteration[],
};

/**  When a run ends by itself. `None` = no such limit. */
export type RunLimits = {
	/**  Iterations started. */
	max_iterations: number | null,
	/**  Minutes from the start, pauses and waits included. */
	max_minutes: number | null,
	/**  Dollars over all iterations of the run; checked between iterations and passed on to agents that can check it themselves. */
	max_usd: number | null,
};

/**  What a person gives to start a run. */
export type RunRequest = {
	/**  Which agent. */
	agent: AgentKind,
	/**  Model name as the agent knows it; the project's default when `None`. */
	model: string | null,
	/**  Script file of the scripted agent. */
	script: string | null,
	/**  Work on this task only. */
	task: number | null,
	/**  When it ends by itself. */
	limits: RunLimits,
	/**  Command that must pass before a task counts as done; the project's when `None`, none when empty. */
	check: string | null,
};

/**  What a run does now. */
export type RunState = 
/**  Works, or looks for work. */
"running" | 
/**  A person paused it between iterations. */
"paused" | 
/**  Waits for a usage limit to end. */
"waiting" | 
/**  Is being stopped. */
"stopping" | 
/**  Over. */
"ended";

/**  Level of a saturation percentage (seed 000). */
export type SaturationLevel = 
/**  0–59 %. */
"low" | 
/**  60–79 %. */
"medium" | 
/**  80–89 %. */
"high" | 
/**  90 % and more: the split task is made. */
"critical";

/**  The project's settings, as `config.toml` holds them. */
export type Settings = {
	/**  Agent of a new run. */
	agent: AgentKind,
	/**  Model of a new run. */
	model: string,
	/**  Path of the Claude Code binary; looked for when empty. */
	claude_path: string,
	/**  Permission mode given to Claude Code. */
	permission_mode: string,
	/**  Tools that Claude Code may use without asking. */
	allowed_tools: string[],
	/**  Script of the scripted agent, relative to the project. */
	script: string,
	/**  Command that must pass before a task counts as done; none when empty. */
	check: string,
	/**  Iterations of a run. */
	max_iterations: number,
	/**  Minutes of a run; 0 = no limit. */
	max_minutes: number,
	/**  Dollars of a run; 0 = no limit. */
	max_usd: number | null,
	/**  Consecutive failures after which a task needs a person. */
	max_attempts: number,
	/**  Learnings a feature holds. */
	max_learnings: number,
};

/**  Why a run ended. */
export type StopReason = 
/**  No task is ready. */
"nothing_ready" | 
/**  The limit of iterations. */
"max_iterations" | 
/**  The limit of minutes. */
"max_minutes" | 
/**  The limit of dollars. */
"max_usd" | 
/**  A person stopped it after an iteration. */
"stopped_after_iteration" | 
/**  A person stopped it at once. */
"stopped_now" | 
/**  Key, login or credit is missing. */
"authentication" | 
/**  The agent could not be started. */
"agent_unavailable" | 
/**  The network failed again and again. */
"network" | 
/**  Its process died. */
"crashed" | 
/**  Ralph itself failed; the note tells. */
"internal_error";

/**  A unit of work. */
export type Task = {
	/**  Number people type. */
	id: number,
	/**  Name of the feature it belongs to. */
	feature: string,
	/**  One line. */
	title: string,
	/**  What to do. */
	description: string,
	/**  When it counts as done. */
	acceptance_criteria: string[],
	/**  What was decided about it. */
	status: TaskStatus,
	/**  How soon it is worked. */
	priority: Priority,
	/**  Who made it. */
	provenance: TaskProvenance,
	/**  Ordinary work or a split. */
	kind: TaskKind,
	/**  Free words. */
	tags: string[],
	/**  Tasks that must be finished first. */
	depends_on: number[],
	/**  The task it is a part of. */
	parent: number | null,
	/**  Name of the discipline it is worked in. */
	discipline: string | null,
	/**  Place among tasks of the same priority, from the top; smaller is sooner. */
	position: number,
	/**  Why it is blocked, in words for a person. */
	blocked_reason: string | null,
	/**  Computed: what status and dependencies mean together. */
	readiness: Readiness,
	/**  Computed: dependencies that are not finished. */
	waiting_on: number[],
	/**  When it was made. */
	created: string,
	/**  When one of its fields last changed. */
	updated: string,
};

/**  A remark on a task. */
export type TaskComment = {
	/**  Number of the row. */
	id: number,
	/**  The task. */
	task_id: number,
	/**  Who wrote it: `human`, `agent` or `system`. */
	author: TaskProvenance,
	/**  The remark. */
	text: string,
	/**  When it was written. */
	created: string,
};

/**  Tasks of a feature by status. */
export type TaskCounts = {
	/**  Not to be worked yet. */
	draft: number,
	/**  To be worked. */
	pending: number,
	/**  Being worked. */
	in_progress: number,
	/**  Waiting for a person. */
	blocked: number,
	/**  Finished. */
	done: number,
	/**  Given up. */
	failed: number,
	/**  Not to be done. */
	skipped: number,
};

/**  A task with everything its page shows. */
export type TaskDetail = {
	/**  Remarks, oldest first. */
	comments: TaskComment[],
	/**  Its iterations, newest first (the newest 100). */
	iterations: Iteration[],
} & Task;

/**  Which tasks to list; empty fields do not filter. */
export type TaskFilter = {
	/**  Name of the feature. */
	feature?: string | null,
	/**  Statuses to show; all when empty. */
	statuses?: TaskStatus[],
	/**  Priorities to show; all when empty. */
	priorities?: Priority[],
	/**  Provenances to show; all when empty. */
	provenances?: TaskProvenance[],
	/**  Words that title, description or tags contain. */
	text?: string | null,
};

/**  What kind of work a task is. */
export type TaskKind = 
/**  Ordinary work. */
"work" | 
/**  The split of a saturated feature, made by Ralph. */
"split";

/**  Fields to change; `None` leaves a field as it is. */
export type TaskPatch = {
	/**  Moves the task, and its learnings with it, to another feature. */
	feature?: string | null,
	/**  One line. */
	title?: string | null,
	/**  What to do. */
	description?: string | null,
	/**  When it counts as done. */
	acceptance_criteria?: string[] | null,
	/**  What is decided about it. */
	status?: TaskStatus | null,
	/**  How soon it is worked. */
	priority?: Priority | null,
	/**  Free words. */
	tags?: string[] | null,
	/**  Tasks that must be finished first. */
	depends_on?: number[] | null,
	/**  The task it is a part of; 0 takes it out. */
	parent?: number | null,
	/**  Name of the discipline; empty takes it away. */
	discipline?: string | null,
	/**  Why it is blocked. */
	blocked_reason?: string | null,
	/**  Places the task directly before this one (same priority); 0 places it last. */
	before?: number | null,
};

/**  Who made a task. */
export type TaskProvenance = 
/**  An agent through MCP. */
"agent" | 
/**  A person. */
"human" | 
/**  Ralph, by rule. */
"system";

/**  What was decided about a task. What follows from other tasks is [`Readiness`], never stored. */
export type TaskStatus = 
/**  Not to be worked yet. */
"draft" | 
/**  To be worked. */
"pending" | 
/**  Being worked under a lease. */
"in_progress" | 
/**  Waits for a person. */
"blocked" | 
/**  Finished. */
"done" | 
/**  Given up by a person. */
"failed" | 
/**  Not to be done. */
"skipped";

/**  One kind of thing that may have changed. */
export type Topic = 
/**  Features, their states and caps. */
"features" | 
/**  Tasks, their order, dependencies and comments. */
"tasks" | 
/**  Disciplines. */
"disciplines" | 
/**  Learnings, reviews and saturations. */
"learnings" | 
/**  Runs and their state. */
"runs" | 
/**  Iterations and hook notes. */
"iterations";

/**  One entry of an iteration's live event log: a line of its JSONL file. */
export type TranscriptEntry = {
	/**  When Ralph read it. */
	at: string,
} & TranscriptSignal;

/**  A page of an iteration's event log. */
export type TranscriptPage = {
	/**  Entries in order. */
	entries: TranscriptEntry[],
	/**  Byte offset to go on from, as a decimal string (files pass 4 GB only in theory, yet u32 would lie). */
	next_offset: string,
	/**  Whether the iteration is over and nothing follows. */
	ended: boolean,
};

/**  What an event log line holds: an agent's signal, or a remark of Ralph's own. */
export type TranscriptSignal = 
/**  The agent's. */
{ by: "agent"; 
/**  The signal. */
signal: AgentSignal } | 
/**  Ralph's: started, stderr, check output, cut log, stop step … */
{ by: "ralph"; 
/**  Short kind: `started`, `stderr`, `check`, `note`, `exited`. */
note: string; 
/**  The words. */
text: string };

/**  Tokens and dollars. */
export type Usage = {
	/**  Fresh input tokens. */
	input_tokens: number,
	/**  Output tokens. */
	output_tokens: number,
	/**  Input tokens read from the provider's cache. */
	cache_read_tokens: number,
	/**  Input tokens written to the provider's cache. */
	cache_write_tokens: number,
	/**  Dollars as the CLI reports them; `None` when it does not. */
	cost_usd: number | null,
};

/**  What the door did with a candidate. It never says `added` when it was not. */
export type Verdict = 
/**  Stored as a new active learning. */
"added" | 
/**  Already known: counted as an observation of the known one. */
"observed" | 
/**  Stored, but contradicts a known one; both are kept and put up for review. */
"conflict";
