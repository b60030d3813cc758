import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BookOpen } from "lucide-react";
import { useState } from "react";
import { type FeatureLearning, queries } from "@/ipc";
import { count } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { actOnLearnings } from "@/lib/learning-actions";
import { LEARNING_SOURCES, LEARNING_STATES, sourceWord, stateWord } from "@/lib/words";
import { Button } from "@/ui/button";
import { EditLearning } from "@/ui/edit-learning";
import { FilterMenu, SearchBox } from "@/ui/filter";
import { LearningRow } from "@/ui/learning-row";
import { Result } from "@/ui/query";
import { Select } from "@/ui/select";
import { Empty } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";

const route = getRouteApi("/knowledge");
type Search = ReturnType<typeof route.useSearch>;

export function AllLearnings() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { q = "", feature, state = ["active"], source = [] } = search;
  const learnings = useQuery(queries.learnings(feature ?? null, state));
  const { data: features = [] } = useQuery(queries.features());
  const set = (change: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const needles = q.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (l: FeatureLearning) => {
    const all = `${l.text} ${l.reason ?? ""} ${l.tags.join(" ")} ${l.category}`.toLowerCase();
    return (source.length === 0 || source.includes(l.source)) && needles.every((needle) => all.includes(needle));
  };
  const shown = (learnings.data ?? []).filter(matches);
  const filtered = q !== "" || feature !== undefined || search.state !== undefined || source.length > 0;
  return (
    <>
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-6 py-1.5">
        <SearchBox
          value={q}
          onChange={(text) => set({ q: text || undefined })}
          label="Search what is known"
          className="w-72"
        />
        <Select
          className="h-7 max-w-44 bg-panel"
          label="Feature"
          value={feature ?? ""}
          onChange={(next) => set({ feature: next || undefined })}
          options={[
            { value: "", label: "All features" },
            ...features.map((row) => ({ value: row.feature.name, label: row.feature.display_name })),
          ]}
        />
        <FilterMenu
          label="State"
          values={LEARNING_STATES}
          chosen={state}
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
        {filtered && (
          <Button
            look="ghost"
            onClick={() => set({ q: undefined, feature: undefined, state: undefined, source: undefined })}
          >
            Clear
          </Button>
        )}
        {learnings.data && <span className="num ml-auto text-xs text-faint">{count(shown.length, "learning")}</span>}
      </div>
      <Result of={learnings}>
        {() =>
          shown.length > 0 ? (
            <Rows learnings={shown} />
          ) : filtered ? (
            <Empty title="Nothing known matches the filters" />
          ) : (
            <Empty icon={BookOpen} title="Nothing learnt yet">
              Run the loop: agents write down what they learn, and the next ones are told. You can add learnings on a
              feature's page.
            </Empty>
          )
        }
      </Result>
    </>
  );
}

function Rows({ learnings }: { learnings: FeatureLearning[] }) {
  const now = useNow(60_000);
  const [editing, setEditing] = useState<FeatureLearning | null>(null);
  return (
    <>
      <VirtualList
        label="Learnings"
        items={learnings}
        keyOf={({ id }) => id}
        estimate={64}
        render={(learning) => (
          <LearningRow
            learning={learning}
            now={now}
            showFeature
            onAct={(action) => void actOnLearnings(action, [learning.id])}
            onEdit={() => setEditing(learning)}
          />
        )}
      />
      {editing && <EditLearning key={editing.id} learning={editing} onClose={() => setEditing(null)} />}
    </>
  );
}
