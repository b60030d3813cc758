import type { Priority, Task, TaskStatus } from "@/ipc";

/** The groups of the Tasks page, from what can be worked now to what is over. */
const GROUPS = [
  "ready",
  "in_progress",
  "in_review",
  "blocked",
  "waiting",
  "draft",
  "failed",
  "done",
  "skipped",
] as const;
export type Group = (typeof GROUPS)[number];

export const groupWord: Record<Group, string> = {
  ready: "Ready",
  in_progress: "In progress",
  in_review: "In review",
  blocked: "Blocked",
  waiting: "Waiting on others",
  draft: "Drafts",
  failed: "Failed",
  done: "Done",
  skipped: "Skipped",
};

const rank: Record<Priority, number> = { critical: 0, high: 1, medium: 2, low: 3 };

function groupOf(task: Task): Group {
  if (task.status !== "pending") return task.status satisfies Exclude<TaskStatus, "pending">;
  return task.readiness === "ready" ? "ready" : "waiting";
}

/** The order in which the loop takes tasks; closed ones newest first. */
export function inOrder(a: Task, b: Task): number {
  if (a.readiness === "closed" && b.readiness === "closed") return b.updated.localeCompare(a.updated) || b.id - a.id;
  return rank[a.priority] - rank[b.priority] || a.position - b.position || a.id - b.id;
}

export function grouped(tasks: readonly Task[]): [Group, Task[]][] {
  return GROUPS.map((group): [Group, Task[]] => [
    group,
    tasks.filter((task) => groupOf(task) === group).sort(inOrder),
  ]).filter(([, members]) => members.length > 0);
}

/**
 * What a drop means for `TaskPatch.before`: the task that `moved` is placed before, 0 for the end of its priority, or
 * `null` if the drop changes nothing or would leave the priority.
 */
export function beforeOf(tasks: readonly Task[], moved: number, over: number): number | null {
  const from = tasks.findIndex(({ id }) => id === moved);
  const to = tasks.findIndex(({ id }) => id === over);
  const [task, target] = [tasks[from], tasks[to]];
  if (!task || !target || from === to || task.priority !== target.priority) return null;
  if (to < from) return target.id;
  const next = tasks[to + 1];
  return next && next.priority === task.priority ? next.id : 0;
}
