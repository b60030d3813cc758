import { keepPreviousData, type UseQueryResult, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import { type LearningFilter, type LearningPage, type LearningRow, queries } from "@/ipc";

/** A row of the list: the learning, or its number while its page is on its way. */
export type Slot = LearningRow | number;

const SIZE = queries.LEARNINGS_OF_PAGE;
/** Rows beyond the drawn ones whose pages are fetched already. */
const AHEAD = 40;

/** A list of any length; only the pages near the drawn rows are kept. */
export function useLearningPages(filter: LearningFilter, enabled: boolean) {
  const client = useQueryClient();
  const [near, setNear] = useState<readonly number[]>([0]);
  const first = useQuery({ ...queries.learningPage(filter, 0), enabled, placeholderData: keepPreviousData });
  const total = first.data?.total ?? 0;
  const others = useMemo(
    () => (first.isPlaceholderData ? [] : near.filter((page) => page > 0 && page * SIZE < total)),
    [near, total, first.isPlaceholderData],
  );
  const more = useQueries({
    queries: others.map((page) => ({ ...queries.learningPage(filter, page), enabled })),
    combine: rowsAndFault,
  });
  const slots = useMemo(
    () => slotsOf(total, [[0, first.data?.rows], ...others.map((page, at) => [page, more.rows[at]] as const)]),
    [total, first.data, others, more.rows],
  );
  // React renders again for a state that is set to the same value, which in each frame of scrolling costs more than the rows.
  const told = useRef("0");
  const onDrawn = useCallback((rows: readonly number[]) => {
    const pages = pagesNear(rows);
    if (told.current === pages.join()) return;
    told.current = pages.join();
    setNear(pages);
  }, []);
  return {
    first,
    slots,
    onDrawn,
    /** The error of another page, whose rows are shown as still on their way. */
    fault: more.fault,
    tryAgain: () =>
      void client.refetchQueries({
        queryKey: ["learnings", "page"],
        predicate: ({ state }) => state.status === "error",
      }),
  };
}

/** What the list needs to know about its pages; other changes to them draw nothing. */
function rowsAndFault(pages: UseQueryResult<LearningPage>[]) {
  return { rows: pages.map(({ data }) => data?.rows), fault: pages.find(({ isError }) => isError)?.error ?? null };
}

function pagesNear(rows: readonly number[]): number[] {
  const pages = rows.flatMap((row) => [row - AHEAD, row, row + AHEAD].map((near) => Math.floor(near / SIZE)));
  return [...new Set(pages)].filter((page) => page >= 0).sort((a, b) => a - b);
}

/** A learning that moved between two pages, one of them outdated, appears in only one. */
function slotsOf(total: number, pages: readonly (readonly [page: number, rows: LearningRow[] | undefined])[]): Slot[] {
  const slots: Slot[] = Array.from({ length: total }, (_, at) => at);
  const seen = new Set<string>();
  for (const [page, rows = []] of pages) {
    for (const [at, row] of rows.entries()) {
      const place = page * SIZE + at;
      if (place >= total || seen.has(row.id)) continue;
      seen.add(row.id);
      slots[place] = row;
    }
  }
  return slots;
}
