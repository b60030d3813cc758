import type { FileConflict, Review, ReviewRow } from "@/ipc";
import type { Tone } from "@/lib/words";

/** The state of the work, in words; `heldUp`: nothing is merged now. */
export function standingOf({ state, standing, base }: ReviewRow, heldUp: boolean): { words: string; tone: Tone } {
  if (state === "discarded") return { words: "discarded", tone: "dim" };
  if (heldUp && (standing === "clean" || standing === "base_moved"))
    return { words: "can't be merged yet", tone: "bad" };
  switch (standing) {
    case "clean":
      return { words: "merges cleanly", tone: "ok" };
    case "base_moved":
      return { words: `${base} moved on`, tone: "warn" };
    case "base_gone":
      return { words: `${base} is gone`, tone: "bad" };
    case "conflicts":
      return { words: `conflicts with ${base}`, tone: "bad" };
    case "landed":
      return { words: `is in ${base}`, tone: "dim" };
  }
}

/** What the two sides did to a file, so that a merge can't decide. */
export function conflictOf({ how }: FileConflict, { base }: Pick<ReviewRow, "base">): string {
  switch (how) {
    case "same_lines":
      return "the same lines changed on both sides";
    case "both_added":
      return "both added it";
    case "deleted_in_base":
      return `deleted in ${base}, changed here`;
    case "deleted_in_work":
      return `changed in ${base}, deleted here`;
    case "renamed":
      return "renamed differently";
    case "binary":
      return "binary, changed on both sides";
    case "other":
      return "changed on both sides";
  }
}

/** The number of lines at which proposed documents may say something else than what was learnt. */
export function divergingLines(divergences: Review["divergences"]): number {
  return new Set(divergences.map(({ file, line }) => `${file}:${line}`)).size;
}

/** Whether the work still awaits a decision. */
export function isOpen({ state, standing }: ReviewRow): boolean {
  return state === "ready" && standing !== "landed";
}
