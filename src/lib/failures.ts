import type { Attempt } from "@/ipc";

/** Failures in a row from which a task counts as stuck. */
export const STUCK_AFTER = 3;

/** Attempts that failed in a row before now, newest first; one that still runs says nothing yet. */
export function failuresInRow(attempts: Attempt[]): Attempt[] {
  const ended = attempts.filter(({ outcome }) => outcome !== "running");
  const done = ended.findIndex(({ outcome }) => outcome === "done");
  return done < 0 ? ended : ended.slice(0, done);
}

/** How often the task failed in the way of this attempt, this attempt included. */
export function sameFailures(attempts: Attempt[], attempt: Attempt): number {
  const signature = attempt.failure?.signature;
  return signature === undefined ? 0 : attempts.filter(({ failure }) => failure?.signature === signature).length;
}
