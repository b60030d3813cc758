import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ClipboardList, ListChecks, Network, Plus, Rows3 } from "lucide-react";
import { useMemo, useState } from "react";
import { type FeatureRow, queries, type Task } from "@/ipc";
import { count, number } from "@/lib/format";
import { useKey } from "@/lib/hooks";
import { usePageActions } from "@/lib/page-actions";
import { PRIORITIES, PROVENANCES, priorityWord, provenanceWord, statusWord, TASK_STATUSES } from "@/lib/words";
import { Kbd } from "@/ui/badge";
import { Button } from "@/ui/button";
import { FilterMenu, SearchBox } from "@/ui/filter";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { Select } from "@/ui/select";
import { Empty } from "@/ui/state";
import { Bulk, type Choosing, type Chosen } from "./bulk";
import { CreateTask } from "./create-task";
import { ImportTasks } from "./import-tasks";
import { TaskGraph } from "./task-graph";
import { TaskList } from "./task-list";

const route = getRouteApi("/tasks");
type Search = ReturnType<typeof route.useSearch>;
const NO_FILTER = {
  q: undefined,
  feature: undefined,
  status: undefined,
  priority: undefined,
  provenance: undefined,
  ready: undefined,
};

/** Readiness is part of each task rather than a filter: a status says nothing about the tasks that it waits for. */
const onlyReady = (tasks: Task[]) => tasks.filter(({ readiness }) => readiness === "ready");

export function TasksPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const filter = useMemo(
    () => ({
      feature: search.feature ?? null,
      statuses: search.status ?? [],
      priorities: search.priority ?? [],
      provenances: search.provenance ?? [],
      text: search.q ?? null,
    }),
    [search.feature, search.status, search.priority, search.provenance, search.q],
  );
  const tasks = useQuery({ ...queries.tasks(filter), select: search.ready ? onlyReady : undefined });
  const features = useQuery(queries.features());
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [choosing, setChoosing] = useState<Choosing>(null);
  // Whether the focused row is selected only for the choice that is open.
  const [lent, setLent] = useState(false);
  useKey("n", () => set({ new: true }));
  const graph = search.view === "graph";
  usePageActions([
    {
      words: graph ? "Show tasks as a list" : "Show tasks as a graph",
      go: () => set({ view: graph ? undefined : "graph" }),
    },
    ...TASK_STATUSES.map((status) => ({
      words: `Filter: only ${statusWord[status].toLowerCase()} tasks`,
      go: () => set({ status: [status], ready: undefined }),
    })),
    { words: "Filter: all tasks", go: () => set(NO_FILTER) },
  ]);
  const filtered = Object.keys(NO_FILTER).some((key) => search[key as keyof typeof NO_FILTER]);
  const chosen = (tasks.data ?? []).filter(({ id }) => selected.has(id));
  const choose = (which: Chosen, task: number) => {
    if (chosen.length === 0) setSelected(new Set([task]));
    setLent(chosen.length === 0);
    setChoosing(which);
  };
  const onChoosing = (which: Choosing) => {
    if (which === null && lent) setSelected(new Set());
    setLent(false);
    setChoosing(which);
  };
  return (
    <Page
      title="Tasks"
      sub={tasks.data && summary(tasks.data, features.data ?? [])}
      actions={
        <>
          <Button
            aria-pressed={graph}
            onClick={() => set({ view: graph ? undefined : "graph" })}
            aria-label={graph ? "Show as a list" : "Show as a graph"}
          >
            {graph ? <Rows3 size={14} aria-hidden="true" /> : <Network size={14} aria-hidden="true" />}
            {graph ? "List" : "Graph"}
          </Button>
          <Button onClick={() => set({ import: true })}>
            <ClipboardList size={14} aria-hidden="true" /> From a list
          </Button>
          <Button look="primary" onClick={() => set({ new: true })}>
            <Plus size={14} aria-hidden="true" /> New task
          </Button>
        </>
      }
    >
      <div className="top-0 z-10 flex min-h-11 lg:sticky flex-wrap items-center gap-2 border-b border-line bg-bg px-6 py-1.5">
        {chosen.length > 0 ? (
          <Bulk chosen={chosen} choosing={choosing} onChoosing={onChoosing} onDone={() => setSelected(new Set())} />
        ) : (
          <Filters search={search} set={set} filtered={filtered} />
        )}
      </div>
      <Result of={tasks}>
        {(all) =>
          all.length === 0 ? (
            <Nothing filtered={filtered} onCreate={() => set({ new: true })} onImport={() => set({ import: true })} />
          ) : graph ? (
            <TaskGraph
              tasks={all}
              centre={search.around ?? null}
              onCentre={(task) => set({ around: task ?? undefined })}
            />
          ) : (
            <TaskList
              tasks={all}
              selected={selected}
              onSelected={setSelected}
              onChoose={choose}
              expandAll={Boolean(search.status ?? search.q)}
            />
          )
        }
      </Result>
      {search.new && <CreateTask feature={search.feature} onClose={() => set({ new: undefined })} />}
      {search.import && <ImportTasks feature={search.feature} onClose={() => set({ import: undefined })} />}
    </Page>
  );
}

