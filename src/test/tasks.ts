/** The tasks of the sample project, and the answers to commands about them. */
import type { Overview, Task, TaskFilter, Topic } from "@/ipc";
import { fault, type Handlers } from "@/ipc/fake-transport";
import { before, task } from "./builders";
import { SAMPLE_NEXT_PROMPT } from "./history";
import { historyOf } from "./runs";

type World = { tasks: Task[]; overview: Overview };
type Changed = (...topics: Topic[]) => void;

export function sampleTasks(): Task[] {
  const agent = { provenance: "agent" as const };
  return [
    task(214, "payments", "Split 'Payments': 46 of 50 learnings", {
      kind: "split",
      provenance: "system",
      priority: "high",
      tags: ["split", "saturation"],
      discipline: "architecture",
    }),
    task(208, "payments", "Retry refunds that time out", {
      status: "in_progress",
      readiness: "running",
      priority: "high",
      description:
        "A refund whose provider call times out is lost today.\n\nRetry it with backoff, and never twice for one idempotency key.",
      acceptance_criteria: ["A timed-out refund is tried again at most five times", "The same key never pays twice"],
      discipline: "backend",
      depends_on: [207],
      consecutive_failures: 3,
      stuck: true,
    }),
    task(209, "payments", "Show refund state on the order page", {
      readiness: "waiting",
      waiting_on: [208],
      depends_on: [208],
      discipline: "frontend",
    }),
    task(210, "payments", "Reconcile the ledger nightly", {
      readiness: "waiting",
      waiting_on: [208, 209],
      depends_on: [208, 209],
      ...agent,
    }),
    task(207, "payments", "Idempotency keys for refunds", { status: "done", readiness: "closed" }),
    task(199, "payments", "Rotate provider credentials", {
      status: "blocked",
      readiness: "needs_person",
      blocked_reason: "needs the new secret from the vault",
    }),
    task(220, "auth", "Expire sessions after a password change", { priority: "critical", discipline: "security" }),
    task(221, "auth", "Rate limit for sign-in", { priority: "high", tags: ["security"] }),
    task(222, "auth", "Remove the old cookie format", { priority: "low" }),
    task(230, "sync", "Keep order of concurrent inserts", { priority: "high", ...agent }),
    task(231, "sync", "Compact tombstones", { depends_on: [230], readiness: "waiting", waiting_on: [230] }),
    task(232, "sync", "Conflict view: keep both", {}),
    task(233, "sync", "Resume an upload after sleep", { status: "failed", readiness: "closed" }),
    task(240, "onboarding", "Sample project on first start", {}),
    task(241, "onboarding", "Skip the tour", { priority: "low" }),
    task(250, "export", "CSV with stable column order", { status: "draft", readiness: "needs_person" }),
    task(251, "export", "PDF of a report", { status: "draft", readiness: "needs_person", depends_on: [250] }),
  ];
}

export function taskHandlers(world: World, changed: Changed): Handlers {
  const find = (id: number) => {
    const found = world.tasks.find((t) => t.id === id);
    if (!found) throw fault("not_found", `There is no task #${id}.`, "It may belong to another project.");
    return found;
  };
  const matches = (t: Task, filter: TaskFilter) =>
    (!filter.feature || t.feature === filter.feature) &&
    (!filter.statuses?.length || filter.statuses.includes(t.status)) &&
    (!filter.priorities?.length || filter.priorities.includes(t.priority)) &&
    (!filter.provenances?.length || filter.provenances.includes(t.provenance)) &&
    (!filter.text || `${t.title} ${t.description}`.toLowerCase().includes(filter.text.toLowerCase()));
  return {
    list_tasks: (filter) => world.tasks.filter((t) => matches(t, filter)),
    get_task: (id) => ({
      ...find(id),
      comments: [
        {
          id: 1,
          task_id: id,
          author: "agent",
          text: "The provider answers 202 before the refund is booked.",
          created: before(55),
        },
      ],
      ...historyOf(id),
    }),
    next_prompt: () => SAMPLE_NEXT_PROMPT,
    create_task: (given) => {
      const made = task(Math.max(0, ...world.tasks.map((t) => t.id)) + 1, given.feature ?? "", given.title ?? "", {
        priority: given.priority ?? "medium",
      });
      world.tasks.push(made);
      changed("tasks");
      return made;
    },
    // The screen does not parse lists: here each line is a task, and one whose title exists already is left out.
    listed_tasks: ({ text = "" }) => {
      const lines = text.split("\n").map((title, at) => ({ line: at + 1, title, description: "" }));
      const there = (title: string) => world.tasks.find((task) => task.title === title);
      return {
        tasks: lines.filter(({ title }) => !there(title)),
        left_out: lines.flatMap(({ line, title }) => {
          const task = there(title)?.id;
          return task === undefined ? [] : [{ line, title, why: `task #${task} already`, task }];
        }),
      };
    },
    import_tasks: ({ feature = "", text = "" }) => {
      const tasks = text.split("\n").map((title, at) => task(900 + at, feature, title));
      world.tasks.push(...tasks);
      changed("tasks");
      return { tasks, left_out: [] };
    },
    update_task: (id, patch) => {
      // Another object, as over the wire: what was fetched before stays as it was.
      const changedTask = { ...find(id), ...patch } as Task;
      world.tasks = world.tasks.map((one) => (one.id === id ? changedTask : one));
      changed("tasks");
      return changedTask;
    },
    put_back: (ids, answer) => {
      const waits = (item: Overview["needs_you"][number]) => item.kind !== "blocked_task" || !ids.includes(item.task);
      const { needs_you, needs_you_count } = world.overview;
      const left = needs_you.filter(waits);
      world.overview = {
        ...world.overview,
        needs_you: left,
        needs_you_count: needs_you_count - (needs_you.length - left.length),
      };
      const back = ids.map((id) => {
        const { status, blocked_reason } = find(id);
        const before = { task: id, status, blocked_reason, attempts_from: 0, comment: answer === null ? null : 7 };
        return { ...Object.assign(find(id), { status: "pending", readiness: "ready" }), before };
      });
      changed("tasks");
      return back;
    },
    undo_put_back: (acts) => acts.map(({ task }) => find(task)),
    add_comment: (id, text) => ({ id: 2, task_id: id, author: "human", text, created: before(0) }),
  };
}
