import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { queries } from "@/ipc";
import { number } from "@/lib/format";
import { usePageActions } from "@/lib/page-actions";
import { LEARNING_STATES, stateWord } from "@/lib/words";
import { type Tab, TabPanel, Tabs } from "@/ui/tabs";
import { Audit } from "./audit";
import { Consolidate } from "./consolidate";
import { Documents } from "./documents";
import { Everything } from "./everything";
import { Memories } from "./memories";
import { Merge } from "./merge";
import { Review } from "./review";

const route = getRouteApi("/knowledge");
type TabName = "all" | "memories" | "documents" | "consolidate" | "review" | "merge" | "audit";

export function KnowledgePage() {
  const { tab, feature, part } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: queue } = useQuery(queries.reviewQueue());
  const { data: offers } = useQuery(queries.mergeOfferCount());
  const { data: overview } = useQuery(queries.overview());
  const { data: documents } = useQuery(queries.documents());
  const { data: facts } = useQuery(queries.facts());
  const { data: episodes } = useQuery(queries.episodes());
  const memories = facts && episodes && [...facts, ...episodes].filter(({ state }) => state === "active").length;
  const parked = queue?.parked.length;
  // The same number as in the rail.
  const waiting = overview?.reviews;
  const toDecide = queue && queue.pairs.length + queue.doubts.length + queue.said_again.length;
  const tabs = useMemo<Tab<TabName>[]>(
    () => [
      { value: "all", label: "All", extra: <Figure n={overview?.learnings} /> },
      { value: "memories", label: "Facts and episodes", extra: <Figure n={memories} /> },
      { value: "documents", label: "Documents", extra: <Figure n={documents?.length} /> },
      { value: "consolidate", label: "Consolidate" },
      { value: "review", label: "Review", extra: <Figure n={waiting} alert /> },
      // Only a project with many learnings has merge offers.
      ...((offers ?? 0) > 0 || tab === "merge"
        ? [{ value: "merge" as const, label: "Merge", extra: <Figure n={offers} /> }]
        : []),
      { value: "audit", label: "Audit" },
    ],
    [overview?.learnings, waiting, offers, documents?.length, memories, tab],
  );
  const show = (next: TabName) =>
    void navigate({ search: { tab: next === "all" ? undefined : next, feature }, replace: true });
  usePageActions([
    ...tabs.map(({ value, label }) => ({ words: `Knowledge: ${label.toLowerCase()}`, go: () => show(value) })),
    ...LEARNING_STATES.map((state) => ({
      words: `Filter: only ${stateWord[state].toLowerCase()} learnings`,
      go: () => void navigate({ search: { state: state === "active" ? undefined : [state], feature }, replace: true }),
    })),
  ]);
  return (
    <div className="flex h-full min-h-0 flex-col low:overflow-x-hidden low:overflow-y-auto">
      <header className="flex min-h-14 shrink-0 items-center gap-3 px-6 pt-3 pb-2">
        <h1 className="text-lg font-semibold tracking-tight">Knowledge</h1>
        <p className="num text-dim">
          {[told(overview?.learnings, "active"), told(parked, "parked"), told(toDecide, "to decide")]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </header>
      <Tabs<TabName> label="Parts of the knowledge" value={tab ?? "all"} onChange={show} tabs={tabs}>
        <TabPanel value="all" className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
          <Everything />
        </TabPanel>
        <TabPanel value="memories" className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
          <Memories />
        </TabPanel>
        <TabPanel value="documents" className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
          <Documents />
        </TabPanel>
        <TabPanel value="consolidate" className="min-h-0 flex-1 overflow-y-auto data-[state=inactive]:hidden">
          <Consolidate feature={feature} />
        </TabPanel>
        <TabPanel value="review" className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
          <Review feature={feature} part={part} />
        </TabPanel>
        <TabPanel value="merge">
          <Merge feature={feature} />
        </TabPanel>
        <TabPanel value="audit" className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
          <Audit />
        </TabPanel>
      </Tabs>
    </div>
  );
}

const told = (n: number | undefined, words: string) => n !== undefined && `${number(n)} ${words}`;

/** A number of a tab; nothing while it is not known. */
function Figure({ n, alert = false }: { n: number | undefined; alert?: boolean }) {
  if (n === undefined) return null;
  return <span className={`num text-xs ${alert && n > 0 ? "text-warn" : "text-faint"}`}>{number(n)}</span>;
}
