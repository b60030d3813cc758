import type { Attempt } from "@/ipc";

/** The attempts behind a task's failures in a row, newest first; one that still runs, or was refused, says nothing of the task. */
export function failuresInRow(attempts: Attempt[], consecutive_failures: number): Attempt[] {
  return attempts.filter(({ number, outcome }) => number > 0 && outcome !== "running").slice(0, consecutive_failures);
}

/** How often the task failed in the way of this attempt, this attempt included. */
export function sameFailures(attempts: Attempt[], attempt: Attempt): number {
  const signature = attempt.failure?.signature;
  return signature === undefined ? 0 : attempts.filter(({ failure }) => failure?.signature === signature).length;
}
