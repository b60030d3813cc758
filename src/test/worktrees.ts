/** Worktrees and what is known on their branches only, in the sample project. */
import type { StagedLearning, Topic, WorktreeRow } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

export function worktree(task: number, slug: string, part: Partial<WorktreeRow> = {}): WorktreeRow {
  return {
    path: `/home/dev/.local/share/ralph/worktrees/acme-payments-1f0c/${task}-${slug}`,
    branch: `ralph/${task}-${slug}`,
    task,
    errand: null,
    state: "ready",
    under_way: null,
    bytes: 412_000_000,
    base: "main",
    port_base: 4000,
    made: before(60 * 5),
    kept: null,
    ...part,
  };
}

const WORKTREES = [
  worktree(208, "retry-refunds", { state: "in_review" }),
  worktree(221, "rate-limit", { bytes: 418_300_000, made: before(60 * 20) }),
  worktree(207, "idempotency-keys", { state: "merged", bytes: 391_000_000, made: before(60 * 24 * 2) }),
  worktree(241, "skip-the-tour", {
    state: "discarded",
    bytes: 1_204_000_000,
    made: before(60 * 24 * 16),
    kept: "it holds work that is not committed: src/tour/steps.ts, src/tour/notes.md",
  }),
  worktree(190, "ledger-export", { state: "missing", bytes: 0, made: before(60 * 24 * 30) }),
];

const STAGED: StagedLearning[] = [
  {
    id: "01KSTAGED0000000000000000A",
    branch: "ralph/208-retry-refunds",
    at: before(22),
    standing: "waiting",
    learning: {
      feature: "payments",
      text: "`Retry::due` takes a clock; a refund is due in the provider's time zone, not in ours.",
      reason: "A test that read the system's clock failed after midnight.",
      category: "pitfall",
      tags: ["clock", "refund"],
      source: "agent",
      task_id: 208,
      iteration: 104,
    },
  },
  {
    id: "01KSTAGED0000000000000000B",
    branch: "ralph/208-retry-refunds",
    at: before(60),
    standing: "landed",
    learning: {
      feature: "payments",
      text: "What landed is an ordinary learning by now.",
      reason: null,
      category: null,
      tags: [],
      source: "agent",
      task_id: 208,
      iteration: 104,
    },
  },
];

export function worktreeHandlers(full: boolean, changed: (...topics: Topic[]) => void): Handlers {
  let rows = full ? WORKTREES : [];
  const why = (row: WorktreeRow, withSnapshot: boolean): string | null => {
    if (row.state === "ready" || row.state === "in_review") return "its 14 days are not over";
    return withSnapshot ? null : row.kept;
  };
  const sift = (withSnapshot: boolean) => ({
    removed: rows.filter((row) => why(row, withSnapshot) === null).map((row) => ({ ...row, kept: null })),
    kept: rows
      .filter((row) => why(row, withSnapshot) !== null)
      .map((row) => ({ ...row, kept: why(row, withSnapshot) })),
  });
  return {
    list_worktrees: () => rows,
    list_staged: (feature) =>
      full ? STAGED.filter(({ learning }) => feature === null || learning.feature === feature) : [],
    show_worktree: () => null,
    remove_worktree: (branch, withSnapshot) => {
      const found = rows.find((row) => row.branch === branch);
      if (!found) throw fault("not_found", `There is no worktree '${branch}'.`);
      if (found.kept && !withSnapshot) throw fault("invalid", `${found.path} holds work that is not committed`);
      rows = rows.filter((row) => row !== found);
      changed("worktrees");
      return found;
    },
    prunable_worktrees: sift,
    prune_worktrees: (withSnapshot) => {
      const sifted = sift(withSnapshot);
      rows = rows.filter((row) => sifted.kept.some(({ branch }) => branch === row.branch));
      changed("worktrees");
      return sifted;
    },
  };
}
