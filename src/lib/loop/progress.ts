import type { Run } from "@/ipc";

/** The iterations of a run, and its limit if it has one: not all of them count towards it. */
export function iterationsOf({ iterations, uncounted = 0, limits }: Run, of: string): string {
  return limits.max_iterations === null ? String(iterations) : `${iterations - uncounted}${of}${limits.max_iterations}`;
}
