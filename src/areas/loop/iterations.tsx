import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Iteration, Outcome, RunDetail } from "@/ipc";
import { cn } from "@/lib/cn";
import { atTime, dollars, duration, number, span } from "@/lib/format";
import { useKey, useNow } from "@/lib/hooks";
import { toldInWords } from "@/lib/knowledge/told";
import { iterationsOf } from "@/lib/loop/progress";
import { usePageActions } from "@/lib/page-actions";
import { endedInAWord, endOf, outcomeTone, outcomeWord, resultTone, stopIsTrouble } from "@/lib/words";
import { Dot, toneText } from "@/ui/badge";
import { IterationSaturation } from "@/ui/chart/iteration-saturation";
import { Cost, CostOf } from "@/ui/cost";
import { SearchBox } from "@/ui/filter";
import { InCode } from "@/ui/said";
import { VirtualList } from "@/ui/virtual-list";
import type { IterationTab } from "./iteration-view";

/** Which iterations are listed; `undefined`: all. */
export type Show = "done" | "failed";

/** Failed attempts of any kind. */
const FAILED: Outcome[] = ["failed", "no_sigil", "error"];

/** Whether an iteration matches; `needle` in lower case. */
export function passes(iteration: Iteration, show: Show | undefined, needle = ""): boolean {
  if (show === "done" && iteration.outcome !== "done") return false;
  if (show === "failed" && !FAILED.includes(iteration.outcome)) return false;
  const words = `#${iteration.task} ${iteration.task_title} ${iteration.model} ${iteration.note ?? ""}`;
  return words.toLowerCase().includes(needle);
}

/** The iterations of a run, newest first. */
export function Iterations({
  detail,
  shown,
  tab,
  show,
}: {
  detail: RunDetail;
  shown: number | null;
  tab: IterationTab | undefined;
  show: Show | undefined;
}) {
  const { run, iterations } = detail;
  const [search, setSearch] = useState("");
  const navigate = useNavigate();
  const now = useNow(1000, run.state !== "ended");
  const needle = search.trim().toLowerCase();
  const listed = useMemo(
    () => atWorkFirst(iterations).filter((one) => passes(one, show, needle)),
    [iterations, show, needle],
  );
  const go = (id: number) =>
    void navigate({
      to: "/loop/$run/$iteration",
      params: { run: String(run.id), iteration: String(id) },
      search: { tab, show },
    });
  // The next older failure; after the oldest, the newest again.
  const toFailure = () => {
    const here = iterations.findIndex(({ id }) => id === shown);
    const next = [...iterations.slice(here + 1), ...iterations.slice(0, here + 1)].find(({ outcome }) =>
      FAILED.includes(outcome),
    );
    if (next) go(next.id);
  };
  useKey("f", toFailure, true);
  const choose = (next: Show | undefined) => {
    const search = { tab, show: next };
    const params = { run: String(run.id) };
    if (shown === null) void navigate({ to: "/loop/$run", params, search, replace: true });
    else
      void navigate({
        to: "/loop/$run/$iteration",
        params: { ...params, iteration: String(shown) },
        search,
        replace: true,
      });
  };
  usePageActions([
    ...(detail.failed > 0 ? [{ words: "Next failure", go: toFailure }] : []),
    { words: "Filter: all iterations", go: () => choose(undefined) },
    { words: "Filter: only failed iterations", go: () => choose("failed") },
    { words: "Filter: only done iterations", go: () => choose("done") },
  ]);
  return (
    <section aria-label={`Run ${run.id}`} className="flex min-h-0 flex-col border-r border-line">
      <Head detail={detail} now={now} />
      {iterations.length > 1 && (
        <div className="flex flex-col gap-2 border-b border-line px-3 py-2">
          <Choice detail={detail} show={show} tab={tab} shown={shown} />
          <SearchBox value={search} onChange={setSearch} label="Filter iterations" className="w-full" />
        </div>
      )}
      {listed.length > 0 ? (
        <VirtualList
          label="Iterations"
          items={listed}
          keyOf={({ id }) => id}
          estimate={54}
          className="p-1.5"
          render={(iteration, at) => (
            <Row
              iteration={iteration}
              before={listed[at + 1]}
              lastNote={
                iteration.outcome === "done"
                  ? listed.slice(at + 1).find(({ outcome }) => outcome === "done")?.note
                  : listed[at + 1]?.note
              }
              now={now}
              shown={iteration.id === shown}
              tab={tab}
              show={show}
              lanes={run.workers > 1}
            />
          )}
        />
      ) : (
        iterations.length > 0 && <p className="px-4 py-6 text-center text-dim">No iteration matches.</p>
      )}
      {run.iterations > iterations.length && iterations.length > 0 && (
        <p className="num border-t border-line px-4 py-1.5 text-xs text-faint">
          The newest {number(iterations.length)} of {number(run.iterations)} are listed.
        </p>
      )}
    </section>
  );
}

