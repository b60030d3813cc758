import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Repeat } from "lucide-react";
import { type CommandFault, type IterationPage, type IterationSums, queries, toFault } from "@/ipc";
import { count, number } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { filterOf } from "@/lib/loop/iteration-search";
import { Button } from "@/ui/button";
import { Cost } from "@/ui/cost";
import { Result } from "@/ui/query";
import { Empty, ErrorNote } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";
import { BehindInsights } from "./behind-insights";
import { IterationFilters } from "./iteration-filters";
import { IterationLine } from "./iteration-line";

const route = getRouteApi("/insights/iterations");

/** The iterations behind a figure. The URL holds the filter, so that it can be bookmarked and shared. */
export function IterationsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const pages = useInfiniteQuery(queries.iterationsWhere(filterOf(search)));
  const filtered = Object.values(search).some((part) => part !== undefined);
  const clear = () => void navigate({ search: {}, replace: true });
  return (
    <div className="flex h-full min-h-0 flex-col low:overflow-x-hidden low:overflow-y-auto">
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 px-6 pt-3 pb-2">
        <BehindInsights title="Iterations" />
        {pages.data && <Sums of={pages.data.pages[0]?.sums} />}
      </header>
      <IterationFilters
        search={search}
        onChange={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
        onClear={filtered ? clear : undefined}
      />
      <Result of={pages}>
        {({ pages: loaded }) =>
          (loaded[0]?.rows.length ?? 0) > 0 ? (
            <Rows
              pages={loaded}
              more={pages.hasNextPage}
              busy={pages.isFetchingNextPage}
              fault={pages.isFetchNextPageError ? toFault(pages.error) : null}
              onMore={pages.fetchNextPage}
            />
          ) : filtered ? (
            <Empty
              title="No iteration matches the filters"
              action={<Button onClick={clear}>Clear the filters</Button>}
            />
          ) : (
            <Empty icon={Repeat} title="Nothing has run yet">
              Each time an agent works on a task, an iteration is listed here.
            </Empty>
          )
        }
      </Result>
    </div>
  );
}

/** Totals of all matching iterations, the opened figure among them. */
function Sums({ of }: { of: IterationSums | undefined }) {
  if (!of) return null;
  return (
    <p className="num text-dim" data-testid="sums">
      {count(of.iterations, "iteration")} · {number(of.done)} done · {count(of.tasks, "task")} ·{" "}
      <Cost usd={of.cost_usd} estimated={of.estimated_usd} unpriced={of.unpriced} words />
    </p>
  );
}

function Rows({
  pages,
  more,
  busy,
  fault,
  onMore,
}: {
  pages: IterationPage[];
  more: boolean;
  busy: boolean;
  fault: CommandFault | null;
  onMore: () => unknown;
}) {
  const rows = pages.flatMap((page) => page.rows);
  const live = rows.some(({ iteration }) => iteration.outcome === "running");
  const now = useNow(live ? 1000 : 60_000);
  return (
    <>
      <VirtualList
        label="Iterations"
        items={rows}
        keyOf={({ iteration }) => iteration.id}
        estimate={54}
        render={(row) => <IterationLine row={row} now={now} />}
      />
      {more && (
        <footer className="num flex min-h-11 shrink-0 flex-wrap items-center gap-3 border-t border-line px-6 py-1.5 text-dim">
          {fault && <ErrorNote fault={fault} />}
          {number(rows.length)} of {number(pages[0]?.sums.iterations ?? 0)} shown
          <Button disabled={busy} onClick={() => void onMore()}>
            {busy ? "Loading…" : "Show more"}
          </Button>
        </footer>
      )}
    </>
  );
}
