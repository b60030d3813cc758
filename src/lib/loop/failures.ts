import type { Attempt } from "@/ipc";

/** The attempts behind a task's consecutive failures, newest first; a running one, and what is not an attempt, don't count. */
export function failuresInRow(attempts: Attempt[], consecutive_failures: number): Attempt[] {
  return attempts.filter(({ number, outcome }) => number > 0 && outcome !== "running").slice(0, consecutive_failures);
}

/** How often the task failed in the same way as this attempt, including it; a failure about which nothing is known is unlike any other. */
export function sameFailures(attempts: Attempt[], attempt: Attempt): number {
  const signature = attempt.failure?.signature;
  return !signature ? 0 : attempts.filter(({ failure }) => failure?.signature === signature).length;
}
