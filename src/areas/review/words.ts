import type { ReviewRow } from "@/ipc";
import type { Tone } from "@/lib/words";

/** By which the address and commands know the work: `208` for a task, `e3` for an errand. */
export function workOf({ task, errand }: Pick<ReviewRow, "task" | "errand">): string {
  return task === null ? `e${errand}` : `${task}`;
}

/** By which a person knows it. */
export function nameOf({ task, errand }: Pick<ReviewRow, "task" | "errand">): string {
  return task === null ? `errand ${errand}` : `#${task}`;
}

/** How the work stands, in words. */
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

/** Whether it is still to be decided. */
export function isOpen({ state, standing }: ReviewRow): boolean {
  return state === "ready" && standing !== "landed";
}
