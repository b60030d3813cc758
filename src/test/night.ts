/** A night that nobody watched: a long run that ended, a dead one before it, and much that waits. */
import type { Iteration, NeedsYou, Overview, SinceLook } from "@/ipc";
import { before, iteration, run, runRow } from "./builders";
import type { World } from "./world";

export const NIGHT_RUN = runRow(
  run(40, {
    iterations: 304,
    cost_usd: 9.76,
    started: before(60 * 9),
    ended: before(60 * 4),
    limits: { max_iterations: null, max_minutes: null, max_usd: 10 },
  }),
  257,
  43,
);
const DEAD = runRow(
  run(39, {
    stop_reason: "crashed",
    note: "its process ended at 22:48 without telling why",
    iterations: 4,
    cost_usd: 0.2,
    started: before(60 * 9.3),
    ended: before(60 * 9.1),
  }),
  2,
  1,
);
const STALLED = runRow(
  run(38, {
    stop_reason: "stalled",
    note: "5 iterations in a row left nothing",
    iterations: 5,
    cost_usd: 0.4,
    started: before(60 * 9.45),
    ended: before(60 * 9.35),
  }),
  0,
  5,
);

export const SINCE: SinceLook = {
  at: before(60 * 9.5),
  work: { done: 257, failed: 31, cost_usd: 9.76, estimated_usd: 0 },
  learnt: 64,
  put_away: 3,
  saturation: [
    { feature: "payments", before_pct: 62, now_pct: 92 },
    { feature: "sync", before_pct: 40, now_pct: 66 },
    { feature: "auth", before_pct: 80, now_pct: 84 },
  ],
};

const REASONS = ["The check failed five times in a row", "needs the new secret from the vault", "The sandbox was down"];

/** Three hundred iterations, each seventh failed. */
export const NIGHT: Iteration[] = Array.from({ length: 300 }, (_, index) => {
  const failed = index % 7 === 3;
  const at = 60 * 9 - index;
  return iteration(
    1000 + index,
    40,
    300 + Math.floor(index / 1.2),
    `Task of the night ${300 + Math.floor(index / 1.2)}`,
    {
      number: index + 1,
      outcome: failed ? "failed" : "done",
      model: index % 5 === 0 ? "opus" : "sonnet",
      rationale: "escalate: the weakest model first",
      note: failed ? "The check failed: 2 of 42 tests" : null,
      started: before(at),
      ended: before(at - 0.9),
    },
  );
}).reverse();

function waiting(): NeedsYou[] {
  const blocked = Array.from({ length: 199 }, (_, index) => ({
    kind: "blocked_task" as const,
    task: 300 + index,
    title: `Task of the night ${300 + index}`,
    feature: ["payments", "sync", "auth"][index % 3] ?? "payments",
    reason: REASONS[index % 3] ?? "",
    since: before(60 * 4 + index),
  }));
  return [...blocked, { kind: "conflicts", feature: "sync", count: 4 }];
}

/** Turns the sample into the morning after. */
export function nightBefore(world: World): void {
  const others = world.overview.needs_you.filter(({ kind }) => kind !== "blocked_task" && kind !== "conflicts");
  const needs_you = [...others, ...waiting()];
  const overview: Overview = {
    ...world.overview,
    active_run: null,
    active_iteration: null,
    lanes: [],
    idle_lanes: [],
    runs_at_work: [],
    rests_after: NIGHT_RUN,
    needs_you,
    needs_you_count: 203,
  };
  world.overview = overview;
  const { handlers } = world.transport;
  const runs = handlers.list_runs;
  Object.assign(handlers, {
    since_look: () => SINCE,
    list_runs: async () => [NIGHT_RUN, DEAD, STALLED, ...((await runs?.()) ?? []).slice(1)],
    get_run: () => {
      const { done, failed, ...found } = NIGHT_RUN;
      return { run: found, iterations: NIGHT, done, failed };
    },
    get_iteration: (id: number) => ({
      iteration: NIGHT.find((one) => one.id === id) ?? NIGHT[0],
      prompt: "",
      hooks: [],
      remarks: [],
      guidance: [],
    }),
  });
}
