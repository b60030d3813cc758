import { useIsMutating, useQuery } from "@tanstack/react-query";
import { queries, type ReviewRow } from "@/ipc";
import { isReview } from "@/lib/needs";
import { workOf } from "@/lib/work";

/** The key of a merge that this window began, by which every page finds it; another project has the same numbers. */
export function useMergeKey(row: ReviewRow) {
  const { data: project } = useQuery(queries.project());
  return ["merge", project?.path ?? "", workOf(row)];
}

/** What is being done with work now, in words, and whether this window merges it, so that it can stop that. */
export function useUnderWay(row: ReviewRow): { words: string | null; merging: boolean } {
  const { data: overview } = useQuery(queries.overview());
  const merging = useIsMutating({ mutationKey: useMergeKey(row) }) > 0;
  const item = overview?.needs_you
    .filter(isReview)
    .find((item) => (item.kind === "in_review" ? item.task === row.task : item.errand === row.errand));
  return { words: item?.under_way ?? (merging ? "it is being merged" : null), merging };
}
