/** Values of the wire with defaults, for tests and the preview. */
import type {
  Attempt,
  FailureRecord,
  Feature,
  FeatureLearning,
  FeatureRow,
  FeatureSaturation,
  Iteration,
  Run,
  RunRow,
  SaturationLevel,
  SaturationPoint,
  Task,
  TaskCounts,
  ToldMemory,
} from "@/ipc";
import { stopIsTrouble } from "@/lib/words";

/** Ages in the sample world count from its loading. */
const NOW = Date.now();
export const before = (minutes: number, now = NOW): string => new Date(now - minutes * 60_000).toISOString();

function levelOf(pct: number): SaturationLevel {
  return pct >= 90 ? "critical" : pct >= 80 ? "high" : pct >= 60 ? "medium" : "low";
}

export function saturation(
  feature: string,
  learnings_count: number,
  protected_count: number,
  max_learnings = 50,
): FeatureSaturation {
  const saturation_pct = Math.floor((learnings_count * 100) / max_learnings);
  return {
    feature,
    learnings_count,
    max_learnings,
    protected_count,
    prunable_count: learnings_count - protected_count,
    saturation_pct,
    level: levelOf(saturation_pct),
  };
}

/** How it may have become this full: from nothing, with a step back on the way. */
export function saturationPoints({
  learnings_count,
  protected_count,
  max_learnings,
}: FeatureSaturation): SaturationPoint[] {
  const path = Array.from({ length: learnings_count + 1 }, (_, n) => (n === 20 ? 17 : n));
  return path.map((count, index) => {
    const saturation_pct = Math.floor((count * 100) / max_learnings);
    return {
      at: before((path.length - index) * 60 * 9),
      learnings_count: count,
      max_learnings,
      protected_count: Math.min(count, Math.round((protected_count * index) / Math.max(1, learnings_count))),
      saturation_pct,
      level: levelOf(saturation_pct),
    };
  });
}

export function feature(name: string, part: Partial<Feature> = {}): Feature {
  return {
    id: 1,
    name,
    display_name: name,
    acronym: name.slice(0, 4).toUpperCase(),
    description: "",
    architecture: "",
    boundaries: "",
    context_files: [],
    knowledge_paths: [],
    dependencies: [],
    parent: null,
    state: "active",
    author: "human",
    by_person: true,
    max_learnings: null,
    created: before(60 * 24 * 30),
    updated: before(60 * 24),
    ...part,
  };
}

export const counts = (part: Partial<TaskCounts> = {}): TaskCounts => ({
  draft: 0,
  pending: 0,
  in_progress: 0,
  blocked: 0,
  in_review: 0,
  done: 0,
  failed: 0,
  skipped: 0,
  ...part,
});

export function featureRow(name: string, part: Partial<FeatureRow> & { of?: Partial<Feature> } = {}): FeatureRow {
  const { of, ...rest } = part;
  return {
    feature: feature(name, of),
    tasks: counts(),
    saturation: saturation(name, 0, 0),
    parked_count: 0,
    review_count: 0,
    split_task: null,
    outside: false,
    outside_replica: null,
    ...rest,
  };
}

export function learning(
  id: string,
  feature: string,
  text: string,
  part: Partial<FeatureLearning> = {},
): FeatureLearning {
  return {
    id,
    feature,
    text,
    reason: null,
    category: "pitfall",
    tags: [],
    source: "agent",
    task_id: null,
    iteration: null,
    created: before(60 * 24 * 3),
    last_used: null,
    hit_count: 1,
    reviewed_by: null,
    review_count: 0,
    state: "active",
    superseded_by: null,
    conflicts_with: [],
    ...part,
  };
}

export function task(id: number, feature: string, title: string, part: Partial<Task> = {}): Task {
  return {
    id,
    feature,
    title,
    description: "",
    acceptance_criteria: [],
    status: "pending",
    priority: "medium",
    provenance: "human",
    author: "human",
    by_person: true,
    kind: "work",
    tags: [],
    depends_on: [],
    parent: null,
    discipline: null,
    position: id,
    blocked_reason: null,
    readiness: "ready",
    waiting_on: [],
    consecutive_failures: 0,
    stuck: false,
    created: before(60 * 24 * 5),
    updated: before(60 * 3),
    ...part,
  };
}

export function iteration(
  id: number,
  run: number,
  task: number,
  task_title: string,
  part: Partial<Iteration> = {},
): Iteration {
  return {
    id,
    run,
    number: id,
    task,
    task_title,
    attempt: 1,
    model: "sonnet",
    rationale: null,
    outcome: "done",
    note: null,
    usage: {
      input_tokens: 18_400,
      output_tokens: 2_200,
      cache_read_tokens: 91_000,
      cache_write_tokens: 6_000,
      cost_usd: 0.21,
    },
    denials: [],
    evidence: { head_before: "a1b2c3d", head_after: "d4e5f6a", commits: [], changed_files: [], check: null },
    told: [],
    withheld: [],
    held_out: false,
    difficulty: null,
    saturation_before: null,
    saturation_after: null,
    split_task: null,
    started: before(20),
    ended: before(16),
    exit_code: 0,
    lane: 1,
    worktree: null,
    scheduled: null,
    ...part,
  };
}

export function failure(part: Partial<FailureRecord> = {}): FailureRecord {
  return {
    what_was_tried: "Mocked the system clock in the refund tests",
    why_it_failed: "One test still compares wall time",
    category: "test_failure",
    relevant_files: [],
    stack_trace: null,
    retry_suggestion: null,
    signature: "test_failure: one test still compares wall time",
    generated: false,
    ...part,
  };
}

/** The attempt that an iteration was. */
export function attempt(of: Iteration, failure: FailureRecord | null = null): Attempt {
  return {
    number: of.attempt ?? 1,
    iteration: of.id,
    model: of.model,
    outcome: of.outcome,
    note: of.note,
    at: of.ended ?? of.started,
    cost_usd: of.usage.cost_usd,
    failure,
  };
}

export function run(id: number, part: Partial<Run> = {}): Run {
  return {
    id,
    agent: "claude",
    model: "sonnet",
    strategy: "escalate",
    hold_out: 0,
    task: null,
    limits: { max_iterations: 20, max_minutes: null, max_usd: 5 },
    check: null,
    state: "ended",
    control: "none",
    waiting_until: null,
    stop_reason: "nothing_ready",
    note: null,
    iterations: 3,
    cost_usd: 0.84,
    estimated_usd: 0,
    started: before(60 * 26),
    ended: before(60 * 25),
    owner_pid: 4242,
    workers: 1,
    ...part,
  };
}

/** A run as a list shows it. */
export function runRow(of: Run, done = 0, failed = 0): RunRow {
  const result = stopIsTrouble(of.stop_reason) ? "trouble" : done === 0 && failed > 0 ? "all_failed" : "done";
  return { ...of, done, failed, result: of.state === "ended" ? result : null };
}

/** A learning as listed for a prompt. */
export function toldLearning(id: string, at: number): ToldMemory {
  return { kind: "learning", id, rank: at + 1, channels: ["lexical"] };
}