function Head({ detail, now }: { detail: RunDetail; now: number }) {
  const { run } = detail;
  const took = (run.ended ? Date.parse(run.ended) : now) - Date.parse(run.started);
  const trouble = stopIsTrouble(run.stop_reason);
  return (
    <header className="num border-b border-line px-4 py-2.5">
      <div className="flex items-baseline gap-2">
        <h1 className="font-semibold">Run {run.id}</h1>
        <p className="ml-auto text-dim">
          {iterationsOf(run, " / ")} · <Cost usd={run.cost_usd} estimated={run.estimated_usd} unpriced={run.unpriced} />{" "}
          · {span(took)}
        </p>
      </div>
      {run.state === "ended" && (
        <p className={cn("text-xs", toneText[detail.result ? resultTone[detail.result] : "dim"])}>
          Ended{run.ended && ` ${atTime(run.ended, now)}`}:{" "}
          {(run.note && run.stop_reason && endedInAWord[run.stop_reason]) ||
            endOf({ ...run, done: detail.done, result: detail.result })}
        </p>
      )}
      {!!run.errands_usd && (
        <p className="text-xs text-faint">
          {dollars(run.errands_usd)} of it by{" "}
          <Link to="/loop" className="underline underline-offset-2 hover:text-text">
            errands
          </Link>
        </p>
      )}
      {run.note && (trouble || run.state !== "ended") && (
        <p className="text-xs wrap-anywhere text-faint">
          <InCode text={run.note} />
        </p>
      )}
    </header>
  );
}

/** All, failed or done, each with its count. */
function Choice({
  detail,
  show,
  tab,
  shown,
}: {
  detail: RunDetail;
  show: Show | undefined;
  tab: IterationTab | undefined;
  shown: number | null;
}) {
  const params = { run: String(detail.run.id) };
  const choices: [Show | undefined, string, number][] = [
    [undefined, "All", detail.run.iterations],
    ["failed", "Failed", detail.failed],
    ["done", "Done", detail.done],
  ];
  return (
    <nav aria-label="Which iterations" className="num flex gap-1 text-xs">
      {choices.map(([value, word, n]) => {
        const look = cn(
          "flex h-6 flex-1 items-center justify-center gap-1.5 rounded-md border",
          show === value ? "border-line-strong bg-raised text-text" : "border-transparent text-dim hover:bg-hover",
        );
        const words = (
          <>
            {word} <span className={value === "failed" && n > 0 ? "text-bad" : "text-faint"}>{n}</span>
          </>
        );
        const current = show === value ? "true" : undefined;
        return shown === null ? (
          <Link
            key={word}
            to="/loop/$run"
            params={params}
            search={{ tab, show: value }}
            replace
            className={look}
            aria-current={current}
          >
            {words}
          </Link>
        ) : (
          <Link
            key={word}
            to="/loop/$run/$iteration"
            params={{ ...params, iteration: String(shown) }}
            search={{ tab, show: value }}
            replace
            className={look}
            aria-current={current}
          >
            {words}
          </Link>
        );
      })}
    </nav>
  );
}

/** Running iterations first, one row per lane, then the rest in order. */
function atWorkFirst(iterations: Iteration[]): Iteration[] {
  const atWork = iterations.filter(({ ended }) => ended === null).sort((one, other) => one.lane - other.lane);
  return atWork.length > 1 ? [...atWork, ...iterations.filter(({ ended }) => ended !== null)] : iterations;
}

function Row({
  iteration,
  before,
  lastNote,
  now,
  shown,
  tab,
  show,
  lanes,
}: {
  iteration: Iteration;
  /** The next row of the list, which is older: why the same model was chosen again is not shown. */
  before: Iteration | undefined;
  /** How the one before it ended; for a done one the last that was done, too: repetitions are shown once. */
  lastNote: string | null | undefined;
  now: number;
  shown: boolean;
  tab: IterationTab | undefined;
  show: Show | undefined;
  /** Whether several workers share the run; each row then names its own. */
  lanes: boolean;
}) {
  const ended = iteration.ended ? Date.parse(iteration.ended) : now;
  return (
    <Link
      to="/loop/$run/$iteration"
      params={{ run: String(iteration.run), iteration: String(iteration.id) }}
      search={{ tab, show }}
      data-row
      data-testid="iteration"
      data-outcome={iteration.outcome}
      aria-current={shown ? "true" : undefined}
      className={cn("num block rounded-lg px-2.5 py-2 hover:bg-hover", shown && "bg-raised hover:bg-raised")}
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" title={iteration.task_title}>
          #{iteration.task} {iteration.task_title}
        </span>
        <span className="text-dim">{duration(ended - Date.parse(iteration.started))}</span>
      </span>
      <span className="flex items-baseline gap-2">
        <span className={cn("flex items-center gap-1.5 self-center", toneText[outcomeTone[iteration.outcome]])}>
          {iteration.outcome === "running" && <Dot tone="accent" live />}
          {outcomeWord[iteration.outcome]}
        </span>
        {lanes && <span className="text-xs text-faint">lane {iteration.lane}</span>}
        {iteration.attempt !== null && iteration.attempt > 1 && (
          <span className="text-xs text-faint">attempt {iteration.attempt}</span>
        )}
        <span className="ml-auto truncate text-dim">{iteration.model}</span>
        <span className="shrink-0 text-dim empty:hidden">
          <CostOf usage={iteration.usage} />
        </span>
      </span>
      {iteration.rationale && iteration.rationale !== before?.rationale && iteration.model !== before?.model && (
        <span className="line-clamp-2 text-xs wrap-anywhere text-dim" title={iteration.rationale}>
          {iteration.rationale}
        </span>
      )}
      {iteration.scheduled && (
        <span className="line-clamp-2 text-xs wrap-anywhere text-dim">{iteration.scheduled}</span>
      )}
      {iteration.saturation_before !== iteration.saturation_after && (
        <IterationSaturation iteration={iteration} link={false} />
      )}
      {iteration.held_out && (
        <span className="block text-xs text-warn">held out: {toldInWords(iteration.withheld)} withheld</span>
      )}
      {iteration.note && iteration.note !== lastNote && (
        <span className="line-clamp-2 text-xs wrap-anywhere text-faint">
          <InCode text={iteration.note} />
        </span>
      )}
    </Link>
  );
}
