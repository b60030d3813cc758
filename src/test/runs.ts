/** The runs of the sample project, and the answers to commands about them. */
import type {
  AgentSignal,
  FailureRecord,
  Iteration,
  IterationFilter,
  IterationPage,
  IterationSums,
  RemarkLine,
  Run,
  RunRow,
  ShownEntry,
  SpokenPiece,
} from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { attempt, before, failure, iteration, run, runRow, toldLearning } from "./builders";
import { SAMPLE_DIFF, SAMPLE_PROMPT, SAMPLE_SPOKEN, sampleSignals } from "./sample";

export const RUNS = [
  run(38, {
    state: "running",
    stop_reason: null,
    ended: null,
    started: before(41),
    iterations: 5,
    cost_usd: 1.84,
    estimated_usd: 0.34,
  }),
  run(37, { iterations: 12, cost_usd: 3.02 }),
  run(36, {
    stop_reason: "authentication",
    note: "Claude Code is not logged in. Run `claude` once and log in.",
    iterations: 1,
    cost_usd: 0,
  }),
  run(35, { agent: "scripted", model: "script", iterations: 3, cost_usd: 0, stop_reason: "max_iterations" }),
];

export const ITERATIONS = [
  iteration(105, 38, 208, "Retry refunds that time out", {
    outcome: "running",
    attempt: 4,
    model: "opus",
    rationale: "escalate: opus, one step up after 3 failures in a row of #208",
    ended: null,
    exit_code: null,
    started: before(1.7),
    told: ["L001", "L002", "L003", "L004"].map(toldLearning),
    saturation_before: 92,
  }),
  iteration(104, 38, 208, "Retry refunds that time out", {
    outcome: "failed",
    attempt: 3,
    rationale: "escalate: sonnet, one step up after 2 failures in a row of #208",
    difficulty: "hard",
    saturation_before: 88,
    saturation_after: 92,
    split_task: 214,
    note: "The check failed: 1 of 42 tests",
    denials: ["WebFetch"],
    evidence: {
      head_before: "a1b2c3d",
      head_after: "d4e5f6a",
      commits: ["d4e5f6a refunds: pass the clock in"],
      changed_files: ["src/refund/retry.rs", "src/refund/clock.rs", "tests/refund.rs"],
      check: {
        command: "cargo nextest run",
        passed: false,
        exit_code: 100,
        output_tail:
          "FAIL refund::retry::waits_for_the_window\n\n  left: 300s\n right: 301s\n\nSummary: 42 tests run: 41 passed, 1 failed",
      },
    },
  }),
  iteration(103, 38, 207, "Idempotency keys for refunds", {
    saturation_before: 88,
    saturation_after: 88,
    started: before(27),
    ended: before(23),
    held_out: true,
    withheld: ["L001", "L002", "L003"].map(toldLearning),
    usage: {
      input_tokens: 9_100,
      output_tokens: 900,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      cost_usd: 0.34,
      cost_estimated: true,
    },
  }),
  iteration(102, 38, 206, "Round ledger entries half to even", { started: before(35), ended: before(28.6) }),
  iteration(101, 38, 205, "Order of webhooks", {
    outcome: "no_sigil",
    note: "The agent ended without saying whether it was done",
    started: before(41),
    ended: before(36),
  }),
];

/** Earlier attempts at #208, which run 37 made. */
const EARLIER = [98, 97].map((id, index) =>
  iteration(id, 37, 208, "Retry refunds that time out", {
    outcome: "failed",
    attempt: 2 - index,
    model: "haiku",
    started: before(25 * 60 + index * 20),
    ended: before(25 * 60 + index * 20 - 6),
  }),
);

const FAILURES: Record<number, FailureRecord> = {
  104: failure({
    relevant_files: ["src/refund/retry.rs", "tests/refund.rs"],
    retry_suggestion: "Pass a clock into Retry::due",
    stack_trace: "left: 300s\n right: 301s",
  }),
  98: failure({ what_was_tried: "Changed src/refund/retry.rs", generated: true }),
  97: failure({
    what_was_tried: "Added a retry crate",
    why_it_failed: "The crate needs a newer toolchain",
    category: "dependency_error",
    signature: "dependency_error: the crate needs a newer toolchain",
  }),
};

/** Iterations at a task, and its attempts with their failures. */
export function historyOf(task: number) {
  const iterations = [...ITERATIONS, ...EARLIER].filter((one) => one.task === task);
  const attempts = iterations
    .filter((one) => one.attempt !== null)
    .map((one) => attempt(one, FAILURES[one.id] ?? null));
  return { iterations, attempts };
}

/** A few to a page, so that the sample has pages. */
const PAGE = 4;

