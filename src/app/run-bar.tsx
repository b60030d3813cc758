import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass, Pause, Play, Square } from "lucide-react";
import { memo } from "react";
import { type LaneRow, type Overview, queries, type Run, type RunControl, type RunRow } from "@/ipc";
import { cn } from "@/lib/cn";
import { atTime, belowLimit, count, dollars, number, span } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { runsAtWork, useActiveRuns } from "@/lib/loop/at-work";
import { iterationsOf } from "@/lib/loop/progress";
import { useSteer } from "@/lib/loop/steer";
import { endedBadly, resultTone, stopIsTrouble, strategyWord } from "@/lib/words";
import { Dot } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Cost } from "@/ui/cost";
import { NextStep } from "@/ui/next-step";

/** The active run, with pause and stop available on every page. */
export const RunBar = memo(() => {
  const { data } = useQuery(queries.overview());
  const active = useActiveRuns();
  return (
    <header className="flex h-11 shrink-0 items-center gap-4 border-b border-line px-6" data-testid="run-bar">
      {data?.active_run ? <Active run={data.active_run} overview={data} /> : data && <Idle overview={data} />}
      {!data && active.map((run) => <AtWork key={run.id} run={run} />)}
      {/* What changes by itself, for people who can't see it; seconds and dollars would be announced without end. */}
      <p aria-live="polite" className="sr-only">
        {data && spoken(data)}
      </p>
    </header>
  );
});

function spoken({ active_run, rests_after, needs_you_count }: Overview): string {
  const run = active_run
    ? `Run ${active_run.id} is ${active_run.state}`
    : rests_after && `Run ${rests_after.id} has ended`;
  const needs = needs_you_count > 0 && count(needs_you_count, "thing waits for you", "things wait for you");
  return [run, needs].filter(Boolean).join(", ");
}

/** A run of which nothing is known except that it is active. */
function AtWork({ run }: { run: Run }) {
  return (
    <span className="flex shrink-0 items-center gap-3">
      <Link to="/loop/$run" params={{ run: String(run.id) }} className="num flex items-center gap-2 font-medium">
        <Dot tone="ok" live={run.state === "running"} /> Run {run.id} is at work
      </Link>
      <Controls run={run} />
    </span>
  );
}

function Idle({ overview }: { overview: Overview }) {
  const { rests_after, open_tasks, needs_you_count } = overview;
  return (
    <>
      {rests_after ? (
        <Rests run={rests_after} waiting={needs_you_count} />
      ) : (
        <span className="text-faint">{open_tasks > 0 ? "The loop rests" : "No open tasks"}</span>
      )}
      <NextStep className="ml-auto border border-line-strong bg-panel hover:bg-raised" />
    </>
  );
}

/** The result of the last run, each part linked to its details. */
function Rests({ run, waiting }: { run: RunRow; waiting: number }) {
  const now = useNow(60_000);
  const params = { run: String(run.id) };
  const trouble = stopIsTrouble(run.stop_reason);
  // For a run that did nothing, the reason of its end takes the place of its zeros.
  const hasWork = run.done + run.failed > 0 || (run.cost_usd ?? 0) > 0 || !trouble;
  return (
    <p className="num flex min-w-0 items-center gap-1.5 overflow-hidden whitespace-nowrap text-dim" data-testid="rests">
      <Dot tone={run.result ? resultTone[run.result] : "dim"} />
      <Link to="/loop/$run" params={params} className="text-text hover:underline">
        Run {run.id}{" "}
        {trouble && run.stop_reason ? (
          <span className="text-bad">{endedBadly[run.stop_reason] ?? "ended"}</span>
        ) : (
          <span className="max-[600px]:sr-only">ended</span>
        )}{" "}
        <span className="max-[760px]:hidden">{run.ended && atTime(run.ended, now)}</span>
      </Link>
      {hasWork && (
        <>
          <span className={cn("flex gap-1.5 max-[480px]:hidden", run.done === 0 && roomy)}>
            <Between />
            <Link
              to="/loop/$run"
              params={params}
              search={{ show: "done" }}
              className={figure(run.done > 0 && "text-ok")}
            >
              {number(run.done)} done
            </Link>
          </span>
          <Between />
          <Link
            to="/loop/$run"
            params={params}
            search={{ show: "failed" }}
            className={figure(run.failed > 0 && "text-bad")}
          >
            {number(run.failed)}{" "}
            <span className="max-[760px]:sr-only">{run.failed === 1 ? "attempt" : "attempts"}</span> failed
          </Link>
          <span className={cn("flex gap-1.5", roomy)}>
            <Between />
            <Link to="/insights" className={figure(false)}>
              <Cost usd={run.cost_usd} estimated={run.estimated_usd} unpriced={run.unpriced} />
            </Link>
          </span>
        </>
      )}
      {waiting > 0 && (
        <>
          <Between />
          <Link to="/needs-you" className={cn(figure("font-medium text-bad"), "shrink-0")}>
            {number(waiting)} {waiting === 1 ? "needs" : "need"} you
          </Link>
        </>
      )}
      {trouble && run.note && (
        <span className={cn("flex min-w-0 gap-1.5", roomy)}>
          <Between />
          <span className="min-w-0 truncate text-bad" title={run.note}>
            {run.note}
          </span>
        </span>
      )}
    </p>
  );
}

