import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArchiveRestore, Repeat } from "lucide-react";
import { queries, type Run, type RunAtWork, type RunRow } from "@/ipc";
import { ago, count, moment, number, span } from "@/lib/format";
import { useIsNew, useNow } from "@/lib/hooks";
import { runsAtWork, useActiveRuns } from "@/lib/loop/at-work";
import { useSteer } from "@/lib/loop/steer";
import { rowKeys } from "@/lib/rows";
import { endedInAWord, endOf, resultTone, stopIsTrouble, strategyWord, type Tone } from "@/lib/words";
import { Badge, Dot, NewMark, toneText } from "@/ui/badge";
import { Button, buttonLook } from "@/ui/button";
import { Cost } from "@/ui/cost";
import { useFew } from "@/ui/few";
import { GuidanceField, WaitingGuidance } from "@/ui/guidance";
import { Page } from "@/ui/page";
import { Result } from "@/ui/query";
import { InCode } from "@/ui/said";
import { Empty } from "@/ui/state";
import { Errands } from "./errands";
import { Lanes } from "./lanes";
import { StartForm } from "./start-form";

const route = getRouteApi("/loop");

/** The most runs that are listed, the newest ones: RUNS_SHOWN of the shell. */
const MOST_RUNS = 500;
const runsInWords = (n: number) => (n < MOST_RUNS ? count(n, "run") : `the newest ${n} runs`);

export function LoopPage() {
  const { task } = route.useSearch();
  const runs = useQuery(queries.runs());
  const settings = useQuery(queries.settings());
  const { data: overview } = useQuery(queries.overview());
  const active = useActiveRuns().length > 0;
  const all = overview ? runsAtWork(overview) : [];
  const start = (
    <Result of={settings}>{(defaults) => <StartForm key={task} task={task ?? null} defaults={defaults} />}</Result>
  );
  return (
    <Page
      title="Loop"
      sub={runs.data && runsInWords(runs.data.length)}
      actions={
        <Link to="/loop/snapshots" className={buttonLook()}>
          <ArchiveRestore size={14} aria-hidden="true" /> Snapshots
        </Link>
      }
    >
      {all.length === 1 && all[0] && (
        <section aria-labelledby="at-work" className="px-6 pt-2 pb-4">
          <h2 id="at-work" className="num mb-2 font-semibold">
            At work <span className="font-normal text-dim">{atWork(all[0].run, all[0].lanes.length)}</span>
          </h2>
          <Lanes run={all[0].run} lanes={all[0].lanes} idle={all[0].idle_lanes} />
        </section>
      )}
      {all.length > 1 && all.map((one) => <OneOfSeveral key={one.run.id} {...one} />)}
      <div className="grid grid-cols-[19rem_minmax(0,1fr)] max-[900px]:grid-cols-1 items-start gap-6 min-[1180px]:grid-cols-[21rem_minmax(0,1fr)] min-[1180px]:gap-8 px-6 pt-2 pb-8">
        <div className="flex min-w-0 flex-col gap-4">
          {active && <Steer />}
          {active ? (
            <details className="flex flex-col gap-2.5">
              <summary className="cursor-pointer text-dim">Start another run beside it</summary>
              <div className="pt-2.5">{start}</div>
            </details>
          ) : (
            start
          )}
          {!active && <WaitingGuidance />}
        </div>
        <section aria-label="Runs" className="min-w-0">
          <h2 className="mb-2 font-semibold">Runs</h2>
          <Result of={runs}>
            {(all) =>
              all.length === 0 ? (
                <Empty icon={Repeat} title="Nothing has run yet">
                  The loop takes a ready task, gives it to an agent with what is known of its feature, settles the
                  outcome, and goes on.
                </Empty>
              ) : (
                <Runs runs={all} />
              )
            }
          </Result>
          <Errands />
        </section>
      </div>
    </Page>
  );
}

/** One of several active runs, with its controls. */
function OneOfSeveral({ run, lanes, idle_lanes }: RunAtWork) {
  const control = useSteer(run.id, null);
  const id = `at-work-${run.id}`;
  return (
    <section aria-labelledby={id} className="px-6 pt-2 pb-4">
      <div className="mb-2 flex items-center gap-2">
        <h2 id={id} className="num font-semibold">
          Run {run.id} <span className="font-normal text-dim">{atWork(run, lanes.length)}</span>
        </h2>
        <span className="ml-auto flex items-center gap-2">
          {run.control === "none" ? (
            <Button size="sm" aria-label={`Pause run ${run.id}`} onClick={() => control.mutate("pause")}>
              Pause
            </Button>
          ) : (
            <Button size="sm" aria-label={`Let run ${run.id} keep going`} onClick={() => control.mutate("none")}>
              Keep going
            </Button>
          )}
          <Button
            size="sm"
            look="danger"
            aria-label={`Stop run ${run.id} now`}
            disabled={run.state === "stopping"}
            onClick={() => control.mutate("stop_now")}
          >
            {run.state === "stopping" ? "Stopping…" : "Stop now"}
          </Button>
        </span>
      </div>
      <Lanes run={run} lanes={lanes} idle={idle_lanes} />
    </section>
  );
}

