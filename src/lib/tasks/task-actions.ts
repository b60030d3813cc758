import { commands, type Task, type TaskPatch } from "@/ipc";
import { tellDone } from "@/lib/command";
import { priorityWord, statusWord } from "@/lib/words";

/**
 * The change that restores what a patch changes, but nothing that the loop has changed since. There is none for a task that was taken out
 * of review: nobody can put a task into review.
 */
export function backTo(task: Task, patch: Pick<TaskPatch, "status" | "priority">): TaskPatch | null {
  if (patch.status && task.status === "in_review") return null;
  const reason = task.status === "blocked" ? { blocked_reason: task.blocked_reason } : {};
  // Only the loop puts a task in progress: one that a person took from it becomes pending.
  const status = { status: task.status === "in_progress" ? ("pending" as const) : task.status, ...reason };
  return { ...(patch.status && status), ...(patch.priority && { priority: task.priority }) };
}

/** Changes a task's status or priority, with an undo where there is a way back. */
export async function changeTask(task: Task, patch: Pick<TaskPatch, "status" | "priority">): Promise<void> {
  await commands.updateTask(task.id, patch);
  const words = [
    patch.status && statusWord[patch.status].toLowerCase(),
    patch.priority && `${priorityWord[patch.priority].toLowerCase()} priority`,
  ];
  const back = backTo(task, patch);
  tellDone(
    `#${task.id}: ${words.filter(Boolean).join(", ")}`,
    back ? () => commands.updateTask(task.id, back) : undefined,
  );
}