/** What is in archived features is not open, as in the rail: nothing works on it. */
function summary(tasks: Task[], features: FeatureRow[]): string {
  const archived = new Set(features.filter((row) => row.feature.state === "archived").map((row) => row.feature.name));
  const ready = tasks.filter(({ readiness }) => readiness === "ready").length;
  const open = tasks.filter(({ readiness, feature }) => readiness !== "closed" && !archived.has(feature)).length;
  return `${number(ready)} ready · ${number(open)} open · ${count(tasks.length, "task")}`;
}

function Nothing({ filtered, onCreate, onImport }: { filtered: boolean; onCreate: () => void; onImport: () => void }) {
  if (filtered) return <Empty title="No task matches the filters" />;
  return (
    <Empty
      icon={ListChecks}
      title="No tasks yet"
      action={
        <>
          <Button look="primary" onClick={onCreate}>
            <Plus size={14} aria-hidden="true" /> New task <Kbd>N</Kbd>
          </Button>
          <Button onClick={onImport}>
            <ClipboardList size={14} aria-hidden="true" /> From a list
          </Button>
        </>
      }
    >
      A task is one piece of work for an agent. The loop takes the ready one with the highest priority, has it done, and
      goes on.
    </Empty>
  );
}

function Filters({
  search,
  set,
  filtered,
}: {
  search: Search;
  set: (change: Partial<Search>) => void;
  filtered: boolean;
}) {
  const { data: features = [] } = useQuery(queries.features());
  return (
    <>
      <SearchBox
        value={search.q ?? ""}
        onChange={(q) => set({ q: q || undefined })}
        label="Filter tasks"
        className="w-52"
      />
      <Select
        className="h-7 max-w-44 bg-panel"
        label="Feature"
        value={search.feature ?? ""}
        onChange={(feature) => set({ feature: feature || undefined })}
        options={[
          { value: "", label: "All features" },
          ...features.map(({ feature }) => ({ value: feature.name, label: feature.display_name })),
        ]}
      />
      <FilterMenu
        label="Status"
        values={TASK_STATUSES}
        chosen={search.status ?? []}
        words={statusWord}
        onChange={(next) => set({ status: next.length > 0 ? next : undefined })}
      />
      <FilterMenu
        label="Priority"
        values={PRIORITIES}
        chosen={search.priority ?? []}
        words={priorityWord}
        onChange={(next) => set({ priority: next.length > 0 ? next : undefined })}
      />
      <FilterMenu
        label="Created by"
        values={PROVENANCES}
        chosen={search.provenance ?? []}
        words={provenanceWord}
        onChange={(next) => set({ provenance: next.length > 0 ? next : undefined })}
      />
      {search.ready && (
        <Button aria-pressed onClick={() => set({ ready: undefined })}>
          Only ready
        </Button>
      )}
      {filtered && (
        <Button look="ghost" onClick={() => set(NO_FILTER)}>
          Clear
        </Button>
      )}
    </>
  );
}
