import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BookOpen } from "lucide-react";
import { memo, useCallback } from "react";
import { queries, toFault } from "@/ipc";
import { count } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { LEARNING_SOURCES, LEARNING_STATES, sourceWord, stateWord } from "@/lib/words";
import { Button } from "@/ui/button";
import { FilterMenu, SearchBox } from "@/ui/filter";
import { useEditLearning } from "@/ui/learning/edit-learning";
import { LearningRow } from "@/ui/learning/learning-row";
import { NextStep, primaryStep } from "@/ui/next-step";
import { Result } from "@/ui/query";
import { Select } from "@/ui/select";
import { Empty, ErrorNote } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";
import { ACTIVE, foundOf, hitsInWords, kindOf, requestOf } from "./found";
import { Hits } from "./hits";
import { type Slot, useLearningPages } from "./learning-pages";

const route = getRouteApi("/knowledge");
const NOTHING = { q: undefined, kind: undefined, feature: undefined, state: undefined, source: undefined };

/** All knowledge: a list, or the results of a search. Both are in the URL. */
export function Everything() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { q = "", kind, feature, state = ACTIVE, source = [] } = search;
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const query = q.trim();
  const filter = { feature: feature ?? null, states: state, category: kind ?? null, sources: source };
  const listed = useLearningPages(filter, query === "");
  const { data: categories = [] } = useQuery(queries.learningCategories(feature ?? null, state));
  const request = requestOf(query, feature, { kind, state, source });
  const recalled = useQuery({ ...queries.recall(request), enabled: query !== "" });
  const found =
    query !== "" && recalled.data
      ? foundOf(recalled.data.answer, recalled.data.learnings, { kind, state, source })
      : [];
  const kinds = new Set([...categories, ...found.map((f) => kindOf(f.hit, f.learning))]);
  const narrowed = [kind, feature, search.state, search.source].some((part) => part !== undefined);
  const clear = <Button onClick={() => set(NOTHING)}>Clear</Button>;
  return (
    <>
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-6 py-2.5">
        <SearchBox large value={q} onChange={(text) => set({ q: text || undefined })} label="Search what is known" />
        <div className="flex flex-wrap items-center gap-2">
          <Select
            className="h-7 max-w-44 bg-panel"
            label="Kind"
            value={kind ?? ""}
            onChange={(next) => set({ kind: next || undefined })}
            options={[
              { value: "", label: "All kinds" },
              ...[...kinds, ...(kind ? [kind] : [])].sort().filter(distinct).map(named),
            ]}
          />
          <FeatureSelect value={feature} onChange={(next) => set({ feature: next })} />
          <FilterMenu
            label="State"
            values={LEARNING_STATES}
            chosen={state}
            usual={ACTIVE}
            words={stateWord}
            onChange={(next) => set({ state: next.length === 0 || next.join() === "active" ? undefined : next })}
          />
          <FilterMenu
            label="Source"
            values={LEARNING_SOURCES}
            chosen={source}
            words={sourceWord}
            onChange={(next) => set({ source: next.length > 0 ? next : undefined })}
          />
          {(narrowed || query !== "") && clear}
          <span className="num ml-auto text-xs text-faint">
            {query === ""
              ? !listed.first.isPlaceholderData && listed.first.data && count(listed.first.data.total, "learning")
              : recalled.data && hitsInWords(found.length, recalled.data.answer.hits.length, request.limit)}
          </span>
        </div>
      </div>
      {query !== "" ? (
        <Result of={recalled}>
          {({ answer }) => (
            <Hits
              answer={answer}
              found={found}
              stale={recalled.isPlaceholderData}
              narrowed={narrowed}
              cut={answer.hits.length >= request.limit}
            />
          )}
        </Result>
      ) : (
        <Result of={listed.first}>
          {({ total }) =>
            total > 0 ? (
              <>
                {listed.fault && (
                  <div className="px-6 py-2">
                    <ErrorNote fault={toFault(listed.fault)} onRetry={listed.tryAgain} />
                  </div>
                )}
                <Rows slots={listed.slots} onDrawn={listed.onDrawn} />
              </>
            ) : narrowed ? (
              <Empty title="Nothing known matches the filters" action={clear} />
            ) : (
              <Empty icon={BookOpen} title="Nothing learned yet" action={<NextStep className={primaryStep} />}>
                While the loop runs, agents write down what they learn, and the next ones are told. You can add
                learnings on a feature's page.
              </Empty>
            )
          }
        </Result>
      )}
    </>
  );
}

const named = (kind: string) => ({ value: kind, label: kind.replaceAll("_", " ") });
const distinct = (word: string, at: number, all: string[]) => all.indexOf(word) === at;

function FeatureSelect({ value, onChange }: { value?: string; onChange: (feature: string | undefined) => void }) {
  const { data: features = [] } = useQuery(queries.features());
  return (
    <Select
      className="h-7 max-w-44 bg-panel"
      label="Feature"
      value={value ?? ""}
      onChange={(next) => onChange(next || undefined)}
      options={[
        { value: "", label: "All features" },
        ...features.map((row) => ({ value: row.feature.name, label: row.feature.display_name })),
      ]}
    />
  );
}

/** Scrolling fetches pages; only rows that came are drawn for them. */
const Rows = memo(function Rows({
  slots,
  onDrawn,
}: {
  slots: readonly Slot[];
  onDrawn: (rows: readonly number[]) => void;
}) {
  const now = useNow(60_000);
  const [edit, dialog] = useEditLearning();
  const render = useCallback(
    (slot: Slot) =>
      typeof slot === "number" ? (
        <div aria-busy="true" className="h-16 border-b border-line px-6 py-3">
          <div className="h-4 w-2/3 rounded bg-raised" />
        </div>
      ) : (
        <LearningRow key={slot.id} learning={slot} now={now} showFeature onEdit={edit} />
      ),
    [now, edit],
  );
  return (
    <>
      <VirtualList label="Learnings" items={slots} estimate={64} render={render} onDrawn={onDrawn} />
      {dialog}
    </>
  );
});
