import { useQuery } from "@tanstack/react-query";
import { Plus, ScrollText } from "lucide-react";
import { useState } from "react";
import { commands, type EpisodeRow, queries, type Withdrawal } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { count, percent } from "@/lib/format";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { DocumentDialog, type DocumentPlace } from "@/ui/document-dialog";
import { FilterMenu } from "@/ui/filter";
import { OutsideBadge } from "@/ui/learning/outside-badge";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { VirtualList } from "@/ui/virtual-list";
import { EpisodeDialog } from "./episode-dialog";
import { StateFact } from "./state-fact";

const KINDS = ["fact", "episode"] as const;
const STATES = ["active", "withdrawn"] as const;
type Kind = (typeof KINDS)[number];
type State = (typeof STATES)[number];

/** An episode or a fact, as a row. */
type Row = {
  id: string;
  kind: Kind;
  text: string;
  feature: string | null;
  place: { file: string; line: number | null } | undefined;
  confidence: number | null;
  state: State;
  withdrawn: Withdrawal | null;
  outside: boolean;
  replica: string | null;
  created: string;
  /** The episode, if it is one. */
  episode: EpisodeRow | undefined;
};

const why: Record<Withdrawal["because"], string> = {
  person: "put away by a person",
  source_gone: "its source is gone",
  replaced: "another one was stated",
  aged: "newer ones took its place",
  agent: "put away by an agent",
  dead_end: "a dead end: what it tells of was taken back",
};

/** Facts of the project, and episodes of iterations. */
export function Memories() {
  const [kinds, setKinds] = useState<Kind[]>([]);
  const [states, setStates] = useState<State[]>(["active"]);
  const [adding, setAdding] = useState(false);
  const [place, setPlace] = useState<DocumentPlace>();
  const [told, setTold] = useState<EpisodeRow>();
  const rows = useMemories();
  const isChosen = (row: Row) =>
    (kinds.length === 0 || kinds.includes(row.kind)) && (states.length === 0 || states.includes(row.state));
  return (
    <section aria-label="Facts and episodes" className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 px-6 py-3">
        <Button onClick={() => setAdding(true)}>
          <Plus size={14} aria-hidden="true" /> State a fact…
        </Button>
        <FilterMenu
          label="Kind"
          values={KINDS}
          chosen={kinds}
          words={{ fact: "Facts", episode: "Episodes" }}
          onChange={setKinds}
        />
        <FilterMenu
          label="State"
          values={STATES}
          chosen={states}
          usual={["active"]}
          words={{ active: "Active", withdrawn: "Withdrawn" }}
          onChange={setStates}
        />
        <p className="text-xs text-faint">episodes are written by rule from what runs finished</p>
      </div>
      <Result of={rows}>
        {(all) => {
          const shown = all.filter(isChosen);
          return shown.length === 0 ? (
            <Empty
              icon={ScrollText}
              title={all.length === 0 ? "No facts and no episodes yet" : "None matches the filters"}
            >
              A fact says what is so, such as the command that runs the tests, and goes with the file that says so.
            </Empty>
          ) : (
            <VirtualList
              label={count(shown.length, "memory", "memories")}
              items={shown}
              keyOf={({ id }) => id}
              estimate={36}
              render={(row) => <MemoryLine row={row} onOpen={setPlace} onTell={setTold} />}
            />
          );
        }}
      </Result>
      {adding && <StateFact onClose={() => setAdding(false)} />}
      {told && <EpisodeDialog episode={told} onClose={() => setTold(undefined)} />}
      {place && <DocumentDialog place={place} onClose={() => setPlace(undefined)} />}
    </section>
  );
}

/** Both kinds as rows, newest first. */
function useMemories() {
  const facts = useQuery(queries.facts());
  const episodes = useQuery(queries.episodes());
  const ofFacts = (facts.data ?? []).map(
    ({ value, subject, file, line, withdrawn, outside_replica, ...fact }): Row => ({
      ...fact,
      kind: "fact",
      text: `${subject}: ${value}`,
      feature: fact.feature ?? null,
      place: file ? { file, line: line ?? null } : undefined,
      withdrawn: withdrawn ?? null,
      replica: outside_replica,
      episode: undefined,
    }),
  );
  const ofEpisodes = (episodes.data ?? []).map((row): Row => {
    const { lesson, withdrawn, outside_replica, ...episode } = row;
    return {
      ...episode,
      kind: "episode",
      text: lesson,
      feature: episode.feature ?? null,
      place: undefined,
      withdrawn: withdrawn ?? null,
      replica: outside_replica,
      episode: row,
    };
  });
  const rows = [...ofFacts, ...ofEpisodes].sort((a, b) => b.created.localeCompare(a.created));
  return {
    data: facts.data && episodes.data && rows,
    isError: facts.isError || episodes.isError,
    error: facts.error ?? episodes.error,
    refetch: () => Promise.all([facts.refetch(), episodes.refetch()]),
  };
}

function MemoryLine({
  row,
  onOpen,
  onTell,
}: {
  row: Row;
  onOpen: (place: DocumentPlace) => void;
  onTell: (episode: EpisodeRow) => void;
}) {
  const { id, kind, text, feature, place, confidence, state, withdrawn, outside, replica, episode } = row;
  const restore = useCommand(() => commands.restoreMemory(id), { onDone: () => tellDone("Told again") });
  const retire = useCommand(() => commands.withdrawMemory(id), {
    onDone: () => tellDone("Put away: no longer told", () => commands.restoreMemory(id)),
  });
  const active = state === "active";
  return (
    <article
      tabIndex={-1}
      data-row
      className="flex items-center gap-3 border-b border-line px-6 py-1.5 hover:bg-hover max-[700px]:flex-wrap max-[700px]:gap-y-0.5"
    >
      <span className="w-14 shrink-0">
        <Badge>{kind}</Badge>
      </span>
      <span
        className={cn("selectable min-w-0 flex-1 truncate max-[700px]:min-w-64", !active && "text-faint")}
        title={text}
      >
        {text}
      </span>
      {withdrawn && (
        <span className="max-w-64 truncate text-xs text-warn" title={withdrawn.detail}>
          {why[withdrawn.because]}
        </span>
      )}
      {outside && <OutsideBadge replica={replica} />}
      {place && (
        <button
          type="button"
          className="num max-w-48 truncate text-xs text-dim hover:text-accent"
          onClick={() => onOpen({ file: place.file, line: place.line ?? 1 })}
        >
          {place.line === null ? place.file : `${place.file}:${place.line}`}
        </button>
      )}
      {episode && (
        <button
          type="button"
          className="min-h-6 text-xs text-dim hover:text-accent"
          aria-label={`${episode.lesson_type}: where ${text} comes from`}
          onClick={() => onTell(episode)}
        >
          {episode.lesson_type}
        </button>
      )}
      {feature && <span className="text-xs text-dim">{feature}</span>}
      <span className="num text-xs text-faint" title="confidence">
        {percent(confidence ?? 0)}
      </span>
      {active ? (
        <Button size="sm" aria-label={`Put away ${text}`} onClick={() => retire.mutate(undefined)}>
          Put away
        </Button>
      ) : (
        <Button size="sm" aria-label={`Restore ${text}`} onClick={() => restore.mutate(undefined)}>
          Restore
        </Button>
      )}
    </article>
  );
}