/** What the rail or the run's page also shows is left out if there is no room, so that nothing is cut within a word. */
const roomy = "max-[600px]:hidden";

const figure = (tone: string | false) => cn("hover:underline", tone);

const Between = () => (
  <span aria-hidden="true" className="text-faint">
    ·
  </span>
);

function Active({ run, overview }: { run: Run; overview: Overview }) {
  const now = useNow(1000);
  const iteration = overview.active_iteration;
  const { max_usd } = run.limits;
  const tone = run.state === "running" ? "ok" : "warn";
  const others = runsAtWork(overview).length - 1;
  return (
    <>
      <Link
        to="/loop/$run"
        params={{ run: String(run.id) }}
        className="num flex min-w-0 flex-1 items-center gap-4 overflow-hidden rounded-md whitespace-nowrap text-dim"
      >
        <span className="flex min-w-0 items-center gap-2 text-text">
          <Dot tone={tone} live={run.state === "running"} />
          <span className="truncate font-medium">
            {atWork(overview.lanes) ?? (iteration ? `#${iteration.task} ${iteration.task_title}` : `Run ${run.id}`)}
          </span>
        </span>
        {(run.state !== "running" || run.waiting_until !== null) && (
          <span className="text-warn" title={run.note ?? undefined}>
            {stateWords(run, now)}
          </span>
        )}
        <span className="shrink-0 max-[700px]:hidden">iteration {iterationsOf(run, " of ")}</span>
        <span className="max-w-32 truncate max-[1150px]:hidden">
          {iteration?.model ?? (run.model || strategyWord[run.strategy])}
        </span>
        <span className="shrink-0 max-[600px]:hidden">
          <Cost usd={belowLimit(run.cost_usd, max_usd)} estimated={run.estimated_usd} unpriced={run.unpriced} />
          {max_usd !== null && ` of ${dollars(max_usd)}`}
        </span>
        <span className="shrink-0 max-[600px]:hidden" data-testid="elapsed">
          {span(now - Date.parse(run.started))}
        </span>
      </Link>
      {others > 0 && (
        <Link to="/loop" className="num shrink-0 text-dim hover:underline" data-testid="other-runs">
          {`and ${count(others, "other run")}`}
        </Link>
      )}
      <Controls run={run} />
    </>
  );
}

/** What several workers are doing; nothing for a single one. */
function atWork(lanes: LaneRow[]): string | null {
  return lanes.length > 1 ? `${lanes.length} at work: ${lanes.map(({ task }) => `#${task}`).join(" ")}` : null;
}

function stateWords(run: Run, now: number): string {
  // A usage limit that one worker met, while others still work.
  if (run.state === "running" && run.waiting_until) return `begins nothing until ${atTime(run.waiting_until, now)}`;
  if (run.state === "waiting") return run.waiting_until ? `waits until ${atTime(run.waiting_until, now)}` : "waits";
  return run.state;
}

/** In a narrow window the active run needs the space more than the labels of its buttons. */
const wide = "max-[1150px]:hidden";

function Controls({ run }: { run: Run }) {
  const control = useSteer(run.id, null);
  const ask = (what: RunControl) => control.mutate(what);
  if (run.state === "stopping" || run.control === "stop_now") return <span className="text-dim">Stopping…</span>;
  return (
    <div className="flex shrink-0 items-center gap-2">
      {run.control === "none" ? (
        <>
          <Button aria-label="Pause" title="Pause after this iteration" onClick={() => ask("pause")}>
            <Pause size={13} aria-hidden="true" /> <span className={wide}>Pause</span>
          </Button>
          <Button aria-label="Stop after this" title="Stop after this iteration" onClick={() => ask("stop_after")}>
            <Hourglass size={13} aria-hidden="true" /> <span className={wide}>Stop after this</span>
          </Button>
        </>
      ) : (
        <>
          {run.state !== "paused" && (
            <span className="text-warn">
              {run.control === "pause" ? "Pauses after this iteration" : "Stops after this iteration"}
            </span>
          )}
          <Button onClick={() => ask("none")}>
            <Play size={13} aria-hidden="true" /> {run.state === "paused" ? "Resume" : "Keep going"}
          </Button>
        </>
      )}
      <Button look="danger" onClick={() => ask("stop_now")}>
        <Square size={12} aria-hidden="true" /> Stop now
      </Button>
    </div>
  );
}
