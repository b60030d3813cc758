import type { ReviewRow } from "@/ipc";
import type { Tone } from "@/lib/words";

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
