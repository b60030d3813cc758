import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { EVIDENCE_ITEMS, type Iteration, queries } from "@/ipc";
import { count, tokens } from "@/lib/format";
import { toldInWords } from "@/lib/knowledge/told";
import { usePageActions } from "@/lib/page-actions";
import { outcomeTone } from "@/lib/words";
import { Dot } from "@/ui/badge";
import { Button } from "@/ui/button";
import { IterationSaturation } from "@/ui/chart/iteration-saturation";
import { CostOf } from "@/ui/cost";
import { GuidanceField, WaitingGuidance } from "@/ui/guidance";
import { type Tab, TabPanel, Tabs } from "@/ui/tabs";
import { Stuck } from "@/ui/task/stuck";
import { Changed } from "./changed";
import { Hooks } from "./hooks";
import { Live } from "./live";
import { ToldTab } from "./told";

export type IterationTab = "live" | "told" | "changed" | "hooks";

export function IterationView({
  iteration,
  tab,
  onTab,
  onHold,
  onFollow,
}: {
  iteration: Iteration;
  tab: IterationTab;
  onTab: (tab: IterationTab) => void;
  /** Called with whether somebody reads this iteration, or writes about it. */
  onHold: (on: boolean) => void;
  /** Goes to what the run is doing now, if that is another iteration. */
  onFollow?: () => void;
}) {
  const [following, setFollowing] = useState(true);
  const [guiding, setGuiding] = useState(false);
  const isOver = iteration.ended !== null;
  const holds = guiding || tab !== "live" || !following;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change counts, and an iteration that is over is left only by a click.
  useEffect(() => {
    if (holds || !isOver) onHold(holds);
  }, [holds]);
  const detail = useQuery(queries.iteration(iteration.id));
  const { changed_files, check } = iteration.evidence;
  const figure = (text: string | number | undefined) => <span className="num text-xs text-faint">{text}</span>;
  const tabs: Tab<IterationTab>[] = [
    { value: "live", label: iteration.outcome === "running" ? "Live" : "Transcript" },
    { value: "told", label: "Told", extra: figure(detail.data?.prompt && tokens(detail.data.prompt.length)) },
    {
      value: "changed",
      label: "Changed",
      extra: (
        <>
          {changed_files.length > 0 &&
            figure(changed_files.length < EVIDENCE_ITEMS ? changed_files.length : `${EVIDENCE_ITEMS}+`)}
          {check && <Dot tone={check.passed ? "ok" : "bad"} />}
        </>
      ),
    },
    {
      value: "hooks",
      label: "Hooks",
      extra: figure(detail.data?.hooks.filter(({ applied }) => applied).length || undefined),
    },
  ];
  usePageActions(
    tabs.map(({ value, label }) => ({ words: `Iteration: ${label.toLowerCase()}`, go: () => onTab(value) })),
  );
  return (
    <div className="flex min-h-0 min-w-0 flex-col">
      <StuckTask task={iteration.task} />
      <Tabs<IterationTab>
        label="Parts of the iteration"
        value={tab}
        onChange={onTab}
        tabs={tabs}
        end={
          <Link
            to="/tasks/$id"
            params={{ id: String(iteration.task) }}
            className="max-w-64 truncate text-xs text-dim hover:text-text"
          >
            #{iteration.task} {iteration.task_title}
          </Link>
        }
      >
        <TabPanel value="live" className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
          <Live of={{ iteration: iteration.id }} onFollowing={setFollowing} />
          {/* Whoever writes goes on even if the iteration ends: their next letters would be shortcuts of the page. */}
          {(!isOver || guiding) && (
            <div className="flex flex-col gap-2 border-t border-line px-6 py-2">
              <WaitingGuidance task={iteration.task} />
              <GuidanceField
                task={iteration.task}
                label={`What the next iteration on #${iteration.task} should know`}
                onWriting={() => setGuiding(true)}
                onDone={() => setGuiding(false)}
              />
            </div>
          )}
        </TabPanel>
        <TabPanel value="told">
          <ToldTab detail={detail} />
        </TabPanel>
        <TabPanel value="changed" className="flex min-h-0 flex-1 flex-col overflow-y-auto data-[state=inactive]:hidden">
          <Changed iteration={iteration} remarks={detail.data?.remarks ?? []} />
        </TabPanel>
        <TabPanel value="hooks" reads>
          <Hooks detail={detail} />
        </TabPanel>
      </Tabs>
      {onFollow && isOver && (
        <p role="status" className="flex shrink-0 items-center gap-3 border-t border-line px-6 py-1.5 text-dim">
          This one is over, and the run goes on.
          <Button size="sm" onClick={onFollow}>
            Follow the run
          </Button>
        </p>
      )}
      <Footer iteration={iteration} />
    </div>
  );
}

/** A warning that the task of this run is stuck. */
function StuckTask({ task: id }: { task: number }) {
  const { data: task } = useQuery(queries.task(id));
  if (!task) return null;
  return (
    <div className="px-6 pt-3 empty:hidden">
      <Stuck task={task}>
        <Link to="/tasks/$id" params={{ id: String(id) }} className="text-accent underline underline-offset-2">
          #{id} {task.title}
        </Link>
      </Stuck>
    </div>
  );
}

/** Usage, denied tools, and the memories included. */
function Footer({ iteration }: { iteration: Iteration }) {
  const { usage, denials, told, withheld, exit_code } = iteration;
  const cached = usage.cache_read_tokens + usage.cache_write_tokens;
  return (
    <footer className="num flex min-h-9 shrink-0 flex-wrap items-center gap-x-4 gap-y-0.5 border-t border-line px-6 py-1.5 text-xs whitespace-nowrap text-dim">
      <span className="flex items-center gap-2">
        <Dot tone={outcomeTone[iteration.outcome]} live={iteration.outcome === "running"} />
        {iteration.model}
      </span>
      {usage.input_tokens + usage.output_tokens + cached > 0 && (
        <span>
          {tokens(usage.input_tokens)} in · {tokens(usage.output_tokens)} out
          {cached > 0 && ` · ${tokens(cached)} cached`}
        </span>
      )}
      <span>
        <CostOf usage={usage} />
      </span>
      {denials.length > 0 && (
        <span className="min-w-0 truncate text-warn" title={denials.join("\n")}>
          {count(denials.length, "refused tool")}: {denials.join(", ")}
        </span>
      )}
      <span className="ml-auto">
        <IterationSaturation iteration={iteration} />
      </span>
      <span>
        {iteration.held_out ? `held out: ${toldInWords(withheld)} withheld` : `${toldInWords(told)} told`}
        {exit_code !== null && ` · exit ${exit_code}`}
      </span>
    </footer>
  );
}
