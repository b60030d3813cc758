import { type CommandFault, type FileConflict, type Review, type ReviewRow, toFault } from "@/ipc";
import type { Tone } from "@/lib/words";

/** The state of the work, in words; `heldUp`: nothing is merged now; `underWay`: what is being done with it. */
export function standingOf(
  { state, standing, base }: ReviewRow,
  heldUp: boolean,
  underWay: string | null,
): { words: string; tone: Tone } {
  if (underWay !== null) return { words: underWay, tone: "accent" };
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

/** A refused merge with the way out that this page offers: the command line has the same acts by other names. */
export function hereSaid(fault: CommandFault, { errand }: Pick<ReviewRow, "errand">): CommandFault {
  const hint = fault.hint?.includes("ralph trust") ? undefined : errand === null ? WAYS[fault.code] : ANEW[fault.code];
  return toFault(hint === undefined ? fault : { ...fault, hint });
}

const WAYS: Partial<Record<string, string>> = {
  conflict:
    "Accept… can have an agent resolve it, and Send back… gives it to the next attempt. Or settle the files in its worktree, then merge again.",
  start_lost: "Do in the worktree what the message names, then merge again; or send it back.",
  check_failed: "See what the check said; Send back… gives it to the next attempt.",
};

const DISCARD = "Discard it, then order it anew from the base as it is now.";
const ANEW: Partial<Record<string, string>> = { conflict: DISCARD, start_lost: DISCARD, check_failed: DISCARD };

/** The number of lines at which proposed documents may say something other than what was learnt. */
export function divergingLines(divergences: Review["divergences"]): number {
  return new Set(divergences.map(({ file, line }) => `${file}:${line}`)).size;
}

/** Whether the work still awaits a decision. */
export function isOpen({ state, standing }: ReviewRow): boolean {
  return state === "ready" && standing !== "landed";
}
