import type { ReviewRow } from "@/ipc";
import type { Tone } from "@/lib/words";

/** The name of the work in URLs and commands: `208` for a task, `e3` for an errand. */
export function workOf({ task, errand }: Pick<ReviewRow, "task" | "errand">): string {
  return task === null ? `e${errand}` : `${task}`;
}

/** The name of the work for a person. */
export function nameOf({ task, errand }: Pick<ReviewRow, "task" | "errand">): string {
  return task === null ? `errand ${errand}` : `#${task}`;
}

/** The state of the work, in words. */
export function standingOf({ state, standing, base }: ReviewRow): { words: string; tone: Tone } {
  if (state === "discarded") return { words: "discarded", tone: "dim" };
  switch (standing) {
    case "clean":
      return { words: "merges cleanly", tone: "ok" };
    case "base_moved":
      return { words: `${base} moved on`, tone: "warn" };
    case "conflicts":
      return { words: `conflicts with ${base}`, tone: "bad" };
    case "landed":
      return { words: `is in ${base}`, tone: "dim" };
  }
}

/** Whether the work still awaits a decision. */
export function isOpen({ state, standing }: ReviewRow): boolean {
  return state === "ready" && standing !== "landed";
}
