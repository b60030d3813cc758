import { Link } from "@tanstack/react-router";
import type { Iteration, Run } from "@/ipc";
import { cn } from "@/lib/cn";
import { duration, span } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { toldInWords } from "@/lib/told";
import { outcomeTone, outcomeWord, stopIsTrouble, stopReasonWord } from "@/lib/words";
import { toneText } from "@/ui/badge";
import { Cost } from "@/ui/cost";
import { IterationSaturation } from "@/ui/iteration-saturation";
import { VirtualList } from "@/ui/virtual-list";
import type { IterationTab } from "./iteration-view";

/** The iterations of a run, newest first. */
export function Iterations({
  run,
  iterations,
  shown,
  tab,
}: {
  run: Run;
  iterations: Iteration[];
  shown: number | null;
  tab: IterationTab | undefined;
}) {
  const live = run.state !== "ended";
  const now = useNow(1000, live);
  const took = (run.ended ? Date.parse(run.ended) : now) - Date.parse(run.started);
  const of = run.limits.max_iterations === null ? "" : ` / ${run.limits.max_iterations}`;
  return (
    <section aria-label={`Run ${run.id}`} className="flex min-h-0 flex-col border-r border-line">
      <header className="num border-b border-line px-4 py-2.5">
        <div className="flex items-baseline gap-2">
          <h1 className="font-semibold">Run {run.id}</h1>
          <p className="ml-auto text-dim">
            {run.iterations}
            {of} · <Cost usd={run.cost_usd} estimated={run.estimated_usd} /> · {span(took)}
          </p>
        </div>
        {run.stop_reason && (
          <p className={cn("text-xs", stopIsTrouble(run.stop_reason) ? "text-bad" : "text-dim")}>
            Ended: {stopReasonWord[run.stop_reason]}
          </p>
        )}
        {run.note && <p className="text-xs wrap-anywhere text-faint">{run.note}</p>}
      </header>
      <VirtualList
        label="Iterations"
        items={atWorkFirst(iterations)}
        keyOf={({ id }) => id}
        estimate={78}
        className="p-1.5"
        render={(iteration) => (
          <Row iteration={iteration} now={now} shown={iteration.id === shown} tab={tab} lanes={run.workers > 1} />
        )}
      />
    </section>
  );
}

/** What is worked on now, one row for each lane, then the rest as it came. */
function atWorkFirst(iterations: Iteration[]): Iteration[] {
  const atWork = iterations.filter(({ ended }) => ended === null).sort((one, other) => one.lane - other.lane);
  return atWork.length > 1 ? [...atWork, ...iterations.filter(({ ended }) => ended !== null)] : iterations;
}

function Row({
  iteration,
  now,
  shown,
  tab,
  lanes,
}: {
  iteration: Iteration;
  now: number;
  shown: boolean;
  tab: IterationTab | undefined;
  /** Whether several workers share the run: then each row tells whose it is. */
  lanes: boolean;
}) {
  const ended = iteration.ended ? Date.parse(iteration.ended) : now;
  return (
    <Link
      to="/loop/$run/$iteration"
      params={{ run: String(iteration.run), iteration: String(iteration.id) }}
      search={{ tab }}
      data-row
      data-testid="iteration"
      data-outcome={iteration.outcome}
      aria-current={shown ? "true" : undefined}
      className={cn("num block rounded-lg px-2.5 py-2 hover:bg-hover", shown && "bg-raised hover:bg-raised")}
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">
          #{iteration.task} {iteration.task_title}
        </span>
        <span className="text-dim">{duration(ended - Date.parse(iteration.started))}</span>
      </span>
      <span className="flex items-baseline gap-2">
        <span className={cn(toneText[outcomeTone[iteration.outcome]], iteration.outcome === "running" && "pulse")}>
          {outcomeWord[iteration.outcome]}
        </span>
        {lanes && <span className="text-xs text-faint">lane {iteration.lane}</span>}
        {iteration.attempt !== null && iteration.attempt > 1 && (
          <span className="text-xs text-faint">attempt {iteration.attempt}</span>
        )}
        <span className="ml-auto truncate text-dim">{iteration.model}</span>
        {iteration.usage.cost_usd !== null && (
          <span className="shrink-0 text-dim">
            <Cost usd={iteration.usage.cost_usd} estimated={iteration.usage.cost_estimated} />
          </span>
        )}
      </span>
      {iteration.rationale && (
        <span className="line-clamp-2 text-xs wrap-anywhere text-dim" title={iteration.rationale}>
          {iteration.rationale}
        </span>
      )}
      {iteration.scheduled && (
        <span className="line-clamp-2 text-xs wrap-anywhere text-dim">{iteration.scheduled}</span>
      )}
      <IterationSaturation iteration={iteration} link={false} />
      {iteration.held_out && (
        <span className="block text-xs text-warn">held out: {toldInWords(iteration.withheld)} withheld</span>
      )}
      {iteration.note && <span className="line-clamp-2 text-xs wrap-anywhere text-faint">{iteration.note}</span>}
    </Link>
  );
}
