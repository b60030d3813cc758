/** Work that is done in a worktree: on a task, or by an errand that proposes a change. */
type Work = { task: number | null; errand: number | null };

/** The name of the work in URLs and commands: `208` for a task, `e3` for an errand. */
export function workOf({ task, errand }: Work): string {
  return task === null ? `e${errand}` : `${task}`;
}

/** The name of the work for a person. */
export function nameOf({ task, errand }: Work): string {
  return task === null ? `errand ${errand}` : `#${task}`;
}

/** The work that a URL names. */
export function named(work: string): Work {
  return work.startsWith("e") ? { task: null, errand: Number(work.slice(1)) } : { task: Number(work), errand: null };
}
