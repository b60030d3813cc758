import { commands, type Task, type TaskPatch } from "@/ipc";
import { tellDone } from "./command";
import { priorityWord, statusWord } from "./words";

/** What brings a task back to how it stood before its status or priority was changed. */
export function backTo(task: Task): TaskPatch {
  const reason = task.status === "blocked" ? { blocked_reason: task.blocked_reason } : {};
  // Only the loop puts a task in progress: what a person took out of its hands goes back among those that are ready.
  return { status: task.status === "in_progress" ? "pending" : task.status, priority: task.priority, ...reason };
}

/** Changes a task's status or priority, with a way back. */
export async function changeTask(task: Task, patch: Pick<TaskPatch, "status" | "priority">): Promise<void> {
  await commands.updateTask(task.id, patch);
  const words = [
    patch.status && statusWord[patch.status].toLowerCase(),
    patch.priority && `${priorityWord[patch.priority].toLowerCase()} priority`,
  ];
  tellDone(`#${task.id}: ${words.filter(Boolean).join(", ")}`, () => commands.updateTask(task.id, backTo(task)));
}
