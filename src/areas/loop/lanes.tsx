import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass, MessageSquarePlus, Pause, Play, Square } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type IdleLane, type LaneRow, type LaneSignal, queries, type Run, type RunControl } from "@/ipc";
import { cn } from "@/lib/cn";
import { atTime, duration } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { lastSignal } from "@/lib/loop/lane-signal";
import { useSteer } from "@/lib/loop/steer";
import { rowKeys } from "@/lib/rows";
import { agentWord } from "@/lib/words";
import { Dot, toneText } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Cost } from "@/ui/cost";
import { GuidanceField } from "@/ui/guidance";
import { Tooltip } from "@/ui/tooltip";

/** The current activity of the run's workers, one line each, with their controls. */
export function Lanes({ run, lanes, idle }: { run: Run; lanes: LaneRow[]; idle: IdleLane[] }) {
  const now = useNow(1000);
  const { data: signals = [] } = useQuery({ ...queries.laneSignals(), enabled: lanes.length > 0 });
  const rows = [
    ...lanes.map((lane) => ({ lane: lane.lane, at: lane, control: lane.control })),
    ...idle.map(({ lane, control }) => ({ lane, at: null, control })),
  ].sort((one, other) => one.lane - other.lane);
  return (
    <ul
      aria-label={`Workers of run ${run.id}`}
      className="overflow-hidden rounded-lg border border-line"
      onKeyDown={rowKeys}
    >
      {rows.map(({ lane, at, control }) => (
        <Lane
          key={lane}
          run={run}
          lane={lane}
          at={at}
          control={control}
          signal={signals.find(({ iteration }) => iteration === at?.iteration)}
          now={now}
        />
      ))}
    </ul>
  );
}

