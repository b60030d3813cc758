import { useQuery } from "@tanstack/react-query";
import { type Overview, queries, type Run, type RunAtWork } from "@/ipc";

/** Every active run with what its workers are doing, newest first. */
export function runsAtWork(overview: Overview): RunAtWork[] {
  const { active_run, lanes, idle_lanes, runs_at_work } = overview;
  if (!active_run) return [];
  return [{ run: active_run, lanes, idle_lanes }, ...runs_at_work.filter(({ run }) => run.id !== active_run.id)];
}

/** By number, the iterations and errands that are going on. */
export function worksAtWork(overview: Overview): string[] {
  const iterations = runsAtWork(overview).flatMap(({ lanes }) => lanes.map(({ iteration }) => `#${iteration}`));
  return [...iterations, ...overview.errands_at_work.map(({ id }) => `e${id}`)];
}

/** The runs that are not over, newest first: also where the overview can't be read, since the list of runs may still be. */
export function useActiveRuns(): Run[] {
  const { data: overview, isError } = useQuery(queries.overview());
  const { data: runs } = useQuery({ ...queries.runs(), enabled: isError && !overview });
  return overview ? runsAtWork(overview).map(({ run }) => run) : (runs ?? []).filter(({ ended }) => ended === null);
}
