/** Labels for the words of the wire. */
import {
  type AgentKind,
  type Difficulty,
  type ErrandKind,
  type ErrandState,
  type ErrorCategory,
  type LearningSource,
  type LearningState,
  type MemorySide,
  type NoticeKind,
  type Outcome,
  type PermissionProfile,
  PROTECTING_HITS,
  type Priority,
  type Readiness,
  type RunResult,
  type RunRow,
  type RunState,
  type SaturationLevel,
  STOPS_FOR_A_PERSON,
  type StopReason,
  type Strategy,
  type TaskProvenance,
  type TaskStatus,
} from "@/ipc";

/** What a color means. */
export type Tone = "neutral" | "dim" | "ok" | "warn" | "high" | "bad" | "accent";

export const TASK_STATUSES: TaskStatus[] = [
  "in_progress",
  "in_review",
  "blocked",
  "pending",
  "draft",
  "failed",
  "done",
  "skipped",
];
/** Statuses that a person sets, in the order of `TASK_STATUSES`; only the loop sets the others. */
export const STATUSES_BY_A_PERSON = TASK_STATUSES.filter(
  (status) => status !== "in_progress" && status !== "in_review",
);
export const PRIORITIES: Priority[] = ["critical", "high", "medium", "low"];
export const PROVENANCES: TaskProvenance[] = ["human", "agent", "system"];
export const LEARNING_STATES: LearningState[] = ["active", "parked", "pruned", "retired", "superseded", "consolidated"];
export const LEARNING_SOURCES: LearningSource[] = ["human", "agent", "auto"];

export const statusWord: Record<TaskStatus, string> = {
  draft: "Draft",
  pending: "Pending",
  in_progress: "In progress",
  blocked: "Blocked",
  in_review: "In review",
  done: "Done",
  failed: "Failed",
  skipped: "Skipped",
};

export const priorityWord: Record<Priority, string> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  critical: "Critical",
};

export const provenanceWord: Record<TaskProvenance, string> = { human: "Person", agent: "Agent", system: "Ralph" };

export const sourceWord: Record<LearningSource, string> = { human: "person", agent: "agent", auto: "auto" };

export const stateWord: Record<LearningState, string> = {
  active: "Active",
  parked: "Parked",
  pruned: "Pruned",
  retired: "Retired",
  superseded: "Superseded",
  consolidated: "Consolidated",
};

export const readinessWord: Record<Readiness, string> = {
  ready: "Ready",
  waiting: "Waiting",
  stranded: "Stranded",
  running: "Running",
  needs_person: "Needs you",
  archived: "Its feature is archived",
  closed: "Closed",
};

export const outcomeWord: Record<Outcome, string> = {
  running: "running",
  done: "done",
  failed: "failed",
  no_sigil: "no answer",
  error: "error",
  rate_limited: "rate limited",
  authentication: "no login",
  network: "network",
  stopped: "stopped",
  interrupted: "interrupted",
};

export const outcomeTone: Record<Outcome, Tone> = {
  running: "accent",
  done: "ok",
  failed: "bad",
  no_sigil: "warn",
  error: "bad",
  rate_limited: "warn",
  authentication: "bad",
  network: "warn",
  stopped: "dim",
  interrupted: "dim",
};

export const agentWord: Record<AgentKind, string> = {
  claude: "Claude Code",
  codex: "Codex",
  opencode: "OpenCode",
  scripted: "Scripted agent",
};

/** Every agent that a run can start, as choices. */
export const AGENTS = (Object.keys(agentWord) as AgentKind[]).map((value) => ({ value, label: agentWord[value] }));

export const errandWord: Record<ErrandKind, string> = {
  resolve_conflict: "Resolve a conflict",
  review: "Review work",
  consolidate: "Consolidate learnings",
  undo_consolidation: "Undo a consolidation",
  review_learnings: "Review learnings",
  judge: "Judge what was found",
  extract: "Write lessons from what was done",
};

export const errandStateWord: Record<ErrandState, string> = {
  running: "at work",
  done: "done",
  failed: "failed",
  stopped: "stopped",
};

export const errandStateTone: Record<ErrandState, Tone> = {
  running: "accent",
  done: "ok",
  failed: "bad",
  stopped: "dim",
};

export const runStateWord: Record<RunState, string> = {
  running: "running",
  paused: "paused",
  waiting: "waiting",
  stopping: "stopping",
  ended: "ended",
};

export const stopReasonWord: Record<StopReason, string> = {
  nothing_ready: "no task was ready",
  max_iterations: "iteration limit reached",
  max_minutes: "time limit reached",
  max_usd: "cost limit reached",
  stalled: "stalled: nothing was left behind",
  stopped_after_iteration: "stopped after an iteration",
  stopped_now: "stopped at once",
  authentication: "no login",
  agent_unavailable: "agent or model not available",
  no_checkout: "no place to work in",
  private_files: "Ralph's own files were committed",
  network: "no network",
  crashed: "its process died",
  internal_error: "Ralph failed",
  project_gone: "its folder was moved or deleted",
};

