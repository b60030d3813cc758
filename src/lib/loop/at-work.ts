import type { Overview, RunAtWork } from "@/ipc";

/** Every active run with what its workers are doing, newest first. */
export function runsAtWork(overview: Overview): RunAtWork[] {
  const { active_run, lanes, idle_lanes, runs_at_work } = overview;
  if (!active_run) return [];
  return [{ run: active_run, lanes, idle_lanes }, ...runs_at_work.filter(({ run }) => run.id !== active_run.id)];
}
