/** Several workers at once in the sample project, what was said to them, and errands beside them. */
import type { Errand, Guidance, LaneRow, LaneSignal, Overview, Topic } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

export function lane(number: number, task: number, task_title: string, part: Partial<LaneRow> = {}): LaneRow {
  return {
    lane: number,
    task,
    task_title,
    iteration: 104 + number,
    agent: "claude",
    model: "sonnet",
    worktree: `/home/dev/.local/share/ralph/worktrees/acme-payments/${task}`,
    since: before(6 - number),
    control: "none",
    scheduled: null,
    cost_usd: 0.12 * number,
    cost_estimated: false,
    unpriced: false,
    ...part,
  };
}

const LANES: LaneRow[] = [
  lane(1, 208, "Retry refunds that time out", { model: "opus", since: before(1.7), cost_usd: 0.41 }),
  lane(2, 220, "Expire sessions after a password change", { control: "pause" }),
  lane(3, 230, "Keep order of concurrent inserts", {
    cost_estimated: true,
    scheduled: "before #232, which likely touches src/sync/merge.rs as #230 does",
  }),
];

export function laneSignals(lanes: LaneRow[]): LaneSignal[] {
  const last: LaneSignal["last"][] = [
    {
      at: before(0),
      by: "agent",
      signal: { kind: "tool_call", id: "c9", name: "Bash", summary: "cargo nextest run -p refund", paths: [] },
    },
    { at: before(2.2), by: "agent", signal: { kind: "text", text: "Sessions are in two tables.\n\nI change both." } },
    null,
  ];
  return lanes.map(({ lane, iteration }, at) => ({ lane, iteration, last: last[at] ?? null }));
}

export function errand(id: number, part: Partial<Errand> = {}): Errand {
  return {
    id,
    kind: "resolve_conflict",
    state: "done",
    task: 221,
    title: "Settle the conflict of task #221",
    agent: "claude",
    model: "sonnet",
    folder: "/home/dev/.local/share/ralph/worktrees/acme-payments/221",
    max_usd: 1,
    max_minutes: 10,
    answer: "Both sides counted tries; the base's counter stays, and the limit reads it.",
    note: null,
    usage: {
      input_tokens: 9_000,
      output_tokens: 800,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      cost_usd: 0.11,
      cost_estimated: false,
      unpriced: false,
    },
    started: before(90),
    ended: before(86),
    ...part,
  };
}

const ERRANDS = [
  errand(3, { kind: "review", state: "running", task: 230, started: before(2), ended: null, answer: "" }),
  errand(2, {
    state: "failed",
    note: "the check failed on its result: 2 of 42 tests",
    started: before(70),
    ended: before(64),
  }),
  errand(1),
];

export function laneHandlers(
  world: { overview: Overview },
  full: boolean,
  changed: (...topics: Topic[]) => void,
): Handlers {
  let errands = full ? ERRANDS : [];
  const find = (id: number) => {
    const found = errands.find((one) => one.id === id);
    if (!found) throw fault("not_found", `There is no errand '${id}'.`);
    return found;
  };
  let given = 10;
  return {
    lane_signals: () => laneSignals(world.overview.lanes),
    list_errands: () => errands,
    get_errand: find,
    stop_errand: (id) => {
      const found = find(id);
      errands = errands.map((one) => (one.id === id ? { ...one, state: "stopped", ended: before(0) } : one));
      changed("runs");
      return found;
    },
    guide: (task, text) => {
      const guidance: Guidance = { id: ++given, task, text, created: before(0), iteration: null };
      world.overview = { ...world.overview, guidance: [...world.overview.guidance, guidance] };
      changed("runs", "iterations");
      return guidance;
    },
    withdraw_guidance: (id) => {
      const found = world.overview.guidance.find((one) => one.id === id);
      if (!found) throw fault("not_found", `There is no guidance '${id}'.`);
      world.overview = { ...world.overview, guidance: world.overview.guidance.filter((one) => one.id !== id) };
      changed("runs", "iterations");
      return found;
    },
  };
}

/** Turns the one worker of the sample's run into three of four. */
export function sideBySide(world: { overview: Overview }): void {
  const run = world.overview.active_run;
  if (!run) return;
  world.overview = {
    ...world.overview,
    active_run: { ...run, workers: 4 },
    lanes: LANES,
    idle_lanes: [{ lane: 4, control: "none" }],
    guidance: [
      { id: 1, task: 208, text: "The sandbox answers 202: wait for the webhook.", created: before(3), iteration: null },
    ],
  };
}
