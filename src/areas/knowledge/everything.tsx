import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BookOpen } from "lucide-react";
import { type FeatureLearning, queries } from "@/ipc";
import { count } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { LEARNING_SOURCES, LEARNING_STATES, sourceWord, stateWord } from "@/lib/words";
import { Button } from "@/ui/button";
import { FilterMenu, SearchBox } from "@/ui/filter";
import { useEditLearning } from "@/ui/learning/edit-learning";
import { LearningRow } from "@/ui/learning/learning-row";
import { Result } from "@/ui/query";
import { Select } from "@/ui/select";
import { Empty } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";
import { ACTIVE, foundOf, kindOf, passes, requestOf } from "./found";
import { Hits } from "./hits";

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
  // Results may include learnings of other features, so this list has those of all features.
  const learnings = useQuery(queries.learnings(query === "" ? (feature ?? null) : null, state));
  const recalled = useQuery({ ...queries.recall(requestOf(query, feature, state)), enabled: query !== "" });
  const known = learnings.data ?? [];
  const narrowing = { kind, state, source };
  const listed = query === "" ? known.filter((learning) => passes(learning, narrowing)) : [];
  const found = query !== "" && recalled.data ? foundOf(recalled.data, known, narrowing) : [];
  const kinds = new Set([...known.map(({ category }) => category), ...found.map((f) => kindOf(f.hit, f.learning))]);
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
              ? learnings.data && count(listed.length, "learning")
              : recalled.data && `${count(found.length, "hit")}, best first`}
          </span>
        </div>
      </div>
      {query !== "" ? (
        <Result of={recalled}>
          {(answer) => <Hits answer={answer} found={found} stale={recalled.isPlaceholderData} narrowed={narrowed} />}
        </Result>
      ) : (
        <Result of={learnings}>
          {() =>
            listed.length > 0 ? (
              <Rows learnings={listed} />
            ) : narrowed ? (
              <Empty title="Nothing known matches the filters" action={clear} />
            ) : (
              <Empty
                icon={BookOpen}
                title="Nothing learned yet"
                action={<Button onClick={() => void navigate({ to: "/loop" })}>Start the loop</Button>}
              >
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

function Rows({ learnings }: { learnings: FeatureLearning[] }) {
  const now = useNow(60_000);
  const [edit, dialog] = useEditLearning();
  return (
    <>
      <VirtualList
        label="Learnings"
        items={learnings}
        keyOf={({ id }) => id}
        estimate={64}
        render={(learning) => <LearningRow learning={learning} now={now} showFeature onEdit={edit} />}
      />
      {dialog}
    </>
  );
}
