import { useQuery } from "@tanstack/react-query";
import { type Overview, queries, type Run, type RunAtWork } from "@/ipc";

/** Every active run with what its workers are doing, newest first. */
export function runsAtWork(overview: Overview): RunAtWork[] {
  const { active_run, lanes, idle_lanes, runs_at_work } = overview;
  if (!active_run) return [];
  return [{ run: active_run, lanes, idle_lanes }, ...runs_at_work.filter(({ run }) => run.id !== active_run.id)];
}

/** The runs that are not over, newest first: also where the overview can't be read, since the list of runs may still be. */
export function useActiveRuns(): Run[] {
  const { data: overview, isError } = useQuery(queries.overview());
  const { data: runs } = useQuery({ ...queries.runs(), enabled: isError && !overview });
  return overview ? runsAtWork(overview).map(({ run }) => run) : (runs ?? []).filter(({ ended }) => ended === null);
}
