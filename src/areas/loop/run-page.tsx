import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type Iteration, queries, type Run, type RunDetail } from "@/ipc";
import { cn } from "@/lib/cn";
import { runsAtWork } from "@/lib/loop/at-work";
import { PageResult, Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { type IterationTab, IterationView } from "./iteration-view";
import { Iterations, passes, type Show } from "./iterations";
import { Lanes } from "./lanes";

/** A run: its iterations on the left, the selected one on the right; by default the newest, and its successors. */
export function RunPage() {
  const params = useParams({ strict: false });
  const run = useQuery(queries.run(Number(params.run)));
  const chosen = params.iteration === undefined ? null : Number(params.iteration);
  return (
    <PageResult of={run} title={`Run ${params.run}`} up={<Link to="/loop">Loop</Link>}>
      {(detail) => <Detail key={detail.run.id} detail={detail} chosen={chosen} />}
    </PageResult>
  );
}

function Detail({ detail, chosen }: { detail: RunDetail; chosen: number | null }) {
  const { tab, show } = useSearch({ strict: false }) as { tab?: IterationTab; show?: Show };
  const navigate = useNavigate();
  const { run, iterations } = detail;
  // The iteration that somebody reads, or writes about: its successor does not take its place under their eyes.
  const [held, setHeld] = useState<number | null>(null);
  const wanted = chosen ?? held;
  const unlisted = chosen !== null && !iterations.some(({ id }) => id === chosen) ? chosen : null;
  const listed = iterations.find((one) => (wanted === null ? passes(one, show) : one.id === wanted)) ?? iterations[0];
  const shown = unlisted === null ? listed : undefined;
  const panes = useRef<HTMLElement>(null);
  const named = useRef(tab !== undefined);
  // In a narrow window the iteration is below the list: a person who followed a link to a part of it sees that first.
  useEffect(() => {
    if (named.current) panes.current?.lastElementChild?.scrollIntoView?.({ block: "start" });
  }, []);
  const goesOn = run.state !== "ended" && shown !== iterations[0];
  const follow = () => {
    setHeld(null);
    if (chosen !== null) void navigate({ to: "/loop/$run", params: { run: String(run.id) }, search: { tab, show } });
  };
  const go = (next: IterationTab) => {
    const search = { tab: next === "live" ? undefined : next, show };
    if (chosen === null) void navigate({ to: "/loop/$run", params: { run: String(run.id) }, search, replace: true });
    else {
      const params = { run: String(run.id), iteration: String(chosen) };
      void navigate({ to: "/loop/$run/$iteration", params, search, replace: true });
    }
  };
  const view = (iteration: Iteration) => (
    <IterationView
      key={iteration.id}
      iteration={iteration}
      tab={tab ?? "live"}
      onTab={go}
      onHold={(on) => setHeld(on ? iteration.id : null)}
      onFollow={goesOn ? follow : undefined}
    />
  );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SideBySide run={run} />
      <section
        ref={panes}
        aria-label="Iterations and the chosen one"
        // Without an iteration there is nothing to focus, so the pane itself takes the focus and can be scrolled by keyboard.
        tabIndex={listed ? undefined : 0}
        className={cn(
          "grid min-h-0 flex-1 grid-cols-[18.5rem_minmax(0,1fr)] max-[900px]:grid-cols-1 max-[900px]:overflow-y-auto",
          listed
            ? "max-[900px]:grid-rows-[minmax(25rem,2fr)_minmax(22rem,3fr)]"
            : "max-[900px]:grid-rows-[auto_minmax(min-content,1fr)]",
        )}
      >
        <Iterations detail={detail} shown={shown?.id ?? null} tab={tab} show={show} />
        {unlisted !== null ? (
          <Unlisted run={run.id} id={unlisted}>
            {view}
          </Unlisted>
        ) : shown ? (
          view(shown)
        ) : (
          <Empty
            title={run.state === "ended" ? "This run ended before its first iteration" : "Looking for a ready task"}
          >
            {run.note}
          </Empty>
        )}
      </section>
    </div>
  );
}

/** An iteration that the list leaves out: an old one of a long run. */
function Unlisted({ run, id, children }: { run: number; id: number; children: (iteration: Iteration) => ReactNode }) {
  // What is still shown of another one is not this one.
  const found = useQuery({ ...queries.iteration(id), placeholderData: undefined });
  return (
    <Result of={found}>
      {({ iteration }) =>
        iteration.run === run ? (
          children(iteration)
        ) : (
          <Empty
            title={`Iteration ${id} is not one of run ${run}`}
            action={
              <Link
                to="/loop/$run/$iteration"
                params={{ run: String(iteration.run), iteration: String(id) }}
                className="text-accent underline underline-offset-2"
              >
                See it in run {iteration.run}
              </Link>
            }
          />
        )
      }
    </Result>
  );
}

/** The workers of an active run with several. */
function SideBySide({ run }: { run: Run }) {
  const { data } = useQuery(queries.overview());
  const one = data && runsAtWork(data).find(({ run: other }) => other.id === run.id);
  if (!one || one.run.workers === 1) return null;
  return (
    <div className="max-h-[40%] shrink-0 overflow-y-auto border-b border-line px-4 py-2.5">
      <Lanes run={one.run} lanes={one.lanes} idle={one.idle_lanes} />
    </div>
  );
}