/** State of a run, or how it came out: what it achieved and left undone says more than why it stopped. */
export function endOf(run: Pick<RunRow, "state" | "stop_reason" | "done" | "task" | "result" | "note">): string {
  if (run.state !== "ended") return runStateWord[run.state];
  if (run.result === "all_failed") return "every attempt failed";
  if (run.result === "needs_you") return "what is left needs you";
  if (run.stop_reason === "nothing_ready" && run.done > 0)
    // Its note says how its task stands, which may wait for a review.
    return run.task === null ? "all ready tasks done" : (run.note ?? "its task is done");
  return run.stop_reason ? stopReasonWord[run.stop_reason] : "ended";
}

/** How a run came out, as a color. */
export const resultTone: Record<RunResult, Tone> = {
  done: "ok",
  stalled: "bad",
  needs_you: "warn",
  limit: "dim",
  trouble: "bad",
  all_failed: "bad",
  interrupted: "dim",
};

/** Stops that a person should look at; the others are what was asked for. */
export function stopIsTrouble(reason: StopReason | null): boolean {
  return reason !== null && STOPS_FOR_A_PERSON.some((trouble) => trouble === reason);
}

/** Ends as one word, where the run's own note says the rest. */
export const endedInAWord: Partial<Record<StopReason, string>> = { stalled: "stalled", crashed: "died" };

/** Ends that a person should know about, in a word. */
export const endedBadly: Partial<Record<StopReason, string>> = {
  ...endedInAWord,
  authentication: "stopped: no login",
};

export const STRATEGIES: Strategy[] = ["fixed", "escalate", "cost_optimized", "plan_then_execute"];

export const strategyWord: Record<Strategy, string> = {
  fixed: "Fixed",
  escalate: "Escalate",
  cost_optimized: "Cost optimized",
  plan_then_execute: "Plan, then execute",
};

/** How each strategy chooses, in one sentence. */
export const strategyHint: Record<Strategy, string> = {
  fixed: "Always the given model.",
  escalate: "The weakest model first, one step up after every second failure in a row.",
  cost_optimized: "The cheapest model that is measured to be good enough; escalates when too little is known.",
  plan_then_execute: "The strongest model plans and splits; the rest is cost optimized.",
};

export const PERMISSIONS: PermissionProfile[] = ["careful", "normal", "unattended"];

export const permissionWord: Record<PermissionProfile, string> = {
  careful: "Careful",
  normal: "Normal",
  unattended: "Unattended",
};

/** What each profile lets agents do. None pushes, rewrites history or reaches into another checkout. */
export const permissionHint: Record<PermissionProfile, string> = {
  careful: "Edits in the checkout, commits and the check; no other command.",
  normal: "What the mode and the tools of the settings allow.",
  unattended: "Every command and the network; still no push, no rewriting.",
};

export const ERROR_CATEGORIES: ErrorCategory[] = [
  "test_failure",
  "build_error",
  "type_error",
  "missing_file",
  "dependency_error",
  "logic_error",
  "timeout",
  "crashed",
  "unknown",
];

export const categoryWord: Record<ErrorCategory, string> = {
  test_failure: "test failure",
  build_error: "build error",
  type_error: "type error",
  missing_file: "missing file",
  dependency_error: "dependency error",
  logic_error: "logic error",
  timeout: "timeout",
  crashed: "crashed",
  unknown: "unknown",
};

/** The signature of a failure, with its kind as everywhere else: `logic error: the totals differ`. */
export function signatureInWords(signature: string): string {
  const [kind = "", ...said] = signature.split(": ");
  const word = ERROR_CATEGORIES.find((category) => category === kind);
  return word ? [categoryWord[word], ...said].join(": ") : signature;
}

export const DIFFICULTIES: Difficulty[] = ["trivial", "easy", "moderate", "hard", "blocked"];

export const difficultyWord: Record<Difficulty, string> = {
  trivial: "trivial",
  easy: "easy",
  moderate: "moderate",
  hard: "hard",
  blocked: "blocked",
};

export const memorySideWord: Record<MemorySide, string> = { told: "told learnings", withheld: "learnings withheld" };

export const levelTone: Record<SaturationLevel, Tone> = {
  low: "neutral",
  medium: "warn",
  high: "high",
  critical: "bad",
};

/** Whether Ralph never prunes it by itself, for the lock on a row. */
export function isProtected(learning: {
  source: LearningSource;
  reviewed_by: string | null;
  hit_count: number;
}): boolean {
  return learning.source === "human" || learning.reviewed_by !== null || learning.hit_count >= PROTECTING_HITS;
}

/** Where a notice comes from. */
export const noticeSource: Record<NoticeKind, string> = {
  proposal: "An agent's proposal",
  git_harm: "What git tells",
  machinery_changed: "What git runs by itself",
  ralph_files: "Files below .ralph",
  consolidation: "Saturation",
  harm: "The effect of memory",
  unlearnt: "A lesson that was not stored",
};