function atWork(run: Run, busy: number): string {
  return run.workers === 1 ? "" : `${busy} of ${count(run.workers, "worker")}`;
}

/** Guidance for whichever iteration starts next, and guidance not delivered yet. */
function Steer() {
  return (
    <section aria-labelledby="guidance" className="flex flex-col gap-2.5 rounded-xl border border-line bg-panel p-4">
      <h2 id="guidance" className="font-semibold">
        Guidance
      </h2>
      <p className="text-xs text-dim">
        What a person wants the next iteration to know. It is told once, to whichever task begins next; guide a single
        worker from its line.
      </p>
      <GuidanceField task={null} label="What the next iteration should know" />
      <WaitingGuidance />
    </section>
  );
}

function Runs({ runs }: { runs: RunRow[] }) {
  const isNew = useIsNew();
  const [shown, more] = useFew(runs);
  const now = useNow(
    1000,
    runs.some(({ state }) => state !== "ended"),
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between the rows.
    <div onKeyDown={rowKeys} className="@container">
      <ul className="overflow-hidden rounded-lg border border-line">
        {shown.map((run) => (
          <li key={run.id} className="relative border-b border-line px-3 py-2 last:border-0 hover:bg-hover">
            {/* Each column as wide in every row: what is right-aligned forms a line. */}
            <div className="num flex items-center gap-x-3 whitespace-nowrap *:shrink-0 @max-[24rem]:flex-wrap">
              <Link
                to="/loop/$run"
                params={{ run: String(run.id) }}
                data-row
                className="flex min-w-20 items-center gap-2 font-medium after:absolute after:inset-0"
              >
                <Dot tone={toneOf(run)} live={run.state === "running"} /> Run {run.id} {isNew(run.ended) && <NewMark />}
              </Link>
              <span className="flex min-w-0 flex-1 shrink!">{run.task !== null && <Badge>#{run.task}</Badge>}</span>
              <span className="w-20 truncate text-right text-dim @max-[36rem]:hidden">
                {run.model || strategyWord[run.strategy]}
              </span>
              <Tally run={run} />
              <span className="w-16 text-right text-dim">
                <Cost usd={run.cost_usd} estimated={run.estimated_usd} unpriced={run.unpriced} />
              </span>
              <span className="w-14 text-right text-dim @max-[31rem]:hidden">
                {span((run.ended ? Date.parse(run.ended) : now) - Date.parse(run.started))}
              </span>
              <span className="w-18 text-right text-faint" title={moment(run.started)}>
                {ago(run.started, now)}
              </span>
            </div>
            <p className="pl-4 text-xs wrap-anywhere text-dim">
              <span className={toneText[toneOf(run)]}>
                {(run.note && run.stop_reason && endedInAWord[run.stop_reason]) || endOf(run)}
              </span>
              {run.note && stopIsTrouble(run.stop_reason) && <InCode text={`: ${run.note}`} />}
              {withoutAWord(run)}
            </p>
          </li>
        ))}
      </ul>
      {more}
    </div>
  );
}

/** The outcomes of its attempts. */
function Tally({ run }: { run: RunRow }) {
  return (
    <span className="flex w-46 justify-end gap-2 @max-[40rem]:w-34 @max-[27rem]:w-auto">
      <span className={run.done > 0 ? "text-ok" : "text-faint"}>{number(run.done)} done</span>
      <span className={run.failed > 0 ? "text-bad" : "text-faint"}>
        {number(run.failed)} <span className="@max-[40rem]:sr-only">{run.failed === 1 ? "attempt" : "attempts"}</span>{" "}
        failed
      </span>
    </span>
  );
}

/** Iterations that count as neither, such as those at a limit. One that a person stopped had no time for a word. */
function withoutAWord(run: RunRow): string {
  const others = run.iterations - run.done - run.failed - (run.stop_reason === "stopped_now" ? run.workers : 0);
  return run.ended && !stopIsTrouble(run.stop_reason) && others > 0
    ? ` · ${count(others, "iteration")} ended without a word on the task`
    : "";
}

function toneOf(run: RunRow): Tone {
  if (run.state === "running") return "ok";
  return run.result ? resultTone[run.result] : "warn";
}
