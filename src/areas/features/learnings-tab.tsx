import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Archive, BookOpen, Check, Plus, Undo2 } from "lucide-react";
import { useMemo, useState } from "react";
import { type FeatureLearning, type FeatureRow, queries, type StagedLearning } from "@/ipc";
import { count } from "@/lib/format";
import { useKey, useNow } from "@/lib/hooks";
import { actOnLearnings } from "@/lib/knowledge/learning-actions";
import { LEARNING_STATES, stateWord } from "@/lib/words";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { FilterMenu, SearchBox } from "@/ui/filter";
import { useEditLearning } from "@/ui/learning/edit-learning";
import { LearningRow } from "@/ui/learning/learning-row";
import { Quality } from "@/ui/learning/quality";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";
import { AddLearning } from "./add-learning";
import { StagedRow } from "./staged-row";

const route = getRouteApi("/features/$name");

export function LearningsTab({ row }: { row: FeatureRow }) {
  const name = row.feature.name;
  const { q = "", state = ["active"] } = route.useSearch();
  const navigate = route.useNavigate();
  const learnings = useQuery(queries.learnings(name, state));
  const { data: onBranches = [] } = useQuery(queries.staged(name));
  const [adding, setAdding] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  useKey("n", () => setAdding(true));

  const needle = q.toLowerCase();
  const shown = (learnings.data ?? []).filter((l) =>
    `${l.text} ${l.reason ?? ""} ${l.tags.join(" ")}`.toLowerCase().includes(needle),
  );
  // Staged learnings are listed with the active ones, and with no other state.
  const staged = onBranches.filter(
    ({ standing, learning }) =>
      standing === "waiting" &&
      state.includes("active") &&
      `${learning.text} ${learning.reason ?? ""} ${learning.tags.join(" ")}`.toLowerCase().includes(needle),
  );
  const chosen = shown.filter(({ id }) => selected.has(id));
  const set = (change: { q?: string; state?: typeof state }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-6 py-1.5">
        <Checkbox
          label="Select all"
          checked={chosen.length > 0 ? (chosen.length === shown.length ? true : "indeterminate") : false}
          onChange={(on) => setSelected(new Set(on ? shown.map(({ id }) => id) : []))}
          className="mr-1"
        />
        {chosen.length > 0 ? (
          <Bulk chosen={chosen} onDone={() => setSelected(new Set())} />
        ) : (
          <>
            <SearchBox
              value={q}
              onChange={(text) => set({ q: text || undefined })}
              label="Filter learnings"
              className="w-56"
            />
            <FilterMenu
              label="State"
              values={LEARNING_STATES}
              chosen={state}
              usual={["active"]}
              words={stateWord}
              onChange={(next) => set({ state: next.length === 0 || next.join() === "active" ? undefined : next })}
            />
          </>
        )}
        <Button look="primary" className="ml-auto" onClick={() => setAdding(true)}>
          <Plus size={14} aria-hidden="true" /> Add learning
        </Button>
      </div>
      <Result of={learnings}>
        {(all) =>
          shown.length + staged.length > 0 ? (
            <Rows feature={name} staged={staged} learnings={shown} selected={selected} onSelected={setSelected} />
          ) : all.length > 0 ? (
            <Empty title={`No learning matches “${q}”`} />
          ) : (
            <Empty
              icon={BookOpen}
              title={
                state.join() === "active"
                  ? "Nothing learned yet"
                  : `No learning is ${state.map((s) => stateWord[s].toLowerCase()).join(" or ")}`
              }
              action={<Button onClick={() => setAdding(true)}>Add a learning</Button>}
            >
              Agents add learnings while they work. What you write yourself is told to every agent on this feature and
              never pruned.
            </Empty>
          )
        }
      </Result>
      {adding && <AddLearning onClose={() => setAdding(false)} feature={name} />}
    </>
  );
}

type Staged = { staged: StagedLearning; times: number };
type Shown = Staged | { learning: FeatureLearning };

/** What several attempts on one branch said in the same words is one row, as the next attempt is told it once. */
function once(staged: StagedLearning[]): Staged[] {
  const rows = new Map<string, Staged>();
  for (const one of staged) {
    const key = `${one.branch}\n${one.learning.text}`;
    const said = rows.get(key);
    rows.set(key, { staged: said?.staged ?? one, times: (said?.times ?? 0) + 1 });
  }
  return [...rows.values()];
}

function Rows({
  feature,
  staged,
  learnings,
  selected,
  onSelected,
}: {
  feature: string;
  staged: StagedLearning[];
  learnings: FeatureLearning[];
  selected: ReadonlySet<string>;
  onSelected: (selected: ReadonlySet<string>) => void;
}) {
  const now = useNow(60_000);
  const [edit, dialog] = useEditLearning();
  const { data: qualities } = useQuery(queries.learningQualities(feature));
  const quality = useMemo(() => new Map(qualities?.map((one) => [one.learning, one])), [qualities]);
  const rows = useMemo<Shown[]>(
    () => [...once(staged), ...learnings.map((learning) => ({ learning }))],
    [staged, learnings],
  );
  return (
    <>
      <VirtualList
        label="Learnings"
        items={rows}
        keyOf={(row) => ("staged" in row ? `staged ${row.staged.id}` : row.learning.id)}
        estimate={64}
        render={(row) => {
          if ("staged" in row) return <StagedRow staged={row.staged} times={row.times} now={now} />;
          const { learning } = row;
          const said = quality.get(learning.id);
          return (
            <LearningRow
              learning={learning}
              now={now}
              selected={selected.has(learning.id)}
              onSelect={(on) => {
                const next = new Set(selected);
                if (on) next.add(learning.id);
                else next.delete(learning.id);
                onSelected(next);
              }}
              onEdit={edit}
              facts={said && <Quality of={said} textOf={(id) => learnings.find((one) => one.id === id)} />}
            />
          );
        }}
      />
      {dialog}
    </>
  );
}

function Bulk({ chosen, onDone }: { chosen: FeatureLearning[]; onDone: () => void }) {
  const active = chosen.filter(({ state }) => state === "active").map(({ id }) => id);
  const away = chosen.filter(({ state }) => state !== "active").map(({ id }) => id);
  const act = (action: "review" | "retire" | "restore", ids: string[]) => void actOnLearnings(action, ids).then(onDone);
  return (
    <>
      <span className="num text-dim">{count(chosen.length, "learning")}</span>
      {active.length > 0 && (
        <>
          <Button onClick={() => act("review", active)}>
            <Check size={14} aria-hidden="true" /> Review
          </Button>
          <Button onClick={() => act("retire", active)}>
            <Archive size={13} aria-hidden="true" /> Retire
          </Button>
        </>
      )}
      {away.length > 0 && (
        <Button onClick={() => act("restore", away)}>
          <Undo2 size={13} aria-hidden="true" /> Restore
        </Button>
      )}
    </>
  );
}