function Lane({
  run,
  lane,
  at,
  control,
  signal,
  now,
}: {
  run: Run;
  lane: number;
  at: LaneRow | null;
  control: RunControl;
  signal: LaneSignal | undefined;
  now: number;
}) {
  // The task that somebody writes about, and not just that they write: the worker may take another one before they are done.
  const [guided, setGuided] = useState<number | null>(null);
  const isLeft = guided !== null && guided !== at?.task;
  return (
    <li data-testid="lane" className="border-b border-line last:border-0">
      {at ? (
        <AtWork run={run} lane={at} signal={signal} now={now} guided={guided} onGuide={setGuided} />
      ) : (
        <Idle run={run} lane={lane} control={control} />
      )}
      {guided !== null && (
        <div className="px-3 pb-2 pl-11">
          {isLeft && <p className="num pb-1 text-xs text-dim">For #{guided}, which this worker has left.</p>}
          <GuidanceField
            key={guided}
            task={guided}
            label={`What the next iteration on #${guided} should know`}
            autoFocus
            onDone={() => setGuided(null)}
          />
        </div>
      )}
    </li>
  );
}

function AtWork({
  run,
  lane,
  signal,
  now,
  guided,
  onGuide,
}: {
  run: Run;
  lane: LaneRow;
  signal: LaneSignal | undefined;
  now: number;
  /** The task that is being written about. */
  guided: number | null;
  onGuide: (task: number | null) => void;
}) {
  const guiding = guided === lane.task;
  return (
    <div className="px-3 py-2 hover:bg-hover">
      <div className="num flex items-center gap-3 whitespace-nowrap">
        <Which lane={lane.lane} tone={lane.control === "none" ? "ok" : "warn"} live />
        <Link
          to="/loop/$run/$iteration"
          params={{ run: String(run.id), iteration: String(lane.iteration) }}
          data-row
          className="min-w-0 flex-1 truncate font-medium hover:underline"
        >
          #{lane.task} {lane.task_title}
        </Link>
        <span
          className="max-w-44 truncate text-dim max-[1180px]:max-w-24"
          title={`${agentWord[lane.agent]}, ${lane.model}`}
        >
          <span className="max-[1180px]:hidden">{agentWord[lane.agent]} · </span>
          {lane.model}
        </span>
        <span className="w-14 text-right text-dim" data-testid="lane-elapsed">
          {duration(now - Date.parse(lane.since))}
        </span>
        <span className="min-w-16 text-right text-dim">
          {lane.cost_usd === null && !lane.unpriced ? (
            ""
          ) : (
            <Cost usd={lane.cost_usd} estimated={lane.cost_estimated} unpriced={lane.unpriced} />
          )}
        </span>
        <Controls run={run} lane={lane.lane} control={lane.control} at={lane.task}>
          <IconButton
            label={`Guide #${lane.task}`}
            onClick={() => onGuide(guiding ? null : lane.task)}
            pressed={guiding}
          >
            <MessageSquarePlus size={13} />
          </IconButton>
        </Controls>
      </div>
      <Signal lane={lane} signal={signal} now={now} />
      {lane.scheduled && <p className="truncate pl-8 text-xs text-faint">{lane.scheduled}</p>}
    </div>
  );
}

function Signal({ lane, signal, now }: { lane: LaneRow; signal: LaneSignal | undefined; now: number }) {
  const last = signal?.last ? lastSignal(signal.last) : null;
  const silent = signal?.last ? now - Date.parse(signal.last.at) : 0;
  return (
    <p className="flex items-baseline gap-2 pl-8 text-xs" data-testid="lane-signal">
      {last ? (
        <>
          <span className={cn("shrink-0", last.tone === "dim" ? "text-faint" : toneText[last.tone])}>{last.label}</span>
          <span className={cn("min-w-0 flex-1 truncate text-dim", last.code && "font-mono")}>{last.text}</span>
          {silent >= SILENT_MILLIS && <span className="num shrink-0 text-faint">{duration(silent)} ago</span>}
        </>
      ) : (
        <span className="flex-1 text-faint">starting its agent</span>
      )}
      {lane.control !== "none" && <span className="shrink-0 text-warn">{asked[lane.control]}</span>}
    </p>
  );
}

/** Milliseconds without output before a worker counts as silent. */
const SILENT_MILLIS = 15_000;

function Idle({ run, lane, control }: { run: Run; lane: number; control: RunControl }) {
  const now = useNow(60_000);
  return (
    <div className="flex h-10 items-center gap-3 px-3">
      <Which lane={lane} tone="dim" />
      <span className="min-w-0 flex-1 truncate text-faint">{idleWords(run, control, now)}</span>
      {control !== "none" && run.state !== "stopping" && <Resume run={run} lane={lane} words="Let it continue" />}
    </div>
  );
}

function idleWords(run: Run, control: RunControl, now: number): string {
  if (run.state === "stopping") return "is over";
  if (control === "pause" || run.state === "paused") return "paused";
  if (control !== "none") return "stopped; the others go on";
  if (run.waiting_until) return [`waits until ${atTime(run.waiting_until, now)}`, run.note].filter(Boolean).join(": ");
  return run.state === "waiting" ? "waits with the run" : "looking for a task";
}

function Which({ lane, tone, live = false }: { lane: number; tone: "ok" | "warn" | "dim"; live?: boolean }) {
  return (
    <span className="num flex w-5 shrink-0 items-center gap-1.5 text-xs text-faint">
      <Dot tone={tone} live={live && tone === "ok"} />
      <span>
        <span className="sr-only">Lane </span>
        {lane}
      </span>
    </span>
  );
}

const asked: Record<Exclude<RunControl, "none">, string> = {
  pause: "pauses after this",
  stop_after: "ends after this",
  stop_now: "stopping…",
};

/** The controls of one of several workers; a single one is controlled from the top of the page. */
function Controls({
  run,
  lane,
  control,
  at,
  children,
}: {
  run: Run;
  lane: number;
  control: RunControl;
  at: number;
  children: ReactNode;
}) {
  const ask = useSteer(run.id, lane);
  const button = (what: RunControl, label: string, icon: ReactNode, danger = false) => (
    <IconButton label={label} danger={danger} disabled={ask.isPending} onClick={() => ask.mutate(what)}>
      {icon}
    </IconButton>
  );
  if (run.workers === 1) return <span className="flex">{children}</span>;
  const over = control === "stop_now" || run.state === "stopping";
  return (
    <span className={cn("flex items-center gap-0.5", over && "invisible")}>
      {children}
      {control === "none" ? (
        <>
          {button("pause", `Pause lane ${lane} after #${at}`, <Pause size={13} />)}
          {button("stop_after", `End lane ${lane} after #${at}`, <Hourglass size={13} />)}
        </>
      ) : (
        <>
          <span className="w-7" />
          {button("none", `Let lane ${lane} keep going`, <Play size={13} />)}
        </>
      )}
      {button("stop_now", `Stop lane ${lane} now`, <Square size={12} />, true)}
    </span>
  );
}

function Resume({ run, lane, words }: { run: Run; lane: number; words: string }) {
  const ask = useSteer(run.id, lane);
  return (
    <Button size="sm" aria-label={`${words}: lane ${lane}`} disabled={ask.isPending} onClick={() => ask.mutate("none")}>
      <Play size={12} aria-hidden="true" /> {words}
    </Button>
  );
}

function IconButton({
  label,
  onClick,
  children,
  danger = false,
  disabled = false,
  pressed,
}: {
  label: string;
  onClick: () => void;
  children: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  pressed?: boolean;
}) {
  return (
    <Tooltip content={label} side="top">
      <Button
        look="ghost"
        size="icon"
        aria-label={label}
        aria-pressed={pressed}
        disabled={disabled}
        className={cn(danger && "hover:bg-bad-soft hover:text-bad", pressed && "bg-raised text-text")}
        onClick={onClick}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