function pageWhere(filter: IterationFilter, before: number | null): IterationPage {
  const all = [...ITERATIONS, ...EARLIER].filter((one) => passes(one, filter));
  const left = all.filter(({ id }) => before === null || id < before);
  const rows = left.slice(0, PAGE).map((one) => ({
    iteration: one,
    strategy: "escalate" as const,
    failure: FAILURES[one.id] ?? null,
  }));
  return { rows, next: left.length > PAGE ? (rows.at(-1)?.iteration.id ?? null) : null, sums: sumsOf(all) };
}

function passes(one: Iteration, filter: IterationFilter): boolean {
  const failure = FAILURES[one.id];
  return (
    (!filter.model || one.model === filter.model) &&
    (!filter.category || failure?.category === filter.category) &&
    (!filter.signature || failure?.signature === filter.signature) &&
    (filter.done == null || (one.outcome === "done") === filter.done) &&
    (!filter.estimated || one.usage.cost_estimated === true)
  );
}

function sumsOf(all: Iteration[]): IterationSums {
  const dollars = (of: Iteration[]) => of.reduce((sum, { usage }) => sum + (usage.cost_usd ?? 0), 0);
  return {
    iterations: all.length,
    done: all.filter(({ outcome }) => outcome === "done").length,
    tasks: new Set(all.map(({ task }) => task)).size,
    cost_usd: dollars(all),
    estimated_usd: dollars(all.filter(({ usage }) => usage.cost_estimated)),
  };
}

const SAMPLE_REMARKS: RemarkLine[] = [
  { text: "pushed to origin/refunds", harms: false, way_back: null, snapshot: null },
  { text: "uncommitted work is gone: notes.md", harms: true, way_back: "ralph snapshot restore 104", snapshot: "104" },
];

export function runHandlers(full: boolean): Handlers {
  const runs = full ? RUNS : [];
  return {
    list_runs: () => runs.map(rowOf),
    get_run: (id) => {
      const { done, failed, result, ...found } = rowOf(known("run", id, runs));
      return { run: found, iterations: ITERATIONS.filter((i) => i.run === id), done, failed, result };
    },
    get_iteration: (id) => ({
      iteration: known("iteration", id, ITERATIONS),
      prompt: SAMPLE_PROMPT,
      remarks: id === 104 ? SAMPLE_REMARKS : [],
      guidance: [],
      hooks: [
        { hook: "record_outcome", applied: true, note: "failed: the check exited with 100" },
        { hook: "settle_task", applied: true, note: "#208 is ready again; second attempt" },
        { hook: "harvest_learnings", applied: true, note: "1 learning added" },
        { hook: "saturation_change", applied: false, note: "payments stays critical" },
        { hook: "detect_stall", applied: false, note: "a commit was made" },
      ],
    }),
    iterations_where: (filter, before) =>
      full ? pageWhere(filter, before) : { rows: [], next: null, sums: sumsOf([]) },
    iteration_diff: () => SAMPLE_DIFF,
    start_run: () => known("run", RUNS[0]?.id ?? 0, RUNS),
    control_run: () => known("run", RUNS[0]?.id ?? 0, RUNS),
    answer_question: (id, answer) => ({
      id,
      run: 38,
      iteration: 104,
      task: 208,
      title: "",
      tool: "WebFetch",
      summary: "",
      asked: new Date().toISOString(),
      until: new Date().toISOString(),
      answer,
      answered: new Date().toISOString(),
      by_person: true,
    }),
    follow_transcript: (_iteration, channel) => {
      channel.onmessage({ entries: sampleSignals().map(entry), ended: false, gone: false });
      return fed();
    },
    follow_errand: (_errand, channel) => {
      channel.onmessage({ entries: sampleSignals().map(entry), ended: false, gone: false });
      return fed();
    },
    stop_following: () => null,
  };
}

/** How the attempts of each run came out. */
const TALLIES: Record<number, [number, number]> = { 38: [2, 2], 37: [9, 2], 35: [3, 0] };

export function rowOf(one: Run): RunRow {
  const [done, failed] = TALLIES[one.id] ?? [0, 0];
  return runRow(one, done, failed);
}

/** The answer of a log that is not over: there is none before the page stops following it. */
const fed = () => new Promise<null>(() => {});

function known<T extends { id: number }>(what: string, id: number, rows: T[]): T {
  const found = rows.find((row) => row.id === id);
  if (!found) throw fault("not_found", `There is no ${what} ${id}.`);
  return found;
}

function entry(signal: AgentSignal, index: number): ShownEntry {
  const words: SpokenPiece[] = signal.kind === "text" ? [{ kind: "prose", text: signal.text }] : [];
  const spoken = (signal.kind === "text" && SAMPLE_SPOKEN[signal.text]) || words;
  return {
    at: new Date(Date.parse(before(1.6)) + index * 1400).toISOString(),
    by: "agent",
    signal,
    spoken,
    answer: null,
  };
}
